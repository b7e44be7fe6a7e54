//! The queue against its naive reading, a sorted row; ties, shuffled ties and memory.
use super::far::{LEVELS, SLOTS};
use super::*;
use crate::random::Streams;
use firmware_core::time::Duration;
use proptest::prelude::*;

impl<E> EventQueue<E> {
    /// What always holds.
    #[track_caller]
    fn assert_invariants(&self) {
        assert!(self.near.windows(2).all(|pair| pair[0].key() >= pair[1].key()));
        assert!(self.near.iter().all(|entry| entry.key() < self.horizon));
        assert!(self.near.len() <= BLOCK || self.horizon == self.far.base());
        let far = self.far.assert_invariants(self.horizon);
        assert_eq!(self.near.len() + far, self.len);
    }

    /// Room for entries in all the memory held.
    fn room(&self) -> usize {
        self.near.capacity() + self.far.room()
    }
}

/// The naive reading: a row in which an event is put behind those that are not later.
#[derive(Default)]
struct Reference(Vec<(Instant, u32)>);

impl Reference {
    fn push(&mut self, at: Instant, event: u32) {
        let place = self.0.iter().position(|(other, _)| *other > at).unwrap_or(self.0.len());
        self.0.insert(place, (at, event));
    }

    fn pop(&mut self) -> Option<(Instant, u32)> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

#[derive(Clone, Debug)]
enum Operation {
    /// Put an event this long after the last one that left.
    After(Duration),
    /// Put an event at this instant, past or future.
    At(Instant),
    /// Put several at one instant, this long after the last one that left.
    Several(usize, Duration),
    Pop,
}

fn operation() -> impl Strategy<Value = Operation> {
    // A span of any size up to 2^bits nanoseconds.
    let span = (0..64_u32, any::<u64>()).prop_map(|(bits, nanos)| {
        Duration::from_nanos(nanos & 1_u64.checked_shl(bits).map_or(u64::MAX, |above| above - 1))
    });
    prop_oneof![
        8 => span.clone().prop_map(Operation::After),
        1 => any::<u64>().prop_map(|nanos| Operation::At(Instant::from_nanos(nanos))),
        1 => (0..8_u64).prop_map(|nanos| Operation::At(Instant::from_nanos(nanos))),
        1 => Just(Operation::At(Instant::NEVER)),
        1 => (1..40_usize, span).prop_map(|(count, after)| Operation::Several(count, after)),
        7 => Just(Operation::Pop),
    ]
}

proptest! {
    #[test]
    fn events_leave_in_the_order_of_a_sorted_row(
        operations in prop::collection::vec(operation(), 0..600),
    ) {
        let mut queue = EventQueue::new();
        let mut reference = Reference::default();
        let (mut now, mut put) = (Instant::ZERO, 0);
        let mut push = |queue: &mut EventQueue<u32>, reference: &mut Reference, at| {
            queue.push(at, put);
            reference.push(at, put);
            put += 1;
        };
        for (step, operation) in operations.into_iter().enumerate() {
            match operation {
                Operation::After(span) => push(&mut queue, &mut reference, now.after(span)),
                Operation::At(at) => push(&mut queue, &mut reference, at),
                Operation::Several(count, span) => {
                    for _ in 0..count {
                        push(&mut queue, &mut reference, now.after(span));
                    }
                }
                Operation::Pop => {
                    let left = reference.pop();
                    prop_assert_eq!(queue.pop(), left);
                    now = left.map_or(now, |(at, _)| at);
                }
            }
            if step % 16 == 0 {
                queue.assert_invariants(); // visits every slot
            }
            prop_assert_eq!(queue.next_at(), reference.0.first().map(|(at, _)| *at));
            prop_assert_eq!(queue.len(), reference.0.len());
            prop_assert_eq!(queue.is_empty(), reference.0.is_empty());
        }
        for left in reference.0 {
            prop_assert_eq!(queue.pop(), Some(left));
        }
        prop_assert_eq!(queue.pop(), None);
    }

    #[test]
    fn shuffled_ties_never_reorder_different_instants(
        seed: u64, instants in prop::collection::vec(0..20_u64, 0..300),
    ) {
        let mut queue = shuffled(seed);
        for (event, nanos) in instants.iter().enumerate() {
            queue.push(Instant::from_nanos(*nanos), event);
        }
        queue.assert_invariants();
        let left = drain(&mut queue);
        prop_assert!(left.is_sorted_by_key(|(at, _)| *at));
        let mut events: Vec<usize> = left.into_iter().map(|(_, event)| event).collect();
        events.sort_unstable();
        prop_assert!(events.into_iter().eq(0..instants.len()), "an event was lost or doubled");
    }
}

fn shuffled<E>(seed: u64) -> EventQueue<E> {
    EventQueue::with_shuffled_ties(Streams::new(seed).of("event queue", "ties"))
}

fn drain<E>(queue: &mut EventQueue<E>) -> Vec<(Instant, E)> {
    std::iter::from_fn(|| queue.pop()).collect()
}

/// The order in which `count` events of one instant leave.
fn order_of_ties(mut queue: EventQueue<u32>, count: u32) -> Vec<u32> {
    for event in 0..count {
        queue.push(Instant::from_millis(10), event);
    }
    drain(&mut queue).into_iter().map(|(_, event)| event).collect()
}

#[test]
fn equal_times_leave_in_the_order_they_were_put() {
    let in_order: Vec<u32> = (0..100_000).collect();
    assert_eq!(order_of_ties(EventQueue::new(), 100_000), in_order);
}

#[test]
fn an_event_put_at_the_current_instant_leaves_after_those_that_wait_there() {
    let mut queue = EventQueue::new();
    let at = Instant::from_millis(10);
    for event in 0..50 {
        queue.push(at, event);
    }
    for event in 0..20 {
        assert_eq!(queue.pop(), Some((at, event)));
        queue.push(at, event + 50);
    }
    let left: Vec<u32> = drain(&mut queue).into_iter().map(|(_, event)| event).collect();
    assert!(left.into_iter().eq(20..70));
}

#[test]
fn shuffled_ties_leave_in_every_order_and_in_the_same_one_for_a_seed() {
    let mut seen = [0_u32; 6];
    for seed in 0..600 {
        let order = order_of_ties(shuffled(seed), 3);
        assert_eq!(order, order_of_ties(shuffled(seed), 3));
        let first_two_of = [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]];
        let place = first_two_of.iter().position(|start| order.starts_with(start));
        seen[place.expect("three events have six orders")] += 1;
    }
    // Four standard deviations of a count: 4 × √(600 × 1/6 × 5/6) = 36.
    assert!(seen.iter().all(|count| count.abs_diff(100) < 36), "{seen:?}");
}

#[test]
fn ties_that_draw_the_same_leave_in_the_order_they_were_put() {
    // Among 300 000 draws of 32 bits, about 300 000² / 2³³ = 10 pairs are equal.
    let mut queue = shuffled::<u32>(1);
    let drawn: Vec<(u64, u32)> = (0..300_000).map(|event| (queue.next_tie(), event)).collect();
    let mut by_draw: Vec<(u64, u32)> =
        drawn.iter().map(|(tie, event)| (tie >> 32, *event)).collect();
    by_draw.sort_unstable();
    assert!(by_draw.windows(2).any(|pair| pair[0].0 == pair[1].0), "no pair drew the same");

    let order = order_of_ties(shuffled(1), 300_000);
    assert!(order.into_iter().eq(by_draw.into_iter().map(|(_, event)| event)));
}

#[test]
fn the_first_and_the_last_instant_are_instants_like_any_other() {
    let mut queue = EventQueue::new();
    queue.push(Instant::NEVER, "end");
    queue.push(Instant::ZERO, "start");
    assert_eq!(queue.next_at(), Some(Instant::ZERO));
    assert_eq!(queue.pop(), Some((Instant::ZERO, "start")));
    assert_eq!(queue.pop(), Some((Instant::NEVER, "end")));
    assert_eq!(queue.pop(), None);
}

#[test]
fn an_event_earlier_than_one_that_has_left_leaves_next() {
    let mut queue = EventQueue::new();
    for milliseconds in 10..60 {
        queue.push(Instant::from_millis(milliseconds), milliseconds);
    }
    while queue.next_at() < Some(Instant::from_millis(50)) {
        queue.pop();
    }
    for milliseconds in (0..40).rev() {
        queue.push(Instant::from_millis(milliseconds), milliseconds);
    }
    queue.assert_invariants();
    let left: Vec<u64> = drain(&mut queue).into_iter().map(|(_, event)| event).collect();
    assert!(left.into_iter().eq((0..40).chain(50..60)));
}

#[test]
fn memory_follows_the_number_of_pending_events_and_not_the_time() {
    const PENDING: usize = 5_000;
    let mut queue = EventQueue::new();
    let mut gaps = Streams::new(1).of("event queue", "gap");
    for event in 0..PENDING {
        queue.push(Instant::ZERO.after(gaps.exponential(Duration::from_millis(1_000))), event);
    }
    for _ in 0..200 * PENDING {
        let (at, event) = queue.pop().expect("as many are put as leave");
        queue.push(at.after(gaps.exponential(Duration::from_millis(1_000))), event);
    }
    queue.assert_invariants();
    // A full block holds as many events as it has room for; beyond that one is filled at a time
    // while another is dealt out, and each slot and the near row may keep a block of their own.
    let slots = (LEVELS * SLOTS) as usize;
    assert!(queue.room() <= PENDING + BLOCK * (slots + 3), "{}", queue.room());
}

#[test]
fn memory_set_aside_is_used() {
    let mut queue = EventQueue::with_capacity(1_000);
    let before = queue.room();
    assert!(before >= 1_000 - BLOCK);
    for event in 0..1_000_u64 {
        queue.push(Instant::from_nanos(event), event);
    }
    assert!(queue.room() < before + 1_000, "{} after {before}", queue.room());
}
