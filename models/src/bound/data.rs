//! What goes into a bound and what comes out: plain data, the only thing that the maker of a bound
//! and the checker of its certificate have in common.
//!
//! ```text
//!   Inputs: pass, costs, arrivals, peers, tasks ──maker──► Claim: gaps, busy window, wait
//!        └──────────────────── Certificate ◄───────────────────┘
//! ```
//!
//! All times are whole nanoseconds. Nothing here computes anything.
use serde::{Deserialize, Serialize};

pub use crate::provenance::Provenance;

/// The version of the certificate's format.
pub const FORMAT: u32 = 1;

/// Where a premise comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ground {
    /// How it is known.
    pub label: Provenance,
    /// Whether the question itself says so: such a premise is part of the question, not a gap in
    /// what is known.
    pub stated: bool,
    /// Who says so.
    pub source: String,
}

/// At most how many arrive in a window of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub enum Curve {
    /// Nobody says; any number.
    Unlimited,
    /// `min(total, burst + (window + jitter) / period)`, the quotient rounded down.
    Limited {
        /// At one instant.
        burst: u64,
        /// Between two later ones; 0 is never again.
        period_ns: u64,
        /// How far the way to the queue can push arrivals together.
        jitter_ns: u64,
        /// In all; `None` is no bound.
        total: Option<u64>,
    },
}

/// Which packets of the tunnel's queue a stream has (WG-Q1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TunnelKind {
    /// The protective stop's packets, whose wait is asked for.
    Heartbeat,
    /// Other established data, second copies included.
    Data,
    /// What is refused.
    Junk,
    /// Handshake initiations (WG-HS-4).
    Initiation,
    /// Handshake responses.
    Response,
}

/// A stream of tunnel packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TunnelStream {
    /// Its name.
    pub name: String,
    /// What they are.
    pub kind: TunnelKind,
    /// How many arrive.
    pub curve: Curve,
    /// Who says so.
    pub ground: Ground,
}

/// What a DISCO packet is, and so what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscoKind {
    /// A box that does not open, or leads to nothing: one open.
    Nothing,
    /// A ping of a peer: one open, a pong, and a ping of ours (WG-PONG-1).
    Ping,
    /// A pong: one open.
    Pong,
    /// A CallMeMaybe: one open, one answer, a ping to each place it names, one more ping (WG-CMM-2).
    CallMeMaybe {
        /// Places it names, at most 8.
        endpoints: u8,
    },
}

/// Whom a DISCO packet is from, as its header tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sender {
    /// A key that is no active peer's.
    Unknown,
    /// An active peer's key.
    Known,
    /// The priority peer's key.
    Priority,
}

/// A stream of DISCO packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiscoStream {
    /// Its name.
    pub name: String,
    /// Whose key they carry.
    pub sender: Sender,
    /// What they are.
    pub kind: DiscoKind,
    /// How many keys they come from; each may have to be computed once. `None` is any number.
    pub keys: Option<u64>,
    /// How many arrive.
    pub curve: Curve,
    /// Who says so.
    pub ground: Ground,
}

/// Peer updates of the control plane (WG-ADD-1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Updates {
    /// Additions, in the order in which the queue lets them through.
    pub adds: Curve,
    /// Removals and patches.
    pub others: Curve,
    /// Who says so.
    pub ground: Ground,
}

/// The peers, as far as a pass depends on them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "what can happen is independent of each other")]
pub struct Peers {
    /// How many there can be in the table.
    pub most: u64,
    /// How many of them can lose a direct path in one tick (WG-LEASE-1).
    pub direct: u64,
    /// How many of them are exempt from the cap on that, and are woken (WG-WAKE-1).
    pub safety: u64,
    /// Whether the device has an endpoint of its own to tell in a CallMeMaybe.
    pub own_endpoint: bool,
    /// Whether the public endpoint becomes known, so that the broadcast runs (WG-CMM-1).
    pub broadcast: bool,
    /// Whether anything can make the peer cache dirty (WG-NVS-1).
    pub store_changes: bool,
    /// Whether relays are connected while the loop runs, each emptying the key cache (WG-CACHE-1).
    pub relay_connects: bool,
    /// Who says so.
    pub ground: Ground,
}

/// A task that takes the core from the loop, or keeps it when the loop wakes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name.
    pub name: String,
    /// How often it runs.
    pub period_ns: u64,
    /// How long each time.
    pub run_ns: u64,
}

/// What one operation takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyCost {
    /// The operation, as the core names it.
    pub key: String,
    /// The most it takes.
    pub worst_ns: u64,
    /// The row of the cost table that is known least well.
    pub row: String,
    /// How that row is known.
    pub ground: Ground,
}

/// Order of the steps of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// Tunnel packets first and once more after DISCO.
    TunnelFirst,
    /// Tunnel packets after everything but the timers.
    TunnelLast,
}

/// What of the firmware's configuration a pass's length depends on. `None` is no limit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "the firmware's switches are independent")]
pub struct Pass {
    /// Order of the steps.
    pub order: Order,
    /// Whether tunnel packets are drained after each add and each unknown-key packet (WG-Q2).
    pub interleave: bool,
    /// Sleep at the end.
    pub loop_delay_ns: u64,
    /// Depth of the tunnel's queue.
    pub tunnel_depth: u64,
    /// Depth of the DISCO queue.
    pub disco_depth: u64,
    /// Additions per pass; 0 still lets one through.
    pub adds: Option<u64>,
    /// CallMeMaybe sends of the broadcast per pass.
    pub broadcast_sends: Option<u64>,
    /// Boxes opened per pass.
    pub opens: Option<u64>,
    /// Whether every known key is free of that budget, or the priority peer's alone.
    pub known_keys_exempt: bool,
    /// Whether a drain follows each known-key packet too, and one that must be computed is charged.
    pub known_keys_drained: bool,
    /// Time after which a pass takes no further DISCO packet.
    pub disco_time_ns: Option<u64>,
    /// Whether each change of the peer cache is written at once.
    pub write_each_save: bool,
    /// Whether DISCO and its timers run at all.
    pub disco_enabled: bool,
    /// Upgrade pings per tick.
    pub upgrades: u64,
    /// Bulk heartbeat pings per tick.
    pub heartbeats: Option<u64>,
    /// Shared keys that are kept; 0 computes each anew.
    pub cached_keys: u64,
    /// Whether a key enters the cache even if its box does not open.
    pub cache_takes_any: bool,
    /// Whether a CallMeMaybe is answered with one (WG-CMM-2).
    pub echo: bool,
    /// Whether sessions live in the core, with handshakes of its own (WG-HS-2).
    pub sessions: bool,
    /// Bulk paths given up per tick (WG-LEASE-1).
    pub demotions: Option<u64>,
}

/// Everything that a bound on the heartbeat's wait rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inputs {
    /// The question in one line.
    pub title: String,
    /// The firmware version that the configuration began as.
    pub preset: String,
    /// The cost table and its build.
    pub table: String,
    /// The pass.
    pub pass: Pass,
    /// What each operation takes, in the core's order.
    pub costs: Vec<KeyCost>,
    /// Tunnel packets.
    pub tunnel: Vec<TunnelStream>,
    /// DISCO packets.
    pub disco: Vec<DiscoStream>,
    /// Peer updates.
    pub updates: Updates,
    /// Peers.
    pub peers: Peers,
    /// Tasks on the loop's core with its priority or a higher one.
    pub tasks: Vec<Task>,
}

/// A stretch of a pass without a tunnel drain in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// Updates, flash, broadcast and DISCO in one.
    Work,
    /// Updates up to and with one addition.
    Add,
    /// From the last addition to the first DISCO packet after which the tunnel is drained.
    Open,
    /// Timers and sleep.
    TimersAndSleep,
}

impl GapKind {
    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Work => "from the first drain to the one after DISCO",
            Self::Add => "from a drain to the one after an addition",
            Self::Open => "from a drain over updates, flash and broadcast to the one after an open",
            Self::TimersAndSleep => "from the last drain over timers and sleep to the next pass",
        }
    }
}

/// A kind of segment: work that nothing interrupts for a tunnel packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Road {
    /// Removals and patches.
    Updates,
    /// Additions with what follows from each.
    Adds,
    /// The write of the peer cache.
    Flush,
    /// Sends of the broadcast.
    Broadcast,
    /// DISCO packets that cost open budget.
    Opens,
    /// DISCO packets that do not.
    FreeOpens,
    /// Pings of the timers, those of given-up paths and of wakes included.
    Timers,
    /// Handshakes that demotions, wakes and the tunnel's timers begin.
    Handshakes,
    /// Keepalives of the tunnel's timers.
    Keepalives,
    /// The sleep at the end of a pass.
    Sleep,
    /// Other tasks on the core.
    Tasks,
}

impl Road {
    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Updates => "removals and patches",
            Self::Adds => "peer additions",
            Self::Flush => "write of the peer cache",
            Self::Broadcast => "broadcast of CallMeMaybe",
            Self::Opens => "DISCO packets that cost open budget",
            Self::FreeOpens => "DISCO packets that cost none",
            Self::Timers => "pings of the timers",
            Self::Handshakes => "handshakes begun",
            Self::Keepalives => "keepalives",
            Self::Sleep => "sleep",
            Self::Tasks => "runs of other tasks",
        }
    }
}

/// What one road contributes to a gap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The road.
    pub road: Road,
    /// Units of work: packets, additions, writes; `None` where a time alone limits them.
    pub count: Option<u64>,
    /// Time in all.
    pub total_ns: u64,
}

/// A gap and its fixed point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// Which.
    pub kind: GapKind,
    /// What it is made of at its longest, in the order of a pass.
    pub parts: Vec<Part>,
    /// From the demand of a window of no length to the first that repeats.
    pub iterates_ns: Vec<u64>,
    /// Its longest.
    pub span_ns: u64,
}

/// The busy window of the tunnel's queue, and the worst place in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Busy {
    /// The work and sleep of the longest gap, with which the window begins.
    pub gap_ns: u64,
    /// From that length to the first window that repeats.
    pub iterates_ns: Vec<u64>,
    /// Its length.
    pub window_ns: u64,
    /// The most packets that wait at once.
    pub backlog: u64,
    /// When the heartbeat that waits longest arrives, counted from the window's beginning.
    pub arrives_ns: u64,
    /// Packets ahead of it.
    pub ahead: u64,
    /// Its wait.
    pub wait_ns: u64,
}

/// What is claimed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Every gap of a pass.
    pub gaps: Vec<Gap>,
    /// The busy window.
    pub busy: Busy,
}

/// A claim with everything that it rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// The version of this format.
    pub format: u32,
    /// What the claim rests on.
    pub inputs: Inputs,
    /// The claim.
    pub claim: Claim,
    /// 64 bits over the rest, as hexadecimal digits: finds damage, not malice.
    pub digest: String,
}
