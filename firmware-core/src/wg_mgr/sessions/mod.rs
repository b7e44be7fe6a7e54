//! WireGuard sessions: one tunnel a peer, up to three key pairs a tunnel, one handshake at a time.
//!
//! ```text
//!   initiation sent ─► pending ─► response ─► current            (old current, or next ─► previous)
//!   initiation received ──────────────────► next ─► first data ─► current   (current ─► previous)
//!                                                                    │ 180 s
//!                                                                    ▼ destroyed
//! ```
//!
//! A tunnel holds one pending handshake: an initiation of ours is forgotten when the next one goes
//! out or one of the peer's is answered. A session is *up* while there is a current key pair, and
//! by the defect of PF-100 also while there is a previous one, whose age nobody looks at.
//!
//! # What is abstract
//!
//! Message types, lengths, indices, counters, timestamps, timers and key pairs are the firmware's;
//! the cryptography is checksums with the same verdicts, as the module of the handshake messages
//! in [`super::wire`] says. X25519 operations are charged by their number: two to send an
//! initiation, four to answer one, one to refuse one after its first, two for a response.
//!
//! Left out: an index is drawn anew while another tunnel uses it, where the firmware's test only
//! honours the last tunnel; its timers are 32-bit milliseconds, which subtract safely over their
//! wrap; a full reset after 540 s, which cannot be reached since the current key pair is gone after
//! 180 s. The payload's own source address is not checked against the peer's.
//!
//! Slots have a byte as index, 255 of which means none (CAP-2). What a freed slot held is gone.
//!
//! Clauses: WG-HS-1 to 4, WG-REPLAY-1 (in its place after authentication), CAP-2.
mod inbound;
mod keypair;
mod outbound;
mod timers;

use core::net::{Ipv4Addr, SocketAddrV4};

use heapless::Vec;

pub use self::keypair::{Keypair, REJECT_AFTER_MESSAGES, REKEY_AFTER_MESSAGES};
use super::WgMgr;
use super::config::Config;
use super::keys::NodeKey;
use super::peers::PeerIndex;
use super::wire::{Ephemeral, StaticSecret, Timestamp};
use crate::time::Instant;

/// Bytes that an IP packet through the tunnel may have.
pub const MTU: u16 = 1_420;
/// Slots that a byte can name, one value being taken for none (CAP-2).
pub const SLOTS_MAX: u16 = u8::MAX as u16;

/// Our own handshake, begun and not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// The index that we gave the session.
    pub local: u32,
    /// Our fresh key.
    pub ephemeral: Ephemeral,
}

/// A tunnel to one peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tunnel {
    /// Whose it is: the peer's slot.
    pub peer: PeerIndex,
    /// The same, by key.
    pub node: NodeKey,
    /// The one address that is routed into it.
    pub address: Ipv4Addr,
    /// Where packets go; `None` is through the relay.
    pub endpoint: Option<SocketAddrV4>,
    /// Whether packets also go through the relay when they go directly (WG-PATH-2).
    pub dual_path: bool,
    /// Whether initiations are repeated while there is no session (WG-HS-2).
    pub active: bool,
    /// Whether the session is to be renewed.
    pub renewal_asked: bool,
    /// When the last initiation was sent, unless that was forgotten to send the next at once.
    pub last_initiation: Option<Instant>,
    /// When the first of the initiations was sent that nobody has answered; another cause than a
    /// repetition begins anew.
    pub unanswered_since: Option<Instant>,
    /// When an initiation of the peer's was last accepted.
    pub last_initiation_received: Option<Instant>,
    /// The newest timestamp of the peer's initiations.
    pub newest: Option<Timestamp>,
    /// When data was last sent, keepalives among it.
    pub last_sent: Option<Instant>,
    /// When genuine data last came.
    pub last_received: Option<Instant>,
    /// Our handshake in progress.
    pub pending: Option<Pending>,
    /// The key pair before the current one.
    pub previous: Option<Keypair>,
    /// The key pair in use.
    pub current: Option<Keypair>,
    /// A key pair that the peer started and has not used yet.
    pub next: Option<Keypair>,
    secret: StaticSecret,
}

impl Tunnel {
    fn new(peer: PeerIndex, node: NodeKey, address: Ipv4Addr, secret: StaticSecret) -> Self {
        Self {
            peer,
            node,
            address,
            endpoint: None,
            dual_path: false,
            active: false,
            renewal_asked: false,
            last_initiation: None,
            unanswered_since: None,
            last_initiation_received: None,
            newest: None,
            last_sent: None,
            last_received: None,
            pending: None,
            previous: None,
            current: None,
            next: None,
            secret,
        }
    }

    /// Whether the firmware takes the session for usable: a current key pair, or by PF-100 a
    /// previous one of whatever age.
    pub fn is_up(&self, config: &Config) -> bool {
        let escape = !config.rules.previous_keypair.is_strict() && self.previous.is_some();
        self.current.is_some() || escape
    }

    /// The key pairs that there are.
    fn keypairs(&self) -> impl Iterator<Item = &Keypair> {
        [&self.current, &self.previous, &self.next].into_iter().flatten()
    }

    fn uses(&self, index: u32) -> bool {
        self.pending.is_some_and(|it| it.local == index)
            || self.keypairs().any(|pair| pair.local == index)
    }

    /// A key pair is complete. One that we started is in use at once; one that the peer started
    /// waits for its first packet, and the previous one is then destroyed (WG-HS-3).
    fn add_keypair(&mut self, pair: Keypair) {
        if pair.initiator {
            self.previous = self.next.take().or_else(|| self.current.take());
            self.current = Some(pair);
        } else {
            self.next = Some(pair);
            self.previous = None;
        }
    }

    /// The peer has used its key pair: it is the current one from here on.
    fn promote_next(&mut self) {
        if let Some(pair) = self.next.take() {
            self.previous = self.current.replace(pair);
        }
    }
}

/// The tunnels, by slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sessions<const SLOTS: usize> {
    slots: Vec<Option<Tunnel>, SLOTS>,
}

impl<const SLOTS: usize> Default for Sessions<SLOTS> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<const SLOTS: usize> Sessions<SLOTS> {
    /// The tunnel in a slot.
    pub fn get(&self, slot: u8) -> Option<&Tunnel> {
        self.slots.get(usize::from(slot))?.as_ref()
    }

    /// The tunnels, with their slots.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &Tunnel)> {
        (0..=u8::MAX).zip(&self.slots).filter_map(|(slot, it)| Some((slot, it.as_ref()?)))
    }

    fn get_mut(&mut self, slot: u8) -> Option<&mut Tunnel> {
        self.slots.get_mut(usize::from(slot))?.as_mut()
    }

    fn find(&self, wanted: impl Fn(&Tunnel) -> bool) -> Option<u8> {
        self.iter().find(|(_, tunnel)| wanted(tunnel)).map(|(slot, _)| slot)
    }

    /// Puts a tunnel into a slot, in place of whatever was there.
    fn enter(&mut self, slot: u8, tunnel: Tunnel) {
        while self.slots.len() <= slot.into() && self.slots.push(None).is_ok() {}
        if let Some(place) = self.slots.get_mut(usize::from(slot)) {
            *place = Some(tunnel);
        }
    }

    /// Destroys the tunnel to `node`, its keys with it.
    pub(super) fn remove(&mut self, node: NodeKey) {
        for place in &mut self.slots {
            if place.as_ref().is_some_and(|tunnel| tunnel.node == node) {
                *place = None;
            }
        }
    }

    /// Destroys every tunnel.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// One more than the highest slot that ever was in use.
    fn len(&self) -> u16 {
        u16::try_from(self.slots.len()).unwrap_or(u16::MAX)
    }
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// The tunnels.
    pub fn sessions(&self) -> &Sessions<PEERS> {
        &self.sessions
    }

    /// The tunnel of the peer in this slot of the peer table. By PF-101 that of a removed peer may
    /// be somebody else's.
    pub fn tunnel_of(&self, peer: PeerIndex) -> Option<&Tunnel> {
        self.sessions.get(self.peers.get(peer)?.tunnel_slot?)
    }

    fn tunnel_slot_of(&self, peer: PeerIndex) -> Option<u8> {
        let slot = self.peers.get(peer)?.tunnel_slot?;
        self.sessions.get(slot).map(|_| slot)
    }

    pub(super) fn tunnel_of_mut(&mut self, peer: PeerIndex) -> Option<&mut Tunnel> {
        let slot = self.tunnel_slot_of(peer)?;
        self.sessions.get_mut(slot)
    }

    /// Whether the peer in this slot has a session that the firmware takes for usable.
    pub fn session_is_up(&self, peer: PeerIndex) -> bool {
        self.tunnel_of(peer).is_some_and(|tunnel| tunnel.is_up(&self.config))
    }

    /// Enters the peer in this slot into the tunnel's table. Its live endpoint stays blank, unless
    /// the version takes the netmap's word for it (WG-ADD-2).
    pub(super) fn open_tunnel(&mut self, peer: PeerIndex, secret: StaticSecret) {
        let Some(place) = self.peers.get(peer) else { return };
        let Some(slot) = place.tunnel_slot else { return };
        let mut tunnel = Tunnel::new(peer, place.node, place.address, secret);
        tunnel.dual_path = self.config.is_priority(place.address);
        if self.config.netmap_endpoint_live {
            tunnel.endpoint = place.endpoints.first().copied();
        }
        self.sessions.enter(slot, tunnel);
    }

    /// The peer is not re-tried while there is no session with it, unless it keeps that privilege
    /// (WG-HS-1); whether anything changed.
    pub(super) fn clear_active(&mut self, peer: PeerIndex) -> bool {
        let address = self.peers.get(peer).map(|slot| slot.address);
        let keeps = address.is_none_or(|it| self.special.keeps_active(&self.config, it));
        let clears =
            !keeps && self.tunnel_of(peer).is_some_and(|it| it.active && !it.is_up(&self.config));
        if clears && let Some(tunnel) = self.tunnel_of_mut(peer) {
            tunnel.active = false;
        }
        clears
    }

    /// An index for a session: random, neither all zeros nor all ones, and not in use.
    fn draw_index(&mut self) -> u32 {
        loop {
            let index = u32::from_le_bytes(self.entropy.draw());
            let taken = self.sessions.iter().any(|(_, tunnel)| tunnel.uses(index));
            if index != 0 && index != u32::MAX && !taken {
                return index;
            }
        }
    }
}
