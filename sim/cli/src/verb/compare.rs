//! `compare`: two scenarios of the READ path over the same seeds, and whether what was measured can
//! tell them apart.
use std::path::Path;

use sim::read::comparison::{Verdict, compare};
use sim::scenario::m3_read::ReadScenario;
use sim::scenario::{Overrides, Subject};

use super::print;
use crate::args::{CompareArgs, Format};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::refusal::{Plain, Refusal, scenario};

/// Compares and prints.
pub(crate) fn run(args: &CompareArgs) -> Result<Exit, Refusal> {
    let overrides = Overrides { set: args.set.clone(), ..Overrides::default() };
    let first = page(&args.first, &overrides)?;
    let second = page(&args.second, &overrides)?;
    eprintln!("seeds 1 to {}", args.seeds);
    let interrupt = Interrupt::listen();
    let comparison =
        compare(&first, &second, args.seeds, &mut |_| !interrupt.is_asked()).map_err(|error| {
            let next = "compare scenarios whose page arrives whole";
            Plain::refuse(error.to_string(), next)
        })?;
    print(&match args.format {
        Format::Text => comparison.text(),
        Format::Json => format!("{:#}\n", comparison.json()),
    })?;
    if comparison.partial {
        return Ok(Exit::Interrupted);
    }
    Ok(match comparison.verdict() {
        Verdict::Unmeasured | Verdict::Confirmed => Exit::Holds,
        Verdict::Undecided => Exit::Inconclusive,
        Verdict::Contradicted => Exit::Violated,
    })
}

fn page(path: &Path, overrides: &Overrides) -> Result<ReadScenario, Refusal> {
    match Subject::load(path, overrides).map_err(|error| scenario(&error))? {
        Subject::M3Read(scenario) => Ok(*scenario),
        Subject::WgMgr(_) => {
            let problem =
                format!("{} is about the manager loop, which has no page", path.display());
            Err(Plain::refuse(problem, "name two scenarios with `subject: m3_read`"))
        }
    }
}
