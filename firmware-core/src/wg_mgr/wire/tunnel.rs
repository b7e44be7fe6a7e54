//! WireGuard packets as far as the manager looks at them before any cryptography: little-endian
//! words, a type byte followed by three zero bytes, and exact lengths.
//!
//! ```text
//!   1 initiation  148   2 response  92   3 cookie  64
//!   4 data  >= 32:  type 4, receiver 4, counter 8, ciphertext and tag
//! ```

/// The shortest data packet: a keepalive.
pub const DATA_MIN: usize = 32;
const INITIATION_LEN: usize = 148;
const RESPONSE_LEN: usize = 92;
const COOKIE_LEN: usize = 64;

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
