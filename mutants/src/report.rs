//! What a run prints: a line per mutant, a table per clause, and the exit code.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use crate::catalogue::Mutant;
use crate::outcome::{Kind, Outcome};

/// A mutant and what its trial said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict<'a> {
    /// The mutant.
    pub mutant: &'a Mutant,
    /// What its trial said.
    pub outcome: Outcome,
    /// How long the trial took.
    pub took: Duration,
}

/// How the program ends, as scripts see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Every mutant tried was killed by a test that its entry names.
    AllKilled = 0,
    /// The flags or the catalogue are wrong; nothing was tried.
    Usage = 2,
    /// At least one mutant was not killed by a test that its entry names.
    Gate = 3,
    /// The unchanged crate's tests fail; nothing was judged.
    Baseline = 4,
    /// A trial could not be carried out: a file or a program was not there.
    Internal = 70,
}

impl Exit {
    /// What the verdicts lead to.
    pub fn of(verdicts: &[Verdict<'_>]) -> Self {
        let killed = |verdict: &Verdict<'_>| verdict.outcome.kind() == Kind::Killed;
        if verdicts.iter().all(killed) { Self::AllKilled } else { Self::Gate }
    }
}

/// The line of one mutant. What it changes is said only where somebody has to look at it.
pub fn line(verdict: &Verdict<'_>) -> String {
    let Verdict { mutant, outcome, took } = verdict;
    let mut line = format!("{:<17}{:<28}{:>6.1} s", outcome.kind(), mutant.id, took.as_secs_f32());
    let detail = outcome.detail();
    if !detail.is_empty() {
        line = line + "  " + &detail;
    }
    if outcome.kind() != Kind::Killed {
        let file = mutant.file.display();
        let (what, killers) = (&mutant.what, mutant.killers.join(", "));
        line = format!("{line}\n    {file}: {what}\n    expected: {killers}");
    }
    line
}

/// One row per clause, one column per kind of outcome that occurs, and a row of sums.
pub fn table(verdicts: &[Verdict<'_>]) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<Kind, usize>> = BTreeMap::new();
    let mut sums: BTreeMap<Kind, usize> = BTreeMap::new();
    for verdict in verdicts {
        let kind = verdict.outcome.kind();
        *rows.entry(&verdict.mutant.clause).or_default().entry(kind).or_default() += 1;
        *sums.entry(kind).or_default() += 1;
    }
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| sums.contains_key(kind)).collect();
    let mut text = format!("{:<14}", "clause");
    for kind in &kinds {
        text = text + "  " + kind.name();
    }
    for (clause, counts) in rows.into_iter().chain([("all", sums)]) {
        let _infallible = write!(text, "\n{clause:<14}");
        for kind in &kinds {
            let count = counts.get(kind).copied().unwrap_or(0);
            let _infallible = write!(text, "  {count:>width$}", width = kind.name().len());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(clause: &str, name: &str) -> Mutant {
        Mutant {
            id: format!("{clause}/{name}"),
            clause: clause.to_owned(),
            what: "It lies.".to_owned(),
            file: "a.rs".into(),
            anchor: "a".to_owned(),
            replace: "b".to_owned(),
            killers: vec!["t".to_owned()],
        }
    }

    #[test]
    fn a_survivor_closes_the_gate_and_says_what_it_changed() {
        let (first, second) = (mutant("C-1", "M1"), mutant("C-2", "M1"));
        let by = vec!["t".to_owned()];
        let took = Duration::from_millis(1_500);
        let killed = Verdict { mutant: &first, outcome: Outcome::Killed { by }, took };
        let survived = Verdict { mutant: &second, outcome: Outcome::Survived, took };
        assert_eq!(line(&killed), "killed           C-1/M1                         1.5 s  t");
        assert_eq!(
            line(&survived),
            "survived         C-2/M1                         1.5 s\n    a.rs: It lies.\n    expected: t"
        );
        assert_eq!(Exit::of(std::slice::from_ref(&killed)), Exit::AllKilled);
        assert_eq!(
            table(&[killed.clone(), survived.clone(), killed.clone()]),
            "clause          killed  survived\n\
             C-1                  2         0\n\
             C-2                  0         1\n\
             all                  2         1"
        );
        assert_eq!(Exit::of(&[killed, survived]), Exit::Gate);
    }

    #[test]
    fn only_a_kill_by_a_named_test_opens_the_gate() {
        let mutant = mutant("C-1", "M1");
        for outcome in [
            Outcome::KilledByOthers { by: vec!["u".to_owned()] },
            Outcome::NotApplied { matches: 2 },
            Outcome::Unviable { error: "no".to_owned() },
            Outcome::TimedOut,
            Outcome::Crashed,
        ] {
            let verdict = Verdict { mutant: &mutant, outcome, took: Duration::ZERO };
            assert_eq!(Exit::of(std::slice::from_ref(&verdict)), Exit::Gate);
            assert!(line(&verdict).starts_with(verdict.outcome.kind().name()));
        }
    }
}
