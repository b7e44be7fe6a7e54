//! Flags and verbs; a flag has the same name everywhere.
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, RangedU64ValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::m3_read::machine::Planted;
use models::wg_mgr::machine::Traffic;
use mutant_runner::command::Arguments;

use crate::verb::trace;

/// What will this firmware do under that load, which clause of its specification does a change
/// break, and what is the worst that can happen? Answered before flashing.
#[derive(Debug, Parser)]
#[command(name = "preflash", version, after_help = TOUR, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Carry out a scenario under virtual time and say what happened.
    #[command(after_help = RUN)]
    Run(RunArgs),
    /// Visit every state that a closed system can reach, and judge every property on the way.
    #[command(after_help = CHECK)]
    Check(CheckArgs),
    /// Fetch two pages with the same seeds and say whether what was measured tells them apart.
    #[command(after_help = COMPARE)]
    Compare(CompareArgs),
    /// Bound the worst case by formula: a heartbeat's longest wait, and what it rests on.
    #[command(after_help = BOUND)]
    Bound(BoundArgs),
    /// Step a core with a recorded trace and find where it first goes another way.
    #[command(after_help = REPLAY)]
    Replay(ReplayArgs),
    /// Say what a trace holds, show its records, make one of a device's dump or another tool's file, or
    /// write one for another tool.
    #[command(after_help = TRACE)]
    Trace(TraceArgs),
    /// Say what a clause, pitfall, metric, preset, cost, field, fault point, error, end or exit code
    /// means.
    #[command(after_help = EXPLAIN)]
    Explain(ExplainArgs),
    /// Print which clause has code, tests, mutants, properties and scenarios.
    #[command(after_help = CLAUSES)]
    Clauses(ClausesArgs),
    /// Break the cores in every way of the catalogue: tests that cite the clause have to notice.
    #[command(after_help = MUTANTS)]
    Mutants(Arguments),
    /// Print the JSON Schema of scenarios, cost tables or reports.
    #[command(after_help = SCHEMA)]
    Schema(SchemaArgs),
    /// Print completions for a shell.
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsArgs),
}

const TOUR: &str = "\
Examples:
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron
  preflash explain WG-DISCO-1
  preflash schema scenario

`preflash VERB --help` shows examples for each verb, `preflash explain exit-1` an exit code.";

const RUN: &str = "\
Examples:
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron --preset ILV-3 --format json
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron --set costs.x25519_ms=11.3

Ends with 0 when every expectation holds, 1 when one does not, 2 when an input is wrong, 130 when
interrupted: then it prints what there is so far, marked PARTIAL.";

const CHECK: &str = "\
Examples:
  preflash check m3_read --arm 1 --faults 0
  preflash check m3_read --arm 1 --hostile --first --quiet
  preflash check --replay scenarios/counterexamples/a_block_vanishes_while_it_is_read.ron

Without a model it lists those that there are. Ends with 0 when every property holds, 1 when one is
violated, 7 when a limit was hit or a property had no occasion, 5 when a replayed file is not
violated any more.";

const COMPARE: &str = "\
Examples:
  preflash compare scenarios/m3_read/wiki_arm_1.ron scenarios/m3_read/wiki_arm_2.ron
  preflash compare scenarios/m3_read/wiki_arm_f.ron scenarios/m3_read/wiki_arm_1.ron --seeds 2
  preflash compare scenarios/m3_read/robots_arm_1.ron scenarios/m3_read/robots_arm_2.ron --format json

Both are scenarios of the READ path. Ends with 0 when the measured page times confirm the predicted
difference or there are none, 1 when they contradict it, 7 when they cannot tell.";

const BOUND: &str = "\
Examples:
  preflash bound wg_mgr
  preflash bound scenarios/wg_mgr/strangers_at_600_per_second.ron --preset ILV-3
  preflash bound --coverage --preset HEAD-4

Ends with 0 when the wait is bounded, 7 when it is not: then it names the smallest fact that is
missing. With --verify it ends with 0 when the certificate holds, 9 when it does not, 2 when it is
none.";

const REPLAY: &str = "\
Examples:
  preflash replay scenarios/traces/storm_arm_1.pft
  preflash replay scenarios/traces/storm_arm_1.pft --set config.opens_per_pass=6
  preflash replay scenarios/traces/storm_arm_1.pft --what-if config.interleave=true

Ends with 0 when every step gave what the trace says, 5 when one did not, 7 when the trace does not
say enough, 9 when its digest is not that of its steps, 2 when an input is wrong. After a difference it
searches presets, switches and constants for the smallest change that removes it.";

const TRACE: &str = "\
Examples:
  preflash trace info scenarios/traces/storm_arm_1.pft
  preflash trace render scenarios/traces/storm_arm_1.pft --records 20
  preflash trace device dump.bin device.pft --scenario scenarios/wg_mgr/storm_tool_at_40_per_second.ron

Ends with 0, with 7 when records of the trace are missing, with 2 when a file is none of its kind.";

const EXPLAIN: &str = "\
Examples:
  preflash explain WG-DISCO-1
  preflash explain heartbeat_wait_ms_max
  preflash explain config.opens_per_pass

Without an id it lists everything that it can explain.";

const CLAUSES: &str = "\
Examples:
  preflash clauses
  preflash clauses --format json
  preflash clauses --gate

The matrix is read from the source tree around the working directory. --gate builds the cores with
all mutants in them and tries each; it ends with 0 when every clause that must hold has a mutant
killed by a test that cites it, 3 when one has not, 4 when the tests fail without any mutant.";

const MUTANTS: &str = "\
Examples:
  preflash mutants --list --clause WG-DISCO-1
  preflash mutants --clause ER-5 --matrix
  preflash mutants --in-diff main --json

Ends with 0 when every mutant is killed by a test that cites its clause, 2 when a flag or the
catalogue is wrong, 3 when a mutant is not killed, 4 when the tests fail without any mutant, 8 when
a test passes once and fails once.";

const SCHEMA: &str = "\
Examples:
  preflash schema
  preflash schema read-scenario
  preflash schema report

A scenario is RON. In its schema a `( … )` is an object, and a word with fields such as
even(rate_per_s: 40) is an object with that word as its only key.";

const COMPLETIONS: &str = "\
Examples:
  preflash completions bash
  preflash completions zsh
  preflash completions fish";

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

/// What `bound` takes.
#[derive(Debug, Args)]
pub(crate) struct BoundArgs {
    /// A scenario's file, whose rates and costs are the premises; or a model: `wg_mgr` is the storm
    /// of unknown keys with every preset, `m3_read` the READ client with every arm.
    #[arg(value_name = "MODEL|SCENARIO", required_unless_present_any = ["verify", "coverage"])]
    pub(crate) subject: Option<PathBuf>,
    /// Another firmware version, or with `m3_read` one arm: F, 1 or 2.
    #[arg(long, value_name = "PRESET")]
    pub(crate) preset: Option<String>,
    /// Another value for a field of the scenario, such as `costs.x25519_ms=11.3`; may be given more
    /// than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Inbound handshake initiations beside the scenario's own: `none`, `unlimited`, or a rate per
    /// second.
    #[arg(long, value_name = "RATE", default_value = "none")]
    pub(crate) initiations: String,
    /// Where to write the certificate of the claim.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Check a certificate; with a scenario also whether it is about that.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["certificate", "coverage"])]
    pub(crate) verify: Option<PathBuf>,
    /// List every road to an expensive operation, and the budget on it.
    #[arg(long, conflicts_with_all = ["certificate", "subject"])]
    pub(crate) coverage: bool,
    /// For people or for machines.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

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

/// What `trace` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// What to do with a trace.
    #[command(subcommand)]
    pub(crate) verb: TraceVerb,
}

/// What can be done with a trace.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Make a trace of what the recorder of a device has dumped.
    Device(TraceDeviceArgs),
    /// Write a trace as another tool's file: Perfetto, pcapng, VCD, CSV.
    #[command(after_help = trace::export::EXAMPLES)]
    Export(trace::export::ExportArgs),
    /// Make a trace of another tool's file: a log, a capture, a table, a Chrome trace.
    #[command(after_help = trace::import::EXAMPLES)]
    Import(trace::import::ImportArgs),
    /// Say what a trace holds and whether it is whole.
    Info(TraceInfoArgs),
    /// Show the records of a trace, one a line.
    Render(TraceRenderArgs),
}

/// What `trace device` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceDeviceArgs {
    /// The dumps, one behind the other.
    pub(crate) dump: PathBuf,
    /// Where to write the trace.
    pub(crate) trace: PathBuf,
    /// A scenario whose preset, config, costs and device are those of the firmware; its peers and
    /// traffic do not matter.
    #[arg(long, value_name = "FILE.ron")]
    pub(crate) scenario: PathBuf,
    /// Another firmware version than the scenario's.
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    pub(crate) preset: Option<String>,
    /// Another value for a field of the scenario; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Write addresses as they are instead of pseudonyms.
    #[arg(long)]
    pub(crate) keep_addresses: bool,
}

/// What `trace info` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceInfoArgs {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Print the schema of its records too.
    #[arg(long)]
    pub(crate) schema: bool,
}

/// What `trace render` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceRenderArgs {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// The first record to show, counted from 0.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) from: u64,
    /// How many records to show at most.
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    pub(crate) records: u64,
}

/// How a result is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A summary, and a page for each expectation that does not hold.
    Text,
    /// One JSON object; `preflash schema report` describes it.
    Json,
}

/// When progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowProgress {
    /// When stderr is a terminal.
    Auto,
    /// As lines of text, wherever stderr goes.
    Always,
    /// Not at all.
    Never,
}

/// What `check` takes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct CheckArgs {
    /// The closed system; those that there are are listed without it.
    #[arg(value_enum)]
    pub(crate) model: Option<Checked>,
    /// Of `m3_read` and `m3_read_phases`: which build of the client.
    #[arg(long, value_enum)]
    pub(crate) arm: Option<ArmName>,
    /// Of `m3_read`: READs in one session at most.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) polls: u8,
    /// Of `m3_read`: faults at most.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) faults: u8,
    /// Of `m3_read`: blocks vanish while they are shown, and interrupts come late.
    #[arg(long)]
    pub(crate) hostile: bool,
    /// Of `m3_read`: only replies that a firmware may send.
    #[arg(long)]
    pub(crate) legal_only: bool,
    /// Of `m3_read`: the client's clock stands still, and the firmware does nothing.
    #[arg(long)]
    pub(crate) still_clock: bool,
    /// Of `two_phase_commit`: resource managers.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) managers: u32,
    /// Of `m3_read_phases`: a line of the client that is wrong on purpose.
    #[arg(long, value_name = "FAULT", value_parser = PossibleValuesParser::new(Planted::ALL.map(Planted::name)))]
    pub(crate) planted: Option<String>,
    /// Of `wg_mgr`: what may arrive; `preflash check` lists the scenes.
    #[arg(long, value_name = "SCENE", default_value = "drain")]
    pub(crate) scene: String,
    /// Of `wg_mgr`: every listed defect corrected, and a queue slot kept for the priority peer.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Of `wg_mgr` and `wg_mgr_passes`: the firmware version.
    #[arg(long, value_name = "PRESET", value_parser = presets(), default_value = "HEAD-4")]
    pub(crate) preset: String,
    /// Of `wg_mgr_passes`: what comes beside packets from unknown keys.
    #[arg(long, value_name = "TRAFFIC", value_parser = PossibleValuesParser::new(Traffic::ALL.map(Traffic::name)), default_value = "strangers")]
    pub(crate) traffic: String,
    /// Of `m3_read_phases` and `wg_mgr_passes`: write it for Spin to this file first.
    #[arg(long, value_name = "FILE")]
    pub(crate) promela: Option<PathBuf>,
    /// Draw the graph of its phases to this file first, as DOT.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// States kept at most; when that is not enough the result is inconclusive.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = clap::value_parser!(u32).range(1..=2_147_483_648))]
    pub(crate) limit_states: u32,
    /// Transitions from the beginning at most.
    #[arg(long, value_name = "N")]
    pub(crate) limit_depth: Option<u32>,
    /// Threads; the result does not depend on them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub(crate) threads: usize,
    /// Tell states apart by digests of 64 bits: less memory, and nothing is ever proved.
    #[arg(long)]
    pub(crate) lossy: bool,
    /// End with the first violation.
    #[arg(long)]
    pub(crate) first: bool,
    /// Do not print the steps of a violation.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Write the first violation to this file: as data, or as a test if it ends in `.rs`.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// Follow a file that `--export` wrote.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) replay: Option<PathBuf>,
}

/// A closed system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checked {
    /// The READ client.
    #[value(name = "m3_read")]
    M3Read,
    /// The READ client as a machine of phases, which Spin can be given too.
    #[value(name = "m3_read_phases")]
    M3ReadPhases,
    /// The manager loop.
    #[value(name = "wg_mgr")]
    WgMgr,
    /// The example.
    #[value(name = "two_phase_commit")]
    TwoPhaseCommit,
    /// The manager's budget loop as such a machine.
    #[value(name = "wg_mgr_passes")]
    WgMgrPasses,
}

/// A build of the READ client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArmName {
    /// Every access fenced, one block.
    #[value(name = "F")]
    F,
    /// Only writes fenced, one block.
    #[value(name = "1")]
    One,
    /// Only writes fenced, a continuation.
    #[value(name = "2")]
    Two,
}

impl ArmName {
    /// The arm of this name.
    pub(crate) fn arm(self) -> Arm {
        match self {
            Self::F => Arm::F,
            Self::One => Arm::One,
            Self::Two => Arm::Two,
        }
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=64) => Ok(threads),
        Ok(_) | Err(_) => Err("a number of threads is 1..=64".into()),
    }
}

/// What `check` would be given on a command line that ends in these words.
pub(crate) fn check_args(words: &str) -> Result<CheckArgs, clap::Error> {
    let words = ["preflash", "check"].into_iter().chain(words.split_whitespace());
    match Cli::try_parse_from(words)?.verb {
        Verb::Check(args) => Ok(args),
        _ => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
    }
}

/// What `explain` takes.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What to explain; everything that can be explained is listed without it.
    pub(crate) id: Option<String>,
}

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

/// What `schema` takes.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// Which file or output.
    #[arg(value_enum, default_value_t = SchemaOf::Scenario)]
    pub(crate) of: SchemaOf,
}

/// What has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A scenario file of the manager loop.
    Scenario,
    /// A scenario file of the READ path.
    ReadScenario,
    /// The output of `--format json`.
    Report,
    /// A cost table file.
    Costs,
}

/// What `completions` takes.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

fn seeds() -> RangedU64ValueParser {
    clap::value_parser!(u64).range(2..=10_000)
}

fn presets() -> PossibleValuesParser {
    PossibleValuesParser::new(Preset::ALL.map(Preset::name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_flags_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_shows_three_examples() {
        for verb in Cli::command().get_subcommands() {
            let help = verb.get_after_help().expect("every verb has examples").to_string();
            let start = format!("  preflash {}", verb.get_name());
            assert_eq!(help.lines().filter(|line| line.starts_with(&start)).count(), 3, "{help}");
        }
    }
}
