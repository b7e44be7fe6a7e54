//! DISCO: boxes from known keys are opened freely, those from unknown keys on a budget.
//!
//! ```text
//!   packet ─ key in header known? ── no ─► budget - 1
//!      └► admission ─► open ─► ping ─► sender known, or rescued ─► allowed? ─► pong
//!           │ refused            pong ─► pending? ─► path up, trust renewed
//!           ▼ cheaply            CallMeMaybe ─► known? ─► answer, ping each place it names
//! ```
//!
//! The budget is charged before anything else is looked at, so junk burns it too.
//!
//! Clauses: WG-DISCO-1, WG-DISCO-2, WG-RESCUE-1, WG-CMM-2, and the receiving half of WG-PONG-1.
use super::WgMgr;
use super::boxes::SharedBox;
use super::config::OpensExempt;
use super::input::{Datagram, Via};
use super::jobs::Job;
use super::keys::{DiscoKey, NodeKey};
use super::output::{Note, Outputs, Refusal};
use super::peers::PeerIndex;
use super::stage::{DiscoPass, DrainPoint, Stage};
use super::wire::{self, Endpoints, Envelope, Message, TransactionId, Unreadable};
use crate::charge::CostKey;
use crate::time::Instant;

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Whether the step may take another packet.
    pub(super) fn may_take_disco(&self, now: Instant, pass: DiscoPass) -> bool {
        let in_time =
            self.config.disco_time_per_pass.is_none_or(|most| now.since(pass.since) < most);
        in_time && !pass.opens.is_spent()
    }

    /// Serves one packet of the DISCO queue.
    pub(super) fn disco_packet(
        &mut self,
        now: Instant,
        datagram: Datagram<'_>,
        mut pass: DiscoPass,
    ) -> Outputs {
        let key = Envelope::header_key(datagram.bytes);
        let known = key.and_then(|key| self.peers.by_disco(key));
        let admitted = self.admit(datagram);
        let shared = admitted.map(|envelope| (envelope, self.shared_box(envelope.sender)));
        let computed = shared.as_ref().is_ok_and(|(_, (_, computed))| *computed);
        if self.counts_as_open(key, known, computed) {
            let _counted = pass.opens.try_spend();
        }
        let drain = self.config.interleave
            && (known.is_none() || self.config.rules.known_key_drain.is_strict());
        self.stage = if drain {
            Stage::TunnelDrain(DrainPoint::AfterOpen(pass))
        } else {
            Stage::Disco(pass)
        };
        match shared {
            Err(refusal) => {
                let mut outputs = Outputs::charged(CostKey::DiscoReject, now);
                outputs.note(Note::Refused(refusal));
                outputs
            }
            Ok((envelope, (shared, computed))) => {
                let charge =
                    if computed { CostKey::BoxOpenComputed } else { CostKey::BoxOpenCached };
                let mut outputs = Outputs::charged(charge, now);
                let genuine = self.open(now, datagram.via, &envelope, known, &shared, &mut outputs);
                if computed && (genuine || !self.config.rules.cache_admission.is_strict()) {
                    self.cache.insert(shared);
                }
                outputs
            }
        }
    }

    /// Whether a packet costs budget (WG-DISCO-1). Decided by the header alone, except that the
    /// corrected rule also counts a known key whose shared secret is not there yet.
    fn counts_as_open(
        &self,
        key: Option<DiscoKey>,
        known: Option<PeerIndex>,
        computed: bool,
    ) -> bool {
        match self.config.opens_exempt {
            OpensExempt::KnownKeys => {
                known.is_none() || (computed && self.config.rules.known_key_drain.is_strict())
            }
            OpensExempt::PriorityPeer => {
                let priority =
                    self.config.priority_peer.and_then(|it| self.peers.by_address_any(it));
                let stored =
                    priority.and_then(|index| self.peers.get(index)).map(|peer| peer.disco);
                key.is_none() || key != stored
            }
        }
    }

    /// The checks before any cryptography, in their order (WG-DISCO-2).
    fn admit<'a>(&self, datagram: Datagram<'a>) -> Result<Envelope<'a>, Refusal> {
        let envelope = Envelope::parse(datagram.bytes).ok_or(Refusal::NotDisco)?;
        if !self.config.disco_enabled {
            return Err(Refusal::DiscoDisabled);
        }
        if self.config.rules.low_order_keys.is_strict() && envelope.sender.is_low_order() {
            return Err(Refusal::LowOrderKey);
        }
        if let Some(peer) = self.peers.by_disco_any(envelope.sender)
            && !self.is_allowed(peer)
        {
            return Err(Refusal::NotAllowed);
        }
        match (envelope.has_tag(), envelope.fits()) {
            (false, _) => Err(Refusal::NoTag),
            (true, false) => Err(Refusal::TooLong),
            (true, true) => Ok(envelope),
        }
    }

    /// The shared box with a key, and whether it had to be computed.
    pub(super) fn shared_box(&mut self, key: DiscoKey) -> (SharedBox, bool) {
        match self.cache.get(key) {
            Some(shared) => (shared, false),
            None => (SharedBox::compute(self.config.crypto, &self.identity, key), true),
        }
    }

    /// Opens a box and serves what is in it; whether it was genuine.
    fn open(
        &mut self,
        now: Instant,
        via: Via,
        envelope: &Envelope<'_>,
        known: Option<PeerIndex>,
        shared: &SharedBox,
        outputs: &mut Outputs,
    ) -> bool {
        let opened = wire::open(envelope, shared);
        let genuine = opened != Err(Unreadable::Forged);
        outputs.note(Note::Opened { known: known.is_some(), genuine });
        let served = match opened {
            Ok(Message::Ping { transaction, node }) => {
                self.ping_received(now, via, envelope.sender, transaction, node, outputs)
            }
            Ok(Message::Pong { transaction, .. }) => {
                self.pong_received(now, via, transaction, outputs)
            }
            Ok(Message::CallMeMaybe { endpoints }) => {
                self.call_me_maybe_received(now, known, &endpoints)
            }
            Err(Unreadable::Forged) => Err(Refusal::Forged),
            Err(Unreadable::TooShort) => Err(Refusal::TooShort),
            Err(Unreadable::UnknownType(_)) => Err(Refusal::UnknownType),
        };
        if let Err(refusal) = served {
            outputs.note(Note::Refused(refusal));
        }
        genuine
    }

    fn ping_received(
        &mut self,
        now: Instant,
        via: Via,
        sender: DiscoKey,
        transaction: TransactionId,
        node: Option<NodeKey>,
        outputs: &mut Outputs,
    ) -> Result<(), Refusal> {
        let peer = match (self.peers.by_disco(sender), node) {
            (Some(peer), _) => peer,
            (None, Some(node)) => self.rescue(now, sender, node, outputs)?,
            (None, None) => return Err(Refusal::UnknownSender),
        };
        if !self.is_allowed(peer) {
            return Err(Refusal::NotAllowed);
        }
        let interval = self.config.pong_interval;
        let slot = self.peers.get_mut(peer).ok_or(Refusal::UnknownSender)?;
        let too_soon = |last: Instant| interval.is_some_and(|least| now.since(last) < least);
        if slot.last_answer.is_some_and(too_soon) {
            return Err(Refusal::PongTooSoon);
        }
        slot.last_answer = Some(now);
        let unreached = slot.direct.is_none();
        self.queue_job(Job::Pong { peer, to: sender, transaction, via });
        if let Via::Direct(source) = via
            && unreached
        {
            if let Some(slot) = self.peers.get_mut(peer) {
                slot.learn(source);
            }
            self.queue_job(Job::Ping { peer, forced: true });
        }
        Ok(())
    }

    /// Takes an unknown key for a peer's new one, if the ping names that peer (WG-RESCUE-1).
    fn rescue(
        &mut self,
        now: Instant,
        sender: DiscoKey,
        node: NodeKey,
        outputs: &mut Outputs,
    ) -> Result<PeerIndex, Refusal> {
        let index = self.peers.by_node_any(node).ok_or(Refusal::UnknownSender)?;
        let trust = self.config.trust;
        let strict = self.config.rules.rescue_claims.is_strict();
        let peer = self.peers.get_mut(index).ok_or(Refusal::UnknownSender)?;
        let alive = peer.last_pong != Instant::ZERO && now.since(peer.last_pong) <= trust;
        if strict && alive {
            return Err(Refusal::ClaimRefused);
        }
        peer.disco = sender;
        self.remember(index);
        outputs.note(Note::Rescued(index));
        Ok(index)
    }

    fn pong_received(
        &mut self,
        now: Instant,
        via: Via,
        transaction: TransactionId,
        outputs: &mut Outputs,
    ) -> Result<(), Refusal> {
        let Some(probe) = self.probes.take(transaction) else {
            let duplicate = self.probes.was_consumed(transaction);
            return Err(if duplicate { Refusal::PongDuplicate } else { Refusal::PongUnmatched });
        };
        let in_table = probe.peer.0 < self.peers.count();
        let bound = self.config.rules.late_pongs.is_strict();
        let slot = self.peers.get_mut(probe.peer).filter(|slot| {
            in_table && (!bound || (slot.active && slot.generation == probe.generation))
        });
        let slot = slot.ok_or(Refusal::PongOrphaned)?;
        slot.last_pong = now;
        let round_trip = now.since(probe.sent);
        let direct = matches!(via, Via::Direct(_));
        outputs.note(Note::Matched { peer: probe.peer, round_trip, direct });
        match via {
            Via::Direct(source) => self.direct_pong(now, probe.peer, source, outputs),
            Via::Derp(_) => self.relayed_pong(now, probe.peer),
        }
        Ok(())
    }

    /// Serves an inbound CallMeMaybe; there is no rescue here (WG-CMM-2).
    fn call_me_maybe_received(
        &mut self,
        now: Instant,
        known: Option<PeerIndex>,
        endpoints: &Endpoints,
    ) -> Result<(), Refusal> {
        let spacing = self.config.call_me_maybe_spacing;
        let peer = known.ok_or(Refusal::UnknownSender)?;
        let slot = self.peers.get_mut(peer).ok_or(Refusal::UnknownSender)?;
        let too_soon = |last: Instant| spacing.is_some_and(|least| now.since(last) < least);
        if slot.last_call_me_maybe.is_some_and(too_soon) {
            return Err(Refusal::CallMeMaybeTooSoon);
        }
        slot.last_call_me_maybe = Some(now);
        if !self.config.rules.call_me_maybe_echo.is_strict() {
            self.queue_job(Job::CallMeMaybe { peer });
        }
        for endpoint in endpoints {
            self.queue_job(Job::PingEndpoint { peer, endpoint: *endpoint });
        }
        self.queue_job(Job::Ping { peer, forced: true });
        Ok(())
    }

    /// Whether the allowlist lets us talk to the peer in this slot (WG-ALLOW-1).
    pub(super) fn is_allowed(&self, peer: PeerIndex) -> bool {
        let address = self.peers.get(peer).map(|slot| slot.address);
        address.is_some_and(|address| self.allow.allows(address, self.config.fleet_server))
    }
}
