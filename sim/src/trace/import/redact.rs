//! Addresses and keys become numbers, the same number for the same address, in the order in which
//! they are met.
//!
//! ```text
//!   192.168.4.7  ─► unlisted 0        a peer of the mapping ─► its id
//!   192.168.4.9  ─► unlisted 1
//!   192.168.4.7  ─► unlisted 0        nothing of the address is left to be guessed back
//! ```
//!
//! A number by a digest could be undone by trying all four billion addresses; a number by order
//! cannot. Texts that are shown, such as unknown lines, have their addresses and keys covered.
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;

use super::event::PeerRef;

/// Different addresses and keys that are told apart; later ones share the last number.
const TOLD_APART: usize = 65_536;
/// So many hexadecimal or base64 characters in a row are a key.
const KEY_LEAST: usize = 32;

/// What stands for a peer in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Identity {
    /// Its address.
    Address(IpAddr),
    /// Its public key, or any other word that stands for it.
    Key(Box<[u8]>),
}

/// The numbers given so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Redactor {
    known: BTreeMap<Identity, PeerRef>,
    unlisted: u32,
}

impl Redactor {
    /// A peer of a list keeps its id.
    pub(super) fn list(&mut self, identity: Identity, id: u32) {
        self.known.insert(identity, PeerRef::Listed(id));
    }

    /// The number of an address or key.
    pub(super) fn number(&mut self, identity: Identity) -> PeerRef {
        if let Some(&peer) = self.known.get(&identity) {
            return peer;
        }
        let peer = PeerRef::Unlisted(self.unlisted);
        if self.known.len() < TOLD_APART {
            self.known.insert(identity, peer);
            self.unlisted += 1;
        }
        peer
    }
}

/// A text without addresses and keys: each is covered by what it was.
pub(super) fn covered(text: &str) -> Cow<'_, str> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=.:".contains(&byte);
    let bytes = text.as_bytes();
    let mut out = String::new();
    let (mut done, mut at) = (0, 0);
    while at < bytes.len() {
        if !is_part(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if let Some(cover) = cover(&text[at..at + length]) {
            out.push_str(&text[done..at]);
            out.push_str(cover);
            done = at + length;
        }
        at += length;
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// What covers a word; `None` when it may be shown.
fn cover(word: &str) -> Option<&'static str> {
    let trimmed = word.trim_end_matches([':', '.']);
    let host = trimmed.rsplit_once(':').map_or(trimmed, |(host, _)| host);
    if trimmed.parse::<IpAddr>().is_ok() || host.parse::<IpAddr>().is_ok() || is_mac(trimmed) {
        return Some("[address]");
    }
    let is_key = trimmed.len() >= KEY_LEAST
        && trimmed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=:".contains(&byte));
    is_key.then_some("[key]")
}

/// An address of a network card: six pairs of hexadecimal digits.
fn is_mac(word: &str) -> bool {
    let is_pair = |pair: &str| pair.len() == 2 && pair.bytes().all(|it| it.is_ascii_hexdigit());
    word.split(':').count() == 6 && word.split(':').all(is_pair)
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(last: u8) -> Identity {
        Identity::Address(IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)))
    }

    #[test]
    fn the_same_address_has_the_same_number_and_a_listed_one_its_id() {
        let mut redactor = Redactor::default();
        redactor.list(address(9), 7);
        assert_eq!(redactor.number(address(1)), PeerRef::Unlisted(0));
        assert_eq!(redactor.number(address(2)), PeerRef::Unlisted(1));
        assert_eq!(redactor.number(address(9)), PeerRef::Listed(7));
        assert_eq!(redactor.number(address(1)), PeerRef::Unlisted(0));
    }

    #[test]
    fn a_flood_of_addresses_does_not_fill_the_memory() {
        let mut redactor = Redactor::default();
        for number in 0..70_000_u32 {
            redactor.number(Identity::Address(IpAddr::V4(Ipv4Addr::from(number))));
        }
        assert_eq!(redactor.known.len(), TOLD_APART);
        assert_eq!(redactor.number(address(200)), PeerRef::Unlisted(65_536));
    }

    #[test]
    fn addresses_and_keys_are_covered_and_the_rest_is_not() {
        let line = "peer 192.0.2.7:51820 key 8f3a8f3a8f3a8f3a8f3a8f3a8f3a8f3a8f3a8f3a, rx 96.";
        assert_eq!(covered(line), "peer [address] key [key], rx 96.");
        assert_eq!(covered("from 2001:db8::1: closed"), "from [address] closed");
        assert_eq!(covered("bssid 7c:df:a1:00:1a:2b, rssi -65"), "bssid [address], rssi -65");
        assert_eq!(covered("at 12:34:56 I (1000) wg: rx 96"), "at 12:34:56 I (1000) wg: rx 96");
    }
}
