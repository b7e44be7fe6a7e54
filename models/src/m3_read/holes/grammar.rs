//! The grammar of replies with a count: its words, all of them, and the blocks they stand for.
use firmware_core::m3_read::config::{Blocks, Config};

/// The most blocks of one reply.
pub const BLOCKS_MAX: usize = 3;

/// How much the header announces, around the limits of a request and of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Announced {
    /// One byte.
    OneByte,
    /// Half a first block.
    HalfBlock,
    /// Exactly a full first block.
    FullBlock,
    /// One byte more than a full first block.
    FullBlockAndOne,
    /// Exactly what was asked for.
    AllAsked,
    /// One byte more than was asked for.
    OneOverAsked,
}

/// How much a block holds, against what a firmware would put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fill {
    /// One byte fewer; as many where that is none.
    Short,
    /// As many.
    Exact,
    /// One byte more.
    Long,
}

/// How a block reaches the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Delivery {
    /// At once.
    OnTime,
    /// 11 s after the push or the accept: within the bound.
    Late,
    /// Not within the bound: the first block after 15 s, a continuation never.
    Missing,
    /// And then once more, as a block of its own.
    Twice,
    /// And the firmware resets the interface when half of its payload has been read.
    Aborted,
}

/// How the last block is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tail {
    /// As the last one.
    Last,
    /// As one that another block follows, though none does.
    More,
}

impl Announced {
    /// Every total.
    pub const ALL: [Self; 6] = [
        Self::OneByte,
        Self::HalfBlock,
        Self::FullBlock,
        Self::FullBlockAndOne,
        Self::AllAsked,
        Self::OneOverAsked,
    ];

    /// The total in bytes for a client of this configuration.
    pub fn bytes(self, config: &Config) -> u16 {
        match self {
            Self::OneByte => 1,
            Self::HalfBlock => config.first_block_bytes / 2,
            Self::FullBlock => config.first_block_bytes,
            Self::FullBlockAndOne => config.first_block_bytes + 1,
            Self::AllAsked => config.request_max,
            Self::OneOverAsked => config.request_max + 1,
        }
    }
}

impl Fill {
    /// Every fill.
    pub const ALL: [Self; 3] = [Self::Short, Self::Exact, Self::Long];
}

impl Delivery {
    /// Every delivery.
    pub const ALL: [Self; 5] =
        [Self::OnTime, Self::Late, Self::Missing, Self::Twice, Self::Aborted];
}

impl Tail {
    /// Every tail.
    pub const ALL: [Self; 2] = [Self::Last, Self::More];
}

/// One reply of the grammar.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reply {
    /// What its header announces.
    pub announced: Announced,
    /// Its blocks, 1..=3.
    pub blocks: Vec<(Fill, Delivery)>,
    /// How the last one is marked.
    pub tail: Tail,
}

/// Every reply of at most `blocks_max` blocks, each exactly once.
pub fn replies(blocks_max: usize) -> Vec<Reply> {
    let mut lists: Vec<Vec<(Fill, Delivery)>> = vec![Vec::new()];
    let mut all = Vec::new();
    for _ in 0..blocks_max {
        lists = lists.iter().flat_map(|list| longer(list)).collect();
        all.extend(lists.iter().cloned());
    }
    let with_tail = |blocks: Vec<_>| Tail::ALL.map(|tail| (blocks.clone(), tail));
    let with_total = |(blocks, tail): (Vec<_>, Tail)| {
        Announced::ALL.map(|announced| Reply { announced, blocks: blocks.clone(), tail })
    };
    all.into_iter().flat_map(with_tail).flat_map(with_total).collect()
}

fn longer(list: &[(Fill, Delivery)]) -> Vec<Vec<(Fill, Delivery)>> {
    let words = Fill::ALL.into_iter().flat_map(|fill| Delivery::ALL.map(|how| (fill, how)));
    words.map(|word| [list, &[word]].concat()).collect()
}

/// How many replies of at most `blocks_max` blocks there are, by arithmetic.
pub fn count(blocks_max: u32) -> usize {
    let words = Fill::ALL.len() * Delivery::ALL.len();
    let lists: usize = (1..=blocks_max).map(|blocks| words.pow(blocks)).sum();
    lists * Tail::ALL.len() * Announced::ALL.len()
}

/// When a block becomes visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrival {
    /// At once.
    OnTime,
    /// Within the bound.
    Late,
    /// Not within the bound.
    Missing,
}

/// A block as it goes over the bus.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sent {
    /// Its bytes, with the header in the first block.
    pub data: Vec<u8>,
    /// Whether it is marked as one that another follows.
    pub more: bool,
    /// When it becomes visible.
    pub arrival: Arrival,
    /// After how many bytes read the firmware resets the interface.
    pub reset_after: Option<u16>,
}

impl Reply {
    /// Whether a firmware may send this to a client of this configuration: it announces no more than
    /// was asked for, every block is exact and in time, and there are as many as it takes.
    pub fn is_legal(&self, config: &Config) -> bool {
        let total = self.announced.bytes(config);
        let one_block = total <= config.first_block_bytes;
        let needed = if one_block { 1 } else { 2 };
        let sound = |(fill, how): &(Fill, Delivery)| {
            *fill == Fill::Exact && matches!(how, Delivery::OnTime | Delivery::Late)
        };
        total <= config.request_max
            && (one_block || config.blocks == Blocks::Two)
            && self.blocks.len() == needed
            && self.blocks.iter().all(sound)
            && self.tail == Tail::Last
    }

    /// The blocks that go over the bus, in order. Payload byte `i` of the stream is `i` modulo 251.
    pub fn sent(&self, config: &Config) -> Vec<Sent> {
        let total = self.announced.bytes(config);
        let mut sent = Vec::new();
        let mut offset = 0;
        for (index, (fill, delivery)) in self.blocks.iter().enumerate() {
            let owed = total - offset;
            let planned = if index == 0 { owed.min(config.first_block_bytes) } else { owed };
            let size = match fill {
                Fill::Short => planned.saturating_sub(1),
                Fill::Exact => planned,
                Fill::Long => planned + 1,
            };
            let header: &[u8] = if index == 0 { &total.to_le_bytes() } else { &[] };
            let data: Vec<u8> =
                header.iter().copied().chain((offset..offset + size).map(stream_byte)).collect();
            let read_before_reset = u16::from(index == 0) * 2 + size / 2;
            let block = Sent {
                data,
                more: true,
                arrival: match delivery {
                    Delivery::OnTime | Delivery::Twice | Delivery::Aborted => Arrival::OnTime,
                    Delivery::Late => Arrival::Late,
                    Delivery::Missing => Arrival::Missing,
                },
                reset_after: (*delivery == Delivery::Aborted).then_some(read_before_reset),
            };
            if *delivery == Delivery::Twice {
                sent.push(block.clone());
            }
            sent.push(block);
            offset += planned;
        }
        if let Some(last) = sent.last_mut() {
            last.more = self.tail == Tail::More;
        }
        sent
    }
}

/// Byte `at` of the stream that every reply is cut from.
pub fn stream_byte(at: u16) -> u8 {
    (at % 251).to_le_bytes()[0]
}
