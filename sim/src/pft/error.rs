//! What can be wrong with a trace, beyond what a [`Gap`](super::Gap) says.
use std::io;

use firmware_core::time::Instant;

use super::field::{Broken, millis};

/// A file that is no trace, or one whose writer broke the format's rules.
///
/// Damage is not among these: a cut or a flipped bit becomes a gap, and what is whole is read.
#[derive(Debug, thiserror::Error)]
pub enum PftError {
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It does not begin as a trace does.
    #[error("it is no trace: its first bytes are not those of the format")]
    NotATrace,
    /// A later version of the format.
    #[error("it is of version {found}; this reader knows version {known}")]
    Version {
        /// Its version.
        found: u16,
        /// The one that is known.
        known: u16,
    },
    /// The block that says what the trace is of, is not as the format wants it.
    #[error("its head is not valid: {0}")]
    Head(String),
    /// A record whose block is whole is none.
    #[error("record {index} in the block at byte {block_at} is not valid: {why}")]
    Record {
        /// Its number, from 0.
        index: u64,
        /// Where its block begins.
        block_at: u64,
        /// Why.
        why: Broken,
    },
    /// A record earlier than the one before it.
    #[error(
        "record {index} goes back in time, from {} to {}",
        millis(from.as_nanos()),
        millis(to.as_nanos())
    )]
    Backwards {
        /// Its number, from 0.
        index: u64,
        /// The time before.
        from: Instant,
        /// Its time.
        to: Instant,
    },
    /// A block repeats records, or the end block counts others than there are.
    #[error("the block at byte {block_at} says record {said}, but {expected} is next")]
    Count {
        /// Where the block begins.
        block_at: u64,
        /// The number in the block.
        said: u64,
        /// The number that is next.
        expected: u64,
    },
}
