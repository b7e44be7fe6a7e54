//! What the two bytes before a READ's payload mean: data, no count, the end, or nothing at all.
//!
//! ```text
//!   n > 0    data, n bytes in all blocks together
//!   $FFFF    no count: idle, or the handle is not ours; the status line decides
//!   $0000    the stream or the session has ended; the status line decides
//!   absent   a refusal (81 or 82), which is not an end
//! ```
//!
//! Clauses: ER-7, ER-12, S 1.6.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The header of a READ reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Header {
    /// No byte of it came (yet).
    Absent,
    /// Only the low byte came.
    Half(u8),
    /// This many payload bytes follow, over all blocks: 1..=65 534.
    Data(u16),
    /// $FFFF: the failed read's -1.
    NoCount,
    /// $0000.
    End,
}

impl Header {
    /// The header after one more byte of it: low byte first. A complete header stays as it is.
    #[must_use]
    pub const fn followed_by(self, byte: u8) -> Self {
        match self {
            Self::Absent => Self::Half(byte),
            Self::Half(low) => Self::of(u16::from_le_bytes([low, byte])),
            Self::Data(_) | Self::NoCount | Self::End => self,
        }
    }

    const fn of(count: u16) -> Self {
        match count {
            0 => Self::End,
            u16::MAX => Self::NoCount,
            count => Self::Data(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites S 1.6, ER-12.
    #[test]
    fn every_pair_of_bytes_is_a_count_or_one_of_the_two_sentinels() {
        for count in 0..=u16::MAX {
            let [low, high] = count.to_le_bytes();
            let header = Header::Absent.followed_by(low).followed_by(high);
            let expected = match count {
                0 => Header::End,
                0xFFFF => Header::NoCount,
                1..=0xFFFE => Header::Data(count),
            };
            assert_eq!(header, expected);
        }
    }

    #[test]
    fn a_third_byte_changes_nothing() {
        assert_eq!(Header::Data(10).followed_by(7), Header::Data(10));
    }
}
