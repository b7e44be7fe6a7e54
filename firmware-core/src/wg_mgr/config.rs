//! Every tunable of the manager: its meaning, unit and range. The named firmware versions are in
//! [`super::preset`]; a what-if changes a value here and never recompiles.
//!
//! A [`Config`] is plain data. [`Config::check`] names the first rule that it breaks; afterwards
//! nothing in the core checks again.
//!
//! Clauses: CAP-1 (which of three settings bounds the table), WG-RATE-1 (every limit in one place).
use core::fmt;
use core::net::Ipv4Addr;

use super::rules::Rules;
use crate::time::Duration;

/// Slots that the firmware is compiled with, unless a configuration says otherwise (CAP-1).
pub const SHIPPED_PEERS: u16 = 128;

/// In which order a pass serves its queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PassOrder {
    /// Tunnel packets first and once more at the end (WG-ORD-1).
    TunnelFirst,
    /// Tunnel packets after updates and DISCO, as before the armour.
    TunnelLast,
}

/// Whose packets do not count against the open budget (WG-DISCO-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpensExempt {
    /// Those whose header key is the priority peer's stored key.
    PriorityPeer,
    /// Those whose header key belongs to any active peer.
    KnownKeys,
}

/// When the peer cache goes to flash (WG-NVS-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flush {
    /// At once, after every change.
    EachSave,
    /// At most once in this time; the first dirty pass writes without waiting.
    Every(Duration),
}

/// How boxes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Crypto {
    /// X25519 and XSalsa20-Poly1305, as on the wire.
    Real,
    /// The same verdicts from comparing keys, for long runs under virtual time. Never on a chip:
    /// these boxes hide nothing.
    Modelled,
}

/// Where the sessions of the tunnel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tunnel {
    /// In an outer tunnel: packets are recognised, charged and handed on. Nothing that needs to know
    /// of sessions or relays happens: no initiations, no wakes, no re-homing.
    HandedOn,
    /// In the core (WG-HS-1 to 4).
    Sessions,
}

/// Who keeps being marked active without a session (WG-HS-1). Each names one more set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActiveClear {
    /// Everybody: the mark is never taken away.
    Never,
    /// The priority peer.
    ExceptPriority,
    /// And peers in the health registry.
    ExceptHealth,
    /// And pinned peers.
    ExceptPinned,
}

/// How frames wait for the relay (WG-DERP-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelayQueueing {
    /// In one queue.
    Shared,
    /// Safety frames and handshakes in a queue of their own, which is emptied first.
    Two,
}

/// The manager's tunables. Field order follows a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "tunables are independent switches")]
pub struct Config {
    /// Order of the steps of a pass.
    pub order: PassOrder,
    /// Whether tunnel packets are drained after each add and each unknown-key open (WG-Q2).
    pub interleave: bool,
    /// Sleep at the end of a pass; more than zero.
    pub loop_delay: Duration,
    /// Depth of the driver's tunnel queue (WG-Q1).
    pub tunnel_queue_depth: u16,
    /// Depth of the driver's DISCO queue.
    pub disco_queue_depth: u16,
    /// Slots of the DISCO queue kept for packets with the priority peer's key; a what-if.
    pub disco_queue_priority_slots: u16,
    /// Depth of the driver's peer-update queue (CAP-4).
    pub update_queue_depth: u16,

    /// Peers added per pass (WG-ADD-1); `None` is no limit, 0 still adds one.
    pub adds_per_pass: Option<u16>,
    /// Forced pings that adds may cause per rolling second (WG-RATE-1).
    pub add_pings_per_second: u16,
    /// Slots of the peer table, at most the capacity of the type (CAP-1).
    pub peer_table: u16,
    /// The stored setting; 1 up to one below the table bounds the search for a free slot, anything
    /// else does not (CAP-1).
    pub settings_max_peers: u8,
    /// What the application asks for; the firmware never consults it (CAP-1).
    pub requested_max_peers: u16,
    /// Slots of the tunnel's own table; peers beyond answer DISCO but have no tunnel (CAP-2). The
    /// index is a byte, so 255 is the most that can be used.
    pub tunnel_slots: u16,
    /// Whether an update for a peer that is already active keeps its path (WG-ADD-3).
    pub preserve_on_readd: bool,

    /// When the peer cache goes to flash.
    pub flush: Flush,
    /// Entries of the peer cache (WG-NVS-2).
    pub store_entries: u16,

    /// CallMeMaybe sends per pass of the broadcast (WG-CMM-1); `None` is all at once.
    pub call_me_maybe_sends_per_pass: Option<u16>,
    /// A CallMeMaybe sooner than this after the last one sent to, or served from, the same peer is
    /// dropped; a what-if.
    pub call_me_maybe_spacing: Option<Duration>,

    /// Whether DISCO is on at all (WG-DISCO-2).
    pub disco_enabled: bool,
    /// Boxes opened per pass (WG-DISCO-1); `None` is no limit, 0 never reads the queue.
    pub opens_per_pass: Option<u16>,
    /// Whose packets do not count against that budget.
    pub opens_exempt: OpensExempt,
    /// Time after which a pass stops taking DISCO packets, looked at between packets; a what-if.
    pub disco_time_per_pass: Option<Duration>,
    /// Shared keys kept (WG-CACHE-1); 0 computes each anew.
    pub key_cache_entries: u16,
    /// How boxes are computed.
    pub crypto: Crypto,
    /// A ping sooner than this after the last answered one of the same peer stays unanswered.
    pub pong_interval: Option<Duration>,

    /// Period of the DISCO timers; they run when more than this has passed.
    pub disco_tick: Duration,
    /// Interval of a bulk peer's heartbeat ping on its direct path (WG-HB-1).
    pub heartbeat_interval: Duration,
    /// Interval of the priority peer's heartbeat ping, when that is shorter.
    pub priority_heartbeat_interval: Duration,
    /// Bulk heartbeat pings per tick (WG-HB-1); `None` is no limit.
    pub heartbeats_per_tick: Option<u16>,
    /// Whether bulk heartbeats carry a phase offset by slot (WG-HB-1).
    pub heartbeat_jitter: bool,
    /// Interval of the search for a direct path (WG-HB-2).
    pub upgrade_interval: Duration,
    /// The same for the priority peer.
    pub priority_upgrade_interval: Duration,
    /// Upgrade pings per tick, also the step by which the scan's start moves on (WG-HB-2).
    pub upgrades_per_tick: u16,
    /// How long a direct pong is trusted.
    pub trust: Duration,
    /// Silence after which the priority peer's direct path is given up (WG-LEASE-2).
    pub path_dead_after: Option<Duration>,

    /// Least time between unforced pings of one peer (WG-PING-1).
    pub ping_interval: Duration,
    /// A ping is skipped while a younger probe of the same peer is pending (WG-PING-1).
    pub probe_dedup: Option<Duration>,
    /// How long a pending probe lives (WG-PROBE-1).
    pub probe_lifetime: Duration,
    /// Pending probes (WG-PROBE-1), at most the capacity of the type.
    pub probes: u16,
    /// Data packets remembered to recognise the second copy (WG-DEDUP-1), at most
    /// [`super::dedup::CAPACITY`].
    pub dedup_ring: u16,

    /// Where the sessions are.
    pub tunnel: Tunnel,
    /// Least time between two looks at all sessions (WG-HS-2).
    pub tunnel_tick: Duration,
    /// Age at which a session of ours is renewed when used (WG-HS-3).
    pub rekey_after: Duration,
    /// Age at which a session ends (WG-HS-3).
    pub reject_after: Duration,
    /// Least time between two initiations to one peer (WG-HS-2).
    pub rekey_timeout: Duration,
    /// Silence of ours after which a session's peer gets a keepalive (WG-HS-3).
    pub keepalive: Duration,
    /// Time without an answer after which initiations to a peer end; the firmware has no such timer
    /// (WG-HS-2).
    pub initiation_give_up: Option<Duration>,
    /// Inbound initiations answered per pass; `None` is no limit, as shipped (WG-HS-4).
    pub initiations_per_pass: Option<u16>,
    /// Counters below the highest that a session still accepts (WG-REPLAY-1), 1 to 32.
    pub replay_window: u16,
    /// Whether the counter 0 is accepted (WG-REPLAY-1); an older library refused it.
    pub replay_accepts_zero: bool,
    /// Who keeps being marked active without a session (WG-HS-1).
    pub active_clear: ActiveClear,
    /// Bulk peers whose direct path is given up per tick; `None` is no limit, as shipped
    /// (WG-LEASE-1).
    pub demotions_per_tick: Option<u16>,
    /// Whether a safety peer keeps its direct path when another one answers too (WG-PATH-1).
    pub sticky_path: bool,
    /// A safety peer's path that lasts less than this flaps (WG-FLAP-1); `None` never backs off.
    pub flap_window: Option<Duration>,
    /// Whether a new peer's first endpoint is used at once, before anybody answered there
    /// (WG-ADD-2).
    pub netmap_endpoint_live: bool,
    /// Silence of ours after which a safety peer without a session is woken (WG-WAKE-1).
    pub wake_interval: Duration,
    /// Least time between two initiations that pongs through the relay cause.
    pub relay_pong_interval: Duration,

    /// Places for pins, and as many for the health registry (CAP-3), at most
    /// [`super::special::CAPACITY`].
    pub pins: u16,
    /// The region that the device starts with (WG-REHOME-1); 0 is unknown.
    pub home_region: u16,
    /// Least time between two checks of the home region (WG-REHOME-1).
    pub rehome_interval: Duration,
    /// Relays connected at once, the home relay among them (WG-REHOME-1), at most
    /// [`super::derp::CONNECTIONS_MAX`].
    pub relay_connections: u16,
    /// How frames wait for the relay.
    pub relay_queueing: RelayQueueing,
    /// Depth of the relay's send queue (WG-DERP-1), at most [`super::derp::NORMAL_DEPTH_MAX`].
    pub relay_queue_depth: u16,
    /// Depth of its queue for safety frames (WG-DERP-1), at most
    /// [`super::derp::SAFETY_DEPTH_MAX`].
    pub relay_safety_depth: u16,

    /// The peer of the protective stop.
    pub priority_peer: Option<Ipv4Addr>,
    /// The fleet server, pinned like the priority peer.
    pub fleet_server: Option<Ipv4Addr>,
    /// Which listed defects are reproduced and which are corrected.
    pub rules: Rules,
}

/// The first rule that a configuration breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The field, by its name in [`Config`].
    pub field: &'static str,
    /// The value found.
    pub found: u64,
    /// The least value allowed.
    pub least: u64,
    /// The greatest value allowed.
    pub most: u64,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, found, least, most } = self;
        write!(out, "`{field}` is {found}, but must lie in {least}..={most}")
    }
}

impl core::error::Error for ConfigError {}

/// What a manager type has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacities {
    /// Peers, and entries of the peer cache.
    pub peers: usize,
    /// Shared keys.
    pub keys: usize,
    /// Pending probes.
    pub probes: usize,
}

impl Config {
    /// Checks every bound against the type's capacities.
    ///
    /// # Errors
    /// The first field that lies outside its bounds.
    pub fn check(&self, room: Capacities) -> Result<(), ConfigError> {
        let peers = room.peers as u64;
        let rules = [
            ("loop_delay", self.loop_delay.as_nanos(), 1, u64::MAX),
            ("tunnel_queue_depth", self.tunnel_queue_depth.into(), 1, u16::MAX.into()),
            ("disco_queue_depth", self.disco_queue_depth.into(), 1, u16::MAX.into()),
            (
                "disco_queue_priority_slots",
                self.disco_queue_priority_slots.into(),
                0,
                self.disco_queue_depth.into(),
            ),
            ("update_queue_depth", self.update_queue_depth.into(), 1, u16::MAX.into()),
            ("peer_table", self.peer_table.into(), 1, peers),
            ("tunnel_slots", self.tunnel_slots.into(), 1, peers),
            ("store_entries", self.store_entries.into(), 1, peers),
            ("key_cache_entries", self.key_cache_entries.into(), 0, room.keys as u64),
            ("upgrades_per_tick", self.upgrades_per_tick.into(), 0, peers),
            ("probes", self.probes.into(), 1, room.probes as u64),
            ("dedup_ring", self.dedup_ring.into(), 1, super::dedup::CAPACITY as u64),
            ("replay_window", self.replay_window.into(), 1, super::replay::DEPTH),
            ("pins", self.pins.into(), 0, super::special::CAPACITY as u64),
            (
                "relay_connections",
                self.relay_connections.into(),
                1,
                super::derp::CONNECTIONS_MAX as u64,
            ),
            (
                "relay_queue_depth",
                self.relay_queue_depth.into(),
                0,
                super::derp::NORMAL_DEPTH_MAX as u64,
            ),
            (
                "relay_safety_depth",
                self.relay_safety_depth.into(),
                0,
                super::derp::SAFETY_DEPTH_MAX as u64,
            ),
        ];
        for (field, found, least, most) in rules {
            if found < least || found > most {
                return Err(ConfigError { field, found, least, most });
            }
        }
        Ok(())
    }

    /// Slots that the search for a free one may use (CAP-1): the setting when it is below the
    /// table, else the table. The corrected rule also honours what the application asked for.
    pub fn usable_slots(&self) -> u16 {
        let setting = u16::from(self.settings_max_peers);
        let bounded =
            if (1..self.peer_table).contains(&setting) { setting } else { self.peer_table };
        if self.rules.requested_max_peers.is_strict() && self.requested_max_peers > 0 {
            bounded.min(self.requested_max_peers)
        } else {
            bounded
        }
    }

    /// Age at which a session that we started is renewed by a packet received in it (WG-HS-3): it
    /// leaves time for one more keepalive and one more initiation before the end.
    pub fn rekey_on_receive(&self) -> Duration {
        self.renew_after().minus(self.rekey_timeout)
    }

    /// Age at which a session that the peer started is replaced by one of ours (WG-HS-2).
    pub fn renew_after(&self) -> Duration {
        self.reject_after.minus(self.keepalive)
    }

    /// Whether sessions live in the core.
    pub fn has_sessions(&self) -> bool {
        self.tunnel == Tunnel::Sessions
    }

    /// Whether `address` is the priority peer.
    pub fn is_priority(&self, address: Ipv4Addr) -> bool {
        self.priority_peer == Some(address)
    }
}
