//! The firmware versions that boards have run, as [`Config`] values.
//!
//! ```text
//!  PRE-0 ──► ARM-1 ──► KEY-2 ──► ILV-3 ──► HEAD-4
//!  no armour  budgets   known     drain     probe
//!             and caps  keys free between   dedup
//! ```
//!
//! What a version costs per operation is not here: that depends on the compiler and is a cost
//! table's to say. Nor is what only the stop protocol shows. Every version hands tunnel packets on
//! unless a scenario says that sessions live in the core; its session and relay tunables then
//! apply.
use super::config::{
    ActiveClear, Config, Crypto, Flush, OpensExempt, PassOrder, RelayQueueing, SHIPPED_PEERS,
    Tunnel,
};
use super::rules::Rules;
use crate::time::Duration;

/// A named firmware version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Preset {
    /// Before the armour, up to 2026-07-20; reconstructed from descriptions, no tree exists.
    Pre0,
    /// The armour of 2026-07-21: budgets per pass, pacing, debounce, caps.
    Arm1,
    /// 2026-08-01: known keys are free of the open budget.
    Key2,
    /// 2026-08-04: tunnel packets are drained after each add and each unknown-key open.
    Ilv3,
    /// 2026-08-05 to 07: probes of one peer are at least two seconds apart.
    Head4,
}

impl Preset {
    /// Every version, oldest first.
    pub const ALL: [Self; 5] = [Self::Pre0, Self::Arm1, Self::Key2, Self::Ilv3, Self::Head4];

    /// The name used on the command line and in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pre0 => "PRE-0",
            Self::Arm1 => "ARM-1",
            Self::Key2 => "KEY-2",
            Self::Ilv3 => "ILV-3",
            Self::Head4 => "HEAD-4",
        }
    }

    /// What changed in this version, in one sentence.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Pre0 => "no budgets: every queue is drained to its end, tunnel packets last",
            Self::Arm1 => {
                "tunnel first, 4 opens, 4 adds, 2 CallMeMaybe a pass, 8 heartbeats a tick"
            }
            Self::Key2 => "ARM-1, and packets from known keys cost no open budget",
            Self::Ilv3 => "KEY-2, and tunnel packets are drained after each add and unknown open",
            Self::Head4 => "ILV-3, and a peer is not probed twice within 2 s",
        }
    }

    /// The version of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| preset.name() == name)
    }

    /// The configuration that this version shipped with.
    pub const fn config(self) -> Config {
        match self {
            Self::Pre0 => pre_0(),
            Self::Arm1 => arm_1(),
            Self::Key2 => Config {
                opens_exempt: OpensExempt::KnownKeys,
                path_dead_after: Some(Duration::from_millis(4_000)),
                active_clear: ActiveClear::ExceptHealth,
                ..arm_1()
            },
            Self::Ilv3 => Config {
                interleave: true,
                sticky_path: true,
                netmap_endpoint_live: false,
                pins: 16,
                relay_connections: 6,
                ..Self::Key2.config()
            },
            Self::Head4 => Config {
                probe_dedup: Some(Duration::from_millis(2_000)),
                active_clear: ActiveClear::ExceptPinned,
                flap_window: Some(Duration::from_millis(15_000)),
                relay_queueing: RelayQueueing::Two,
                ..Self::Ilv3.config()
            },
        }
    }
}

const fn pre_0() -> Config {
    Config {
        order: PassOrder::TunnelLast,
        tunnel_queue_depth: 8,
        adds_per_pass: None,
        peer_table: 16,
        tunnel_slots: 16,
        preserve_on_readd: false,
        flush: Flush::EachSave,
        store_entries: 64,
        call_me_maybe_sends_per_pass: None,
        opens_per_pass: None,
        key_cache_entries: 0,
        heartbeats_per_tick: None,
        heartbeat_jitter: false,
        path_dead_after: None,
        active_clear: ActiveClear::Never,
        probes: 32,
        dedup_ring: 16,
        rules: Rules::OLDEST,
        ..arm_1()
    }
}

const fn arm_1() -> Config {
    Config {
        order: PassOrder::TunnelFirst,
        interleave: false,
        loop_delay: Duration::from_millis(10),
        tunnel_queue_depth: 32,
        disco_queue_depth: 8,
        disco_queue_priority_slots: 0,
        update_queue_depth: 400,
        adds_per_pass: Some(4),
        add_pings_per_second: 5,
        peer_table: SHIPPED_PEERS,
        settings_max_peers: 0,
        requested_max_peers: 32,
        tunnel_slots: SHIPPED_PEERS,
        preserve_on_readd: true,
        flush: Flush::Every(Duration::from_millis(5_000)),
        store_entries: 128,
        call_me_maybe_sends_per_pass: Some(2),
        call_me_maybe_spacing: None,
        disco_enabled: true,
        opens_per_pass: Some(4),
        opens_exempt: OpensExempt::PriorityPeer,
        disco_time_per_pass: None,
        key_cache_entries: 132,
        crypto: Crypto::Real,
        pong_interval: None,
        disco_tick: Duration::from_millis(1_000),
        heartbeat_interval: Duration::from_millis(30_000),
        priority_heartbeat_interval: Duration::from_millis(3_000),
        heartbeats_per_tick: Some(8),
        heartbeat_jitter: true,
        upgrade_interval: Duration::from_millis(60_000),
        priority_upgrade_interval: Duration::from_millis(5_000),
        upgrades_per_tick: 2,
        trust: Duration::from_millis(60_000),
        path_dead_after: Some(Duration::from_millis(8_000)),
        ping_interval: Duration::from_millis(5_000),
        probe_dedup: None,
        probe_lifetime: Duration::from_millis(5_000),
        probes: 64,
        dedup_ring: 64,
        tunnel: Tunnel::HandedOn,
        tunnel_tick: Duration::from_millis(400),
        rekey_after: Duration::from_millis(120_000),
        reject_after: Duration::from_millis(180_000),
        rekey_timeout: Duration::from_millis(5_000),
        keepalive: Duration::from_millis(25_000),
        initiation_give_up: None,
        initiations_per_pass: None,
        replay_window: 32,
        replay_accepts_zero: true,
        active_clear: ActiveClear::ExceptPriority,
        demotions_per_tick: None,
        sticky_path: false,
        flap_window: None,
        netmap_endpoint_live: true,
        wake_interval: Duration::from_millis(3_000),
        relay_pong_interval: Duration::from_millis(5_000),
        pins: 8,
        home_region: 0,
        rehome_interval: Duration::from_millis(3_000),
        relay_connections: 1,
        relay_queueing: RelayQueueing::Shared,
        relay_queue_depth: 16,
        relay_safety_depth: 12,
        priority_peer: None,
        fleet_server: None,
        rules: Rules::COMPAT,
    }
}
