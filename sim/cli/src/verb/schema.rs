//! `schema`: what a scenario, a cost table or a report may hold.
//!
//! The schemas are JSON Schema, derived from the very types that read the files and write the
//! reports, with their documentation: a listing by hand would be read better once and be wrong
//! later. The quantities of scenarios state their ranges themselves, so nothing is lost.
use sim::report::json;
use sim::scenario::schema;

use super::print;
use crate::args::{SchemaArgs, SchemaOf};
use crate::exit::Exit;
use crate::refusal::Refusal;

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
