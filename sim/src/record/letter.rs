//! Packets as records: opened when they arrive, and put into a modelled box again for a replay.
//!
//! ```text
//!   bytes ─► DISCO? ─no─► its first bytes, its length
//!              └yes─► opens? ─no─► sender, length of the box
//!                        └yes─► sender, message          (a pong: the number of its ping)
//!
//!   record ─► the same message, sealed from its sender to the replayed device
//! ```
use std::collections::BTreeMap;

use firmware_core::wg_mgr::boxes::{NONCE_LEN, SharedBox};
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::keys::{DiscoKey, Identity};
use firmware_core::wg_mgr::wire::{
    self, Envelope, Message, PacketClass, Plaintext, TransactionId, Unreadable,
};

use super::pings::Pings;
use crate::pft::Event;
use crate::pft::event::Arrival;
use crate::pft::field::Octets;

/// Shared keys kept while recording.
const KEPT: usize = 4_096;
/// What a forged box is filled with.
const JUNK: u8 = 0x5a;
/// A message type that no firmware knows.
const TYPE_TOO_SHORT: usize = 1;

/// Opens what arrives, for the recorder.
#[derive(Debug, Default)]
pub struct Opener {
    keys: BTreeMap<DiscoKey, SharedBox>,
}

impl Opener {
    /// The record of a packet to the device `identity`.
    pub fn record(
        &mut self,
        (arrival, class): (Arrival, PacketClass),
        bytes: &[u8],
        (crypto, identity): (Crypto, &Identity),
        pings: &Pings,
    ) -> Event {
        let envelope = Envelope::parse(bytes).filter(|_| class == PacketClass::Disco);
        let Some(envelope) = envelope else {
            let kept = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
            return Event::ArriveBytes {
                arrival,
                class,
                bytes: Octets(bytes[..kept].to_vec()),
                length,
            };
        };
        let sender = envelope.sender;
        let shared = self.shared(crypto, identity, sender);
        match wire::open(&envelope, shared) {
            Ok(Message::Ping { node, .. }) => Event::ArrivePing { arrival, sender, node },
            Ok(Message::Pong { transaction, .. }) => {
                Event::ArrivePong { arrival, sender, answers: pings.number(transaction) }
            }
            Ok(Message::CallMeMaybe { endpoints }) => {
                Event::ArriveCallMeMaybe { arrival, sender, endpoints }
            }
            Err(Unreadable::TooShort) => {
                Event::ArriveUnreadable { arrival, sender, message_type: None }
            }
            Err(Unreadable::UnknownType(kind)) => {
                Event::ArriveUnreadable { arrival, sender, message_type: Some(kind) }
            }
            Err(Unreadable::Forged) => {
                let box_bytes = u32::try_from(envelope.sealed.len()).unwrap_or(u32::MAX);
                Event::ArriveForged { arrival, sender, box_bytes }
            }
        }
    }

    fn shared(&mut self, crypto: Crypto, identity: &Identity, sender: DiscoKey) -> &SharedBox {
        if self.keys.len() >= KEPT && !self.keys.contains_key(&sender) {
            self.keys.clear();
        }
        self.keys.entry(sender).or_insert_with(|| SharedBox::compute(crypto, identity, sender))
    }
}

/// Number, way and origin of a packet; `None` when the record is of no packet.
pub const fn arrival(event: &Event) -> Option<&Arrival> {
    match event {
        Event::ArrivePing { arrival, .. }
        | Event::ArrivePong { arrival, .. }
        | Event::ArriveCallMeMaybe { arrival, .. }
        | Event::ArriveUnreadable { arrival, .. }
        | Event::ArriveForged { arrival, .. }
        | Event::ArriveUnopened { arrival, .. }
        | Event::ArriveBytes { arrival, .. }
        | Event::ArriveInitiation { arrival, .. }
        | Event::ArriveResponse { arrival, .. }
        | Event::ArriveData { arrival, .. } => Some(arrival),
        _ => None,
    }
}

/// What the receive task takes a recorded packet for.
pub const fn class(event: &Event) -> PacketClass {
    match event {
        Event::ArriveBytes { class, .. } => *class,
        Event::ArriveInitiation { .. }
        | Event::ArriveResponse { .. }
        | Event::ArriveData { .. } => PacketClass::Tunnel,
        _ => PacketClass::Disco,
    }
}

/// The bytes of a recorded packet, for a device with modelled boxes; none for other records.
pub fn bytes(event: &Event, device: &Identity, pings: &Pings) -> Vec<u8> {
    let seal = |sender: DiscoKey, plain: Plaintext| -> Vec<u8> {
        let shared = SharedBox::compute(Crypto::Modelled, device, sender);
        let (nonce, mut plain) = ([0; NONCE_LEN], plain);
        let tag = shared.seal(&nonce, &mut plain);
        wire::frame(sender, &nonce, &tag, &plain).to_vec()
    };
    match event {
        Event::ArrivePing { arrival, sender, node } => {
            let transaction = own_transaction(arrival.packet, 1);
            seal(*sender, Message::Ping { transaction, node: *node }.write())
        }
        Event::ArrivePong { arrival, sender, answers } => {
            let transaction = answers.and_then(|number| pings.transaction(number));
            let transaction = transaction.unwrap_or_else(|| own_transaction(arrival.packet, 2));
            seal(*sender, Message::Pong { transaction, seen_from: None }.write())
        }
        Event::ArriveCallMeMaybe { sender, endpoints, .. } => {
            seal(*sender, Message::CallMeMaybe { endpoints: endpoints.clone() }.write())
        }
        Event::ArriveUnreadable { sender, message_type, .. } => {
            let plain: &[u8] = match message_type {
                None => &[0; TYPE_TOO_SHORT],
                Some(kind) => &[*kind, 0],
            };
            seal(*sender, plain.iter().copied().collect())
        }
        Event::ArriveForged { sender, box_bytes, .. }
        | Event::ArriveUnopened { sender, box_bytes, .. } => {
            let mut packet = wire::MAGIC.to_vec();
            packet.extend_from_slice(&sender.0);
            packet.extend_from_slice(&[0; NONCE_LEN]);
            packet.resize(packet.len() + length(*box_bytes), JUNK);
            packet
        }
        Event::ArriveBytes { bytes, length: whole, .. } => {
            let mut packet = bytes.0.clone();
            packet.resize(length(*whole).max(packet.len()), 0);
            packet
        }
        _ => Vec::new(),
    }
}

/// A datagram is never longer than this, whatever a record says.
const DATAGRAM_MOST: u32 = 65_535;

fn length(bytes: u32) -> usize {
    usize::try_from(bytes.min(DATAGRAM_MOST)).expect("64 KiB fit")
}

/// An id that no ping of the device has: its own are drawn at random.
fn own_transaction(packet: u64, kind: u8) -> TransactionId {
    let mut id = [0; TransactionId::LEN];
    id[..8].copy_from_slice(&packet.to_le_bytes());
    id[TransactionId::LEN - 1] = kind;
    TransactionId(id)
}
