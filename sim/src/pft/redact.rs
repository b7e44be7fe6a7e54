//! Pseudonyms: who and where somebody is, replaced so that a replay notices nothing.
//!
//! ```text
//!   address   the first private one becomes 10.0.0.1, the next 10.0.0.2, … ; a tailnet address
//!             stays one (100.64/10), any other becomes one of the range kept for benchmarks
//!             (198.18/15) or, when that is used up, of the reserved 240/4
//!   key       a keyed hash of it; keys of low order, the zero key among them, stay
//!   name      six letters of a keyed hash
//!   payload   a packet keeps its header: types, indices, counters, and its length
//!   text      addresses and keys in it, by the same rules
//! ```
//!
//! Equal stays equal, and what the core looks at stays as it is: private or not, zero or not, of
//! low order or not, and every port. Addresses are numbered in the order of their first appearance,
//! which takes 40 bytes for each different one; keys need no memory. The salt is not in the trace.
use std::collections::BTreeMap;
use std::hash::Hasher;
use std::net::Ipv4Addr;

use firmware_core::wg_mgr::keys::{DiscoKey, KEY_LEN};
use firmware_core::wg_mgr::peers::HostName;
use firmware_core::wg_mgr::wire::{HEADER_LEN, MAGIC};
use siphasher::sip128::{Hasher128, SipHasher13};

/// Letters of a pseudonymous name.
const LETTERS: &[u8; 16] = b"bcdfghjklmnpqrst";
/// A tunnel packet's header: type, index and counter.
const TUNNEL_HEADER: usize = 16;

/// Replaces keys and addresses, the same always by the same.
#[derive(Clone, Debug)]
pub struct Redactor {
    salt: u128,
    keeps: bool,
    addresses: BTreeMap<Ipv4Addr, Ipv4Addr>,
    used: [u32; 3],
}

/// What an address is to the core, and to a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Private = 0,
    Tailnet = 1,
    Public = 2,
}

impl Redactor {
    /// Pseudonyms under this salt, which whoever reads the trace should not know.
    pub const fn new(salt: u128) -> Self {
        Self { salt, keeps: false, addresses: BTreeMap::new(), used: [0; 3] }
    }

    /// Replaces nothing.
    pub const fn off() -> Self {
        Self { salt: 0, keeps: true, addresses: BTreeMap::new(), used: [0; 3] }
    }

    /// Whether it replaces anything.
    pub const fn is_on(&self) -> bool {
        !self.keeps
    }

    /// What stands for an address.
    pub fn address(&mut self, address: Ipv4Addr) -> Ipv4Addr {
        if self.keeps || address.is_unspecified() || address.is_loopback() || address.is_broadcast()
        {
            return address;
        }
        if let Some(known) = self.addresses.get(&address) {
            return *known;
        }
        let class = class(address);
        self.used[class as usize] += 1;
        let number = self.used[class as usize];
        let pseudonym = match class {
            Class::Private => within(Ipv4Addr::new(10, 0, 0, 0), 1 << 24, number),
            Class::Tailnet => within(Ipv4Addr::new(100, 64, 0, 0), 1 << 22, number),
            Class::Public if number < 1 << 17 => {
                within(Ipv4Addr::new(198, 18, 0, 0), 1 << 17, number)
            }
            Class::Public => within(Ipv4Addr::new(240, 0, 0, 0), (1 << 28) - 1, number),
        };
        self.addresses.insert(address, pseudonym);
        pseudonym
    }

    /// What stands for a public key.
    pub fn key(&self, key: [u8; KEY_LEN]) -> [u8; KEY_LEN] {
        if self.keeps || DiscoKey(key).is_low_order() {
            return key;
        }
        let mut out = [0; KEY_LEN];
        for (turn, half) in out.chunks_exact_mut(16).enumerate() {
            half.copy_from_slice(&self.hash(turn as u64, &key).to_le_bytes());
        }
        out
    }

    /// What stands for a name; no name stays no name.
    pub fn name(&self, name: HostName) -> HostName {
        if self.keeps || name == HostName::default() {
            return name;
        }
        let hash = self.hash(2, name.as_bytes()).to_le_bytes();
        HostName::from_bytes(&hash.map(|byte| LETTERS[usize::from(byte & 15)])[..HostName::LEN])
    }

    /// Leaves of a packet what the core looks at before any cryptography.
    pub fn packet(&self, bytes: &mut [u8]) {
        if self.keeps {
            return;
        }
        let mut kept = TUNNEL_HEADER.min(bytes.len());
        if bytes.starts_with(&MAGIC) && bytes.len() >= HEADER_LEN {
            let end = MAGIC.len() + KEY_LEN;
            if let Some(key) = bytes[MAGIC.len()..].first_chunk().copied() {
                bytes[MAGIC.len()..end].copy_from_slice(&self.key(key));
            }
            kept = end;
        }
        bytes[kept..].fill(0);
    }

    /// A text with its addresses and keys replaced.
    pub fn text(&mut self, text: &str) -> String {
        if self.keeps {
            return text.to_owned();
        }
        let is_part =
            |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '+' | '/' | '=');
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let plain = rest.find(is_part).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            rest = &rest[plain..];
            let word = rest.find(|sign| !is_part(sign)).unwrap_or(rest.len());
            out.push_str(&self.word(&rest[..word]));
            rest = &rest[word..];
        }
        out
    }

    fn word(&mut self, word: &str) -> String {
        let bare = word.trim_end_matches('.');
        if let Ok(address) = bare.parse::<Ipv4Addr>() {
            return format!("{}{}", self.address(address), &word[bare.len()..]);
        }
        let is_hex = bare.len() == 64 && bare.bytes().all(|sign| sign.is_ascii_hexdigit());
        let is_base64 = bare.len() == 44 && bare.ends_with('=');
        if is_hex || is_base64 {
            return format!(
                "key-{:016x}{}",
                self.hash(3, bare.as_bytes()) >> 64,
                &word[bare.len()..]
            );
        }
        word.to_owned()
    }

    fn hash(&self, purpose: u64, bytes: &[u8]) -> u128 {
        let [low, high] = [self.salt & u128::from(u64::MAX), self.salt >> 64]
            .map(|half| u64::try_from(half).expect("a half of 128 bits"));
        let mut hasher = SipHasher13::new_with_keys(low ^ purpose, high);
        hasher.write(bytes);
        hasher.finish128().as_u128()
    }
}

fn class(address: Ipv4Addr) -> Class {
    match address.octets() {
        [100, 64..=127, ..] => Class::Tailnet,
        _ if address.is_private() => Class::Private,
        _ => Class::Public,
    }
}

fn within(first: Ipv4Addr, size: u32, number: u32) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(first) + number % size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_stays_equal_different_stays_different_and_classes_stay(
            one: [u8; 4], other: [u8; 4], salt: u128,
        ) {
            let mut redactor = Redactor::new(salt);
            let (one, other) = (Ipv4Addr::from(one), Ipv4Addr::from(other));
            let (a, b) = (redactor.address(one), redactor.address(other));
            prop_assert_eq!(redactor.address(one), a);
            prop_assert_eq!(one == other, a == b);
            prop_assert_eq!(one.is_private(), a.is_private());
            prop_assert_eq!(one.is_unspecified(), a.is_unspecified());
        }

        #[test]
        fn keys_keep_their_equality_and_their_order_of_smallness(
            one: [u8; 32], other: [u8; 32], salt: u128,
        ) {
            let redactor = Redactor::new(salt);
            prop_assert_eq!(one == other, redactor.key(one) == redactor.key(other));
            prop_assert_eq!(
                DiscoKey(one).is_low_order(),
                DiscoKey(redactor.key(one)).is_low_order()
            );
        }
    }

    #[test]
    fn a_text_loses_its_addresses_and_keys_and_nothing_else() {
        let mut redactor = Redactor::new(7);
        let key = "a1".repeat(32);
        let text = format!("peer 192.168.1.7:41641 says {key}, then 192.168.1.7. 12.5 ms");
        let redacted = redactor.text(&text);
        assert!(redacted.starts_with("peer 10.0.0.1:41641 says key-"), "{redacted}");
        assert!(redacted.ends_with(", then 10.0.0.1. 12.5 ms"), "{redacted}");
        assert!(!redacted.contains(&key));
        assert_eq!(Redactor::off().text(&text), text);
    }

    #[test]
    fn a_packet_keeps_its_header_and_its_length() {
        let mut data = [9_u8; 112];
        data[0] = 4;
        Redactor::new(1).packet(&mut data);
        assert!(data[..16].iter().skip(1).all(|byte| *byte == 9));
        assert!(data[16..].iter().all(|byte| *byte == 0));
        let mut disco = [3_u8; 124];
        disco[..6].copy_from_slice(&MAGIC);
        Redactor::new(1).packet(&mut disco);
        assert_eq!(disco[..6], MAGIC);
        assert_ne!(disco[6..38], [3; 32]);
        assert!(disco[38..].iter().all(|byte| *byte == 0));
    }
}
