//! Tunnel packets to a device that keeps its sessions itself, as records and back.
//!
//! ```text
//!   handshake ─► who, index, timestamp, the check at which it fails ─► the same under the
//!                                                                       replayed device's keys
//!   data      ─► index, counter, length; genuine or not, known when ─► sealed with the key that
//!                the core takes it                                      the replayed core has
//! ```
//!
//! A replayed device has other keys than the recorded one, and with pseudonyms so have its peers, so
//! no checksum of the recording would hold. What is kept is therefore what the checks came to. The
//! indices are those of the recording: a replayed core draws the same ones from the seed in the
//! trace's head. What was in a data packet is not kept.
use std::collections::BTreeMap;

use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::keys::{Identity, NodeKey};
use firmware_core::wg_mgr::sessions::Keypair;
use firmware_core::wg_mgr::wire::{
    DATA_MIN, DataSeal, Ephemeral, Initiation, InitiationView, Response, ResponseView,
    StaticSecret, Timestamp, TunnelPacket, open_data, renew_mac1,
};

use crate::node::wg_mgr::Core;
use crate::pft::Event;
use crate::pft::choice::Standing;
use crate::pft::event::Arrival;

/// Static secrets kept while recording.
const KEPT: usize = 4_096;
/// A byte of an initiation's static tag.
const STATIC_TAG: usize = 72;
/// A byte of its mac1.
const INITIATION_MAC1: usize = 116;
/// A byte of a response's mac1.
const RESPONSE_MAC1: usize = 60;

/// Looks at tunnel packets with the device's own keys, for the recorder.
#[derive(Debug, Default)]
pub struct Inspector {
    secrets: BTreeMap<NodeKey, Option<StaticSecret>>,
}

impl Inspector {
    /// The record of a packet; `None` for one that belongs to no session and begins none.
    pub fn record(&mut self, arrival: &Arrival, bytes: &[u8], core: &Core) -> Option<Event> {
        let arrival = arrival.clone();
        match TunnelPacket::parse(bytes) {
            TunnelPacket::Initiation => self.initiation(arrival, bytes, core),
            TunnelPacket::Response => self.response(arrival, bytes, core),
            TunnelPacket::Data { receiver, counter } => {
                let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
                Some(Event::ArriveData { arrival, receiver, counter, length })
            }
            TunnelPacket::Cookie | TunnelPacket::Malformed => None,
        }
    }

    fn initiation(&mut self, arrival: Arrival, bytes: &[u8], core: &Core) -> Option<Event> {
        let (view, us) = (InitiationView::parse(bytes)?, core.identity().node());
        let initiator = view.initiator(us).filter(|_| view.mac1_holds(us));
        let secret = initiator.and_then(|node| self.secret(core, node));
        let message = secret.and_then(|secret| view.open(&secret));
        let standing = match (view.mac1_holds(us), initiator, message) {
            (false, ..) => Standing::Mac1Wrong,
            (true, None, _) => Standing::StaticForged,
            (true, Some(_), None) => Standing::Forged,
            (true, Some(_), Some(_)) => Standing::Genuine,
        };
        let (seconds, fraction) = message.map_or((0, 0), |it| label(it.timestamp));
        let sender = index(bytes);
        Some(Event::ArriveInitiation { arrival, sender, initiator, seconds, fraction, standing })
    }

    fn response(&mut self, arrival: Arrival, bytes: &[u8], core: &Core) -> Option<Event> {
        let view = ResponseView::parse(bytes)?;
        let receiver = view.receiver();
        let standing = match pending(core, receiver) {
            _ if !view.mac1_holds(core.identity().node()) => Standing::Mac1Wrong,
            Some((node, ours)) => {
                let secret = self.secret(core, node);
                match secret.and_then(|secret| view.open(&secret, &ours)) {
                    Some(_) => Standing::Genuine,
                    None => Standing::Forged,
                }
            }
            None => Standing::Genuine,
        };
        Some(Event::ArriveResponse { arrival, sender: index(bytes), receiver, standing })
    }

    fn secret(&mut self, core: &Core, node: NodeKey) -> Option<StaticSecret> {
        if self.secrets.len() >= KEPT && !self.secrets.contains_key(&node) {
            self.secrets.clear();
        }
        let compute = || StaticSecret::compute(core.config().crypto, core.identity(), node);
        *self.secrets.entry(node).or_insert_with(compute)
    }
}

/// Whether the core is about to take data that its session's key does not vouch for.
pub fn is_forged(bytes: &[u8], core: &Core) -> bool {
    let TunnelPacket::Data { receiver, .. } = TunnelPacket::parse(bytes) else { return false };
    let vouches = |pair: &Keypair| open_data(bytes, pair.key(), !pair.initiator).is_some();
    keypair(core, receiver).is_some_and(|pair| !vouches(pair))
}

/// The bytes of a recorded tunnel packet, for this core with modelled boxes; `None` for other
/// records.
pub fn bytes(event: &Event, core: &Core, forged: bool) -> Option<Vec<u8>> {
    let device = core.identity();
    match event {
        Event::ArriveInitiation { arrival, sender, initiator, seconds, fraction, standing } => {
            let named = initiator.unwrap_or(device.node());
            let timestamp = timestamp(*seconds, *fraction);
            let ephemeral = own_ephemeral(arrival.packet);
            let message = Initiation { sender: *sender, ephemeral, initiator: named, timestamp };
            Some(initiation(&message, *standing, device))
        }
        Event::ArriveResponse { arrival, sender, receiver, standing } => {
            let ephemeral = own_ephemeral(arrival.packet);
            let message = Response { sender: *sender, receiver: *receiver, ephemeral };
            Some(response(&message, *standing, core))
        }
        Event::ArriveData { receiver, counter, length, .. } => {
            Some(data((*receiver, *counter), *length, core, forged))
        }
        _ => None,
    }
}

fn initiation(message: &Initiation, standing: Standing, device: &Identity) -> Vec<u8> {
    let us = device.node();
    let secret = match standing {
        Standing::Genuine => modelled(device, message.initiator),
        Standing::Forged | Standing::StaticForged | Standing::Mac1Wrong => nobodys(device),
    };
    let mut bytes = message.encode(us, &secret);
    match standing {
        Standing::StaticForged => {
            bytes[STATIC_TAG] ^= 1;
            renew_mac1(&mut bytes, us);
        }
        Standing::Mac1Wrong => bytes[INITIATION_MAC1] ^= 1,
        Standing::Genuine | Standing::Forged => {}
    }
    bytes.to_vec()
}

fn response(message: &Response, standing: Standing, core: &Core) -> Vec<u8> {
    let device = core.identity();
    let (secret, ours) = match pending(core, message.receiver) {
        Some((node, ours)) if standing == Standing::Genuine => (modelled(device, node), ours),
        Some((_, ours)) => (nobodys(device), ours),
        None => (nobodys(device), [0; 32]),
    };
    let mut bytes = message.encode(device.node(), &secret, &ours);
    if standing == Standing::Mac1Wrong {
        bytes[RESPONSE_MAC1] ^= 1;
    }
    bytes.to_vec()
}

fn data((receiver, counter): (u32, u64), length: u32, core: &Core, forged: bool) -> Vec<u8> {
    let length = usize::try_from(length.min(u32::from(u16::MAX))).expect("64 KiB fit");
    let mut packet = vec![0; length.max(DATA_MIN)];
    packet[0] = 4;
    packet[4..8].copy_from_slice(&receiver.to_le_bytes());
    packet[8..16].copy_from_slice(&counter.to_le_bytes());
    if let Some(pair) = keypair(core, receiver) {
        let from_initiator = !pair.initiator;
        let seal = DataSeal { key: *pair.key(), from_initiator, receiver, counter };
        let payload = vec![0; packet.len() - DATA_MIN];
        // A length that no padded packet has is no genuine packet's: it stays unsealed.
        if !forged && DataSeal::packet_len(payload.len()) == packet.len() {
            let _length = seal.write(&payload, &mut packet);
        }
    }
    packet
}

/// The key pair with this index at the device.
fn keypair(core: &Core, local: u32) -> Option<&Keypair> {
    let pairs = core.sessions().iter().flat_map(|(_, tunnel)| {
        [&tunnel.current, &tunnel.previous, &tunnel.next].into_iter().flatten()
    });
    pairs.into_iter().find(|pair| pair.local == local)
}

/// With whom, and with what fresh key, the device has begun the handshake with this index.
fn pending(core: &Core, local: u32) -> Option<(NodeKey, Ephemeral)> {
    core.sessions().iter().find_map(|(_, tunnel)| {
        let pending = tunnel.pending.filter(|it| it.local == local)?;
        Some((tunnel.node, pending.ephemeral))
    })
}

fn modelled(device: &Identity, node: NodeKey) -> StaticSecret {
    StaticSecret::compute(Crypto::Modelled, device, node).unwrap_or_else(|| nobodys(device))
}

/// A secret that the device shares with no peer.
fn nobodys(device: &Identity) -> StaticSecret {
    StaticSecret::compute(Crypto::Modelled, device, device.node())
        .expect("the device's own key is none of low order")
}

/// A fresh key of a peer: any will do, since its session's key is taken from the core.
fn own_ephemeral(packet: u64) -> Ephemeral {
    let mut key = [0x54; 32];
    key[..8].copy_from_slice(&packet.to_le_bytes());
    key
}

/// The session's index at the sender of a handshake message.
fn index(bytes: &[u8]) -> u32 {
    bytes.get(4..).and_then(|it| it.first_chunk()).map_or(0, |it| u32::from_le_bytes(*it))
}

fn label(Timestamp(label): Timestamp) -> (u64, u32) {
    let seconds = label.first_chunk().map_or(0, |it| u64::from_be_bytes(*it));
    let fraction = label.last_chunk().map_or(0, |it| u32::from_be_bytes(*it));
    (seconds, fraction)
}

fn timestamp(seconds: u64, fraction: u32) -> Timestamp {
    let mut label = [0; 12];
    label[..8].copy_from_slice(&seconds.to_be_bytes());
    label[8..].copy_from_slice(&fraction.to_be_bytes());
    Timestamp(label)
}
