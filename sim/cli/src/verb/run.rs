//! `run`: a scenario under virtual time.
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use clap::Args;
use sim::pft::Redactor;
use sim::record::Recorded;
use sim::report::Report;
use sim::report::{Origin, json, text};
use sim::scenario::{Overrides, Subject};
use sim::{Flow, Progress, RunError};

use super::print;
use crate::args::{Format, ShowProgress, presets};
use crate::exit::Exit;
use crate::interrupt::Interrupt;
use crate::progress::{Display, Stopwatch};
use crate::refusal::{Plain, Refusal, scenario};
use crate::shell::quoted;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron --preset ILV-3 --format json
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron --set costs.x25519_ms=11.3

Ends with 0 when every expectation holds, 1 when one does not, 2 when an input is wrong, 130 when
interrupted: then it prints what there is so far, marked PARTIAL.";

/// What `run` takes.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The scenario's file.
    pub(crate) scenario: PathBuf,
    /// Another seed for every stream of chance.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Another firmware version; the scenario's own `config` still applies.
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    pub(crate) preset: Option<String>,
    /// Another value for a field, such as `costs.x25519_ms=11.3` or `peers.fleet.count=240`; may be
    /// given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// For people or for machines.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Print the table of limits too: what the configuration needs of each, and what breaks first.
    #[arg(long)]
    pub(crate) limits: bool,
    /// Where to write a trace of the run, which `replay` takes.
    #[arg(long, value_name = "FILE.pft")]
    pub(crate) trace: Option<PathBuf>,
    /// Write addresses and keys into the trace as they are instead of pseudonyms.
    #[arg(long, requires = "trace")]
    pub(crate) keep_addresses: bool,
    /// Whether to show on stderr how far a run of more than 2 s has come.
    #[arg(long, value_enum, default_value_t = ShowProgress::Auto, value_name = "WHEN")]
    pub(crate) progress: ShowProgress,
}

/// Carries out the scenario and prints its report.
pub(crate) fn run(args: &RunArgs) -> Result<Exit, Refusal> {
    let overrides =
        Overrides { preset: args.preset.clone(), seed: args.seed, set: args.set.clone() };
    let loaded = Subject::load(&args.scenario, &overrides).map_err(|error| scenario(&error))?;
    let seed = loaded.seed();
    eprintln!("seed {seed}");

    let command = repeat(args, seed);
    let interrupt = Interrupt::listen();
    let stopwatch = Stopwatch::start();
    let mut display = Display::new(args.progress);
    let mut control = |progress: Progress| {
        display.show(progress, stopwatch.elapsed());
        if interrupt.is_asked() { Flow::Stop } else { Flow::Continue }
    };
    let ran = match &args.trace {
        None => sim::run_subject(&loaded, &mut control),
        Some(path) => recorded(&loaded, path, args.keep_addresses, &mut control)?,
    };
    let wall_s = stopwatch.elapsed().as_secs_f64();
    display.finish();
    let mut report = ran.map_err(|error| {
        Plain::refuse(format!("{}: {error}", args.scenario.display()), format!("repeat: {command}"))
    })?;

    if args.limits
        && let Subject::WgMgr(scenario) = &loaded
    {
        report.limits = sim::limits::of(scenario);
    }
    let file = args.scenario.display().to_string();
    let origin = Origin { file: &file, command: &command, wall_s: Some(wall_s), trace: false };
    print(&match args.format {
        Format::Text => text::render(&report, &origin),
        Format::Json => json::render(&report, &origin),
    })?;
    let exit = match (report.partial, report.holds()) {
        (true, _) => Exit::Interrupted,
        (false, true) => return Ok(Exit::Holds),
        (false, false) => Exit::Violated,
    };
    eprintln!("{} repeat: {command}", exit.meaning());
    Ok(exit)
}

/// Carries out the scenario and writes its trace.
fn recorded(
    loaded: &Subject,
    path: &Path,
    keep_addresses: bool,
    control: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Result<Report, RunError>, Refusal> {
    let file = File::create(path).map_err(|error| {
        let reason = format!("the trace `{}` cannot be written: {error}", path.display());
        Plain::refuse(reason, "name a file in a folder that exists and can be written")
    })?;
    let redactor = if keep_addresses { Redactor::off() } else { Redactor::new(salt(loaded)) };
    let ran = sim::run_recorded(loaded, Box::new(BufWriter::new(file)), redactor, control);
    Ok(ran.map(|(report, recorded)| {
        let Recorded { records, steps, digest } = recorded;
        eprintln!("trace {}: {records} records, {steps} steps, {digest:032x}", path.display());
        report
    }))
}

/// A run makes up its addresses and keys, so the salt of their pseudonyms need not be secret.
fn salt(loaded: &Subject) -> u128 {
    u128::from(loaded.seed()) << 64 | 0x7066_7430
}

/// The command that gives the same run.
fn repeat(args: &RunArgs, seed: u64) -> String {
    let mut command = format!("preflash run {}", quoted(&args.scenario.display().to_string()));
    let preset = args.preset.iter().map(|preset| ("--preset", preset.clone()));
    let seed = std::iter::once(("--seed", seed.to_string()));
    let set = args.set.iter().map(|set| ("--set", set.clone()));
    for (flag, value) in preset.chain(seed).chain(set) {
        command = format!("{command} {flag} {}", quoted(&value));
    }
    command
}
