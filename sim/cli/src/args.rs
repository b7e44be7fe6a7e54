//! Flags and verbs; a flag has the same name everywhere.
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use firmware_core::m3_read::preset::Arm;
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
    /// Bound the worst case by formula: a heartbeat's longest wait, and what it rests on.
    #[command(after_help = BOUND)]
    Bound(BoundArgs),
    /// Visit every state that a closed system can reach, and judge every property on the way.
    #[command(after_help = CHECK)]
    Check(CheckArgs),
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

const BOUND: &str = "\
Examples:
  preflash bound wg_mgr
  preflash bound scenarios/wg_mgr/strangers_at_600_per_second.ron --preset ILV-3
  preflash bound --coverage --preset HEAD-4

Ends with 0 when the wait is bounded, 7 when it is not: then it names the smallest fact that is
missing. With --verify it ends with 0 when the certificate holds, 9 when it does not, 2 when it is
none.";

const CHECK: &str = "\
Examples:
  preflash check m3_read --arm 1 --faults 0
  preflash check m3_read --arm 1 --hostile --first --quiet
  preflash check --replay scenarios/counterexamples/a_block_vanishes_while_it_is_read.ron

Without a model it lists those that there are. Ends with 0 when every property holds, 1 when one is
violated, 7 when a limit was hit or a property had no occasion, 5 when a replayed file is not
violated any more.";

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
    /// Whether to show on stderr how far a run of more than 2 s has come.
    #[arg(long, value_enum, default_value_t = ShowProgress::Auto, value_name = "WHEN")]
    pub(crate) progress: ShowProgress,
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
    /// Of `m3_read`: which build of the client.
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
    /// Of `wg_mgr`: what may arrive; `preflash check` lists the scenes.
    #[arg(long, value_name = "SCENE", default_value = "drain")]
    pub(crate) scene: String,
    /// Of `wg_mgr`: which firmware version.
    #[arg(long, value_name = "PRESET", default_value = "HEAD-4", value_parser = presets())]
    pub(crate) preset: String,
    /// Of `wg_mgr`: every listed defect corrected, and a queue slot kept for the priority peer.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Of `two_phase_commit`: resource managers.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) managers: u32,
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
    /// Write the phases and the moves between them as a drawing in the DOT language.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// Of `m3_read`: write the whole graph for Spin, with the claim that every request ends; the arrays
    /// go to `graph.h` beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) promela: Option<PathBuf>,
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
    /// The manager loop.
    #[value(name = "wg_mgr")]
    WgMgr,
    /// The example.
    #[value(name = "two_phase_commit")]
    TwoPhaseCommit,
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
        Verb::Run(_)
        | Verb::Bound(_)
        | Verb::Explain(_)
        | Verb::Schema(_)
        | Verb::Completions(_) => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
    }
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
