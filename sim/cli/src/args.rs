//! Flags and verbs; a flag has the same name everywhere.
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use firmware_core::wg_mgr::preset::Preset;

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
    /// Step a core with a recorded trace and find where it first goes another way.
    #[command(after_help = REPLAY)]
    Replay(ReplayArgs),
    /// Say what a trace holds, show its records, or make one of a device's dump.
    #[command(after_help = TRACE)]
    Trace(TraceArgs),
    /// Say what a clause, pitfall, metric, preset, cost, field, fault point or exit code means.
    #[command(after_help = EXPLAIN)]
    Explain(ExplainArgs),
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

const SCHEMA: &str = "\
Examples:
  preflash schema
  preflash schema costs
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

/// What `explain` takes.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What to explain; everything that can be explained is listed without it.
    pub(crate) id: Option<String>,
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
    /// A scenario file.
    Scenario,
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
