//! The control plane's task: it puts peer updates into the manager's queue and waits while that is
//! full, for 100 ms an item; then the item is lost until the next netmap. An update about a pinned
//! peer goes to the queue's front, so that several come out in reverse, and may wait for 2000 ms.
//!
//! ```text
//!   backlog ──► room? ─┬─ bulk: to the back ───► ┌───────────────┐
//!               │      └─ pinned: to the front ─► │ queue, 400 deep│ ──► manager
//!               └ none: wait 100 or 2000 ms, drop └───────────────┘
//! ```
//!
//! How long the task computes per item is not known and not modelled; that it is less urgent than
//! the manager is, since it waits for the manager to take items.
//!
//! Clauses: the producer's half of WG-ADD-1 and CAP-4.
use std::collections::VecDeque;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::PeerUpdate;

/// How long the control plane waits for room.
pub const PATIENCE: Duration = Duration::from_millis(100);
/// How long it waits with an update about a pinned peer.
pub const PINNED_PATIENCE: Duration = Duration::from_millis(2_000);

/// How much an update matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rank {
    /// It goes to the back.
    Bulk,
    /// It is about a pinned peer.
    Pinned,
}

/// The queue of updates, and what waits for a place in it.
#[derive(Clone, Debug)]
pub struct ControlPlane {
    depth: usize,
    queue: VecDeque<PeerUpdate>,
    backlog: VecDeque<(Rank, PeerUpdate)>,
    waiting_since: Option<Instant>,
}

impl ControlPlane {
    /// An empty queue of this depth.
    pub fn new(depth: u16) -> Self {
        Self {
            depth: depth.into(),
            queue: VecDeque::with_capacity(depth.into()),
            backlog: VecDeque::new(),
            waiting_since: None,
        }
    }

    /// Something to tell the manager; it goes in as soon as there is room.
    pub fn tell(&mut self, rank: Rank, update: PeerUpdate, now: Instant) {
        self.backlog.push_back((rank, update));
        self.fill(now);
    }

    /// The manager takes an update.
    pub fn take(&mut self, now: Instant) -> Option<PeerUpdate> {
        let taken = self.queue.pop_front();
        self.fill(now);
        taken
    }

    /// When the present wait is over; `None` while nothing waits.
    pub fn gives_up_at(&self) -> Option<Instant> {
        let patience = match self.backlog.front()? {
            (Rank::Bulk, _) => PATIENCE,
            (Rank::Pinned, _) => PINNED_PATIENCE,
        };
        self.waiting_since.map(|since| since.after(patience))
    }

    /// Gives up on the update that has waited for too long; says whether there was one.
    pub fn give_up(&mut self, now: Instant) -> bool {
        let over = self.gives_up_at().is_some_and(|at| at <= now);
        if over {
            self.backlog.pop_front();
            self.waiting_since = None;
            self.fill(now);
        }
        over
    }

    fn fill(&mut self, now: Instant) {
        while self.queue.len() < self.depth {
            let Some((rank, update)) = self.backlog.pop_front() else { break };
            match rank {
                Rank::Bulk => self.queue.push_back(update),
                Rank::Pinned => self.queue.push_front(update),
            }
            self.waiting_since = None;
        }
        if self.backlog.is_empty() {
            self.waiting_since = None;
        } else {
            self.waiting_since.get_or_insert(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_core::wg_mgr::keys::NodeKey;

    fn removal(number: u8) -> PeerUpdate {
        PeerUpdate::Remove(NodeKey([number; 32]))
    }

    /// Cites CAP-4.
    #[test]
    fn an_update_waits_a_hundred_milliseconds_for_room_and_is_then_lost() {
        let at = Instant::from_millis;
        let mut plane = ControlPlane::new(1);
        (1..=3).for_each(|number| plane.tell(Rank::Bulk, removal(number), at(0)));
        assert_eq!(plane.gives_up_at(), Some(at(100)));
        assert!(!plane.give_up(at(99)) && plane.give_up(at(100)));
        assert_eq!(plane.take(at(150)), Some(removal(1)));
        assert_eq!(plane.take(at(151)), Some(removal(3)));
        assert_eq!((plane.take(at(152)), plane.gives_up_at()), (None, None));
    }

    /// Cites CAP-4.
    #[test]
    fn four_hundred_updates_wait_and_the_next_one_is_lost() {
        let at = Instant::from_millis;
        let mut plane = ControlPlane::new(400);
        (0..400_u16).for_each(|number| {
            plane.tell(Rank::Bulk, removal(number.to_le_bytes()[0]), at(0));
        });
        assert_eq!(plane.gives_up_at(), None);
        plane.tell(Rank::Bulk, removal(255), at(10));
        assert_eq!(plane.gives_up_at(), Some(at(110)));
        assert!(plane.give_up(at(110)));
        let taken = std::iter::from_fn(|| plane.take(at(200)));
        assert_eq!(taken.count(), 400);
    }

    /// Cites CAP-4 and WG-ADD-1.
    #[test]
    fn updates_of_pinned_peers_come_first_in_reverse_and_wait_for_two_seconds() {
        let at = Instant::from_millis;
        let mut plane = ControlPlane::new(3);
        plane.tell(Rank::Bulk, removal(1), at(0));
        (2..=4).for_each(|number| plane.tell(Rank::Pinned, removal(number), at(0)));
        assert_eq!(plane.gives_up_at(), Some(at(2_000)));
        assert!(!plane.give_up(at(1_999)));
        assert_eq!(plane.take(at(1_999)), Some(removal(3)));
        let rest = [4, 2, 1].map(|number| Some(removal(number)));
        assert_eq!([(); 3].map(|()| plane.take(at(1_999))), rest);
    }
}
