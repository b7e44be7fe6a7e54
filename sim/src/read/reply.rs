//! A reply to a READ that the scenario writes itself, block by block, in place of an engine step:
//! what a firmware with a fault would send.
//!
//! ```text
//!   header ─ block ─ block ─ …      each block: bytes, more, late or never, reset while it is read
//! ```
//!
//! The payload is cut from the server's stream, so what reaches the consumer can be compared with
//! what was sent.
use firmware_core::m3_read::config::RESPONSE_RAM;
use firmware_core::time::Duration;
use models::m3_read::responder::reply::Block;
use std::collections::VecDeque;

/// The longest status text: its length register has eight bits.
pub const STATUS_MOST: usize = 255;
/// Blocks of a reply.
pub const BLOCKS_MOST: usize = 4;

/// The reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reply {
    /// In place of the engine step behind this many.
    pub after_steps: u32,
    /// What its first block begins with.
    pub header: Header,
    /// Its blocks.
    pub blocks: Vec<Planned>,
    /// The status text of the last one.
    pub status: String,
}

/// What a reply begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Header {
    /// This many bytes.
    Announces(u16),
    /// $FFFF.
    NoCount,
    /// $0000.
    End,
    /// One byte instead of two.
    Half,
    /// No byte at all.
    Nothing,
}

/// One block of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Planned {
    /// Where its bytes come from.
    pub content: Content,
    /// Whether it announces another block.
    pub more: bool,
    /// When it becomes visible, from the push or the accept that asks for it.
    pub arrival: Arrival,
    /// After how many bytes read of it, header included, the firmware resets the interface.
    pub reset_after: Option<u16>,
}

/// Where a block's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Content {
    /// So many bytes of the stream.
    Next(u16),
    /// The block before once more, its header included.
    Again,
}

/// When a block comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arrival {
    /// So much later than it should.
    After(Duration),
    /// Never.
    Never,
}

/// What becomes of a reply's blocks on the bus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Course {
    /// When each continuation comes.
    pub continuations: VecDeque<Arrival>,
    /// After how many bytes of each block the interface is reset.
    pub resets: VecDeque<Option<u16>>,
}

/// A reply that no register file can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplyError {
    /// None, or too many.
    #[error("a reply has 1 to {BLOCKS_MOST} blocks, not {0}")]
    Blocks(usize),
    /// More than the response RAM holds.
    #[error("block {0} has {1} bytes with its header; {RESPONSE_RAM} fit")]
    Block(usize, usize),
    /// The first block cannot repeat another.
    #[error("the first block has none before it to repeat")]
    AgainFirst,
    /// A status text that is too long.
    #[error("the status text has {0} bytes; {STATUS_MOST} are counted")]
    Status(usize),
}

impl Arrival {
    /// When it should.
    pub const ON_TIME: Self = Self::After(Duration::ZERO);
}

impl Header {
    fn bytes(self) -> Vec<u8> {
        match self {
            Self::Announces(count) => count.to_le_bytes().to_vec(),
            Self::NoCount => vec![0xFF, 0xFF],
            Self::End => vec![0, 0],
            Self::Half => vec![0x0A],
            Self::Nothing => Vec::new(),
        }
    }
}

impl Reply {
    /// Whether it fits the registers.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check(&self) -> Result<(), ReplyError> {
        if self.blocks.is_empty() || self.blocks.len() > BLOCKS_MOST {
            return Err(ReplyError::Blocks(self.blocks.len()));
        }
        if self.status.len() > STATUS_MOST {
            return Err(ReplyError::Status(self.status.len()));
        }
        for (index, block) in self.blocks.iter().enumerate() {
            let header = if index == 0 { self.header.bytes().len() } else { 0 };
            match block.content {
                Content::Again if index == 0 => return Err(ReplyError::AgainFirst),
                Content::Next(bytes) if usize::from(bytes) + header > RESPONSE_RAM.into() => {
                    return Err(ReplyError::Block(index, usize::from(bytes) + header));
                }
                Content::Again | Content::Next(_) => {}
            }
        }
        Ok(())
    }

    /// Its blocks, cut from `stream`, and how many bytes of it they take. A stream that is too
    /// short gives what it has.
    pub fn blocks(&self, stream: &[u8]) -> (VecDeque<Block>, usize) {
        let mut taken = 0;
        let mut data = self.header.bytes();
        let last = self.blocks.len().saturating_sub(1);
        let mut blocks = VecDeque::new();
        for (index, planned) in self.blocks.iter().enumerate() {
            if let Content::Next(bytes) = planned.content {
                if index > 0 {
                    data.clear();
                }
                let end = stream.len().min(taken + usize::from(bytes));
                data.extend(&stream[taken..end]);
                taken = end;
            }
            let status = if index == last { self.status.as_bytes() } else { b"" };
            let block = Block::try_new(data.clone(), status.to_vec(), planned.more);
            blocks.extend(block.ok());
        }
        (blocks, taken)
    }

    /// How late the first block is; nothing when it never comes.
    pub fn first_late(&self) -> Option<Duration> {
        match self.blocks.first().map(|block| block.arrival) {
            Some(Arrival::After(late)) => Some(late),
            None => Some(Duration::ZERO),
            Some(Arrival::Never) => None,
        }
    }

    /// What becomes of its blocks.
    pub fn course(&self) -> Course {
        Course {
            continuations: self.blocks.iter().skip(1).map(|block| block.arrival).collect(),
            resets: self.blocks.iter().map(|block| block.reset_after).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(content: Content, more: bool) -> Planned {
        Planned { content, more, arrival: Arrival::ON_TIME, reset_after: None }
    }

    fn reply(blocks: Vec<Planned>) -> Reply {
        Reply { after_steps: 0, header: Header::Announces(5), blocks, status: "00,OK".to_owned() }
    }

    #[test]
    fn blocks_are_cut_from_the_stream_and_may_come_twice() {
        let reply = reply(vec![
            block(Content::Next(3), true),
            block(Content::Again, true),
            block(Content::Next(2), false),
        ]);
        assert_eq!(reply.check(), Ok(()));
        let (blocks, taken) = reply.blocks(b"abcdefg");
        let data: Vec<_> = blocks.iter().map(|block| block.data().to_vec()).collect();
        assert_eq!(data, [b"\x05\0abc".to_vec(), b"\x05\0abc".to_vec(), b"de".to_vec()]);
        let text: Vec<_> = blocks.iter().map(|block| block.text().len()).collect();
        assert_eq!((taken, text), (5, vec![0, 0, 5]), "the status rides on the last block");
    }

    #[test]
    fn what_no_register_file_can_show_is_refused() {
        let check = |blocks| reply(blocks).check();
        assert_eq!(check(vec![]), Err(ReplyError::Blocks(0)));
        assert_eq!(check(vec![block(Content::Again, false)]), Err(ReplyError::AgainFirst));
        assert_eq!(check(vec![block(Content::Next(894), false)]), Ok(()), "896 fit and never end");
        let over = check(vec![block(Content::Next(895), false)]);
        assert_eq!(over, Err(ReplyError::Block(0, 897)));
    }
}
