//! Packets from nobody in the tailnet: fresh keys, well-formed pings, spoofed keys.
//!
//! Packet number `i` is a function of the seed, the flood's name and `i`, and is only made when the
//! manager takes it: of 600 a second most are shed unread.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::keys::{DiscoKey, Identity, NodeKey};
use firmware_core::wg_mgr::wire::{self, HEADER_LEN, Message, PacketClass, TransactionId};

use crate::arrivals::Train;
use crate::random::{Stream, Streams};
use crate::scenario::{Flood, FloodContent};

/// A flood that is being worked off.
#[derive(Clone, Debug)]
pub struct FloodSource {
    magic: [u8; 6],
    content: FloodContent,
    class: PacketClass,
    bytes: Stream,
    train: Train,
    index: u64,
}

impl FloodSource {
    /// The flood from its beginning.
    pub fn new(flood: &Flood, streams: Streams) -> Self {
        let mut source = Self {
            magic: flood.magic,
            content: flood.content,
            class: PacketClass::Dropped,
            bytes: streams.of(&flood.name, "bytes"),
            train: Train::new(flood.arrivals.clone(), streams.of(&flood.name, "arrivals")),
            index: 0,
        };
        // Every packet of a flood has the same magic and length, which is all that is looked at.
        source.class = wire::classify(&source.header_and_length(), false);
        source
    }

    /// When the next packet arrives, and its number.
    pub fn next_packet(&mut self) -> Option<(Instant, u64)> {
        let at = self.train.next()?;
        self.index += 1;
        Some((at, self.index - 1))
    }

    /// What the receive task takes these packets for.
    pub fn class(&self) -> PacketClass {
        self.class
    }

    /// As many bytes as each of these packets has, of which only the magic is filled in.
    pub fn header_and_length(&self) -> Vec<u8> {
        let sealed = match self.content {
            FloodContent::RandomBox { bytes } | FloodContent::KnownKey { bytes } => bytes.into(),
            FloodContent::SealedPing => wire::SEALED_MIN - HEADER_LEN + PING_LEN,
        };
        let mut packet = vec![0; HEADER_LEN + sealed];
        packet[..self.magic.len()].copy_from_slice(&self.magic);
        packet
    }

    /// Packet number `index`, for a device with this key.
    pub fn bytes(&self, index: u64, device: DiscoKey, known: DiscoKey, crypto: Crypto) -> Vec<u8> {
        let mut stream = self.bytes.at(index);
        match self.content {
            FloodContent::RandomBox { .. } => {
                let mut packet = self.header_and_length();
                stream.fill(&mut packet[self.magic.len()..]);
                packet
            }
            FloodContent::KnownKey { .. } => {
                let mut packet = self.header_and_length();
                stream.fill(&mut packet[self.magic.len()..]);
                packet[self.magic.len()..self.magic.len() + 32].copy_from_slice(&known.0);
                packet
            }
            FloodContent::SealedPing => {
                let mut packet = sealed_ping(&mut stream, device, crypto);
                packet[..self.magic.len()].copy_from_slice(&self.magic);
                packet
            }
        }
    }
}

/// Plaintext of a ping that names its node.
const PING_LEN: usize = 46;

/// A ping that opens, from a node that is nobody's peer.
fn sealed_ping(stream: &mut Stream, device: DiscoKey, crypto: Crypto) -> Vec<u8> {
    let sender = Identity::from_secrets(stream.bytes(), stream.bytes());
    let shared = SharedBox::compute(crypto, &sender, device);
    let message = Message::Ping {
        transaction: TransactionId(stream.bytes()),
        node: Some(NodeKey(stream.bytes())),
    };
    wire::seal(sender.disco(), &shared, stream.bytes(), &message).to_vec()
}
