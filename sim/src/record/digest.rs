//! 128 bits over everything that a core was stepped with and gave: equal for a run and its replay,
//! with or without pseudonyms.
use std::hash::Hasher;

use firmware_core::time::Instant;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::pft::Event;

/// The digest of a core's steps so far.
#[derive(Clone, Debug)]
pub struct CoreDigest {
    hasher: SipHasher13,
    steps: u64,
    bytes: Vec<u8>,
}

impl Default for CoreDigest {
    fn default() -> Self {
        let hasher = SipHasher13::new_with_keys(0x7072_6566, 0x7374_6570);
        Self { hasher, steps: 0, bytes: Vec::new() }
    }
}

impl CoreDigest {
    /// Takes down one step: when, with which kind of input, and every output. Of a packet that is
    /// sent, how many go directly counts and not where to; of one that is delivered, from which slot.
    pub fn step(&mut self, now: Instant, input: &Event, outputs: &[Event]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(&now.as_nanos().to_le_bytes());
        self.bytes.extend_from_slice(&input.number().to_le_bytes());
        for output in outputs {
            self.bytes.extend_from_slice(&output.number().to_le_bytes());
            match output {
                Event::OutSend { message, peer, direct, relay, .. } => {
                    self.bytes.push(*message as u8);
                    self.bytes.extend_from_slice(&peer.0.to_le_bytes());
                    self.bytes.extend_from_slice(&(direct.len() as u64).to_le_bytes());
                    self.bytes.push(u8::from(*relay));
                }
                Event::OutTransmit { message, peer, direct, relay, queue, counter, .. } => {
                    self.bytes.extend_from_slice(&[
                        *message as u8,
                        u8::from(direct.is_some()),
                        u8::from(*relay),
                        *queue as u8,
                    ]);
                    self.bytes.extend_from_slice(&peer.0.to_le_bytes());
                    self.bytes.extend_from_slice(&counter.to_le_bytes());
                }
                Event::OutDeliver { peer, length, .. } => {
                    self.bytes.extend_from_slice(&peer.0.to_le_bytes());
                    self.bytes.extend_from_slice(&length.to_le_bytes());
                }
                other => other.put(&mut self.bytes),
            }
        }
        self.steps += 1;
        self.hasher.write(&self.bytes);
    }

    /// The digest.
    pub fn value(&self) -> u128 {
        self.hasher.finish128().as_u128()
    }

    /// How many steps are in it.
    pub const fn steps(&self) -> u64 {
        self.steps
    }
}
