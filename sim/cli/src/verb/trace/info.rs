//! `trace info`: the head, how many records of each kind, and whether the trace is whole.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use firmware_core::time::Instant;
use sim::pft::field::{Field, millis};
use sim::pft::{Gap, Item};

use crate::exit::Exit;
use crate::refusal::Refusal;
use crate::verb::print;

/// What `trace info` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceInfoArgs {
    /// The trace.
    pub(crate) trace: PathBuf,
    /// Print the schema of its records too.
    #[arg(long)]
    pub(crate) schema: bool,
}

/// Gaps that are listed.
const LISTED: usize = 20;
/// What the head holds for machines.
const LONG: [&str; 4] = ["schema", "scenario", "cost_table", "client"];

/// Prints what a trace holds.
pub(crate) fn run(args: &TraceInfoArgs) -> Result<Exit, Refusal> {
    let mut reader = super::open(&args.trace)?;
    let mut out = String::new();
    let mut put = |line: &str| {
        writeln!(out, "{line}").expect("a string takes whatever is written to it");
    };
    for (name, value) in reader.head().into_iter().flat_map(sim::pft::Head::fields) {
        if !LONG.contains(&name) {
            put(&format!("{name:<14} {value}"));
        } else if name == "schema" && args.schema {
            value.lines().for_each(|line| put(&format!("schema         {line}")));
        }
    }
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let (mut first, mut last, mut gaps) = (None, Instant::ZERO, Vec::new());
    let mut count = 0_u64;
    for item in &mut reader {
        let item = item.map_err(|error| crate::verb::replay::trace(&args.trace, &error))?;
        let (name, at) = match item {
            Item::Record(record) => (record.event.name().to_owned(), record.at),
            Item::Unknown(unknown) => (format!("kind {}", unknown.number), unknown.at),
            Item::Gap(gap) => {
                gaps.push(gap);
                continue;
            }
        };
        *kinds.entry(name).or_default() += 1;
        first.get_or_insert(at);
        last = at;
        count += 1;
    }
    let span = last.since(first.unwrap_or(Instant::ZERO));
    put(&format!("records        {count} over {}", millis(span.as_nanos())));
    for (name, count) in &kinds {
        put(&format!("  {count:>10}  {name}"));
    }
    gaps.iter().take(LISTED).for_each(|gap| put(&line(gap)));
    if gaps.len() > LISTED {
        put(&format!("gaps           {} more", gaps.len() - LISTED));
    }
    match reader.end() {
        Some(end) => {
            let digest = end.digest.map_or("none".to_owned(), |digest| format!("{digest:032x}"));
            put(&format!("complete       yes, digest {digest}"));
        }
        None => put("complete       no"),
    }
    print(&out)?;
    Ok(if gaps.is_empty() { Exit::Holds } else { Exit::Inconclusive })
}

/// A gap as a line.
pub(super) fn line(gap: &Gap) -> String {
    let mut reason = String::new();
    gap.reason.show(&mut reason);
    let lost = gap.lost.map_or("an unknown number of".to_owned(), |lost| lost.to_string());
    let place = if gap.bytes.is_empty() {
        String::new()
    } else {
        format!(", bytes {}..{}", gap.bytes.start, gap.bytes.end)
    };
    let at = millis(gap.at.as_nanos());
    format!(
        "gap            {reason}: {lost} records missing before record {} at {at}{place}",
        gap.before
    )
}
