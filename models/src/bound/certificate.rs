//! Checks a certificate without trusting whoever made it: reads the inputs, walks a pass by its own
//! rules, and recomputes every figure of the claim.
//!
//! Shares only [`super::data`] with the maker. Sums have 128 bits, so that none overflows.
use std::collections::BTreeSet;

use super::data::{
    Certificate, Claim, Curve, DiscoKind, DiscoStream, FORMAT, GapKind, Inputs, Order, Part, Pass,
    Road, Sender, TunnelKind, TunnelStream,
};
use firmware_core::charge::CostKey::{
    self, BoxOpenCached, BoxOpenComputed, BoxSealCached, BoxSealComputed, DiscoReject,
    InitiationReceived, InitiationSent, PeerAdd, PeerUpdate, ResponseReceived, StoreWrite,
    TunnelData, TunnelDataSent,
};

const LOOKS_MOST: u128 = 2_000_000;
const ENDLESS: u128 = 1 << 62;

/// Why a certificate is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// It is no certificate at all.
    #[error("it is no certificate: {0}")]
    Unreadable(#[from] serde_json::Error),
    /// It is one, but does not hold.
    #[error("it does not hold: {0}")]
    Wrong(&'static str),
}

type Checked<T> = Result<T, Refused>;

fn insist(holds: bool, otherwise: &'static str) -> Checked<()> {
    if holds { Ok(()) } else { Err(Refused::Wrong(otherwise)) }
}

/// Follows the iterates of a fixed point from the first to where they come to rest.
fn rest(iterates: &[u64], end: u64, first: u128, next: impl Fn(u128) -> u128) -> Checked<u128> {
    let mut window = first;
    for (place, iterate) in iterates.iter().enumerate() {
        window = if place == 0 { first } else { next(window) };
        insist(window == u128::from(*iterate), "an iterate does not follow from the one before")?;
    }
    let rests = next(window) == window && window == u128::from(end);
    insist(rests, "the iterates do not come to rest where they are said to")?;
    Ok(window)
}

/// Reads and checks a certificate.
///
/// # Errors
/// [`Refused::Unreadable`] when the text is no certificate, [`Refused::Wrong`] with the first figure
/// that does not follow from the inputs.
pub fn verify(text: &str) -> Result<Certificate, Refused> {
    let certificate: Certificate = serde_json::from_str(text)?;
    let Certificate { format, inputs, claim, digest } = &certificate;
    insist(*format == FORMAT, "its format is of another version")?;
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in serde_json::to_vec(&(format, inputs, claim))? {
        sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    insist(*digest == format!("{sum:016x}"), "its digest is that of another text")?;
    let names = CostKey::ALL.map(|key| format!("{key:?}"));
    insist(inputs.costs.iter().map(|cost| &cost.key).eq(&names), "a cost is missing or too many")?;
    let worst = inputs.costs.iter().map(|cost| cost.worst_ns);
    let longest = worst.chain(inputs.tasks.iter().map(|task| task.run_ns)).max();
    let streams = inputs.tunnel.len() + inputs.disco.len() + inputs.tasks.len();
    insist(longest <= Some(1 << 50) && streams <= 1_000, "its figures are beyond reason")?;
    Checker { inputs, pass: &inputs.pass }.check(claim)?;
    Ok(certificate)
}

struct Checker<'a> {
    inputs: &'a Inputs,
    pass: &'a Pass,
}

/// A road through a gap: how often, and for how long in all.
struct Row(Road, Option<u128>, u128);

impl Checker<'_> {
    fn check(&self, claim: &Claim) -> Checked<()> {
        let (first, drained) = (self.pass.order == Order::TunnelFirst, self.pass.interleave);
        let work = if drained { &[GapKind::Add, GapKind::Open][..] } else { &[GapKind::Work] };
        let kinds = work.iter().copied().chain(first.then_some(GapKind::TimersAndSleep));
        insist(claim.gaps.iter().map(|gap| gap.kind).eq(kinds), "a gap is missing or too many")?;
        let mut longest = 0;
        for gap in &claim.gaps {
            let demand = |window| self.rows(gap.kind, window).iter().map(|row| row.2).sum();
            let window = rest(&gap.iterates_ns, gap.span_ns, demand(0), demand)?;
            let rows = self.rows(gap.kind, window);
            let part = |it: &Part| (it.road, it.count.map(u128::from), u128::from(it.total_ns));
            let rows = rows.iter().map(|row| (row.0, row.1, row.2));
            insist(gap.parts.iter().map(part).eq(rows), "the parts of a gap do not follow")?;
            longest = longest.max(window - self.tasks(window).2);
        }
        self.check_busy(claim, longest)
    }

    fn check_busy(&self, claim: &Claim, gap: u128) -> Checked<()> {
        let (busy, tunnel) = (&claim.busy, &self.inputs.tunnel);
        let end = |window| gap + self.tasks(window).2 + self.ahead(window);
        let window = rest(&busy.iterates_ns, busy.window_ns, gap, end)?;
        let begins = gap + self.tasks(window).2;
        let dearest = tunnel.iter().map(|stream| self.served(stream)).max();
        let is_heartbeat = |it: &&TunnelStream| it.kind == TunnelKind::Heartbeat;
        let mut heartbeats = tunnel.iter().filter(|it| is_heartbeat(it) && alpha(it.curve, 0) > 0);
        let own = heartbeats.next().map(|stream| self.served(stream));
        let (mut worst, mut backlog) = ((0, 0, 0), 0);
        for (place, x) in self.places(window)?.into_iter().enumerate() {
            let here: u128 = tunnel.iter().map(|stream| alpha(stream.curve, x)).sum();
            let wait = (begins + self.ahead(x) - own.unwrap_or(0)).saturating_sub(x);
            if place == 0 || wait > worst.0 {
                worst = (wait, x, here - u128::from(own.is_some()));
            }
            let served = x.saturating_sub(begins) / dearest.unwrap_or(1).max(1);
            backlog = backlog.max(here.saturating_sub(served));
        }
        let claimed = (busy.wait_ns.into(), busy.arrives_ns.into(), busy.ahead.into());
        insist(worst == claimed, "another arrival in the busy window waits longer, or less")?;
        let ends = gap == u128::from(busy.gap_ns) && backlog == u128::from(busy.backlog);
        insist(ends, "the busy window's gap or backlog is another")
    }

    fn cost(&self, key: CostKey) -> u128 {
        self.inputs.costs[key as usize].worst_ns.into()
    }

    fn ahead(&self, window: u128) -> u128 {
        let tunnel = self.inputs.tunnel.iter();
        tunnel.map(|it| alpha(it.curve, window) * self.served(it)).sum()
    }

    /// How long it takes to serve one tunnel packet; any may turn out to be a copy, or damaged.
    fn served(&self, stream: &TunnelStream) -> u128 {
        let key = match stream.kind {
            TunnelKind::Heartbeat | TunnelKind::Data => TunnelData,
            TunnelKind::Junk => CostKey::TunnelReject,
            TunnelKind::Initiation => InitiationReceived,
            TunnelKind::Response => ResponseReceived,
        };
        let keeps_alive = self.pass.sessions && stream.kind == TunnelKind::Response;
        let behind = u128::from(keeps_alive) * self.cost(TunnelDataSent);
        (self.cost(key) + behind).max(self.cost(CostKey::TunnelReject))
    }

    fn places(&self, window: u128) -> Checked<BTreeSet<u128>> {
        let mut places = BTreeSet::from([0]);
        for stream in &self.inputs.tunnel {
            let Curve::Limited { period_ns, jitter_ns, .. } = stream.curve else {
                return Err(Refused::Wrong("nothing limits a stream of tunnel packets"));
            };
            let (jitter, period) = (u128::from(jitter_ns), u128::from(period_ns));
            let numbers = (window + jitter).checked_div(period).unwrap_or(0);
            insist(numbers <= LOOKS_MOST, "its busy window is too long to look through")?;
            let at = (1..=numbers).map(|number| (number * period).saturating_sub(jitter));
            places.extend(at.filter(|at| *at < window));
        }
        Ok(places)
    }

    fn tasks(&self, window: u128) -> Row {
        let (mut count, mut time) = (0, 0);
        for task in &self.inputs.tasks {
            let runs = 2 + window.checked_div(task.period_ns.into()).unwrap_or(0);
            (count, time) = (count + runs, time + runs * u128::from(task.run_ns));
        }
        Row(Road::Tasks, Some(count), time)
    }

    fn rows(&self, gap: GapKind, window: u128) -> Vec<Row> {
        let (pass, peers, updates) = (self.pass, &self.inputs.peers, &self.inputs.updates);
        let most = u128::from(peers.most);
        let limit = |limit: Option<u64>| limit.map_or(ENDLESS, u128::from);
        let back = gap == GapKind::TimersAndSleep || pass.order == Order::TunnelLast;
        let work = gap != GapKind::TimersAndSleep;
        let (adds, opens) = (work && gap != GapKind::Open, work && gap != GapKind::Add);
        let (safety, sessions) = (u128::from(peers.safety), u128::from(pass.sessions));
        let demoted = (limit(pass.demotions) + safety).min(peers.direct.into());
        let wakes = sessions * safety.min(most);
        let pings = limit(pass.heartbeats) + demoted + u128::from(pass.upgrades) + 1;
        let one_add = if gap == GapKind::Add { 1 } else { limit(pass.adds).max(1) };
        let (seal, update) = (self.cost(BoxSealComputed), self.cost(PeerUpdate));
        let tells = u128::from(peers.own_endpoint) * self.seal_again();
        let begins = sessions * self.cost(InitiationSent);
        let new = self.cost(PeerAdd) + seal + tells + begins;
        let save = if pass.write_each_save { self.cost(StoreWrite) } else { 0 };
        let writes = u128::from(peers.store_changes && !pass.write_each_save);
        let sends = limit(pass.broadcast_sends).min(most);
        let sends = if peers.broadcast && pass.disco_enabled { sends } else { 0 };
        let (pings, demoted) = if pass.disco_enabled { (pings.min(most), demoted) } else { (0, 0) };
        let begun = sessions * (demoted + wakes + most);
        let roads = [
            (back, Road::Timers, pings + wakes, seal),
            (back, Road::Handshakes, begun, self.cost(InitiationSent)),
            (back, Road::Keepalives, sessions * most, self.cost(TunnelDataSent)),
            (back, Road::Sleep, 1, pass.loop_delay_ns.into()),
            (work, Road::Updates, forever(updates.others), update + save),
            (adds, Road::Adds, one_add.min(forever(updates.adds)), new.max(update) + save),
            (opens, Road::Flush, writes, self.cost(StoreWrite)),
            (opens, Road::Broadcast, sends, seal),
        ];
        let mut rows = Vec::new();
        for (applies, road, count, each) in roads {
            if applies && count > 0 {
                rows.push(Row(road, Some(count), count * each));
            }
        }
        if opens && pass.opens != Some(0) {
            self.disco(gap == GapKind::Open, window, &mut rows);
        }
        rows.push(self.tasks(window));
        rows.retain(|row| row.2 > 0);
        rows
    }

    fn seal_again(&self) -> u128 {
        self.cost(if self.pass.cached_keys > 0 { BoxSealCached } else { BoxSealComputed })
    }

    /// How long it takes to serve one DISCO packet.
    fn packet(&self, stream: &DiscoStream, computed: bool) -> u128 {
        let known = stream.sender != Sender::Unknown;
        let answer = u128::from(self.pass.echo && self.inputs.peers.own_endpoint);
        let seals = match stream.kind {
            DiscoKind::Ping => 2,
            DiscoKind::CallMeMaybe { endpoints: n } if known => u128::from(n.min(8)) + 1 + answer,
            DiscoKind::Nothing | DiscoKind::Pong | DiscoKind::CallMeMaybe { .. } => 0,
        };
        let cached = !computed && self.pass.cached_keys > 0;
        let open = self.cost(if cached { BoxOpenCached } else { BoxOpenComputed });
        let rescues = !known && stream.kind == DiscoKind::Ping && self.pass.write_each_save;
        let saves = u128::from(rescues) * self.cost(StoreWrite);
        let moves = self.pass.sessions && stream.kind == DiscoKind::Pong;
        let begun = u128::from(moves) * self.cost(InitiationSent);
        (open + seals * self.seal_again() + saves + begun).max(self.cost(DiscoReject))
    }

    fn disco(&self, ends_with_open: bool, window: u128, rows: &mut Vec<Row>) {
        let (pass, peers, begun) = (self.pass, &self.inputs.peers, rows.len());
        let (exempt, drained) = (pass.known_keys_exempt, pass.known_keys_drained);
        let all_drained = ends_with_open && drained;
        let roads = |stream: &DiscoStream| match stream.sender {
            Sender::Unknown => (true, false),
            Sender::Known => (!exempt || drained, exempt && !all_drained),
            Sender::Priority => (drained, !all_drained),
        };
        let streams = || self.inputs.disco.iter().filter(|stream| forever(stream.curve) > 0);
        let charged: Vec<_> = streams().filter(|stream| roads(stream).0).collect();
        let taken = |it: &DiscoStream| {
            (alpha(it.curve, window) + u128::from(pass.disco_depth)).min(forever(it.curve))
        };
        let touched = pass.opens.map_or(u64::MAX, |opens| opens.saturating_add(peers.most));
        let emptied = peers.relay_connects || !pass.cache_takes_any;
        let kept = touched <= pass.cached_keys && touched < u64::MAX && !emptied;
        let each = |road, streams: &[&DiscoStream]| {
            let mut row = Row(road, Some(0), 0);
            for stream in streams {
                let (count, first) = (taken(stream), self.packet(stream, true));
                let misses = stream.keys.filter(|_| kept).map_or(count, u128::from).min(count);
                let again = self.packet(stream, false);
                row.1 = row.1.map(|sum| sum + count).filter(|sum| *sum < ENDLESS);
                row.2 += again * count + first.saturating_sub(again) * misses;
            }
            row
        };
        let budget = if ends_with_open && (exempt || drained) { Some(1) } else { pass.opens };
        rows.push(budget.map_or_else(
            || each(Road::Opens, &charged),
            |budget| {
                let one = |it: &DiscoStream| ends_with_open && it.sender == Sender::Unknown;
                let counts =
                    charged.iter().map(|it| taken(it).min(if one(it) { 1 } else { ENDLESS }));
                let count = counts.sum::<u128>().min(budget.into());
                let dearest = charged.iter().map(|stream| self.packet(stream, true)).max();
                Row(Road::Opens, Some(count), count * dearest.unwrap_or(0))
            },
        ));
        rows.push(each(Road::FreeOpens, &streams().filter(|it| roads(it).1).collect::<Vec<_>>()));
        let last = streams().map(|stream| self.packet(stream, true)).max().unwrap_or(0);
        let mut left = pass.disco_time_ns.map_or(u128::MAX, |time| u128::from(time) + last);
        for row in rows.iter_mut().skip(begun) {
            (row.1, row.2) = if row.2 > left { (None, left) } else { (row.1, row.2) };
            left -= row.2;
        }
    }
}

/// Arrivals in a closed window.
fn alpha(curve: Curve, window: u128) -> u128 {
    let Curve::Limited { burst, period_ns, jitter_ns, total } = curve else { return ENDLESS };
    let later = (window + u128::from(jitter_ns)).checked_div(period_ns.into()).unwrap_or(0);
    (u128::from(burst) + later).min(total.map_or(ENDLESS, u128::from)).min(ENDLESS)
}

/// Arrivals in all time.
fn forever(curve: Curve) -> u128 {
    alpha(curve, 1 << 126)
}
