//! Public cases that the RTOS model alone decides.
use firmware_core::time::{Duration, Instant};

use super::super::{
    BoundedQueue, CoreId, Delay, DropRule, Holder, Pushed, Starved, TaskId, Tick, WatchdogSpec,
    delay_until,
};
use super::{Driver, at, ms};

const PERIOD: Duration = Duration::from_micros(111_111);
const COST: Duration = Duration::from_millis(115);
const SLEEP: Duration = Duration::from_millis(10);

/// Case 01: one peer sends nine DISCO packets a second, each costs a little more than its period.
struct Drain {
    driver: Driver,
    manager: TaskId,
    low: TaskId,
    queue: BoundedQueue<()>,
    /// How much time of a pass may be spent before the loop sleeps; checked between packets.
    pass_budget: Option<Duration>,
    pass_began: Instant,
    next_arrival: Instant,
    wake: Instant,
    handled: u64,
}

impl Drain {
    fn new(pass_budget: Option<Duration>) -> Self {
        let mut driver = Driver::new();
        let manager = driver.task("manager", CoreId::One, 7);
        let low = driver.task("application", CoreId::One, 1);
        // The application always has something to do, so IDLE1 never runs.
        let spec = WatchdogSpec { timeout: ms(5_000), idle: [true, false], also: Some(low) };
        driver.rtos.watch(spec);
        driver.start(low, Duration::from_nanos(u64::MAX), Instant::ZERO);
        Self {
            driver,
            manager,
            low,
            queue: BoundedQueue::new(8, DropRule::Newest),
            pass_budget,
            pass_began: Instant::ZERO,
            next_arrival: Instant::ZERO.after(PERIOD),
            wake: Instant::ZERO,
            handled: 0,
        }
    }

    /// Runs until `end` or until the watchdog bites.
    fn run(&mut self, end: Instant) -> Option<Starved> {
        let mut deadline = self.driver.rtos.watchdog_deadline(Instant::ZERO)?;
        loop {
            let completion =
                self.driver.rtos.next_completion().map_or(Instant::NEVER, |due| due.at);
            let now = completion.min(self.next_arrival).min(self.wake).min(deadline);
            if now > end {
                return None;
            }
            if now == deadline {
                if let Some(starved) = self.driver.rtos.starved(now) {
                    return Some(starved);
                }
                deadline = self.driver.rtos.watchdog_deadline(now)?;
            } else if now == completion {
                let taken = self.driver.next(now).expect("it is due");
                assert_eq!(taken, (now, self.manager));
                self.handled += 1;
                self.go_on(now);
            } else if now == self.next_arrival {
                self.next_arrival = now.after(PERIOD);
                let _shed_when_full: Pushed<()> = self.queue.push(());
            } else {
                self.wake = Instant::NEVER;
                self.pass_began = now;
                self.go_on(now);
            }
        }
    }

    /// The manager takes the next packet, or ends its pass.
    fn go_on(&mut self, now: Instant) {
        let spent = now.since(self.pass_began);
        let over_budget = self.pass_budget.is_some_and(|budget| spent >= budget);
        if !over_budget && self.queue.pop().is_some() {
            let completion = self.driver.rtos.start(self.manager, COST, now);
            self.driver.queue(completion);
        } else {
            let completion = self.driver.rtos.block(self.manager, now);
            self.driver.queue(completion);
            self.wake = delay_until(now, SLEEP, Delay::Exact);
        }
    }
}

/// Cites case 01, variant "unbounded".
#[test]
fn a_drain_without_a_bound_starves_the_application_and_the_verdict_says_so() {
    let mut drain = Drain::new(None);
    let starved = drain.run(at(320_000)).expect("the load is above 1");
    assert_eq!((&*starved.task, starved.core), ("application", CoreId::One));
    assert_eq!(starved.holder, Holder::Task("manager".into()));
    // The first packet arrives at 111 ms, and the pass at 120 ms takes it and never ends.
    assert_eq!((starved.since, starved.at), (at(120), at(5_120)));
    assert!((43..=45).contains(&drain.handled), "{}", drain.handled);
    let text = starved.to_string();
    assert!(text.contains("manager held the core") && !text.contains("memory"), "{text}");
}

/// Cites case 01, variant "bounded".
#[test]
fn a_pass_with_a_time_budget_lets_the_application_run_between_packets() {
    let mut drain = Drain::new(Some(ms(40)));
    assert_eq!(drain.run(at(320_000)), None);
    let waited = drain.driver.rtos.longest_wait(drain.low, at(320_000));
    assert!((ms(113)..=ms(117)).contains(&waited), "{waited:?}");
    assert!((2_535..=2_585).contains(&drain.handled), "{}", drain.handled);
    let shed = drain.queue.counts().shed;
    assert!((307..=317).contains(&shed), "{shed}");
}

/// Cites WG-NVS-1 and case 13: written once per new peer, or debounced, at 45 ms a write.
#[test]
fn a_hundred_flash_writes_stop_the_other_core_a_hundred_times_and_three_stop_it_three_times() {
    for (writes, stalled) in [(100, 4_500), (3, 135)] {
        let mut driver = Driver::new();
        let other = driver.task("ml_net_io", CoreId::Zero, 7);
        driver.start(other, ms(20_000), Instant::ZERO);
        for write in 0..writes {
            driver.stall(at(6_000 + 100 * write), ms(45));
        }
        assert_eq!(driver.next(Instant::NEVER), Some((at(20_000 + stalled), other)));
        assert_eq!(driver.rtos.flash().writes(), writes);
        for core in CoreId::ALL {
            assert_eq!(driver.rtos.usage(core, at(30_000)).stalled, ms(stalled));
        }
    }
}

/// Cites WG-ORD-1: the loop has a fixed delay, not a fixed rate, and 10 ms are 10 ticks.
#[test]
fn a_loop_that_sleeps_by_ticks_makes_its_passes_on_tick_boundaries() {
    let tick = Tick::MILLISECOND;
    let work = Duration::from_micros(400);
    let mut now = at(0);
    for pass in 1..=5 {
        now = delay_until(now.after(work), SLEEP, Delay::Ticks { tick });
        assert_eq!(now, at(10 * pass));
    }
}
