//! Who runs: priorities, preemption, order among equals, stalls, generations, lent priorities.
use firmware_core::time::{Duration, Instant};

use super::super::{
    Acquired, CoreId, Lock, LockRule, RegisterError, Rtos, TASKS_MAX, TaskSpec, TaskState,
};
use super::{Driver, at, level, ms};

/// Cites WG-WDT-1: what counts is who occupies the core.
#[test]
fn a_more_urgent_task_preempts_and_the_rest_is_done_afterwards() {
    let mut driver = Driver::new();
    let manager = driver.task("ml_wg_mgr", CoreId::One, 7);
    let comparator = driver.task("comparator", CoreId::One, 8);
    driver.start(manager, ms(30), at(0));
    driver.start(comparator, ms(2), at(10));
    assert_eq!(driver.rtos.running(CoreId::One), Some(comparator));
    assert_eq!(driver.rtos.state(manager), TaskState::Ready);
    assert_eq!(driver.rtos.remaining(manager, at(11)), ms(20));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(12), comparator), (at(32), manager)]);
    assert_eq!(driver.rtos.longest_wait(manager, at(100)), ms(2));
    assert_eq!(driver.rtos.ran(manager, at(100)), ms(30));
}

/// Cites WG-WDT-1: what counts is who occupies the core.
#[test]
fn a_less_urgent_and_an_equally_urgent_task_wait_and_do_not_change_the_plan() {
    let mut driver = Driver::new();
    let first = driver.task("first", CoreId::Zero, 7);
    let equal = driver.task("equal", CoreId::Zero, 7);
    let lower = driver.task("lower", CoreId::Zero, 5);
    driver.start(first, ms(10), at(0));
    assert_eq!(driver.rtos.start(lower, ms(1), at(1)), None);
    assert_eq!(driver.rtos.start(equal, ms(1), at(2)), None);
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(10), first), (at(11), equal), (at(12), lower)]);
}

/// Cites WG-WDT-1: what counts is who occupies the core.
#[test]
fn equal_tasks_run_in_the_order_in_which_they_became_ready_and_a_preempted_one_keeps_its_place() {
    let mut driver = Driver::new();
    let second = driver.task("second", CoreId::Zero, 5);
    let first = driver.task("first", CoreId::Zero, 5);
    let urgent = driver.task("urgent", CoreId::Zero, 9);
    driver.start(first, ms(10), at(0));
    driver.start(second, ms(10), at(1));
    driver.start(urgent, ms(3), at(2));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(5), urgent), (at(13), first), (at(23), second)]);
}

/// Cites WG-WDT-1: what counts is who occupies the core.
#[test]
fn a_task_that_goes_on_after_its_completion_keeps_the_core_from_its_equals() {
    let mut driver = Driver::new();
    let manager = driver.task("ml_wg_mgr", CoreId::One, 7);
    let equal = driver.task("equal", CoreId::One, 7);
    driver.start(manager, ms(5), at(0));
    driver.start(equal, ms(1), at(1));
    assert_eq!(driver.next(at(100)), Some((at(5), manager)));
    assert_eq!(driver.rtos.completion(CoreId::One), None);
    let more = driver.rtos.start(manager, ms(5), at(5));
    driver.queue(more);
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(5), manager), (at(10), manager), (at(11), equal)]);
}

#[test]
fn a_task_that_blocks_and_wakes_at_once_goes_behind_its_equals() {
    let mut driver = Driver::new();
    let [second, first] = ["second", "first"].map(|name| driver.task(name, CoreId::Zero, 7));
    driver.start(first, ms(5), at(0));
    driver.start(second, ms(1), at(1));
    assert_eq!(driver.next(at(100)), Some((at(5), first)));
    let other = driver.rtos.block(first, at(5));
    driver.queue(other);
    driver.start(first, ms(5), at(5));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(5), first), (at(6), second), (at(11), first)]);
}

#[test]
fn no_work_completes_when_the_task_first_has_the_core() {
    let mut driver = Driver::new();
    let urgent = driver.task("urgent", CoreId::One, 8);
    let woken = driver.task("woken", CoreId::One, 7);
    driver.start(urgent, ms(4), at(0));
    driver.start(woken, Duration::ZERO, at(1));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(4), urgent), (at(4), woken)]);
    assert_eq!(driver.rtos.longest_wait(woken, at(100)), ms(3));
}

/// Cites WG-WDT-1: what counts is who occupies the core.
#[test]
fn a_stale_completion_is_refused_by_its_generation() {
    let mut rtos = Rtos::new();
    let spec = |name, priority| TaskSpec { name, core: CoreId::One, priority: level(priority) };
    let manager = rtos.register(spec("ml_wg_mgr", 7)).expect("there is room");
    let urgent = rtos.register(spec("comparator", 8)).expect("there is room");
    let old = rtos.start(manager, ms(10), at(0)).expect("the core was idle");
    let new = rtos.start(urgent, ms(10), at(0)).expect("it preempts");
    assert_eq!((old.at, new.at), (at(10), at(10)));
    assert_eq!(rtos.complete(old, at(10)), None);
    assert_eq!(rtos.complete(new, at(10)), Some(urgent));
    assert_eq!(rtos.complete(new, at(10)), None);
}

/// Cites WG-ORD-1: one fixed order, also at one instant.
#[test]
fn the_next_completion_is_the_earlier_one_and_core_0_when_they_tie() {
    let mut driver = Driver::new();
    let zero = driver.task("ml_net_io", CoreId::Zero, 7);
    let one = driver.task("ml_wg_mgr", CoreId::One, 7);
    assert_eq!(driver.rtos.next_completion(), None);
    driver.start(one, ms(5), at(0));
    assert_eq!(driver.rtos.next_completion().map(|due| (due.at, due.task)), Some((at(5), one)));
    driver.start(zero, ms(5), at(0));
    assert_eq!(driver.rtos.next_completion().map(|due| (due.at, due.task)), Some((at(5), zero)));
    driver.start(zero, ms(1), at(0));
    assert_eq!(driver.rtos.next_completion().map(|due| (due.at, due.task)), Some((at(5), one)));
}

#[test]
fn cores_do_not_take_work_from_each_other() {
    let mut driver = Driver::new();
    let zero = driver.task("ml_net_io", CoreId::Zero, 7);
    let one = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.start(zero, ms(8), at(0));
    driver.start(one, ms(5), at(1));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(6), one), (at(8), zero)]);
}

#[test]
fn a_blocked_task_drops_what_it_had_left() {
    let mut driver = Driver::new();
    let manager = driver.task("ml_wg_mgr", CoreId::One, 7);
    let lower = driver.task("ml_coord", CoreId::One, 5);
    driver.start(manager, ms(100), at(0));
    driver.start(lower, ms(10), at(0));
    let next = driver.rtos.block(manager, at(30));
    driver.queue(next);
    assert_eq!(driver.rtos.block(manager, at(31)), None);
    assert_eq!(driver.rtos.remaining(manager, at(31)), Duration::ZERO);
    driver.run_until(at(50));
    driver.start(manager, ms(1), at(50));
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(40), lower), (at(51), manager)]);
    assert_eq!(driver.rtos.ran(manager, at(100)), ms(31));
}

#[test]
fn a_ready_task_that_is_blocked_never_runs_and_its_wait_is_counted() {
    let mut driver = Driver::new();
    let manager = driver.task("ml_wg_mgr", CoreId::One, 7);
    let lower = driver.task("ml_coord", CoreId::One, 5);
    driver.start(manager, ms(100), at(0));
    driver.start(lower, ms(10), at(20));
    assert_eq!(driver.rtos.block(lower, at(30)), None);
    driver.run_until(at(200));
    assert_eq!(driver.log, [(at(100), manager)]);
    assert_eq!(driver.rtos.longest_wait(lower, at(200)), ms(10));
}

/// Cites WG-NVS-1 and case 13: a flash write keeps both cores from making progress.
#[test]
fn a_flash_write_lengthens_work_on_both_cores_by_exactly_its_span() {
    let mut driver = Driver::new();
    let zero = driver.task("ml_net_io", CoreId::Zero, 7);
    let one = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.start(zero, ms(20), at(0));
    driver.start(one, ms(30), at(0));
    driver.stall(at(10), ms(45));
    driver.run_until(at(200));
    assert_eq!(driver.log, [(at(65), zero), (at(75), one)]);
    assert_eq!(driver.rtos.usage(CoreId::Zero, at(200)).stalled, ms(45));
    assert_eq!(driver.rtos.longest_wait(zero, at(200)), ms(45));
}

/// Cites WG-NVS-1: the flash has one bus.
#[test]
fn a_flash_write_during_another_one_is_added_to_it() {
    let mut driver = Driver::new();
    let task = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.start(task, ms(30), at(0));
    driver.stall(at(10), ms(45));
    driver.stall(at(20), ms(45));
    driver.run_until(at(200));
    assert_eq!(driver.log, [(at(120), task)]);
}

#[test]
fn a_task_that_starts_during_a_flash_write_begins_when_the_write_has_ended() {
    let mut driver = Driver::new();
    let task = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.stall(at(10), ms(45));
    driver.start(task, Duration::ZERO, at(10));
    assert_eq!(driver.next(at(200)), Some((at(55), task)));
    let more = driver.rtos.start(task, ms(5), at(55));
    driver.queue(more);
    driver.run_until(at(200));
    assert_eq!(driver.log, [(at(55), task), (at(60), task)]);
}

#[test]
fn a_flash_write_in_the_instant_of_a_completion_delays_only_what_comes_next() {
    let mut driver = Driver::new();
    let task = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.start(task, ms(10), at(0));
    assert_eq!(driver.next(at(100)), Some((at(10), task)));
    driver.stall(at(10), ms(45));
    let more = driver.rtos.start(task, ms(5), at(10));
    driver.queue(more);
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(10), task), (at(60), task)]);
}

#[test]
fn work_past_the_end_of_time_never_completes() {
    let mut driver = Driver::new();
    let task = driver.task("ml_wg_mgr", CoreId::One, 7);
    driver.start(task, Duration::from_nanos(u64::MAX), at(1));
    assert_eq!(driver.rtos.next_completion(), None);
    driver.run_until(Instant::NEVER);
    assert_eq!(driver.log, []);
}

/// Two tasks share the core lock; a third, between them in priority, wants the core.
fn urgent_waits_for_the_lock(rule: LockRule) -> Instant {
    let mut driver = Driver::new();
    let low = driver.task("ml_coord", CoreId::One, 5);
    let middle = driver.task("ml_wg_mgr", CoreId::One, 7);
    let urgent = driver.task("tcpip", CoreId::One, 18);
    let mut lock = Lock::new(rule);
    driver.start(low, ms(10), at(0));
    assert_eq!(lock.acquire(low, level(5), at(0)), Ok(Acquired::Granted));
    let answer = lock.acquire(urgent, level(18), at(1)).expect("it asks for the first time");
    let Acquired::Waiting { loan, .. } = answer else { panic!("{low:?} has the lock") };
    if let Some(loan) = loan {
        let completion = driver.rtos.lend_priority(loan.to, loan.priority, at(1));
        driver.queue(completion);
        assert_eq!(driver.rtos.priority(low), level(18));
    }
    driver.start(middle, ms(100), at(2));
    loop {
        let (now, task) = driver.next(at(1_000)).expect("somebody has work");
        if task == low {
            let released = lock.release(low, now).expect("it is the owner");
            assert_eq!(released.next, Some(urgent));
            assert_eq!(released.repay, rule.inherits);
            let completion = driver.rtos.repay_priority(low, now);
            driver.queue(completion);
            assert_eq!(driver.rtos.priority(low), level(5));
            return now;
        }
        let completion = driver.rtos.block(task, now);
        driver.queue(completion);
    }
}

/// Cites WG-HS-4 (PF-99): handshakes run under this lock.
#[test]
fn inheritance_keeps_a_task_between_owner_and_waiter_from_delaying_the_waiter() {
    assert_eq!(urgent_waits_for_the_lock(LockRule::PLAIN), at(110));
    assert_eq!(urgent_waits_for_the_lock(LockRule::FREERTOS), at(10));
}

#[test]
fn a_loan_below_the_own_priority_changes_nothing_and_repaying_lets_a_more_urgent_task_run() {
    let mut driver = Driver::new();
    let low = driver.task("low", CoreId::One, 5);
    let urgent = driver.task("urgent", CoreId::One, 9);
    driver.start(low, ms(10), at(0));
    assert_eq!(driver.rtos.lend_priority(low, level(3), at(0)), None);
    assert_eq!(driver.rtos.priority(low), level(5));
    assert_eq!(driver.rtos.lend_priority(low, level(20), at(0)), None);
    driver.start(urgent, ms(1), at(2));
    assert_eq!(driver.rtos.running(CoreId::One), Some(low));
    let completion = driver.rtos.repay_priority(low, at(4));
    driver.queue(completion);
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(5), urgent), (at(11), low)]);
}

#[test]
fn a_loan_to_a_waiting_task_gives_it_the_core() {
    let mut driver = Driver::new();
    let low = driver.task("low", CoreId::One, 5);
    let middle = driver.task("middle", CoreId::One, 7);
    driver.start(low, ms(10), at(0));
    driver.start(middle, ms(50), at(4));
    let completion = driver.rtos.lend_priority(low, level(18), at(14));
    driver.queue(completion);
    driver.run_until(at(100));
    assert_eq!(driver.log, [(at(20), low), (at(60), middle)]);
}

#[test]
fn a_second_task_of_one_name_and_a_task_too_many_are_refused() {
    let mut rtos = Rtos::new();
    let mut register =
        |name: &str| rtos.register(TaskSpec { name, core: CoreId::Zero, priority: level(5) });
    for index in 2..TASKS_MAX {
        assert!(register(&format!("task {index}")).is_ok());
    }
    let taken = register("IDLE1").expect_err("IDLE1 exists");
    assert_eq!(taken, RegisterError::NameTaken { name: "IDLE1".to_owned() });
    let full = register("one more").expect_err("the table is full");
    assert!(full.to_string().contains("at most 14 tasks"), "{full}");
}
