//! A bounded queue with its drop rule: what it sheds comes back to the caller.
//!
//! ```text
//!            depth 8, the last 2 reserved
//!   push          ► │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │░░░│░░░│     full for ordinary items
//!   push_reserved ► │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │ 8 │     may go on
//! ```
//!
//! The firmware's receive queues refuse the newest item ([`DropRule::Newest`]: WG-Q1, WG-DISCO-1);
//! its relay send queues evict the oldest one ([`DropRule::Oldest`]). Reserved slots are a what-if:
//! case 05 asks what they would save. An eviction for an ordinary item never takes a reserved one.
use std::collections::VecDeque;

use thiserror::Error;

/// Which item a full queue sheds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropRule {
    /// The one that arrives: it is refused.
    Newest,
    /// The one that waits longest: it is evicted, and the one that arrives is taken.
    Oldest,
}

/// What became of an item, and which one was shed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "an item that was shed is gone unless the caller records it"]
pub enum Pushed<T> {
    /// The item is in the queue and nothing was shed.
    Accepted,
    /// The item is not in the queue: here it is.
    Refused(T),
    /// The item is in the queue, and this one is no longer.
    Evicted(T),
}

/// What has happened to a queue since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct QueueCounts {
    /// Items that were taken into the queue, those that were evicted later included.
    pub accepted: u64,
    /// Items that were refused or evicted.
    pub shed: u64,
    /// The most items that were in the queue at once.
    pub high_water: usize,
}

/// More slots were to be reserved than the queue has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{reserved} slots reserved in a queue of depth {depth}")]
pub struct ReservedExceedDepth {
    /// The slots that were asked for.
    pub reserved: usize,
    /// The depth of the queue.
    pub depth: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Entry<T> {
    item: T,
    reserved: bool,
}

/// A queue of fixed depth. It allocates when it is made and never again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BoundedQueue<T> {
    entries: VecDeque<Entry<T>>,
    depth: usize,
    reserved: usize,
    rule: DropRule,
    counts: QueueCounts,
}

impl<T> BoundedQueue<T> {
    /// An empty queue of this depth; one of depth 0 refuses everything.
    pub fn new(depth: usize, rule: DropRule) -> Self {
        let entries = VecDeque::with_capacity(depth);
        Self { entries, depth, reserved: 0, rule, counts: QueueCounts::default() }
    }

    /// The same queue with its last `reserved` slots kept for [`BoundedQueue::push_reserved`].
    ///
    /// # Errors
    ///
    /// When it has fewer slots than that.
    pub fn reserving(self, reserved: usize) -> Result<Self, ReservedExceedDepth> {
        if reserved > self.depth {
            return Err(ReservedExceedDepth { reserved, depth: self.depth });
        }
        Ok(Self { reserved, ..self })
    }

    /// Puts an ordinary item at the end, if fewer than the unreserved slots are taken.
    pub fn push(&mut self, item: T) -> Pushed<T> {
        self.enter(Entry { item, reserved: false })
    }

    /// Puts an item at the end that may use every slot.
    pub fn push_reserved(&mut self, item: T) -> Pushed<T> {
        self.enter(Entry { item, reserved: true })
    }

    /// Puts an ordinary item before all others, as the firmware does with pinned peers; refuses it
    /// when [`BoundedQueue::push`] would have to shed something, whatever the drop rule.
    pub fn push_front(&mut self, item: T) -> Pushed<T> {
        if self.entries.len() >= self.depth - self.reserved {
            self.counts.shed += 1;
            return Pushed::Refused(item);
        }
        self.entries.push_front(Entry { item, reserved: false });
        self.count_accepted();
        Pushed::Accepted
    }

    /// Takes the first item.
    pub fn pop(&mut self) -> Option<T> {
        self.entries.pop_front().map(|entry| entry.item)
    }

    /// The first item, left where it is.
    pub fn front(&self) -> Option<&T> {
        self.entries.front().map(|entry| &entry.item)
    }

    /// How many items are in the queue.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no item is in the queue.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many items fit, the reserved slots included.
    pub const fn depth(&self) -> usize {
        self.depth
    }

    /// What has happened so far.
    pub const fn counts(&self) -> QueueCounts {
        self.counts
    }

    fn enter(&mut self, entry: Entry<T>) -> Pushed<T> {
        let limit = if entry.reserved { self.depth } else { self.depth - self.reserved };
        let pushed = if self.entries.len() < limit {
            Pushed::Accepted
        } else {
            self.counts.shed += 1;
            match self.evict_for(&entry) {
                Some(evicted) => Pushed::Evicted(evicted.item),
                None => return Pushed::Refused(entry.item),
            }
        };
        self.entries.push_back(entry);
        self.count_accepted();
        pushed
    }

    /// Removes what a full queue sheds for `entry`: the oldest ordinary item; when all are
    /// reserved, the oldest of those gives way to another reserved one only.
    fn evict_for(&mut self, entry: &Entry<T>) -> Option<Entry<T>> {
        if self.rule == DropRule::Newest {
            return None;
        }
        let ordinary = self.entries.iter().position(|waiting| !waiting.reserved);
        let place = ordinary.or(if entry.reserved { Some(0) } else { None })?;
        self.entries.remove(place)
    }

    fn count_accepted(&mut self) {
        self.counts.accepted += 1;
        self.counts.high_water = self.counts.high_water.max(self.entries.len());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(depth: u32, rule: DropRule) -> BoundedQueue<u32> {
        let mut queue = BoundedQueue::new(depth as usize, rule);
        for item in 0..depth {
            assert_eq!(queue.push(item), Pushed::Accepted);
        }
        queue
    }

    fn drained<T>(mut queue: BoundedQueue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    /// Cites WG-DISCO-1 and WG-Q1: the excess is shed at depth 8, the newest first.
    #[test]
    fn a_full_receive_queue_refuses_the_newest_packet() {
        let mut queue = filled(8, DropRule::Newest);
        assert_eq!(queue.push(8), Pushed::Refused(8));
        assert_eq!(queue.front(), Some(&0));
        assert_eq!(queue.counts(), QueueCounts { accepted: 8, shed: 1, high_water: 8 });
        assert_eq!(drained(queue), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Cites WG-DERP-1: a full queue drops its own oldest frame.
    #[test]
    fn a_full_relay_queue_evicts_the_oldest_packet() {
        let mut queue = filled(16, DropRule::Oldest);
        assert_eq!(queue.push(16), Pushed::Evicted(0));
        assert_eq!(queue.counts(), QueueCounts { accepted: 17, shed: 1, high_water: 16 });
        assert_eq!(drained(queue), (1..=16).collect::<Vec<_>>());
    }

    /// Cites case 05: with a reserved slot no pong of the priority peer is shed by the flood.
    #[test]
    fn a_reserved_slot_takes_what_the_flood_cannot_shed() {
        let mut queue = BoundedQueue::new(8, DropRule::Newest).reserving(1).expect("1 of 8");
        let taken = (0..20).filter(|&flood| queue.push(flood) == Pushed::Accepted).count();
        assert_eq!(taken, 7);
        assert_eq!(queue.push_reserved(100), Pushed::Accepted);
        assert_eq!(queue.push_reserved(101), Pushed::Refused(101));
        assert_eq!(drained(queue), [0, 1, 2, 3, 4, 5, 6, 100]);
    }

    #[test]
    fn an_ordinary_item_never_evicts_a_reserved_one() {
        let mut queue = BoundedQueue::new(3, DropRule::Oldest).reserving(2).expect("2 of 3");
        assert_eq!(queue.push_reserved('r'), Pushed::Accepted);
        assert_eq!(queue.push('o'), Pushed::Refused('o'));
        assert_eq!(queue.push_reserved('s'), Pushed::Accepted);
        assert_eq!(queue.push_reserved('t'), Pushed::Accepted);
        assert_eq!(queue.push_reserved('u'), Pushed::Evicted('r'));
        assert_eq!(drained(queue), ['s', 't', 'u']);
    }

    #[test]
    fn an_eviction_takes_the_oldest_ordinary_item_from_between_reserved_ones() {
        let mut queue = BoundedQueue::new(3, DropRule::Oldest).reserving(1).expect("1 of 3");
        assert_eq!(queue.push_reserved('r'), Pushed::Accepted);
        assert_eq!(queue.push('o'), Pushed::Accepted);
        assert_eq!(queue.push('p'), Pushed::Evicted('o'));
        assert_eq!(queue.push_reserved('s'), Pushed::Accepted);
        assert_eq!(queue.push_reserved('t'), Pushed::Evicted('p'));
        assert_eq!(drained(queue), ['r', 's', 't']);
    }

    /// Cites CAP-4.
    #[test]
    fn a_pinned_peer_goes_to_the_front_and_sheds_nobody() {
        let mut queue = filled(3, DropRule::Oldest);
        assert_eq!(queue.push_front(9), Pushed::Refused(9));
        assert_eq!(queue.pop(), Some(0));
        assert_eq!(queue.push_front(9), Pushed::Accepted);
        assert_eq!(queue.counts(), QueueCounts { accepted: 4, shed: 1, high_water: 3 });
        assert_eq!(drained(queue), [9, 1, 2]);
    }

    #[test]
    fn a_pinned_peer_does_not_use_a_reserved_slot() {
        let mut queue = BoundedQueue::new(2, DropRule::Newest).reserving(1).expect("1 of 2");
        assert_eq!(queue.push_front('a'), Pushed::Accepted);
        assert_eq!(queue.push_front('b'), Pushed::Refused('b'));
        assert_eq!(queue.push_reserved('r'), Pushed::Accepted);
    }

    #[test]
    fn a_queue_of_depth_0_refuses_everything_and_reserves_nothing() {
        for rule in [DropRule::Newest, DropRule::Oldest] {
            let mut queue = BoundedQueue::new(0, rule);
            assert_eq!(queue.push(1), Pushed::Refused(1));
            assert_eq!(queue.push_reserved(2), Pushed::Refused(2));
            assert!(queue.is_empty());
            assert_eq!(queue.reserving(1), Err(ReservedExceedDepth { reserved: 1, depth: 0 }));
        }
    }

    #[derive(Clone, Copy, Debug)]
    enum Operation {
        Push,
        PushReserved,
        PushFront,
        Pop,
    }

    fn operations() -> impl Strategy<Value = Vec<Operation>> {
        let operation = prop_oneof![
            4 => Just(Operation::Push),
            2 => Just(Operation::PushReserved),
            1 => Just(Operation::PushFront),
            3 => Just(Operation::Pop),
        ];
        prop::collection::vec(operation, 0..200)
    }

    proptest! {
        #[test]
        fn every_item_is_waiting_taken_or_returned_and_the_queue_never_grows(
            operations in operations(),
            depth in 0..10_usize,
            reserved in 0..10_usize,
            oldest: bool,
        ) {
            let rule = if oldest { DropRule::Oldest } else { DropRule::Newest };
            let mut queue = BoundedQueue::new(depth, rule)
                .reserving(reserved.min(depth))
                .expect("at most the depth");
            let allocated = queue.entries.capacity();
            let (mut pushed, mut returned, mut taken) = (0_u64, 0_u64, 0_u64);
            for operation in operations {
                let outcome = match operation {
                    Operation::Push => queue.push(pushed),
                    Operation::PushReserved => queue.push_reserved(pushed),
                    Operation::PushFront => queue.push_front(pushed),
                    Operation::Pop => {
                        taken += u64::from(queue.pop().is_some());
                        continue;
                    }
                };
                pushed += 1;
                returned += u64::from(outcome != Pushed::Accepted);
                let length = queue.len();
                prop_assert!(length <= queue.depth());
                prop_assert!(queue.counts().high_water >= length);
            }
            prop_assert_eq!(pushed, returned + taken + queue.len() as u64);
            prop_assert_eq!(queue.counts().shed, returned);
            prop_assert_eq!(queue.entries.capacity(), allocated);
        }
    }
}
