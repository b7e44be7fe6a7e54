//! Plays a reply on the bus and says what the client made of it.
use super::expected::Expected;
use super::grammar::{Arrival, Sent};
use crate::m3_read::responder::Setup;
use crate::m3_read::responder::network::Answer;
use crate::m3_read::responder::pair::{
    Continuation, Course, Endless, Log, Pair, PairError, Timing, Violation,
};
use crate::m3_read::responder::reply::Block;
use crate::m3_read::responder::script::{Script, Timed};
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::input::{OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{CloseOutcome, Done, PollOutcome};

/// 11 s: within every bound of a READ.
const LATE_UNITS: u32 = 1_100;
/// 15 s: beyond the bound of a READ, and within the bound of the abort that follows.
const MISSING_UNITS: u32 = 1_500;

/// A connected client before a responder, from which every reply is played anew.
#[derive(Clone, Debug)]
pub struct Stage {
    pair: Pair<Script>,
}

/// What the client made of a reply, and of the session afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Played {
    /// What is to be compared with the clauses.
    pub end: Expected,
    /// What a second poll did: nothing, unless the client is still connected.
    pub again: PollOutcome,
    /// What the close did.
    pub closed: CloseOutcome,
    /// Whether a CLOSE went over the bus.
    pub close_sent: bool,
    /// Broken rules about writes.
    pub violations: Vec<Violation>,
}

/// Why a reply could not be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayError {
    /// The pair could not be made.
    Pair(PairError),
    /// A request did not end, or ended as another one would.
    Endless,
    /// A block does not fit the queues.
    Block,
}

impl From<Endless> for PlayError {
    fn from(_: Endless) -> Self {
        Self::Endless
    }
}

impl Stage {
    /// Sets the stage: a client of this configuration, connected.
    ///
    /// # Errors
    /// When the configuration breaks a rule.
    pub fn set(config: Config) -> Result<Self, PlayError> {
        let mut pair =
            Pair::new(config, Setup::m3(), Script::default()).map_err(PlayError::Pair)?;
        pair.timing = Timing { units_per_reading: 50, ..Timing::PROMPT };
        pair.set_source(b"example.org");
        let request =
            OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes: 11 };
        match pair.run(Request::Open(request))? {
            Done::Open(Ok(())) => {}
            _ => return Err(PlayError::Endless),
        }
        pair.log = Log::default();
        Ok(Self { pair })
    }

    /// Plays a reply of these blocks, the last one with this status text, to one READ.
    ///
    /// # Errors
    /// When a block does not fit the queues, or the client does not come to an end.
    pub fn play(&self, sent: &[Sent], text: &[u8]) -> Result<Played, PlayError> {
        let mut pair = self.pair.clone();
        prepare(&mut pair, sent, text)?;
        let outcome = poll(&mut pair)?;
        let ring = pair.unread();
        let accepts_on_more =
            pair.log.accepts.iter().filter(|state| **state == State::DataMore).count();
        let aborts = pair.log.aborts().len();
        let owned = pair.reader.ownership().handle().is_some();
        // Whatever the firmware still had to say is over; the next READ would find nothing yet.
        pair.course = Course::default();
        let again = poll(&mut pair)?;
        let Done::Close(closed) = pair.run(Request::Close)? else {
            return Err(PlayError::Endless);
        };
        Ok(Played {
            end: Expected { outcome, ring, accepts_on_more, aborts, owned },
            again,
            closed,
            close_sent: pair.log.numbers().contains(&0x09),
            violations: pair.log.violations,
        })
    }
}

fn poll(pair: &mut Pair<Script>) -> Result<PollOutcome, PlayError> {
    match pair.run(Request::Poll)? {
        Done::Poll(outcome) => Ok(outcome),
        _ => Err(PlayError::Endless),
    }
}

fn prepare(pair: &mut Pair<Script>, sent: &[Sent], text: &[u8]) -> Result<(), PlayError> {
    let last = sent.len().saturating_sub(1);
    let blocks: Result<_, _> = sent
        .iter()
        .enumerate()
        .map(|(index, block)| {
            let text = if index == last { text.to_vec() } else { Vec::new() };
            Block::try_new(block.data.clone(), text, block.more)
        })
        .collect();
    let blocks = blocks.map_err(|_| PlayError::Block)?;
    let after = match sent.first().map(|block| block.arrival) {
        Some(Arrival::Late) => LATE_UNITS,
        Some(Arrival::Missing) => MISSING_UNITS,
        Some(Arrival::OnTime) | None => 0,
    };
    pair.engine.reads.push_back(Timed { after, answer: Answer::Forced(blocks) });
    for block in sent.iter().skip(1) {
        pair.course.continuations.push_back(match block.arrival {
            Arrival::OnTime => Continuation::After(0),
            Arrival::Late => Continuation::After(LATE_UNITS),
            Arrival::Missing => Continuation::Lost,
        });
    }
    pair.course.resets.extend(sent.iter().map(|block| block.reset_after));
    Ok(())
}
