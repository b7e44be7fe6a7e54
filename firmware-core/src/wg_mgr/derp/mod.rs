//! Relays: which is home, which others are wanted, and in which queue a frame waits.
//!
//! ```text
//!   region of a pinned peer learned ─┐
//!   every 3 s: priority, then fleet ─┴► other than home? ─► home := region, reconnect
//!
//!   wanted = home, then one per other region of a safety peer, six connections at most
//!   frame to a peer ─► its region connected? ─► that relay, else home, else nowhere
//! ```
//!
//! The core decides; the relay task connects, waits and sends. What it needs to know beside the
//! outputs are values here: the gaps between its attempts, and how long a connection that nobody
//! wants any more is kept.
//!
//! Clauses: WG-REHOME-1, WG-DERP-1 (which queue).
pub mod queues;

use core::net::Ipv4Addr;

use heapless::Vec;

pub use self::queues::RelayQueue;
use super::WgMgr;
use super::config::RelayQueueing;
use super::keys::NodeKey;
use super::output::{Note, Output, Outputs};
use super::peers::PeerIndex;
use crate::time::{Duration, Instant};

/// Relays that the device can be connected to at once, the home relay among them.
pub const CONNECTIONS_MAX: usize = 6;
/// The deepest normal send queue that a configuration may ask for.
pub const NORMAL_DEPTH_MAX: usize = 64;
/// The deepest send queue for safety frames that a configuration may ask for.
pub const SAFETY_DEPTH_MAX: usize = 64;
/// How long a connection is kept after its region has left the wanted set. Traffic on it changes
/// nothing.
pub const UNWANTED_KEPT: Duration = Duration::from_millis(30_000);
/// The highest region that an override may name.
pub const OVERRIDE_MAX: u16 = 4_095;

/// Regions of relays, home first.
pub type Regions = Vec<u16, CONNECTIONS_MAX>;

/// The gap before attempt number `attempt` (from 0) to reconnect a relay: 5, 5, 10, then 60 s for
/// ever. The home relay has these gaps only if there is a priority peer, else 60 s each; it never
/// gives up (WG-REHOME-1).
pub fn retry_gap(attempt: u32, hurried: bool) -> Duration {
    let seconds = match attempt {
        0 | 1 if hurried => 5,
        2 if hurried => 10,
        _ => 60,
    };
    Duration::from_millis(1_000).times(seconds)
}

/// What the manager knows of relays.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Relays {
    home: u16,
    /// 0 is none.
    forced: u16,
    up: Regions,
    last_check: Instant,
    pool_was_full: bool,
}

impl Relays {
    /// Relays with this home region, none of them connected.
    pub(super) fn new(home: u16) -> Self {
        Self {
            home,
            forced: 0,
            up: Regions::new(),
            last_check: Instant::ZERO,
            pool_was_full: false,
        }
    }

    /// The region of the home relay that is really connected to: an override wins.
    pub fn home(&self) -> u16 {
        if self.forced == 0 { self.home } else { self.forced }
    }

    /// The regions whose relays are connected.
    pub fn up(&self) -> &[u16] {
        &self.up
    }

    pub(super) fn set_home(&mut self, region: u16) {
        self.home = region;
    }

    pub(super) fn set_override(&mut self, region: u16) {
        self.forced = if region <= OVERRIDE_MAX { region } else { 0 };
    }

    pub(super) fn set_up(&mut self, region: u16, up: bool) {
        self.up.retain(|connected| *connected != region);
        if up {
            // The driver connects no more than it may; what exceeds that is not remembered.
            let _forgotten = self.up.push(region);
        }
    }

    /// Whether the home region is to be checked; it then counts as checked at `now`.
    pub(super) fn check_due(&mut self, now: Instant, interval: Duration) -> bool {
        let due = now.since(self.last_check) > interval;
        if due {
            self.last_check = now;
        }
        due
    }
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// What is known of relays.
    pub fn relays(&self) -> &Relays {
        &self.relays
    }

    /// The relays that are to be connected: home, then one per other region of a safety peer, in
    /// the order of the table, and whether more are wanted than there are connections.
    pub fn wanted_relays(&self) -> (Regions, bool) {
        let mut wanted = Regions::new();
        let room = usize::from(self.config.relay_connections);
        let mut full = false;
        let safety = self.peers.slots().filter(|(_, peer)| {
            peer.active && self.special.is_safety_relay(&self.config, peer.address)
        });
        let regions = safety.map(|(_, peer)| peer.region);
        for region in core::iter::once(self.relays.home()).chain(regions) {
            if region == 0 || wanted.contains(&region) {
                continue;
            }
            full |= wanted.len() >= room || wanted.push(region).is_err();
        }
        (wanted, full)
    }

    /// The region of the relay through which a frame to `node` goes now: the node's own if that is
    /// connected, else home; `None` when neither is, and the frame is then dropped.
    pub fn relay_route(&self, node: NodeKey) -> Option<u16> {
        let home = self.relays.home();
        let region = self.peers.by_node(node).and_then(|index| self.peers.get(index));
        let region = region.map_or(0, |peer| peer.region);
        [region, home].into_iter().find(|it| *it != 0 && self.relays.up.contains(it))
    }

    /// The queue in which a frame to this peer waits: a handshake message or a frame to a safety
    /// peer in the safety queue (WG-DERP-1). DISCO frames to a safety peer are among them, so they
    /// can push its heartbeats out, unless the corrected rule sends them to the other queue.
    pub(super) fn relay_queue(&self, peer: PeerIndex, handshake: bool) -> RelayQueue {
        let address = self.peers.get(peer).map(|slot| slot.address);
        let safety = address.is_some_and(|it| self.special.is_safety_relay(&self.config, it));
        match self.config.relay_queueing {
            RelayQueueing::Two if safety || handshake => RelayQueue::Safety,
            RelayQueueing::Two | RelayQueueing::Shared => RelayQueue::Normal,
        }
    }

    /// The queue of a DISCO frame to this peer.
    pub(super) fn relay_queue_of_disco(&self, peer: PeerIndex) -> RelayQueue {
        if self.config.rules.relay_safety_queue.is_strict() {
            RelayQueue::Normal
        } else {
            self.relay_queue(peer, false)
        }
    }

    /// The region of a peer has been learned. If that is pinned, home follows the priority peer if
    /// its region is known, else this one; 0 says nothing (WG-REHOME-1).
    pub(super) fn region_learned(&mut self, peer: PeerIndex, own: u16, outputs: &mut Outputs) {
        let address = self.peers.get(peer).map(|slot| slot.address);
        let pinned = address.is_some_and(|it| self.special.is_pinned(&self.config, it));
        if own == 0 || !pinned || !self.config.has_sessions() {
            return;
        }
        let target = match self.region_of(self.config.priority_peer) {
            0 => own,
            priority => priority,
        };
        self.rehome(target, outputs);
        let (_, full) = self.wanted_relays();
        if full && !self.relays.pool_was_full {
            outputs.note(Note::RelayPoolFull);
        }
        self.relays.pool_was_full = full;
    }

    /// The periodic check: the priority peer's region, else the fleet server's. Other pinned peers
    /// are not looked at (WG-REHOME-1).
    pub(super) fn check_home(&mut self, now: Instant) -> Option<Outputs> {
        if !self.relays.check_due(now, self.config.rehome_interval) {
            return None;
        }
        let target = match self.region_of(self.config.priority_peer) {
            0 => self.region_of(self.config.fleet_server),
            priority => priority,
        };
        let mut outputs = Outputs::none();
        self.rehome(target, &mut outputs);
        (!outputs.list.is_empty()).then_some(outputs)
    }

    fn region_of(&self, address: Option<Ipv4Addr>) -> u16 {
        let peer = address.and_then(|it| self.peers.by_address(it));
        peer.and_then(|index| self.peers.get(index)).map_or(0, |slot| slot.region)
    }

    fn rehome(&mut self, region: u16, outputs: &mut Outputs) {
        if region != 0 && region != self.relays.home {
            self.relays.set_home(region);
            outputs.push(Output::Rehome { region: self.relays.home() });
        }
    }
}
