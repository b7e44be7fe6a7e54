//! Rules about the tree itself that no lint sees.
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use models::clause::Clause;

/// Lines that a file may have; tests in files of their own may have more.
const LINES_MOST: usize = 600;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Every file with this extension that belongs to the project.
fn files(extension: &str) -> Vec<PathBuf> {
    let folders = ["firmware-core", "models", "sim", "benches", "mutants", "scenarios"];
    let mut found = Vec::new();
    let mut open: Vec<_> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no .{extension} file was found");
    found
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    for path in files("rs") {
        let text = read(&path);
        let first = text.lines().next().unwrap_or_default();
        let sentence = first.strip_prefix("//! ").unwrap_or_default();
        assert!(sentence.len() > 15, "{} opens with {first:?}", path.display());
    }
}

#[test]
fn no_source_file_is_longer_than_one_reads_at_a_time() {
    for path in files("rs") {
        let is_test = path.components().any(|part| part.as_os_str() == "tests")
            || path.file_stem().is_some_and(|stem| stem == "tests");
        let lines = read(&path).lines().count();
        assert!(is_test || lines <= LINES_MOST, "{} has {lines} lines", path.display());
    }
}

/// Words that look like a clause of the manager's register.
fn clause_words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'))
        .map(|word| word.trim_matches('-'))
        .filter(|word| word.starts_with("WG-") || word.starts_with("CAP-"))
        .filter(|word| word.ends_with(|letter: char| letter.is_ascii_digit()))
}

#[test]
fn every_clause_that_a_file_names_is_in_the_register() {
    let known: BTreeSet<_> = Clause::all().map(Clause::id).collect();
    let mut named = BTreeSet::new();
    for path in files("rs").into_iter().chain(files("ron")).chain(files("md")) {
        // Tests of the register itself ask for clauses that do not exist.
        if path.components().any(|part| part.as_os_str() == "tests")
            || path.file_stem().is_some_and(|stem| stem == "tests")
            || path.starts_with(root().join("models"))
            || path.ends_with("cites.rs")
            || path.ends_with("nearest.rs")
        {
            continue;
        }
        for word in clause_words(&read(&path)) {
            assert!(known.contains(word), "{} names {word}", path.display());
            named.insert(word.to_owned());
        }
    }
    assert!(named.len() > 20, "only {named:?} are named");
}

#[test]
fn neither_system_imports_the_other() {
    let core = root().join("firmware-core/src");
    for (system, other) in [("wg_mgr", "m3_read"), ("m3_read", "wg_mgr")] {
        for path in files("rs").iter().filter(|path| path.starts_with(core.join(system))) {
            let imports = read(path).lines().any(|line| {
                line.trim_start().starts_with("use ") && line.contains(&format!("{other}::"))
            });
            assert!(!imports, "{} imports {other}", path.display());
        }
    }
}

#[test]
fn every_scenario_has_its_text_and_every_text_its_scenario() {
    let judged = |path: &&PathBuf| {
        let parent = path.parent().and_then(|folder| folder.file_name());
        parent.is_some_and(|folder| folder != "costs" && folder != "counterexamples")
    };
    let stems = |extension: &str| -> BTreeSet<PathBuf> {
        let found = files(extension);
        let scenarios = found.iter().filter(|path| path.starts_with(root().join("scenarios")));
        scenarios.filter(judged).map(|path| path.with_extension("")).collect()
    };
    assert_eq!(stems("ron"), stems("snap"));
}

/// Paths that documents name in code marks, with a slash in them.
#[test]
fn every_path_that_a_document_names_exists() {
    let mut documents = files("md");
    documents.push(root().join("README.md"));
    for document in documents {
        let text = read(&document);
        let marked = text.split('`').skip(1).step_by(2);
        for word in marked.flat_map(str::split_whitespace) {
            let looks_like_a_path =
                [".ron", ".rs", ".md", ".snap"].iter().any(|end| word.ends_with(end));
            if looks_like_a_path && word.contains('/') && !word.contains(['*', '<', '{']) {
                let beside = document.parent().expect("a document lies in a folder").join(word);
                let exists = root().join(word).exists() || beside.exists();
                assert!(exists, "{} names {word}", document.display());
            }
        }
    }
}
