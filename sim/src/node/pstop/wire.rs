//! The protective stop's message: 40 bytes, little-endian, a CRC-16 over the first 38.
//!
//! ```text
//!   0 version │ 1 kind │ 2 stamp ms u64 │ 10 received stamp u64 │ 18 sender u32 │ 22 receiver u32
//!   26 heartbeat time-out ms u32 │ 30 counter u32 │ 34 received counter u32 │ 38 CRC u16
//! ```
//!
//! Source: facts d5. The version is written as 1 and not looked at, as in the firmware.
use crc::{Algorithm, Crc, Table};
use thiserror::Error;

/// Bytes of a message.
pub const LEN: usize = 40;
/// Bytes that the CRC covers.
const COVERED: usize = 38;
/// The version that is written.
const VERSION: u8 = 1;

/// Most significant bit first, nothing reflected, nothing inverted.
const ALGORITHM: Algorithm<u16> = Algorithm {
    width: 16,
    poly: 0x8D95,
    init: 0xFFFF,
    refin: false,
    refout: false,
    xorout: 0,
    check: 0x21F7,
    residue: 0,
};
const CRC: Crc<u16, Table<1>> = Crc::<u16, Table<1>>::new(&ALGORITHM);

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Both loops are closed.
    Ok,
    /// A loop is open.
    Stop,
    /// A remote wants to be heard, or is acknowledged.
    Bond,
    /// A remote takes its leave.
    Unbond,
    /// Anything else, the firmware's own "unknown" (0x0F) included.
    Other(u8),
}

impl Kind {
    /// Its byte. Any two of the four differ in at least five bits.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Ok => 0x55,
            Self::Stop => 0x92,
            Self::Bond => 0xAD,
            Self::Unbond => 0x6A,
            Self::Other(byte) => byte,
        }
    }

    /// What a byte says.
    pub const fn from_byte(byte: u8) -> Self {
        match byte {
            0x55 => Self::Ok,
            0x92 => Self::Stop,
            0xAD => Self::Bond,
            0x6A => Self::Unbond,
            other => Self::Other(other),
        }
    }
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// What it says.
    pub kind: Kind,
    /// The sender's clock, in milliseconds.
    pub stamp: u64,
    /// The last stamp that the sender received; 0 in the first message.
    pub received_stamp: u64,
    /// The sender's id.
    pub sender: u32,
    /// The receiver's id.
    pub receiver: u32,
    /// From a machine: its heartbeat time in milliseconds; 0 changes nothing.
    pub heartbeat_ms: u32,
    /// The sender's counter.
    pub counter: u32,
    /// The last counter that the sender received; 0 in the first message.
    pub received_counter: u32,
}

/// Why bytes are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoMessage {
    /// A message has 40 bytes.
    #[error("a message has {LEN} bytes, this has {0}")]
    Length(usize),
    /// The CRC does not fit the bytes.
    #[error("the CRC says {written:04x}, the bytes say {computed:04x}")]
    Crc {
        /// What the message says.
        written: u16,
        /// What its bytes say.
        computed: u16,
    },
}

/// The CRC of the stop protocol.
pub fn crc(bytes: &[u8]) -> u16 {
    CRC.checksum(bytes)
}

impl Message {
    /// The bytes on the wire.
    pub fn write(&self) -> [u8; LEN] {
        let mut bytes = [0; LEN];
        bytes[0] = VERSION;
        bytes[1] = self.kind.byte();
        bytes[2..10].copy_from_slice(&self.stamp.to_le_bytes());
        bytes[10..18].copy_from_slice(&self.received_stamp.to_le_bytes());
        let words =
            [self.sender, self.receiver, self.heartbeat_ms, self.counter, self.received_counter];
        for (place, word) in bytes[18..COVERED].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let sum = crc(&bytes[..COVERED]);
        bytes[COVERED..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads a message.
    ///
    /// # Errors
    /// [`NoMessage`] when the length or the CRC is wrong. Every kind is read; whether it is
    /// accepted is the receiver's decision.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoMessage> {
        let bytes: &[u8; LEN] = bytes.try_into().map_err(|_| NoMessage::Length(bytes.len()))?;
        let written = u16::from_le_bytes([bytes[38], bytes[39]]);
        let computed = crc(&bytes[..COVERED]);
        if written != computed {
            return Err(NoMessage::Crc { written, computed });
        }
        let long = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Ok(Self {
            kind: Kind::from_byte(bytes[1]),
            stamp: long(2),
            received_stamp: long(10),
            sender: word(18),
            receiver: word(22),
            heartbeat_ms: word(26),
            counter: word(30),
            received_counter: word(34),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(hexadecimal: &str) -> Vec<u8> {
        let digits = hexadecimal.as_bytes().chunks(2);
        let byte =
            |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair)?, 16).map_err(Into::into);
        let bytes: Result<Vec<u8>, Box<dyn std::error::Error>> = digits.map(byte).collect();
        bytes.expect("the test's own digits")
    }

    /// Cites facts d5.
    #[test]
    fn the_check_values_of_the_crc_come_out() {
        assert_eq!(crc(b"123456789"), 0x21F7);
        assert_eq!(crc(&[0; 38]), 0x7CDF);
    }

    /// Cites facts d5.
    #[test]
    fn a_bond_and_an_ok_have_the_published_bytes() {
        let bond = Message {
            kind: Kind::Bond,
            stamp: 1000,
            received_stamp: 0,
            sender: 0x01D7_F344,
            receiver: 0x0102_0304,
            heartbeat_ms: 1000,
            counter: 1,
            received_counter: 0,
        };
        let published = "01ade803000000000000000000000000000044f3d70104030201e8030000\
                         0100000000000000687b";
        assert_eq!(bond.write().to_vec(), bytes_of(published));
        let ok = Message {
            kind: Kind::Ok,
            stamp: 1100,
            received_stamp: 2000,
            counter: 2,
            received_counter: 1,
            ..bond
        };
        let published = "01554c04000000000000d00700000000000044f3d70104030201e8030000\
                         020000000100000024d4";
        assert_eq!(ok.write().to_vec(), bytes_of(published));
        assert_eq!(Message::parse(&bytes_of(published)), Ok(ok));
    }

    /// Cites facts d5: OK and STOP, and any pair of the four, are five bits apart.
    #[test]
    fn any_two_of_the_four_kinds_are_five_bits_apart() {
        let kinds = [Kind::Ok, Kind::Stop, Kind::Bond, Kind::Unbond];
        for (place, one) in kinds.iter().enumerate() {
            for other in &kinds[..place] {
                assert!((one.byte() ^ other.byte()).count_ones() >= 5, "{one:?} {other:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            match Message::parse(&bytes) {
                Ok(message) => prop_assert_eq!(&message.write()[1..COVERED], &bytes[1..COVERED]),
                Err(NoMessage::Length(found)) => prop_assert_eq!(found, bytes.len()),
                Err(NoMessage::Crc { written, computed }) => prop_assert_ne!(written, computed),
            }
        }

        /// One wrong bit is always seen.
        #[test]
        fn a_flipped_bit_is_no_message(
            kind: u8, stamp: u64, words: [u32; 5], at in 0..LEN * 8,
        ) {
            let [sender, receiver, heartbeat_ms, counter, received_counter] = words;
            let kind = Kind::from_byte(kind);
            let message = Message {
                kind, stamp, received_stamp: !stamp, sender, receiver, heartbeat_ms, counter,
                received_counter,
            };
            let mut bytes = message.write();
            prop_assert_eq!(Message::parse(&bytes), Ok(message));
            bytes[at / 8] ^= 1 << (at % 8);
            prop_assert!(Message::parse(&bytes).is_err());
        }
    }
}
