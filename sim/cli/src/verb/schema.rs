//! `schema`: what a scenario, a cost table or a report may hold.
//!
//! The schemas are JSON Schema, derived from the very types that read the files and write the
//! reports, with their documentation: a listing by hand would be read better once and be wrong
//! later. The quantities of scenarios state their ranges themselves, so nothing is lost.
use clap::{Args, ValueEnum};
use sim::report::json;
use sim::scenario::schema;

use super::print;
use crate::exit::Exit;
use crate::refusal::Refusal;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash schema
  preflash schema read-scenario
  preflash schema report

A scenario is RON. In its schema a `( … )` is an object, and a word with fields such as
even(rate_per_s: 40) is an object with that word as its only key.";

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

/// Prints the schema.
pub(crate) fn run(args: &SchemaArgs) -> Result<Exit, Refusal> {
    let schema = match args.of {
        SchemaOf::Scenario => schema::scenario(),
        SchemaOf::ReadScenario => schema::read_scenario(),
        SchemaOf::Report => json::schema(),
        SchemaOf::Costs => schema::cost_table(),
    };
    print(&format!("{schema:#}\n"))?;
    Ok(Exit::Holds)
}
