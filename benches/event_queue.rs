//! How many events a second leave the event queue and are put again, beside what else could have
//! been used.
//!
//! Every contender runs the same workload, [`Hold`], at 128, 10 000 and a million pending events, and
//! the same with all events in step. Before it is timed it must have let the same instants leave in
//! the same order.
use criterion::{BenchmarkGroup, Criterion, Throughput, measurement::WallTime};
use criterion::{criterion_group, criterion_main};
use firmware_core::time::{Duration, Instant};
use sim::event_queue::EventQueue;
use simrs::{Component, ComponentId, Scheduler, Simulation, State};
use std::cell::RefCell;
use std::collections::BinaryHeap;
use std::rc::Rc;
use workloads::{Event, Hold};

/// Pending events.
const SIZES: [u32; 3] = [128, 10_000, 1_000_000];

/// Something that runs the workload one event at a time.
trait Contender {
    const NAME: &str;

    /// Runs `hold` with this many pending events.
    fn start(hold: Hold, pending: u32) -> Self;

    /// Lets the next event leave and puts it again.
    fn step(&mut self);

    /// Of the instants so far.
    fn checksum(&self) -> u64;
}

/// A queue, as opposed to a library that calls us.
trait Queue {
    const NAME: &str;

    fn with_capacity(events: usize) -> Self;
    fn push(&mut self, at: Instant, event: Event);
    fn pop(&mut self) -> Option<(Instant, Event)>;
}

/// A queue and the workload that runs on it.
struct Holding<Q> {
    hold: Hold,
    queue: Q,
}

impl<Q: Queue> Contender for Holding<Q> {
    const NAME: &str = Q::NAME;

    fn start(mut hold: Hold, pending: u32) -> Self {
        let mut queue = Q::with_capacity(pending as usize);
        for number in 0..pending {
            queue.push(hold.first(), Hold::event(number));
        }
        Self { hold, queue }
    }

    #[inline]
    fn step(&mut self) {
        if let Some((at, event)) = self.queue.pop() {
            let delay = self.hold.left(at);
            self.queue.push(at.after(delay), event);
        }
    }

    fn checksum(&self) -> u64 {
        self.hold.checksum()
    }
}

impl Queue for EventQueue<Event> {
    const NAME: &str = "preflash";

    fn with_capacity(events: usize) -> Self {
        Self::with_capacity(events)
    }

    #[inline]
    fn push(&mut self, at: Instant, event: Event) {
        self.push(at, event);
    }

    #[inline]
    fn pop(&mut self) -> Option<(Instant, Event)> {
        self.pop()
    }
}

/// An event behind its key, greatest for the earliest: the standard library's heap pops the
/// greatest.
struct Entry {
    at: Instant,
    sequence: u64,
    event: Event,
}

impl Entry {
    /// Compared as one number, which is faster than field by field.
    fn key(&self) -> u128 {
        u128::from(self.at.as_nanos()) << 64 | u128::from(self.sequence)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.key().cmp(&self.key())
    }
}

/// The standard library's binary heap.
struct Binary {
    heap: BinaryHeap<Entry>,
    sequence: u64,
}

impl Queue for Binary {
    const NAME: &str = "binary heap";

    fn with_capacity(events: usize) -> Self {
        Self { heap: BinaryHeap::with_capacity(events), sequence: 0 }
    }

    #[inline]
    fn push(&mut self, at: Instant, event: Event) {
        self.heap.push(Entry { at, sequence: self.sequence, event });
        self.sequence += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<(Instant, Event)> {
        self.heap.pop().map(|entry| (entry.at, entry.event))
    }
}

/// A heap with four children a node over keys of 16 bytes, which hold the place of their event:
/// four children share a cache line, and sifting moves keys alone.
struct Quaternary {
    /// Instant: 64 bits, sequence number: 40, place: 24.
    keys: Vec<u128>,
    events: Vec<Event>,
    free: Vec<u32>,
    sequence: u64,
}

impl Quaternary {
    const PLACE_BITS: u32 = 24;

    /// Sifts `key` down from the root.
    fn sift_down(&mut self, key: u128) {
        let keys = &mut self.keys[..];
        let mut place = 0;
        loop {
            let first = 4 * place + 1;
            let least = if let Some(children) = keys.get(first..first + 4) {
                let left = usize::from(children[1] < children[0]);
                let right = 2 + usize::from(children[3] < children[2]);
                first + if children[right] < children[left] { right } else { left }
            } else {
                let Some(least) = (first..keys.len()).min_by_key(|child| keys[*child]) else {
                    break;
                };
                least
            };
            if keys[least] >= key {
                break;
            }
            keys[place] = keys[least];
            place = least;
        }
        keys[place] = key;
    }
}

impl Queue for Quaternary {
    const NAME: &str = "4-ary heap";

    fn with_capacity(events: usize) -> Self {
        Self {
            keys: Vec::with_capacity(events),
            events: Vec::with_capacity(events),
            free: Vec::new(),
            sequence: 0,
        }
    }

    #[inline]
    fn push(&mut self, at: Instant, event: Event) {
        let place = if let Some(place) = self.free.pop() {
            self.events[place as usize] = event;
            place
        } else {
            self.events.push(event);
            u32::try_from(self.events.len() - 1).expect("a million events are pending at most")
        };
        let tie = u128::from(self.sequence) << Self::PLACE_BITS | u128::from(place);
        let key = u128::from(at.as_nanos()) << 64 | tie;
        self.sequence += 1;
        let mut child = self.keys.len();
        self.keys.push(key);
        while child > 0 {
            let parent = (child - 1) / 4;
            if self.keys[parent] <= key {
                break;
            }
            self.keys[child] = self.keys[parent];
            child = parent;
        }
        self.keys[child] = key;
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a key is taken apart")]
    fn pop(&mut self) -> Option<(Instant, Event)> {
        let key = *self.keys.first()?;
        let last = self.keys.pop()?;
        if !self.keys.is_empty() {
            self.sift_down(last);
        }
        let place = key as u32 % (1 << Self::PLACE_BITS);
        self.free.push(place);
        Some((Instant::from_nanos((key >> 64) as u64), self.events[place as usize]))
    }
}

/// A calendar queue (Brown, 1988) that is told its number of events and their mean delay: a ring of
/// days, each an unsorted row in which the year's earliest event is looked for.
struct Calendar {
    days: Vec<Vec<Entry>>,
    /// Nanoseconds of a day, as a power of two.
    day_bits: u32,
    /// The day of the event that left last, counted from the start of time.
    today: u64,
    sequence: u64,
}

impl Calendar {
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer days than a usize counts")]
    fn day(&self, day: u64) -> usize {
        day as usize % self.days.len()
    }
}

impl Queue for Calendar {
    const NAME: &str = "calendar queue";

    /// Twice as many days as events, each twice as long as the mean gap: a year is four mean delays.
    fn with_capacity(events: usize) -> Self {
        let days = (2 * events).next_power_of_two();
        let day_nanos = 4 * Hold::MEAN.as_nanos() / days as u64;
        let days = std::iter::repeat_with(Vec::new).take(days).collect();
        Self { days, day_bits: day_nanos.ilog2(), today: 0, sequence: 0 }
    }

    #[inline]
    fn push(&mut self, at: Instant, event: Event) {
        let day = self.day(at.as_nanos() >> self.day_bits);
        self.days[day].push(Entry { at, sequence: self.sequence, event });
        self.sequence += 1;
    }

    /// Never ends when it is empty, which the workload does not let happen.
    #[inline]
    fn pop(&mut self) -> Option<(Instant, Event)> {
        loop {
            let day = self.day(self.today);
            let entries = self.days[day].iter().enumerate();
            let due =
                entries.filter(|(_, entry)| entry.at.as_nanos() >> self.day_bits == self.today);
            if let Some((place, _)) = due.min_by_key(|(_, entry)| entry.key()) {
                let entry = self.days[day].swap_remove(place);
                return Some((entry.at, entry.event));
            }
            self.today += 1;
        }
    }
}

/// The simulation library `simrs`: events are boxed and delivered to a component.
struct Simrs {
    simulation: Simulation,
    hold: Rc<RefCell<Hold>>,
}

/// The component that puts again what it is delivered.
struct Again(Rc<RefCell<Hold>>);

impl Component for Again {
    type Event = Event;

    fn process_event(
        &self,
        this: ComponentId<Event>,
        event: &Event,
        scheduler: &mut Scheduler,
        _: &mut State,
    ) {
        let nanos = u64::try_from(scheduler.time().as_nanos()).expect("a run lasts minutes");
        let delay = self.0.borrow_mut().left(Instant::from_nanos(nanos));
        scheduler.schedule(standard(delay), this, *event);
    }
}

/// A span in the standard library's type.
fn standard(span: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(span.as_nanos())
}

impl Contender for Simrs {
    const NAME: &str = "simrs";

    fn start(hold: Hold, pending: u32) -> Self {
        let hold = Rc::new(RefCell::new(hold));
        let mut simulation = Simulation::default();
        let again = simulation.add_component(Again(Rc::clone(&hold)));
        for number in 0..pending {
            let first = hold.borrow_mut().first().since(Instant::ZERO);
            simulation.schedule(standard(first), again, Hold::event(number));
        }
        Self { simulation, hold }
    }

    #[inline]
    fn step(&mut self) {
        self.simulation.step();
    }

    fn checksum(&self) -> u64 {
        self.hold.borrow().checksum()
    }
}

/// A contender that has let as many events leave as are pending, and some more.
fn running<C: Contender>(hold: &Hold, pending: u32) -> C {
    let mut contender = C::start(hold.clone(), pending);
    for _ in 0..pending.max(100_000) {
        contender.step();
    }
    contender
}

/// Contenders under one workload.
struct Comparison<'a> {
    group: BenchmarkGroup<'a, WallTime>,
    hold: Hold,
    pending: u32,
    /// Of the standard library's heap.
    checksum: u64,
}

impl<'a> Comparison<'a> {
    fn new(criterion: &'a mut Criterion, name: &str, hold: Hold, pending: u32) -> Self {
        let mut group = criterion.benchmark_group(format!("{name}, {pending} pending"));
        group.throughput(Throughput::Elements(1));
        group.warm_up_time(std::time::Duration::from_secs(1));
        group.measurement_time(std::time::Duration::from_secs(3));
        group.sample_size(30);
        let checksum = running::<Holding<Binary>>(&hold, pending).checksum();
        Self { group, hold, pending, checksum }
    }

    /// Times one contender, unless it let other instants leave than the heap did.
    fn measure<C: Contender>(&mut self) {
        let mut started = None;
        self.group.bench_function(C::NAME, |bencher| {
            let contender = started.get_or_insert_with(|| {
                let contender = running::<C>(&self.hold, self.pending);
                assert_eq!(contender.checksum(), self.checksum, "other instants left");
                contender
            });
            bencher.iter(|| contender.step());
        });
    }
}

fn compare(criterion: &mut Criterion, name: &str, hold: Hold, pending: u32) {
    let mut comparison = Comparison::new(criterion, name, hold, pending);
    comparison.measure::<Holding<Binary>>();
    comparison.measure::<Holding<EventQueue<Event>>>();
    comparison.measure::<Holding<Quaternary>>();
    comparison.measure::<Holding<Calendar>>();
    comparison.measure::<Simrs>();
}

fn hold_model(criterion: &mut Criterion) {
    for pending in SIZES {
        compare(criterion, "hold model", Hold::new(), pending);
    }
}

/// With few events only: a calendar queue looks through all that share a day, each time.
fn in_step(criterion: &mut Criterion) {
    compare(criterion, "in step", Hold::in_step(), SIZES[0]);
}

criterion_group!(benches, hold_model, in_step);
criterion_main!(benches);
