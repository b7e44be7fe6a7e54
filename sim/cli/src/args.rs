//! The verbs, and what several of them take; a flag has the same name everywhere. What one verb takes
//! stands in its own file, with its examples.
use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand, ValueEnum};
use firmware_core::wg_mgr::preset::Preset;
use mutant_runner::shipped::ShippedArguments;

use crate::verb::{
    bound, check, clauses, compare, completions, explain, mutants, replay, run, schema, trace,
};

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
    #[command(after_help = run::EXAMPLES)]
    Run(run::RunArgs),
    /// Visit every state that a closed system can reach, and judge every property on the way.
    #[command(after_help = check::args::EXAMPLES)]
    Check(check::args::CheckArgs),
    /// Fetch two pages with the same seeds and say whether what was measured tells them apart.
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::CompareArgs),
    /// Bound the worst case by formula: a heartbeat's longest wait, and what it rests on.
    #[command(after_help = bound::EXAMPLES)]
    Bound(bound::BoundArgs),
    /// Step a core with a recorded trace and find where it first goes another way.
    #[command(after_help = replay::EXAMPLES)]
    Replay(replay::ReplayArgs),
    /// Say what a trace holds, show its records, make one of a device's dump or another tool's file, or
    /// write one for another tool.
    #[command(after_help = trace::EXAMPLES)]
    Trace(trace::TraceArgs),
    /// Say what a clause, pitfall, metric, preset, cost, field, fault point, error, end or exit code
    /// means.
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Print which clause has code, tests, mutants, properties and scenarios.
    #[command(after_help = clauses::EXAMPLES)]
    Clauses(clauses::ClausesArgs),
    /// Break the cores in every way of the catalogue: tests that cite the clause have to notice.
    #[command(after_help = mutants::EXAMPLES)]
    Mutants(ShippedArguments),
    /// Print the JSON Schema of scenarios, cost tables or reports.
    #[command(after_help = schema::EXAMPLES)]
    Schema(schema::SchemaArgs),
    /// Print completions for a shell.
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::CompletionsArgs),
}

const TOUR: &str = "\
Examples:
  preflash run scenarios/wg_mgr/strangers_at_600_per_second.ron
  preflash explain WG-DISCO-1
  preflash schema scenario

`preflash VERB --help` shows examples for each verb, `preflash explain exit-1` an exit code.";

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

/// The firmware versions, by name.
pub(crate) fn presets() -> PossibleValuesParser {
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
