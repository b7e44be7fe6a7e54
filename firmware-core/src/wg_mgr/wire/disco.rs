//! DISCO packets, byte for byte.
//!
//! ```text
//!   0      6                    38          62       78
//!   ├ magic ┼ sender's public key ┼ nonce 24 ┼ tag 16 ┼ ciphertext …
//!
//!   plaintext:  type, version 0, then
//!   1 ping          transaction id 12, node key 32                    46 bytes
//!   2 pong          transaction id 12, address 16, port 2 (big-endian) 32 bytes
//!   3 CallMeMaybe   n times address 16, port 2 (big-endian)            2 + 18 n bytes
//! ```
//!
//! [`Envelope`] is the loose view over received bytes; [`Message`] can only hold what means
//! something.
use core::net::{Ipv6Addr, SocketAddrV4};

use heapless::Vec;

use super::super::boxes::{Forged, NONCE_LEN, SharedBox, TAG_LEN};
use super::super::keys::{DiscoKey, KEY_LEN, NodeKey};

/// The first bytes of every DISCO packet: "TS" and U+1F4AC.
pub const MAGIC: [u8; 6] = [0x54, 0x53, 0xf0, 0x9f, 0x92, 0xac];
/// Magic, sender key and nonce: the least that is taken for DISCO.
pub const HEADER_LEN: usize = MAGIC.len() + KEY_LEN + NONCE_LEN;
/// A packet whose box holds no plaintext at all.
pub const SEALED_MIN: usize = HEADER_LEN + TAG_LEN;
/// The longest ciphertext that is opened; a datagram of 1500 bytes holds no more.
pub const OPEN_MAX: usize = 1_500 - SEALED_MIN;
/// Endpoints that are read from a CallMeMaybe.
pub const CALL_ME_MAYBE_ENTRIES_MAX: usize = 8;

const PING: u8 = 1;
const PONG: u8 = 2;
const CALL_ME_MAYBE: u8 = 3;
const ENTRY_LEN: usize = 18;
const PLAIN_MAX: usize = 2 + ENTRY_LEN * CALL_ME_MAYBE_ENTRIES_MAX;

/// A whole packet: a CallMeMaybe of eight endpoints is the longest.
pub type SealedPacket = Vec<u8, { SEALED_MIN + PLAIN_MAX }>;
/// A message before it is sealed.
pub type Plaintext = Vec<u8, PLAIN_MAX>;
/// Endpoints of a CallMeMaybe.
pub type Endpoints = Vec<SocketAddrV4, CALL_ME_MAYBE_ENTRIES_MAX>;

/// Ties a pong to its ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionId(pub [u8; TransactionId::LEN]);

impl TransactionId {
    /// Length in bytes.
    pub const LEN: usize = 12;
}

/// The cleartext part of a DISCO packet and its still closed box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<'a> {
    /// Who says to have sent it.
    pub sender: DiscoKey,
    /// The box's nonce.
    pub nonce: &'a [u8; NONCE_LEN],
    /// The box: tag, then ciphertext.
    pub sealed: &'a [u8],
}

impl<'a> Envelope<'a> {
    /// The sender's key as the open budget reads it: from its fixed place, before anything else is
    /// looked at. `None` when the packet ends before it (WG-DISCO-1).
    pub fn header_key(bytes: &[u8]) -> Option<DiscoKey> {
        let key = bytes.get(MAGIC.len()..)?.first_chunk()?;
        Some(DiscoKey(*key))
    }

    /// The packet's parts; `None` below 62 bytes or without the magic.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let (sender, rest) = bytes.strip_prefix(&MAGIC)?.split_first_chunk()?;
        let (nonce, sealed) = rest.split_first_chunk()?;
        Some(Self { sender: DiscoKey(*sender), nonce, sealed })
    }

    /// Whether there is a whole tag (WG-DISCO-2).
    pub fn has_tag(&self) -> bool {
        self.sealed.len() >= TAG_LEN
    }

    /// Whether the ciphertext fits the buffer that boxes are opened in.
    pub fn fits(&self) -> bool {
        self.sealed.len() <= TAG_LEN + OPEN_MAX
    }
}

/// What a box holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// Are you there?
    Ping {
        /// Comes back in the pong.
        transaction: TransactionId,
        /// Who the sender is; absent in a short ping.
        node: Option<NodeKey>,
    },
    /// I am; this is where your ping came from. The address is not read on reception.
    Pong {
        /// That of the ping.
        transaction: TransactionId,
        /// Where the ping came from; `None` is written as zeros, as for a ping from a relay.
        seen_from: Option<SocketAddrV4>,
    },
    /// Please ping me at these places.
    CallMeMaybe {
        /// The sender's endpoints.
        endpoints: Endpoints,
    },
}

/// An opened box whose plaintext is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// The box did not open.
    Forged,
    /// Shorter than its type needs, or than a type.
    TooShort,
    /// A type that this firmware does not know.
    UnknownType(u8),
}

impl Message {
    /// Reads a plaintext. The version byte is ignored, and so is anything after the message.
    ///
    /// # Errors
    /// [`Unreadable::TooShort`] or [`Unreadable::UnknownType`].
    pub fn parse(plain: &[u8]) -> Result<Self, Unreadable> {
        let [kind, _version, body @ ..] = plain else { return Err(Unreadable::TooShort) };
        match *kind {
            PING => {
                let (transaction, rest) = body.split_first_chunk().ok_or(Unreadable::TooShort)?;
                let node = rest.first_chunk().map(|key| NodeKey(*key));
                Ok(Self::Ping { transaction: TransactionId(*transaction), node })
            }
            PONG => {
                let transaction = body.first_chunk().ok_or(Unreadable::TooShort)?;
                Ok(Self::Pong { transaction: TransactionId(*transaction), seen_from: None })
            }
            CALL_ME_MAYBE => Ok(Self::CallMeMaybe { endpoints: read_endpoints(body) }),
            other => Err(Unreadable::UnknownType(other)),
        }
    }

    /// The message as plaintext.
    pub fn write(&self) -> Plaintext {
        let mut plain = Vec::new();
        let mut put = |bytes: &[u8]| {
            plain.extend_from_slice(bytes).expect("the longest message has the buffer's length");
        };
        match self {
            Self::Ping { transaction, node } => {
                put(&[PING, 0]);
                put(&transaction.0);
                put(node.as_ref().map_or(&[][..], |node| &node.0));
            }
            Self::Pong { transaction, seen_from } => {
                put(&[PONG, 0]);
                put(&transaction.0);
                put(&seen_from.map_or([0; ENTRY_LEN], write_endpoint));
            }
            Self::CallMeMaybe { endpoints } => {
                put(&[CALL_ME_MAYBE, 0]);
                for endpoint in endpoints {
                    put(&write_endpoint(*endpoint));
                }
            }
        }
        plain
    }
}

/// The first eight entries; those that are not IPv4 or have no port are left out (WG-CMM-2).
fn read_endpoints(body: &[u8]) -> Endpoints {
    let mut endpoints = Endpoints::new();
    for entry in body.chunks_exact(ENTRY_LEN).take(CALL_ME_MAYBE_ENTRIES_MAX) {
        let address: [u8; 16] = core::array::from_fn(|i| entry[i]);
        let port = u16::from_be_bytes([entry[16], entry[17]]);
        if let Some(address) = Ipv6Addr::from(address).to_ipv4_mapped()
            && port != 0
        {
            endpoints.push(SocketAddrV4::new(address, port)).expect("at most eight are read");
        }
    }
    endpoints
}

fn write_endpoint(endpoint: SocketAddrV4) -> [u8; ENTRY_LEN] {
    let mut entry = [0; ENTRY_LEN];
    entry[..16].copy_from_slice(&endpoint.ip().to_ipv6_mapped().octets());
    entry[16..].copy_from_slice(&endpoint.port().to_be_bytes());
    entry
}

/// Seals `message` from `sender`.
pub fn seal(
    sender: DiscoKey,
    shared: &SharedBox,
    nonce: [u8; NONCE_LEN],
    message: &Message,
) -> SealedPacket {
    let mut plain = message.write();
    let tag = shared.seal(&nonce, &mut plain);
    frame(sender, &nonce, &tag, &plain)
}

/// Puts a packet together from its parts.
pub fn frame(
    sender: DiscoKey,
    nonce: &[u8; NONCE_LEN],
    tag: &[u8; TAG_LEN],
    ciphertext: &Plaintext,
) -> SealedPacket {
    let mut packet = SealedPacket::new();
    for part in [&MAGIC[..], &sender.0, nonce, tag, ciphertext] {
        packet.extend_from_slice(part).expect("a packet has room for the longest message");
    }
    packet
}

/// Opens an envelope and reads its message.
///
/// # Errors
/// [`Unreadable`]; a box too long for the buffer or without a tag is [`Unreadable::Forged`].
pub fn open(envelope: &Envelope<'_>, shared: &SharedBox) -> Result<Message, Unreadable> {
    let (tag, ciphertext) = envelope.sealed.split_first_chunk().ok_or(Unreadable::Forged)?;
    let mut buffer = [0; OPEN_MAX];
    let plain = buffer.get_mut(..ciphertext.len()).ok_or(Unreadable::Forged)?;
    plain.copy_from_slice(ciphertext);
    shared.open(envelope.nonce, tag, plain).map_err(|Forged| Unreadable::Forged)?;
    Message::parse(plain)
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;

    use super::super::super::config::Crypto;
    use super::super::super::keys::Identity;
    use super::*;

    fn endpoints(count: u8) -> Endpoints {
        (1..=count).map(|i| SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, i), 51_820)).collect()
    }

    fn sealed(message: &Message) -> (SealedPacket, SharedBox) {
        let (ours, theirs) =
            (Identity::from_secrets([1; 32], [2; 32]), Identity::from_secrets([3; 32], [4; 32]));
        let shared = SharedBox::compute(Crypto::Real, &ours, theirs.disco());
        let opener = SharedBox::compute(Crypto::Real, &theirs, ours.disco());
        (seal(ours.disco(), &shared, [7; NONCE_LEN], message), opener)
    }

    /// Cites WG-CMM-2: 124, 110, 98 and 116 bytes on the wire (facts d1).
    #[test]
    fn every_message_has_its_length_and_comes_back_whole() {
        let transaction = TransactionId([3; 12]);
        let messages = [
            (Message::Ping { transaction, node: Some(NodeKey([9; 32])) }, 124),
            (Message::Pong { transaction, seen_from: None }, 110),
            (Message::CallMeMaybe { endpoints: endpoints(1) }, 98),
            (Message::CallMeMaybe { endpoints: endpoints(2) }, 116),
            (Message::CallMeMaybe { endpoints: endpoints(8) }, 224),
        ];
        for (message, length) in messages {
            let (packet, opener) = sealed(&message);
            assert_eq!(packet.len(), length, "{message:?}");
            let envelope = Envelope::parse(&packet).expect("a whole packet");
            assert_eq!(open(&envelope, &opener), Ok(message));
        }
    }

    /// Facts d1: the pong's address is IPv4-mapped, its port big-endian.
    #[test]
    fn a_pong_names_where_the_ping_came_from() {
        let seen_from = Some(SocketAddrV4::new(Ipv4Addr::new(203, 0, 113, 9), 0x1234));
        let plain = Message::Pong { transaction: TransactionId([0; 12]), seen_from }.write();
        assert_eq!(
            plain[14..],
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 203, 0, 113, 9, 0x12, 0x34]
        );
    }

    /// Cites WG-CMM-2: IPv6 and port 0 are left out, the ninth entry is not read.
    #[test]
    fn endpoints_that_cannot_be_pinged_are_left_out() {
        let mut body = [0; ENTRY_LEN * 10];
        for (i, entry) in body.chunks_exact_mut(ENTRY_LEN).enumerate() {
            let host = u8::try_from(i).expect("ten entries");
            entry.copy_from_slice(&write_endpoint(SocketAddrV4::new([10, 0, 0, host].into(), 7)));
        }
        body[0] = 0xfe; // the first is now IPv6
        body[ENTRY_LEN + 17] = 0; // the second has no port
        let read = read_endpoints(&body);
        let hosts: Vec<u8, 8> = read.iter().map(|endpoint| endpoint.ip().octets()[3]).collect();
        assert_eq!(hosts, [2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn short_and_unknown_plaintexts_are_named() {
        assert_eq!(Message::parse(&[1]), Err(Unreadable::TooShort));
        assert_eq!(Message::parse(&[1, 0, 1, 2, 3]), Err(Unreadable::TooShort));
        assert_eq!(Message::parse(&[9, 0, 1]), Err(Unreadable::UnknownType(9)));
        let ping = Message::parse(&[1, 0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 8, 8]);
        assert_eq!(ping, Ok(Message::Ping { transaction: TransactionId([5; 12]), node: None }));
    }
}
