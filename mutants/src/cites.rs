//! Which tests cite which clauses: read from the comments above them.
//!
//! ```text
//!   /// Cites WG-HB-1 and WG-RATE-1: the cap holds.     ──► WG-HB-1, WG-RATE-1
//!   #[test]
//!   fn eight_heartbeats_a_tick() { … }                  ──► its name
//! ```
//!
//! What is cited stands between the word and the end of the sentence, or a colon with a blank behind
//! it. Tests inside of macros are found too, because only lines are read.
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A test function and what it cites.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Citation {
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// The line of the function's name, from 1.
    pub line: usize,
    /// The function's name.
    pub test: String,
    /// The ids of the clauses, sorted.
    pub clauses: BTreeSet<String>,
}

/// The tests of a file, in the order of their lines, with what they cite of `known`.
pub fn citations(file: &Path, text: &str, known: &[String]) -> Vec<Citation> {
    let mut found = Vec::new();
    let (mut comment, mut is_test) = (String::new(), false);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(said) = line.strip_prefix("///") {
            comment = comment + said + " ";
        } else if line.starts_with("#[test]") {
            is_test = true;
        } else if line.starts_with("#[") || line.starts_with("//") {
        } else {
            if let Some(test) = function_name(line).filter(|_| is_test) {
                let clauses = cited(&comment, known);
                let file = file.to_owned();
                found.push(Citation { file, line: at + 1, test: test.to_owned(), clauses });
            }
            (comment, is_test) = (String::new(), false);
        }
    }
    found
}

/// Which clauses the documentation of a file lists, as in `Clauses: WG-HB-1, WG-HB-2.`
pub fn listed(text: &str, known: &[String]) -> BTreeSet<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!"));
    let said: String = lines.flat_map(|line| [line, " "]).collect();
    said.split_once("Clauses:").map(|(_, after)| names(after, known)).unwrap_or_default()
}

/// The clauses whose ids occur in a text, also where a line ends inside of one.
pub fn names(text: &str, known: &[String]) -> BTreeSet<String> {
    ids(&in_one_line(text), known)
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn function_name(line: &str) -> Option<&str> {
    let name = line.strip_prefix("fn ")?.split(['(', '<']).next()?;
    (!name.is_empty()).then_some(name)
}

fn cited(comment: &str, known: &[String]) -> BTreeSet<String> {
    let comment = in_one_line(comment);
    let Some(after) = ["Cites ", "cites "].iter().find_map(|it| comment.split_once(it)) else {
        return BTreeSet::new();
    };
    let after = after.1;
    let end = [": ", ". "].iter().filter_map(|end| sentence_end(after, end)).min();
    ids(&after[..end.unwrap_or(after.len())], known)
}

/// Where a sentence ends; the point in `App. A` ends none.
fn sentence_end(text: &str, end: &str) -> Option<usize> {
    let ends = |&(at, _): &(usize, &str)| !text[..at].ends_with("App");
    text.match_indices(end).find(ends).map(|(at, _)| at)
}

/// The ids that occur in a text; of two that begin alike the longer one.
fn ids(text: &str, known: &[String]) -> BTreeSet<String> {
    let mut known: Vec<&String> = known.iter().collect();
    known.sort_by_key(|id| usize::MAX - id.len());
    let mut found = BTreeSet::new();
    let mut at = 0;
    while at < text.len() {
        let rest = text.get(at..).unwrap_or_default();
        let starts = !text[..at].ends_with(is_word);
        let id = starts.then(|| known.iter().find(|id| begins_with(rest, id))).flatten();
        match id {
            Some(id) => {
                found.insert((*id).clone());
                at += id.len();
            }
            None => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

fn begins_with(text: &str, id: &str) -> bool {
    let after = text.strip_prefix(id);
    after.is_some_and(|after| {
        let mut letters = after.chars();
        match letters.next() {
            Some('-' | '.') => !letters.next().is_some_and(is_word),
            letter => !letter.is_some_and(is_word),
        }
    })
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
}

/// For each name of a test function the clauses that functions of this name cite.
pub fn by_name(citations: &[Citation]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for citation in citations {
        let clauses = citation.clauses.iter().map(String::as_str);
        names.entry(&citation.test).or_default().extend(clauses);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        ["S 1.6", "S 1.6 M10", "S:2012-2013", "ER-1", "ER-1 N-1", "ER-12", "App. A", "WG-HB-1"]
            .map(str::to_owned)
            .to_vec()
    }

    fn of(comment: &str) -> Vec<String> {
        cited(&format!("{comment} "), &known()).into_iter().collect()
    }

    #[test]
    fn ids_are_told_apart_from_those_that_begin_alike() {
        assert_eq!(of("Cites S 1.6, S 1.6 M10."), ["S 1.6", "S 1.6 M10"]);
        assert_eq!(of("Cites S 1.6 M10."), ["S 1.6 M10"]);
        assert_eq!(of("Cites ER-12 and ER-1 N-1."), ["ER-1 N-1", "ER-12"]);
        assert_eq!(of("Cites S:2012-2013: the length. See ER-1."), ["S:2012-2013"]);
        assert_eq!(of("Cites App. A and ER-1. See ER-12."), ["App. A", "ER-1"]);
        assert_eq!(of("Case 08, cites WG-HB-1: an offset."), ["WG-HB-1"]);
        assert_eq!(of("Cites WG-HB-12."), [""; 0]);
        assert_eq!(of("See WG-HB-1."), [""; 0]);
    }

    #[test]
    fn an_id_may_be_cut_by_the_end_of_a_line() {
        let comment = " Cites ER-12, S 1.6\n M10:\n the first of them.";
        assert_eq!(of(comment), ["ER-12", "S 1.6 M10"]);
        let found = names("of App.\n A, and ER-1\n\tN-1", &known());
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["App. A", "ER-1 N-1"]);
    }

    #[test]
    fn a_test_has_the_comment_that_stands_above_it() {
        let text = "
/// Cites ER-1: over
/// two lines.
#[test]
#[expect(lint)]
fn first() {}

/// Cites ER-12.
fn helper() {}

proptest! {
    /// Cites S 1.6
    /// and ER-12.
    #[test]
    fn second(a in b()) {}
    #[test]
    fn third() {}
}
";
        let found = citations(Path::new("a.rs"), text, &known());
        let short: Vec<_> = found
            .iter()
            .map(|it| (it.line, it.test.as_str(), it.clauses.iter().cloned().collect::<Vec<_>>()))
            .collect();
        assert_eq!(
            short,
            [
                (6, "first", vec!["ER-1".to_owned()]),
                (15, "second", vec!["ER-12".to_owned(), "S 1.6".to_owned()]),
                (17, "third", vec![]),
            ]
        );
        assert_eq!(by_name(&found)["second"].len(), 2);
    }

    #[test]
    fn a_file_lists_its_clauses_at_the_end_of_its_documentation() {
        let text = "//! What it does.\n//!\n//! Clauses: ER-1, and half\n//! of ER-12.\nuse x;\n";
        assert_eq!(listed(text, &known()).into_iter().collect::<Vec<_>>(), ["ER-1", "ER-12"]);
        assert!(listed("//! Nothing about ER-1.\n", &known()).is_empty());
    }
}
