//! Recorded counter files, read strictly: a number that cannot be trusted ends the reading.
//!
//! ```text
//!   counters   t_s,uptime_s,sent,replies,rebonds      what the device counted, sampled
//!              106,718,6730,6725,0
//!   phases     phase,start_s,end_s,before,after       what the network was made to do meanwhile
//!              loss10,122,304,1306 2562,1473 4182     one counter per rule, separated by spaces
//! ```
//!
//! Times are whole seconds since the recording began. Columns may stand in any order, and others
//! beside them are ignored. Byte order marks and both kinds of line end are accepted. Time has to
//! grow from row to row and no counter may fall: a fallen counter means that the device restarted,
//! and no difference across that point means anything, so the file has to be cut there.
//!
//! What follows from the numbers is in [`counter_findings`](crate::counter_findings).
use std::fmt;
use std::str;

use csv::{ReaderBuilder, StringRecord, Trim};
use serde::Deserialize;
use thiserror::Error;

/// One row: what the device had counted at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sample {
    /// The recorder's clock, seconds since the recording began.
    pub t_s: u64,
    /// The device's own clock, seconds since it was switched on, rounded down.
    pub uptime_s: u64,
    /// Heartbeats sent.
    pub sent: u64,
    /// Replies received.
    pub replies: u64,
    /// Times the device gave its bond up and made a new one.
    pub rebonds: u64,
}

/// A counter file: one sample or more, in the order of time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CounterLog {
    samples: Vec<Sample>,
    ends_whole: bool,
}

/// One phase of a test, and the packets that each of its rules had matched before and after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Phase {
    /// Its name in the file.
    pub name: String,
    /// When it began, seconds since the recording began.
    pub start_s: u64,
    /// When it ended; it no longer covers this second.
    pub end_s: u64,
    /// The rules' counters when it began.
    pub before: Vec<u64>,
    /// The same counters when it ended.
    pub after: Vec<u64>,
}

/// The place in a counter or phase file that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}{}: {reason}", Place(.column.as_deref()))]
pub struct CounterLogError {
    /// The line in the file, the header being line 1.
    pub line: u64,
    /// The column; `None` when it is the whole row.
    pub column: Option<String>,
    /// What is wrong there.
    pub reason: Reason,
}

/// What is wrong with a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// The file has no header.
    #[error("the file is empty")]
    NoHeader,
    /// The header lacks the column.
    #[error("the header has no such column")]
    MissingColumn,
    /// The header names the column more than once.
    #[error("the header names this column twice")]
    DoubleColumn,
    /// There is a header and nothing else.
    #[error("there are no rows after the header")]
    NoRows,
    /// The row has another number of fields than the header.
    #[error("the header has {expected} columns and this row {found}")]
    Columns {
        /// The fields of the header.
        expected: u64,
        /// The fields of the row.
        found: u64,
    },
    /// The row is not text.
    #[error("this is not UTF-8 text")]
    NotText,
    /// The field is empty.
    #[error("the field is empty")]
    Empty,
    /// The field is no number of things or seconds.
    #[error("{text:?} is not a whole number from 0 on")]
    NotWhole {
        /// The field.
        text: String,
    },
    /// The number does not fit.
    #[error("{text} is more than {}", u64::MAX)]
    TooBig {
        /// The field.
        text: String,
    },
    /// Time stands still or goes back.
    #[error("{to} s is not later than {from} s")]
    NotLater {
        /// The time it has to be later than.
        from: u64,
        /// The time it is.
        to: u64,
    },
    /// A phase begins before the one above it has ended.
    #[error("it begins at {to} s, before the phase above ends at {from} s")]
    Overlaps {
        /// The end of the phase above.
        from: u64,
        /// The beginning of this one.
        to: u64,
    },
    /// A counter is smaller than before.
    #[error("it fell from {from} to {to}: the device or the rule restarted, cut the file here")]
    Fell {
        /// The counter before.
        from: u64,
        /// The counter after.
        to: u64,
    },
    /// A phase counts other rules after than before.
    #[error("{after} counters where the phase began with {before}")]
    Counters {
        /// The counters at the beginning.
        before: usize,
        /// The counters at the end.
        after: usize,
    },
}

struct Place<'a>(Option<&'a str>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |column| write!(out, ", column {column}"))
    }
}

impl CounterLog {
    /// Reads a counter file.
    ///
    /// # Errors
    ///
    /// The first place that cannot be used: see [`Reason`].
    pub fn parse(file: &[u8]) -> Result<Self, CounterLogError> {
        const COLUMNS: [&str; 5] = ["t_s", "uptime_s", "sent", "replies", "rebonds"];
        let mut samples: Vec<Sample> = Vec::new();
        for row in Table::read(file, &COLUMNS)?.rows() {
            let sample = row.sample()?;
            if let Some(last) = samples.last() {
                row.check_against(*last, sample)?;
            }
            samples.push(sample);
        }
        Ok(Self { samples, ends_whole: file.ends_with(b"\n") })
    }

    /// The samples, earliest first; never empty.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Whether the last line has its line end. Without it the recorder may have been killed inside
    /// the last number, and a shortened number cannot be told from a whole one.
    pub const fn ends_whole(&self) -> bool {
        self.ends_whole
    }
}

impl Phase {
    /// Reads a phase file: phases in the order of time, with pauses between them or without.
    ///
    /// # Errors
    ///
    /// The first place that cannot be used: see [`Reason`].
    pub fn parse_all(file: &[u8]) -> Result<Vec<Self>, CounterLogError> {
        const COLUMNS: [&str; 5] = ["phase", "start_s", "end_s", "before", "after"];
        let mut phases: Vec<Self> = Vec::new();
        for row in Table::read(file, &COLUMNS)?.rows() {
            let phase = row.phase()?;
            if let Some(above) = phases.last().filter(|above| above.end_s > phase.start_s) {
                let reason = Reason::Overlaps { from: above.end_s, to: phase.start_s };
                return Err(row.error("start_s", reason));
            }
            phases.push(phase);
        }
        Ok(phases)
    }
}

/// A file with the columns it has to have, each row as long as the header.
struct Table {
    header: StringRecord,
    records: Vec<StringRecord>,
}

struct Row<'a> {
    header: &'a StringRecord,
    record: &'a StringRecord,
}

#[derive(Deserialize)]
struct SampleText<'a> {
    t_s: &'a str,
    uptime_s: &'a str,
    sent: &'a str,
    replies: &'a str,
    rebonds: &'a str,
}

#[derive(Deserialize)]
struct PhaseText<'a> {
    phase: &'a str,
    start_s: &'a str,
    end_s: &'a str,
    before: &'a str,
    after: &'a str,
}

impl Table {
    fn read(file: &[u8], columns: &[&str]) -> Result<Self, CounterLogError> {
        let mut reader = ReaderBuilder::new().trim(Trim::All).from_reader(file);
        let header = reader.headers().map_err(|error| from_csv(&error))?.clone();
        check_header(&header, columns)?;
        let records: Vec<_> =
            reader.into_records().collect::<Result<_, _>>().map_err(|error| from_csv(&error))?;
        if records.is_empty() {
            return Err(CounterLogError { line: 2, column: None, reason: Reason::NoRows });
        }
        Ok(Self { header, records })
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.records.iter().map(|record| Row { header: &self.header, record })
    }
}

fn check_header(header: &StringRecord, columns: &[&str]) -> Result<(), CounterLogError> {
    let wrong = |column: Option<&str>, reason| {
        Err(CounterLogError { line: 1, column: column.map(str::to_owned), reason })
    };
    if header.is_empty() {
        return wrong(None, Reason::NoHeader);
    }
    for &column in columns {
        match header.iter().filter(|&name| name == column).count() {
            0 => return wrong(Some(column), Reason::MissingColumn),
            1 => {}
            _ => return wrong(Some(column), Reason::DoubleColumn),
        }
    }
    Ok(())
}

/// The errors of a reader over bytes in memory: a row of wrong length, or one that is not text.
fn from_csv(error: &csv::Error) -> CounterLogError {
    let line = error.position().map_or(1, csv::Position::line);
    let reason = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            Reason::Columns { expected: *expected_len, found: *len }
        }
        _ => Reason::NotText,
    };
    CounterLogError { line, column: None, reason }
}

impl<'a> Row<'a> {
    fn error(&self, column: &str, reason: Reason) -> CounterLogError {
        let line = self.record.position().map_or(1, csv::Position::line);
        CounterLogError { line, column: Some(column.to_owned()), reason }
    }

    fn fields<T: Deserialize<'a>>(&self) -> T {
        let fields = self.record.deserialize(Some(self.header));
        fields.expect("the header has every column and the row its length, and both are text")
    }

    fn number(&self, column: &str, text: &str) -> Result<u64, CounterLogError> {
        if text.is_empty() {
            return Err(self.error(column, Reason::Empty));
        }
        let text_is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let reason = || {
            let text = text.to_owned();
            if text_is_digits { Reason::TooBig { text } } else { Reason::NotWhole { text } }
        };
        let number = text.parse().ok().filter(|_| text_is_digits);
        number.ok_or_else(|| self.error(column, reason()))
    }

    fn numbers(&self, column: &str, text: &str) -> Result<Vec<u64>, CounterLogError> {
        if text.is_empty() {
            return Err(self.error(column, Reason::Empty));
        }
        text.split_whitespace().map(|text| self.number(column, text)).collect()
    }

    fn sample(&self) -> Result<Sample, CounterLogError> {
        let text: SampleText = self.fields();
        Ok(Sample {
            t_s: self.number("t_s", text.t_s)?,
            uptime_s: self.number("uptime_s", text.uptime_s)?,
            sent: self.number("sent", text.sent)?,
            replies: self.number("replies", text.replies)?,
            rebonds: self.number("rebonds", text.rebonds)?,
        })
    }

    fn check_against(&self, last: Sample, this: Sample) -> Result<(), CounterLogError> {
        if this.t_s <= last.t_s {
            let reason = Reason::NotLater { from: last.t_s, to: this.t_s };
            return Err(self.error("t_s", reason));
        }
        let counters = [
            ("uptime_s", last.uptime_s, this.uptime_s),
            ("sent", last.sent, this.sent),
            ("replies", last.replies, this.replies),
            ("rebonds", last.rebonds, this.rebonds),
        ];
        match counters.into_iter().find(|&(_, from, to)| to < from) {
            Some((column, from, to)) => Err(self.error(column, Reason::Fell { from, to })),
            None => Ok(()),
        }
    }

    fn phase(&self) -> Result<Phase, CounterLogError> {
        let text: PhaseText = self.fields();
        if text.phase.is_empty() {
            return Err(self.error("phase", Reason::Empty));
        }
        let start_s = self.number("start_s", text.start_s)?;
        let end_s = self.number("end_s", text.end_s)?;
        if end_s <= start_s {
            return Err(self.error("end_s", Reason::NotLater { from: start_s, to: end_s }));
        }
        let before = self.numbers("before", text.before)?;
        let after = self.numbers("after", text.after)?;
        if before.len() != after.len() {
            let reason = Reason::Counters { before: before.len(), after: after.len() };
            return Err(self.error("after", reason));
        }
        if let Some((&from, &to)) = before.iter().zip(&after).find(|(before, after)| after < before)
        {
            return Err(self.error("after", Reason::Fell { from, to }));
        }
        Ok(Phase { name: text.phase.to_owned(), start_s, end_s, before, after })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HEADER: &str = "t_s,uptime_s,sent,replies,rebonds\n";

    fn samples(rows: &str) -> Result<Vec<Sample>, CounterLogError> {
        CounterLog::parse(format!("{HEADER}{rows}").as_bytes()).map(|log| log.samples)
    }

    #[track_caller]
    fn assert_refused(rows: &str, line: u64, column: Option<&str>, reason: Reason) {
        let column = column.map(str::to_owned);
        assert_eq!(samples(rows), Err(CounterLogError { line, column, reason }));
    }

    #[track_caller]
    fn assert_phase_refused(row: &str, line: u64, column: &str, reason: Reason) {
        let file =
            format!("phase,start_s,end_s,before,after\nbaseline,0,122,52 108,1306 2562\n{row}");
        let column = Some(column.to_owned());
        let refused = CounterLogError { line, column, reason };
        assert_eq!(Phase::parse_all(file.as_bytes()), Err(refused));
    }

    #[test]
    fn the_place_of_an_error_is_named_in_plain_words() {
        let error = samples("0,611,5668,5667,0\n15,626,5820,58x9,0\n").expect_err("58x9");
        assert_eq!(
            error.to_string(),
            "line 3, column replies: \"58x9\" is not a whole number from 0 on"
        );
        let error = samples("0,611,5668\n").expect_err("two fields are missing");
        assert_eq!(error.to_string(), "line 2: the header has 5 columns and this row 3");
    }

    /// Cites case 22: the two numbers of the message are not swapped.
    #[test]
    fn a_row_with_too_few_or_too_many_fields_is_refused() {
        let columns = |found| Reason::Columns { expected: 5, found };
        assert_refused("0,1,2,3,0\n1,2,3,4\n", 3, None, columns(4));
        assert_refused("0,1,2,3,0,9\n", 2, None, columns(6));
    }

    #[test]
    fn fields_that_are_no_whole_numbers_are_refused() {
        let not_whole = |text: &str| Reason::NotWhole { text: text.to_owned() };
        assert_refused("0,1,-5,3,0\n", 2, Some("sent"), not_whole("-5"));
        assert_refused("1e6,1,2,3,0\n", 2, Some("t_s"), not_whole("1e6"));
        assert_refused("0,+1,2,3,0\n", 2, Some("uptime_s"), not_whole("+1"));
        assert_refused("0,0x10,2,3,0\n", 2, Some("uptime_s"), not_whole("0x10"));
        assert_refused("0,1,2,,0\n", 2, Some("replies"), Reason::Empty);
        let text = "18446744073709551616".to_owned();
        assert_refused(&format!("0,1,2,3,{text}\n"), 2, Some("rebonds"), Reason::TooBig { text });
    }

    #[test]
    fn time_has_to_grow_and_counters_must_not_fall() {
        let first = "10,621,5768,5767,1\n";
        let refused = |row: &str, column, reason| {
            assert_refused(&format!("{first}{row}"), 3, Some(column), reason);
        };
        refused("10,621,5768,5767,1\n", "t_s", Reason::NotLater { from: 10, to: 10 });
        refused("15,3,5768,5767,1\n", "uptime_s", Reason::Fell { from: 621, to: 3 });
        refused("15,626,0,5767,1\n", "sent", Reason::Fell { from: 5768, to: 0 });
        refused("15,626,5768,5766,1\n", "replies", Reason::Fell { from: 5767, to: 5766 });
        refused("15,626,5768,5767,0\n", "rebonds", Reason::Fell { from: 1, to: 0 });
    }

    #[test]
    fn a_file_without_header_column_or_rows_is_refused() {
        let refused = |file: &[u8]| {
            let error = CounterLog::parse(file).expect_err("nothing to read");
            (error.line, error.column, error.reason)
        };
        assert_eq!(refused(b""), (1, None, Reason::NoHeader));
        assert_eq!(refused(b"\xef\xbb\xbf"), (1, None, Reason::NoHeader));
        assert_eq!(refused(HEADER.as_bytes()), (2, None, Reason::NoRows));
        let column = |name: &str| Some(name.to_owned());
        assert_eq!(
            refused(b"t_s,uptime_s,sent,replies\n1,2,3,4\n"),
            (1, column("rebonds"), Reason::MissingColumn)
        );
        assert_eq!(
            refused(b"t_s,uptime_s,sent,replies,rebonds,sent\n1,2,3,4,5,6\n"),
            (1, column("sent"), Reason::DoubleColumn)
        );
    }

    /// Cites case 23.
    #[test]
    fn byte_order_marks_line_ends_column_order_and_other_columns_change_nothing() {
        let plain = samples("0,611,5668,5667,0\n15,626,5820,5819,0\n").expect("a good file");
        let others = [
            "\u{feff}t_s,uptime_s,sent,replies,rebonds\r\n\
             0,611,5668,5667,0\r\n15,626,5820,5819,0\r\n",
            "path,rebonds,replies,sent,uptime_s,t_s\n\
             ,0,5667,5668,611,0\n\"relay \"\"dfw\"\"\", 0, 5819, 5820, 626, 15\n",
        ];
        for file in others {
            let log = CounterLog::parse(file.as_bytes()).expect("a good file");
            assert_eq!(log.samples(), plain);
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_refused_at_their_line() {
        let file = [HEADER.as_bytes(), b"0,1,2,3,0\n1,2,3,\xff,0\n"].concat();
        let error = CounterLog::parse(&file).expect_err("not UTF-8");
        assert_eq!(error, CounterLogError { line: 3, column: None, reason: Reason::NotText });
    }

    /// Cites case 21.
    #[test]
    fn a_last_line_without_its_end_is_read_and_remembered() {
        for (rows, whole) in [("0,1,2,3,0\n", true), ("0,1,2,3,0", false)] {
            let log = CounterLog::parse(format!("{HEADER}{rows}").as_bytes());
            assert_eq!(log.map(|log| log.ends_whole()), Ok(whole));
        }
    }

    #[test]
    fn phases_that_contradict_themselves_or_each_other_are_refused() {
        let not_later = Reason::NotLater { from: 304, to: 304 };
        assert_phase_refused("loss10,304,304,1,2\n", 3, "end_s", not_later);
        let overlaps = Reason::Overlaps { from: 122, to: 121 };
        assert_phase_refused("loss10,121,304,1,2\n", 3, "start_s", overlaps);
        let counters = Reason::Counters { before: 2, after: 1 };
        assert_phase_refused("loss10,122,304,1 2,3\n", 3, "after", counters);
        let fell = Reason::Fell { from: 2562, to: 7 };
        assert_phase_refused("loss10,122,304,1306 2562,1473 7\n", 3, "after", fell);
        assert_phase_refused("loss10,122,304,,\n", 3, "before", Reason::Empty);
        assert_phase_refused(",122,304,1,2\n", 3, "phase", Reason::Empty);
        let text = "1/2".to_owned();
        assert_phase_refused("loss10,122,304,1/2,3\n", 3, "before", Reason::NotWhole { text });
    }

    proptest! {
        #[test]
        fn any_bytes_give_samples_in_the_order_of_time_or_an_error(
            bytes in prop::collection::vec(
                prop::sample::select(b"0019,,,,\n\n\r\" -x\xff\xef\xbb\xbf".to_vec()),
                0..80,
            ),
        ) {
            if let Ok(log) = CounterLog::parse(&[HEADER.as_bytes(), &bytes].concat()) {
                prop_assert!(log.samples().is_sorted_by(|a, b| a.t_s < b.t_s && a.sent <= b.sent));
            }
            let phases = [b"phase,start_s,end_s,before,after\n", &*bytes].concat();
            if let Ok(phases) = Phase::parse_all(&phases) {
                prop_assert!(phases.is_sorted_by(|a, b| a.end_s <= b.start_s));
            }
        }
    }
}
