//! The mutant runner's command line: tries the firmware core's catalogue, or a part of it.
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use mutant_runner::catalogue::{Catalogue, Mutant};
use mutant_runner::report::{self, Exit, Verdict};
use mutant_runner::trial::{BaselineError, Subject, Workshop};

/// Puts one fault after another into a copy of the firmware core; its tests have to notice each.
#[derive(Debug, Parser)]
#[command(name = "mutant-runner", version, after_help = EXITS)]
struct Arguments {
    /// Prints the mutants and tries none.
    #[arg(long)]
    list: bool,
    /// Only the mutants of this clause, such as WG-DISCO-1.
    #[arg(long, value_name = "C")]
    clause: Option<String>,
    /// Only the mutant with this id, such as WG-DISCO-1/M1.
    #[arg(long)]
    id: Option<String>,
}

const EXITS: &str = "Exit codes: 0 all killed by the tests named, 2 flags or catalogue wrong, \
    3 some were not, 4 the unchanged core already fails, 70 a trial could not be carried out.";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let exit = tried(&arguments).unwrap_or_else(|(exit, message)| {
        eprintln!("mutant-runner: {message}");
        exit
    });
    ExitCode::from(exit as u8)
}

fn tried(arguments: &Arguments) -> Result<Exit, (Exit, String)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let catalogue = Catalogue::read(&here.join("catalogue"))
        .map_err(|error| (Exit::Usage, error.to_string()))?;
    let chosen = catalogue.select(arguments.clause.as_deref(), arguments.id.as_deref());
    if chosen.is_empty() {
        return Err((Exit::Usage, "no mutant of the catalogue is meant".to_owned()));
    }
    if arguments.list {
        for mutant in chosen {
            println!("{:<28}{}: {}", mutant.id, mutant.file.display(), mutant.what);
        }
        return Ok(Exit::AllKilled);
    }
    let workspace = here.join("..");
    let workshop = Workshop::open(Subject {
        builds: workspace.join("target/mutants"),
        workspace,
        package: "firmware-core".to_owned(),
        folder: "firmware-core".into(),
        sources: "src".into(),
        margin: Duration::from_secs(10),
    })
    .map_err(|error| (exit_of(&error), error.to_string()))?;
    let verdicts =
        judge(&workshop, &chosen).map_err(|error| (Exit::Internal, error.to_string()))?;
    println!("\n{}", report::table(&verdicts));
    workshop.close().map_err(|error| (Exit::Internal, error.to_string()))?;
    Ok(Exit::of(&verdicts))
}

/// Without a copy there was no baseline to fail.
fn exit_of(error: &BaselineError) -> Exit {
    match error {
        BaselineError::Workshop(_) => Exit::Internal,
        BaselineError::Build(_) | BaselineError::Tests(_) | BaselineError::Endless => {
            Exit::Baseline
        }
    }
}

/// Tries the mutants in their order, and prints each as soon as it is judged.
fn judge<'a>(workshop: &Workshop, chosen: &[&'a Mutant]) -> std::io::Result<Vec<Verdict<'a>>> {
    let mut verdicts = Vec::new();
    for mutant in chosen {
        let (outcome, took) = workshop.try_mutant(mutant)?;
        let verdict = Verdict { mutant, outcome, took };
        println!("{}", report::line(&verdict));
        verdicts.push(verdict);
    }
    Ok(verdicts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_baseline_has_an_exit_code_of_its_own() {
        let tests = BaselineError::Tests(vec!["t".to_owned()]);
        assert_eq!(exit_of(&tests) as u8, 4);
        let lost = BaselineError::Workshop(std::io::ErrorKind::NotFound.into());
        assert_eq!(exit_of(&lost) as u8, 70);
    }
}
