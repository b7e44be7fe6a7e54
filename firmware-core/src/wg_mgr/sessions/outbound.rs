//! What goes into the tunnel: initiations, keepalives, and the packets of applications.
//!
//! ```text
//!   live endpoint? ── no ──► relay
//!        └ yes ─► UDP, and a copy through the relay for the priority peer
//! ```
//!
//! Clauses: WG-PATH-2, WG-HS-2 (what an initiation resets), WG-HS-3 (sending), WG-RATE-1.
use core::net::Ipv4Addr;

use super::super::WgMgr;
use super::super::output::{
    InitiationReason, Note, Output, Outputs, Refusal, Transmit, TunnelMessage,
};
use super::super::peers::PeerIndex;
use super::super::wire::{DataSeal, Initiation, Timestamp};
use super::inbound::direct_way;
use super::{MTU, Pending};
use crate::charge::CostKey;
use crate::time::Instant;

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// An application sends to `to`. Encrypting is the network stack's work, so this changes
    /// nothing of where the pass stands.
    pub(in super::super) fn tunnel_send(
        &mut self,
        now: Instant,
        to: Ipv4Addr,
        length: u16,
    ) -> Outputs {
        let sealed = self.seal_for(now, to, length);
        let mut outputs = Outputs::none();
        match sealed {
            Ok((slot, seal)) => {
                outputs.charge = Some(CostKey::TunnelDataSent);
                let transmit = self.transmit(slot, TunnelMessage::Data(seal), false);
                outputs.list.extend(transmit);
            }
            Err(refusal) => outputs.note(Note::Refused(refusal)),
        }
        outputs
    }

    fn seal_for(
        &mut self,
        now: Instant,
        to: Ipv4Addr,
        length: u16,
    ) -> Result<(u8, DataSeal), Refusal> {
        let slot = self.sessions.find(|tunnel| tunnel.address == to).ok_or(Refusal::NoTunnel)?;
        if length > MTU {
            return Err(Refusal::TooLong);
        }
        Ok((slot, self.seal_next(now, slot).ok_or(Refusal::NoSession)?))
    }

    /// What seals the next packet to a tunnel; `None` without a current key pair, or when it is
    /// over, which destroys it.
    fn seal_next(&mut self, now: Instant, slot: u8) -> Option<DataSeal> {
        let config = &self.config;
        let tunnel = self.sessions.get_mut(slot)?;
        let pair = tunnel.current.as_mut()?;
        if pair.is_over(now, config) {
            tunnel.current = None;
            return None;
        }
        let seal = pair.next_seal();
        tunnel.renewal_asked |= pair.renews_on_send(now, config);
        tunnel.last_sent = Some(now);
        Some(seal)
    }

    /// Sends a keepalive in the session with this peer, if there is one to send in.
    pub(in super::super) fn keepalive(&mut self, now: Instant, peer: PeerIndex) -> Option<Outputs> {
        let slot = self.tunnel_slot_of(peer)?;
        let seal = self.seal_next(now, slot)?;
        let mut outputs = Outputs::charged(CostKey::TunnelDataSent, now);
        outputs.list.extend(self.transmit(slot, TunnelMessage::Keepalive(seal.keepalive()), false));
        Some(outputs)
    }

    /// Sends an initiation to this peer. What its reason says of the path happens first.
    pub(in super::super) fn initiate(
        &mut self,
        now: Instant,
        peer: PeerIndex,
        why: InitiationReason,
    ) -> Option<Outputs> {
        let slot = self.tunnel_slot_of(peer)?;
        let direct = self.peers.get(peer)?.direct;
        let keeps_path = direct.is_some() && self.config.rules.wake_retries.is_strict();
        let (local, ephemeral) = (self.draw_index(), self.entropy.draw());
        let timestamp = Timestamp::at(self.handshake_clock(now));
        let initiator = self.identity.node();
        let tunnel = self.sessions.get_mut(slot)?;
        let repeats = matches!(
            why,
            InitiationReason::Retry | InitiationReason::Rekey | InitiationReason::Renew
        );
        match why {
            InitiationReason::Retry | InitiationReason::Rekey | InitiationReason::Renew => {}
            InitiationReason::Wake if keeps_path => tunnel.active = true,
            InitiationReason::Added
            | InitiationReason::Demoted
            | InitiationReason::Wake
            | InitiationReason::RelayPong => {
                tunnel.endpoint = None;
                tunnel.active = true;
            }
            InitiationReason::PathChanged => {
                tunnel.endpoint = direct;
                tunnel.active = true;
            }
            InitiationReason::FirstPath => {
                tunnel.endpoint = direct;
                tunnel.active = false;
            }
        }
        tunnel.pending = Some(Pending { local, ephemeral });
        tunnel.renewal_asked = false;
        tunnel.last_initiation = Some(now);
        if repeats {
            tunnel.unanswered_since.get_or_insert(now);
        } else {
            tunnel.unanswered_since = Some(now);
        }
        let message = Initiation { sender: local, ephemeral, initiator, timestamp };
        let bytes = message.encode(tunnel.node, &tunnel.secret);
        let owner = tunnel.peer;
        let mut outputs = Outputs::charged(CostKey::InitiationSent, now);
        outputs.list.extend(self.transmit(slot, TunnelMessage::Initiation(bytes), false));
        outputs.note(Note::Initiated { peer: owner, why });
        Some(outputs)
    }

    /// The clock that handshake timestamps show: the uptime, unless the corrected rule takes one
    /// that does not go back when the device is rebooted (PF-102).
    fn handshake_clock(&self, now: Instant) -> Instant {
        if self.config.rules.uptime_timestamps.is_strict() {
            now
        } else {
            Instant::from_nanos(now.since(self.booted).as_nanos())
        }
    }

    /// The packet with its way; `through_relay` is how a message that came so is answered
    /// (WG-PATH-2).
    pub(super) fn transmit(
        &self,
        slot: u8,
        message: TunnelMessage,
        through_relay: bool,
    ) -> Option<Output> {
        let tunnel = self.sessions.get(slot)?;
        let handshake =
            matches!(message, TunnelMessage::Initiation(_) | TunnelMessage::Response(_));
        let direct = direct_way(tunnel, through_relay);
        Some(Output::Transmit(Transmit {
            message,
            peer: tunnel.peer,
            node: tunnel.node,
            direct,
            relay: direct.is_none() || tunnel.dual_path,
            queue: self.relay_queue(tunnel.peer, handshake),
        }))
    }
}
