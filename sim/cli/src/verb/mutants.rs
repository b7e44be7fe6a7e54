//! `mutants`: faults of the cores, each tried against the tests that have to notice it.
use mutant_runner::command::{self, CommandError};
use mutant_runner::shipped::ShippedArguments;

use super::print;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};
use crate::tree::{self, Tree};

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash mutants --list --clause WG-DISCO-1
  preflash mutants --clause ER-5 --matrix
  preflash mutants --world

Ends with 0 when every mutant is killed by a test that cites its clause, 2 when a flag or the
catalogue is wrong, 3 when a mutant is not killed, 4 when the tests fail without any mutant, 8 when
a test passes once and fails once.";

/// Tries or lists the mutants that the flags leave.
pub(crate) fn run(args: &ShippedArguments) -> Result<Exit, Refusal> {
    let tree = Tree::find()?;
    let mut out = Vec::new();
    match command::carry_out(&args.arguments, &args.subject(&tree.root), &mut out) {
        Ok(ended) => {
            print(&String::from_utf8_lossy(&out))?;
            Ok(tree::exit(ended))
        }
        Err(error) => refused(&error),
    }
}

/// What cannot be tried: wrong use is refused like any other, the rest has a code of its own.
pub(crate) fn refused(error: &CommandError) -> Result<Exit, Refusal> {
    match tree::exit(error.exit()) {
        Exit::Usage => {
            Err(Plain::refuse(error.to_string(), "`preflash mutants --list` shows what there is"))
        }
        exit => {
            eprintln!("{error}");
            Ok(exit)
        }
    }
}
