//! The mutant runner's command line: tries the shipped catalogue, or a part of it.
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;
use mutant_runner::command;
use mutant_runner::shipped::ShippedArguments;

/// Puts faults into a copy of the firmware cores; their tests have to notice each.
#[derive(Debug, Parser)]
#[command(name = "mutant-runner", version, after_help = EXITS)]
struct Line {
    #[command(flatten)]
    shipped: ShippedArguments,
}

const EXITS: &str = "Exit codes: 0 all killed by tests that cite their clauses, 2 flags or \
    catalogue wrong, 3 some were not, 4 the unchanged core already fails, 8 a test passes once and \
    fails once, 70 a trial could not be carried out.";

fn main() -> ExitCode {
    let line = Line::parse();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = here.parent().unwrap_or(here);
    let subject = line.shipped.subject(workspace);
    let mut out = std::io::stdout().lock();
    let ended = command::carry_out(&line.shipped.arguments, &subject, &mut out);
    let exit = ended.unwrap_or_else(|error| {
        eprintln!("mutant-runner: {error}");
        error.exit()
    });
    ExitCode::from(exit as u8)
}
