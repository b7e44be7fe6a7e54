//! A text under edit that remembers where each of its parts came from.
//!
//! ```text
//!   file:   (preset: "ARM-1", seed: 1)
//!   --seed: (preset: "ARM-1", seed: 7)
//!           └──────── file ───────┘▲└ file
//!                                  └ flag
//! ```
//!
//! An override changes the text before it is read, so it goes through the same reader and the same
//! checks as the file; an error inside it names the flag, any other the line of the file.
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use ron::Options;
use ron::error::{Error as RonError, Position, SpannedError};
use ron::extensions::Extensions;
use serde::de::DeserializeOwned;

use super::error::{Place, Problem, ScenarioError};
use super::nearest::{nearest, same_but_for_the_unit};
use super::outline::{self, Step};

/// The longest file that is read: beyond it lies a mistake, not a scenario.
pub(crate) const BYTES_MOST: u64 = 64 * 1024 * 1024;

/// How many signs of a file an error quotes.
const QUOTED_MOST: usize = 160;

/// How every file is read: `Some` need not be written.
pub(crate) static RON: LazyLock<Options> =
    LazyLock::new(|| Options::default().with_default_extension(Extensions::IMPLICIT_SOME));

/// A file type as the text that [`RON`] reads.
pub(crate) fn to_ron<T: serde::Serialize>(file: &T) -> String {
    let pretty = ron::ser::PrettyConfig::default().struct_names(false);
    RON.to_string_pretty(file, pretty).expect("the file types have a text form")
}

/// Reads a text as a `T` after the overrides have edited it.
///
/// # Errors
/// The first thing that is wrong with the text or an override.
pub(crate) fn edited<T: DeserializeOwned>(
    path: &Path,
    text: String,
    overrides: &super::Overrides,
) -> Result<T, ScenarioError> {
    let mut source = Source::new(path, text);
    overrides.apply(&mut source, &[])?;
    source.parse(super::file::VERSION)
}

/// A text and the origin of its parts.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    path: PathBuf,
    file: Arc<str>,
    text: String,
    /// Where each part begins in `text`, ascending from 0, and what it is a part of.
    parts: Vec<(usize, Origin)>,
    flags: Vec<String>,
}

/// Where a part of the text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// From the file, beginning at this offset.
    File(usize),
    /// From the flag with this number.
    Flag(usize),
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is longer than [`BYTES_MOST`] or is no UTF-8 text.
    pub(crate) fn read(path: &Path) -> Result<Self, ScenarioError> {
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(BYTES_MOST + 1).read_to_end(&mut bytes))
            .map_err(|reason| ScenarioError::unreadable(path, &reason))?;
        let too_large = bytes.len() as u64 > BYTES_MOST;
        let text = String::from_utf8(bytes).map_err(|error| not_text(path, error.as_bytes()))?;
        let source = Self::new(path, text);
        if too_large {
            let problem = Problem::TooLarge { most: BYTES_MOST };
            return Err(source.error_in(0..0, problem, "is this the file you meant?"));
        }
        Ok(source)
    }

    /// A text as if it had been read from `path`.
    pub(crate) fn new(path: &Path, text: String) -> Self {
        let file = Arc::from(text.as_str());
        let parts = vec![(0, Origin::File(0))];
        Self { path: path.to_owned(), file, text, parts, flags: Vec::new() }
    }

    /// The text with its edits.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A path that the text names, seen from its own folder.
    pub(crate) fn beside(&self, named: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(named)
    }

    /// Notes a flag that edits will come from.
    pub(crate) fn add_flag(&mut self, flag: String) -> usize {
        self.flags.push(flag);
        self.flags.len() - 1
    }

    /// Replaces a range of the text by what a flag brings.
    pub(crate) fn splice(&mut self, range: Range<usize>, new: &str, flag: usize) {
        let resumes = self.origin(range.end);
        let shift = |start: usize| start - range.end + range.start + new.len();
        let mut parts: Vec<_> =
            self.parts.iter().copied().filter(|(start, _)| *start < range.start).collect();
        parts.push((range.start, Origin::Flag(flag)));
        parts.push((range.start + new.len(), resumes));
        parts.extend(
            self.parts
                .iter()
                .filter(|(start, _)| *start > range.end)
                .map(|(start, origin)| (shift(*start), *origin)),
        );
        self.text.replace_range(range, new);
        self.parts = parts;
    }

    /// What the sign at `offset` is a part of, as a part that would begin there.
    fn origin(&self, offset: usize) -> Origin {
        let (start, origin) = self.part(offset);
        match origin {
            Origin::File(begin) => Origin::File(begin + offset - start),
            Origin::Flag(flag) => Origin::Flag(flag),
        }
    }

    /// The part that holds the sign at `offset`.
    fn part(&self, offset: usize) -> (usize, Origin) {
        let after = self.parts.partition_point(|(start, _)| *start <= offset);
        self.parts[after.saturating_sub(1)]
    }

    /// Reads the text as a `T` of this format `version`.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub(crate) fn parse<T: DeserializeOwned>(&self, version: u32) -> Result<T, ScenarioError> {
        let (found, steps) = outline::find(&self.text, &[Step::Field("version")]);
        let written = self.text[found.clone()].trim();
        if steps == 1 && written != version.to_string() && written.parse::<u64>().is_ok() {
            let problem = Problem::Version { found: written.to_owned(), known: version };
            return Err(self.error_in(found, problem, "`preflash schema` shows the format"));
        }
        RON.from_str(&self.text).map_err(|error| self.explain(error))
    }

    /// An error at the value that `path` leads to, or at the innermost one that exists.
    pub(crate) fn error_at(
        &self,
        path: &[Step<'_>],
        problem: Problem,
        next: impl Into<String>,
    ) -> ScenarioError {
        let (found, _) = outline::find(&self.text, path);
        let range = found.start..first_line_end(&self.text, &found);
        self.error_in(range, problem, next)
    }

    /// The line of the file on which the value that `path` leads to begins; 0 in an override.
    pub(crate) fn line_at(&self, path: &[Step<'_>]) -> usize {
        let (found, _) = outline::find(&self.text, path);
        match self.origin(found.start) {
            Origin::File(offset) => line_and_column(&self.file, offset).0,
            Origin::Flag(_) => 0,
        }
    }

    /// An error at a range of the text.
    pub(crate) fn error_in(
        &self,
        range: Range<usize>,
        problem: Problem,
        next: impl Into<String>,
    ) -> ScenarioError {
        let (start, origin) = self.part(range.start);
        match origin {
            Origin::Flag(flag) => {
                let flag = self.flags[flag].clone();
                let (text, whole) = (Arc::from(flag.as_str()), 0..flag.len());
                ScenarioError::new(Place::Flag { flag }, problem, next).with_text(text, whole)
            }
            Origin::File(begin) => {
                let offset = begin + range.start - start;
                let (line, column) = line_and_column(&self.file, offset);
                let path = self.path.display().to_string();
                let end = (offset + range.len()).min(self.file.len());
                ScenarioError::new(Place::Text { path, line, column }, problem, next)
                    .with_text(Arc::clone(&self.file), offset..end)
            }
        }
    }

    /// The reader's error in our words, at the sign that it is about.
    fn explain(&self, error: SpannedError) -> ScenarioError {
        let end = offset_of(&self.text, &error.span.end);
        let here = outline::token_before(&self.text, end).unwrap_or(end..end);
        let field = |name: &str| Problem::UnknownField { field: shortened(name) };
        match error.code {
            RonError::NoSuchStructField { expected, found, .. } => {
                self.unknown(here, &found, expected, field(&found), "field")
            }
            RonError::NoSuchEnumVariant { expected, found, .. } => {
                let problem = Problem::UnknownName { what: "word", name: shortened(&found) };
                self.unknown(here, &found, expected, problem, "word")
            }
            RonError::MissingStructField { field, .. } => {
                let problem = Problem::MissingField { field: field.to_owned() };
                let range = self.enclosing(end);
                self.error_in(range, problem, format!("add `{field}: …`"))
            }
            RonError::DuplicateStructField { field, .. } => {
                let problem = Problem::RepeatedField { field: field.to_owned() };
                self.error_in(here, problem, "remove one of them")
            }
            RonError::Message(message) => {
                self.error_in(here, Problem::Value(shortened(&message)), "correct the value")
            }
            RonError::ExpectedString => {
                let problem = Problem::Syntax("a text in quotes is expected".to_owned());
                self.error_in(end..end, problem, "write the text in double quotes")
            }
            code => {
                let problem = Problem::Syntax(shortened(&sentence(&code.to_string())));
                self.error_in(end..end, problem, "`preflash schema scenario` shows the format")
            }
        }
    }

    fn unknown(
        &self,
        range: Range<usize>,
        found: &str,
        expected: &[&'static str],
        problem: Problem,
        what: &str,
    ) -> ScenarioError {
        let near = nearest(found, expected.iter().copied());
        let next = match near {
            Some(near) if same_but_for_the_unit(near, found) => {
                format!("write `{near}`: the unit is part of the name, so convert the figure")
            }
            Some(near) => format!("write `{near}`, or one of: {}", expected.join(", ")),
            None if expected.is_empty() => format!("remove it: no {what} is possible here"),
            None => format!("write one of: {}", expected.join(", ")),
        };
        self.error_in(range, problem, next).with_nearest(near)
    }

    /// The line on which the struct begins whose end is at or before `offset`.
    fn enclosing(&self, offset: usize) -> Range<usize> {
        let mut range = outline::root(&self.text);
        loop {
            let inner = outline::entries(&self.text, &range)
                .into_iter()
                .find(|entry| entry.value.start < offset && offset <= entry.value.end);
            match inner {
                Some(entry) if outline::opening(&self.text, &entry.value).is_some() => {
                    range = entry.value;
                }
                _ => break,
            }
        }
        let start = outline::opening(&self.text, &range).unwrap_or(range.start);
        start..first_line_end(&self.text, &(start..range.end))
    }
}

/// The reader's words with a small first letter, as the end of a sentence of ours.
fn sentence(words: &str) -> String {
    let mut signs = words.chars();
    signs.next().map_or(String::new(), |first| first.to_lowercase().chain(signs).collect())
}

/// A text from the file that an error quotes: garbage may be millions of signs long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(QUOTED_MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn not_text(path: &Path, bytes: &[u8]) -> ScenarioError {
    let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let (line, column) = line_and_column(valid, valid.len());
    let place = Place::Text { path: path.display().to_string(), line, column };
    let end = valid.len();
    ScenarioError::new(place, Problem::NotText, "is this the file you meant?")
        .with_text(Arc::from(valid), end..end)
}

fn first_line_end(text: &str, range: &Range<usize>) -> usize {
    text[range.clone()].find('\n').map_or(range.end, |length| range.start + length)
}

/// Line and column, both from 1, of a byte offset.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(offset)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The byte offset of a line and column.
fn offset_of(text: &str, position: &Position) -> usize {
    let line_start = text
        .split_inclusive('\n')
        .take(position.line.saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    text[line_start..]
        .char_indices()
        .nth(position.col.saturating_sub(1))
        .map_or(text.len(), |(at, _)| line_start + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(source: &Source, offset: usize) -> String {
        source.error_in(offset..offset, Problem::NotText, "").place().to_string()
    }

    #[test]
    fn a_place_after_edits_is_still_the_place_in_the_file() {
        let mut source = Source::new(Path::new("f.ron"), "(a: 1,\n b: 2, c: 3)".to_owned());
        let flag = source.add_flag("--set b=12345".to_owned());
        source.splice(11..12, "12345", flag);
        assert_eq!(source.text(), "(a: 1,\n b: 12345, c: 3)");
        assert_eq!(place(&source, 8), "f.ron:2:2");
        assert_eq!(place(&source, 13), "`--set b=12345`");
        assert_eq!(place(&source, source.text().find('c').unwrap()), "f.ron:2:8");

        let second = source.add_flag("--set b=7".to_owned());
        source.splice(11..16, "7", second);
        assert_eq!(place(&source, 11), "`--set b=7`");
        assert_eq!(place(&source, source.text().find('c').unwrap()), "f.ron:2:8");

        let third = source.add_flag("--set z=0".to_owned());
        source.splice(1..1, "z: 0, ", third);
        assert_eq!(place(&source, 2), "`--set z=0`");
        assert_eq!(place(&source, source.text().find('b').unwrap()), "f.ron:2:2");
    }

    #[test]
    fn lines_and_columns_are_counted_in_characters_from_one() {
        assert_eq!(line_and_column("é\nöä", 5), (2, 2));
        assert_eq!(line_and_column("", 9), (1, 1));
        assert_eq!(offset_of("é\nöä", &Position { line: 2, col: 2 }), 5);
    }
}
