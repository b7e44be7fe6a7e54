//! Results as JSON in the schema of mutation-testing-elements, version 2, so that its viewers open
//! them; what the schema has no word for stands in `statusReason` and `description`.
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::mutant::{Mutant, Origin};
use crate::outcome::Kind;
use crate::run::{Run, Verdict};

/// Mutants that nobody has tried.
pub fn listed(mutants: &[Mutant], workspace: &Path) -> Value {
    let mut files = Files::new(workspace);
    for mutant in mutants {
        files.add(mutant, json!({ "status": "Pending" }));
    }
    files.report(json!({}))
}

/// Mutants with their verdicts, and the tests that decided them.
pub fn judged(run: &Run, workspace: &Path) -> Value {
    let mut files = Files::new(workspace);
    for verdict in &run.verdicts {
        files.add(&run.mutants[verdict.mutant], of_verdict(run, verdict));
    }
    let mut tests: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for (index, test) in run.tests.iter().enumerate() {
        let (folder, target) = &run.homes[index];
        let file = format!("{} {target}", folder.display());
        tests.entry(file).or_default().push(json!({
            "id": index.to_string(),
            "name": test.path,
        }));
    }
    let tests: BTreeMap<String, Value> =
        tests.into_iter().map(|(file, tests)| (file, json!({ "tests": tests }))).collect();
    files.report(json!(tests))
}

fn of_verdict(run: &Run, verdict: &Verdict) -> Value {
    let kind = verdict.outcome.kind();
    let status = match kind {
        Kind::Killed | Kind::Collateral | Kind::Flaky => "Killed",
        Kind::Survived if verdict.reached_by.is_empty() => "NoCoverage",
        Kind::Survived => "Survived",
        Kind::Unviable => "CompileError",
        Kind::Crashed => "RuntimeError",
        Kind::TimedOut => "Timeout",
        Kind::NotApplied | Kind::Equivalent => "Ignored",
    };
    let ids = |tests: Vec<usize>| -> Vec<String> {
        tests.into_iter().map(|test| test.to_string()).collect()
    };
    let killed_by = verdict.said.iter().filter(|(test, _)| {
        verdict.outcome.tests().iter().any(|name| run.tests[**test].function() == name)
    });
    json!({
        "status": status,
        "statusReason": format!("{kind}: {}", verdict.outcome.detail()),
        "killedBy": ids(killed_by.map(|(&test, _)| test).collect()),
        "coveredBy": ids(verdict.reached_by.clone()),
        "testsCompleted": verdict.said.len(),
        "static": verdict.alone,
        "duration": verdict.took.as_secs_f64() * 1_000.0,
    })
}

/// The files of a report, with their texts.
struct Files<'a> {
    workspace: &'a Path,
    files: BTreeMap<PathBuf, (String, Vec<Value>)>,
}

impl<'a> Files<'a> {
    fn new(workspace: &'a Path) -> Self {
        Self { workspace, files: BTreeMap::new() }
    }

    fn add(&mut self, mutant: &Mutant, verdict: Value) {
        let read = || fs::read_to_string(self.workspace.join(&mutant.file)).unwrap_or_default();
        let file = self.files.entry(mutant.file.clone()).or_insert_with(|| (read(), vec![]));
        let (range, replacement) = match &mutant.change {
            Ok(change) => (change.range.clone(), change.text.clone()),
            Err(_) => (0..0, String::new()),
        };
        let name = match &mutant.origin {
            Origin::Catalogue { .. } => "catalogue",
            Origin::Generated(operator) => operator.name(),
        };
        let mut value = json!({
            "id": mutant.id,
            "mutatorName": name,
            "description": format!("{} ({})", mutant.what, mutant.clauses.join(", ")),
            "replacement": replacement,
            "location": { "start": place(&file.0, range.start), "end": place(&file.0, range.end) },
        });
        if let (Value::Object(value), Value::Object(verdict)) = (&mut value, verdict) {
            value.extend(verdict);
        }
        file.1.push(value);
    }

    fn report(self, tests: Value) -> Value {
        let files: BTreeMap<String, Value> = self
            .files
            .into_iter()
            .map(|(path, (source, mutants))| {
                let file = json!({ "language": "rust", "source": source, "mutants": mutants });
                (path.display().to_string(), file)
            })
            .collect();
        json!({
            "schemaVersion": "2",
            "thresholds": { "high": 100, "low": 100 },
            "framework": { "name": "mutant-runner", "version": env!("CARGO_PKG_VERSION") },
            "files": files,
            "testFiles": tests,
        })
    }
}

/// Line and column, from 1.
fn place(text: &str, at: usize) -> Value {
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |line| line + 1);
    let column = before[start..].chars().count() + 1;
    json!({ "line": before.matches('\n').count() + 1, "column": column })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::{Change, Shape};

    #[test]
    fn a_listed_mutant_has_its_place_in_its_file() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.rs"), "fn f() {\n    g(1)\n}\n").expect("writable");
        let mutant = Mutant {
            id: "C-1/M1".to_owned(),
            clauses: vec!["C-1".to_owned()],
            what: "It lies.".to_owned(),
            file: "a.rs".into(),
            change: Ok(Change { range: 15..16, text: "2".to_owned(), shape: Shape::Whole }),
            origin: Origin::Catalogue { killers: vec!["t".to_owned()], equivalent: None },
        };
        let report = listed(&[mutant], folder.path());
        let found = &report["files"]["a.rs"]["mutants"][0];
        assert_eq!(found["status"], "Pending");
        assert_eq!(found["description"], "It lies. (C-1)");
        assert_eq!(found["location"]["start"], json!({ "line": 2, "column": 7 }));
        assert_eq!(found["location"]["end"], json!({ "line": 2, "column": 8 }));
        assert_eq!(report["schemaVersion"], "2");
    }
}
