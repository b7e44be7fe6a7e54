//! Choosing mutants: by clause, by id, by what a change touched, by shard.
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mutant::Mutant;

/// One of several parts of a list, each mutant in exactly one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 0.
    pub index: usize,
    /// How many there are.
    pub count: usize,
}

/// Why a choice was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChoiceError {
    /// Not two numbers with a slash between.
    #[error("`{0}` is no shard; write `INDEX/COUNT`, such as 0/4 for the first of four")]
    NoShard(String),
    /// The index is not below the count.
    #[error("there is no shard {index} of {count}: the first is 0, the last {}", count.saturating_sub(1))]
    NoSuchShard {
        /// The index.
        index: usize,
        /// The count.
        count: usize,
    },
    /// The version control knows no such revision, or is not there.
    #[error("what has changed since `{revision}` is unknown: {reason}")]
    NoDiff {
        /// The revision.
        revision: String,
        /// What it says.
        reason: String,
    },
}

impl Shard {
    /// Reads `INDEX/COUNT`.
    ///
    /// # Errors
    /// When it is no such text, or the index is not below the count.
    pub fn parse(text: &str) -> Result<Self, ChoiceError> {
        let numbers = text
            .split_once('/')
            .and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        let (index, count) = numbers.ok_or_else(|| ChoiceError::NoShard(text.to_owned()))?;
        if index < count {
            Ok(Self { index, count })
        } else {
            Err(ChoiceError::NoSuchShard { index, count })
        }
    }

    /// Whether the part holds the mutant at this position of the list.
    pub const fn holds(self, position: usize) -> bool {
        position % self.count == self.index
    }
}

/// Lines that a change touched, by file.
pub type Lines = BTreeMap<PathBuf, Vec<RangeInclusive<usize>>>;

/// The lines of a workspace that differ from a revision.
///
/// # Errors
/// When the version control does not know it.
pub fn changed_since(workspace: &Path, revision: &str) -> Result<Lines, ChoiceError> {
    let refused = |reason: String| ChoiceError::NoDiff { revision: revision.to_owned(), reason };
    let mut command = Command::new("git");
    command.current_dir(workspace).args(["diff", "--unified=0", "--no-color", "--relative"]);
    let output = command.args([revision, "--", "."]).output();
    let output = output.map_err(|error| refused(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(refused(said.lines().next().unwrap_or_default().to_owned()));
    }
    Ok(touched(&String::from_utf8_lossy(&output.stdout)))
}

/// The lines that a diff without context says are new or stand where some were removed.
fn touched(diff: &str) -> Lines {
    let mut lines = Lines::new();
    let mut file = PathBuf::new();
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ b/") {
            file = path.into();
        } else if let Some(range) = line.strip_prefix("@@ ").and_then(new_lines) {
            lines.entry(file.clone()).or_default().push(range);
        }
    }
    lines
}

/// `-3,2 +5,4 @@ …` gives 5..=8; a removal stands at the line before it and the line after.
fn new_lines(hunk: &str) -> Option<RangeInclusive<usize>> {
    let new = hunk.split(' ').find_map(|word| word.strip_prefix('+'))?;
    let (start, count) = new.split_once(',').unwrap_or((new, "1"));
    let (start, count): (usize, usize) = (start.parse().ok()?, count.parse().ok()?);
    Some(if count == 0 { start..=start + 1 } else { start..=start + count - 1 })
}

/// Whether a mutant's change lies on one of these lines.
pub fn is_touched(mutant: &Mutant, text: &str, lines: &Lines) -> bool {
    let (Ok(change), Some(ranges)) = (&mutant.change, lines.get(&mutant.file)) else {
        return false;
    };
    let line_of = |at: usize| text[..at].matches('\n').count() + 1;
    let (first, last) = (line_of(change.range.start), line_of(change.range.end));
    ranges.iter().any(|range| *range.start() <= last && first <= *range.end())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::{Change, Origin, Shape};
    use crate::operators::Operator;

    #[test]
    fn shards_are_counted_from_zero_and_an_index_too_many_is_refused() {
        let shard = Shard::parse("2/3").expect("the last of three");
        assert_eq!((0..7).filter(|&it| shard.holds(it)).collect::<Vec<_>>(), [2, 5]);
        let error = Shard::parse("3/3").expect_err("there are 0, 1 and 2");
        assert_eq!(error.to_string(), "there is no shard 3 of 3: the first is 0, the last 2");
        for text in ["1", "a/b", "-1/2", "1/", "0/0"] {
            assert!(Shard::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mutant_is_touched_when_a_line_of_it_is() {
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +2,2 @@ fn\n@@ -9 +8,0 @@\n";
        let lines = touched(diff);
        assert_eq!(lines[Path::new("x.rs")], [2..=3, 8..=9]);
        let text = "1\n2\n3\n4\n5\n";
        let mutant = |at: usize| Mutant {
            id: String::new(),
            clauses: vec![],
            what: String::new(),
            file: "x.rs".into(),
            change: Ok(Change { range: at..at + 1, text: String::new(), shape: Shape::Whole }),
            origin: Origin::Generated(Operator::Boundary),
        };
        let touched: Vec<_> =
            [0, 2, 4, 6].into_iter().filter(|&at| is_touched(&mutant(at), text, &lines)).collect();
        assert_eq!(touched, [2, 4]);
        assert!(changed_since(Path::new("."), "no-such-revision").is_err());
    }
}
