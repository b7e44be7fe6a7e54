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

use serde::Deserialize;

/// One entry, as a catalogue file writes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    clause: String,
    what: String,
    anchor: String,
    replace: String,
    killers: Vec<String>,
}

/// A fault to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The clause, a slash, and a name within it: `WG-DISCO-1/M1`.
    pub id: String,
    /// The clause that the changed code breaks.
    pub clause: String,
    /// What the changed code does, in one sentence.
    pub what: String,
    /// The source file, relative to the source folder of the crate.
    pub file: PathBuf,
    /// The text to replace.
    pub anchor: String,
    /// The text to put there.
    pub replace: String,
    /// Names of the test functions that must fail; at least one.
    pub killers: Vec<String>,
}

impl Mutant {
    /// The source with the fault in it.
    ///
    /// # Errors
    /// How often the anchor was found, if not exactly once.
    pub fn apply(&self, source: &str) -> Result<String, usize> {
        match source.matches(&self.anchor).count() {
            1 => Ok(source.replacen(&self.anchor, &self.replace, 1)),
            matches => Err(matches),
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

/// Every mutant of a crate, sorted by source file, then in the order of the catalogue file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The mutants.
    pub mutants: Vec<Mutant>,
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
        let mut mutants = Vec::new();
        for path in paths {
            let below = path.strip_prefix(folder).unwrap_or(&path).with_extension("rs");
            mutants.extend(read_file(&path, &below)?);
        }
        let mut files = BTreeMap::new();
        for mutant in &mutants {
            if let Some(first) = files.insert(&mutant.id, &mutant.file) {
                return Err(CatalogueError::Twice {
                    id: mutant.id.clone(),
                    first: first.clone(),
                    second: mutant.file.clone(),
                });
            }
        }
        Ok(Self { mutants })
    }

    /// The mutants of one clause and with one id; `None` asks for all.
    pub fn select(&self, clause: Option<&str>, id: Option<&str>) -> Vec<&Mutant> {
        let wanted = |mutant: &&Mutant| {
            clause.is_none_or(|clause| mutant.clause == clause)
                && id.is_none_or(|id| mutant.id == id)
        };
        self.mutants.iter().filter(wanted).collect()
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

fn read_file(path: &Path, file: &Path) -> Result<Vec<Mutant>, CatalogueError> {
    let text = fs::read_to_string(path)
        .map_err(|source| CatalogueError::Unreadable { path: path.to_owned(), source })?;
    let entries: Vec<Entry> = ron::from_str(&text).map_err(|source| CatalogueError::Malformed {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    for entry in &entries {
        if let Some(rule) = broken_rule(entry) {
            let (path, id) = (path.to_owned(), entry.id.clone());
            return Err(CatalogueError::Invalid { path, id, rule });
        }
    }
    let mutant = |entry: Entry| Mutant {
        id: entry.id,
        clause: entry.clause,
        what: entry.what,
        file: file.to_owned(),
        anchor: entry.anchor,
        replace: entry.replace,
        killers: entry.killers,
    };
    Ok(entries.into_iter().map(mutant).collect())
}

/// The first rule that an entry breaks.
fn broken_rule(entry: &Entry) -> Option<&'static str> {
    let named = entry.id.strip_prefix(&entry.clause).and_then(|rest| rest.strip_prefix('/'));
    [
        (named.is_some_and(|name| !name.is_empty()), "is not its clause, a slash and a name"),
        (entry.what.ends_with('.'), "does not say in a sentence what it does"),
        (!entry.anchor.trim().is_empty(), "has no anchor"),
        (entry.anchor != entry.replace, "replaces its anchor by itself"),
        (!entry.killers.is_empty(), "names no killer"),
    ]
    .into_iter()
    .find_map(|(holds, rule)| (!holds).then_some(rule))
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
        assert_eq!(catalogue.mutants.len(), 1);
        assert_eq!(catalogue.mutants[0].file, Path::new("a/b.rs"));
        assert_eq!(catalogue.select(Some("C-1"), None).len(), 1);
        assert_eq!(catalogue.select(Some("C-2"), None).len(), 0);
        assert_eq!(catalogue.select(None, Some("C-1/M1")).len(), 1);
        assert_eq!(catalogue.select(None, Some("C-1/M2")).len(), 0);
    }

    #[test]
    fn an_anchor_is_replaced_only_where_it_is_found_once() {
        let list = format!("[{ENTRY}]");
        let catalogue = read(&[("x.ron", &list)]).expect("valid");
        let mutant = &catalogue.mutants[0];
        assert_eq!(mutant.apply("cat"), Ok("cbt".to_owned()));
        assert_eq!(mutant.apply("dog"), Err(0));
        assert_eq!(mutant.apply("banana"), Err(3));
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
            (r#"["t"]"#, "[]", "names no killer"),
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
