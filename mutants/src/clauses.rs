//! The matrix clause × code × test × mutant × property × scenario, read from the source tree, and
//! the gate over it.
//!
//! ```text
//!   //! Clauses: WG-HB-1.      code       /// Cites WG-HB-1.      test
//!   clause: "WG-HB-1"          mutant     cites: "WG-HB-1"        scenario
//!   Demand { clause, name }    property
//! ```
//!
//! # Why at run time
//!
//! The columns are text of the tree: comments, catalogue and scenario files. They are read where the
//! command runs and not built into it, so that the answer is about the tree as it is now. Properties
//! alone are typed values of the models ([`demands`]), and those of the build that runs.
//!
//! A clause is covered when code names it and a mutant of it is killed by a test that cites it; which
//! mutants are, only a run can say. Without one the column says how many there are.
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use models::clause::{Clause, Level};
use models::demands::{self, Demand};
use serde_json::{Value, json};

use crate::catalogue::Catalogue;
use crate::cites::{self, Citation};
use crate::outcome::Kind;
use crate::run::Run;
use crate::subject::Subject;

/// What the tree has for one clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The clause.
    pub clause: Clause,
    /// Source files whose documentation lists it.
    pub code: Vec<PathBuf>,
    /// Tests that cite it.
    pub tests: Vec<Citation>,
    /// Its mutants, with their outcomes when they were tried.
    pub mutants: Vec<(String, Option<Kind>)>,
    /// Properties of the models that demand it, by name.
    pub properties: Vec<String>,
    /// Scenarios with an expectation that cites it.
    pub scenarios: Vec<PathBuf>,
}

impl Row {
    /// Whether the clause has to be covered.
    pub const fn is_must(&self) -> bool {
        matches!(self.clause.entry().level, Level::Shall)
    }

    /// Whether code names the clause, and a test that cites it killed a mutant of it.
    pub fn is_covered(&self) -> bool {
        !self.code.is_empty() && self.has_kill()
    }

    fn has_kill(&self) -> bool {
        self.mutants.iter().any(|(_, kind)| *kind == Some(Kind::Killed))
    }
}

/// A clause that has to be covered and is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The clause.
    pub clause: Clause,
    /// What is missing, in one sentence.
    pub missing: String,
    /// The nearest test that could cite it, and why that one.
    pub nearest: Option<(String, &'static str)>,
}

/// Reads the tree; `run` says what became of the mutants.
///
/// # Errors
/// When a folder of the tree cannot be read.
pub fn rows(subject: &Subject, catalogue: &Catalogue, run: Option<&Run>) -> io::Result<Vec<Row>> {
    let tree = Tree::read(subject)?;
    let demands = demands::all();
    let demanded = |it: &Demand| it.name.to_owned();
    let row = |clause: Clause| {
        let id = clause.id();
        let entries = catalogue.entries.iter().filter(|entry| entry.clause == id);
        let outcome = |entry: &str| {
            let run = run?;
            let verdict = run.verdicts.iter().find(|it| run.mutants[it.mutant].id == entry)?;
            Some(verdict.outcome.kind())
        };
        Row {
            clause,
            code: with(&tree.code, id),
            tests: tree.tests.iter().filter(|it| it.clauses.contains(id)).cloned().collect(),
            mutants: entries.map(|entry| (entry.id.clone(), outcome(&entry.id))).collect(),
            properties: demands.iter().filter(|it| it.clause == clause).map(demanded).collect(),
            scenarios: with(&tree.scenarios, id),
        }
    };
    Ok(Clause::all().map(row).collect())
}

/// The clauses that have to be covered and are not, in the order of the register.
pub fn gaps(rows: &[Row], run: &Run) -> Vec<Gap> {
    let open = rows.iter().filter(|row| row.is_must() && !row.is_covered());
    open.map(|row| Gap {
        clause: row.clause,
        missing: missing(row),
        nearest: nearest(row, rows, run),
    })
    .collect()
}

fn missing(row: &Row) -> String {
    let (code, tests) = (!row.code.is_empty(), !row.tests.is_empty());
    let text = match (code, tests, !row.mutants.is_empty()) {
        (false, _, _) if row.has_kill() => "a mutant of it is killed, but no code names it",
        (false, false, false) => "no code names it, no test cites it, it has no mutant",
        (false, true, false) => "tests cite it, but no code names it, and it has no mutant",
        (true, false, false) => "code names it, but no test cites it, and it has no mutant",
        (true, true, false) => "code names it and tests cite it, but it has no mutant",
        (_, false, true) => "it has mutants, and no test cites it",
        (_, true, true) => "it has mutants, and no test that cites it kills one",
    };
    text.to_owned()
}

/// A test that killed one of its mutants without citing it; else one beside code that names it;
/// else one that cites the clause with the most similar id.
fn nearest(row: &Row, rows: &[Row], run: &Run) -> Option<(String, &'static str)> {
    let id = row.clause.id();
    let killed = run.verdicts.iter().find(|verdict| {
        let mutant = &run.mutants[verdict.mutant];
        mutant.is_written()
            && mutant.clauses.iter().any(|it| it == id)
            && verdict.outcome.kind() == Kind::Collateral
    });
    if let Some(test) = killed.and_then(|verdict| verdict.outcome.tests().first()) {
        return Some((test.clone(), "it kills a mutant of the clause and does not cite it"));
    }
    let stems: BTreeSet<_> = row.code.iter().filter_map(|path| path.file_stem()).collect();
    let beside = rows.iter().flat_map(|row| &row.tests);
    let beside = beside.filter(|it| it.file.file_stem().is_some_and(|stem| stems.contains(stem)));
    if let Some(citation) = beside.min() {
        return Some((citation.test.clone(), "it tests a module that names the clause"));
    }
    let cited = rows.iter().filter(|row| !row.tests.is_empty());
    let similar = cited.min_by_key(|row| strsim::osa_distance(row.clause.id(), id))?;
    let test = similar.tests.first()?.test.clone();
    Some((test, "it cites the clause with the most similar id"))
}

/// Folders of packages whose code and tests count although nothing may be woven into them.
const OTHERS: [&str; 2] = ["sim", "sim/cli"];

/// What the columns are read from, each text once.
struct Tree {
    /// For each source file the clauses that its documentation names.
    code: Vec<(PathBuf, BTreeSet<String>)>,
    tests: Vec<Citation>,
    /// For each scenario the clauses that its expectations cite.
    scenarios: Vec<(PathBuf, BTreeSet<String>)>,
}

impl Tree {
    fn read(subject: &Subject) -> io::Result<Self> {
        let known = &subject.clauses;
        let (mut files, mut tree) =
            (Vec::new(), Self { code: vec![], tests: vec![], scenarios: vec![] });
        let parts = subject.parts.iter().map(|part| part.folder.as_path());
        let folders: BTreeSet<&Path> = parts.chain(OTHERS.map(Path::new)).collect();
        for part in folders {
            let folder = subject.workspace.join(part);
            for below in ["src", "tests"].iter().filter(|below| folder.join(below).exists()) {
                collect(&folder.join(below), "rs", &mut files)?;
            }
        }
        for (path, text) in read_all(&subject.workspace, files)? {
            tree.tests.extend(cites::citations(&path, &text, known));
            if path.components().any(|part| part.as_os_str() == "src") {
                let docs = text.lines().filter_map(|line| line.strip_prefix("//!"));
                let docs: String = docs.flat_map(|line| [line, "\n"]).collect();
                tree.code.push((path, cites::names(&docs, known)));
            }
        }
        let (scenarios, mut found) = (subject.workspace.join("scenarios"), Vec::new());
        if scenarios.exists() {
            collect(&scenarios, "ron", &mut found)?;
        }
        for (path, text) in read_all(&subject.workspace, found)? {
            let quotes = text.split("cites:").skip(1).filter_map(|it| it.split('"').nth(1));
            let cited = quotes.flat_map(|quoted| cites::names(quoted, known)).collect();
            tree.scenarios.push((path, cited));
        }
        Ok(tree)
    }
}

/// The files that have this clause.
fn with(files: &[(PathBuf, BTreeSet<String>)], id: &str) -> Vec<PathBuf> {
    let has = |(_, clauses): &&(PathBuf, BTreeSet<String>)| clauses.contains(id);
    files.iter().filter(has).map(|(path, _)| path.clone()).collect()
}

fn read_all(workspace: &Path, paths: Vec<PathBuf>) -> io::Result<Vec<(PathBuf, String)>> {
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path)?;
        Ok((path.strip_prefix(workspace).unwrap_or(&path).to_owned(), text))
    };
    paths.into_iter().map(read).collect()
}

fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, extension, found)?;
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
    Ok(())
}

/// The matrix as a table of counts; mutants as killed of all when they were tried.
pub fn render(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<20}{:<9} {:>5} {:>6} {:>9} {:>9} {:>9}\n",
        "clause", "level", "code", "tests", "mutants", "property", "scenario"
    );
    for row in rows {
        let killed = row.mutants.iter().filter(|(_, kind)| *kind == Some(Kind::Killed)).count();
        let tried = row.mutants.iter().any(|(_, kind)| kind.is_some());
        let all = row.mutants.len();
        let mutants = if tried { format!("{killed}/{all}") } else { all.to_string() };
        let line = format!(
            "{:<20}{:<9} {:>5} {:>6} {:>9} {:>9} {:>9}\n",
            row.clause.id(),
            row.clause.entry().level,
            row.code.len(),
            row.tests.len(),
            mutants,
            row.properties.len(),
            row.scenarios.len()
        );
        put(&mut text, &line);
    }
    text
}

/// One page about a clause: what stands behind each count.
pub fn page(row: &Row) -> String {
    let mut text = String::new();
    let mut column = |name: &str, cells: Vec<String>| {
        let mut label = name;
        for cell in &cells {
            put(&mut text, &format!("{label:<10}{cell}\n"));
            label = "";
        }
        if cells.is_empty() {
            put(&mut text, &format!("{label:<10}none\n"));
        }
    };
    let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    column("code", paths(&row.code));
    let test = |it: &Citation| format!("{}  {}:{}", it.test, it.file.display(), it.line);
    column("tests", row.tests.iter().map(test).collect());
    column("mutants", row.mutants.iter().map(|(id, _)| id.clone()).collect());
    column("property", row.properties.clone());
    column("scenario", paths(&row.scenarios));
    text
}

/// What is missing, clause by clause, with the nearest test.
pub fn render_gaps(gaps: &[Gap]) -> String {
    let mut text = String::new();
    for gap in gaps {
        put(&mut text, &format!("{}: {}\n", gap.clause.id(), gap.missing));
        if let Some((test, why)) = &gap.nearest {
            put(&mut text, &format!("    nearest test: {test} ({why})\n"));
        }
    }
    text
}

/// The matrix for machines.
pub fn to_json(rows: &[Row], gaps: Option<&[Gap]>) -> Value {
    let row = |row: &Row| {
        let mutant = |(id, kind): &(String, Option<Kind>)| json!({ "id": id, "outcome": kind.map(Kind::name) });
        let test = |it: &Citation| json!({ "name": it.test, "file": it.file, "line": it.line });
        json!({
            "clause": row.clause.id(),
            "level": row.clause.entry().level.to_string(),
            "must": row.is_must(),
            "covered": row.is_covered(),
            "code": row.code,
            "tests": row.tests.iter().map(test).collect::<Vec<_>>(),
            "mutants": row.mutants.iter().map(mutant).collect::<Vec<_>>(),
            "properties": row.properties,
            "scenarios": row.scenarios,
        })
    };
    let gap = |gap: &Gap| {
        json!({
            "clause": gap.clause.id(),
            "missing": gap.missing,
            "nearest_test": gap.nearest.as_ref().map(|(test, _)| test),
        })
    };
    json!({
        "clauses": rows.iter().map(row).collect::<Vec<_>>(),
        "gaps": gaps.map(|gaps| gaps.iter().map(gap).collect::<Vec<_>>()),
    })
}

fn put(text: &mut String, more: &str) {
    text.write_str(more).expect("a string takes whatever is written to it");
}
