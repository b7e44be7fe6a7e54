//! `explain`: one page for anything that has a name: clauses and pitfalls, metrics, presets, cost
//! rows, fields of a scenario, fault points, the READ client's errors and ends, exit codes.
use std::fmt::Write;

use clap::Args;
use firmware_core::m3_read::config::{Blocks, Config};
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::clause::Clause;
use models::pitfall::Pitfall;
use mutant_runner::clauses;
use sim::cost::CostRow;
use sim::read::parameters::{Parameters, Row};
use sim::read::read_end::ReadEnd;
use sim::report::metrics::Metric;
use sim::scenario::nearest::nearest;
use sim::scenario::schema::{self, Field};

use super::print;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};
use crate::tree::Tree;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash explain WG-DISCO-1
  preflash explain heartbeat_wait_ms_max
  preflash explain config.opens_per_pass

Without an id it lists everything that it can explain.";

/// What `explain` takes.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// What to explain; everything that can be explained is listed without it.
    pub(crate) id: Option<String>,
}

/// Columns of a page.
const COLUMNS: usize = 96;

/// Something that has a name and a page.
struct Topic {
    kind: &'static str,
    id: String,
    summary: String,
    page: String,
}

/// Prints the page of an id, or the list of them all.
pub(crate) fn run(args: &ExplainArgs) -> Result<Exit, Refusal> {
    let topics = topics();
    let Some(id) = &args.id else {
        print(&list(&topics))?;
        return Ok(Exit::Holds);
    };
    let wanted = id.trim();
    let found: Vec<&Topic> = topics.iter().filter(|topic| topic.is_called(wanted)).collect();
    if found.is_empty() {
        let near = nearest(wanted, topics.iter().map(|topic| topic.id.as_str()));
        let near = near.map_or(String::new(), |near| format!("the nearest is `{near}`\n"));
        let help = format!("{near}`preflash explain` lists everything that can be explained");
        return Err(Plain::refuse(format!("nothing is called `{wanted}`"), help));
    }
    let pages: Vec<String> = found.iter().map(|topic| topic.whole_page()).collect();
    print(&(pages.join("\n\n") + "\n"))?;
    Ok(Exit::Holds)
}

impl Topic {
    /// Its page; a clause's with what the source tree has for it, when there is one.
    fn whole_page(&self) -> String {
        let page = self.page.trim_end().to_owned();
        let row = || {
            let clause: Clause = self.id.parse().ok()?;
            let tree = Tree::find().ok()?;
            let rows = clauses::rows(&tree.subject, &tree.catalogue().ok()?, None).ok()?;
            rows.into_iter().find(|row| row.clause == clause)
        };
        match (self.kind == "clauses").then(row).flatten() {
            Some(row) => format!("{page}\n\n{}", clauses::page(&row).trim_end()),
            None => page,
        }
    }

    /// Whether it goes by this name: its id, or the last part of a field's path.
    fn is_called(&self, wanted: &str) -> bool {
        let last = self.id.rsplit('.').next().unwrap_or_default();
        let number = self.id.strip_prefix("exit-").unwrap_or(&self.id);
        [self.id.as_str(), last, number].iter().any(|name| name.eq_ignore_ascii_case(wanted))
    }
}

fn topics() -> Vec<Topic> {
    let mut topics = Vec::new();
    topics.extend(Clause::all().map(clause));
    topics.extend(Pitfall::all().map(pitfall));
    topics.extend(Metric::ALL.iter().copied().map(metric));
    topics.extend(Preset::ALL.into_iter().map(preset));
    topics.extend(CostRow::ALL.into_iter().map(cost));
    topics.extend(schema::fields().iter().map(|one| field("fields", one)));
    topics.extend(schema::read_fields().iter().map(|one| field("fields of READ scenarios", one)));
    topics.extend(schema::fault_points().into_iter().map(fault));
    topics.extend(arms());
    topics.extend(Parameters::BENCH.rows().into_iter().map(parameter));
    topics.extend(ErrorCode::ALL.iter().copied().map(error));
    topics.extend(ReadEnd::ALL.iter().copied().map(end));
    topics.extend(Exit::ALL.iter().copied().map(exit));
    topics
}

fn clause(clause: Clause) -> Topic {
    let entry = clause.entry();
    let (id, summary) = (entry.id.to_owned(), entry.title.to_owned());
    Topic { kind: "clauses", id, summary, page: entry.to_string() }
}

fn pitfall(pitfall: &Pitfall) -> Topic {
    let (id, summary) = (pitfall.id.to_owned(), pitfall.sentence.to_owned());
    Topic { kind: "pitfalls", id, summary, page: pitfall.to_string() }
}

fn metric(metric: Metric) -> Topic {
    let facts = [("unit", metric.unit().name().to_owned())];
    page("metrics", "metric", metric.name(), metric.meaning(), &facts)
}

fn preset(preset: Preset) -> Topic {
    let use_it = format!("preset: \"{0}\" in a scenario, or --preset {0}", preset.name());
    page("presets", "preset", preset.name(), preset.summary(), &[("use", use_it)])
}

fn cost(row: CostRow) -> Topic {
    let facts = [
        ("unit", "milliseconds".to_owned()),
        ("set", format!("--set costs.{}=1.5, or the same field in a scenario", row.name())),
    ];
    page("costs", "row of a cost table", row.name(), row.meaning(), &facts)
}

fn field(kind: &'static str, field: &Field) -> Topic {
    let mut facts = vec![("values", field.values.clone())];
    let name = field.path.replace('*', "NAME");
    facts.push(("set", format!("--set {name}=VALUE")));
    let what = if kind == "fields" { "field of a scenario" } else { "field of a READ scenario" };
    page(kind, what, &name, &field.meaning, &facts)
}

fn fault((point, meaning): (String, String)) -> Topic {
    let use_it = format!("faults: [(point: {point}, share_percent: 5)]");
    page("fault points", "fault point", &point, &meaning, &[("use", use_it)])
}

fn arms() -> impl Iterator<Item = Topic> {
    Arm::ALL.into_iter().map(|arm| {
        let Config { request_max, fences, blocks, .. } = arm.config();
        let fenced = if fences.reads { "every access is fenced" } else { "only writes are fenced" };
        let replies = match blocks {
            Blocks::One => "one block",
            Blocks::Two => "a block and one continuation",
        };
        let meaning = format!("A READ asks for {request_max} bytes in {replies}; {fenced}.");
        let use_it = format!("arm: \"{}\" in a READ scenario", arm.name());
        let id = format!("arm-{}", arm.name());
        page("arms", "measured build of the READ client", &id, &meaning, &[("use", use_it)])
    })
}

fn parameter(row: Row) -> Topic {
    let facts = [
        ("bench", row.value.to_string()),
        ("known", format!("{}: {}", row.provenance.name(), row.source)),
        ("set", format!("--set parameters.{}=N", row.name)),
    ];
    let what = "parameter of the READ path";
    page("parameters of the READ path", what, row.name, row.meaning, &facts)
}

fn error(code: ErrorCode) -> Topic {
    let facts = [("metric", format!("last_error is {}", code.byte()))];
    let id = format!("${:02X}", code.byte());
    page("errors of the READ client", "error code", &id, code.meaning(), &facts)
}

fn end(end: ReadEnd) -> Topic {
    let facts = [("metric", format!("read_end is {}", end.number()))];
    page("read ends", "how a READ ended", end.name(), end.meaning(), &facts)
}

fn exit(exit: Exit) -> Topic {
    page("exit codes", "exit code", &format!("exit-{}", exit.code()), exit.meaning(), &[])
}

fn page(
    kind: &'static str,
    what: &str,
    id: &str,
    meaning: &str,
    facts: &[(&str, String)],
) -> Topic {
    let mut page = format!("{id}  ({what})\n\n{}\n", textwrap::fill(meaning, COLUMNS));
    for (at, (name, fact)) in facts.iter().enumerate() {
        let gap = if at == 0 { "\n" } else { "" };
        let start = format!("{name:<10}");
        let options =
            textwrap::Options::new(COLUMNS).initial_indent(&start).subsequent_indent("          ");
        put(&mut page, &format!("{gap}{}\n", textwrap::fill(fact, options)));
    }
    Topic { kind, id: id.to_owned(), summary: meaning.to_owned(), page }
}

fn list(topics: &[Topic]) -> String {
    let mut out = String::new();
    let mut kind = "";
    for topic in topics {
        if topic.kind != kind {
            let gap = if kind.is_empty() { "" } else { "\n" };
            kind = topic.kind;
            put(&mut out, &format!("{gap}{kind}\n"));
        }
        let line = format!("  {:<30} {}", topic.id, topic.summary);
        let cut: String = line.chars().take(COLUMNS - 1).collect();
        let cut = if cut.len() < line.len() { format!("{}…", cut.trim_end()) } else { cut };
        put(&mut out, &format!("{cut}\n"));
    }
    out
}

fn put(out: &mut String, text: &str) {
    out.write_str(text).expect("a string takes whatever is written to it");
}
