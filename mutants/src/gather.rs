//! The mutants of a subject: entries placed in their files, and what the operators make.
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::catalogue::{Catalogue, Entry};
use crate::cites;
use crate::mutant::{Change, Mutant, Origin};
use crate::operators::mistakes;
use crate::subject::{Part, Subject};

/// Why a catalogue does not fit the sources.
#[derive(Debug, thiserror::Error)]
pub enum GatherError {
    /// A clause that is not among the subject's.
    #[error("`{id}`: there is no clause `{clause}`; the nearest is `{nearest}`")]
    UnknownClause {
        /// The entry.
        id: String,
        /// Its clause.
        clause: String,
        /// The id that the fewest edits lead to.
        nearest: String,
    },
    /// A source file is not there.
    #[error(
        "`{id}` is about {}, which cannot be read ({reason}); remove the entry, or move it to the \
        catalogue file of the source file that took the code over", file.display()
    )]
    NoFile {
        /// The entry.
        id: String,
        /// The file, relative to the workspace.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A catalogue file lies where no package's does.
    #[error("`{id}`: {} is below the sources of no package", file.display())]
    NoPackage {
        /// The entry.
        id: String,
        /// The file, relative to the catalogue.
        file: PathBuf,
    },
}

/// Places every entry. One whose anchor is not found exactly once is kept, and says so.
///
/// # Errors
/// [`GatherError`].
pub fn written(subject: &Subject, catalogue: &Catalogue) -> Result<Vec<Mutant>, GatherError> {
    let mut texts: BTreeMap<PathBuf, String> = BTreeMap::new();
    let mut mutants = Vec::new();
    for entry in &catalogue.entries {
        known_clause(subject, entry)?;
        let file = source_file(subject, entry)?;
        if !texts.contains_key(&file) {
            let read = fs::read_to_string(subject.workspace.join(&file));
            let text = read.map_err(|error| GatherError::NoFile {
                id: entry.id.clone(),
                file: file.clone(),
                reason: error.to_string(),
            })?;
            texts.insert(file.clone(), text);
        }
        mutants.push(Mutant {
            id: entry.id.clone(),
            clauses: vec![entry.clause.clone()],
            what: entry.what.clone(),
            change: entry.place(&texts[&file]),
            file,
            origin: Origin::Catalogue {
                killers: entry.killers.clone(),
                equivalent: entry.equivalent.clone(),
            },
        });
    }
    Ok(mutants)
}

/// What the operators make of the files that a subject names; files that cannot be read have none.
pub fn generated(subject: &Subject) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    for part in &subject.parts {
        let sources = part.folder.join("src");
        for below in &part.generated {
            for file in files(subject, &sources.join(below)) {
                if let Ok(text) = fs::read_to_string(subject.workspace.join(&file)) {
                    made(subject, part, &file, &text, &mut mutants);
                }
            }
        }
    }
    mutants
}

fn made(subject: &Subject, part: &Part, file: &Path, text: &str, mutants: &mut Vec<Mutant>) {
    let clauses: Vec<String> = cites::listed(text, &subject.clauses).into_iter().collect();
    let below = file.strip_prefix(part.folder.join("src")).unwrap_or(file).with_extension("");
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let tunables = ["config", "preset"].contains(&stem);
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for mistake in mistakes(text, tunables) {
        let operator = mistake.operator.name();
        let count = counts.entry((mistake.function.clone(), operator)).or_default();
        *count += 1;
        let place = below.display();
        mutants.push(Mutant {
            id: format!("{}:{place}:{}:{operator}-{count}", part.package, mistake.function),
            clauses: clauses.clone(),
            what: said(&mistake.was, &mistake.change),
            file: file.to_owned(),
            change: Ok(mistake.change),
            origin: Origin::Generated(mistake.operator),
        });
    }
}

fn said(was: &str, change: &Change) -> String {
    let short = |text: &str| -> String {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut: String = text.chars().take(60).collect();
        if cut.len() < text.len() { cut + "…" } else { cut }
    };
    match change.text.as_str() {
        "" => format!("`{}` is left out.", short(was)),
        text => format!("`{}` becomes `{}`.", short(was), short(text)),
    }
}

fn known_clause(subject: &Subject, entry: &Entry) -> Result<(), GatherError> {
    if subject.clauses.contains(&entry.clause) {
        return Ok(());
    }
    let distance = |id: &&String| strsim::osa_distance(id, &entry.clause);
    Err(GatherError::UnknownClause {
        id: entry.id.clone(),
        clause: entry.clause.clone(),
        nearest: subject.clauses.iter().min_by_key(distance).cloned().unwrap_or_default(),
    })
}

/// The file of an entry, relative to the workspace: that of the part whose catalogue folder is the
/// longest that its path begins with.
fn source_file(subject: &Subject, entry: &Entry) -> Result<PathBuf, GatherError> {
    let part = subject
        .parts
        .iter()
        .filter(|part| entry.file.starts_with(&part.catalogue))
        .max_by_key(|part| part.catalogue.components().count());
    let found = part.and_then(|part| {
        let below = entry.file.strip_prefix(&part.catalogue).ok()?;
        Some(part.folder.join("src").join(below))
    });
    let (id, file) = (entry.id.clone(), entry.file.clone());
    found.ok_or(GatherError::NoPackage { id, file })
}

/// The Rust files of a folder, or the file itself, sorted.
fn files(subject: &Subject, below: &PathBuf) -> BTreeSet<PathBuf> {
    let path = subject.workspace.join(below);
    if path.is_file() {
        return BTreeSet::from([below.clone()]);
    }
    let entries = fs::read_dir(&path).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let inner = below.join(entry.file_name());
            let rust = inner.extension().is_some_and(|extension| extension == "rs");
            let tests = inner.file_stem().is_some_and(|stem| stem == "tests");
            (!tests && (rust || entry.path().is_dir())).then(|| files(subject, &inner))
        })
        .flatten()
        .collect()
}
