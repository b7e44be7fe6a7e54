//! Pending pings: which transaction id belongs to which peer, and for how long.
//!
//! ```text
//!   ping sent ─► first free place ─► pong with its id ─► freed, credited
//!                     │                └ older than 5 s at the 1 Hz sweep ─► freed
//!                     └ none: the ping goes out untracked, its pong counts for nothing
//! ```
//!
//! A second table remembers the last eight ids that were matched; it only serves to call a late
//! second pong a duplicate instead of unmatched.
//!
//! Clauses: WG-PROBE-1, WG-PROBE-2.
use heapless::Vec;

use super::peers::PeerIndex;
use super::rules::Rule;
use super::wire::TransactionId;
use crate::time::{Duration, Instant};

/// Matched ids remembered (WG-PROBE-2).
const CONSUMED: usize = 8;

/// One pending ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Probe {
    /// Its id, to come back in the pong.
    pub transaction: TransactionId,
    /// When it was sent.
    pub sent: Instant,
    /// The slot it was sent to.
    pub peer: PeerIndex,
    /// The slot's owner at that time.
    pub generation: u32,
}

/// A table of at most `PROBES` pending pings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProbeTable<const PROBES: usize> {
    places: Vec<Option<Probe>, PROBES>,
    /// Oldest first.
    consumed: Vec<TransactionId, CONSUMED>,
}

impl<const PROBES: usize> ProbeTable<PROBES> {
    /// An empty table of `limit` places, at most `PROBES`.
    pub fn new(limit: u16) -> Self {
        let places = core::iter::repeat_n(None, PROBES.min(limit.into())).collect();
        Self { places, consumed: Vec::new() }
    }

    /// Tracks a ping; `false` when no place is free, and the ping then goes out untracked.
    pub fn track(&mut self, probe: Probe) -> bool {
        match self.places.iter_mut().find(|place| place.is_none()) {
            Some(place) => {
                *place = Some(probe);
                true
            }
            None => false,
        }
    }

    /// Takes the pending ping with this id, and remembers the id as matched.
    pub fn take(&mut self, transaction: TransactionId) -> Option<Probe> {
        let found = |place: &&mut Option<Probe>| {
            place.is_some_and(|probe| probe.transaction == transaction)
        };
        let probe = self.places.iter_mut().find(found)?.take()?;
        if self.consumed.is_full() {
            self.consumed.remove(0);
        }
        self.consumed.push(transaction).expect("room was just made");
        Some(probe)
    }

    /// Whether a ping with this id was matched a short while ago.
    pub fn was_consumed(&self, transaction: TransactionId) -> bool {
        self.consumed.contains(&transaction)
    }

    /// Whether a ping of this slot sent less than `span` ago is pending (WG-PING-1).
    pub fn recent(&self, peer: PeerIndex, now: Instant, span: Duration) -> bool {
        self.pending().any(|probe| probe.peer == peer && now.since(probe.sent) < span)
    }

    /// Frees every place whose ping is older than `lifetime`. `clock` says how an age is computed:
    /// the defect of PF-15 takes a ping sent after `now` for ages old.
    pub fn sweep(&mut self, now: Instant, lifetime: Duration, clock: Rule) {
        let age = |probe: Probe| match clock {
            Rule::Strict => now.since(probe.sent),
            Rule::Compat => now.wrapping_since(probe.sent),
        };
        for place in &mut self.places {
            if place.is_some_and(|probe| age(probe) > lifetime) {
                *place = None;
            }
        }
    }

    /// The pending pings.
    pub fn pending(&self) -> impl Iterator<Item = &Probe> {
        self.places.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_millis(5_000);

    fn probe(id: u8, sent_ms: u64) -> Probe {
        Probe {
            transaction: TransactionId([id; 12]),
            sent: Instant::from_millis(sent_ms),
            peer: PeerIndex(id.into()),
            generation: 1,
        }
    }

    /// Cites WG-PROBE-1: nothing is evicted.
    #[test]
    fn a_full_table_tracks_no_further_ping() {
        let mut table = ProbeTable::<4>::new(2);
        assert!(table.track(probe(1, 0)) && table.track(probe(2, 0)) && !table.track(probe(3, 0)));
        assert!(table.take(TransactionId([3; 12])).is_none());
        assert!(table.take(TransactionId([1; 12])).is_some());
        assert!(table.track(probe(3, 0)));
    }

    /// Cites WG-PROBE-2 (M1): the ring of matched ids only names duplicates, it suppresses no match.
    #[test]
    fn an_id_that_is_pending_again_is_matched_again() {
        let mut table = ProbeTable::<4>::new(4);
        for sent_ms in [0, 100] {
            assert!(table.track(probe(1, sent_ms)));
            assert_eq!(table.take(TransactionId([1; 12])), Some(probe(1, sent_ms)));
            assert!(table.was_consumed(TransactionId([1; 12])));
        }
    }

    /// Cites WG-PROBE-1: older than 5000 ms, so 5000 ms exactly still counts.
    #[test]
    fn a_ping_lives_up_to_and_including_five_seconds() {
        let mut table = ProbeTable::<4>::new(4);
        table.track(probe(1, 100));
        table.sweep(Instant::from_millis(5_100), LIFETIME, Rule::Strict);
        assert_eq!(table.pending().count(), 1);
        table.sweep(Instant::from_millis(5_101), LIFETIME, Rule::Strict);
        assert_eq!(table.pending().count(), 0);
    }

    /// Cites WG-PROBE-1, PF-15.
    #[test]
    fn with_a_stale_clock_a_ping_sent_this_tick_dies_at_once() {
        let mut table = ProbeTable::<4>::new(4);
        table.track(probe(1, 1_028));
        table.sweep(Instant::from_millis(1_000), LIFETIME, Rule::Strict);
        assert_eq!(table.pending().count(), 1);
        table.sweep(Instant::from_millis(1_000), LIFETIME, Rule::Compat);
        assert_eq!(table.pending().count(), 0);
    }

    /// Cites WG-PROBE-2.
    #[test]
    fn only_the_last_eight_matched_ids_are_remembered() {
        let mut table = ProbeTable::<16>::new(16);
        for id in 1..=9 {
            table.track(probe(id, 0));
            assert!(table.take(TransactionId([id; 12])).is_some());
        }
        assert!(!table.was_consumed(TransactionId([1; 12])));
        assert!((2..=9).all(|id| table.was_consumed(TransactionId([id; 12]))));
    }
}
