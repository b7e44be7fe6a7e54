//! From a scenario to the premises of a bound: its own rates as arrival curves, its cost table's
//! worst column, its tasks and peers.
//!
//! ```text
//!   Scenario ─┬─ config ─────────► Pass
//!             ├─ costs ──────────► KeyCost, worst column, label of its weakest row
//!             ├─ heartbeats ─┐
//!             ├─ floods ─────┼───► curves: burst, period, jitter of the way in
//!             └─ peers ──────┘        └ and what their packets cause: pongs, echoes
//! ```
//!
//! A train that has no worst case (Poisson) becomes an unlimited curve; a bound then needs a budget.
//! Windows (`from`, `until`) are ignored: the load is taken to go on.
mod curves;
mod peers;

use firmware_core::charge::CostKey;
use firmware_core::m3_read::deadline::UNIT_CYCLES;
use firmware_core::time::Duration;
use firmware_core::wg_mgr::wire::{PacketClass, TunnelPacket};
use models::bound::data::{
    Curve, DiscoKind, DiscoStream, Ground, Inputs, KeyCost, Pass, Peers, Sender, Task, TunnelKind,
    TunnelStream, Updates,
};
use models::bound::read::Machine;

use self::curves::{all_at_once, curve, never};
use crate::cost::{Cost, CostRow, CostTable, Provenance, STATED};
use crate::node::flood::FloodSource;
use crate::random::Streams;
use crate::read::parameters::Parameters;
use crate::scenario::{Entry, Flood, FloodContent, Reach, Scenario};

/// Tasks of this priority or a higher one on core 1 take time from the loop.
const LOOP_PRIORITY: u8 = 7;

/// How much later than it arrives a packet can enter its queue, by the way that it comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jitter {
    pub(crate) socket: Duration,
    pub(crate) relay: Duration,
}

/// How many handshake initiations arrive; a scenario has none of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initiations {
    /// None beside what the scenario has.
    None,
    /// Any number.
    Unlimited,
    /// One, and as many in a thousand seconds.
    PerKilosecond(u64),
}

/// The premises of a bound on the heartbeat's wait in a scenario.
pub fn inputs(scenario: &Scenario, initiations: Initiations) -> Inputs {
    let jitter = jitter(scenario);
    let (mut tunnel, mut disco) = (heartbeats(scenario, jitter), Vec::new());
    for flood in &scenario.floods {
        of_flood(scenario, flood, jitter, &mut tunnel, &mut disco);
    }
    disco.extend(peers::streams(scenario, jitter));
    tunnel.extend(inbound_initiations(initiations));
    Inputs {
        title: scenario.title.clone(),
        preset: scenario.preset.name().to_owned(),
        table: scenario.costs.name.clone(),
        pass: Pass::of(&scenario.config),
        costs: CostKey::ALL.map(|key| cost(&scenario.costs, key)).into(),
        tunnel,
        disco,
        updates: updates(scenario),
        peers: peers_of(scenario),
        tasks: tasks(scenario),
    }
}

/// What the machine of a READ scenario takes at most.
pub fn machine(parameters: &Parameters) -> Machine {
    let hundredth = u128::from(parameters.phi2_hz)
        * u128::from(parameters.turbo_percent)
        * u128::from(1_000_000_u64.saturating_sub(parameters.bad_lines_ppm).max(1));
    let nanos = |cycles: u64| {
        let nanos =
            (u128::from(cycles) * 100 * 1_000_000 * 1_000_000_000).div_ceil(hundredth.max(1));
        u64::try_from(nanos).unwrap_or(u64::MAX)
    };
    // An access ends at the next bus cycle: at most one more than its own, rounded up twice.
    let bus_cycle = parameters.turbo_percent.div_ceil(100) + 2;
    let unit = u64::from(UNIT_CYCLES) * 1_000_000_000;
    Machine {
        access_ns: nanos(parameters.access_cycles + bus_cycle),
        fence_ns: nanos(parameters.fence_cycles),
        unit_ns: unit.div_ceil(parameters.phi2_hz.max(1)),
    }
}

/// Said by the question itself.
pub(crate) fn stated() -> Ground {
    Ground { label: Provenance::Assumed, stated: true, source: "the scenario".to_owned() }
}

/// Follows from the question and the code.
pub(crate) fn derived(source: &str) -> Ground {
    Ground { label: Provenance::Derived, stated: true, source: source.to_owned() }
}

/// An operation's worst cost, and how well the row is known that is known least.
fn cost(table: &CostTable, key: CostKey) -> KeyCost {
    let x25519 = (key.x25519_count() > 0).then_some(CostRow::X25519);
    let rows = x25519.into_iter().chain(CostRow::beside_x25519(key));
    let rows = rows.map(|row| (row, table.row(row)));
    // What the question states is not the weakest of its grounds.
    let weakest = rows.max_by_key(|(_, cost)| {
        (!is_stated(cost) && cost.provenance == Provenance::Assumed, cost.provenance)
    });
    let (row, cost) = weakest.expect("every operation has a row");
    KeyCost {
        key: format!("{key:?}"),
        worst_ns: table.worst(key).as_nanos(),
        row: row.name().to_owned(),
        ground: Ground {
            label: cost.provenance,
            stated: is_stated(cost),
            source: cost.source.clone(),
        },
    }
}

fn is_stated(cost: &Cost) -> bool {
    cost.source == STATED
}

/// The receive side is outside the proof: a datagram enters its queue at most this much late.
fn jitter(scenario: &Scenario) -> Jitter {
    let costs = &scenario.costs;
    let worst = |row| costs.row(row).worst;
    let mailbox = worst(CostRow::ReceiveDatagram).times(scenario.device.mailbox_depth.into());
    let tasks = scenario.device.tasks.iter().filter(|task| task.core == 0);
    let tasks = tasks.fold(Duration::ZERO, |sum, task| sum.plus(task.run.times(2)));
    let stall = if stores(scenario) { worst(CostRow::StoreWrite) } else { Duration::ZERO };
    let socket = mailbox.plus(tasks).plus(stall);
    let frames = scenario.peers.iter().map(|group| u64::from(group.count)).sum::<u64>();
    let frames = frames + scenario.heartbeats.len() as u64;
    Jitter { socket, relay: socket.plus(worst(CostRow::RelayFrame).times(2 * frames)) }
}

fn heartbeats(scenario: &Scenario, jitter: Jitter) -> Vec<TunnelStream> {
    let mut streams = Vec::new();
    for beats in &scenario.heartbeats {
        streams.push(TunnelStream {
            name: format!("heartbeats {}", beats.name),
            kind: TunnelKind::Heartbeat,
            curve: curve(&beats.arrivals, 1, jitter.socket),
            ground: stated(),
        });
        if beats.copy_after.is_some() {
            streams.push(TunnelStream {
                name: format!("second copies of {}", beats.name),
                kind: TunnelKind::Data,
                curve: curve(&beats.arrivals, 1, jitter.relay),
                ground: stated(),
            });
        }
    }
    streams
}

fn of_flood(
    scenario: &Scenario,
    flood: &Flood,
    jitter: Jitter,
    tunnel: &mut Vec<TunnelStream>,
    disco: &mut Vec<DiscoStream>,
) {
    let source = FloodSource::new(flood, Streams::new(scenario.seed));
    let curve = curve(&flood.arrivals, 1, jitter.socket);
    let name = format!("flood {}", flood.name);
    match source.class() {
        PacketClass::Tunnel => {
            let kind = match TunnelPacket::parse(&source.header_and_length()) {
                TunnelPacket::Data { .. } => TunnelKind::Data,
                TunnelPacket::Initiation => TunnelKind::Initiation,
                TunnelPacket::Response => TunnelKind::Response,
                TunnelPacket::Cookie | TunnelPacket::Malformed => TunnelKind::Junk,
            };
            tunnel.push(TunnelStream { name, kind, curve, ground: stated() });
        }
        PacketClass::Disco => {
            let first = scenario.peers.first();
            let known = matches!(flood.content, FloodContent::KnownKey { .. });
            let sender = match first {
                Some(group) if known && group.priority => Sender::Priority,
                Some(_) if known => Sender::Known,
                _ => Sender::Unknown,
            };
            let stream = DiscoStream {
                name,
                sender,
                kind: DiscoKind::Nothing,
                keys: known.then_some(1),
                curve,
                ground: stated(),
            };
            // Before its victim is in the table, a spoofed key is as unknown as any.
            if sender != Sender::Unknown && first.is_some_and(peers::can_be_unknown) {
                disco.push(DiscoStream { sender: Sender::Unknown, ..stream.clone() });
            }
            disco.push(stream);
        }
        PacketClass::Stun | PacketClass::Dropped => {}
    }
}

fn inbound_initiations(initiations: Initiations) -> Option<TunnelStream> {
    let curve = match initiations {
        Initiations::None | Initiations::PerKilosecond(0) => return None,
        Initiations::Unlimited => Curve::Unlimited,
        Initiations::PerKilosecond(rate) => Curve::Limited {
            burst: 1,
            period_ns: (1_000_000_000_000 / rate).max(1),
            jitter_ns: 0,
            total: None,
        },
    };
    let ground = Ground { source: "the command line".to_owned(), ..stated() };
    let name = "inbound initiations".to_owned();
    Some(TunnelStream { name, kind: TunnelKind::Initiation, curve, ground })
}

fn updates(scenario: &Scenario) -> Updates {
    let groups = || scenario.peers.iter();
    let count = |all: u64, group: &crate::scenario::PeerGroup| all + u64::from(group.count);
    let adds = groups().filter(|it| matches!(it.enters, Entry::Netmap { .. })).fold(0, count);
    let removed = groups().filter(|it| it.removed_at.is_some()).fold(0, count);
    let patched = groups().filter(|it| it.rotation_patched_at.is_some()).fold(0, count);
    let of = |count| if count == 0 { never() } else { all_at_once(count) };
    Updates { adds: of(adds), others: of(removed + patched), ground: stated() }
}

/// Whether anything can make the peer cache dirty.
fn stores(scenario: &Scenario) -> bool {
    scenario.peers.iter().any(|group| {
        matches!(group.enters, Entry::Netmap { .. })
            || group.rotates_key_at.is_some()
            || group.rotation_patched_at.is_some()
    })
}

fn peers_of(scenario: &Scenario) -> Peers {
    let table = u64::from(scenario.config.peer_table);
    let count = |which: fn(&crate::scenario::PeerGroup) -> bool| {
        let groups = scenario.peers.iter().filter(|group| which(group));
        groups.map(|group| u64::from(group.count)).sum::<u64>().min(table)
    };
    let device = &scenario.device;
    let compat = !scenario.config.rules.relay_connect_cache.is_strict();
    Peers {
        most: count(|_| true),
        direct: count(|group| group.reach == Reach::Direct && group.answers_pings),
        safety: safety(scenario),
        own_endpoint: device.local_endpoint.is_some() || device.stun_at.is_some(),
        broadcast: device.stun_at.is_some(),
        store_changes: stores(scenario),
        relay_connects: compat && !device.relay_connects_at.is_empty(),
        ground: stated(),
    }
}

/// Peers that are exempt from the cap on demotions, and woken: the priority peer, the fleet server,
/// and as many as the health registry holds.
fn safety(scenario: &Scenario) -> u64 {
    let known = scenario.peers.iter().any(|group| group.priority)
        || scenario.config.priority_peer.is_some();
    u64::from(known) + u64::from(scenario.config.fleet_server.is_some())
}

fn tasks(scenario: &Scenario) -> Vec<Task> {
    let tasks = scenario.device.tasks.iter();
    let tasks = tasks.filter(|task| task.core == 1 && task.priority >= LOOP_PRIORITY);
    let task = |task: &crate::scenario::BackgroundTask| Task {
        name: task.name.clone(),
        period_ns: task.period.as_nanos(),
        run_ns: task.run.as_nanos(),
    };
    tasks.map(task).collect()
}
