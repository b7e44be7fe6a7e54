//! WireGuard's handshake messages: their real sizes and places, their cryptography replaced by
//! checksums that give the same verdicts.
//!
//! ```text
//!   1 initiation  148   0 type 4 | 4 sender 4 | 8 ephemeral 32 | 40 static 32 + tag 16
//!                       | 88 timestamp 12 + tag 16 | 116 mac1 16 | 132 mac2 16
//!   2 response     92   0 type 4 | 4 sender 4 | 8 receiver 4 | 12 ephemeral 32
//!                       | 44 empty 0 + tag 16 | 60 mac1 16 | 76 mac2 16
//! ```
//!
//! # What stands for what
//!
//! The sender's static key and its timestamp stand in the clear where their ciphertexts stand on
//! the wire. Each tag is a checksum over everything before it, keyed as the real one is:
//!
//! | field | keyed by | so it can be made by |
//! |---|---|---|
//! | mac1 | the receiver's public key | whoever knows whom it writes to |
//! | static's tag | the receiver's public key and the ephemeral | the same |
//! | timestamp's tag | the static secret of both ends | the holder of either private key |
//! | response's tag | that secret and both ephemerals | who also received the initiation |
//!
//! So a message by a stranger, a replayed one and one under the wrong key fail at the same check,
//! after the same number of X25519 operations, as in the protocol; and any bytes have a verdict.
//! Nothing is hidden from a reader. mac2 is zero: this firmware sends no cookies (WG-HS-4).
//!
//! Clauses: WG-HS-4 (the order of its checks).
use super::super::boxes::checksum;
use super::super::config::Crypto;
use super::super::keys::{DiscoKey, Identity, KEY_LEN, NodeKey};
use crate::time::Instant;

/// Length of an initiation.
pub const INITIATION_LEN: usize = 148;
/// Length of a response.
pub const RESPONSE_LEN: usize = 92;
/// Length of a cookie reply.
pub const COOKIE_LEN: usize = 64;

const TAG: usize = 16;
const NO_NONCE: [u8; 24] = [0; 24];

/// The static Diffie-Hellman result of two nodes: what entering a peer computes once.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct StaticSecret([u8; KEY_LEN]);

impl core::fmt::Debug for StaticSecret {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(out, "StaticSecret(…)")
    }
}

impl StaticSecret {
    /// The secret of `identity` and `peer`, the same from either side; `None` for a key of low
    /// order. With [`Crypto::Real`] this is a real X25519.
    pub fn compute(crypto: Crypto, identity: &Identity, peer: NodeKey) -> Option<Self> {
        match crypto {
            Crypto::Real => identity.tunnel_shared(peer).map(Self),
            Crypto::Modelled if DiscoKey(peer.0).is_low_order() => None,
            Crypto::Modelled => {
                let own = identity.node();
                Some(Self(core::array::from_fn(|i| own.0[i] ^ peer.0[i])))
            }
        }
    }
}

/// A half of a handshake's fresh key pair.
pub type Ephemeral = [u8; KEY_LEN];

/// A TAI64N label: seconds and nanoseconds, big-endian, so that byte order is time order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub [u8; 12]);

impl Timestamp {
    /// The label for a clock that shows `clock`: 2^62 + 10 and whole seconds, then the milliseconds
    /// of the second, in thousandths of what the field is meant to hold, as the firmware writes it.
    pub fn at(clock: Instant) -> Self {
        let millis = clock.as_millis();
        let seconds = 0x4000_0000_0000_000a_u64 + millis / 1_000;
        let rest = u32::try_from(millis % 1_000 * 1_000).unwrap_or(u32::MAX);
        let mut label = [0; 12];
        label[..8].copy_from_slice(&seconds.to_be_bytes());
        label[8..].copy_from_slice(&rest.to_be_bytes());
        Self(label)
    }
}

/// The first message of a handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Initiation {
    /// The session index that the initiator gives itself.
    pub sender: u32,
    /// The initiator's fresh key.
    pub ephemeral: Ephemeral,
    /// Who the initiator is.
    pub initiator: NodeKey,
    /// Must be greater than any before from this initiator.
    pub timestamp: Timestamp,
}

impl Initiation {
    /// The message to `to`, with whom `secret` is shared.
    pub fn encode(&self, to: NodeKey, secret: &StaticSecret) -> [u8; INITIATION_LEN] {
        let mut bytes = [0; INITIATION_LEN];
        bytes[0] = 1;
        bytes[4..8].copy_from_slice(&self.sender.to_le_bytes());
        bytes[8..40].copy_from_slice(&self.ephemeral);
        bytes[40..72].copy_from_slice(&self.initiator.0);
        seal(&mut bytes, 72, &to.0);
        bytes[88..100].copy_from_slice(&self.timestamp.0);
        seal(&mut bytes, 100, &secret.0);
        seal(&mut bytes, 116, &to.0);
        bytes
    }
}

/// Writes an initiation's mac1 anew: whoever knows `to` can, over whatever stands before it.
pub fn renew_mac1(bytes: &mut [u8; INITIATION_LEN], to: NodeKey) {
    seal(bytes, 116, &to.0);
}

/// The answer to an initiation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response {
    /// The session index that the responder gives itself.
    pub sender: u32,
    /// The initiator's session index.
    pub receiver: u32,
    /// The responder's fresh key.
    pub ephemeral: Ephemeral,
}

impl Response {
    /// The message to `to`, with whom `secret` is shared and whose initiation carried `theirs`.
    pub fn encode(
        &self,
        to: NodeKey,
        secret: &StaticSecret,
        theirs: &Ephemeral,
    ) -> [u8; RESPONSE_LEN] {
        let mut bytes = [0; RESPONSE_LEN];
        bytes[0] = 2;
        bytes[4..8].copy_from_slice(&self.sender.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.receiver.to_le_bytes());
        bytes[12..44].copy_from_slice(&self.ephemeral);
        seal(&mut bytes, 44, &mixed(secret, theirs));
        seal(&mut bytes, 60, &to.0);
        bytes
    }
}

/// A received initiation: its fields, each behind the check that the protocol has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InitiationView<'a>(&'a [u8; INITIATION_LEN]);

impl<'a> InitiationView<'a> {
    /// A message of the right type and length.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.try_into().ok()?;
        let view = Self(bytes);
        bytes.starts_with(&[1, 0, 0, 0]).then_some(view)
    }

    /// Whether its sender knew that it writes to `receiver`; costs no X25519.
    pub fn mac1_holds(&self, receiver: NodeKey) -> bool {
        holds(self.0, 116, &receiver.0)
    }

    /// Who it says to be from, if its static field opens for `receiver`; the first X25519.
    pub fn initiator(&self, receiver: NodeKey) -> Option<NodeKey> {
        holds(self.0, 72, &receiver.0).then(|| NodeKey(part(&self.0[40..72])))
    }

    /// The message, if its sender shares `secret` with the receiver.
    pub fn open(&self, secret: &StaticSecret) -> Option<Initiation> {
        holds(self.0, 100, &secret.0).then(|| Initiation {
            sender: word(&self.0[4..8]),
            ephemeral: part(&self.0[8..40]),
            initiator: NodeKey(part(&self.0[40..72])),
            timestamp: Timestamp(part(&self.0[88..100])),
        })
    }
}

/// A received response: its fields, each behind the check that the protocol has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseView<'a>(&'a [u8; RESPONSE_LEN]);

impl<'a> ResponseView<'a> {
    /// A message of the right type and length.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let bytes = bytes.try_into().ok()?;
        let view = Self(bytes);
        bytes.starts_with(&[2, 0, 0, 0]).then_some(view)
    }

    /// Whether its sender knew that it writes to `receiver`; costs no X25519.
    pub fn mac1_holds(&self, receiver: NodeKey) -> bool {
        holds(self.0, 60, &receiver.0)
    }

    /// The session index that it is for.
    pub fn receiver(&self) -> u32 {
        word(&self.0[8..12])
    }

    /// The message, if its sender shares `secret` with us and received our initiation with
    /// `ours`; two X25519.
    pub fn open(&self, secret: &StaticSecret, ours: &Ephemeral) -> Option<Response> {
        holds(self.0, 44, &mixed(secret, ours)).then(|| Response {
            sender: word(&self.0[4..8]),
            receiver: self.receiver(),
            ephemeral: part(&self.0[12..44]),
        })
    }
}

/// The two keys of a session, one for each direction, as one value.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionKey([u8; KEY_LEN]);

impl core::fmt::Debug for SessionKey {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(out, "SessionKey(…)")
    }
}

impl SessionKey {
    /// The key that both ends of a completed handshake have.
    pub fn derive(secret: &StaticSecret, initiator: &Ephemeral, responder: &Ephemeral) -> Self {
        let key = mixed(secret, initiator);
        let mut derived = [0; KEY_LEN];
        let (first, second) = derived.split_at_mut(TAG);
        first.copy_from_slice(&checksum(&key, &[1; 24], responder));
        second.copy_from_slice(&checksum(&key, &[2; 24], responder));
        Self(derived)
    }

    /// The tag of a data packet: over its direction, index, counter and payload.
    pub(super) fn tag(
        &self,
        from_initiator: bool,
        receiver: u32,
        counter: u64,
        text: &[u8],
    ) -> [u8; TAG] {
        let mut nonce = NO_NONCE;
        nonce[0] = u8::from(from_initiator);
        nonce[4..8].copy_from_slice(&receiver.to_le_bytes());
        nonce[8..16].copy_from_slice(&counter.to_le_bytes());
        checksum(&self.0, &nonce, text)
    }
}

/// The static secret and an initiator's fresh key as one key.
fn mixed(secret: &StaticSecret, ephemeral: &Ephemeral) -> [u8; KEY_LEN] {
    core::array::from_fn(|i| secret.0[i] ^ ephemeral[i].rotate_left(3))
}

/// Writes the tag over everything before `at` to `at`.
fn seal(bytes: &mut [u8], at: usize, key: &[u8; KEY_LEN]) {
    let tag = checksum(key, &NO_NONCE, &bytes[..at]);
    bytes[at..at + TAG].copy_from_slice(&tag);
}

/// Whether the tag at `at` is the one over everything before it.
fn holds(bytes: &[u8], at: usize, key: &[u8; KEY_LEN]) -> bool {
    bytes[at..at + TAG] == checksum(key, &NO_NONCE, &bytes[..at])
}

fn word(bytes: &[u8]) -> u32 {
    u32::from_le_bytes(part(bytes))
}

fn part<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("fields are read at their constant places and lengths")
}
