//! `compare`: two scenarios of the READ path over the same seeds, and whether what was measured can
//! tell them apart.
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::RangedU64ValueParser;
use sim::read::comparison::{Verdict, compare};
use sim::scenario::m3_read::ReadScenario;
use sim::scenario::{Overrides, Subject};

use super::print;
use crate::args::Format;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::refusal::{Plain, Refusal, scenario};

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash compare scenarios/m3_read/wiki_arm_1.ron scenarios/m3_read/wiki_arm_2.ron
  preflash compare scenarios/m3_read/wiki_arm_f.ron scenarios/m3_read/wiki_arm_1.ron --seeds 2
  preflash compare scenarios/m3_read/robots_arm_1.ron scenarios/m3_read/robots_arm_2.ron --format json

Both are scenarios of the READ path. Ends with 0 when the measured page times confirm the predicted
difference or there are none, 1 when they contradict it, 7 when they cannot tell.";

/// What `compare` takes.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The first scenario's file.
    pub(crate) first: PathBuf,
    /// The second scenario's file; the difference is its page time less the first one's.
    pub(crate) second: PathBuf,
    /// How many seeds both are fetched with, from 1 on.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = seeds())]
    pub(crate) seeds: u64,
    /// Another value for a field of both; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// For people or for machines.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

fn seeds() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(2..=10_000)
}

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
