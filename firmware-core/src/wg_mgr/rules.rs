//! The listed defects of the firmware, one switch each: `Compat` reproduces what the shipped code
//! does, `Strict` is the corrected rule. A defect is never a fork of the code.
//!
//! Two listed defects have no switch. PF-109, the unbudgeted drain of a build that was never
//! shipped, is `opens_per_pass: None`. PF-105, a watchdog shorter than the machine's patience, is
//! of the protective stop and not of this core.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// Which reading of a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "snake_case"))]
pub enum Rule {
    /// What the shipped firmware does.
    Compat,
    /// What it should do.
    Strict,
}

impl Rule {
    /// Whether the corrected rule applies.
    pub const fn is_strict(self) -> bool {
        matches!(self, Self::Strict)
    }
}

/// One switch per listed defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(deny_unknown_fields, default))]
pub struct Rules {
    /// WG-DISCO-2, PF-95. Compat: an all-zero stored key makes an all-zero sender a known one.
    /// Strict: senders with a key of low order are refused before any cryptography.
    pub low_order_keys: Rule,
    /// WG-DISCO-1, PF-91. Compat: known keys are opened without bound and without a drain between
    /// them. Strict: a tunnel drain follows each, and one whose shared key must be computed costs
    /// budget like an unknown one.
    pub known_key_drain: Rule,
    /// WG-RESCUE-1, PF-94. Compat: whoever names a peer's node key takes over its DISCO key.
    /// Strict: only once the stored key has been silent for the trust time.
    pub rescue_claims: Rule,
    /// WG-CACHE-1, PF-93. Compat: a computed key enters the cache even if the box does not open.
    /// Strict: only keys that opened a box do.
    pub cache_admission: Rule,
    /// WG-CACHE-1, PF-92. Compat: connecting to a relay seals with another secret through the same
    /// cache and so empties it. Strict: that secret does not pass through the cache.
    pub relay_connect_cache: Rule,
    /// WG-ADD-2, PF-101. Compat: a reused slot keeps its last owner's endpoints and region when
    /// the update brings none. Strict: a reused slot starts empty.
    pub slot_reuse: Rule,
    /// WG-ADD-2. Compat: a pinned newcomer evicts although slots beyond the setting are free.
    /// Strict: it takes a free slot first.
    pub pinned_free_slots: Rule,
    /// CAP-1, PF-104. Compat: what the application asks for bounds nothing. Strict: it does.
    pub requested_max_peers: Rule,
    /// WG-REM-1, PF-101. Compat: a late pong is credited to whoever has the slot now. Strict:
    /// probes are bound to the slot's generation.
    pub late_pongs: Rule,
    /// WG-NVS-1, PF-103. Compat: a flush that fails is forgotten. Strict: the cache stays dirty.
    pub failed_flush: Rule,
    /// WG-NVS-2, PF-103. Compat: the use counter wraps, so the newest entry looks the oldest.
    /// Strict: entries are renumbered before it can wrap.
    pub store_clock_wrap: Rule,
    /// WG-NVS-3, PF-104. Compat: cached peers that no netmap names hold their slots for good.
    /// Strict: they yield them to newcomers.
    pub preloaded_peers: Rule,
    /// WG-CMM-1, PF-104. Compat: the broadcast happens once in the life of the device. Strict: once
    /// after each start.
    pub broadcast_restart: Rule,
    /// WG-CMM-2, PF-97. Compat: a CallMeMaybe is answered with one, so two such nodes never stop.
    /// Strict: it is answered with pings only.
    pub call_me_maybe_echo: Rule,
    /// WG-HB-2, PF-98. Compat: the priority peer shares the upgrade cap. Strict: it is exempt.
    pub priority_upgrade: Rule,
    /// WG-PROBE-1, PF-15. Compat: pending probes are swept with the tick's start time, and one sent
    /// since looks ages old. Strict: with a fresh reading of the clock.
    pub sweep_clock: Rule,
    /// WG-LEASE-1, PF-90. Compat: demotions of one tick follow each other, two X25519 each, with no
    /// tunnel drain between. Strict: a drain follows each. How many a tick may hold is a tunable.
    pub lease_demotions: Rule,
    /// WG-DEDUP-1, PF-96. Compat: a data packet's header is remembered before it is authenticated,
    /// so a forged one blocks the genuine. Strict: only genuine packets are remembered.
    pub dedup_admission: Rule,
    /// WG-HS-4, PF-99. Compat: the rate limit on a peer's initiations subtracts the wrong way round
    /// and refuses only a second one within the same millisecond. Strict: within half a second.
    pub initiation_rate: Rule,
    /// WG-HS-1, PF-100. Compat: a previous key pair never ages, so a session that has been replaced
    /// once counts as up for ever. Strict: it ends as a current one does, and does not count.
    pub previous_keypair: Rule,
    /// WG-REM-1, PF-101. Compat: a removed peer keeps the number of its tunnel slot, and what a
    /// late pong causes there befalls the slot's next owner. Strict: it loses it.
    pub stale_tunnel_index: Rule,
    /// WG-HS-4, PF-102. Compat: handshake timestamps count from switching on, so peers refuse a
    /// rebooted device until its uptime has passed the old one. Strict: they never go back.
    pub uptime_timestamps: Rule,
    /// WG-LEASE-2, PF-106. Compat: any pong feeds the watchdog of a direct path, a relayed one too.
    /// Strict: only direct pongs do.
    pub masked_path: Rule,
    /// WG-WAKE-1, PF-107. Compat: a wake whose ping is suppressed comes again each tick, and one of
    /// an unhealthy peer gives its direct path up. Strict: wakes keep their interval, and a direct
    /// path is kept.
    pub wake_retries: Rule,
    /// WG-DERP-1, PF-108. Compat: DISCO frames to a safety peer share its queue, and that queue
    /// survives a teardown of the home relay. Strict: they do not, and it does not.
    pub relay_safety_queue: Rule,
}

impl Rules {
    /// Every listed defect as the newest firmware has it. The sweep's clock is corrected there.
    pub const COMPAT: Self = Self { sweep_clock: Rule::Strict, ..Self::all(Rule::Compat) };
    /// Every listed defect corrected.
    pub const STRICT: Self = Self::all(Rule::Strict);
    /// Every listed defect reproduced, the long corrected ones too.
    pub const OLDEST: Self = Self::all(Rule::Compat);

    const fn all(rule: Rule) -> Self {
        Self {
            low_order_keys: rule,
            known_key_drain: rule,
            rescue_claims: rule,
            cache_admission: rule,
            relay_connect_cache: rule,
            slot_reuse: rule,
            pinned_free_slots: rule,
            requested_max_peers: rule,
            late_pongs: rule,
            failed_flush: rule,
            store_clock_wrap: rule,
            preloaded_peers: rule,
            broadcast_restart: rule,
            call_me_maybe_echo: rule,
            priority_upgrade: rule,
            sweep_clock: rule,
            lease_demotions: rule,
            dedup_admission: rule,
            initiation_rate: rule,
            previous_keypair: rule,
            stale_tunnel_index: rule,
            uptime_timestamps: rule,
            masked_path: rule,
            wake_retries: rule,
            relay_safety_queue: rule,
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::COMPAT
    }
}
