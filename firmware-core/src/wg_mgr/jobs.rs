//! What follows from a packet, an addition or a timer: one sealed box each, done one step at a time
//! before the loop takes anything else.
//!
//! ```text
//!   ping: recent probe? skip ─► best endpoint ─► other candidates ─► relay, unless direct is up
//!   pong: source ─► local candidates ─► else one public candidate ─► always the relay
//! ```
//!
//! A packet is sealed once; all its destinations get the same bytes.
//!
//! Clauses: WG-PING-1, WG-PONG-1 (its sending half).
use core::net::SocketAddrV4;

use super::WgMgr;
use super::boxes::NONCE_LEN;
use super::input::Via;
use super::keys::DiscoKey;
use super::output::{DESTINATIONS_MAX, InitiationReason, MessageKind, Note, Output, Outputs, Send};
use super::peers::{Peer, PeerIndex};
use super::probes::Probe;
use super::wire::{self, CALL_ME_MAYBE_ENTRIES_MAX, Message, SealedPacket, TransactionId};
use crate::charge::CostKey;
use crate::time::Instant;
use crate::wake::Wake;

/// Jobs that can wait at once: a CallMeMaybe's answer, its eight pings and one more.
pub const JOBS_MAX: usize = CALL_ME_MAYBE_ENTRIES_MAX + 2;

type Destinations = heapless::Vec<SocketAddrV4, DESTINATIONS_MAX>;

/// One packet to seal and send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Job {
    /// A ping to everywhere the peer may be. Unless forced, at most every five seconds.
    Ping {
        /// Whom.
        peer: PeerIndex,
        /// Whether the five seconds do not matter.
        forced: bool,
    },
    /// A ping to one endpoint that a CallMeMaybe named.
    PingEndpoint {
        /// Whom.
        peer: PeerIndex,
        /// Where.
        endpoint: SocketAddrV4,
    },
    /// The answer to a ping.
    Pong {
        /// Whom.
        peer: PeerIndex,
        /// The key that the ping came with.
        to: DiscoKey,
        /// The ping's id.
        transaction: TransactionId,
        /// The way the ping came.
        via: Via,
    },
    /// Where we can be reached, through the relay.
    CallMeMaybe {
        /// Whom.
        peer: PeerIndex,
    },
    /// An initiation, if the peer has a tunnel.
    Initiate {
        /// Whom.
        peer: PeerIndex,
        /// Why.
        why: InitiationReason,
    },
    /// A keepalive in the present session.
    Keepalive {
        /// Whom.
        peer: PeerIndex,
    },
    /// The end of repeated initiations to a peer whose path was just given up (WG-HS-1).
    ClearActive {
        /// Whom.
        peer: PeerIndex,
    },
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Puts a job behind those that wait.
    pub(super) fn queue_job(&mut self, job: Job) {
        let refused = self.jobs.push(job);
        debug_assert!(refused.is_ok(), "jobs are done before anything else can cause more");
    }

    /// Does one job: seals and sends a packet, or finds that it need not be sent.
    pub(super) fn perform(&mut self, now: Instant, job: Job) -> Outputs {
        let outputs = match job {
            Job::Ping { peer, forced } => self.ping(now, peer, forced),
            Job::PingEndpoint { peer, endpoint } => self.ping_endpoint(now, peer, endpoint),
            Job::Pong { peer, to, transaction, via } => self.pong(now, peer, to, transaction, via),
            Job::CallMeMaybe { peer } => self.call_me_maybe(now, peer),
            Job::Initiate { peer, why } => self.initiate(now, peer, why),
            Job::Keepalive { peer } => self.keepalive(now, peer),
            Job::ClearActive { peer } => self.clear_active(peer).then(|| {
                let mut outputs = Outputs { wake: Some(Wake::now(now)), ..Outputs::none() };
                outputs.note(Note::ActiveCleared(peer));
                outputs
            }),
        };
        outputs.unwrap_or_else(|| Outputs { wake: Some(Wake::now(now)), ..Outputs::none() })
    }

    fn ping(&mut self, now: Instant, peer: PeerIndex, forced: bool) -> Option<Outputs> {
        let slot = self.peers.get(peer)?;
        let soon = !forced
            && slot.last_ping != Instant::ZERO
            && now.since(slot.last_ping) < self.config.ping_interval;
        let recent =
            self.config.probe_dedup.is_some_and(|span| self.probes.recent(peer, now, span));
        if soon || recent {
            let mut outputs = Outputs::none();
            outputs.wake = Some(Wake::now(now));
            outputs.note(Note::PingSkipped(peer));
            return Some(outputs);
        }
        let direct = ping_destinations(slot);
        let relay = slot.direct.is_none() || direct.is_empty();
        self.peers.get_mut(peer)?.last_ping = now;
        self.send_ping(now, peer, direct, relay)
    }

    /// The time of the last ping is not touched: that is the firmware's omission (WG-CMM-2).
    fn ping_endpoint(
        &mut self,
        now: Instant,
        peer: PeerIndex,
        endpoint: SocketAddrV4,
    ) -> Option<Outputs> {
        self.send_ping(now, peer, core::iter::once(endpoint).collect(), false)
    }

    fn send_ping(
        &mut self,
        now: Instant,
        peer: PeerIndex,
        direct: Destinations,
        relay: bool,
    ) -> Option<Outputs> {
        let transaction = TransactionId(self.entropy.draw());
        let slot = self.peers.get(peer)?;
        let probe = Probe { transaction, sent: now, peer, generation: slot.generation };
        let (to, node) = (slot.disco, self.identity.node());
        let tracked = self.probes.track(probe);
        let message = Message::Ping { transaction, node: Some(node) };
        let mut outputs = self.send(now, peer, to, &message, direct, relay)?;
        if !tracked {
            outputs.note(Note::PingUntracked(peer));
        }
        Some(outputs)
    }

    fn pong(
        &mut self,
        now: Instant,
        peer: PeerIndex,
        to: DiscoKey,
        transaction: TransactionId,
        via: Via,
    ) -> Option<Outputs> {
        let source = match via {
            Via::Direct(source) => Some(source),
            Via::Derp(_) => None,
        };
        let direct = pong_destinations(self.peers.get(peer)?, source);
        let message = Message::Pong { transaction, seen_from: source };
        self.send(now, peer, to, &message, direct, true)
    }

    /// Without an endpoint of our own there is nothing to say, and nothing is sent.
    fn call_me_maybe(&mut self, now: Instant, peer: PeerIndex) -> Option<Outputs> {
        let endpoints = self.endpoints.list();
        if endpoints.is_empty() || !self.config.disco_enabled {
            return None;
        }
        let slot = self.peers.get_mut(peer)?;
        slot.last_call_me_maybe = Some(now);
        let to = slot.disco;
        let message = Message::CallMeMaybe { endpoints };
        self.send(now, peer, to, &message, Destinations::new(), true)
    }

    fn send(
        &mut self,
        now: Instant,
        peer: PeerIndex,
        to: DiscoKey,
        message: &Message,
        direct: Destinations,
        relay: bool,
    ) -> Option<Outputs> {
        let node = self.peers.get(peer)?.node;
        let (charge, packet) = self.seal(to, message);
        let kind = match message {
            Message::Ping { .. } => MessageKind::Ping,
            Message::Pong { .. } => MessageKind::Pong,
            Message::CallMeMaybe { .. } => MessageKind::CallMeMaybe,
        };
        let mut outputs = Outputs::charged(charge, now);
        let queue = self.relay_queue_of_disco(peer);
        outputs.push(Output::Send(Send { packet, kind, peer, node, direct, relay, queue }));
        Some(outputs)
    }

    fn seal(&mut self, to: DiscoKey, message: &Message) -> (CostKey, SealedPacket) {
        let (shared, computed) = self.shared_box(to);
        let nonce: [u8; NONCE_LEN] = self.entropy.draw();
        let packet = wire::seal(self.identity.disco(), &shared, nonce, message);
        if !computed {
            return (CostKey::BoxSealCached, packet);
        }
        self.cache.insert(shared);
        (CostKey::BoxSealComputed, packet)
    }
}

/// The path in use first, then every other candidate.
fn ping_destinations(peer: &Peer) -> Destinations {
    let others = peer.endpoints.iter().copied().filter(|endpoint| Some(*endpoint) != peer.direct);
    peer.direct.into_iter().chain(others).collect()
}

/// Where the ping came from, every other local candidate, and only if that is nowhere, one public
/// candidate.
fn pong_destinations(peer: &Peer, source: Option<SocketAddrV4>) -> Destinations {
    let local = |endpoint: &SocketAddrV4| endpoint.ip().is_private();
    let others = peer.endpoints.iter().copied().filter(|endpoint| Some(*endpoint) != source);
    let mut destinations: Destinations =
        source.into_iter().chain(others.clone().filter(local)).collect();
    if destinations.is_empty() {
        destinations = others.take(1).collect();
    }
    destinations
}
