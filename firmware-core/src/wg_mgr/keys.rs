//! Public keys, the device's own identity, and the stream that its nonces come from.
use core::fmt;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use x25519_dalek::{PublicKey, StaticSecret};

/// Length of a public key in bytes.
pub const KEY_LEN: usize = 32;

macro_rules! public_key {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub [u8; KEY_LEN]);

        impl fmt::Debug for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [a, b, c, d, ..] = self.0;
                write!(out, "{a:02x}{b:02x}{c:02x}{d:02x}…")
            }
        }
    };
}

public_key! {
    /// A node's WireGuard public key: who a peer is.
    NodeKey
}
public_key! {
    /// A node's DISCO public key; it changes whenever the peer's client restarts.
    DiscoKey
}

/// The u-coordinates of Curve25519 whose Diffie-Hellman result does not depend on our secret.
const LOW_ORDER: [[u8; KEY_LEN]; 7] = [
    small(0),
    small(1),
    [
        0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f, 0xc4,
        0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49,
        0xb8, 0x00,
    ],
    [
        0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef,
        0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f,
        0x11, 0x57,
    ],
    near_prime(0xec),
    near_prime(0xed),
    near_prime(0xee),
];

const fn small(value: u8) -> [u8; KEY_LEN] {
    let mut bytes = [0; KEY_LEN];
    bytes[0] = value;
    bytes
}

/// The field's prime ends in `ed`; this is it, or its neighbour, in little-endian order.
const fn near_prime(first: u8) -> [u8; KEY_LEN] {
    let mut bytes = [0xff; KEY_LEN];
    bytes[0] = first;
    bytes[KEY_LEN - 1] = 0x7f;
    bytes
}

impl DiscoKey {
    /// Whether boxes from this key can be made by anyone, because the Diffie-Hellman result is the
    /// same for every secret (WG-DISCO-2, defect PF-95).
    pub fn is_low_order(&self) -> bool {
        let mut masked = self.0;
        masked[KEY_LEN - 1] &= 0x7f;
        LOW_ORDER.contains(&masked)
    }
}

/// The device's two key pairs.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    node_secret: [u8; KEY_LEN],
    disco_secret: [u8; KEY_LEN],
    node: NodeKey,
    disco: DiscoKey,
}

impl fmt::Debug for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Identity {{ node: {:?}, disco: {:?} }}", self.node, self.disco)
    }
}

impl Identity {
    /// The identity with these two secrets, each 32 random bytes.
    pub fn from_secrets(node_secret: [u8; KEY_LEN], disco_secret: [u8; KEY_LEN]) -> Self {
        let public = |secret| PublicKey::from(&StaticSecret::from(secret)).to_bytes();
        Self {
            node_secret,
            disco_secret,
            node: NodeKey(public(node_secret)),
            disco: DiscoKey(public(disco_secret)),
        }
    }

    /// This identity with the DISCO key pair of `other`, as after a restart of the client.
    #[must_use]
    pub fn with_disco_of(&self, other: &Self) -> Self {
        Self { disco_secret: other.disco_secret, disco: other.disco, ..self.clone() }
    }

    /// The public key of the tunnel.
    pub fn node(&self) -> NodeKey {
        self.node
    }

    /// The public key of DISCO.
    pub fn disco(&self) -> DiscoKey {
        self.disco
    }

    /// The Diffie-Hellman that a DISCO box is derived from.
    pub(crate) fn disco_shared(&self, peer: DiscoKey) -> [u8; KEY_LEN] {
        StaticSecret::from(self.disco_secret).diffie_hellman(&PublicKey::from(peer.0)).to_bytes()
    }

    /// The static Diffie-Hellman that entering a peer into the tunnel's table costs. `None` for a
    /// key of low order.
    pub fn tunnel_shared(&self, peer: NodeKey) -> Option<[u8; KEY_LEN]> {
        let shared = StaticSecret::from(self.node_secret).diffie_hellman(&PublicKey::from(peer.0));
        shared.was_contributory().then(|| shared.to_bytes())
    }
}

/// Randomness as a value: one keyed stream and how much of it is used. The caller gives the key, so
/// the core draws from nowhere; two managers with equal state go on equally.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entropy {
    key: [u8; 32],
    draws: u64,
}

/// 32-bit words that one draw may use: two cipher blocks' worth, so that draws never overlap.
const WORDS_PER_DRAW: u128 = 16;

impl Entropy {
    /// A stream under `key`: 32 bytes that no other device shares.
    pub fn new(key: [u8; 32]) -> Self {
        Self { key, draws: 0 }
    }

    /// The next `N` bytes, at most 64.
    pub fn draw<const N: usize>(&mut self) -> [u8; N] {
        const { assert!(N <= 64, "one draw is at most one cipher block") };
        let mut stream = ChaCha8Rng::from_seed(self.key);
        stream.set_word_pos(u128::from(self.draws) * WORDS_PER_DRAW);
        self.draws = self.draws.wrapping_add(1);
        let mut bytes = [0; N];
        stream.fill_bytes(&mut bytes);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-DISCO-2 (PF-95): the library that does the arithmetic agrees with the list.
    #[test]
    fn every_listed_low_order_key_gives_a_result_that_ignores_our_secret() {
        let secret = StaticSecret::from([7; 32]);
        for bytes in LOW_ORDER {
            let shared = secret.diffie_hellman(&PublicKey::from(bytes));
            assert!(!shared.was_contributory(), "{bytes:02x?}");
            assert!(DiscoKey(bytes).is_low_order());
        }
        assert!(!Identity::from_secrets([1; 32], [2; 32]).disco().is_low_order());
    }

    #[test]
    fn draws_never_repeat_and_equal_states_go_on_equally() {
        let mut first = Entropy::new([9; 32]);
        let mut second = first.clone();
        let (a, b): ([u8; 24], [u8; 24]) = (first.draw(), first.draw());
        assert_ne!(a, b);
        assert_eq!((a, b), (second.draw(), second.draw()));
    }

    /// RFC 7748, section 5.2: the first iteration, where secret and point are both 9.
    #[test]
    fn diffie_hellman_gives_the_published_vector() {
        let identity = Identity::from_secrets(small(9), [1; 32]);
        let shared = identity.tunnel_shared(NodeKey(small(9))).expect("9 is the base point");
        let published = "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079";
        for (byte, pair) in shared.iter().zip(published.as_bytes().chunks(2)) {
            let pair = core::str::from_utf8(pair).expect("ascii");
            assert_eq!(*byte, u8::from_str_radix(pair, 16).expect("hex digits"));
        }
    }
}
