//! The preflash command line: what will this firmware do under that load?
//!
//! ```text
//!  argv ──args──► one verb ──► stdout: the result   stderr: seed, progress, errors
//!                     └──────► exit: one code per kind of end
//! ```
mod args;
mod exit;
mod interrupt;
mod progress;
mod refusal;
mod shell;
mod tree;
mod verb;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use self::args::{Cli, Verb};
use self::exit::Exit;

fn main() -> ExitCode {
    refusal::draw_errors();
    let cli = Cli::parse();
    ExitCode::from(guarded(|| dispatch(&cli)).code())
}

fn dispatch(cli: &Cli) -> Exit {
    let ended = match &cli.verb {
        Verb::Run(args) => verb::run::run(args),
        Verb::Check(args) => verb::check::run(args),
        Verb::Compare(args) => verb::compare::run(args),
        Verb::Bound(args) => verb::bound::run(args),
        Verb::Replay(args) => verb::replay::run(args),
        Verb::Trace(args) => verb::trace::run(args),
        Verb::Explain(args) => verb::explain::run(args),
        Verb::Clauses(args) => verb::clauses::run(args),
        Verb::Mutants(args) => verb::mutants::run(args),
        Verb::Schema(args) => verb::schema::run(args),
        Verb::Completions(args) => verb::completions::run(args),
    };
    ended.unwrap_or_else(|refusal| {
        eprintln!("{refusal:?}");
        Exit::Usage
    })
}

/// Turns a mistake of ours into its exit code; the message has been printed by then.
fn guarded(run: impl FnOnce() -> Exit) -> Exit {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        eprintln!("This is a mistake in preflash itself, not in your input.");
        Exit::Internal
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_of_ours_ends_with_the_internal_code() {
        assert_eq!(guarded(|| panic!("a mistake")), Exit::Internal);
        assert_eq!(guarded(|| Exit::Holds), Exit::Holds);
    }
}
