//! Why a foreign file cannot be used: the error's name, the place, the reason and the next step.
//!
//! ```text
//!   Columns at line 3: 4 columns expected, 3 found
//!   └ name     └ place └ reason                        next: "…"
//! ```
//!
//! The names are stable: scripts may look for them.
use std::{fmt, io};

use thiserror::Error;

/// The longest piece of a file that an error repeats.
const QUOTED_MOST: usize = 60;

/// A place in a file that cannot be used, and why.
#[derive(Debug, Error)]
#[error("{} {place}: {problem}", .problem.name())]
pub struct ImportError {
    /// Where.
    pub place: Place,
    /// What is wrong there.
    pub problem: Problem,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, from 1 on.
    Line(u64),
    /// A byte, from 0 on, of a file that has no lines.
    Byte(u64),
    /// An event of a JSON file, from 1 on.
    Event(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => write!(out, "in the file"),
            Self::Line(line) => write!(out, "at line {line}"),
            Self::Byte(byte) => write!(out, "at byte {byte}"),
            Self::Event(event) => write!(out, "at event {event}"),
        }
    }
}

/// What is wrong with a place in a file.
#[derive(Debug, Error)]
pub enum Problem {
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It ends in the middle of a record.
    #[error("the file ends in the middle of a record")]
    Truncated,
    /// The row has another number of columns than the header.
    #[error("{expected} columns expected, {found} found")]
    Columns {
        /// The columns of the header.
        expected: u64,
        /// The columns of the row.
        found: u64,
    },
    /// A field that has to hold something is empty.
    #[error("column {column} is empty")]
    EmptyField {
        /// The column.
        column: String,
    },
    /// The field is no number.
    #[error("column {column}: {text:?} is not a number")]
    NotANumber {
        /// The column.
        column: String,
        /// The field.
        text: String,
    },
    /// The field is a number with a fraction or an exponent.
    #[error("column {column}: {text:?} is not a whole number in plain digits")]
    NotAnInteger {
        /// The column.
        column: String,
        /// The field.
        text: String,
    },
    /// The field is less than zero.
    #[error("column {column}: {text} is less than 0")]
    Negative {
        /// The column.
        column: String,
        /// The field.
        text: String,
    },
    /// The number does not fit.
    #[error("column {column}: {text} is more than {most}")]
    NumberTooBig {
        /// The column.
        column: String,
        /// The field.
        text: String,
        /// What fits.
        most: u64,
    },
    /// The time lies beyond what a trace may hold.
    #[error("{text} lies more than {most_s} s after the beginning")]
    TooFar {
        /// The time as it was written.
        text: String,
        /// The limit, seconds.
        most_s: u64,
    },
    /// Time goes back.
    #[error("time goes back from {from} to {to} {unit}")]
    BackwardsTime {
        /// The time before.
        from: u64,
        /// The time it goes back to.
        to: u64,
        /// The unit of both.
        unit: &'static str,
    },
    /// A byte order mark stands where none can be.
    #[error("a byte order mark stands in the middle of the file")]
    ByteOrderMark,
    /// The place is not text.
    #[error("this is not UTF-8 text")]
    NotText,
    /// The header lacks a column.
    #[error("the header has no column {column}")]
    MissingColumn {
        /// The column.
        column: String,
    },
    /// The header names a column twice.
    #[error("the header names column {column} twice")]
    DoubleColumn {
        /// The column.
        column: String,
    },
    /// A word stands for nothing.
    #[error("column {column}: {text:?} is none of {known}")]
    UnknownWord {
        /// The column.
        column: String,
        /// The field.
        text: String,
        /// The words that are known.
        known: String,
    },
    /// Two numbers of a row contradict each other.
    #[error("{what}")]
    Contradiction {
        /// How.
        what: String,
    },
    /// The capture's packets begin with headers that are not known here.
    #[error("packets with link type {0} cannot be read")]
    UnsupportedLinkType(u32),
    /// The file is no capture.
    #[error("this is neither a pcap nor a pcapng file")]
    NotACapture,
    /// A block of a capture is damaged.
    #[error("the block is damaged: {what}")]
    DamagedBlock {
        /// How.
        what: String,
    },
    /// The JSON is malformed.
    #[error("{what}")]
    Json {
        /// What the parser says.
        what: String,
    },
    /// The mapping file is malformed.
    #[error("the mapping: {what}")]
    Mapping {
        /// How.
        what: String,
    },
    /// Two peers of a mapping have one id.
    #[error("peer {again} has the id {id} of peer {first}")]
    DuplicatePeerId {
        /// The id.
        id: u32,
        /// The first peer with it, from 1 on.
        first: usize,
        /// The other one.
        again: usize,
    },
    /// Two peers of a mapping have one key.
    #[error("peer {again} has the key of peer {first}, {key:?}")]
    DuplicateKey {
        /// The key as it was written.
        key: String,
        /// The first peer with it, from 1 on.
        first: usize,
        /// The other one.
        again: usize,
    },
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(#[source] io::Error),
    /// The trace cannot be written.
    #[error("the trace cannot be written: {0}")]
    Unwritable(#[source] io::Error),
}

impl ImportError {
    /// A problem with a place.
    pub(super) const fn at(place: Place, problem: Problem) -> Self {
        Self { place, problem }
    }

    /// The file cannot be read on.
    pub(super) const fn unreadable(error: io::Error) -> Self {
        Self { place: Place::File, problem: Problem::Unreadable(error) }
    }

    /// Whether one bad row is to blame, so that the others can still be used.
    pub(super) const fn is_of_a_row(&self) -> bool {
        !matches!(
            self.problem,
            Problem::Unreadable(_) | Problem::Unwritable(_) | Problem::ByteOrderMark
        )
    }

    /// What to do next.
    pub fn next(&self) -> &'static str {
        self.problem.next()
    }
}

impl Problem {
    /// Its stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Empty | Self::EmptyField { .. } => "Empty",
            Self::Truncated => "Truncated",
            Self::Columns { .. } => "Columns",
            Self::NotANumber { .. } => "NotANumber",
            Self::NotAnInteger { .. } => "NotAnInteger",
            Self::Negative { .. } => "Negative",
            Self::NumberTooBig { .. } => "NumberTooBig",
            Self::TooFar { .. } => "TooFar",
            Self::BackwardsTime { .. } => "BackwardsTime",
            Self::ByteOrderMark => "ByteOrderMark",
            Self::NotText => "NotText",
            Self::MissingColumn { .. } => "MissingColumn",
            Self::DoubleColumn { .. } => "DoubleColumn",
            Self::UnknownWord { .. } => "UnknownWord",
            Self::Contradiction { .. } => "Contradiction",
            Self::UnsupportedLinkType(_) => "UnsupportedLinkType",
            Self::NotACapture => "NotACapture",
            Self::DamagedBlock { .. } => "DamagedBlock",
            Self::Json { .. } => "Json",
            Self::Mapping { .. } => "Mapping",
            Self::DuplicatePeerId { .. } => "DuplicatePeerId",
            Self::DuplicateKey { .. } => "DuplicateKey",
            Self::Unreadable(_) => "Unreadable",
            Self::Unwritable(_) => "Unwritable",
        }
    }

    /// What to do next.
    pub const fn next(&self) -> &'static str {
        match self {
            Self::Empty => "check that the recording was saved before it was copied",
            Self::Truncated => {
                "what came before is kept and usable; the trace ends with a gap that says so"
            }
            Self::Columns { .. }
            | Self::EmptyField { .. }
            | Self::NotANumber { .. }
            | Self::NotAnInteger { .. }
            | Self::Negative { .. }
            | Self::NumberTooBig { .. }
            | Self::UnknownWord { .. }
            | Self::NotText
            | Self::Contradiction { .. } => {
                "mend the line, or import with --lenient: bad rows are then counted and listed"
            }
            Self::TooFar { .. } | Self::BackwardsTime { .. } => {
                "mend the time, or import with --skip-outliers: a time that jumps ahead and back is \
                 then rejected and counted"
            }
            Self::ByteOrderMark => "two files were joined: remove the mark, or import them singly",
            Self::MissingColumn { .. } | Self::DoubleColumn { .. } => {
                "name the columns in a file and give it with --mapping"
            }
            Self::UnsupportedLinkType(_) => {
                "capture on one interface with Ethernet or IP headers, or convert with editcap -T"
            }
            Self::NotACapture => "check --format: a capture begins with a magic number",
            Self::DamagedBlock { .. } => "cut the capture before this byte, or let editcap mend it",
            Self::Json { .. } => "check --format, and that the file was saved whole",
            Self::Mapping { .. } => {
                "`preflash trace import --show-mapping` prints one to start from"
            }
            Self::DuplicatePeerId { .. } | Self::DuplicateKey { .. } => {
                "list each peer once: a cache and a netmap were probably joined"
            }
            Self::Unreadable(_) => "check the path and its permissions",
            Self::Unwritable(_) => "free some space, or choose another place with -o",
        }
    }
}

/// A piece of a file as an error repeats it: as text, and not too long.
pub(super) fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * QUOTED_MOST)]);
    let mut short: String = text.chars().take(QUOTED_MOST).collect();
    if short.len() < bytes.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites case 22: name, place and both numbers, not swapped.
    #[test]
    fn an_error_reads_as_name_place_and_reason() {
        let problem = Problem::Columns { expected: 4, found: 3 };
        let error = ImportError::at(Place::Line(3), problem);
        assert_eq!(error.to_string(), "Columns at line 3: 4 columns expected, 3 found");
        let error = ImportError::at(Place::File, Problem::UnsupportedLinkType(147));
        let text = "UnsupportedLinkType in the file: packets with link type 147 cannot be read";
        assert_eq!(error.to_string(), text);
        assert!(!error.next().is_empty());
    }

    #[test]
    fn a_piece_of_a_file_is_cut_at_a_character() {
        assert_eq!(quoted("ähm".as_bytes()), "ähm");
        let long = quoted("ä".repeat(1_000).as_bytes());
        assert_eq!(long.chars().count(), QUOTED_MOST + 1);
        assert!(long.ends_with('…'));
    }
}
