//! A scenario: world, inputs, faults and expectations of one run, valid by construction.
//!
//! ```text
//!   text ── file: serde shape, unknown fields refused ──► ScenarioFile
//!                        │ --set, --preset, --seed
//!                        ▼ check: units, ranges, capacities, names
//!                     Scenario ──► World
//! ```
//!
//! A file that names another [`Subject`] has another shape: [`m3_read`].
mod arrivals;
mod check;
pub mod cites;
mod error;
mod expect;
pub mod file;
mod links;
pub mod m3_read;
pub mod nearest;
mod outline;
mod overrides;
pub mod schema;
mod source;
mod stop;
mod subject;
mod table;

use std::net::SocketAddrV4;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Capacities, Config};
use firmware_core::wg_mgr::preset::Preset;

pub use self::error::{Place, Problem, ScenarioError};
pub use self::overrides::Overrides;
pub(crate) use self::source::{edited, to_ron};
pub use self::subject::Subject;
use crate::cost::CostTable;
use crate::node::pstop::machine::MachineSpec;
use crate::node::pstop::remote::Cadence;
use crate::node::relay::reconnect::Retry;
use crate::random::Ratio;

/// Peers that a run has room for in the core's table.
pub const PEERS_MOST: u16 = 256;

/// Nodes that a run has room for in the whole tailnet; the table takes as many as it can.
pub const NODES_MOST: u16 = 1_024;

/// What the core of a run has room for.
pub const CAPACITIES: Capacities = WgMgr::<{ PEERS_MOST as usize }>::CAPACITIES;

/// One run, ready to be carried out.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What the run is about, in one line.
    pub title: String,
    /// Where every named stream of chance begins.
    pub seed: u64,
    /// Virtual time that the run lasts.
    pub duration: Duration,
    /// Whether events at the same instant leave in a drawn order instead of the order they were
    /// put.
    pub shuffled_ties: bool,
    /// The firmware version that the configuration began as.
    pub preset: Preset,
    /// The firmware's tunables, overrides applied.
    pub config: Config,
    /// What each operation takes.
    pub costs: CostTable,
    /// The device around the core.
    pub device: Device,
    /// The peers of the tailnet.
    pub peers: Vec<PeerGroup>,
    /// Packets that come from nobody in the tailnet.
    pub floods: Vec<Flood>,
    /// The protective stop's inbound packets.
    pub heartbeats: Vec<Heartbeats>,
    /// The protective stop, if there is one.
    pub stop: Option<StopSpec>,
    /// The relays; without any there is one of region 1.
    pub relays: Vec<RelaySpec>,
    /// What happens to packets on their way.
    pub links: Vec<LinkSpec>,
    /// What goes wrong, and when.
    pub faults: Vec<Fault>,
    /// What the run must show.
    pub expect: Vec<Expectation>,
    /// 128 bits over everything above except the seed: equal for equal runs, whatever the file's
    /// comments and layout are.
    pub hash: u128,
}

/// The device around the core.
#[derive(Clone, Debug)]
pub struct Device {
    /// When the control plane has registered the device and the loop begins.
    pub registered_at: Instant,
    /// Its endpoint on the local network.
    pub local_endpoint: Option<SocketAddrV4>,
    /// When STUN has found the public endpoint; the CallMeMaybe broadcast begins then.
    pub stun_at: Option<Instant>,
    /// When relays are connected: each seals with another secret through the key cache.
    pub relay_connects_at: Vec<Instant>,
    /// When the control plane names every peer once more.
    pub netmap_again_at: Vec<Instant>,
    /// When the loop is told to end.
    pub shutdown_at: Option<Instant>,
    /// How a delay ends.
    pub delay: DelayRounding,
    /// Continuous occupation of a core that resets the device; `None` never does.
    pub watchdog: Option<Duration>,
    /// Depth of the UDP socket's mailbox before the receive task.
    pub mailbox_depth: u16,
    /// Tasks that take time from the loop.
    pub tasks: Vec<BackgroundTask>,
}

/// How a delay ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayRounding {
    /// Exactly after its span.
    Exact,
    /// At a tick, as the operating system does it: up to one tick early.
    Tick(Duration),
}

/// A periodic task of fixed priority that competes with the loop.
#[derive(Clone, Debug)]
pub struct BackgroundTask {
    /// Its name in reports.
    pub name: String,
    /// The core it is pinned to: 0 or 1.
    pub core: u8,
    /// Its priority; the loop and the receive task have 7, the control plane and relays 5.
    pub priority: u8,
    /// How often it runs.
    pub period: Duration,
    /// How long each time.
    pub run: Duration,
}

/// Peers of one kind.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a peer's traits are independent")]
pub struct PeerGroup {
    /// Its name; streams of chance and reports use it.
    pub name: String,
    /// How many.
    pub count: u16,
    /// How they enter the table.
    pub enters: Entry,
    /// How packets travel.
    pub reach: Reach,
    /// From a packet leaving the device to an immediate answer arriving.
    pub round_trip: Duration,
    /// The same through the relay.
    pub relay_round_trip: Duration,
    /// The region of their relay.
    pub region: u16,
    /// What stands between them and the device.
    pub nat: Nat,
    /// Whether they also answer through the relay what came directly.
    pub answers_also_by_relay: bool,
    /// Whether they answer handshakes.
    pub answers_handshakes: bool,
    /// When they begin handshakes.
    pub handshakes: Option<Arrivals>,
    /// The offset of each peer's first handshake after the one before.
    pub handshake_stagger: Duration,
    /// When their computers restart.
    pub restarts_at: Option<Instant>,
    /// Whether the control plane names an endpoint for them.
    pub has_endpoint: bool,
    /// Whether they answer pings.
    pub answers_pings: bool,
    /// When they ping the device.
    pub pings: Option<Arrivals>,
    /// The offset of each peer's first ping after the one before.
    pub ping_stagger: Duration,
    /// When they send a CallMeMaybe.
    pub call_me_maybe: Option<Arrivals>,
    /// Endpoints that their CallMeMaybe lists.
    pub call_me_maybe_endpoints: u8,
    /// Whether they answer a CallMeMaybe with one, this long after receiving it.
    pub echoes_call_me_maybe: Option<Duration>,
    /// When their clients restart with a new DISCO key.
    pub rotates_key_at: Option<Instant>,
    /// When the control plane says so; `None` never does.
    pub rotation_patched_at: Option<Instant>,
    /// When the control plane removes them.
    pub removed_at: Option<Instant>,
    /// Whether the first of them is the protective stop's peer.
    pub priority: bool,
    /// Whether they are on the allowlist; where nobody is, everybody is allowed.
    pub on_allowlist: bool,
}

/// How peers enter the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// All at once, in a netmap.
    Netmap {
        /// When it arrives.
        at: Instant,
        /// Whether it lists them in a drawn order.
        shuffled: bool,
    },
    /// From the peer cache, before the loop begins.
    Cache,
}

/// How packets travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Over UDP.
    Direct,
    /// Through the relay.
    Derp,
}

/// What stands between a peer and the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nat {
    /// Nothing.
    Open,
    /// Direct packets pass for `open`, then do not for `closed`, over and over from time 0 on.
    Hard {
        /// How long they pass.
        open: Duration,
        /// How long they do not.
        closed: Duration,
    },
}

impl Nat {
    /// Whether direct packets pass at `now`.
    pub fn passes(self, now: Instant) -> bool {
        match self {
            Self::Open => true,
            Self::Hard { open, closed } => {
                now.as_nanos() % open.plus(closed).as_nanos().max(1) < open.as_nanos()
            }
        }
    }
}

/// When something arrives: instant number `i` of a train.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The kind of train.
    pub pattern: Pattern,
    /// Not before this.
    pub from: Instant,
    /// Not at or after this.
    pub until: Instant,
    /// How many at most.
    pub count: u64,
}

/// The kinds of arrival train.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Evenly, this many in a thousand seconds; instants are rounded down to the nanosecond each,
    /// so nothing adds up.
    Even {
        /// Arrivals per 1000 s.
        per_kilosecond: u64,
    },
    /// At random, this many in a thousand seconds on average.
    Poisson {
        /// Arrivals per 1000 s.
        per_kilosecond: u64,
    },
    /// At a fixed distance.
    Every(Duration),
    /// All at once.
    Burst,
    /// At these offsets, over and over with this period.
    Recorded {
        /// Offsets within one round, in file order.
        offsets: Vec<Duration>,
        /// Length of a round.
        period: Duration,
    },
}

/// Packets from nobody in the tailnet.
#[derive(Clone, Debug)]
pub struct Flood {
    /// Its name.
    pub name: String,
    /// When they arrive.
    pub arrivals: Arrivals,
    /// Their first six bytes.
    pub magic: [u8; 6],
    /// Whose key they carry, and what is in the box.
    pub content: FloodContent,
}

/// What a flood's packets are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloodContent {
    /// A fresh random key each, and this many random bytes for a box: nothing opens.
    RandomBox {
        /// Bytes after the nonce.
        bytes: u16,
    },
    /// A well-formed ping from a fresh key each, naming a node that is no peer.
    SealedPing,
    /// The key of the first peer of the first group in clear, and a random box: a spoof.
    KnownKey {
        /// Bytes after the nonce.
        bytes: u16,
    },
}

/// Inbound tunnel packets of the protective stop.
#[derive(Clone, Debug)]
pub struct Heartbeats {
    /// Its name.
    pub name: String,
    /// When they arrive.
    pub arrivals: Arrivals,
    /// A second copy comes through the relay, this much later.
    pub copy_after: Option<Duration>,
}

/// A relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelaySpec {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: u16,
    /// How long a connect takes.
    pub connect: Duration,
    /// How long a connect takes that fails.
    pub gives_up: Duration,
    /// When it is out of reach.
    pub outages: Vec<(Instant, Instant)>,
    /// When its connection stands still.
    pub stalls: Vec<(Instant, Instant)>,
    /// When a failed connect is tried again; `None` as shipped.
    pub retry: Option<Retry>,
}

/// The protective stop: which end is where, and how both are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopSpec {
    /// The group whose first member is the other end.
    pub group: usize,
    /// What the device is.
    pub device: StopEnd,
    /// How often the remote sends.
    pub cadence: Cadence,
    /// The machine.
    pub machine: MachineSpec,
    /// When the remote is switched on.
    pub starts_at: Instant,
    /// When its loops are closed.
    pub loops_close_at: Instant,
}

/// The ends of the protective stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopEnd {
    /// The one with the loops.
    Remote,
    /// The one that stops.
    Machine,
}

/// What happens to some packets, on some ways, for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkSpec {
    /// Its name.
    pub name: String,
    /// The group of peers that it concerns; `None` is all.
    pub group: Option<usize>,
    /// The way; `None` is either.
    pub way: Option<Way>,
    /// Where packets go; `None` is either.
    pub direction: Option<Direction>,
    /// From when on.
    pub from: Instant,
    /// Until when.
    pub until: Instant,
    /// Added to the time of every packet.
    pub delay: Duration,
    /// Added at most beyond that, evenly drawn.
    pub jitter: Duration,
    /// Share of packets that are lost.
    pub loss: Ratio,
    /// Share of packets that arrive twice.
    pub duplicate: Ratio,
    /// Share of packets that are held back.
    pub reorder: Ratio,
    /// How long those are.
    pub reorder_by: Duration,
    /// Share of packets of which one bit is flipped.
    pub corrupt: Ratio,
}

/// The ways between the device and a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// Over UDP.
    Direct,
    /// Through the relay.
    Relay,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// To the device.
    ToDevice,
    /// Away from the device.
    FromDevice,
}

/// A named fault point, when it acts and how often.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What goes wrong.
    pub point: FaultPoint,
    /// From when on.
    pub from: Instant,
    /// Until when.
    pub until: Instant,
    /// In which share of the cases.
    pub share: Ratio,
}

/// Where a run can be made to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultPoint {
    /// A datagram to the device is lost.
    InboundLoss,
    /// A packet of the device is lost.
    OutboundLoss,
    /// A write of the peer cache fails.
    StoreWrite,
    /// Another task holds the allowlist's lock for longer than the check waits.
    AllowListBusy,
    /// The receive task finds no memory for a packet.
    ReceiveMemory,
}

/// A measurement with its own spread, in the unit of its metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The median, or the only figure.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub most: f64,
    /// How many runs were measured, where that is known.
    pub runs: Option<u64>,
}

/// What the run must show.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// A metric's name.
    pub metric: String,
    /// The least value that is right.
    pub least: f64,
    /// The greatest value that is right.
    pub most: f64,
    /// The measurement behind it.
    pub measured: Option<Measured>,
    /// The clause, case or claim that says so.
    pub cites: String,
    /// The line of the file that it stands on, counted from 1; 0 when it came from elsewhere.
    pub line: usize,
}
