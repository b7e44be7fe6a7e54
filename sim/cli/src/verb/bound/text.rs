//! A bound as text: the verdict first, then what binds, then what it rests on.
use std::fmt::Write as _;

use models::bound::data::{
    Certificate, Claim, Curve, Gap, GapKind, Ground, Inputs, Part, Provenance, Road, Sender,
};
use models::bound::{Verdict, ever};

use super::Answer;

/// Nanoseconds as milliseconds with three digits behind the point, rounded up.
pub(super) fn ms(nanos: u64) -> String {
    let micros = nanos.div_ceil(1_000);
    format!("{}.{:03} ms", micros / 1_000, micros % 1_000)
}

/// The gap that the wait begins with.
pub(super) fn binding(claim: &Claim) -> Option<&Gap> {
    claim.gaps.iter().max_by_key(|gap| own(gap))
}

fn own(gap: &Gap) -> u64 {
    let parts = gap.parts.iter().filter(|part| part.road != Road::Tasks);
    parts.map(|part| part.total_ns).sum()
}

/// Where the last drain of a pass is its only one, the gap goes round.
fn name(gap: &Gap) -> &'static str {
    let round = gap.parts.iter().any(|part| part.road == Road::Sleep);
    match gap.kind {
        GapKind::Work if round => "from the only drain of a pass to that of the next",
        kind => kind.name(),
    }
}

fn part(part: &Part) -> String {
    let count = part.count.map_or("in time".to_owned(), |count| format!("{count} x"));
    format!("{count:>9} {:<36} {:>14}", part.road.name(), ms(part.total_ns))
}

/// The chain in one line.
pub(super) fn chain(claim: &Claim) -> String {
    let gap = binding(claim).map(|gap| &gap.parts[..]).unwrap_or_default();
    let mut links: Vec<_> = gap
        .iter()
        .map(|part| {
            let count = part.count.map_or("timed".to_owned(), |count| count.to_string());
            format!("{count} x {}", part.road.name())
        })
        .collect();
    if claim.busy.ahead > 0 {
        links.push(format!("{} x tunnel packets ahead", claim.busy.ahead));
    }
    links.join(" + ")
}

/// The verdict in one line.
pub(super) fn verdict(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Bounded(claim) => format!("at most {}", ms(claim.busy.wait_ns)),
        Verdict::NotBounded { missing, .. } if missing.is_empty() => "not bounded".to_owned(),
        Verdict::NotBounded { missing, .. } => format!("not bounded: {}", missing.join("; ")),
    }
}

/// One question in full.
pub(super) fn page(answer: &Answer) -> String {
    let Answer { inputs, verdict: found, flooded } = answer;
    let mut page = format!(
        "bound      {}\npreset     {}\ncosts      {}, worst column\n",
        inputs.title, inputs.preset, inputs.table
    );
    let mut line = |text: String| writeln!(page, "{text}").expect("a string takes everything");
    line(format!("a heartbeat's wait   {}", verdict(found)));
    if let Verdict::NotBounded { why, only_if, .. } = found {
        line(format!("why                  {why}"));
        if let Some(claim) = only_if {
            line(format!("only if              at most {}", ms(claim.busy.wait_ns)));
        }
    }
    for (flood, verdict_of) in flooded {
        line(format!("with any {:<36} {}", flood.name(), verdict(verdict_of)));
    }
    if let Some(claim) = found.claim() {
        line(String::new());
        line("what binds".to_owned());
        for gap in &claim.gaps {
            let binds = binding(claim).is_some_and(|most| most.kind == gap.kind);
            let mark = if binds { "►" } else { " " };
            line(format!("{mark} {}: {}", name(gap), ms(gap.span_ns)));
            for it in &gap.parts {
                line(format!("  {}", part(it)));
            }
        }
        let busy = &claim.busy;
        line(format!(
            "  then {} tunnel packets ahead; it arrives {} after the queue was empty, and at most {} \
             wait at once",
            busy.ahead,
            ms(busy.arrives_ns),
            busy.backlog
        ));
    }
    page + &premises(inputs)
}

/// What a claim rests on, the assumptions first.
fn premises(inputs: &Inputs) -> String {
    let mut rows: Vec<(&Ground, String)> = Vec::new();
    let mut costs: Vec<_> = inputs.costs.iter().collect();
    costs.dedup_by_key(|cost| (&cost.row, &cost.ground));
    for cost in costs {
        rows.push((&cost.ground, format!("{} {} ({})", cost.key, ms(cost.worst_ns), cost.row)));
    }
    for stream in &inputs.tunnel {
        rows.push((&stream.ground, format!("{}: {}", stream.name, arrivals(stream.curve))));
    }
    for stream in &inputs.disco {
        let key = match stream.sender {
            Sender::Unknown => "an unknown key",
            Sender::Known => "a known key",
            Sender::Priority => "the priority peer's key",
        };
        let premise = format!("{}, under {key}: {}", stream.name, arrivals(stream.curve));
        rows.push((&stream.ground, premise));
    }
    let updates = &inputs.updates;
    let others = "removals and patches";
    for (name, curve) in [("peer additions", updates.adds), (others, updates.others)] {
        if ever(curve) != Some(0) {
            rows.push((&updates.ground, format!("{name}: {}", arrivals(curve))));
        }
    }
    let peers = &inputs.peers;
    let premise = format!("at most {} peers, {} of them on direct paths", peers.most, peers.direct);
    rows.push((&peers.ground, premise));
    for task in &inputs.tasks {
        let (run, period) = (ms(task.run_ns), ms(task.period_ns));
        rows.push((&peers.ground, format!("task {}: {run} every {period}", task.name)));
    }
    rows.sort_by_key(|(ground, _)| (std::cmp::Reverse(ground.label), ground.stated));
    let mut text = "\npremises\n".to_owned();
    for (ground, premise) in rows {
        let source = match (ground.label, ground.stated) {
            (Provenance::Assumed, true) => format!("stated: {}", ground.source),
            _ => ground.source.clone(),
        };
        writeln!(text, "  {:<9} {premise}; {source}", ground.label.name())
            .expect("a string takes everything");
    }
    text
}

fn arrivals(curve: Curve) -> String {
    match curve {
        Curve::Unlimited => "any number".to_owned(),
        Curve::Limited { burst, period_ns: 0, .. } => format!("{burst} in all"),
        Curve::Limited { burst, period_ns, jitter_ns, total } => {
            let total = total.map_or(String::new(), |total| format!(", {total} in all"));
            let jitter = if jitter_ns == 0 {
                String::new()
            } else {
                format!(", up to {} late", ms(jitter_ns))
            };
            format!("{burst} at once and one every {}{jitter}{total}", ms(period_ns))
        }
    }
}

/// Several presets, one below the other.
pub(super) fn table(answers: &[Answer]) -> String {
    let first = &answers[0].inputs;
    let mut table =
        format!("bound      {}\ncosts      {}, worst column\n", first.title, first.table);
    for Answer { inputs, verdict: found, flooded } in answers {
        let mut line = |text: String| writeln!(table, "{text}").expect("a string takes everything");
        line(format!("\n{:<8} {}", inputs.preset, verdict(found)));
        if let Some(claim) = found.claim() {
            line(format!("{:<8} = {}", "", chain(claim)));
        }
        for (flood, with) in flooded {
            line(format!("{:<8} with any {}: {}", "", flood.name(), verdict(with)));
        }
    }
    table
}

/// A certificate that holds.
pub(super) fn verified(certificate: &Certificate) -> String {
    let (inputs, busy) = (&certificate.inputs, &certificate.claim.busy);
    let shed = if busy.backlog > inputs.pass.tunnel_depth {
        format!(
            "\nbut        {} packets can wait where {} have room: one may be shed",
            busy.backlog, inputs.pass.tunnel_depth
        )
    } else {
        String::new()
    };
    format!(
        "holds      {}\npreset     {}\ncosts      {}, worst column\na heartbeat's wait   at most {}{shed}\n{}",
        inputs.title,
        inputs.preset,
        inputs.table,
        ms(busy.wait_ns),
        premises(inputs)
    )
}
