//! `trace render`: every record as a line.
use std::io::{BufWriter, ErrorKind, Write, stdout};
use std::path::PathBuf;

use clap::Args;
use sim::pft::field::millis;
use sim::pft::{Item, schema};
use sim::replay::compare::line;

use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

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

/// Prints the records.
pub(crate) fn run(args: &TraceRenderArgs) -> Result<Exit, Refusal> {
    let mut reader = super::open(&args.trace)?;
    let described = reader.head().and_then(|head| head.get("schema")).unwrap_or("").to_owned();
    let until = args.from.saturating_add(args.records);
    let mut out = BufWriter::new(stdout().lock());
    let mut exit = Exit::Holds;
    for item in &mut reader {
        let item = item.map_err(|error| crate::verb::replay::trace(&args.trace, &error))?;
        let (index, text) = match item {
            Item::Record(record) => (record.index, line(&record, false)),
            Item::Unknown(it) => {
                let text = schema::line(&described, it.number, &it.bytes);
                let text = text.unwrap_or_else(|| format!("kind {}", it.number));
                (it.index, format!("  #{:<8} {:>18}  {text}", it.index, millis(it.at.as_nanos())))
            }
            Item::Gap(gap) => {
                exit = Exit::Inconclusive;
                (gap.before, super::info::line(&gap))
            }
        };
        if index >= until {
            break;
        }
        if index >= args.from {
            match writeln!(out, "{text}") {
                // A reader that has seen enough is no error.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(exit),
                Err(error) => return Err(unwritten(&error)),
                Ok(()) => {}
            }
        }
    }
    match out.flush() {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(unwritten(&error)),
        _ => Ok(exit),
    }
}

fn unwritten(error: &std::io::Error) -> Refusal {
    Plain::refuse(format!("the result cannot be written: {error}"), "free some space")
}
