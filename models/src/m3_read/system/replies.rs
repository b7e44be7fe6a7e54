//! Every reply that the engine may give to a READ, and what each one truly is: the model's own
//! knowledge, against which the client's judgement is held.
use std::collections::VecDeque;

use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::output::PollOutcome;

use crate::m3_read::holes::expected::expected;
use crate::m3_read::holes::grammar::{Announced, Delivery, Fill, Reply, Tail};
use crate::m3_read::responder::network::Answer;
use crate::m3_read::responder::reply::Block;

/// What a reply is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// None to a READ.
    #[default]
    Other,
    /// Data: all that the header announces, in order and no more.
    Whole,
    /// Data with a gap, a surplus, or a header over the request.
    Holed,
    /// `$FFFF` and exactly the idle line.
    Idle,
    /// `$FFFF` and another line: the handle is another's.
    NotOurs,
    /// `$0000` and 01.
    EndedClean,
    /// `$0000` and 05.
    EndedWithoutNotify,
    /// `$0000` and any other line: dead, still ours.
    Sticky,
    /// No byte at all.
    Empty,
    /// One byte of the header.
    HalfHeader,
}

/// The truth about the reply in hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Truth {
    /// What it is.
    pub kind: Kind,
    /// Payload bytes that its header announces.
    pub announced: u16,
    /// Payload bytes of its first block.
    pub first: u16,
}

/// A reply that may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What it is.
    pub truth: Truth,
    /// In a few words.
    pub name: String,
    answer: Made,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Made {
    /// This many bytes, as the firmware cuts them.
    Data(u16),
    /// An answer that is the same wherever the stream stands.
    Fixed(Answer),
    /// These blocks: header, payload offset and length, whether more is announced.
    Blocks(Vec<Cut>),
}

/// One block of a forced reply.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cut {
    header: Option<u16>,
    /// Payload as bytes of the stream, counted from where it stands.
    payload: Vec<u8>,
    more: bool,
}

impl Offer {
    /// The engine's answer when `delivered` bytes of the stream have gone before.
    pub fn answer(&self, delivered: u16) -> Answer {
        let byte = |at: u8| stream_byte(delivered + u16::from(at));
        match &self.answer {
            Made::Data(bytes) => {
                Answer::Data((0..*bytes).map(|at| stream_byte(delivered + at)).collect())
            }
            Made::Fixed(answer) => answer.clone(),
            Made::Blocks(cuts) => {
                let block = |cut: &Cut| {
                    let header = cut.header.map(u16::to_le_bytes);
                    let data = header.into_iter().flatten();
                    let data = data.chain(cut.payload.iter().map(|&at| byte(at))).collect();
                    let text = if cut.more { Vec::new() } else { b"00,OK".to_vec() };
                    Block::try_new(data, text, cut.more).expect("a few bytes fit the queues")
                };
                Answer::Forced(cuts.iter().map(block).collect())
            }
        }
    }
}

/// Byte `at` of the stream: no two of those within a model's reach are alike.
pub fn stream_byte(at: u16) -> u8 {
    (at % 251).to_le_bytes()[0]
}

/// Every reply, the legal ones first.
pub(super) fn offers(config: &Config, legal_only: bool) -> Vec<Offer> {
    let mut offers = legal(config);
    if !legal_only {
        offers.extend(ends());
        offers.extend(without_count());
        offers.extend(holed(config));
    }
    offers
}

fn totals(config: &Config) -> Vec<Announced> {
    let mut totals: Vec<Announced> = Vec::new();
    for total in Announced::ALL {
        if !totals.iter().any(|known| known.bytes(config) == total.bytes(config)) {
            totals.push(total);
        }
    }
    totals
}

fn legal(config: &Config) -> Vec<Offer> {
    let totals = totals(config).into_iter().map(|total| total.bytes(config));
    let data = totals.filter(|&bytes| bytes <= config.request_max).map(|bytes| Offer {
        truth: Truth {
            kind: Kind::Whole,
            announced: bytes,
            first: bytes.min(config.first_block_bytes),
        },
        name: format!("{bytes} bytes"),
        answer: Made::Data(bytes),
    });
    let idle = fixed(Kind::Idle, "nothing yet", Answer::NothingYet);
    data.chain([idle]).collect()
}

fn fixed(kind: Kind, name: &str, answer: Answer) -> Offer {
    let truth = Truth { kind, ..Truth::default() };
    Offer { truth, name: name.into(), answer: Made::Fixed(answer) }
}

fn ends() -> Vec<Offer> {
    let failed = |line: &str| fixed(Kind::Sticky, line, Answer::Failed(line.into()));
    vec![
        fixed(Kind::EndedClean, "closed, 01", Answer::Ended { notified: true }),
        fixed(Kind::EndedWithoutNotify, "closed, 05", Answer::Ended { notified: false }),
        failed("12,SEND ERROR: 5"),
        failed("14,TLS ALERT: 40"),
        failed("16,DEAD"),
        failed("17,DEAD"),
    ]
}

fn without_count() -> Vec<Offer> {
    let forced = |kind, name: &str, data: &[u8], text: &[u8]| {
        let block = Block::try_new(data.to_vec(), text.to_vec(), false)
            .expect("a few bytes fit the queues");
        fixed(kind, name, Answer::Forced(VecDeque::from([block])))
    };
    vec![
        forced(Kind::Empty, "no header, 82", &[], b"82"),
        forced(Kind::HalfHeader, "half a header", &[3], b"00,OK"),
        forced(Kind::NotOurs, "not ours, errno 9", &[0xFF, 0xFF], b"02,NO DATA: 9"),
        forced(Kind::NotOurs, "not ours, errno 12", &[0xFF, 0xFF], b"02,NO DATA: 12"),
        forced(Kind::Sticky, "$0000 and 00", &[0, 0], b"00,OK"),
    ]
}

fn holed(config: &Config) -> Vec<Offer> {
    let mut offers = Vec::new();
    let mut known: Vec<Vec<Cut>> = Vec::new();
    for announced in totals(config) {
        for blocks in lists() {
            for tail in Tail::ALL {
                let reply = Reply { announced, blocks: blocks.clone(), tail };
                if reply.is_legal(config) {
                    continue;
                }
                let cuts = cuts(&reply, config);
                if !known.contains(&cuts) {
                    offers.push(holed_offer(&reply, config, &cuts));
                    known.push(cuts);
                }
            }
        }
    }
    offers
}

fn lists() -> Vec<Vec<(Fill, Delivery)>> {
    let one = |fill| vec![(fill, Delivery::OnTime)];
    let singles: Vec<_> = Fill::ALL.into_iter().map(one).collect();
    let two = |first: &Vec<_>| Fill::ALL.map(|fill| [first.clone(), one(fill)].concat());
    let doubles: Vec<_> = singles.iter().flat_map(two).collect();
    singles.into_iter().chain(doubles).collect()
}

fn cuts(reply: &Reply, config: &Config) -> Vec<Cut> {
    let cut = |(index, sent): (usize, crate::m3_read::holes::grammar::Sent)| {
        let header = (index == 0).then(|| reply.announced.bytes(config));
        let payload = sent.data[if index == 0 { 2 } else { 0 }..].to_vec();
        Cut { header, payload, more: sent.more }
    };
    reply.sent(config).into_iter().enumerate().map(cut).collect()
}

fn holed_offer(reply: &Reply, config: &Config, cuts: &[Cut]) -> Offer {
    let announced = reply.announced.bytes(config);
    let first = cuts.first().map_or(0, |cut| cut.payload.len());
    let lengths: Vec<String> = cuts.iter().map(|cut| cut.payload.len().to_string()).collect();
    let tail = match reply.tail {
        Tail::Last => "",
        Tail::More => ", more announced",
    };
    // The naive reading of the clauses decides: bytes that come in one block too long, but all and in
    // order, are no hole.
    let kind = match expected(config, announced, &reply.sent(config)).outcome {
        PollOutcome::Data(_) => Kind::Whole,
        _ => Kind::Holed,
    };
    Offer {
        truth: Truth { kind, announced, first: u16::try_from(first).unwrap_or(u16::MAX) },
        name: format!("{announced} announced, sent {}{tail}", lengths.join(" + ")),
        answer: Made::Blocks(cuts.to_vec()),
    }
}
