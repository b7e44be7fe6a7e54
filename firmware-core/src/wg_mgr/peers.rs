//! The peer table: who is there, in which slot, and what is known about the way to them.
//!
//! ```text
//!   add ─► active with this node key? ── yes ─► refresh, path kept (WG-ADD-3)
//!             └ no ─► free slot below the limit? ── yes ─► take the lowest
//!                        └ no ─► pinned? ── yes ─► evict the least recently heard
//!                                   └ no ─► refused
//! ```
//!
//! Slots are looked up by linear scan. A removed peer's slot keeps its contents until it is reused.
//!
//! Clauses: WG-ADD-2, WG-ADD-3, WG-REM-1, CAP-1, CAP-2 (the number of tunnel slots).
use core::net::{Ipv4Addr, SocketAddrV4};

use heapless::Vec;

use super::config::Config;
use super::keys::{DiscoKey, NodeKey};
use super::wire::Endpoints;
use crate::time::Instant;

/// A slot of the peer table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerIndex(pub u16);

/// The first six characters of a peer's name: all that the peer cache keeps of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostName([u8; HostName::LEN]);

impl HostName {
    /// Characters kept.
    pub const LEN: usize = 6;

    /// The beginning of `name`.
    pub fn new(name: &str) -> Self {
        Self::from_bytes(name.as_bytes())
    }

    /// The beginning of `bytes`, up to the first zero.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut kept = [0; Self::LEN];
        for (to, from) in kept.iter_mut().zip(bytes.iter().take_while(|byte| **byte != 0)) {
            *to = *from;
        }
        Self(kept)
    }

    /// The characters, padded with zeros.
    pub fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

/// What the control plane says about a peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PeerRecord {
    /// Its address in the tailnet.
    pub address: Ipv4Addr,
    /// Who it is.
    pub node: NodeKey,
    /// Its present DISCO key.
    pub disco: DiscoKey,
    /// Its home relay region; 0 says nothing.
    pub region: u16,
    /// Where it may be reached directly; empty says nothing.
    pub endpoints: Endpoints,
    /// The beginning of its name.
    pub name: HostName,
    /// Whether the application wants this peer even in a full table.
    pub wanted: bool,
}

/// One slot of the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Peer {
    /// Whether the slot is in use.
    pub active: bool,
    /// Counts the slot's owners.
    pub generation: u32,
    /// Its address in the tailnet.
    pub address: Ipv4Addr,
    /// Who it is.
    pub node: NodeKey,
    /// Its present DISCO key.
    pub disco: DiscoKey,
    /// Its home relay region; 0 is unknown.
    pub region: u16,
    /// Candidate endpoints.
    pub endpoints: Endpoints,
    /// The beginning of its name.
    pub name: HostName,
    /// Its slot in the tunnel's own table; `None` answers DISCO but carries no tunnel (CAP-2).
    pub tunnel_slot: Option<u8>,
    /// Loaded from the peer cache and not yet named by a netmap (WG-NVS-3).
    pub preloaded: bool,
    /// The direct path in use.
    pub direct: Option<SocketAddrV4>,
    /// Until when the direct path is trusted.
    pub trust_until: Instant,
    /// When it was last pinged; [`Instant::ZERO`] is never.
    pub last_ping: Instant,
    /// When its last pong came, on whatever path; [`Instant::ZERO`] is never.
    pub last_pong: Instant,
    /// When the last upgrade ping was due.
    pub last_upgrade: Instant,
    /// When a ping of this peer was last answered, if ever.
    pub last_answer: Option<Instant>,
    /// When a CallMeMaybe was last sent to it or served from it, if ever.
    pub last_call_me_maybe: Option<Instant>,
    /// When its last pong came directly, if ever.
    pub last_direct_pong: Option<Instant>,
    /// When its direct path last came up (WG-FLAP-1).
    pub promoted: Option<Instant>,
    /// Direct paths in a row that were given up soon after they came up (WG-FLAP-1).
    pub flaps: u8,
    /// Until when no direct path is looked for (WG-FLAP-1).
    pub backoff_until: Instant,
    /// Whether it got its one initiation for being reached directly (WG-PATH-1).
    pub tried_initiation: bool,
    /// When it last got an initiation for a pong through the relay, if ever.
    pub last_relay_initiation: Option<Instant>,
    /// When it was last woken, if ever; only the corrected rule asks (WG-WAKE-1).
    pub last_wake: Option<Instant>,
}

impl Peer {
    pub(super) fn vacant() -> Self {
        Self {
            active: false,
            generation: 0,
            address: Ipv4Addr::UNSPECIFIED,
            node: NodeKey([0; 32]),
            disco: DiscoKey([0; 32]),
            region: 0,
            endpoints: Endpoints::new(),
            name: HostName::default(),
            tunnel_slot: None,
            preloaded: false,
            direct: None,
            trust_until: Instant::ZERO,
            last_ping: Instant::ZERO,
            last_pong: Instant::ZERO,
            last_upgrade: Instant::ZERO,
            last_answer: None,
            last_call_me_maybe: None,
            last_direct_pong: None,
            promoted: None,
            flaps: 0,
            backoff_until: Instant::ZERO,
            tried_initiation: false,
            last_relay_initiation: None,
            last_wake: None,
        }
    }

    /// Forgets everything about the way to the peer, except whether it had its one initiation: a
    /// slot's next owner inherits that (PF-101).
    fn reset_path(&mut self) {
        let vacant = Self::vacant();
        self.direct = vacant.direct;
        self.trust_until = vacant.trust_until;
        self.last_ping = vacant.last_ping;
        self.last_pong = vacant.last_pong;
        self.last_upgrade = vacant.last_upgrade;
        self.last_answer = vacant.last_answer;
        self.last_call_me_maybe = vacant.last_call_me_maybe;
        self.last_direct_pong = vacant.last_direct_pong;
        self.promoted = vacant.promoted;
        self.flaps = vacant.flaps;
        self.backoff_until = vacant.backoff_until;
        self.last_relay_initiation = vacant.last_relay_initiation;
        self.last_wake = vacant.last_wake;
    }

    /// Takes over what the control plane says; silence about region or endpoints changes neither.
    fn refresh(&mut self, record: &PeerRecord) {
        self.address = record.address;
        self.node = record.node;
        self.disco = record.disco;
        self.name = record.name;
        self.preloaded = false;
        if record.region != 0 {
            self.region = record.region;
        }
        if !record.endpoints.is_empty() {
            self.endpoints = record.endpoints.clone();
        }
    }

    /// What is known of the peer itself, as the control plane would say it.
    pub fn record(&self) -> PeerRecord {
        PeerRecord {
            address: self.address,
            node: self.node,
            disco: self.disco,
            region: self.region,
            endpoints: self.endpoints.clone(),
            name: self.name,
            wanted: false,
        }
    }

    /// Remembers a place the peer was heard from, while there is room (WG-PONG-1).
    pub fn learn(&mut self, endpoint: SocketAddrV4) {
        if !self.endpoints.contains(&endpoint) {
            // A full list forgets the newcomer: the firmware keeps eight.
            let _forgotten = self.endpoints.push(endpoint);
        }
    }
}

/// What became of an addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Placed {
    /// It was already active and was refreshed.
    Refreshed(PeerIndex),
    /// It has a new slot.
    New {
        /// The slot.
        peer: PeerIndex,
        /// Who had it until now and was evicted for it.
        evicted: Option<NodeKey>,
    },
    /// The table is full and the peer is not pinned.
    Full,
}

/// A table of at most `PEERS` slots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PeerTable<const PEERS: usize> {
    slots: Vec<Peer, PEERS>,
}

impl<const PEERS: usize> Default for PeerTable<PEERS> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<const PEERS: usize> PeerTable<PEERS> {
    /// One more than the highest slot in use.
    pub fn count(&self) -> u16 {
        let used = self.slots.iter().rposition(|peer| peer.active).map_or(0, |last| last + 1);
        u16::try_from(used).unwrap_or(u16::MAX)
    }

    /// The slots below [`PeerTable::count`], with the inactive among them.
    pub fn slots(&self) -> impl Iterator<Item = (PeerIndex, &Peer)> {
        let count = self.count();
        (0..count).map(PeerIndex).zip(&self.slots)
    }

    /// The peer in a slot, active or not.
    pub fn get(&self, peer: PeerIndex) -> Option<&Peer> {
        self.slots.get(usize::from(peer.0))
    }

    /// The same, to change.
    pub fn get_mut(&mut self, peer: PeerIndex) -> Option<&mut Peer> {
        self.slots.get_mut(usize::from(peer.0))
    }

    /// Peers in use.
    pub fn active(&self) -> usize {
        self.slots.iter().filter(|peer| peer.active).count()
    }

    /// The lowest active slot with this DISCO key (WG-DISCO-1).
    pub fn by_disco(&self, key: DiscoKey) -> Option<PeerIndex> {
        self.position(|peer| peer.active && peer.disco == key)
    }

    /// The lowest slot with this DISCO key, in use or not: what the allowlist gate asks
    /// (WG-DISCO-2).
    pub fn by_disco_any(&self, key: DiscoKey) -> Option<PeerIndex> {
        self.position(|peer| peer.generation > 0 && peer.disco == key)
    }

    /// The lowest slot with this node key, in use or not: what a rescue matches (WG-RESCUE-1).
    pub fn by_node_any(&self, node: NodeKey) -> Option<PeerIndex> {
        self.position(|peer| peer.generation > 0 && peer.node == node)
    }

    /// The active slot with this node key (WG-ADD-2, WG-REM-1).
    pub fn by_node(&self, node: NodeKey) -> Option<PeerIndex> {
        self.position(|peer| peer.active && peer.node == node)
    }

    /// The lowest active slot with this address.
    pub fn by_address(&self, address: Ipv4Addr) -> Option<PeerIndex> {
        self.position(|peer| peer.active && peer.address == address)
    }

    /// The lowest slot with this address, in use or not.
    pub fn by_address_any(&self, address: Ipv4Addr) -> Option<PeerIndex> {
        self.position(|peer| peer.generation > 0 && peer.address == address)
    }

    fn position(&self, wanted: impl Fn(&Peer) -> bool) -> Option<PeerIndex> {
        let index = self.slots.iter().position(wanted)?;
        u16::try_from(index).ok().map(PeerIndex)
    }

    /// Enters or refreshes a peer (WG-ADD-2, WG-ADD-3). `pinned` tells which addresses may evict
    /// and may not be evicted.
    pub fn place(
        &mut self,
        config: &Config,
        record: &PeerRecord,
        pinned: impl Fn(Ipv4Addr) -> bool,
    ) -> Placed {
        if let Some(index) = self.by_node(record.node) {
            self.refresh(config, index, record);
            return Placed::Refreshed(index);
        }
        let Some((index, evicted)) = self.choose_slot(config, record, pinned) else {
            return Placed::Full;
        };
        self.occupy(config, index, record);
        Placed::New { peer: index, evicted }
    }

    /// An active peer keeps its path; one that found the tunnel's table full tries again (CAP-2).
    fn refresh(&mut self, config: &Config, index: PeerIndex, record: &PeerRecord) {
        let slot = usize::from(index.0);
        if self.slots[slot].tunnel_slot.is_none() {
            self.slots[slot].tunnel_slot = self.free_tunnel_slot(config);
        }
        let peer = &mut self.slots[slot];
        if !config.preserve_on_readd {
            peer.reset_path();
        }
        peer.refresh(record);
    }

    fn choose_slot(
        &mut self,
        config: &Config,
        record: &PeerRecord,
        pinned: impl Fn(Ipv4Addr) -> bool,
    ) -> Option<(PeerIndex, Option<NodeKey>)> {
        if let Some(free) = self.lowest_free(config.usable_slots()) {
            return Some((free, None));
        }
        if config.rules.preloaded_peers.is_strict()
            && let Some(stale) =
                self.position(|peer| peer.active && peer.preloaded && !pinned(peer.address))
        {
            return Some((stale, Some(self.vacate(config, stale))));
        }
        if !pinned(record.address) {
            return None;
        }
        if config.rules.pinned_free_slots.is_strict()
            && let Some(free) = self.lowest_free(config.peer_table)
        {
            return Some((free, None));
        }
        let victim = self
            .slots()
            .filter(|(_, peer)| peer.active && !pinned(peer.address))
            .min_by_key(|(_, peer)| peer.last_pong)
            .map(|(index, _)| index)?;
        Some((victim, Some(self.vacate(config, victim))))
    }

    fn lowest_free(&self, below: u16) -> Option<PeerIndex> {
        let free = self.slots.iter().position(|peer| !peer.active).unwrap_or(self.slots.len());
        let free = u16::try_from(free).unwrap_or(u16::MAX);
        (free < below && usize::from(free) < PEERS).then_some(PeerIndex(free))
    }

    fn occupy(&mut self, config: &Config, index: PeerIndex, record: &PeerRecord) {
        let tunnel_slot = self.free_tunnel_slot(config);
        while self.slots.len() <= usize::from(index.0) && self.slots.push(Peer::vacant()).is_ok() {}
        let slot = &mut self.slots[usize::from(index.0)];
        let generation = slot.generation.wrapping_add(1).max(1);
        if config.rules.slot_reuse.is_strict() {
            *slot = Peer::vacant();
        } else {
            slot.reset_path();
        }
        slot.refresh(record);
        slot.generation = generation;
        slot.active = true;
        slot.tunnel_slot = tunnel_slot;
    }

    /// The lowest slot of the tunnel's table that no active peer has; its number fits a byte and is
    /// not the one that means none (CAP-2).
    fn free_tunnel_slot(&self, config: &Config) -> Option<u8> {
        let slots = u8::try_from(config.tunnel_slots).unwrap_or(u8::MAX);
        let taken =
            |slot: u8| self.slots.iter().any(|peer| peer.active && peer.tunnel_slot == Some(slot));
        (0..slots).find(|slot| !taken(*slot))
    }

    /// Whether the search for a free slot finds one (WG-ADD-2).
    pub fn has_room(&self, config: &Config) -> bool {
        self.lowest_free(config.usable_slots()).is_some()
    }

    /// Takes every peer out of the tunnel's table: what the end of the loop does (WG-SHUT-1).
    pub(super) fn leave_tunnel(&mut self) {
        for peer in &mut self.slots {
            peer.tunnel_slot = None;
        }
    }

    /// Enters a peer from the cache: active, without a tunnel, until a netmap names it (WG-NVS-3).
    pub fn preload(&mut self, record: &PeerRecord) -> bool {
        let mut peer = Peer::vacant();
        peer.refresh(record);
        peer.generation = 1;
        peer.active = true;
        peer.preloaded = true;
        self.slots.push(peer).is_ok()
    }

    /// Takes a peer out of use (WG-REM-1); says in which slot it was.
    pub fn remove(&mut self, config: &Config, node: NodeKey) -> Option<PeerIndex> {
        let index = self.by_node(node)?;
        self.vacate(config, index);
        Some(index)
    }

    /// The peer keeps the number of its tunnel slot, which is free from now on (PF-101).
    fn vacate(&mut self, config: &Config, index: PeerIndex) -> NodeKey {
        let peer = &mut self.slots[usize::from(index.0)];
        peer.active = false;
        if config.rules.stale_tunnel_index.is_strict() {
            peer.tunnel_slot = None;
        }
        peer.node
    }
}
