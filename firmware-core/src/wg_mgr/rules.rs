//! The listed defects of the firmware, one switch each: `Compat` reproduces what the shipped code
//! does, `Strict` is the corrected rule. A defect is never a fork of the code.
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
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self::COMPAT
    }
}
