//! Flags and verbs; a flag has the same name everywhere.
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use firmware_core::wg_mgr::preset::Preset;
use mutant_runner::command::Arguments;

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
    /// Say what a clause, pitfall, metric, preset, cost, field, fault point or exit code means.
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
