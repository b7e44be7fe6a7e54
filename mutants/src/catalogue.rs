//! The catalogue: which text of which source file a fault replaces, and which tests must notice.
//!
//! ```text
//!   catalogue/wg_mgr/disco.ron  ◄── same path, other root and ending ──►  src/wg_mgr/disco.rs
//! ```
//!
//! An anchor is source text, may span lines and must occur exactly once in its file, so that a
//! change of the source makes an entry fail loudly instead of changing another place.
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ron::extensions::Extensions;
use serde::Deserialize;

use crate::mutant::{Change, Shape};

/// A fault to try, as a catalogue file writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The clause, a slash, and a name within it: `WG-DISCO-1/M1`.
    pub id: String,
    /// The clause that the changed code breaks.
    pub clause: String,
    /// What the changed code does, in one sentence.
    pub what: String,
    /// The text to replace; found exactly once in its file.
    pub anchor: String,
    /// The text to put there.
    pub replace: String,
    /// Names of the test functions that must fail; at least one, unless none can.
    #[serde(default)]
    pub killers: Vec<String>,
    /// Set when no test can fail because the change changes nothing that can be seen.
    #[serde(default)]
    pub equivalent: Option<Equivalent>,
    /// The source file, relative to the folder that the catalogue's folder stands for.
    #[serde(skip)]
    pub file: PathBuf,
}

/// Why no test can notice a change.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Equivalent {
    /// Something explored original and mutant, within stated limits.
    Proved {
        /// What was explored, how far, and what repeats it.
        reason: String,
        /// When, as `2026-11-30`.
        date: String,
    },
    /// Somebody reasoned.
    Claimed {
        /// The argument.
        reason: String,
        /// When, as `2026-11-30`.
        date: String,
    },
}

impl Equivalent {
    /// The word for how sure it is.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Proved { .. } => "proved",
            Self::Claimed { .. } => "claimed",
        }
    }

    /// The reason.
    pub fn reason(&self) -> &str {
        let (Self::Proved { reason, .. } | Self::Claimed { reason, .. }) = self;
        reason
    }

    /// The day on which it was written.
    pub fn date(&self) -> &str {
        let (Self::Proved { date, .. } | Self::Claimed { date, .. }) = self;
        date
    }
}

impl Entry {
    /// The change in the text of its file.
    ///
    /// # Errors
    /// How often the anchor was found, if not exactly once.
    pub fn place(&self, text: &str) -> Result<Change, usize> {
        let mut matches = text.match_indices(&self.anchor);
        match (matches.next(), matches.count()) {
            (Some((start, _)), 0) => Ok(self.narrowed(start)),
            (found, others) => Err(usize::from(found.is_some()) + others),
        }
    }

    /// The change without the lines that anchor and replacement begin and end with alike: an anchor
    /// may need lines beyond the function that it changes to be found once.
    fn narrowed(&self, start: usize) -> Change {
        let old: Vec<&str> = self.anchor.split_inclusive('\n').collect();
        let new: Vec<&str> = self.replace.split_inclusive('\n').collect();
        let alike = |(one, other): &(&&str, &&str)| one == other;
        let before = old.iter().zip(&new).take_while(alike).count();
        let pairs = old[before..].iter().rev().zip(new[before..].iter().rev());
        let after = pairs.take_while(alike).count();
        let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
        Change {
            range: start + length(&old[..before])
                ..start + self.anchor.len() - length(&old[old.len() - after..]),
            text: new[before..new.len() - after].concat(),
            shape: Shape::Whole,
        }
    }
}

/// Why a catalogue was not taken.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file is not a list of entries.
    #[error("{}:{source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        source: Box<ron::error::SpannedError>,
    },
    /// An entry breaks a rule of the catalogue.
    #[error("{}: `{id}` {rule}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The entry's id.
        id: String,
        /// The rule that it breaks.
        rule: &'static str,
    },
    /// Two entries have one id.
    #[error("`{id}` is in {} and in {}", first.display(), second.display())]
    Twice {
        /// The id.
        id: String,
        /// The source file of the first.
        first: PathBuf,
        /// The source file of the second.
        second: PathBuf,
    },
}

/// Every entry, sorted by source file, then in the order of the catalogue file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Catalogue {
    /// Reads every `.ron` file below `folder`.
    ///
    /// # Errors
    /// The first [`CatalogueError`].
    pub fn read(folder: &Path) -> Result<Self, CatalogueError> {
        let mut paths = Vec::new();
        collect(folder, &mut paths)?;
        paths.sort();
        let mut entries = Vec::new();
        for path in paths {
            let below = path.strip_prefix(folder).unwrap_or(&path).with_extension("rs");
            entries.extend(read_file(&path, &below)?);
        }
        let mut files = BTreeMap::new();
        for entry in &entries {
            if let Some(first) = files.insert(&entry.id, &entry.file) {
                return Err(CatalogueError::Twice {
                    id: entry.id.clone(),
                    first: first.clone(),
                    second: entry.file.clone(),
                });
            }
        }
        Ok(Self { entries })
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), CatalogueError> {
    let unreadable = |source| CatalogueError::Unreadable { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "ron") {
            found.push(path);
        }
    }
    Ok(())
}

fn read_file(path: &Path, file: &Path) -> Result<Vec<Entry>, CatalogueError> {
    let text = fs::read_to_string(path)
        .map_err(|source| CatalogueError::Unreadable { path: path.to_owned(), source })?;
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let read = options.from_str::<Vec<Entry>>(&text);
    let mut entries = read.map_err(|source| CatalogueError::Malformed {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    for entry in &mut entries {
        file.clone_into(&mut entry.file);
        if let Some(rule) = broken_rule(entry) {
            let (path, id) = (path.to_owned(), entry.id.clone());
            return Err(CatalogueError::Invalid { path, id, rule });
        }
    }
    Ok(entries)
}

/// The first rule that an entry breaks.
fn broken_rule(entry: &Entry) -> Option<&'static str> {
    let named = entry.id.strip_prefix(&entry.clause).and_then(|rest| rest.strip_prefix('/'));
    let dated = entry.equivalent.as_ref().is_none_or(|it| is_day(it.date()));
    [
        (named.is_some_and(|name| !name.is_empty()), "is not its clause, a slash and a name"),
        (entry.what.ends_with('.'), "does not say in a sentence what it does"),
        (!entry.anchor.trim().is_empty(), "has no anchor"),
        (entry.anchor != entry.replace, "replaces its anchor by itself"),
        (
            entry.killers.is_empty() == entry.equivalent.is_some(),
            "names no killer and is not equivalent, or both",
        ),
        (dated, "has no day such as 2026-11-30"),
    ]
    .into_iter()
    .find_map(|(holds, rule)| (!holds).then_some(rule))
}

fn is_day(text: &str) -> bool {
    let digits = |it: &str, many| it.len() == many && it.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<_> = text.split('-').collect();
    matches!(parts[..], [year, month, day]
        if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#"(id: "C-1/M1", clause: "C-1", what: "It lies.", anchor: "a",
        replace: "b", killers: ["t"])"#;

    fn read(files: &[(&str, &str)]) -> Result<Catalogue, CatalogueError> {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
            fs::write(path, text).expect("writable");
        }
        Catalogue::read(folder.path())
    }

    #[test]
    fn an_entry_belongs_to_the_source_file_of_the_same_path() {
        let list = format!("[{ENTRY}]");
        let catalogue = read(&[("a/b.ron", &list), ("notes.md", "no list")]).expect("valid");
        assert_eq!(catalogue.entries.len(), 1);
        assert_eq!(catalogue.entries[0].file, Path::new("a/b.rs"));
    }

    #[test]
    fn an_anchor_is_replaced_only_where_it_is_found_once() {
        let list = format!("[{ENTRY}]");
        let catalogue = read(&[("x.ron", &list)]).expect("valid");
        let placed = |text: &str| catalogue.entries[0].place(text).map(|it| it.apply(text));
        assert_eq!(placed("cat"), Ok("cbt".to_owned()));
        assert_eq!(placed("dog"), Err(0));
        assert_eq!(placed("banana"), Err(3));
    }

    #[test]
    fn lines_that_an_anchor_keeps_are_no_part_of_the_change() {
        let entry =
            ENTRY.replace(r#""a""#, r#""x\na\n}\n""#).replace(r#""b""#, r#""x\nb\na\n}\n""#);
        let catalogue = read(&[("x.ron", &format!("[{entry}]"))]).expect("valid");
        let text = "fn f() {\nx\na\n}\nfn";
        let change = catalogue.entries[0].place(text).expect("it is found once");
        assert_eq!((change.range.clone(), change.text.as_str()), (11..11, "b\n"));
        assert_eq!(change.apply(text), "fn f() {\nx\nb\na\n}\nfn");
    }

    #[test]
    fn an_equivalent_mutant_says_why_and_since_when() {
        let with = |date: &str| {
            let equivalent =
                format!("equivalent: Claimed(reason: \"none sees it\", date: {date:?})");
            read(&[("x.ron", &format!("[{}]", ENTRY.replace(r#"killers: ["t"]"#, &equivalent)))])
        };
        let catalogue = with("2026-11-30").expect("valid");
        let equivalent = catalogue.entries[0].equivalent.as_ref().expect("it is set");
        assert_eq!((equivalent.word(), equivalent.reason()), ("claimed", "none sees it"));
        assert!(with("today").is_err());
    }

    #[test]
    fn an_id_in_two_files_is_refused_with_both() {
        let list = format!("[{ENTRY}]");
        let error = read(&[("x.ron", &list), ("y.ron", &list)]).expect_err("one id twice");
        assert_eq!(error.to_string(), "`C-1/M1` is in x.rs and in y.rs");
    }

    #[test]
    fn each_rule_of_the_catalogue_is_named_when_broken() {
        for (from, to, rule) in [
            ("C-1/M1", "C-2/M1", "is not its clause, a slash and a name"),
            ("C-1/M1", "C-1/", "is not its clause, a slash and a name"),
            ("It lies.", "It lies", "does not say in a sentence what it does"),
            (r#"anchor: "a""#, r#"anchor: " ""#, "has no anchor"),
            (r#"replace: "b""#, r#"replace: "a""#, "replaces its anchor by itself"),
            (r#"["t"]"#, "[]", "names no killer and is not equivalent, or both"),
        ] {
            let list = format!("[{}]", ENTRY.replace(from, to));
            let error = read(&[("x.ron", &list)]).expect_err(rule).to_string();
            assert!(error.ends_with(rule), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_list_is_refused_with_its_place() {
        let error = read(&[("x.ron", "[\n(id: 3)]")]).expect_err("a number as id").to_string();
        assert!(error.contains("x.ron:2:"), "{error}");
        let error = Catalogue::read(Path::new("no/such/folder")).expect_err("no folder");
        assert!(matches!(error, CatalogueError::Unreadable { .. }));
    }
}
