//! Tables with a header, row by row: columns by name, numbers with an error for each way to be none.
//!
//! ```text
//!   t_us,kind,peer,len        header: which column is where, under the mapping's names
//!   1000,hb,7,96              row: as many fields as the header
//!   3010⊣                     the file ends in the middle of a row: Truncated
//! ```
//!
//! Quoting, line ends and a leading byte order mark are the csv crate's work. A row that is short is
//! the last one of a cut file when nothing follows it and the line has no end.
use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, ReaderBuilder};

use super::error::{ImportError, Place, Problem, quoted};
use super::intake::Intake;
use super::lines::BYTE_ORDER_MARK;
use super::mapping::Mapping;

/// A column that a format may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Our name for it.
    pub(super) name: &'static str,
    /// Whether a table without it is refused.
    pub(super) is_needed: bool,
}

/// Remembers the last byte that came, and whether any did.
struct Watched<R> {
    source: R,
    last: Rc<Cell<Option<u8>>>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(out)?;
        if let Some(last) = out[..count].last() {
            self.last.set(Some(*last));
        }
        Ok(count)
    }
}

/// A table.
pub(super) struct Table<R> {
    reader: csv::Reader<Watched<R>>,
    last: Rc<Cell<Option<u8>>>,
    width: u64,
    /// For each column of the format: its place in the header and the name it has there.
    places: Vec<(Option<usize>, String)>,
    record: ByteRecord,
    held: Option<ByteRecord>,
}

/// A row of a table.
pub(super) struct Row<'a> {
    record: &'a ByteRecord,
    places: &'a [(Option<usize>, String)],
    /// Its line.
    pub(super) line: u64,
}

/// What comes next in a table.
pub(super) enum Next<'a> {
    /// A row, as wide as the header.
    Row(Row<'a>),
    /// A row that cannot be used.
    Bad(ImportError),
    /// The file ends in the middle of this row.
    Truncated(Place),
    /// The end; whether the last row had its line's end, and its line.
    End { is_whole: bool, line: u64 },
}

impl<R: Read> Table<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// An empty file, or a header that lacks a column or has one twice.
    pub(super) fn open(
        source: R,
        columns: &[Column],
        mapping: &Mapping,
    ) -> Result<Self, ImportError> {
        let last = Rc::new(Cell::new(None));
        let source = Watched { source, last: Rc::clone(&last) };
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .buffer_capacity(64 * 1024)
            .from_reader(source);
        let mut record = ByteRecord::new();
        let found = reader.read_byte_record(&mut record).map_err(csv_error)?;
        if !found || (record.len() == 1 && record.get(0).is_some_and(<[u8]>::is_empty)) {
            return Err(ImportError::at(Place::File, Problem::Empty));
        }
        let header = Self::header(&record)?;
        let mut places = Vec::new();
        for column in columns {
            let name = mapping.column(column.name).to_owned();
            let mut at = (0..header.len()).filter(|at| header[*at] == name);
            let place = at.next();
            let problem = match (place, at.next()) {
                (_, Some(_)) => Problem::DoubleColumn { column: name },
                (None, None) if column.is_needed => Problem::MissingColumn { column: name },
                _ => {
                    places.push((place, name));
                    continue;
                }
            };
            return Err(ImportError::at(Place::Line(1), problem));
        }
        let width = u64::try_from(header.len()).unwrap_or(u64::MAX);
        Ok(Self { reader, last, width, places, record, held: None })
    }

    fn header(record: &ByteRecord) -> Result<Vec<String>, ImportError> {
        let text = |field: &[u8]| {
            let field = field.trim_ascii();
            if memchr::memmem::find(field, &BYTE_ORDER_MARK).is_some() {
                return Err(ImportError::at(Place::Line(1), Problem::ByteOrderMark));
            }
            let text = std::str::from_utf8(field).map(str::to_owned);
            text.map_err(|_| ImportError::at(Place::Line(1), Problem::NotText))
        };
        record.iter().map(text).collect()
    }

    /// Whether the header has this column of the format.
    pub(super) fn has(&self, column: usize) -> bool {
        self.places[column].0.is_some()
    }

    /// The next row, or why there is none.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn next(&mut self) -> Result<Next<'_>, ImportError> {
        let before = self.record.position().map_or(1, csv::Position::line);
        let found = match self.held.take() {
            Some(held) => {
                self.record = held;
                true
            }
            None => self.reader.read_byte_record(&mut self.record).map_err(csv_error)?,
        };
        if !found {
            let is_whole = self.last.get() == Some(b'\n');
            return Ok(Next::End { is_whole, line: before });
        }
        let line = self.record.position().map_or(before, csv::Position::line);
        let found = u64::try_from(self.record.len()).unwrap_or(u64::MAX);
        let place = Place::Line(line);
        if memchr::memmem::find(self.record.as_slice(), &BYTE_ORDER_MARK).is_some() {
            return Ok(Next::Bad(ImportError::at(place, Problem::ByteOrderMark)));
        }
        if found == self.width {
            return Ok(Next::Row(Row { record: &self.record, places: &self.places, line }));
        }
        let mut following = ByteRecord::new();
        if self.reader.read_byte_record(&mut following).map_err(csv_error)? {
            self.held = Some(following);
        } else if self.last.get() != Some(b'\n') && found < self.width {
            return Ok(Next::Truncated(place));
        }
        let problem = Problem::Columns { expected: self.width, found };
        Ok(Next::Bad(ImportError::at(place, problem)))
    }
}

fn csv_error(error: csv::Error) -> ImportError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => ImportError::unreadable(error),
        kind => ImportError::unreadable(io::Error::other(format!("{kind:?}"))),
    }
}

impl Row<'_> {
    /// Where an error in this row is.
    pub(super) const fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// An error in this row.
    pub(super) const fn error(&self, problem: Problem) -> ImportError {
        ImportError::at(self.place(), problem)
    }

    /// The name of a column in this file.
    pub(super) fn column(&self, column: usize) -> String {
        self.places[column].1.clone()
    }

    /// A field without the blanks around it; `None` when the table has no such column.
    pub(super) fn field(&self, column: usize) -> Option<&[u8]> {
        self.places[column].0.and_then(|at| self.record.get(at)).map(<[u8]>::trim_ascii)
    }

    /// A field that has to hold something.
    pub(super) fn needed(&self, column: usize) -> Result<&[u8], ImportError> {
        match self.field(column) {
            Some(field) if !field.is_empty() => Ok(field),
            _ => Err(self.error(Problem::EmptyField { column: self.column(column) })),
        }
    }

    /// A whole number.
    pub(super) fn number(&self, column: usize) -> Result<u64, ImportError> {
        self.number_up_to(column, u64::MAX)
    }

    /// A whole number that fits 32 bits.
    pub(super) fn number_32(&self, column: usize) -> Result<u32, ImportError> {
        let number = self.number_up_to(column, u32::MAX.into())?;
        Ok(u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn number_up_to(&self, column: usize, most: u64) -> Result<u64, ImportError> {
        let field = self.needed(column)?;
        if field.iter().all(u8::is_ascii_digit) {
            let number = field.iter().try_fold(0_u64, |number, digit| {
                number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
            });
            if let Some(number) = number.filter(|number| *number <= most) {
                return Ok(number);
            }
            let (column, text) = (self.column(column), quoted(field));
            return Err(self.error(Problem::NumberTooBig { column, text, most }));
        }
        let (column, text) = (self.column(column), quoted(field));
        let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
        Err(self.error(match (is_number, field.strip_prefix(b"-")) {
            (true, Some(digits)) if digits.iter().all(u8::is_ascii_digit) => {
                Problem::Negative { column, text }
            }
            (true, _) => Problem::NotAnInteger { column, text },
            (false, _) => Problem::NotANumber { column, text },
        }))
    }

    /// A whole number where the table has the column and the field is not empty.
    pub(super) fn optional(&self, column: usize) -> Result<Option<u64>, ImportError> {
        match self.field(column) {
            None | Some(b"") => Ok(None),
            Some(_) => self.number(column).map(Some),
        }
    }
}

/// Hands every row to `take`; counts rows, rejects what cannot be used, and warns at the end.
pub(super) fn each<R: Read>(
    table: &mut Table<R>,
    intake: &mut Intake<'_>,
    mut take: impl FnMut(&Row<'_>, &mut Intake<'_>) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    loop {
        let result = match table.next()? {
            Next::Row(row) => take(&row, intake),
            Next::Bad(error) => Err(error),
            Next::Truncated(place) => {
                intake.summary.read += 1;
                return intake.truncated(place);
            }
            Next::End { is_whole, line } => {
                if intake.summary.read == 0 {
                    intake.summary.warnings.push("OnlyHeader: there are no rows".to_owned());
                } else if !is_whole {
                    intake.no_final_newline(Place::Line(line));
                }
                return Ok(());
            }
        };
        intake.summary.read += 1;
        match result {
            Err(error) if error.is_of_a_row() => intake.reject(error)?,
            result => result?,
        }
    }
}
