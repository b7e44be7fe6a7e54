//! The whole kill matrix: what every test that reaches a mutant said about it.
use std::fmt::Write as _;

use crate::run::Run;
use crate::suite::Said;

/// One row per mutant, one column per test that reaches at least one, numbered in a list above:
/// `K` failed, `T` out of steps, `C` crashed, `.` passed, blank not reached.
pub fn render(run: &Run) -> String {
    let asked = |test: &usize| run.verdicts.iter().any(|verdict| verdict.said.contains_key(test));
    let tests: Vec<usize> = (0..run.tests.len()).filter(asked).collect();
    let mut text = String::new();
    for (column, &test) in tests.iter().enumerate() {
        let (folder, target) = &run.homes[test];
        let home = folder.display();
        put(&mut text, &format!("{column:>4}  {home}:{target} {}\n", run.tests[test].path));
    }
    for verdict in &run.verdicts {
        let cells: String = tests
            .iter()
            .map(|test| match verdict.said.get(test) {
                Some(Said::Failed) => 'K',
                Some(Said::TimedOut) => 'T',
                Some(Said::Crashed) => 'C',
                Some(Said::Passed) => '.',
                None => ' ',
            })
            .collect();
        let id = &run.mutants[verdict.mutant].id;
        put(&mut text, &format!("{id:<34}{:<12}|{cells}|\n", verdict.outcome.kind()));
    }
    text
}

fn put(text: &mut String, more: &str) {
    text.write_str(more).expect("a string takes whatever is written to it");
}
