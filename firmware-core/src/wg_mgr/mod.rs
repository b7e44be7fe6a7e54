//! `wg_mgr`: the single loop of a Tailscale client, which opens DISCO boxes, keeps the peer table
//! and carries the heartbeats of a protective stop through the same queue.
//!
//! ```text
//!  one pass (WG-ORD-1)
//!  ┌──────────────┐ ┌──────────────┐ ┌───────┐ ┌───────────┐ ┌──────────────┐ ┌────────┐
//!  │ tunnel queue │►│ peer updates │►│ store │►│ broadcast │►│ DISCO queue  │►│ tunnel │►┐
//!  │  to empty    │ │   4 adds     │ │ flush │ │  2 sends  │ │ 4 unknown    │ │ again  │ │
//!  └──────────────┘ └──────────────┘ └───────┘ └───────────┘ └──────────────┘ └────────┘ │
//!        ┌─────────────────┐ ┌───────────────────────┐ ┌────────────┐                    │
//!      ┌─│ sessions 400 ms │◄────────────────────────────────────────────────────────────┘
//!      └►│ all slots       │►│ wakes, scan  1 Hz     │►│ home  3 s  │► sleep 10 ms
//!        └─────────────────┘ └───────────────────────┘ └────────────┘
//! ```
//!
//! Everything that seals or opens a box, enters a peer or writes flash is a step of its own, with a
//! charge. What follows from one packet (a pong, the pings that a CallMeMaybe asks for) waits as
//! [`jobs`] and is done before the loop takes anything else, as the firmware's call chain does.
//!
//! Sessions live in the core or in an outer tunnel, as [`config::Tunnel`] says. In the second case,
//! which every preset has, packets for the tunnel are recognised, charged and handed on, and what
//! needs to know of sessions or relays does not happen. Not in this core: the relays' connections
//! (their send queues are a structure for the driver) and the stop protocol.
//!
//! Module → clauses: [`stage`] WG-ORD-1, WG-Q2, WG-SHUT-1 · [`tunnel_drain`] WG-Q1, WG-DEDUP-1 ·
//! [`updates`] WG-ADD-1, WG-REM-1 · [`peers`] WG-ADD-2, WG-ADD-3, CAP-1, CAP-2 · [`store`] WG-NVS-1
//! to 3 · [`call_me_maybe`] WG-CMM-1 · [`disco`] WG-DISCO-1, WG-DISCO-2, WG-RESCUE-1, WG-PONG-1,
//! WG-CMM-2 · [`key_cache`] WG-CACHE-1 · [`jobs`] WG-PING-1, WG-PONG-1 · [`timers`] WG-HB-1,
//! WG-HB-2 · [`leases`] WG-LEASE-1, WG-LEASE-2 · [`paths`] WG-PATH-1, WG-FLAP-1 · [`wakes`]
//! WG-WAKE-1 · [`sessions`] WG-HS-1 to 4, WG-REPLAY-1, WG-PATH-2 · [`derp`] WG-REHOME-1, WG-DERP-1 ·
//! [`special`] CAP-3 · [`probes`] WG-PROBE-1, WG-PROBE-2 · [`allow`] WG-ALLOW-1 · [`config`]
//! WG-RATE-1.
//!
//! Nothing bounds how long the loop goes on without sleeping: the task watchdog (WG-WDT-1) and the
//! backlog of updates (CAP-4) are the driver's to watch.

pub mod allow;
pub mod boxes;
pub mod budget;
pub mod call_me_maybe;
pub mod config;
mod control;
pub mod dedup;
pub mod derp;
pub mod disco;
pub mod input;
pub mod invariants;
pub mod jobs;
pub mod key_cache;
pub mod keys;
pub mod leases;
pub mod output;
pub mod paths;
pub mod peers;
pub mod preset;
pub mod probes;
pub mod replay;
pub mod rules;
pub mod sessions;
pub mod special;
pub mod stage;
pub mod store;
pub mod timers;
pub mod tunnel_drain;
pub mod updates;
pub mod wakes;
pub mod wire;

use core::net::Ipv4Addr;

use heapless::Vec;

use self::allow::AllowList;
use self::boxes::SharedBox;
use self::budget::Budget;
use self::call_me_maybe::{Broadcast, OwnEndpoints};
use self::config::{Capacities, Config, ConfigError, Flush};
use self::dedup::DedupRing;
use self::derp::Relays;
use self::input::Input;
use self::jobs::{JOBS_MAX, Job};
use self::key_cache::KeyCache;
use self::keys::{DiscoKey, Entropy, Identity};
use self::output::{Note, Output, Outputs, Queue, Refusal};
use self::peers::PeerTable;
use self::probes::ProbeTable;
use self::sessions::Sessions;
use self::special::Special;
use self::stage::{DrainPoint, Stage};
use self::store::{BlobError, Store};
use self::timers::Timers;
use self::updates::AddPings;
use crate::charge::CostKey;
use crate::time::Instant;
use crate::wake::{Wake, WakeReason};

/// The manager: room for `PEERS` peers (and as many entries in their cache), `KEYS` shared keys and
/// `PROBES` pending pings. The device's is `WgMgr<128>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WgMgr<const PEERS: usize, const KEYS: usize = 132, const PROBES: usize = 64> {
    config: Config,
    identity: Identity,
    entropy: Entropy,
    stage: Stage,
    /// A queue was asked for and has not answered.
    asked: bool,
    /// What a spent budget left for the next pass, if any.
    left_over: WakeReason,
    shutdown: bool,
    /// In the order they are to be done.
    jobs: Vec<Job, JOBS_MAX>,
    peers: PeerTable<PEERS>,
    allow: AllowList,
    cache: KeyCache<KEYS>,
    probes: ProbeTable<PROBES>,
    store: Store<PEERS>,
    dedup: DedupRing,
    broadcast: Broadcast,
    endpoints: OwnEndpoints,
    add_pings: AddPings,
    timers: Timers,
    special: Special,
    sessions: Sessions<PEERS>,
    relays: Relays,
    /// Inbound initiations opened in this pass.
    initiations: u16,
    /// When the device was last switched on.
    booted: Instant,
    /// The priority peer from the next start on.
    next_priority: Option<Ipv4Addr>,
}

/// What the firmware itself spends on the same tables with 128 peers: peers 38 912, tunnels
/// 115 912, shared keys 9 504, peer cache 11 780, allowlist 14 338, probes 2 560, ring 1 024.
pub const FIRMWARE_TABLES_BYTES: usize = 38_912 + 115_912 + 9_504 + 11_780 + 14_338 + 2_560 + 1_024;

/// The device's manager needs no more memory than the firmware's tables do.
const _: () = assert!(size_of::<WgMgr<128>>() < FIRMWARE_TABLES_BYTES);

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// What this type has room for.
    pub const CAPACITIES: Capacities = Capacities { peers: PEERS, keys: KEYS, probes: PROBES };

    /// A manager that waits for its registration.
    ///
    /// # Errors
    /// The first bound that `config` breaks.
    pub fn new(config: Config, identity: Identity, entropy: Entropy) -> Result<Self, ConfigError> {
        config.check(Self::CAPACITIES)?;
        Ok(Self {
            identity,
            entropy,
            stage: Stage::Starting,
            asked: false,
            left_over: WakeReason::PassDelay,
            shutdown: false,
            jobs: Vec::new(),
            peers: PeerTable::default(),
            allow: AllowList::default(),
            cache: KeyCache::new(config.key_cache_entries),
            probes: ProbeTable::new(config.probes),
            store: Store::new(config.store_entries),
            dedup: DedupRing::new(config.dedup_ring),
            broadcast: Broadcast::default(),
            endpoints: OwnEndpoints::default(),
            add_pings: AddPings::default(),
            timers: Timers::default(),
            special: Special::default(),
            sessions: Sessions::default(),
            relays: Relays::new(config.home_region),
            initiations: 0,
            booted: Instant::ZERO,
            next_priority: config.priority_peer,
            config,
        })
    }

    /// Takes over the peer cache that flash held: its peers are active at once, without a tunnel
    /// (WG-NVS-3). To be called before the first step.
    ///
    /// # Errors
    /// [`BlobError`]; the manager then starts without a cache, as the firmware does.
    pub fn preload(&mut self, blob: &[u8]) -> Result<(), BlobError> {
        self.store = Store::decode(blob, self.config.store_entries)?;
        for record in self.store.records().take(self.config.peer_table.into()) {
            let entered = self.peers.preload(&record);
            debug_assert!(entered, "the table is at most its capacity");
        }
        Ok(())
    }

    /// One step.
    pub fn step(&mut self, now: Instant, input: Input<'_>) -> Outputs {
        let asked = core::mem::take(&mut self.asked);
        let outputs = match (input, self.stage) {
            (Input::Control(control), _) => {
                self.asked = asked;
                self.control(now, control)
            }
            // The driver says when the delay is over; an operating system's tick may end it early.
            (Input::Wake, Stage::Sleeping { .. }) if self.shutdown => self.stop(now),
            (Input::Wake, Stage::Sleeping { .. }) => {
                self.leave(now);
                self.advance(now)
            }
            (Input::Wake, _) => self.advance(now),
            (Input::Empty, Stage::TunnelDrain(_) | Stage::PeerUpdates { .. } | Stage::Disco(_))
                if asked =>
            {
                self.leave(now);
                self.advance(now)
            }
            (Input::Packet(datagram), Stage::TunnelDrain(_)) if asked => {
                self.tunnel_packet(now, datagram)
            }
            (Input::Packet(datagram), Stage::Disco(pass)) if asked => {
                self.disco_packet(now, datagram, pass)
            }
            (Input::Update(update), Stage::PeerUpdates { adds }) if asked => {
                self.peer_update(now, update, adds)
            }
            (Input::Empty | Input::Packet(_) | Input::Update(_), _) => {
                let mut outputs = self.advance(now);
                outputs.note(Note::Refused(Refusal::Unexpected));
                outputs
            }
        };
        debug_assert_eq!(self.broken_invariant(), None);
        outputs
    }

    /// Goes on from where the pass stands, through everything that is free, to the next step that
    /// costs, asks or waits.
    fn advance(&mut self, now: Instant) -> Outputs {
        loop {
            if self.config.flush == Flush::EachSave && self.store.is_dirty() {
                return self.flush(now);
            }
            if !self.jobs.is_empty() {
                let job = self.jobs.remove(0);
                return self.perform(now, job);
            }
            match self.stage {
                Stage::Starting => return waiting(Wake::on_input(WakeReason::Registration)),
                Stage::Stopped => return waiting(Wake::on_input(WakeReason::Stopped)),
                Stage::TunnelDrain(_) => return self.ask(Queue::Tunnel),
                Stage::PeerUpdates { .. } => return self.ask(Queue::Updates),
                Stage::Disco(pass) if self.may_take_disco(now, pass) => {
                    return self.ask(Queue::Disco);
                }
                Stage::StoreFlush => {
                    let due = self.flush_due(now);
                    self.leave(now);
                    if due {
                        return self.flush(now);
                    }
                }
                Stage::Broadcast { sends } => self.broadcast_on(now, sends),
                Stage::TunnelTimers(look) => {
                    if let Some(outputs) = self.tunnel_timers_on(now, look) {
                        return outputs;
                    }
                }
                Stage::HomeCheck => {
                    let rehomed = self.check_home(now);
                    self.leave(now);
                    if let Some(outputs) = rehomed {
                        return Outputs { wake: Some(Wake::now(now)), ..outputs };
                    }
                }
                Stage::DiscoTimers(scan) => {
                    if let Some(outputs) = self.scan_on(now, scan) {
                        return outputs;
                    }
                }
                Stage::Sleeping { until } => {
                    return waiting(Wake { at: until, why: self.left_over });
                }
                Stage::Disco(_) => self.leave(now),
            }
        }
    }

    /// The stage is over; the next begins.
    fn leave(&mut self, now: Instant) {
        self.left_over = match self.stage {
            Stage::Sleeping { .. } => WakeReason::PassDelay,
            Stage::Disco(pass) if pass.opens.is_spent() => WakeReason::OpensSpent,
            _ => self.left_over,
        };
        if matches!(self.stage, Stage::Sleeping { .. }) {
            self.initiations = 0;
        }
        // A scan that a drain interrupted goes on: it has begun, and its tick is not due again.
        let resumes = matches!(self.stage, Stage::TunnelDrain(DrainPoint::AfterDemotion(_)));
        self.stage = self.stage.next(&self.config, now);
        if matches!(self.stage, Stage::TunnelTimers(_))
            && !self.timers.begin_tunnel(&self.config, now)
        {
            self.stage = self.stage.next(&self.config, now);
        }
        let begins = matches!(self.stage, Stage::DiscoTimers(_)) && !resumes;
        if begins && !self.timers.begin(&self.config, now) {
            self.stage = self.stage.next(&self.config, now);
        }
    }

    fn ask(&mut self, queue: Queue) -> Outputs {
        self.asked = true;
        let mut outputs = Outputs::none();
        outputs.push(Output::Receive(queue));
        outputs
    }

    /// Queues the broadcast's next CallMeMaybe, or leaves the stage when the budget or the table
    /// allows none (WG-CMM-1).
    fn broadcast_on(&mut self, now: Instant, mut sends: Budget) {
        let next = if self.endpoints.public.is_some() && !sends.is_spent() {
            self.broadcast.advance(&self.peers)
        } else {
            None
        };
        match next {
            Some(peer) => {
                let _within = sends.try_spend();
                self.stage = Stage::Broadcast { sends };
                self.queue_job(Job::CallMeMaybe { peer });
            }
            None => self.leave(now),
        }
    }

    /// Whether flash is to be written in this pass (WG-NVS-1).
    fn flush_due(&self, now: Instant) -> bool {
        self.store.is_dirty() && self.store.flush_due(now, self.config.flush)
    }

    fn flush(&mut self, now: Instant) -> Outputs {
        self.store.mark_flushed(now);
        let mut outputs = Outputs::charged(CostKey::StoreWrite, now);
        let bytes = u32::try_from(self.store.blob_len()).unwrap_or(u32::MAX);
        outputs.push(Output::WriteStore { bytes });
        outputs
    }

    /// Ends the loop (WG-SHUT-1): the tunnel's interface goes, what is dirty is still written.
    fn stop(&mut self, now: Instant) -> Outputs {
        self.stage = Stage::Stopped;
        if self.config.has_sessions() {
            self.sessions.clear();
            self.peers.leave_tunnel();
        }
        let mut outputs = if self.store.is_dirty() { self.flush(now) } else { Outputs::none() };
        outputs.note(Note::Stopped);
        outputs.wake = Some(Wake::on_input(WakeReason::Stopped));
        outputs
    }

    /// The configuration that is in force.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Who this device is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Where the loop is.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The peer table.
    pub fn peers(&self) -> &PeerTable<PEERS> {
        &self.peers
    }

    /// The pending pings.
    pub fn probes(&self) -> &ProbeTable<PROBES> {
        &self.probes
    }

    /// The pins and the health registry.
    pub fn special(&self) -> &Special {
        &self.special
    }

    /// The peer cache.
    pub fn store(&self) -> &Store<PEERS> {
        &self.store
    }

    /// The shared key with `peer`, if it is cached; looking at it is no use of it.
    pub fn cached_box(&self, peer: DiscoKey) -> Option<&SharedBox> {
        self.cache.peek(peer)
    }

    /// Shared keys that are cached.
    pub fn cached_keys(&self) -> usize {
        self.cache.len()
    }
}

fn waiting(wake: Wake) -> Outputs {
    Outputs { wake: Some(wake), ..Outputs::none() }
}
