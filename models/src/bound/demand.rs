//! What a pass may do between two tunnel drains: segments that nothing interrupts for a tunnel
//! packet, and how many of each fit into one gap.
//!
//! ```text
//!   TunnelFirst                 drain ─ updates 4×add flush broadcast 4×open known… ─ drain ─ timers sleep ─ drain
//!   TunnelFirst, interleaved    drain ─ updates add ─ drain ─ updates flush broadcast known… open ─ drain ─ …
//!   TunnelLast                  drain ─ timers sleep updates add… flush broadcast open… ─ drain
//! ```
//!
//! A road with a budget gives a gap at most that budget; one without gives what waits in the queue
//! and what arrives while the gap lasts, so the gap's length is a fixed point. Handshakes of the
//! tunnel's own timers are [`Road::Handshakes`] of [`GapKind::TimersAndSleep`], as are those of demotions.
//!
//! Clauses: WG-ORD-1, WG-Q2, WG-DISCO-1, WG-ADD-1, WG-CMM-1, WG-HB-1, WG-HB-2, WG-NVS-1.
use std::collections::BTreeSet;

use firmware_core::charge::CostKey;

use super::data::{Curve, DiscoKind, DiscoStream, GapKind, Inputs, Order, Part, Road, Sender};
use super::fact::{Fact, InputError};

/// The inputs with their costs looked up.
pub(super) struct Model<'a> {
    pub(super) inputs: &'a Inputs,
    costs: Vec<u64>,
}

/// The demand of one gap in a window, and the operations that it is made of.
#[derive(Debug, Default)]
pub(super) struct Demand {
    pub(super) parts: Vec<Part>,
    pub(super) keys: BTreeSet<CostKey>,
}

impl Demand {
    /// Takes in so many units of equal work.
    fn take(&mut self, road: Road, count: u64, work: &Work) {
        if count > 0 {
            let total_ns = count.saturating_mul(work.time);
            self.parts.push(Part { road, count: Some(count), total_ns });
            self.keys.extend(work.keys.iter().copied());
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.total_ns))
    }
}

/// Work of one unit: its time, and the operations in it.
struct Work {
    time: u64,
    keys: Vec<CostKey>,
}

/// At most how many arrive in a closed window; `None` is any number.
pub(super) fn arrivals(curve: Curve, window: u64) -> Option<u64> {
    match curve {
        Curve::Unlimited => None,
        Curve::Limited { burst, period_ns, jitter_ns, total } => {
            let later = window.saturating_add(jitter_ns).checked_div(period_ns).unwrap_or(0);
            Some(burst.saturating_add(later).min(total.unwrap_or(u64::MAX)))
        }
    }
}

/// At most how many ever arrive; `None` is any number.
pub fn ever(curve: Curve) -> Option<u64> {
    match curve {
        Curve::Unlimited => None,
        Curve::Limited { burst, period_ns: 0, total, .. } => {
            Some(burst.min(total.unwrap_or(u64::MAX)))
        }
        Curve::Limited { total, .. } => total,
    }
}

/// At most how many are taken in a window from a queue of this depth; `None` is any number.
fn taken(curve: Curve, depth: u64, window: u64) -> Option<u64> {
    let waiting = arrivals(curve, window)?.saturating_add(depth);
    Some(waiting.min(ever(curve).unwrap_or(u64::MAX)))
}

impl<'a> Model<'a> {
    pub(super) fn new(inputs: &'a Inputs) -> Result<Self, InputError> {
        let mut costs = Vec::new();
        for key in CostKey::ALL {
            let name = format!("{key:?}");
            let mut rows = inputs.costs.iter().filter(|cost| cost.key == name);
            match (rows.next(), rows.next()) {
                (Some(row), None) => costs.push(row.worst_ns),
                (None, _) => return Err(InputError::CostMissing { key: name }),
                (Some(_), Some(_)) => return Err(InputError::CostTwice { key: name }),
            }
        }
        Ok(Self { inputs, costs })
    }

    pub(super) fn cost(&self, key: CostKey) -> u64 {
        self.costs[key as usize]
    }

    /// The gaps that a pass of this configuration has.
    pub(super) fn gaps(&self) -> &'static [GapKind] {
        let pass = &self.inputs.pass;
        match (pass.order, pass.interleave) {
            (Order::TunnelFirst, false) => &[GapKind::Work, GapKind::TimersAndSleep],
            (Order::TunnelFirst, true) => &[GapKind::Add, GapKind::Open, GapKind::TimersAndSleep],
            (Order::TunnelLast, false) => &[GapKind::Work],
            (Order::TunnelLast, true) => &[GapKind::Add, GapKind::Open],
        }
    }

    /// What a gap may hold when it lasts as long as `window`.
    pub(super) fn demand(&self, gap: GapKind, window: u64) -> Result<Demand, Fact> {
        let mut demand = Demand::default();
        let last = self.inputs.pass.order == Order::TunnelLast;
        if gap == GapKind::TimersAndSleep || last {
            self.timers(&mut demand);
            let sleep = self.inputs.pass.loop_delay_ns;
            demand.parts.push(Part { road: Road::Sleep, count: Some(1), total_ns: sleep });
        }
        match gap {
            GapKind::TimersAndSleep => {}
            GapKind::Add => {
                self.updates(&mut demand)?;
                self.adds(&mut demand, Some(1))?;
            }
            GapKind::Work => {
                self.updates(&mut demand)?;
                self.adds(&mut demand, self.inputs.pass.adds.map(|adds| adds.max(1)))?;
                self.flush_and_broadcast(&mut demand);
                self.disco(&mut demand, window, false)?;
            }
            GapKind::Open => {
                self.updates(&mut demand)?;
                self.flush_and_broadcast(&mut demand);
                self.disco(&mut demand, window, true)?;
            }
        }
        demand.parts.push(self.tasks(window));
        demand.parts.retain(|part| part.total_ns > 0);
        Ok(demand)
    }

    /// Other tasks: one that has begun, one that is due, and those of the window.
    pub(super) fn tasks(&self, window: u64) -> Part {
        let (mut count, mut total_ns) = (0_u64, 0_u64);
        for task in &self.inputs.tasks {
            let runs = window.checked_div(task.period_ns).unwrap_or(0).saturating_add(2);
            count = count.saturating_add(runs);
            total_ns = total_ns.saturating_add(runs.saturating_mul(task.run_ns));
        }
        Part { road: Road::Tasks, count: Some(count), total_ns }
    }

    fn work(&self, keys: &[CostKey]) -> Work {
        let time = keys.iter().fold(0_u64, |sum, key| sum.saturating_add(self.cost(*key)));
        Work { time, keys: keys.to_vec() }
    }

    /// A seal whose shared key was computed a moment ago.
    fn seal_again(&self) -> CostKey {
        if self.inputs.pass.cached_keys > 0 {
            CostKey::BoxSealCached
        } else {
            CostKey::BoxSealComputed
        }
    }

    fn saved(&self, mut keys: Vec<CostKey>) -> Vec<CostKey> {
        keys.extend(self.inputs.pass.write_each_save.then_some(CostKey::StoreWrite));
        keys
    }

    fn updates(&self, demand: &mut Demand) -> Result<(), Fact> {
        let count = ever(self.inputs.updates.others).ok_or(Fact::Updates)?;
        let work = self.work(&self.saved(vec![CostKey::PeerUpdate]));
        demand.take(Road::Updates, count, &work);
        Ok(())
    }

    fn adds(&self, demand: &mut Demand, most: Option<u64>) -> Result<(), Fact> {
        let all = ever(self.inputs.updates.adds);
        let count = match (most, all) {
            (Some(most), all) => most.min(all.unwrap_or(u64::MAX)),
            (None, all) => all.ok_or(Fact::Adds)?,
        };
        let mut keys = vec![CostKey::PeerAdd, CostKey::BoxSealComputed];
        keys.extend(self.inputs.pass.sessions.then_some(CostKey::InitiationSent));
        keys.extend(self.inputs.peers.own_endpoint.then(|| self.seal_again()));
        let new = self.work(&self.saved(keys));
        let refreshed = self.work(&self.saved(vec![CostKey::PeerUpdate]));
        let work = if new.time >= refreshed.time { new } else { refreshed };
        demand.take(Road::Adds, count, &work);
        Ok(())
    }

    fn flush_and_broadcast(&self, demand: &mut Demand) {
        let (pass, peers) = (&self.inputs.pass, &self.inputs.peers);
        let writes = u64::from(peers.store_changes && !pass.write_each_save);
        demand.take(Road::Flush, writes, &self.work(&[CostKey::StoreWrite]));
        let sends = pass.broadcast_sends.unwrap_or(peers.most).min(peers.most);
        let sends = if peers.broadcast && pass.disco_enabled { sends } else { 0 };
        demand.take(Road::Broadcast, sends, &self.work(&[CostKey::BoxSealComputed]));
    }

    /// One scan, in which each peer gets at most one packet beside a wake's; given-up paths have no
    /// budget but that and the cap, if there is one. With sessions, a handshake for each demotion
    /// and wake, and one look of the tunnel's timers: a handshake and a keepalive a slot.
    fn timers(&self, demand: &mut Demand) {
        let (pass, peers) = (&self.inputs.pass, &self.inputs.peers);
        let priority = 1;
        let cap = pass.demotions.map_or(u64::MAX, |cap| cap.saturating_add(peers.safety));
        let demoted = if pass.disco_enabled { peers.direct.min(cap) } else { 0 };
        let wakes = if pass.sessions { peers.safety.min(peers.most) } else { 0 };
        let pings = demoted
            .saturating_add(pass.upgrades)
            .saturating_add(pass.heartbeats.unwrap_or(peers.most))
            .saturating_add(priority)
            .min(if pass.disco_enabled { peers.most } else { 0 });
        let seal = self.work(&[CostKey::BoxSealComputed]);
        demand.take(Road::Timers, pings.saturating_add(wakes), &seal);
        let slots = if pass.sessions { peers.most } else { 0 };
        let begun = if pass.sessions { demoted.saturating_add(wakes) } else { 0 };
        let handshake = self.work(&[CostKey::InitiationSent]);
        demand.take(Road::Handshakes, begun.saturating_add(slots), &handshake);
        demand.take(Road::Keepalives, slots, &self.work(&[CostKey::TunnelDataSent]));
    }

    /// Serving one packet of a stream, its shared key computed or cached.
    fn packet(&self, stream: &DiscoStream, computed: bool) -> Work {
        let pass = &self.inputs.pass;
        let open = if computed || pass.cached_keys == 0 {
            CostKey::BoxOpenComputed
        } else {
            CostKey::BoxOpenCached
        };
        let unknown = stream.sender == Sender::Unknown;
        let mut keys = vec![open];
        let seals = match stream.kind {
            DiscoKind::Nothing | DiscoKind::Pong => 0,
            DiscoKind::Ping => 2,
            DiscoKind::CallMeMaybe { .. } if unknown => 0,
            DiscoKind::CallMeMaybe { endpoints } => {
                let answer = pass.echo && self.inputs.peers.own_endpoint;
                usize::from(endpoints.min(8)) + 1 + usize::from(answer)
            }
        };
        keys.extend(std::iter::repeat_n(self.seal_again(), seals));
        // A pong may move a session to its endpoint, or wake a peer that it came from.
        keys.extend(
            (pass.sessions && stream.kind == DiscoKind::Pong).then_some(CostKey::InitiationSent),
        );
        // A rescue changes the peer cache.
        if unknown && stream.kind == DiscoKind::Ping {
            keys = self.saved(keys);
        }
        let (served, refused) = (self.work(&keys), self.work(&[CostKey::DiscoReject]));
        if served.time >= refused.time { served } else { refused }
    }

    fn is_charged(&self, stream: &DiscoStream) -> bool {
        let pass = &self.inputs.pass;
        match stream.sender {
            Sender::Unknown => true,
            Sender::Known => !pass.known_keys_exempt || pass.known_keys_drained,
            Sender::Priority => pass.known_keys_drained,
        }
    }

    fn is_free(&self, stream: &DiscoStream) -> bool {
        match stream.sender {
            Sender::Unknown => false,
            Sender::Known => self.inputs.pass.known_keys_exempt,
            Sender::Priority => true,
        }
    }

    fn disco(&self, demand: &mut Demand, window: u64, interleaved: bool) -> Result<(), Fact> {
        let pass = &self.inputs.pass;
        if pass.opens == Some(0) {
            return Ok(());
        }
        let begun = demand.parts.len();
        let counted = |stream: &DiscoStream| taken(stream.curve, pass.disco_depth, window);
        let charged = |stream: &&DiscoStream| self.is_charged(stream);
        let mut all = Some(0_u64);
        for stream in self.inputs.disco.iter().filter(charged) {
            let ends_the_gap = interleaved && stream.sender == Sender::Unknown;
            let count = counted(stream);
            let count = if ends_the_gap { Some(count.unwrap_or(1).min(1)) } else { count };
            all = all.zip(count).map(|(sum, count)| sum.saturating_add(count));
        }
        let every_packet_ends_it = interleaved && pass.known_keys_drained;
        let one = every_packet_ends_it || interleaved && pass.known_keys_exempt;
        match if one { Some(1) } else { pass.opens } {
            Some(budget) => self.dearest(demand, charged, all, budget),
            None if all.is_none() && pass.disco_time_ns.is_none() => return Err(Fact::Opens),
            None => self.each(demand, Road::Opens, charged, &counted),
        }
        let free = |stream: &&DiscoStream| !every_packet_ends_it && self.is_free(stream);
        let unlimited = self.inputs.disco.iter().filter(free).any(|it| counted(it).is_none());
        if unlimited && pass.disco_time_ns.is_none() {
            return Err(Fact::KnownArrivals);
        }
        self.each(demand, Road::FreeOpens, free, &counted);
        if let Some(most) = pass.disco_time_ns {
            self.in_time(demand, begun, most);
        }
        Ok(())
    }

    /// At most `budget` packets, each as dear as the dearest of the streams.
    fn dearest(
        &self,
        demand: &mut Demand,
        which: impl Fn(&&DiscoStream) -> bool,
        all: Option<u64>,
        budget: u64,
    ) {
        let streams = self.inputs.disco.iter().filter(|it| which(it) && ever(it.curve) != Some(0));
        let dearest = streams.map(|stream| self.packet(stream, true)).max_by_key(|work| work.time);
        if let Some(work) = dearest {
            demand.take(Road::Opens, budget.min(all.unwrap_or(u64::MAX)), &work);
        }
    }

    /// Every packet of the streams that can be taken in the window.
    fn each(
        &self,
        demand: &mut Demand,
        road: Road,
        which: impl Fn(&&DiscoStream) -> bool,
        counted: &dyn Fn(&DiscoStream) -> Option<u64>,
    ) {
        let (mut packets, mut total_ns) = (Some(0_u64), 0_u64);
        for stream in self.inputs.disco.iter().filter(which) {
            let Some(count) = counted(stream) else {
                (packets, total_ns) = (None, u64::MAX);
                continue;
            };
            let (first, again) = (self.packet(stream, true), self.packet(stream, false));
            let misses = self.misses(stream, count);
            let dearer = first.time.saturating_sub(again.time);
            total_ns = total_ns
                .saturating_add(count.saturating_mul(again.time))
                .saturating_add(misses.saturating_mul(dearer));
            packets = packets.map(|packets| packets.saturating_add(count));
            if count > 0 {
                demand.keys.extend(first.keys);
            }
        }
        demand.parts.push(Part { road, count: packets, total_ns });
    }

    /// How many of `count` packets find no shared key: each key once, while the cache has room for
    /// all that one gap can touch and nothing empties it.
    fn misses(&self, stream: &DiscoStream, count: u64) -> u64 {
        let (pass, peers) = (&self.inputs.pass, &self.inputs.peers);
        let touched = pass.opens.map(|opens| peers.most.saturating_add(opens));
        let kept = touched.is_some_and(|touched| touched <= pass.cached_keys)
            && pass.cache_takes_any
            && !peers.relay_connects;
        match stream.keys {
            Some(keys) if kept => keys.min(count),
            _ => count,
        }
    }

    /// A pass takes no packet once its DISCO time is over, and finishes the one that it has.
    fn in_time(&self, demand: &mut Demand, begun: usize, most: u64) {
        let streams = self.inputs.disco.iter().filter(|it| ever(it.curve) != Some(0));
        let last = streams.map(|stream| self.packet(stream, true).time).max().unwrap_or(0);
        let mut left = most.saturating_add(last);
        for part in demand.parts.iter_mut().skip(begun) {
            if part.total_ns > left {
                (part.count, part.total_ns) = (None, left);
            }
            left -= part.total_ns;
        }
    }
}
