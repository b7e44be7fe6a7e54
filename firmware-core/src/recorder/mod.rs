//! A recorder that fits a chip: what the manager is stepped with, in slots of 16 bytes, at most
//! 8 KiB of them; its dump becomes a trace that the simulator replays.
//!
//! ```text
//!   step(now, input) ─► outputs ─► Recorder ─► ring of slots ─► drain(bytes) ─► UART, RTT, flash
//!                                     └ full: the new step or the oldest is dropped and counted
//!
//!   slot:  kind u8 · detail u8 · time since the slot before u32, ns · 10 bytes
//!   a step: its input in one slot or more (kind MORE), then one slot for all of its outputs:
//!           the charge and 32 bits over the rest
//!   dump:  "PFRD" · version u8 · slot length u8 · 0 u16 · slots u32 · dropped u32 · slots · CRC-32
//! ```
//!
//! The recorder never stores a key: keys become 32-bit pseudonyms under a salt, equal for equal
//! keys. What is in a box it learns from the key cache, at the price of the symmetric part; where
//! the cache does not hold the key (a firmware without a cache, [`cache_admission`] corrected), it
//! says that nobody knows. Two different keys share a pseudonym with a chance of 2^-32 a pair.
//!
//! The driver calls [`Recorder::step`] after each step, with what it stepped the core with. All
//! numbers of a dump are little-endian.
//!
//! [`cache_admission`]: crate::wg_mgr::rules::Rules::cache_admission
mod content;
mod fingerprint;
mod pings;
mod slot;

pub use self::fingerprint::fingerprint;
pub use self::slot::{SLOT_LEN, Slot, kind};

use heapless::Vec;

use self::content::Event;
use self::pings::Pings;
use crate::time::Instant;
use crate::wg_mgr::WgMgr;
use crate::wg_mgr::input::Input;
use crate::wg_mgr::output::Outputs;
use crate::wg_mgr::peers::PeerRecord;

/// The most slots that a recorder has: 8 KiB.
pub const SLOTS_MOST: usize = 512;
/// Bytes before the slots of a dump.
pub const DUMP_HEADER: usize = 16;
/// Bytes behind them.
pub const DUMP_CHECK: usize = 4;
/// The first bytes of a dump.
pub const DUMP_MAGIC: [u8; 4] = *b"PFRD";
/// The version of the dump's layout.
pub const DUMP_VERSION: u8 = 1;

/// What happens when the ring is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keep {
    /// New steps are dropped until the ring is drained: what is there replays from switching on.
    First,
    /// The oldest steps are dropped: what is there are the last moments, which do not replay but
    /// can be read.
    Last,
}

/// The recorder: room for `SLOTS` slots, at most [`SLOTS_MOST`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recorder<const SLOTS: usize> {
    slots: [Slot; SLOTS],
    start: usize,
    length: usize,
    keep: Keep,
    salt: u64,
    /// The time that the next slot counts from; none before the first and after a gap.
    last: Option<Instant>,
    /// Steps dropped since the last gap was written.
    unsaid: u32,
    /// Steps dropped since the beginning.
    lost: u32,
    pings: Pings,
}

impl<const SLOTS: usize> Recorder<SLOTS> {
    /// An empty recorder. Keys become pseudonyms under `salt`, which should be random and stay on
    /// the device.
    pub const fn new(keep: Keep, salt: u64) -> Self {
        const { assert!(SLOTS <= SLOTS_MOST && SLOTS >= 64, "64 to 512 slots") };
        Self {
            slots: [Slot::EMPTY; SLOTS],
            start: 0,
            length: 0,
            keep,
            salt,
            last: None,
            unsaid: 0,
            lost: 0,
            pings: Pings::new(),
        }
    }

    /// What was in flash when the device was switched on: one peer of its cache, oldest use first.
    /// To be called before the first step.
    pub fn preload(&mut self, peer: &PeerRecord) {
        let mut event = Event::new(self.salt);
        event.peer(kind::PRELOAD, peer);
        self.put(Instant::ZERO, &event.slots);
    }

    /// The core was stepped with `input` and gave `outputs`; it is as it is after the step.
    pub fn step<const PEERS: usize, const KEYS: usize, const PROBES: usize>(
        &mut self,
        now: Instant,
        input: &Input<'_>,
        outputs: &Outputs,
        core: &WgMgr<PEERS, KEYS, PROBES>,
    ) {
        let mut event = Event::new(self.salt);
        event.input(input, outputs, core, &self.pings);
        event.outputs(outputs);
        self.pings.sent(now, outputs, core.probes());
        self.put(now, &event.slots);
    }

    /// Steps that were dropped so far.
    pub const fn dropped(&self) -> u32 {
        self.lost
    }

    /// Slots that are in use.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// Whether nothing is recorded that has not been drained.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many bytes a dump of what is there now takes.
    pub const fn dump_len(&self) -> usize {
        DUMP_HEADER + self.length * SLOT_LEN + DUMP_CHECK
    }

    /// Writes everything that is there as a dump, and empties the ring; the dump's length. `None`
    /// when `into` is shorter than [`Recorder::dump_len`]; nothing is lost then.
    pub fn drain(&mut self, into: &mut [u8]) -> Option<usize> {
        let length = self.dump_len();
        let out = into.get_mut(..length)?;
        let (header, rest) = out.split_at_mut(DUMP_HEADER);
        let (slots, check) = rest.split_at_mut(self.length * SLOT_LEN);
        header[..4].copy_from_slice(&DUMP_MAGIC);
        header[4..8].copy_from_slice(&[DUMP_VERSION, 16, 0, 0]);
        header[8..12].copy_from_slice(&u32::try_from(self.length).unwrap_or(0).to_le_bytes());
        header[12..].copy_from_slice(&self.lost.to_le_bytes());
        for (place, bytes) in slots.chunks_exact_mut(SLOT_LEN).enumerate() {
            bytes.copy_from_slice(&self.slots[(self.start + place) % SLOTS].bytes());
        }
        let crc = crc32(header.iter().chain(slots.iter()));
        check.copy_from_slice(&crc.to_le_bytes());
        (self.start, self.length) = (0, 0);
        Some(length)
    }

    /// Puts the slots of one step into the ring, or drops something.
    fn put(&mut self, now: Instant, slots: &[Slot]) {
        // A gap and a time may come before them.
        let needed = slots.len() + 2;
        match self.keep {
            Keep::First if self.length + needed > SLOTS => return self.drop_one(),
            Keep::First => {}
            Keep::Last => {
                while self.length + needed > SLOTS {
                    self.evict();
                }
            }
        }
        if self.unsaid > 0 {
            let lost = core::mem::take(&mut self.unsaid);
            self.push(Slot::gap(lost));
            self.last = None;
        }
        let since = self.last.map(|last| now.since(last).as_nanos());
        let delta = since.and_then(|since| u32::try_from(since).ok());
        if delta.is_none() {
            self.push(Slot::time(now));
        }
        let delta = delta.unwrap_or(0);
        for (place, slot) in slots.iter().enumerate() {
            self.push(if place == 0 { slot.after(delta) } else { *slot });
        }
        self.last = Some(now);
    }

    fn drop_one(&mut self) {
        self.unsaid = self.unsaid.saturating_add(1);
        self.lost = self.lost.saturating_add(1);
    }

    /// Drops the oldest step; the time of what follows is written anew.
    fn evict(&mut self) {
        let mut at = None;
        let mut is_step = false;
        while self.length > 0 {
            let slot = self.slots[self.start];
            if is_step && slot.begins() {
                break;
            }
            match slot.kind() {
                kind::TIME => at = Some(slot.absolute()),
                kind::GAP => self.unsaid = self.unsaid.saturating_add(slot.number()),
                _ => {
                    is_step |= slot.begins();
                    at = at.map(|at: Instant| slot.from(at));
                }
            }
            self.start = (self.start + 1) % SLOTS;
            self.length -= 1;
        }
        self.drop_one();
        // What is now the oldest slot needs a gap and its time before it; the two places of the
        // slots that were dropped are there for them.
        if let (Some(at), true) = (at, self.length > 0) {
            let next = self.slots[self.start];
            if next.kind() != kind::TIME {
                self.push_front(Slot::time(next.from(at)));
                let first = (self.start + 1) % SLOTS;
                self.slots[first] = self.slots[first].after(0);
            }
        }
        if self.length > 0 {
            let lost = core::mem::take(&mut self.unsaid);
            self.push_front(Slot::gap(lost));
        }
    }

    fn push(&mut self, slot: Slot) {
        debug_assert!(self.length < SLOTS, "room was made");
        self.slots[(self.start + self.length) % SLOTS] = slot;
        self.length = (self.length + 1).min(SLOTS);
    }

    fn push_front(&mut self, slot: Slot) {
        self.start = (self.start + SLOTS - 1) % SLOTS;
        self.slots[self.start] = slot;
        self.length = (self.length + 1).min(SLOTS);
    }
}

/// The slots of one step at most: an allowlist of 64 addresses and its outputs.
type Slots = Vec<Slot, 40>;

/// CRC-32 as Ethernet and zip have it, without a table: dumps are short.
fn crc32<'a>(bytes: impl Iterator<Item = &'a u8>) -> u32 {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0xedb8_8320 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value that every description of this CRC gives.
    #[test]
    fn the_crc_is_that_of_ethernet_and_zip() {
        assert_eq!(crc32(b"123456789".iter()), 0xcbf4_3926);
    }

    #[test]
    fn the_largest_recorder_has_eight_kibibytes_of_slots() {
        assert_eq!(size_of::<Slot>(), 16);
        assert_eq!(SLOTS_MOST * size_of::<Slot>(), 8 * 1_024);
        assert!(size_of::<Recorder<SLOTS_MOST>>() < 8 * 1_024 + 1_024);
    }
}
