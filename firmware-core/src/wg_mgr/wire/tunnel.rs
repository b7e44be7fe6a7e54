//! WireGuard packets: little-endian words, a type byte followed by three zero bytes, and exact
//! lengths for all but data.
//!
//! ```text
//!   1 initiation  148   2 response  92   3 cookie  64
//!   4 data  >= 32:  0 type 4 | 4 receiver 4 | 8 counter 8 | 16 payload, padded to 16 | tag 16
//! ```
//!
//! Data payloads stand in the clear and their tag is a checksum under the session's key for that
//! direction: what is forged, altered, reflected or from another session does not open. How
//! handshakes are abstracted is said in the module of their messages.
use super::handshake::{COOKIE_LEN, INITIATION_LEN, RESPONSE_LEN, SessionKey};

/// Bytes before the payload of a data packet.
pub const DATA_HEADER_LEN: usize = 16;
/// The shortest data packet: a keepalive, which has no payload.
pub const DATA_MIN: usize = DATA_HEADER_LEN + TAG_LEN;
const TAG_LEN: usize = 16;
const PADDING: usize = 16;

/// What a packet from the tunnel's queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TunnelPacket {
    /// A handshake initiation.
    Initiation,
    /// A handshake response.
    Response,
    /// A cookie reply.
    Cookie,
    /// Data of an established session.
    Data {
        /// The session's index at the receiver.
        receiver: u32,
        /// The packet's number in the session.
        counter: u64,
    },
    /// None of these.
    Malformed,
}

impl TunnelPacket {
    /// Recognises a packet by its type and length.
    pub fn parse(bytes: &[u8]) -> Self {
        match (bytes, bytes.len()) {
            ([1, 0, 0, 0, ..], INITIATION_LEN) => Self::Initiation,
            ([2, 0, 0, 0, ..], RESPONSE_LEN) => Self::Response,
            ([3, 0, 0, 0, ..], COOKIE_LEN) => Self::Cookie,
            ([4, 0, 0, 0, r0, r1, r2, r3, c0, c1, c2, c3, c4, c5, c6, c7, ..], DATA_MIN..) => {
                Self::Data {
                    receiver: u32::from_le_bytes([*r0, *r1, *r2, *r3]),
                    counter: u64::from_le_bytes([*c0, *c1, *c2, *c3, *c4, *c5, *c6, *c7]),
                }
            }
            _ => Self::Malformed,
        }
    }
}

/// Everything that turns a payload into a data packet. A core keeps no packets: the payload stays
/// with whoever has it, as the firmware encrypts in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DataSeal {
    /// The session's key.
    pub key: SessionKey,
    /// Whether the sender started the session.
    pub from_initiator: bool,
    /// The session's index at the receiver.
    pub receiver: u32,
    /// The packet's number in the session.
    pub counter: u64,
}

impl DataSeal {
    /// Length of the packet around a payload of `payload` bytes.
    pub const fn packet_len(payload: usize) -> usize {
        DATA_MIN + payload.next_multiple_of(PADDING)
    }

    /// Writes the packet around `payload` to the beginning of `into` and returns its length;
    /// `None` when `into` is too short.
    pub fn write(&self, payload: &[u8], into: &mut [u8]) -> Option<usize> {
        let length = Self::packet_len(payload.len());
        let packet = into.get_mut(..length)?;
        let (text, tag) = packet.split_at_mut(length - TAG_LEN);
        text.fill(0);
        text[0] = 4;
        text[4..8].copy_from_slice(&self.receiver.to_le_bytes());
        text[8..16].copy_from_slice(&self.counter.to_le_bytes());
        text[DATA_HEADER_LEN..][..payload.len()].copy_from_slice(payload);
        let (from_initiator, receiver, counter) =
            (self.from_initiator, self.receiver, self.counter);
        let padded = &text[DATA_HEADER_LEN..];
        tag.copy_from_slice(&self.key.tag(from_initiator, receiver, counter, padded));
        Some(length)
    }

    /// The keepalive: a packet without payload.
    pub fn keepalive(&self) -> [u8; DATA_MIN] {
        let mut packet = [0; DATA_MIN];
        let length = self.write(&[], &mut packet);
        debug_assert_eq!(length, Some(DATA_MIN));
        packet
    }
}

/// The padded payload of a data packet, if it is genuine: from the end of the session that
/// `from_initiator` names, under its key. Empty for a keepalive.
pub fn open_data<'a>(bytes: &'a [u8], key: &SessionKey, from_initiator: bool) -> Option<&'a [u8]> {
    let TunnelPacket::Data { receiver, counter } = TunnelPacket::parse(bytes) else { return None };
    let (text, tag) = data_payload(bytes)?;
    (key.tag(from_initiator, receiver, counter, text) == tag).then_some(text)
}

/// The padded payload of a data packet that the core has delivered, and its tag.
pub fn data_payload(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let sealed = bytes.get(DATA_HEADER_LEN..)?;
    sealed.split_at_checked(sealed.len().checked_sub(TAG_LEN)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_counts_only_with_its_zero_bytes_and_its_exact_length() {
        let mut bytes = [0; 200];
        for (kind, length, packet) in [
            (1, 148, TunnelPacket::Initiation),
            (2, 92, TunnelPacket::Response),
            (3, 64, TunnelPacket::Cookie),
        ] {
            bytes[0] = kind;
            assert_eq!(TunnelPacket::parse(&bytes[..length]), packet);
            assert_eq!(TunnelPacket::parse(&bytes[..=length]), TunnelPacket::Malformed);
            assert_eq!(TunnelPacket::parse(&bytes[..length - 1]), TunnelPacket::Malformed);
        }
    }

    /// Cites WG-DEDUP-1: receiver and counter are what a copy is recognised by.
    #[test]
    fn data_carries_receiver_and_counter_in_little_endian_order() {
        let mut bytes = [0; 112];
        bytes[..16].copy_from_slice(&[4, 0, 0, 0, 1, 2, 0, 0, 5, 0, 0, 0, 0, 0, 0, 1]);
        let data = TunnelPacket::Data { receiver: 0x0201, counter: 0x0100_0000_0000_0005 };
        assert_eq!(TunnelPacket::parse(&bytes), data);
        assert_eq!(TunnelPacket::parse(&bytes[..31]), TunnelPacket::Malformed);
        bytes[3] = 1;
        assert_eq!(TunnelPacket::parse(&bytes), TunnelPacket::Malformed);
    }
}
