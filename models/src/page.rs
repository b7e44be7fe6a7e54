//! Entries and pitfalls as pages for a terminal: the sentence first, then what one looks for when a
//! test is red.
//!
//! ```text
//!   WG-ADD-1  adds per pass  (shall)
//!
//!   The peer-update step of a pass ends after its fourth add; ...
//!
//!   seen      N queued adds take N / 4 passes, ...
//!   edges     - An empty queue item is passed over and not counted.
//!   mutants   M1  count only adds that succeed
//!   source    loop, step 2
//! ```
use core::fmt;

use textwrap::{Options, WordSplitter};

use crate::clause::{Effect, Entry};
use crate::pitfall::Pitfall;

/// The longest line of a page, in columns.
pub const PAGE_COLUMNS: usize = 96;

/// Columns of a label, so that the texts behind it line up.
const LABEL_COLUMNS: usize = 10;

impl fmt::Display for Entry {
    /// The page of this clause, without a line break at its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let defects = self.defects.iter().map(|defect| (defect.pitfall, defect.sentence));
        let mutations = self.mutations.iter().map(|mutation| match mutation.effect {
            Effect::Breaks => (mutation.name, mutation.change.to_owned()),
            Effect::Repairs => (mutation.name, format!("{} (a repair)", mutation.change)),
        });
        let head = format!("{}  {}  ({})\n", self.id, self.title, self.level);
        let mut page = vec![head, wrapped(self.sentence, "", 0)];
        page.extend(bullets("", 0, self.details));
        page.push(String::new());
        page.extend(named("seen", [("", self.observable)]));
        page.extend(bullets("edges", LABEL_COLUMNS, self.edges));
        page.extend(named("defects", defects));
        page.extend(named("mutants", mutations));
        page.extend(named("source", [("", self.source)]));
        f.write_str(&page.join("\n"))
    }
}

impl fmt::Display for Pitfall {
    /// The page of this pitfall, without a line break at its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses: Vec<_> = self.clauses.iter().map(|clause| clause.id()).collect();
        let mut page = vec![format!("{}  ({})\n", self.id, self.standing)];
        page.push(wrapped(self.sentence, "", 0));
        if !clauses.is_empty() {
            page.push(String::new());
            page.extend(named("clauses", [("", clauses.join(", "))]));
        }
        f.write_str(&page.join("\n"))
    }
}

/// Items with a name each, the names in a column of their own behind the label.
fn named<T: AsRef<str>>(
    label: &str,
    items: impl IntoIterator<Item = (&'static str, T)>,
) -> Vec<String> {
    let items: Vec<_> = items.into_iter().collect();
    let widest = items.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let names = if widest == 0 { 0 } else { widest + 2 };
    let lines = items.iter().enumerate().map(|(index, (name, text))| {
        let label = if index == 0 { label } else { "" };
        let start = format!("{label:LABEL_COLUMNS$}{name:names$}");
        wrapped(text.as_ref(), &start, LABEL_COLUMNS + names)
    });
    lines.collect()
}

/// Items without names, a dash before each, `indent` columns behind the margin.
fn bullets(label: &str, indent: usize, items: &[&'static str]) -> Vec<String> {
    let lines = items.iter().enumerate().map(|(index, text)| {
        let label = if index == 0 { label } else { "" };
        wrapped(text, &format!("{label:indent$}- "), indent + 2)
    });
    lines.collect()
}

/// `text` behind `start`, its further lines indented, within the columns of a page.
fn wrapped(text: &str, start: &str, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    let options = Options::new(PAGE_COLUMNS)
        .initial_indent(start)
        .subsequent_indent(&blanks)
        // An id such as WG-DISCO-1 stays in one piece.
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options)
}
