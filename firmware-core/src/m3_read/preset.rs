//! The three measured arms of the client as configurations.
//!
//! ```text
//!   arm   fence on reads   fence on writes   asks for   blocks
//!   F     yes              yes                    893   one
//!   1     no               yes                    893   one
//!   2     no               yes                   1472   one and a continuation
//! ```
use super::config::{Blocks, Bounds, Config, FIRST_BLOCK_MAX, Fences, REQUEST_MAX};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// A measured build of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Arm {
    /// Every register access fenced, one block of 893.
    F,
    /// Only writes fenced, one block of 893.
    One,
    /// Only writes fenced, 1472 over one continuation.
    Two,
}

impl Arm {
    /// Every arm, in the order of the published tables.
    pub const ALL: [Self; 3] = [Self::F, Self::One, Self::Two];

    /// The configuration of this build.
    pub const fn config(self) -> Config {
        let (reads, request_max, blocks) = match self {
            Self::F => (true, FIRST_BLOCK_MAX, Blocks::One),
            Self::One => (false, FIRST_BLOCK_MAX, Blocks::One),
            Self::Two => (false, REQUEST_MAX, Blocks::Two),
        };
        Config {
            request_max,
            first_block_bytes: FIRST_BLOCK_MAX,
            blocks,
            fences: Fences { reads, writes: true },
            bounds: Bounds::PUBLISHED,
        }
    }

    /// The name used in tables, scenarios and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F => "F",
            Self::One => "1",
            Self::Two => "2",
        }
    }
}
