//! `replay`: a recorded trace against a core, up to the first difference and what would remove it.
use std::path::{Path, PathBuf};

use clap::Args;
use sim::Flow;
use sim::replay::{
    self, Asked, Divergence, ReplayError, Search, Setup, Verdict, cost_conflicts, explain, render,
    what_if,
};
use sim::scenario::Overrides;

use super::print;
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::refusal::{Plain, Refusal, scenario};

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash replay scenarios/traces/storm_arm_1.pft
  preflash replay scenarios/traces/storm_arm_1.pft --set config.opens_per_pass=6
  preflash replay scenarios/traces/storm_arm_1.pft --what-if config.interleave=true

Ends with 0 when every step gave what the trace says, 5 when one did not, 7 when the trace does not
say enough, 9 when its digest is not that of its steps, 2 when an input is wrong. After a difference it
searches presets, switches and constants for the smallest change that removes it.";

/// What `replay` takes.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Another firmware version, or of a READ trace another arm; single values of the trace's head
    /// still apply.
    #[arg(long, value_name = "PRESET")]
    pub(crate) preset: Option<String>,
    /// Another value for a field, such as `config.opens_per_pass=6`; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Another cost table.
    #[arg(long, value_name = "FILE.ron")]
    pub(crate) costs: Option<PathBuf>,
    /// Let the recorded arrivals happen again under this value as well, and compare the figures;
    /// may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) what_if: Vec<String>,
    /// How many records the search for an explanation may replay in all; 0 does not search.
    #[arg(long, value_name = "N", default_value_t = 40_000_000)]
    pub(crate) search: u64,
}

/// Replays the trace and prints what it came to.
pub(crate) fn run(args: &ReplayArgs) -> Result<Exit, Refusal> {
    let overrides = Overrides { preset: args.preset.clone(), seed: None, set: args.set.clone() };
    let asked = Asked { overrides, costs: args.costs.clone() };
    let path = &args.trace;
    let interrupt = Interrupt::listen();
    if !args.what_if.is_empty() {
        return compare(path, &asked, &args.what_if, &interrupt);
    }
    let (setup, outcome) = match replay::replay(path, &asked) {
        Ok(done) => done,
        Err(ReplayError::NoCore | ReplayError::NoHead) => return cannot_tell(path),
        Err(error) => return Err(refuse(path, error)),
    };
    print(&render::outcome(&outcome))?;
    let exit = match &outcome.verdict {
        Verdict::CannotTell(_) => Exit::Inconclusive,
        Verdict::Fail(divergence) => {
            say_why(path, &asked, args.search, divergence, &interrupt)?;
            Exit::Diverged
        }
        Verdict::Pass if outcome.is_same_digest() == Some(false) => Exit::Artefact,
        Verdict::Pass => times(&setup, &outcome)?,
    };
    Ok(exit)
}

/// The recorded times against the cost table.
fn times(setup: &Setup, outcome: &replay::Outcome) -> Result<Exit, Refusal> {
    let conflicts = cost_conflicts(setup, outcome);
    print(&render::cost_conflicts(&conflicts))?;
    let wrong = conflicts.iter().any(replay::CostConflict::is_certain);
    Ok(if wrong { Exit::Diverged } else { Exit::Holds })
}

fn say_why(
    path: &Path,
    asked: &Asked,
    budget: u64,
    divergence: &Divergence,
    interrupt: &Interrupt,
) -> Result<(), Refusal> {
    if budget == 0 {
        return Ok(());
    }
    let mut goes_on = || !interrupt.is_asked();
    let mut search = Search { path, asked, knows_head: true, budget, goes_on: &mut goes_on };
    let found = explain(&mut search, divergence).map_err(|error| refuse(path, error))?;
    let is_spent = search.budget == 0;
    print(&render::explanations(&found))?;
    if is_spent {
        print("the search has used up its records; --search gives it more\n")?;
    }
    Ok(())
}

/// A trace without a head, or of other people's records: nothing can be replayed.
fn cannot_tell(path: &Path) -> Result<Exit, Refusal> {
    let name = path.display();
    let lacks = super::trace::open(path)
        .ok()
        .and_then(|reader| reader.head().and_then(|head| head.get("lacks")).map(str::to_owned))
        .unwrap_or_else(|| {
            "the core's inputs and outputs: `run --trace`, or the recorder on the device".to_owned()
        });
    let log = lacks.replace('\n', "\nlog next  ");
    print(&format!(
        "verdict   cannot tell: {name} holds no step of a core with its configuration\n\
         log next  {log}\n"
    ))?;
    Ok(Exit::Inconclusive)
}

fn compare(
    path: &Path,
    asked: &Asked,
    changes: &[String],
    interrupt: &Interrupt,
) -> Result<Exit, Refusal> {
    let mut control = |_| if interrupt.is_asked() { Flow::Stop } else { Flow::Continue };
    let found = what_if(path, asked, changes, &mut control).map_err(|error| refuse(path, error))?;
    print(&render::what_if(&found))?;
    Ok(match (found.base.partial || found.changed.partial, found.gaps) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Holds,
        (false, _) => Exit::Inconclusive,
    })
}

/// A trace or an override that is refused.
pub(super) fn refuse(path: &Path, error: ReplayError) -> Refusal {
    let name = path.display();
    match error {
        ReplayError::Scenario(error) => scenario(&error),
        ReplayError::Trace(error) => trace(path, &error),
        ReplayError::NoCore | ReplayError::NoHead | ReplayError::HeadLacks { .. } => Plain::refuse(
            format!("{name}: {error}"),
            format!("`preflash trace info {name}` shows its head"),
        ),
        ReplayError::Config(_)
        | ReplayError::Run(_)
        | ReplayError::NoWorld
        | ReplayError::Sessions => Plain::refuse(
            format!("{name}: {error}"),
            "`preflash schema scenario` lists every field",
        ),
    }
}

/// A trace that is refused.
pub(super) fn trace(path: &Path, error: &sim::pft::PftError) -> Refusal {
    use sim::pft::PftError;
    let name = path.display();
    let next = match error {
        PftError::Io(_) => "name a trace that can be read",
        PftError::NotATrace | PftError::Head(_) => {
            "`preflash run SCENARIO --trace FILE.pft` writes one"
        }
        PftError::Version { .. } => "use the version of preflash that wrote it, or a later one",
        PftError::Record { .. } | PftError::Backwards { .. } | PftError::Count { .. } => {
            "its writer broke the format: records before that one can be shown with `trace render`"
        }
    };
    Plain::refuse(format!("the trace `{name}`: {error}"), next)
}
