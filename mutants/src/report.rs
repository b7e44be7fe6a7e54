//! What a run prints: a line per mutant, a table per clause, and the exit code.
use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::mutant::Mutant;
use crate::outcome::Kind;
use crate::run::{Run, Verdict};

/// How the program ends, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every written mutant is killed by a test that cites its clause, or equivalent.
    Met = 0,
    /// The flags or the catalogue are wrong; nothing was tried.
    Usage = 2,
    /// At least one written mutant is neither killed nor equivalent.
    Gate = 3,
    /// The unchanged crate's tests fail; nothing was judged.
    Baseline = 4,
    /// A test of the unchanged crate passes once and fails once; nothing was judged.
    Flaky = 8,
    /// A trial could not be carried out: a file or a program was not there.
    Internal = 70,
}

impl Exit {
    /// What the verdicts on written mutants lead to. Generated ones are listed and close no gate:
    /// whether one is worth a test is for a person to say, who then writes it down.
    pub fn of(run: &Run) -> Self {
        let settled = |verdict: &Verdict| {
            !run.mutants[verdict.mutant].is_written() || verdict.outcome.kind().is_settled()
        };
        if run.verdicts.iter().all(settled) { Self::Met } else { Self::Gate }
    }
}

/// The line of one mutant. What it changes is said only where somebody has to look at it.
pub fn line(mutant: &Mutant, verdict: &Verdict) -> String {
    let kind = verdict.outcome.kind();
    let mut line = format!("{kind:<12}{:<30}", mutant.id);
    let detail = verdict.outcome.detail();
    if !detail.is_empty() {
        line = line + "  " + &detail;
    }
    if verdict.alone {
        line += "  (built alone)";
    }
    if kind == Kind::Killed {
        return line;
    }
    line = format!("{line}\n    {}: {}", mutant.file.display(), mutant.what);
    if kind != Kind::Equivalent && !mutant.killers().is_empty() {
        line = format!("{line}\n    expected: {}", mutant.killers().join(", "));
    }
    line
}

/// What a run says in the end: written mutants per clause, generated ones per operator.
pub fn summary(run: &Run) -> String {
    let mut text = String::new();
    let rows = |written: bool| {
        let mut rows: Vec<(String, Kind)> = Vec::new();
        for verdict in &run.verdicts {
            let mutant = &run.mutants[verdict.mutant];
            let row = match &mutant.origin {
                crate::mutant::Origin::Catalogue { .. } => mutant.clauses.first().cloned(),
                crate::mutant::Origin::Generated(operator) => Some(operator.name().to_owned()),
            };
            if mutant.is_written() == written {
                rows.push((row.unwrap_or_default(), verdict.outcome.kind()));
            }
        }
        rows
    };
    for (title, rows) in [("clause", rows(true)), ("generated", rows(false))] {
        if !rows.is_empty() {
            put(&mut text, &table(title, &rows));
            put(&mut text, "\n\n");
        }
    }
    let alone = run.verdicts.iter().filter(|verdict| verdict.alone).count();
    let seconds = |took: std::time::Duration| took.as_secs_f32();
    let line = format!(
        "{} mutants, {} tests, {} of them long: weave and build {:.1} s, baseline {:.1} s, \
        trials {:.1} s, {alone} built alone, {} generated ones left out where the compiler \
        evaluates\n",
        run.verdicts.len(),
        run.tests.len(),
        run.long,
        seconds(run.build),
        seconds(run.baseline),
        seconds(run.trials),
        run.left_out,
    );
    put(&mut text, &line);
    text
}

/// One row per name, one column per kind of outcome that occurs, and a row of sums.
fn table(title: &str, verdicts: &[(String, Kind)]) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<Kind, usize>> = BTreeMap::new();
    let mut sums: BTreeMap<Kind, usize> = BTreeMap::new();
    for (row, kind) in verdicts {
        *rows.entry(row).or_default().entry(*kind).or_default() += 1;
        *sums.entry(*kind).or_default() += 1;
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| sums.contains_key(kind)).collect();
    let mut text = format!("{title:<16}");
    for kind in &kinds {
        text = text + "  " + kind.name();
    }
    for (row, counts) in rows.into_iter().chain([("all", sums)]) {
        put(&mut text, &format!("\n{row:<16}"));
        for kind in &kinds {
            let count = counts.get(kind).copied().unwrap_or(0);
            put(&mut text, &format!("  {count:>width$}", width = kind.name().len()));
        }
    }
    text
}

fn put(text: &mut String, more: &str) {
    text.write_str(more).expect("a string takes whatever is written to it");
}
