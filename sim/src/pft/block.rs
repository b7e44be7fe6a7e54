//! Blocks: how records are framed so that damage is found and whole parts survive it.
//!
//! ```text
//!   file     89 50 46 54 0d 0a 1a 0a · version u16 · 0 u16 · CRC-32 of these 12 bytes
//!   block    0  "PFTb"                   sync: where to look again after damage
//!            4  kind u8                  1 head, 2 records, 3 end
//!            5  0 u8, 0 u16
//!            8  payload length u32       at most 1 MiB
//!           12  CRC-32 of the payload
//!           16  first u64                number of its first record, from 0 in the file
//!           24  base u64                 time that its first record's delta counts from, ns
//!           32  count u32                records in it
//!           36  CRC-32 of bytes 0..36
//!           40  payload
//! ```
//!
//! All numbers are little-endian; the CRC is the one of Ethernet and zip (polynomial 04C11DB7,
//! reflected). Every byte of a file is under one of the checks, so no flipped bit passes.
use firmware_core::time::Instant;

/// The first bytes of every trace.
pub const MAGIC: [u8; 8] = *b"\x89PFT\r\n\x1a\n";
/// The version that is written and read.
pub const VERSION: u16 = 1;
/// Bytes before the first block.
pub const FILE_HEADER: usize = 16;
/// Bytes before a block's payload.
pub const BLOCK_HEADER: usize = 40;
/// The longest payload.
pub const PAYLOAD_MOST: usize = 1 << 20;
/// Where a block begins.
pub const SYNC: [u8; 4] = *b"PFTb";

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// What the trace is of.
    Head,
    /// Records.
    Records,
    /// That the trace is complete, and its digest.
    End,
}

impl BlockKind {
    const fn number(self) -> u8 {
        match self {
            Self::Head => 1,
            Self::Records => 2,
            Self::End => 3,
        }
    }

    const fn of(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Head),
            2 => Some(Self::Records),
            3 => Some(Self::End),
            _ => None,
        }
    }
}

/// A block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// What it holds.
    pub kind: BlockKind,
    /// Bytes of its payload.
    pub length: u32,
    /// CRC-32 of its payload.
    pub crc: u32,
    /// Number of its first record.
    pub first: u64,
    /// The time that its first record counts from.
    pub base: Instant,
    /// Records in it.
    pub count: u32,
}

impl BlockHeader {
    /// The header as bytes.
    pub fn bytes(&self) -> [u8; BLOCK_HEADER] {
        let mut bytes = [0; BLOCK_HEADER];
        bytes[..4].copy_from_slice(&SYNC);
        bytes[4] = self.kind.number();
        bytes[8..12].copy_from_slice(&self.length.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.crc.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.first.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.base.as_nanos().to_le_bytes());
        bytes[32..36].copy_from_slice(&self.count.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..36]);
        bytes[36..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// The header that these bytes are; `None` when they are none.
    pub fn of(bytes: &[u8; BLOCK_HEADER]) -> Option<Self> {
        let whole = bytes.starts_with(&SYNC)
            && word(bytes, 36) == crc32fast::hash(&bytes[..36])
            && bytes[5..8] == [0; 3];
        let length = word(bytes, 8);
        let fits = usize::try_from(length).is_ok_and(|length| length <= PAYLOAD_MOST);
        if !whole || !fits {
            return None;
        }
        Some(Self {
            kind: BlockKind::of(bytes[4])?,
            length,
            crc: word(bytes, 12),
            first: long(bytes, 16),
            base: Instant::from_nanos(long(bytes, 24)),
            count: word(bytes, 32),
        })
    }
}

/// The bytes before the first block.
pub fn file_header() -> [u8; FILE_HEADER] {
    let mut bytes = [0; FILE_HEADER];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    let crc = crc32fast::hash(&bytes[..12]);
    bytes[12..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..).and_then(|rest| rest.first_chunk());
    u32::from_le_bytes(*four.expect("called with offsets inside the header"))
}

pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    u64::from(word(bytes, at)) | u64::from(word(bytes, at + 4)) << 32
}
