//! Peers and the control plane: who hears what, who answers, who is told about whom.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::Duration;
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::output::Note;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::store::Store;
use firmware_core::wg_mgr::wire::{self, PacketClass};

use super::event::{Event, index};
use super::{SetUpError, World};
use crate::node::control_plane::Rank;
use crate::node::peer::{Heard, KnownDevice, Peer};
use crate::random::Streams;
use crate::scenario::{Entry, PEERS_MOST, Reach, Way};
use crate::trace::What;

/// Where STUN sees the device.
pub(super) const PUBLIC_ENDPOINT: SocketAddrV4 =
    SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), 51_820);
/// A peer gives up on its own ping after this.
const PEER_PATIENCE: Duration = Duration::from_millis(10_000);

/// One way.
pub(super) fn half(round_trip: Duration) -> Duration {
    Duration::from_nanos(round_trip.as_nanos() / 2)
}

impl World<'_> {
    /// Makes the peers, and enters those that the peer cache knows.
    pub(super) fn populate(&mut self, streams: Streams) -> Result<(), SetUpError> {
        let config = &self.scenario.config;
        let identity = self.device.manager.core.identity();
        let device = KnownDevice {
            disco: identity.disco(),
            crypto: config.crypto,
            node: config.has_sessions().then(|| identity.node()),
        };
        for (group, spec) in self.scenario.peers.iter().enumerate() {
            for member in 0..spec.count {
                let number = index(self.peers.len());
                let peer = Peer::new((group, spec), member, number, streams, device);
                self.by_node.insert(peer.node(), number);
                self.peers.push(peer);
            }
        }
        self.preload()
    }

    /// What the last run of the device left in its flash.
    fn preload(&mut self) -> Result<(), SetUpError> {
        let mut store = Store::<{ PEERS_MOST as usize }>::new(self.scenario.config.store_entries);
        for peer in &self.peers {
            if self.scenario.peers[peer.group].enters == Entry::Cache {
                store.save(peer.record(), None, Rule::Compat);
            }
        }
        if store.is_empty() {
            return Ok(());
        }
        let mut blob = vec![0; store.blob_len()];
        let _length = store.encode(&mut blob);
        self.device.manager.core.preload(&blob).map_err(SetUpError::Blob)
    }

    /// The stop's peer is known by its slot from the moment it is entered.
    pub(super) fn find_priority_peer(&mut self, note: Note) {
        let Note::Added { peer, .. } = note else { return };
        let core = &self.device.manager.core;
        let address = core.peers().get(peer).map(|slot| slot.address);
        if address.is_some() && address == core.config().priority_peer {
            self.measure.priority_is(Some(peer));
        }
    }

    /// A packet of the device reaches a peer; the answer leaves at once.
    pub(super) fn peer_hears(&mut self, number: u16, way: Way, bytes: &[u8]) {
        if wire::classify(bytes, way == Way::Relay) != PacketClass::Disco {
            self.peer_tunnel_hears(number, way, bytes);
            return;
        }
        let peer = &mut self.peers[usize::from(number)];
        let group = &self.scenario.peers[peer.group];
        let heard = peer.hears(bytes, self.now);
        if matches!(heard, Heard::Pong(_)) {
            peer.proves(way, self.now);
        }
        let answers = match heard {
            Heard::Ping(_) => group.answers_pings,
            Heard::CallMeMaybe => {
                group.echoes_call_me_maybe.is_some()
                    || (group.answers_pings && group.reach == Reach::Direct)
            }
            Heard::Pong(_) | Heard::Nothing => false,
        };
        peer.forget_old_pings(self.now, PEER_PATIENCE);
        if answers {
            let delay = match heard {
                Heard::CallMeMaybe => group.echoes_call_me_maybe.unwrap_or(Duration::ZERO),
                Heard::Ping(_) | Heard::Pong(_) | Heard::Nothing => Duration::ZERO,
            };
            self.events
                .push(self.now.after(delay), Event::PeerAnswers { peer: number, way, heard });
        }
    }

    /// A ping is answered; a CallMeMaybe is echoed, or answered by pinging the device.
    pub(super) fn peer_answers(&mut self, number: u16, way: Way, heard: &Heard) {
        let peer = &mut self.peers[usize::from(number)];
        let group = &self.scenario.peers[peer.group];
        let echoes = group.echoes_call_me_maybe.is_some();
        let copies = self.scenario.config.has_sessions()
            && group.answers_also_by_relay
            && way == Way::Direct
            && matches!(heard, Heard::Ping(_));
        // A CallMeMaybe came through the relay; what it asks for is a direct ping.
        let way = match heard {
            Heard::CallMeMaybe if !echoes => peer.way,
            Heard::Ping(_) | Heard::Pong(_) | Heard::CallMeMaybe | Heard::Nothing => way,
        };
        let packet = match heard {
            Heard::Ping(transaction) => peer.pong(*transaction),
            Heard::CallMeMaybe if echoes => peer.call_me_maybe(),
            Heard::CallMeMaybe => peer.ping(self.now),
            Heard::Pong(_) | Heard::Nothing => return,
        };
        if copies {
            self.peer_sends(number, Way::Relay, packet.clone());
        }
        self.peer_sends(number, way, packet);
    }

    /// A netmap names a group's peers, in their order or in a drawn one.
    pub(super) fn netmap_arrives(&mut self, group: usize) {
        let mut members: Vec<_> =
            (0..self.peers.len()).filter(|peer| self.peers[*peer].group == group).collect();
        let spec = &self.scenario.peers[group];
        if matches!(spec.enters, Entry::Netmap { shuffled: true, .. }) {
            let mut chance = Streams::new(self.scenario.seed).of(&spec.name, "netmap");
            members.sort_by_cached_key(|_| chance.next_u64());
        }
        for member in members {
            let peer = &self.peers[member];
            let (rank, update) = (self.rank(peer.address), PeerUpdate::Add(peer.record().clone()));
            self.tell(rank, update);
        }
        self.watch_patience();
    }

    /// A stream of the control plane that begins anew names every peer that is there.
    pub(super) fn netmap_arrives_again(&mut self) {
        for group in 0..self.scenario.peers.len() {
            let spec = &self.scenario.peers[group];
            let entered = match spec.enters {
                Entry::Netmap { at, .. } => at <= self.now,
                Entry::Cache => true,
            };
            if entered && spec.removed_at.is_none_or(|at| at > self.now) {
                self.netmap_arrives(group);
            }
        }
    }

    /// Pinned peers are the priority peer and the fleet server; the control plane knows no others.
    pub(super) fn rank(&self, address: Ipv4Addr) -> Rank {
        let config = self.device.manager.core.config();
        let pinned = [config.priority_peer, config.fleet_server].contains(&Some(address));
        if pinned { Rank::Pinned } else { Rank::Bulk }
    }

    /// The control plane tells the manager something.
    pub(super) fn tell(&mut self, rank: Rank, update: PeerUpdate) {
        if let Some(recording) = &mut self.recording {
            recording.told(self.now, &update);
        }
        self.device.manager.updates.tell(rank, update, self.now);
    }

    /// The names of active peers that have no tunnel, and how many peers are active.
    pub fn without_tunnel(&self) -> (Vec<String>, usize) {
        let core = &self.device.manager.core;
        let active = core.peers().slots().filter(|(_, peer)| peer.active);
        let without = active.filter(|(_, peer)| peer.tunnel_slot.is_none());
        let names = without.filter_map(|(_, peer)| self.by_node.get(&peer.node));
        let names = names.map(|number| self.peers[usize::from(*number)].name.clone()).collect();
        (names, core.peers().active())
    }

    /// The control plane tells the manager something about every member of a group.
    pub(super) fn tell_of(&mut self, group: usize, what: impl Fn(&mut Peer) -> PeerUpdate) {
        for number in 0..self.peers.len() {
            if self.peers[number].group == group {
                let rank = self.rank(self.peers[number].address);
                let update = what(&mut self.peers[number]);
                self.tell(rank, update);
            }
        }
        self.watch_patience();
    }

    pub(super) fn watch_patience(&mut self) {
        if let Some(at) = self.device.manager.updates.gives_up_at() {
            self.events.push(at, Event::UpdatePatience);
        }
    }

    /// The control plane may have waited for too long.
    pub(super) fn lose_patience(&mut self) {
        if self.device.manager.updates.give_up(self.now) {
            self.measure.update_dropped();
            self.trace.record(self.now, What::UpdateDropped);
        }
        self.watch_patience();
    }

    pub(super) fn rotate(&mut self, group: usize) {
        let crypto = self.scenario.config.crypto;
        let device = self.device.manager.core.identity().disco();
        for peer in self.peers.iter_mut().filter(|peer| peer.group == group) {
            peer.rotate(&mut self.rotations, device, crypto);
        }
    }

    pub(super) fn registered(&mut self) {
        if let Some(endpoint) = self.scenario.device.local_endpoint {
            self.control(Control::LocalEndpoint(endpoint));
        }
        let listed = self.peers.iter().filter(|peer| self.scenario.peers[peer.group].on_allowlist);
        let listed: Vec<_> = listed.map(|peer| peer.address).collect();
        if !listed.is_empty() {
            self.control(Control::AllowList(&listed));
        }
        self.relay_begins();
        self.control(Control::Registered);
    }
}
