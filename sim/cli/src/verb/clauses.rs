//! `clauses`: which clause has code, tests, mutants, properties and scenarios; and the gate, which
//! tries all mutants and asks that each clause that must hold has one killed by a test that cites it.
use clap::Args;
use mutant_runner::clauses;
use mutant_runner::command::CommandError;
use mutant_runner::gather;
use mutant_runner::mutant::Mutant;
use mutant_runner::report;
use mutant_runner::run::{self, Manner, Verdict};

use super::{mutants, print};
use crate::args::Format;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};
use crate::tree::Tree;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash clauses
  preflash clauses --format json
  preflash clauses --gate

The matrix is read from the source tree around the working directory. --gate builds the cores with
all mutants in them and tries each; it ends with 0 when every clause that must hold has a mutant
killed by a test that cites it, 3 when one has not, 4 when the tests fail without any mutant.";

/// What `clauses` takes.
#[derive(Debug, Args)]
pub(crate) struct ClausesArgs {
    /// Tries all mutants, and asks that every clause that must hold has one killed.
    #[arg(long)]
    pub(crate) gate: bool,
    /// For people or for machines.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

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
    eprintln!(
        "{} mutants are built and tried; each that is not killed is named when it is known",
        catalogue.entries.len()
    );
    let mutants = gather::written(&tree.subject, &catalogue).map_err(CommandError::from);
    let tried =
        mutants.and_then(|mutants| Ok(run::run(&tree.subject, mutants, Manner::default(), &open)?));
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
