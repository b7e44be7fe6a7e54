//! How a reply is cut into blocks, and what is left of it between two accepts.
//!
//! ```text
//!   total n:  [ n lo, n hi, 893 bytes ] more ─► [ 895 bytes ] more ─► … ─► [ rest ] last, status
//! ```
//!
//! The total in the header counts the payload of all blocks. The status line rides on the last block
//! only; on every other the text queue is empty.
use super::firmware::Firmware;
use super::fpga::{QUEUE_BYTES, TEXT_MAX};
use std::collections::VecDeque;

/// A block as it goes into the queues.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    data: Vec<u8>,
    text: Vec<u8>,
    more: bool,
}

/// A block that does not fit the queues: how many bytes it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockError {
    /// More response bytes than the queue has.
    Data(usize),
    /// More status text than the length register counts.
    Text(usize),
}

impl core::fmt::Display for BlockError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Data(bytes) => write!(out, "{bytes} bytes in a block; {QUEUE_BYTES} fit"),
            Self::Text(bytes) => write!(out, "{bytes} bytes of status; {TEXT_MAX} fit"),
        }
    }
}

impl core::error::Error for BlockError {}

impl Block {
    /// A block with this content. One of 896 bytes fits, and never ends.
    ///
    /// # Errors
    /// When it does not fit the queues.
    pub fn try_new(data: Vec<u8>, text: Vec<u8>, more: bool) -> Result<Self, BlockError> {
        if data.len() > usize::from(QUEUE_BYTES) {
            return Err(BlockError::Data(data.len()));
        }
        if text.len() > TEXT_MAX {
            return Err(BlockError::Text(text.len()));
        }
        Ok(Self { data, text, more })
    }

    /// A whole reply of another command than READ: one block, cut off where the queue ends.
    pub(super) fn whole(mut data: Vec<u8>, mut text: Vec<u8>) -> Self {
        data.truncate(usize::from(QUEUE_BYTES));
        text.truncate(TEXT_MAX);
        Self { data, text, more: false }
    }

    /// An empty reply with this status line.
    pub(super) fn status(text: &str) -> Self {
        Self::whole(Vec::new(), text.into())
    }

    /// The bytes of the response queue.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The bytes of the text queue.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether another block is announced.
    pub fn more(&self) -> bool {
        self.more
    }
}

/// What follows the block that is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pending {
    blocks: VecDeque<Block>,
}

impl Pending {
    /// Begins the reply to a READ that brought `payload`: its first block now, the rest on accepts.
    pub fn start_read_reply(&mut self, firmware: &Firmware, payload: &[u8]) -> Block {
        let header = u16::try_from(payload.len()).unwrap_or(u16::MAX).to_le_bytes();
        let (first, mut rest) =
            payload.split_at(payload.len().min(usize::from(firmware.first_block_bytes)));
        let mut blocks = vec![[&header, first].concat()];
        while !rest.is_empty() && firmware.continuation_bytes > 0 {
            let (block, left) =
                rest.split_at(rest.len().min(usize::from(firmware.continuation_bytes)));
            blocks.push(block.to_vec());
            rest = left;
        }
        let last = blocks.len() - 1;
        let block = |(index, data)| {
            let more = index < last;
            let text = if more { Vec::new() } else { b"00,OK".to_vec() };
            Block { data, text, more }
        };
        self.force(blocks.into_iter().enumerate().map(block).collect())
    }

    /// Begins a reply of exactly these blocks, whether a firmware would send them or not; an empty
    /// list is an empty last block.
    pub fn force(&mut self, blocks: VecDeque<Block>) -> Block {
        self.blocks = blocks;
        self.blocks.pop_front().unwrap_or_else(|| Block::whole(Vec::new(), Vec::new()))
    }

    /// The block after the one that was accepted; without one, an empty last block that says so.
    pub fn get_more_data(&mut self) -> Block {
        self.blocks.pop_front().unwrap_or_else(|| Block::status("03,MORE DATA NOT SUPPORTED"))
    }

    /// Forgets what is left, as an abort, a reset and the next command do.
    pub fn forget(&mut self) {
        self.blocks.clear();
    }

    /// How many blocks are left.
    pub fn blocks_left(&self) -> usize {
        self.blocks.len()
    }
}
