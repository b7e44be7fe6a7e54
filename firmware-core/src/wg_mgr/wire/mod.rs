//! Packet layouts: what a datagram is, and the DISCO and tunnel packets it may hold.
//!
//! ```text
//!   datagram ─► classify ─┬─ STUN     len >= 20, first byte 0 or 1, second 1
//!                         ├─ DISCO    len >= 62, six magic bytes
//!                         ├─ tunnel   len >= 4, whatever it is
//!                         └─ dropped
//! ```
//!
//! The order matters: whatever is not recognised rides in the tunnel queue, before everything else.
mod disco;
mod handshake;
mod tunnel;

pub use disco::{
    CALL_ME_MAYBE_ENTRIES_MAX, Endpoints, Envelope, HEADER_LEN, MAGIC, Message, OPEN_MAX,
    Plaintext, SEALED_MIN, SealedPacket, TransactionId, Unreadable, frame, open, seal,
};
pub use handshake::{
    COOKIE_LEN, Ephemeral, INITIATION_LEN, Initiation, InitiationView, RESPONSE_LEN, Response,
    ResponseView, SessionKey, StaticSecret, Timestamp, renew_mac1,
};
pub use tunnel::{DATA_HEADER_LEN, DATA_MIN, DataSeal, TunnelPacket, data_payload, open_data};

/// What the receive tasks take a datagram for. One rule for both of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PacketClass {
    /// A STUN response, for the control plane.
    Stun,
    /// A DISCO packet.
    Disco,
    /// Anything else: it goes to the tunnel's queue.
    Tunnel,
    /// Too short to be anything.
    Dropped,
}

/// Sorts a datagram into its class. A frame from a relay is never STUN: one that looks like it goes
/// to the tunnel's queue.
pub fn classify(bytes: &[u8], from_relay: bool) -> PacketClass {
    match bytes {
        [0 | 1, 1, ..] if bytes.len() >= 20 && !from_relay => PacketClass::Stun,
        _ if bytes.len() >= HEADER_LEN && bytes.starts_with(&MAGIC) => PacketClass::Disco,
        _ if bytes.len() >= 4 => PacketClass::Tunnel,
        _ => PacketClass::Dropped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-Q1.
    #[test]
    fn classes_are_told_apart_by_length_and_first_bytes() {
        let stun = [0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(classify(&stun, false), PacketClass::Stun);
        assert_eq!(classify(&stun, true), PacketClass::Tunnel);
        assert_eq!(classify(&stun[..19], false), PacketClass::Tunnel);
        assert_eq!(classify(&stun[..3], false), PacketClass::Dropped);
        let mut disco = [0; HEADER_LEN];
        disco[..6].copy_from_slice(&MAGIC);
        assert_eq!(classify(&disco, false), PacketClass::Disco);
        assert_eq!(classify(&disco[..HEADER_LEN - 1], true), PacketClass::Tunnel);
    }

    /// Case 03, cites WG-Q1: the published load generator's datagrams are no DISCO.
    #[test]
    fn the_storm_tools_magic_is_not_disco() {
        let mut datagram = [0; 102];
        datagram[..6].copy_from_slice(&[0x54, 0x53, 0x9a, 0x8b, 0xc4, 0xd5]);
        assert_eq!(classify(&datagram, false), PacketClass::Tunnel);
        assert_eq!(TunnelPacket::parse(&datagram), TunnelPacket::Malformed);
    }
}
