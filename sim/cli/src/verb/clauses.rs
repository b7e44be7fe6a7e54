//! `clauses`: which clause has code, tests, mutants, properties and scenarios; and the gate, which
//! tries all mutants and asks that each clause that must hold has one killed by a test that cites it.
use mutant_runner::clauses;
use mutant_runner::command::CommandError;
use mutant_runner::gather;
use mutant_runner::mutant::Mutant;
use mutant_runner::report;
use mutant_runner::run::{self, Verdict};

use super::{mutants, print};
use crate::args::{ClausesArgs, Format};
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};
use crate::tree::Tree;

/// Prints the matrix, and with `--gate` what is missing in it.
pub(crate) fn run(args: &ClausesArgs) -> Result<Exit, Refusal> {
    let tree = Tree::find()?;
    let catalogue = tree.catalogue()?;
    let unreadable = |error: std::io::Error| {
        Plain::refuse(format!("the tree cannot be read: {error}"), "check its files")
    };
    if !args.gate {
        let rows = clauses::rows(&tree.subject, &catalogue, None).map_err(unreadable)?;
        print(&match args.format {
            Format::Text => clauses::render(&rows),
            Format::Json => format!("{:#}\n", clauses::to_json(&rows, None)),
        })?;
        return Ok(Exit::Holds);
    }
    let open = |mutant: &Mutant, verdict: &Verdict| {
        if !verdict.outcome.kind().is_settled() {
            eprintln!("{}", report::line(mutant, verdict));
        }
    };
    let mutants = gather::written(&tree.subject, &catalogue).map_err(CommandError::from);
    let tried = mutants.and_then(|mutants| Ok(run::run(&tree.subject, mutants, false, &open)?));
    let run = match tried {
        Ok(run) => run,
        Err(error) => return mutants::refused(&error),
    };
    let rows = clauses::rows(&tree.subject, &catalogue, Some(&run)).map_err(unreadable)?;
    let gaps = clauses::gaps(&rows, &run);
    print(&match args.format {
        Format::Text => format!("{}\n{}", clauses::render(&rows), clauses::render_gaps(&gaps)),
        Format::Json => format!("{:#}\n", clauses::to_json(&rows, Some(&gaps))),
    })?;
    Ok(if gaps.is_empty() { Exit::Holds } else { Exit::Gate })
}
