//! One READ's reply as it is copied: what the header still owes, what has come, and the first rule
//! that a block broke.
//!
//! ```text
//!   block 1: header, payload ──ended──► owed = 0 ──► drain (nothing may be left)
//!                                └─ owed > 0 ─┬─ full, Data More, two blocks allowed ──► block 2
//!                                             └─ anything else ──► hole
//! ```
//!
//! A hole is a gap in the stream or a byte too many. Nothing is ever accepted over it: a block that
//! promises more is aborted, and the session is closed.
//!
//! # Why the continuation is counted
//!
//! The published client recognises the one continuation by the number of bytes copied: exactly 893.
//! An *empty* Data More block leaves that number as it is, so by it alone a reply of empty Data More
//! blocks would be followed for ever. Here a second one is a hole whatever the first one held.
//!
//! Clauses: ER-5, S:2012-2013.
use super::config::{Blocks, Config};
use super::error_code::ErrorCode;
use super::handshake::State;
use super::header::Header;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Bytes that are dropped from one block at most before it counts as one that never ends.
pub const DRAIN_MAX: u16 = 1_024;

/// The first rule that a READ's reply broke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Hole {
    /// The header promises more than was asked for.
    HeaderOverRequest,
    /// The only block, or the last, ended before the bytes that the header promised.
    ShortBlock,
    /// More is announced behind a first block that was not exactly full.
    MoreAfterShortBlock,
    /// More is announced behind a full first block, and this client takes one block only.
    MoreNotTaken,
    /// The continuation ended before the bytes that the header promised.
    ShortContinuation,
    /// More is announced behind a continuation that still owes bytes.
    SecondMore,
    /// Bytes lay behind those that the header promised.
    BytesPastHeader,
    /// More is announced although nothing is owed.
    UnowedMore,
    /// Bytes without end, as from a block that fills the response RAM.
    BlockNeverEnds,
    /// Bytes appeared in a block that had ended.
    BytesAfterEnd,
}

impl Hole {
    /// The code that the client leaves.
    pub const fn code(self) -> ErrorCode {
        match self {
            Self::ShortBlock
            | Self::MoreAfterShortBlock
            | Self::MoreNotTaken
            | Self::ShortContinuation
            | Self::SecondMore => ErrorCode::ShortRead,
            Self::HeaderOverRequest
            | Self::BytesPastHeader
            | Self::UnowedMore
            | Self::BlockNeverEnds
            | Self::BytesAfterEnd => ErrorCode::BadReadHeader,
        }
    }
}

/// What a block that ended early calls for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(super) enum BlockEnd {
    /// Accept it: the continuation is due.
    TakeContinuation,
    /// A hole, now noted.
    Holed,
}

/// A READ's reply in progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Transfer {
    request: u16,
    header: Header,
    owed: u16,
    copied: u16,
    continued: bool,
    hole: Option<Hole>,
}

impl Transfer {
    /// A reply to a READ of `request` bytes, of which nothing has come.
    pub(super) const fn of(request: u16) -> Self {
        Self { request, header: Header::Absent, owed: 0, copied: 0, continued: false, hole: None }
    }

    pub(super) const fn header(self) -> Header {
        self.header
    }

    pub(super) const fn owed(self) -> u16 {
        self.owed
    }

    pub(super) const fn copied(self) -> u16 {
        self.copied
    }

    pub(super) const fn hole(self) -> Option<Hole> {
        self.hole
    }

    /// Whether the header is still incomplete.
    pub(super) const fn awaits_header(self) -> bool {
        matches!(self.header, Header::Absent | Header::Half(_))
    }

    /// Takes a byte of the header; the last one fixes what is owed.
    pub(super) const fn take_header(&mut self, byte: u8) {
        self.header = self.header.followed_by(byte);
        if let Header::Data(count) = self.header {
            if count > self.request {
                self.note(Hole::HeaderOverRequest);
                self.owed = self.request;
            } else {
                self.owed = count;
            }
        }
    }

    /// Counts a payload byte that went to the ring.
    pub(super) const fn take_payload(&mut self) {
        self.owed -= 1;
        self.copied += 1;
    }

    /// Judges the end of a block that still owes bytes.
    pub(super) fn end_block(&mut self, config: &Config, state: State) -> BlockEnd {
        let more = state == State::DataMore;
        let hole = match (self.continued, more) {
            (true, true) => Hole::SecondMore,
            (true, false) => Hole::ShortContinuation,
            (false, false) => Hole::ShortBlock,
            (false, true) if self.copied != config.first_block_bytes => Hole::MoreAfterShortBlock,
            (false, true) => match config.blocks {
                Blocks::One => Hole::MoreNotTaken,
                Blocks::Two if self.hole.is_none() => {
                    self.continued = true;
                    return BlockEnd::TakeContinuation;
                }
                // Only the header can have broken a rule before the first block has ended.
                Blocks::Two => Hole::HeaderOverRequest,
            },
        };
        self.note(hole);
        BlockEnd::Holed
    }

    /// Notes a broken rule; the first one stays.
    pub(super) const fn note(&mut self, hole: Hole) {
        if self.hole.is_none() {
            self.hole = Some(hole);
        }
    }

    /// Whether the figures agree with each other and with `config`.
    pub(super) fn holds(self, config: &Config) -> bool {
        let promised = match self.header {
            Header::Data(count) => count.min(self.request),
            Header::Absent | Header::Half(_) | Header::NoCount | Header::End => 0,
        };
        let two_blocks = config.blocks == Blocks::Two && self.copied >= config.first_block_bytes;
        self.request <= config.request_max
            && self.owed + self.copied == promised
            && (two_blocks || !self.continued)
    }
}
