//! From gaps to the heartbeat's wait: the busy window of the tunnel's queue.
//!
//! ```text
//!   queue empty        gap over          queue empty again
//!       │◄──── gap ─────►│◄── packets ahead ──►│
//!       ├────────x───────┼─────────────────────┤──► time
//!                ▲ heartbeat arrives      wait(x) = gap + work ahead of it - x
//! ```
//!
//! The window begins when a drain has found nothing. What is ahead of a heartbeat that arrives `x`
//! later has arrived in between, so its wait is the gap, plus the work that can arrive in a window
//! of `x`, less `x`. Where the window ends, the queue is empty and the next gap begins anew.
use super::data::{Busy, Claim, Curve, Gap, GapKind, Inputs, Provenance, TunnelKind, TunnelStream};
use super::demand::{Demand, Model, arrivals};
use super::fact::{Fact, InputError};
use firmware_core::charge::CostKey;

/// A wait of an hour is none that anybody waits for.
const HORIZON_NS: u64 = 3_600_000_000_000;
/// Iterates of one fixed point; each is kept in the certificate.
const ITERATES_MOST: usize = 20_000;
/// Arrivals that one busy window is looked at for.
const PLACES_MOST: u64 = 1_000_000;

/// Why there is no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// A road is without limit.
    Unlimited(Fact),
    /// More work arrives than is done.
    Overload,
}

impl From<Fact> for Obstacle {
    fn from(fact: Fact) -> Self {
        Self::Unlimited(fact)
    }
}

/// A claim, and which of the costs that it rests on have no ground.
pub(super) struct Found {
    pub(super) claim: Claim,
    pub(super) unfounded: Vec<String>,
}

/// Bounds the wait, whatever is known of the premises.
pub(super) fn claim(inputs: &Inputs) -> Result<Result<Found, Obstacle>, InputError> {
    let model = Model::new(inputs)?;
    Ok(bounded(&model))
}

fn bounded(model: &Model<'_>) -> Result<Found, Obstacle> {
    let mut gaps = Vec::new();
    let mut longest: Option<(u64, Demand)> = None;
    for kind in model.gaps() {
        let (gap, demand) = gap(model, *kind)?;
        let own = gap.span_ns.saturating_sub(model.tasks(gap.span_ns).total_ns);
        if longest.as_ref().is_none_or(|(most, _)| own > *most) {
            longest = Some((own, demand));
        }
        gaps.push(gap);
    }
    let (gap_ns, demand) = longest.expect("every pass has a gap");
    let busy = busy(model, gap_ns)?;
    let unfounded = unfounded(model, &demand, &busy);
    Ok(Found { claim: Claim { gaps, busy }, unfounded })
}

fn gap(model: &Model<'_>, kind: GapKind) -> Result<(Gap, Demand), Obstacle> {
    let mut iterates_ns = Vec::new();
    let mut window = 0;
    loop {
        let demand = model.demand(kind, window)?;
        let next = demand.total();
        iterates_ns.push(next);
        if next == window {
            let gap = Gap { kind, parts: demand.parts.clone(), iterates_ns, span_ns: next };
            return Ok((gap, demand));
        }
        if next > HORIZON_NS || iterates_ns.len() >= ITERATES_MOST {
            return Err(Obstacle::Overload);
        }
        window = next;
    }
}

/// What one packet of a stream takes when it is served.
fn cost(model: &Model<'_>, kind: TunnelKind) -> (u64, CostKey) {
    let key = match kind {
        TunnelKind::Heartbeat | TunnelKind::Data => CostKey::TunnelData,
        TunnelKind::Junk => CostKey::TunnelReject,
        TunnelKind::Initiation => CostKey::InitiationReceived,
        TunnelKind::Response => CostKey::ResponseReceived,
    };
    // A response is followed by a keepalive where sessions are in the core.
    let behind = if model.inputs.pass.sessions && kind == TunnelKind::Response {
        model.cost(CostKey::TunnelDataSent)
    } else {
        0
    };
    // Any of them may turn out to be a copy, or damaged.
    let refused = CostKey::TunnelReject;
    [(model.cost(key).saturating_add(behind), key), (model.cost(refused), refused)]
        .into_iter()
        .reduce(|most, other| if other.0 > most.0 { other } else { most })
        .expect("two candidates")
}

fn unlimited(kind: TunnelKind) -> Fact {
    match kind {
        TunnelKind::Heartbeat => Fact::Heartbeats,
        TunnelKind::Data | TunnelKind::Junk => Fact::TunnelPackets,
        TunnelKind::Initiation => Fact::Initiations,
        TunnelKind::Response => Fact::Responses,
    }
}

/// Packets and work that can arrive in a window.
fn arriving(model: &Model<'_>, window: u64) -> Result<(u64, u64), Fact> {
    let (mut packets, mut work) = (0_u64, 0_u64);
    for stream in &model.inputs.tunnel {
        let count = arrivals(stream.curve, window).ok_or_else(|| unlimited(stream.kind))?;
        packets = packets.saturating_add(count);
        work = work.saturating_add(count.saturating_mul(cost(model, stream.kind).0));
    }
    Ok((packets, work))
}

fn busy(model: &Model<'_>, gap_ns: u64) -> Result<Busy, Obstacle> {
    let mut iterates_ns = vec![gap_ns];
    let mut window_ns = gap_ns;
    loop {
        let (_, work) = arriving(model, window_ns)?;
        let tasks = model.tasks(window_ns).total_ns;
        let next = gap_ns.saturating_add(work).saturating_add(tasks);
        iterates_ns.push(next);
        if next == window_ns {
            break;
        }
        if next > HORIZON_NS || iterates_ns.len() >= ITERATES_MOST {
            return Err(Obstacle::Overload);
        }
        window_ns = next;
    }
    let places = places(&model.inputs.tunnel, window_ns).ok_or(Obstacle::Overload)?;
    let begins = gap_ns.saturating_add(model.tasks(window_ns).total_ns);
    let own = own(model);
    let mut busy =
        Busy { gap_ns, iterates_ns, window_ns, backlog: 0, arrives_ns: 0, ahead: 0, wait_ns: 0 };
    for (place, x) in places.into_iter().enumerate() {
        let (packets, work) = arriving(model, x)?;
        let (ahead, others) = own
            .map_or((packets, work), |cost| (packets.saturating_sub(1), work.saturating_sub(cost)));
        let wait = begins.saturating_add(others).saturating_sub(x);
        if place == 0 || wait > busy.wait_ns {
            (busy.arrives_ns, busy.ahead, busy.wait_ns) = (x, ahead, wait);
        }
        busy.backlog = busy.backlog.max(packets.saturating_sub(served(model, begins, x)));
    }
    Ok(busy)
}

/// The cost of a heartbeat, where any arrives at all.
fn own(model: &Model<'_>) -> Option<u64> {
    let heartbeats = |stream: &&TunnelStream| {
        stream.kind == TunnelKind::Heartbeat && arrivals(stream.curve, 0).is_some_and(|it| it > 0)
    };
    let any = model.inputs.tunnel.iter().find(heartbeats)?;
    Some(cost(model, any.kind).0)
}

/// At least how many packets have left the queue `x` after the window's beginning.
fn served(model: &Model<'_>, begins: u64, x: u64) -> u64 {
    let dearest = model.inputs.tunnel.iter().map(|stream| cost(model, stream.kind).0).max();
    x.saturating_sub(begins) / dearest.unwrap_or(1).max(1)
}

/// The instants in the window at which more can have arrived than before; `None` when there are too
/// many to look at.
fn places(streams: &[TunnelStream], window_ns: u64) -> Option<Vec<u64>> {
    let mut places = vec![0];
    for stream in streams {
        let Curve::Limited { period_ns, jitter_ns, .. } = stream.curve else { return None };
        if period_ns == 0 {
            continue;
        }
        let reach = window_ns.saturating_add(jitter_ns) / period_ns;
        if reach > PLACES_MOST {
            return None;
        }
        let instants = (1..=reach).map(|number| (number * period_ns).saturating_sub(jitter_ns));
        places.extend(instants.filter(|at| *at < window_ns));
    }
    places.sort_unstable();
    places.dedup();
    Some(places)
}

/// Costs in the binding chain that nobody has measured, quoted, derived or stated. Arrivals need no
/// such look: what nobody states is unlimited.
fn unfounded(model: &Model<'_>, demand: &Demand, busy: &Busy) -> Vec<String> {
    let mut keys = demand.keys.clone();
    for stream in &model.inputs.tunnel {
        let others = arrivals(stream.curve, busy.arrives_ns).unwrap_or(0);
        if others > u64::from(stream.kind == TunnelKind::Heartbeat) {
            keys.insert(cost(model, stream.kind).1);
        }
    }
    let mut missing = Vec::new();
    for cost in &model.inputs.costs {
        let used = keys.iter().any(|key| format!("{key:?}") == cost.key);
        let founded = cost.ground.stated || cost.ground.label != Provenance::Assumed;
        if used && cost.worst_ns > 0 && !founded {
            missing.push(format!("no measurement of {}", cost.row));
        }
    }
    missing.sort();
    missing.dedup();
    missing
}
