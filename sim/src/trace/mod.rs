//! What happened, as data: every record feeds the digest, the first and last are kept for people.
//!
//! ```text
//!   World ──Record──► Trace ─┬─► digest: 128 bits over all of them, in order
//!                            └─► excerpt: the first and the last, rendered at the end
//! ```
//!
//! A record is encoded as four little-endian words, so the digest is the same on every host, in
//! debug and release. Nothing that depends on keys or ciphertext is in a record: runs with real and
//! with modelled boxes give the same digest.
pub mod export;
pub mod import;
mod render;

use std::collections::VecDeque;
use std::hash::Hasher;

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::output::{MessageKind, Note, PathLoss, Queue};
use firmware_core::wg_mgr::wire::TunnelPacket;
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::packet::{FrameKind, Source};
use crate::report::TraceExcerpt;

/// Records kept from the beginning, and as many from the end.
pub const EXCERPT: usize = 16;

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// When.
    pub at: Instant,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A packet entered a queue of the manager, which then held `waiting`.
    Queued {
        /// The queue.
        queue: Queue,
        /// Who sent it.
        source: Source,
        /// Packets in the queue with it.
        waiting: u16,
    },
    /// A packet was dropped.
    Dropped {
        /// Who sent it.
        source: Source,
        /// Where.
        place: Place,
    },
    /// The manager took an input.
    Input(InputKind),
    /// The manager's step cost something.
    Charge {
        /// What.
        key: CostKey,
        /// How long.
        span: Duration,
    },
    /// The manager reported something.
    Note(Note),
    /// The manager sent a DISCO packet.
    Sent {
        /// What.
        kind: MessageKind,
        /// To which slot.
        peer: u16,
        /// Direct copies.
        direct: u8,
        /// Whether a copy went through the relay.
        relay: bool,
    },
    /// The manager sent a tunnel packet.
    Transmit {
        /// What.
        kind: FrameKind,
        /// To which slot.
        peer: u16,
        /// Whether directly.
        direct: bool,
        /// Whether it, or a copy, went through the relay.
        relay: bool,
    },
    /// The manager handed a packet to the tunnel.
    ToTunnel(TunnelPacket),
    /// The manager wrote the peer cache.
    WriteStore {
        /// How many bytes.
        bytes: u32,
    },
    /// The manager sleeps.
    Sleep {
        /// Until when.
        until: Instant,
        /// Why it wakes then.
        why: WakeReason,
    },
    /// The control plane gave up on an update: the queue stayed full.
    UpdateDropped,
    /// The watchdog reset the device.
    WatchdogReset,
}

/// Where a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// On its way, by a fault.
    Air,
    /// The socket's mailbox was full.
    Mailbox,
    /// No memory for it, by a fault.
    Memory,
    /// A queue of the manager was full.
    Queue(Queue),
    /// The receive task takes it for nothing that the manager handles.
    Classifier,
}

/// The kinds of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// It was woken.
    Wake,
    /// A packet.
    Packet(Source),
    /// A peer update.
    Update,
    /// An empty queue.
    Empty,
    /// News from another task.
    Control,
}

/// The digest and the excerpt of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    digest: SipHasher13,
    records: u64,
    first: Vec<Record>,
    last: VecDeque<Record>,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            digest: SipHasher13::new_with_keys(0x7072_6566, 0x6c61_7368),
            records: 0,
            first: Vec::with_capacity(EXCERPT),
            last: VecDeque::with_capacity(EXCERPT + 1),
        }
    }
}

impl Trace {
    /// Takes down what happened.
    pub fn record(&mut self, at: Instant, what: What) {
        let record = Record { at, what };
        let mut bytes = [0; 32];
        for (chunk, word) in bytes.chunks_exact_mut(8).zip(record.words()) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        self.digest.write(&bytes);
        self.records += 1;
        if self.first.len() < EXCERPT {
            self.first.push(record);
            return;
        }
        if self.last.len() == EXCERPT {
            self.last.pop_front();
        }
        self.last.push_back(record);
    }

    /// 128 bits over every record so far.
    pub fn digest(&self) -> u128 {
        self.digest.finish128().as_u128()
    }

    /// The first and last records as text.
    pub fn excerpt(&self) -> TraceExcerpt {
        let shown = self.first.len() + self.last.len();
        TraceExcerpt {
            first: self.first.iter().map(ToString::to_string).collect(),
            omitted: self.records - u64::try_from(shown).unwrap_or(u64::MAX),
            last: self.last.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Record {
    /// The record as four words: time, kind, and two that depend on the kind.
    fn words(&self) -> [u64; 4] {
        let [kind, first, second] = match self.what {
            What::Queued { queue, source, waiting } => {
                let [origin, number] = source_words(source);
                [1 | queue_word(queue) << 8 | u64::from(waiting) << 16, origin, number]
            }
            What::Dropped { source, place } => {
                let [origin, number] = source_words(source);
                [2 | place_word(place) << 8, origin, number]
            }
            What::Input(input) => match input {
                InputKind::Wake => [3, 0, 0],
                InputKind::Packet(source) => {
                    let [origin, number] = source_words(source);
                    [3 | 1 << 8, origin, number]
                }
                InputKind::Update => [3 | 2 << 8, 0, 0],
                InputKind::Empty => [3 | 3 << 8, 0, 0],
                InputKind::Control => [3 | 4 << 8, 0, 0],
            },
            What::Charge { key, span } => [4, key as u64, span.as_nanos()],
            What::Note(note) => note_words(note),
            What::Sent { kind, peer, direct, relay } => {
                [6, kind as u64 | u64::from(peer) << 8, u64::from(direct) << 1 | u64::from(relay)]
            }
            What::ToTunnel(packet) => tunnel_words(packet),
            What::WriteStore { bytes } => [8, bytes.into(), 0],
            What::Sleep { until, why } => [9, until.as_nanos(), why as u64],
            What::UpdateDropped => [10, 0, 0],
            What::WatchdogReset => [11, 0, 0],
            What::Transmit { kind, peer, direct, relay } => {
                let ways = u64::from(direct) << 1 | u64::from(relay);
                [12, kind as u64 | u64::from(peer) << 8, ways]
            }
        };
        [self.at.as_nanos(), kind, first, second]
    }
}

fn queue_word(queue: Queue) -> u64 {
    match queue {
        Queue::Tunnel => 0,
        Queue::Disco => 1,
        Queue::Updates => 2,
    }
}

fn place_word(place: Place) -> u64 {
    match place {
        Place::Air => 0,
        Place::Mailbox => 1,
        Place::Memory => 2,
        Place::Classifier => 3,
        Place::Queue(queue) => 4 + queue_word(queue),
    }
}

fn source_words(source: Source) -> [u64; 2] {
    match source {
        Source::Flood { flood, index } => [1 | u64::from(flood) << 8, index],
        Source::Heartbeat { stream, counter, copy } => {
            [2 | u64::from(stream) << 8 | u64::from(copy) << 24, counter]
        }
        Source::Peer { peer, kind } => [3 | u64::from(peer) << 8, kind as u64],
        Source::Tunnel { peer, kind } => [4 | u64::from(peer) << 8, kind as u64],
    }
}

fn note_words(note: Note) -> [u64; 3] {
    let [variant, first, second] = match note {
        Note::Opened { known, genuine } => [1, known.into(), genuine.into()],
        Note::Refused(refusal) => [2, refusal as u64, 0],
        Note::Rescued(peer) => [3, peer.0.into(), 0],
        Note::Matched { peer, round_trip, direct } => {
            [4, u64::from(peer.0) << 1 | u64::from(direct), round_trip.as_nanos()]
        }
        Note::PathUp(peer) => [5, peer.0.into(), 0],
        Note::PathDown { peer, why } => [6, peer.0.into(), matches!(why, PathLoss::Silent).into()],
        Note::PingSkipped(peer) => [7, peer.0.into(), 0],
        Note::PingUntracked(peer) => [8, peer.0.into(), 0],
        Note::HeartbeatDue(peer) => [9, peer.0.into(), 0],
        Note::UpgradeDue(peer) => [10, peer.0.into(), 0],
        Note::Added { peer, tunnel, evicted } => {
            [11, peer.0.into(), u64::from(tunnel) << 1 | u64::from(evicted)]
        }
        Note::Refreshed(peer) => [12, peer.0.into(), 0],
        Note::Removed(peer) => [13, peer.0.into(), 0],
        Note::Stopped => [14, 0, 0],
        Note::Initiated { peer, why } => [15, peer.0.into(), why as u64],
        Note::SessionUp { peer, initiator } => [16, peer.0.into(), initiator.into()],
        Note::SessionDown(peer) => [17, peer.0.into(), 0],
        Note::ActiveCleared(peer) => [18, peer.0.into(), 0],
        Note::InitiationsGivenUp(peer) => [19, peer.0.into(), 0],
        Note::Roamed(peer) => [20, peer.0.into(), 0],
        Note::PathKept(peer) => [21, peer.0.into(), 0],
        Note::BackedOff { peer, span } => [22, peer.0.into(), span.as_nanos()],
        Note::RelayPoolFull => [23, 0, 0],
    };
    [5 | variant << 8, first, second]
}

fn tunnel_words(packet: TunnelPacket) -> [u64; 3] {
    match packet {
        TunnelPacket::Initiation => [7, 0, 0],
        TunnelPacket::Response => [7 | 1 << 8, 0, 0],
        TunnelPacket::Cookie => [7 | 2 << 8, 0, 0],
        TunnelPacket::Data { receiver, counter } => [7 | 3 << 8, receiver.into(), counter],
        TunnelPacket::Malformed => [7 | 4 << 8, 0, 0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_sees_order_time_and_every_field() {
        let digest = |records: &[(u64, What)]| {
            let mut trace = Trace::default();
            for (nanos, what) in records {
                trace.record(Instant::from_nanos(*nanos), *what);
            }
            trace.digest()
        };
        let wake = What::Input(InputKind::Wake);
        let write = What::WriteStore { bytes: 96 };
        let all = [
            digest(&[(1, wake), (1, write)]),
            digest(&[(1, write), (1, wake)]),
            digest(&[(1, wake), (2, write)]),
            digest(&[(1, wake), (1, What::WriteStore { bytes: 97 })]),
            digest(&[(1, wake)]),
        ];
        let distinct: std::collections::BTreeSet<_> = all.into_iter().collect();
        assert_eq!(distinct.len(), all.len());
    }

    #[test]
    fn an_excerpt_keeps_both_ends_and_counts_what_lies_between() {
        let mut trace = Trace::default();
        for number in 0..100 {
            trace.record(Instant::from_millis(number), What::UpdateDropped);
        }
        let excerpt = trace.excerpt();
        assert_eq!((excerpt.first.len(), excerpt.last.len()), (EXCERPT, EXCERPT));
        assert_eq!(excerpt.omitted, 100 - 2 * EXCERPT as u64);
        assert!(excerpt.first[0].contains("0.000ms") && excerpt.last[15].contains("99.000ms"));
    }
}
