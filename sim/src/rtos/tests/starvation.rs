//! The task watchdog: when it bites, whom it names, and what does not feed it.
use firmware_core::time::{Duration, Instant};

use super::super::{Acquired, CoreId, Holder, Lock, LockRule, Starved, TaskId, WatchdogSpec};
use super::{Driver, at, level, ms};

const MANAGER: &str = "ml_wg_mgr";

/// A device with a watchdog of 5 s, the manager and the comparator on core 1.
fn watched() -> (Driver, TaskId, TaskId) {
    let mut driver = Driver::new();
    let manager = driver.task(MANAGER, CoreId::One, 7);
    let comparator = driver.task("comparator", CoreId::One, 8);
    driver.rtos.watch(WatchdogSpec::of_idle(ms(5_000)));
    (driver, manager, comparator)
}

#[derive(Clone, Copy)]
enum Load {
    Work(TaskId, Duration),
    Write(Duration),
}

/// Runs a load until `end`, with the single watchdog event that a caller keeps.
fn run_watched(driver: &mut Driver, load: &[(Instant, Load)], end: Instant) -> Option<Starved> {
    let mut load = load.iter().copied().peekable();
    let mut deadline = driver.rtos.watchdog_deadline(at(1)).expect("there is a watchdog");
    while deadline <= end {
        while let Some((now, load)) = load.next_if(|&(now, _)| now < deadline) {
            match load {
                Load::Work(task, work) => driver.start(task, work, now),
                Load::Write(span) => driver.stall(now, span),
            }
        }
        driver.run_until(deadline);
        if let Some(starved) = driver.rtos.starved(deadline) {
            return Some(starved);
        }
        let next = driver.rtos.watchdog_deadline(deadline).expect("there is a watchdog");
        assert!(next > deadline, "a watchdog that has not bitten waits");
        deadline = next;
    }
    None
}

/// Cites WG-WDT-1: 128 demotions at 28.3 ms, `2 X` each, keep IDLE1 from running for 7.2 s.
#[test]
fn a_mass_demotion_resets_a_device_with_a_time_out_of_5_seconds_and_not_of_30() {
    let work = Duration::from_micros(28_300).times(2 * 128);
    assert_eq!(work.as_millis(), 7_244);
    for (timeout, bites_at) in [(5_000, Some(at(6_000))), (30_000, None)] {
        let (mut driver, manager, _) = watched();
        driver.rtos.watch(WatchdogSpec::of_idle(ms(timeout)));
        let load = [(at(1_000), Load::Work(manager, work))];
        let starved = run_watched(&mut driver, &load, at(60_000));
        assert_eq!(starved.map(|starved| starved.at), bites_at);
    }
}

#[test]
fn the_verdict_names_who_starved_and_who_had_the_core_longest() {
    let (mut driver, manager, comparator) = watched();
    let load = [
        (at(1_000), Load::Work(manager, ms(10_000))),
        (at(2_000), Load::Work(comparator, ms(900))),
    ];
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("10.9 s without IDLE1");
    let expected = Starved {
        task: "IDLE1".into(),
        core: CoreId::One,
        holder: Holder::Task(MANAGER.into()),
        since: at(1_000),
        at: at(6_000),
    };
    assert_eq!(starved, expected);
    assert_eq!(
        starved.to_string(),
        "task watchdog: IDLE1 on core 1 did not run for 5000 ms, from 1000 ms to 6000 ms; \
         ml_wg_mgr held the core"
    );
}

/// Cites WG-WDT-1.
#[test]
fn what_ran_before_the_silence_is_not_the_holder() {
    let (mut driver, manager, comparator) = watched();
    let load = [
        (at(1), Load::Work(comparator, ms(4_900))),
        (at(5_000), Load::Work(comparator, ms(4_900))),
        (at(10_000), Load::Write(ms(4_900))),
        (at(15_000), Load::Write(ms(4_900))),
        (at(20_000), Load::Work(manager, ms(6_000))),
    ];
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("6 s without IDLE1");
    assert_eq!(starved.since, at(20_000));
    assert_eq!(starved.holder, Holder::Task(MANAGER.into()));
}

/// Cites WG-WDT-1.
#[test]
fn flash_writes_that_take_no_more_than_a_task_are_not_the_holder() {
    let (mut driver, manager, _) = watched();
    let load = [(at(1_000), Load::Work(manager, ms(6_000))), (at(2_000), Load::Write(ms(2_500)))];
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("8.5 s without IDLE1");
    assert_eq!((&*starved.task, starved.at), ("IDLE1", at(6_000)));
    assert_eq!(starved.holder, Holder::Task(MANAGER.into()));
}

#[test]
fn a_watched_task_that_wakes_without_work_feeds_the_watchdog() {
    let mut driver = Driver::new();
    let app = driver.task("main loop", CoreId::One, 1);
    driver.rtos.watch(WatchdogSpec { also: Some(app), ..WatchdogSpec::of_idle(ms(5_000)) });
    let load = [3_000, 7_000].map(|millis| (at(millis), Load::Work(app, Duration::ZERO)));
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("it sleeps for ever");
    assert_eq!((starved.since, starved.at), (at(7_000), at(12_000)));
}

#[test]
fn idle_that_runs_for_a_nanosecond_feeds_the_watchdog() {
    let (mut driver, manager, _) = watched();
    let rest = Duration::from_nanos(1);
    let load = [
        (at(1), Load::Work(manager, ms(4_000))),
        (at(4_001).after(rest), Load::Work(manager, ms(4_000))),
    ];
    assert_eq!(run_watched(&mut driver, &load, at(20_000)), None);
    assert_eq!(driver.rtos.longest_without_idle(CoreId::One, at(20_000)), ms(4_000));
}

/// Cites WG-WDT-1.
#[test]
fn charges_without_a_gap_do_not_feed_the_watchdog() {
    let (mut driver, manager, _) = watched();
    for start in (0..8_000).step_by(100) {
        driver.start(manager, ms(100), at(start));
    }
    assert_eq!(driver.rtos.longest_without_idle(CoreId::One, at(8_000)), ms(8_000));
    let starved = driver.rtos.starved(at(8_000)).expect("8 s without IDLE1");
    assert_eq!(starved.since, at(0));
}

/// Cites WG-WDT-1: what counts is the core's occupation, and a task that waits for a lock has none.
#[test]
fn a_manager_that_waits_for_a_lock_starves_nobody() {
    let (mut driver, manager, _) = watched();
    let tcpip = driver.task("tcpip", CoreId::Zero, 18);
    let mut lock = Lock::new(LockRule::FREERTOS);
    driver.start(manager, ms(1), at(0));
    assert_eq!(lock.acquire(tcpip, level(18), at(0)), Ok(Acquired::Granted));
    assert_eq!(driver.next(at(1)), Some((at(1), manager)));
    let answer = lock.acquire(manager, level(7), at(1));
    assert_eq!(answer, Ok(Acquired::Waiting { owner: tcpip, loan: None }));
    assert_eq!(driver.rtos.block(manager, at(1)), None);
    assert_eq!(run_watched(&mut driver, &[], at(20_000)), None);
}

/// Cites WG-WDT-1.
#[test]
fn flash_writes_without_end_starve_both_cores_and_are_named() {
    let (mut driver, ..) = watched();
    let load: Vec<_> =
        (0..200).map(|write| (at(1_000 + 30 * write), Load::Write(ms(45)))).collect();
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("9 s of writes");
    assert_eq!((starved.core, &*starved.task), (CoreId::Zero, "IDLE0"));
    assert_eq!((starved.since, starved.holder), (at(1_000), Holder::Flash));
}

#[test]
fn a_watched_task_that_sleeps_too_long_is_reported_without_a_holder() {
    let mut driver = Driver::new();
    let app = driver.task("main loop", CoreId::One, 1);
    driver.rtos.watch(WatchdogSpec { also: Some(app), ..WatchdogSpec::of_idle(ms(5_000)) });
    let load = [(at(100), Load::Work(app, ms(10)))];
    let starved = run_watched(&mut driver, &load, at(60_000)).expect("it sleeps for ever");
    assert_eq!((&*starved.task, starved.since, starved.at), ("main loop", at(110), at(5_110)));
    assert_eq!(starved.holder, Holder::Nobody);
    assert!(starved.to_string().ends_with("nobody held the core against it"), "{starved}");
}

/// Cites WG-WDT-1.
#[test]
fn the_core_coming_free_in_the_last_instant_is_too_late() {
    let (mut driver, manager, _) = watched();
    driver.start(manager, ms(5_000), at(1_000));
    driver.run_until(at(6_000));
    assert_eq!(driver.rtos.starved(at(6_000)).map(|starved| starved.since), Some(at(1_000)));
}

#[test]
fn a_time_out_of_no_length_bites_at_once_and_no_watchdog_never() {
    let (mut driver, ..) = watched();
    driver.rtos.watch(WatchdogSpec::of_idle(Duration::ZERO));
    assert!(driver.rtos.starved(at(1)).is_some());
    let mut driver = Driver::new();
    assert_eq!(driver.rtos.watchdog_deadline(at(1)), None);
    assert_eq!(driver.rtos.starved(at(100_000)), None);
}
