//! Tunnel packets: recognised, charged, handed on. Heartbeats of the protective stop are among
//! them, which is why every drain of this queue matters.
//!
//! ```text
//!   packet ─┬─ data ─► copy of one just seen? ── yes ─► dropped before it is decrypted
//!           │                └ no ─► decrypt, hand on
//!           ├─ initiation ─► four X25519, hand on          (nobody is exempt, nothing is budgeted)
//!           ├─ response   ─► two X25519, hand on
//!           └─ anything else ─► dropped
//! ```
//!
//! This is what happens when sessions are in an outer tunnel. When they live in the core, packets go
//! to [`super::sessions`] instead.
//!
//! Clauses: WG-Q1, WG-DEDUP-1.
use super::WgMgr;
use super::input::Datagram;
use super::output::{Note, Output, Outputs, Refusal};
use super::wire::TunnelPacket;
use crate::charge::CostKey;
use crate::time::Instant;

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Serves one packet of the tunnel's queue.
    pub(super) fn tunnel_packet(&mut self, now: Instant, datagram: Datagram<'_>) -> Outputs {
        if self.config.has_sessions() {
            return self.session_packet(now, datagram);
        }
        let packet = TunnelPacket::parse(datagram.bytes);
        match self.tunnel_charge(packet) {
            Ok(charge) => {
                let mut outputs = Outputs::charged(charge, now);
                outputs.push(Output::ToTunnel(packet));
                outputs
            }
            Err(refusal) => {
                let mut outputs = Outputs::charged(CostKey::TunnelReject, now);
                outputs.note(Note::Refused(refusal));
                outputs
            }
        }
    }

    fn tunnel_charge(&mut self, packet: TunnelPacket) -> Result<CostKey, Refusal> {
        match packet {
            TunnelPacket::Data { receiver, counter } => {
                if self.dedup.is_copy(receiver, counter) {
                    Err(Refusal::TunnelCopy)
                } else {
                    Ok(CostKey::TunnelData)
                }
            }
            TunnelPacket::Initiation => Ok(CostKey::InitiationReceived),
            TunnelPacket::Response => Ok(CostKey::ResponseReceived),
            // Never under load, the firmware sends no cookies; one that arrives is read and kept.
            TunnelPacket::Cookie => Ok(CostKey::TunnelReject),
            TunnelPacket::Malformed => Err(Refusal::TunnelMalformed),
        }
    }
}
