//! The manager in a closed system: the core, its three queues, and an environment that sends it
//! whatever peers, unknown keys and the control plane may send, in any order and at any moment.
//!
//! ```text
//!   arrivals, each with a budget ──► queues (2 or 3 deep) ──► WgMgr ──charge──► clock += [best, worst]
//!        ▲                              └ full: shed            └──sends──► pongs that may come, or not
//!        └─────────── before every step of the core ───────────┘
//! ```
//!
//! # Inside the bounds
//!
//! * Two or three peers of four slots, the first of them the priority peer; queues of 2 (DISCO: 2 or
//!   3); two opens, one add, one CallMeMaybe, one upgrade and one heartbeat ping a pass or tick where
//!   the preset has such a budget, none where it has none.
//! * What a [`Scene`] allows to arrive, each kind at most so often: pings from unknown keys, genuine
//!   and forged ones from known keys, a rotated key, a CallMeMaybe, pongs (late ones too), heartbeats
//!   and initiations, additions and removals, a step of the clock. Interchangeable senders are used in
//!   one order only: unknown keys, and peers that a netmap brings.
//! * Arrivals fall before any step of the core, so just before or just after any look at a queue.
//! * An operation takes its best or its worst time ([`Timing::Interval`]), or always its worst.
//! * The timers are scaled: a tick is 20 ms, the priority peer is pinged every 20 ms and given up
//!   after 100 ms of silence.
//!
//! # Outside
//!
//! More peers than four, deeper queues and larger budgets (a bound for those is a formula's to give:
//! [`crate::bound`]); WireGuard sessions, leases and relays, which this core does not hold; real
//! cryptography (keys are compared instead, [`Crypto::Modelled`]); operations that take neither their
//! best nor their worst time; other tasks that take the processor; the tick of the operating system.
//!
//! [`Crypto::Modelled`]: firmware_core::wg_mgr::config::Crypto::Modelled
mod actions;
mod properties;
mod remote;
mod scene;
mod state;

use std::sync::atomic::{AtomicU64, Ordering};

use firmware_core::time::Instant;
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Config, ConfigError, Crypto};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rules;

use crate::checker::Model;
use crate::checker::codec::Collapsed;
use crate::property::Property;

pub use actions::{Act, Happened};
pub use properties::{CREDITED, DRAINED, KEPT, NOT_ECHOED, Seen};
pub use scene::{Arrival, Scene, Timing};
pub use state::{Due, Packet, Queues, State, World};

/// The manager, small.
pub type Manager = WgMgr<4, 6, 8>;

/// Boxes that a pass may open on budget, in every preset that has one.
pub const OPENS: u16 = 2;
/// The DISCO queue and the tunnel queue.
pub const QUEUE: usize = 2;
/// Silence after which the priority peer's path is given up, in microseconds.
pub const DEAD_AFTER_US: u64 = 100_000;

/// The closed system of one preset in one scene.
pub struct System {
    preset: Preset,
    strict: bool,
    scene: Scene,
    begin: State,
    /// The longest wait of a heartbeat seen so far, in microseconds.
    longest: AtomicU64,
}

/// The preset's configuration with scaled tables, queues, budgets and timers.
pub fn scaled(preset: Preset, strict: bool) -> Config {
    let shipped = preset.config();
    let ms = firmware_core::time::Duration::from_millis;
    let one = |budget: Option<u16>| budget.map(|_| 1);
    Config {
        tunnel_queue_depth: 2,
        disco_queue_depth: if strict { 3 } else { 2 },
        disco_queue_priority_slots: u16::from(strict),
        update_queue_depth: 2,
        adds_per_pass: one(shipped.adds_per_pass),
        peer_table: 4,
        tunnel_slots: 4,
        store_entries: 4,
        call_me_maybe_sends_per_pass: one(shipped.call_me_maybe_sends_per_pass),
        opens_per_pass: shipped.opens_per_pass.map(|_| OPENS),
        key_cache_entries: shipped.key_cache_entries.min(6),
        crypto: Crypto::Modelled,
        disco_tick: ms(20),
        heartbeat_interval: ms(10_000),
        priority_heartbeat_interval: ms(20),
        heartbeats_per_tick: one(shipped.heartbeats_per_tick),
        upgrade_interval: ms(100_000),
        priority_upgrade_interval: ms(100_000),
        upgrades_per_tick: 1,
        trust: ms(100_000),
        path_dead_after: shipped.path_dead_after.map(|_| ms(DEAD_AFTER_US / 1_000)),
        ping_interval: ms(20),
        probe_dedup: shipped.probe_dedup.map(|_| ms(15)),
        probe_lifetime: ms(10_000),
        probes: 8,
        dedup_ring: 4,
        priority_peer: Some(remote::address(0)),
        rules: if strict { Rules::STRICT } else { shipped.rules },
        ..shipped
    }
}

impl System {
    /// The system of `preset` in `scene`, with the listed defects or with all of them corrected and a
    /// slot of the DISCO queue kept for the priority peer.
    ///
    /// # Errors
    /// The first bound that the scaled configuration breaks.
    pub fn new(preset: Preset, strict: bool, scene: Scene) -> Result<Self, ConfigError> {
        let begin = actions::begin(scaled(preset, strict), &scene)?;
        Ok(Self { preset, strict, scene, begin, longest: AtomicU64::new(0) })
    }

    /// The preset.
    pub fn preset(&self) -> Preset {
        self.preset
    }

    /// Whether the defects are corrected.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// The longest that a heartbeat has waited, from its arrival to the end of its decryption, in any
    /// state explored so far; in microseconds. The same at any number of threads.
    pub fn longest_wait_us(&self) -> u64 {
        self.longest.load(Ordering::Relaxed)
    }
}

impl Model for System {
    type State = State;
    type Action = Happened;
    type Seen = Seen;
    type Codec = Collapsed<State>;

    fn codec(&self) -> Self::Codec {
        Collapsed::default()
    }

    fn initial(&self) -> Vec<State> {
        vec![self.begin.clone()]
    }

    fn successors(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        actions::act(&self.scene, state, each);
    }

    fn observe(&self, step: Option<(&State, &Happened)>, after: &State) -> Seen {
        let seen = Seen::of(step.map(|(_, happened)| *happened), after);
        if let Some(wait) = seen.wait_us() {
            self.longest.fetch_max(wait, Ordering::Relaxed);
        }
        seen
    }

    fn properties(&self) -> Vec<Property<Seen>> {
        properties::properties(&self.scene)
    }

    fn describe(&self, state: &State) -> Vec<(String, String)> {
        state.describe()
    }

    fn word(&self, action: &Happened) -> String {
        action.word()
    }

    fn say(&self, action: &Happened) -> String {
        action.say()
    }
}

/// An instant of the model.
fn at(us: u64) -> Instant {
    Instant::from_nanos(us.saturating_mul(1_000))
}
