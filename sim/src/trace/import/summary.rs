//! What an import found, counted: nothing is dropped in silence.
//!
//! ```text
//!   records + rejected rows = rows of the file
//!   lines = lines that became records + unknown + torn + blank
//! ```
use std::fmt;

use firmware_core::time::{Duration, Instant};

use super::clock::ClockFit;
use super::error::Place;
use super::lacks::Lack;

/// Entries of a list that are kept; the rest is counted.
const LISTED_MOST: usize = 5;

/// What an import found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Lines, rows or packets of the file.
    pub read: u64,
    /// Records that came of it, gaps not counted.
    pub records: u64,
    /// Rows that could not be used.
    pub rejected: Listed,
    /// Lines that no rule of the mapping names.
    pub unknown: Listed,
    /// Pieces of lines that were written into each other.
    pub torn: Listed,
    /// What may be wrong without being an error.
    pub warnings: Vec<String>,
    /// The first and the last record.
    pub span: Option<(Instant, Instant)>,
    /// How the host's clock runs against the device's.
    pub clock: Option<ClockFit>,
    /// The longest silence between two heartbeats of one peer.
    pub heartbeats: Option<Silence>,
    /// Pings, and the answers they ask for.
    pub pings: Pings,
    /// What the trace lacks for being replayed as a whole.
    pub lacks: &'static [Lack],
    /// Where the file ended in the middle of a record.
    pub truncated: Option<Place>,
}

/// How many there were, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// How many.
    pub count: u64,
    /// The first few, with their places.
    pub first: Vec<(Place, String)>,
}

/// Time without a heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    /// The heartbeat before.
    pub from: Instant,
    /// The heartbeat after.
    pub to: Instant,
    /// Whether something is missing in between, so that nobody can say whether one was lost.
    pub has_gap: bool,
}

/// DISCO pings: a ping may come over two ways and more than once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pings {
    /// Records of a ping.
    pub records: u64,
    /// Different transactions among them.
    pub transactions: u64,
    /// Different pairs of transaction and way: each is answered once.
    pub answers: u64,
}

impl Summary {
    /// Where the file ends in the middle of a record, and that it does.
    pub fn truncation(&self) -> Option<String> {
        let place = self.truncated?;
        Some(format!("Truncated {place}: {}", super::Problem::Truncated))
    }
}

impl Listed {
    /// Takes one down; `text` is asked for only when it is kept.
    pub(super) fn add(&mut self, place: Place, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < LISTED_MOST {
            self.first.push((place, text()));
        }
    }

    fn write(&self, out: &mut fmt::Formatter<'_>, what: &str) -> fmt::Result {
        writeln!(out, "{what:<11} {}", self.count)?;
        for (place, text) in &self.first {
            writeln!(out, "            {place}: {text}")?;
        }
        let more = self.count - u64::try_from(self.first.len()).unwrap_or(self.count);
        if more > 0 { writeln!(out, "            and {more} more") } else { Ok(()) }
    }
}

impl Silence {
    /// How long it was.
    pub const fn length(self) -> Duration {
        self.to.since(self.from)
    }
}

/// Milliseconds with their microseconds.
struct Millis(u64);

impl fmt::Display for Millis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}.{:03} ms", self.0 / 1_000_000, self.0 / 1_000 % 1_000)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<11} {}", "read", self.read)?;
        writeln!(out, "{:<11} {}", "records", self.records)?;
        if let Some((first, last)) = self.span {
            let (from, to) = (Millis(first.as_nanos()), Millis(last.as_nanos()));
            writeln!(out, "{:<11} {from} to {to}", "span")?;
        }
        self.rejected.write(out, "rejected")?;
        self.unknown.write(out, "unknown")?;
        self.torn.write(out, "torn")?;
        if let Some(fit) = &self.clock {
            writeln!(out, "{:<11} {fit}", "clock")?;
        }
        if let Some(silence) = self.heartbeats {
            let (length, from) = (silence.length().as_nanos(), silence.from.as_nanos());
            let doubt = if silence.has_gap {
                "; lines are missing in between, so it is no proof of a lost heartbeat"
            } else {
                ""
            };
            let (length, from) = (Millis(length), Millis(from));
            writeln!(out, "{:<11} longest silence {length}, from {from}{doubt}", "heartbeats")?;
        }
        if self.pings.records > 0 {
            let Pings { records, transactions, answers } = self.pings;
            let counts = format!("{records} of {transactions} transactions, {answers} answers due");
            writeln!(out, "{:<11} {counts}", "pings")?;
        }
        for warning in &self.warnings {
            writeln!(out, "{:<11} {warning}", "warning")?;
        }
        for lack in self.lacks {
            writeln!(out, "{:<11} {}: {}", "lacks", lack.field, lack.log)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_listed_is_counted() {
        let mut unknown = Listed::default();
        for line in 1..=8 {
            unknown.add(Place::Line(line), || format!("text {line}"));
        }
        let text = Summary { unknown, ..Summary::default() }.to_string();
        assert!(text.contains("unknown     8\n            at line 1: text 1\n"), "{text}");
        assert!(text.contains("            and 3 more\n"), "{text}");
    }

    /// Cites case 26: a silence across torn lines proves nothing.
    #[test]
    fn a_silence_across_a_gap_says_that_it_proves_nothing() {
        let silence = Silence {
            from: Instant::from_millis(1_000),
            to: Instant::from_millis(1_200),
            has_gap: true,
        };
        let text = Summary { heartbeats: Some(silence), ..Summary::default() }.to_string();
        assert!(text.contains("longest silence 200.000 ms, from 1000.000 ms; lines are missing"));
    }
}
