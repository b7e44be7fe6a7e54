//! Peer updates from the control plane: paced additions, removals, patches.
//!
//! ```text
//!   add ─► allowed? ─► placed ─► peer cache ─► CallMeMaybe ─► ping, five a second ─► tunnel drain
//!   remove, patch ─► done; neither costs budget nor causes a drain
//! ```
//!
//! Clauses: WG-ADD-1, WG-REM-1, CAP-3 (a wanted peer is pinned), and the pings of WG-RATE-1.
use core::net::Ipv4Addr;

use super::WgMgr;
use super::budget::Budget;
use super::input::PeerUpdate;
use super::jobs::Job;
use super::keys::{DiscoKey, NodeKey};
use super::output::{InitiationReason, Note, Outputs, Refusal};
use super::peers::{PeerIndex, PeerRecord, Placed};
use super::stage::{DrainPoint, Stage};
use super::wire::{Endpoints, StaticSecret};
use crate::charge::CostKey;
use crate::time::{Duration, Instant};

/// How many pings additions have caused in the present second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AddPings {
    began: Instant,
    used: u16,
}

/// The window restarts once it is older than this.
const ADD_PING_WINDOW: Duration = Duration::from_millis(1_000);

impl AddPings {
    /// Counts an attempt; whether it may be made. Attempts count even if the ping is then skipped.
    fn attempt(&mut self, now: Instant, most: u16) -> bool {
        if now.since(self.began) > ADD_PING_WINDOW {
            *self = Self { began: now, used: 0 };
        }
        let allowed = self.used < most;
        self.used = self.used.saturating_add(1);
        allowed
    }
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Serves one peer update.
    pub(super) fn peer_update(
        &mut self,
        now: Instant,
        update: &PeerUpdate,
        mut adds: Budget,
    ) -> Outputs {
        match update {
            PeerUpdate::Add(record) => {
                let _counted = adds.try_spend();
                self.stage = if self.config.interleave {
                    Stage::TunnelDrain(DrainPoint::AfterAdd { adds })
                } else {
                    Stage::after_add(adds)
                };
                self.add(now, record)
            }
            PeerUpdate::Remove(node) => {
                self.sessions.remove(*node);
                updated(now, self.peers.remove(&self.config, *node).map(Note::Removed))
            }
            PeerUpdate::Patch { node, disco, region, endpoints } => {
                let patched = self.patch(*node, *disco, *region, endpoints);
                let mut outputs = updated(now, patched.map(Note::Refreshed));
                if let Some(peer) = patched {
                    self.region_learned(peer, *region, &mut outputs);
                }
                outputs
            }
        }
    }

    /// Enters or refreshes a peer (WG-ADD-2); what follows from it is queued as jobs.
    fn add(&mut self, now: Instant, record: &PeerRecord) -> Outputs {
        if !self.allow.allows(record.address, self.config.fleet_server) {
            return updated_or(now, Refusal::NotAllowed);
        }
        let known = self.peers.by_node(record.node).is_some();
        if record.wanted && !known && !self.peers.has_room(&self.config) {
            let _pinned = self.special.pin(record.address, self.config.pins);
        }
        let (config, special) = (&self.config, &self.special);
        let pinned = |address: Ipv4Addr| special.is_pinned(config, address);
        match self.peers.place(config, record, pinned) {
            Placed::Full => updated_or(now, Refusal::TableFull),
            Placed::Refreshed(peer) => self.refreshed(now, peer, record.region),
            Placed::New { peer, evicted } => {
                if let Some(victim) = evicted {
                    self.sessions.remove(victim);
                }
                let tunnel = self.enter_tunnel(peer, record.node);
                self.open_priority(peer);
                self.greet(now, peer);
                let charge = if tunnel { CostKey::PeerAdd } else { CostKey::PeerUpdate };
                let mut outputs = Outputs::charged(charge, now);
                outputs.note(Note::Added { peer, tunnel, evicted: evicted.is_some() });
                self.region_learned(peer, record.region, &mut outputs);
                outputs
            }
        }
    }

    /// An active peer was named again. One that found the tunnel's table full has entered it now,
    /// if there was a slot (CAP-2); the versions before the armour reset its path (WG-ADD-3).
    fn refreshed(&mut self, now: Instant, peer: PeerIndex, region: u16) -> Outputs {
        self.remember(peer);
        let mut outputs = updated(now, Some(Note::Refreshed(peer)));
        if self.config.has_sessions() {
            let node = self.peers.get(peer).map(|slot| slot.node);
            if let Some(node) = node
                && self.tunnel_of(peer).is_none_or(|tunnel| tunnel.node != node)
                && self.enter_tunnel(peer, node)
            {
                outputs.charge = Some(CostKey::PeerAdd);
                self.open_priority(peer);
            } else if !self.config.preserve_on_readd {
                self.open_priority(peer);
            }
        }
        self.region_learned(peer, region, &mut outputs);
        outputs
    }

    /// The priority peer is not waited for: it gets an initiation and a ping at once (WG-ADD-2).
    fn open_priority(&mut self, peer: PeerIndex) {
        let priority = self.peers.get(peer).is_some_and(|it| self.config.is_priority(it.address));
        if priority && self.tunnel_of(peer).is_some() {
            self.queue_job(Job::Initiate { peer, why: InitiationReason::Added });
            self.queue_job(Job::Ping { peer, forced: true });
        }
    }

    /// Computes the static secret that the tunnel needs; a key without one gets no tunnel.
    fn enter_tunnel(&mut self, peer: PeerIndex, node: NodeKey) -> bool {
        let secret = StaticSecret::compute(self.config.crypto, &self.identity, node);
        let Some(slot) = self.peers.get_mut(peer) else { return false };
        if secret.is_none() {
            slot.tunnel_slot = None;
        }
        let entered = slot.tunnel_slot.is_some();
        if let Some(secret) = secret.filter(|_| self.config.has_sessions()) {
            self.open_tunnel(peer, secret);
        }
        entered
    }

    /// A new peer is remembered, told where we are, and pinged while the second's share lasts.
    fn greet(&mut self, now: Instant, peer: PeerIndex) {
        self.remember(peer);
        self.queue_job(Job::CallMeMaybe { peer });
        let priority = self.peers.get(peer).is_some_and(|it| self.config.is_priority(it.address));
        if self.add_pings.attempt(now, self.config.add_pings_per_second) || priority {
            self.queue_job(Job::Ping { peer, forced: true });
        }
    }

    /// Saves a peer to the cache (WG-NVS-1).
    pub(super) fn remember(&mut self, peer: PeerIndex) {
        if let Some(slot) = self.peers.get(peer) {
            let wrap = self.config.rules.store_clock_wrap;
            self.store.save(&slot.record(), self.config.priority_peer, wrap);
        }
    }

    fn patch(
        &mut self,
        node: NodeKey,
        disco: Option<DiscoKey>,
        region: u16,
        endpoints: &Endpoints,
    ) -> Option<PeerIndex> {
        let index = self.peers.by_node(node)?;
        let peer = self.peers.get_mut(index)?;
        peer.disco = disco.unwrap_or(peer.disco);
        if region != 0 {
            peer.region = region;
        }
        if !endpoints.is_empty() {
            peer.endpoints = endpoints.clone();
        }
        self.remember(index);
        Some(index)
    }
}

fn updated(now: Instant, note: Option<Note>) -> Outputs {
    let mut outputs = Outputs::charged(CostKey::PeerUpdate, now);
    outputs.note(note.unwrap_or(Note::Refused(Refusal::NoSuchPeer)));
    outputs
}

fn updated_or(now: Instant, refusal: Refusal) -> Outputs {
    updated(now, Some(Note::Refused(refusal)))
}
