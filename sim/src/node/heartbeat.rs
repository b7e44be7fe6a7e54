//! The protective stop's packets to the device: data of one session, one counter after the other,
//! and a second copy through the relay where the peer sends on both paths.
use firmware_core::time::{Duration, Instant};

use crate::arrivals::Train;
use crate::random::Streams;
use crate::scenario::Heartbeats;

/// Bytes of a data packet that carries a 40-byte message of the stop protocol.
const LEN: usize = 112;

/// A stream of heartbeats that is being worked off.
#[derive(Clone, Debug)]
pub struct HeartbeatSource {
    train: Train,
    counter: u64,
    /// How much later the second copy comes.
    pub copy_after: Option<Duration>,
}

impl HeartbeatSource {
    /// The stream from its beginning.
    pub fn new(heartbeats: &Heartbeats, streams: Streams) -> Self {
        let chance = streams.of(&heartbeats.name, "arrivals");
        let train = Train::new(heartbeats.arrivals.clone(), chance);
        Self { train, counter: 0, copy_after: heartbeats.copy_after }
    }

    /// When the next arrives, and its counter.
    pub fn next_beat(&mut self) -> Option<(Instant, u64)> {
        let at = self.train.next()?;
        self.counter += 1;
        Some((at, self.counter - 1))
    }
}

/// The packet with this counter. The session's index tells streams apart; 0 is never given to one.
pub fn bytes(stream: u16, counter: u64) -> [u8; LEN] {
    let mut packet = [0; LEN];
    packet[0] = 4;
    packet[4..8].copy_from_slice(&(u32::from(stream) + 1).to_le_bytes());
    packet[8..16].copy_from_slice(&counter.to_le_bytes());
    packet
}
