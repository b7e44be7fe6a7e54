//! Packets for sessions: what each check costs, and what passes them.
//!
//! ```text
//!   initiation ─► mac1 ─► static field, 1 X ─► peer ─► authentic ─► newer ─► response, 4 X in all
//!   response   ─► mac1 ─► ours, pending ─► authentic, 2 X ─► current, a keepalive confirms it
//!   data       ─► not a copy ─► a session's, not over ─► genuine ─► endpoint moves ─► window ─► delivered
//! ```
//!
//! All of it happens under the network stack's lock, none of it is budgeted. An initiation moves the
//! live endpoint once it is authentic, data even if the window then refuses it; nothing that came
//! through a relay moves it.
//!
//! Clauses: WG-HS-4, WG-REPLAY-1, WG-DEDUP-1 (its place), and of WG-PATH-1 and WG-PATH-2 what inbound
//! packets do.
use core::net::SocketAddrV4;

use super::super::WgMgr;
use super::super::input::{Datagram, Via};
use super::super::jobs::Job;
use super::super::output::{Note, Output, Outputs, Refusal, TunnelMessage};
use super::super::wire::{
    Initiation, InitiationView, Response, ResponseView, SessionKey, TunnelPacket, open_data,
};
use super::Tunnel;
use super::keypair::Keypair;
use crate::charge::CostKey;
use crate::time::{Duration, Instant};

/// Least time between two initiations of one peer, by the corrected rule: two a second.
const INITIATION_SPACING: Duration = Duration::from_millis(500);

/// A packet that went no further, and what that cost.
type Refused = (CostKey, Refusal);

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Serves one packet of the tunnel's queue with the sessions of this core.
    pub(in super::super) fn session_packet(
        &mut self,
        now: Instant,
        datagram: Datagram<'_>,
    ) -> Outputs {
        let served = match TunnelPacket::parse(datagram.bytes) {
            TunnelPacket::Data { receiver, counter } => {
                self.data_received(now, datagram, receiver, counter)
            }
            TunnelPacket::Initiation => self.initiation_received(now, datagram),
            TunnelPacket::Response => self.response_received(now, datagram),
            TunnelPacket::Cookie => Err((CostKey::TunnelReject, Refusal::CookieIgnored)),
            TunnelPacket::Malformed => Err((CostKey::TunnelReject, Refusal::TunnelMalformed)),
        };
        served.unwrap_or_else(|(charge, refusal)| {
            let mut outputs = Outputs::charged(charge, now);
            outputs.note(Note::Refused(refusal));
            outputs
        })
    }

    fn data_received(
        &mut self,
        now: Instant,
        datagram: Datagram<'_>,
        receiver: u32,
        counter: u64,
    ) -> Result<Outputs, Refused> {
        let strict = self.config.rules.dedup_admission.is_strict();
        let copy = if strict {
            self.dedup.holds(receiver, counter)
        } else {
            self.dedup.is_copy(receiver, counter)
        };
        if copy {
            return Err((CostKey::TunnelReject, Refusal::TunnelCopy));
        }
        let config = &self.config;
        let slot = self.sessions.find(|it| it.keypairs().any(|pair| pair.local == receiver));
        let tunnel = slot.and_then(|slot| self.sessions.get_mut(slot));
        let tunnel = tunnel.ok_or((CostKey::TunnelReject, Refusal::SessionUnknown))?;
        let is_next = tunnel.next.as_ref().is_some_and(|pair| pair.local == receiver);
        let place = [&mut tunnel.current, &mut tunnel.previous, &mut tunnel.next]
            .into_iter()
            .find(|place| place.as_ref().is_some_and(|pair| pair.local == receiver))
            .expect("the tunnel was found by this index");
        let pair = place.as_mut().expect("the place was found by what is in it");
        if pair.is_over(now, config) {
            *place = None;
            return Err((CostKey::TunnelReject, Refusal::SessionExpired));
        }
        let payload = open_data(datagram.bytes, pair.key(), !pair.initiator)
            .ok_or((CostKey::TunnelData, Refusal::DataForged))?;
        let (renews, initiator) = (pair.renews_on_receive(now, config), pair.initiator);
        let fresh = payload.is_empty() || pair.accepts(counter);
        let mut outputs = Outputs::charged(CostKey::TunnelData, now);
        tunnel.last_received = Some(now);
        tunnel.renewal_asked |= renews;
        if is_next {
            tunnel.promote_next();
            outputs.note(Note::SessionUp { peer: tunnel.peer, initiator });
        }
        roam(tunnel, datagram.via, &mut outputs);
        match u16::try_from(payload.len()) {
            _ if !fresh => outputs.note(Note::Refused(Refusal::CounterReplayed)),
            Ok(0) => {}
            Ok(length) => {
                outputs.push(Output::Deliver { peer: tunnel.peer, from: tunnel.address, length });
            }
            Err(_) => outputs.note(Note::Refused(Refusal::TooLong)),
        }
        if strict {
            let _now_known = self.dedup.is_copy(receiver, counter);
        }
        Ok(outputs)
    }

    fn initiation_received(
        &mut self,
        now: Instant,
        datagram: Datagram<'_>,
    ) -> Result<Outputs, Refused> {
        let cheap = |refusal| (CostKey::TunnelReject, refusal);
        let opened = |refusal| (CostKey::InitiationRefused, refusal);
        let us = self.identity.node();
        let view = InitiationView::parse(datagram.bytes).ok_or(cheap(Refusal::TunnelMalformed))?;
        if self.config.initiations_per_pass.is_some_and(|most| self.initiations >= most) {
            return Err(cheap(Refusal::InitiationsOverBudget));
        }
        if !view.mac1_holds(us) {
            return Err(cheap(Refusal::Mac1Wrong));
        }
        self.initiations = self.initiations.saturating_add(1);
        let initiator = view.initiator(us).ok_or(opened(Refusal::InitiatorUnknown))?;
        let slot = self.sessions.find(|tunnel| tunnel.node == initiator);
        let slot = slot.ok_or(opened(Refusal::InitiatorUnknown))?;
        let strict_rate = self.config.rules.initiation_rate.is_strict();
        let tunnel = self.sessions.get(slot).ok_or(opened(Refusal::InitiatorUnknown))?;
        let message = view.open(&tunnel.secret).ok_or(opened(Refusal::HandshakeForged))?;
        if tunnel.newest.is_some_and(|newest| message.timestamp <= newest) {
            return Err(opened(Refusal::TimestampNotNewer));
        }
        if tunnel.last_initiation_received.is_some_and(|last| too_soon(last, now, strict_rate)) {
            return Err(opened(Refusal::InitiationTooSoon));
        }
        let (local, ephemeral) = (self.draw_index(), self.entropy.draw());
        let tunnel = self.sessions.get_mut(slot).ok_or(opened(Refusal::InitiatorUnknown))?;
        accept(tunnel, &message, now);
        let key = SessionKey::derive(&tunnel.secret, &message.ephemeral, &ephemeral);
        let indices = [local, message.sender];
        tunnel.add_keypair(Keypair::new(key, indices, false, now, &self.config));
        let response = Response { sender: local, receiver: message.sender, ephemeral };
        let bytes = response.encode(tunnel.node, &tunnel.secret, &message.ephemeral);
        let mut outputs = Outputs::charged(CostKey::InitiationReceived, now);
        roam(tunnel, datagram.via, &mut outputs);
        let through_relay = matches!(datagram.via, Via::Derp(_));
        let transmit = self.transmit(slot, TunnelMessage::Response(bytes), through_relay);
        outputs.list.extend(transmit);
        Ok(outputs)
    }

    fn response_received(
        &mut self,
        now: Instant,
        datagram: Datagram<'_>,
    ) -> Result<Outputs, Refused> {
        let cheap = |refusal| (CostKey::TunnelReject, refusal);
        let us = self.identity.node();
        let view = ResponseView::parse(datagram.bytes).ok_or(cheap(Refusal::TunnelMalformed))?;
        if !view.mac1_holds(us) {
            return Err(cheap(Refusal::Mac1Wrong));
        }
        let ours = |tunnel: &Tunnel| tunnel.pending.filter(|it| it.local == view.receiver());
        let slot = self.sessions.find(|tunnel| ours(tunnel).is_some());
        let tunnel = slot.and_then(|slot| self.sessions.get_mut(slot));
        let tunnel = tunnel.ok_or(cheap(Refusal::ResponseUnmatched))?;
        let pending = ours(tunnel).ok_or(cheap(Refusal::ResponseUnmatched))?;
        let message = view
            .open(&tunnel.secret, &pending.ephemeral)
            .ok_or((CostKey::ResponseReceived, Refusal::HandshakeForged))?;
        let key = SessionKey::derive(&tunnel.secret, &pending.ephemeral, &message.ephemeral);
        let indices = [pending.local, message.sender];
        tunnel.pending = None;
        tunnel.unanswered_since = None;
        tunnel.add_keypair(Keypair::new(key, indices, true, now, &self.config));
        let mut outputs = Outputs::charged(CostKey::ResponseReceived, now);
        roam(tunnel, datagram.via, &mut outputs);
        let peer = tunnel.peer;
        outputs.note(Note::SessionUp { peer, initiator: true });
        self.queue_job(Job::Keepalive { peer });
        Ok(outputs)
    }
}

/// Whether an initiation comes too soon after the last accepted one. The firmware subtracts the
/// wrong way round, so that only the same millisecond is too soon (PF-99).
fn too_soon(last: Instant, now: Instant, strict: bool) -> bool {
    if strict { now.since(last) < INITIATION_SPACING } else { last.as_millis() == now.as_millis() }
}

/// The peer's handshake replaces ours, if we have one in progress.
fn accept(tunnel: &mut Tunnel, message: &Initiation, now: Instant) {
    tunnel.last_initiation_received = Some(now);
    tunnel.newest = Some(message.timestamp);
    tunnel.pending = None;
}

/// An authentic packet came: if directly, the live endpoint follows it (WG-PATH-1).
fn roam(tunnel: &mut Tunnel, via: Via, outputs: &mut Outputs) {
    let Via::Direct(source) = via else { return };
    if tunnel.endpoint.replace(source) != Some(source) {
        outputs.note(Note::Roamed(tunnel.peer));
    }
}

/// Where a packet to a tunnel goes: its live endpoint, if it has one.
pub(super) fn direct_way(tunnel: &Tunnel, through_relay: bool) -> Option<SocketAddrV4> {
    tunnel.endpoint.filter(|_| !through_relay)
}
