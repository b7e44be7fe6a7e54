//! Properties of random schedules, against a device that is simulated nanosecond by nanosecond.
use firmware_core::time::{Duration, Instant};
use proptest::prelude::*;

use super::super::{CoreId, TaskId, TaskState};
use super::Driver;

/// The tasks of the random device: core and priority.
const TASKS: [(CoreId, u8); 8] = [
    (CoreId::Zero, 5),
    (CoreId::Zero, 7),
    (CoreId::Zero, 7),
    (CoreId::Zero, 8),
    (CoreId::One, 5),
    (CoreId::One, 5),
    (CoreId::One, 7),
    (CoreId::One, 8),
];

#[derive(Clone, Copy, Debug)]
enum Action {
    Start { task: usize, work: u64 },
    Stall { span: u64 },
}

/// What happens, each after a pause in nanoseconds.
fn plans() -> impl Strategy<Value = Vec<(u64, Action)>> {
    let action = prop_oneof![
        6 => (0..TASKS.len(), 1..40_u64).prop_map(|(task, work)| Action::Start { task, work }),
        1 => (0..30_u64).prop_map(|span| Action::Stall { span }),
    ];
    prop::collection::vec((0..25_u64, action), 0..60)
}

/// One task of the naive device.
#[derive(Clone, Copy, Default)]
struct NaiveTask {
    left: u64,
    turn: u64,
    ran: u64,
    waits: u64,
    longest_wait: u64,
}

/// The naive device: every nanosecond each core looks for the most urgent task that has work.
#[derive(Default)]
struct Naive {
    now: u64,
    tasks: [NaiveTask; TASKS.len()],
    idle: [NaiveTask; 2],
    stalled: [u64; 2],
    stalled_until: u64,
    starts: u64,
    log: Vec<(u64, usize)>,
}

impl Naive {
    fn act(&mut self, action: Action) {
        match action {
            Action::Start { task, work } => {
                self.starts += 1;
                let entry = &mut self.tasks[task];
                if entry.left == 0 {
                    entry.turn = self.starts;
                }
                entry.left += work;
            }
            Action::Stall { span } => {
                self.stalled_until = self.stalled_until.max(self.now) + span;
            }
        }
    }

    fn run_until(&mut self, end: u64) {
        while self.now < end {
            for core in CoreId::ALL {
                self.run_one_nanosecond(core);
            }
            self.now += 1;
        }
    }

    fn run_one_nanosecond(&mut self, core: CoreId) {
        let stalled = self.now < self.stalled_until;
        let first = (0..TASKS.len())
            .filter(|&task| TASKS[task].0 == core && self.tasks[task].left > 0)
            .min_by_key(|&task| (u8::MAX - TASKS[task].1, self.tasks[task].turn))
            .filter(|_| !stalled);
        for task in (0..TASKS.len()).filter(|&task| TASKS[task].0 == core) {
            let entry = &mut self.tasks[task];
            if first == Some(task) {
                entry.run();
                entry.left -= 1;
                if entry.left == 0 {
                    self.log.push((self.now + 1, task));
                }
            } else if entry.left > 0 {
                entry.wait();
            }
        }
        let idle = &mut self.idle[usize::from(core.number())];
        if first.is_none() && !stalled {
            idle.run();
        } else {
            idle.wait();
        }
        self.stalled[usize::from(core.number())] += u64::from(stalled);
    }
}

impl NaiveTask {
    fn run(&mut self) {
        self.ran += 1;
        self.waits = 0;
    }

    fn wait(&mut self) {
        self.waits += 1;
        self.longest_wait = self.longest_wait.max(self.waits);
    }
}

fn ns(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

/// The device under test beside the naive one.
struct Pair {
    driver: Driver,
    ids: [TaskId; TASKS.len()],
    naive: Naive,
}

impl Pair {
    fn new() -> Self {
        let mut driver = Driver::new();
        let mut names = ["a", "b", "c", "d", "e", "f", "g", "h"].into_iter();
        let ids = TASKS.map(|(core, priority)| {
            driver.task(names.next().expect("a name for each"), core, priority)
        });
        Self { driver, ids, naive: Naive::default() }
    }

    fn now(&self) -> Instant {
        Instant::from_nanos(self.naive.now)
    }

    fn run_until(&mut self, end: u64) {
        self.naive.run_until(end);
        self.driver.run_until(self.now());
    }

    fn act(&mut self, action: Action) {
        let now = self.now();
        self.naive.act(action);
        match action {
            Action::Start { task, work } => self.driver.start(self.ids[task], ns(work), now),
            Action::Stall { span } => self.driver.stall(now, ns(span)),
        }
    }

    /// No ready task is more urgent than the one that has its core.
    fn assert_order(&self) {
        let rtos = &self.driver.rtos;
        for id in self.ids.into_iter().filter(|&id| rtos.state(id) == TaskState::Ready) {
            let holders = CoreId::ALL.map(|core| rtos.running(core));
            let holder = holders[usize::from(self.core_of(id).number())];
            let holder = holder.expect("IDLE does not run while a task is ready");
            assert!(rtos.priority(holder) >= rtos.priority(id));
        }
    }

    fn core_of(&self, id: TaskId) -> CoreId {
        let place = self.ids.iter().position(|&known| known == id).expect("one of ours");
        TASKS[place].0
    }

    /// Both devices agree on what every task and every core has done so far.
    fn assert_accounts(&self) {
        let (rtos, now) = (&self.driver.rtos, self.now());
        for (id, naive) in self.ids.into_iter().zip(&self.naive.tasks) {
            assert_eq!(rtos.remaining(id, now), ns(naive.left), "work left of {}", rtos.name(id));
            assert_eq!(rtos.ran(id, now), ns(naive.ran), "run time of {}", rtos.name(id));
            assert_eq!(rtos.longest_wait(id, now), ns(naive.longest_wait), "{}", rtos.name(id));
        }
        for core in CoreId::ALL {
            let (usage, index) = (rtos.usage(core, now), usize::from(core.number()));
            assert_eq!(usage.idle, ns(self.naive.idle[index].ran));
            assert_eq!(usage.stalled, ns(self.naive.stalled[index]));
            let longest = ns(self.naive.idle[index].longest_wait);
            assert_eq!(rtos.longest_without_idle(core, now), longest);
        }
    }

    /// What the tasks of a core ran, what IDLE ran and what was stalled make up the whole time.
    fn assert_conserved(&self) {
        let (rtos, now) = (&self.driver.rtos, self.now());
        for core in CoreId::ALL {
            let usage = rtos.usage(core, now);
            let ran = self.ids.into_iter().filter(|&id| self.core_of(id) == core);
            let ran = ran.map(|id| rtos.ran(id, now)).fold(Duration::ZERO, Duration::plus);
            assert_eq!(usage.busy, ran);
            assert_eq!(ran.plus(usage.idle).plus(usage.stalled), now.since(Instant::ZERO));
        }
    }
}

proptest! {
    /// Cites WG-WDT-1: every nanosecond is somebody's, and every wait is remembered.
    #[test]
    fn any_schedule_is_the_one_that_a_nanosecond_by_nanosecond_device_finds(plan in plans()) {
        let mut pair = Pair::new();
        for (pause, action) in plan {
            pair.run_until(pair.naive.now + pause);
            pair.assert_accounts();
            pair.act(action);
            pair.assert_order();
            pair.assert_accounts();
            pair.assert_conserved();
        }
        pair.run_until(pair.naive.now + 3_000);
        pair.assert_accounts();
        pair.assert_conserved();
        let naive: Vec<(Instant, TaskId)> = pair
            .naive
            .log
            .iter()
            .map(|&(at, task)| (Instant::from_nanos(at), pair.ids[task]))
            .collect();
        prop_assert_eq!(&pair.driver.log, &naive);
    }

    #[test]
    fn a_preempted_task_ends_later_by_exactly_what_preempted_it(
        work in 1..u64::MAX / 8,
        cut in 0..u64::MAX / 8,
        interruption in 0..u64::MAX / 8,
    ) {
        let mut driver = Driver::new();
        let low = driver.task("low", CoreId::One, 5);
        let high = driver.task("high", CoreId::One, 8);
        let cut = cut % work;
        driver.start(low, ns(work), Instant::ZERO);
        driver.start(high, ns(interruption), Instant::from_nanos(cut));
        prop_assert_eq!(driver.rtos.remaining(low, Instant::from_nanos(cut)), ns(work - cut));
        driver.run_until(Instant::from_nanos(u64::MAX / 2));
        let expected = [
            (Instant::from_nanos(cut + interruption), high),
            (Instant::from_nanos(work + interruption), low),
        ];
        prop_assert_eq!(&driver.log, &expected);
    }

    #[test]
    fn a_stall_lengthens_what_it_meets_by_exactly_its_span(
        work in 1..u64::MAX / 8,
        cut in 0..u64::MAX / 8,
        spans in prop::collection::vec(0..u64::MAX / 64, 1..4),
    ) {
        let mut driver = Driver::new();
        let task = driver.task("task", CoreId::Zero, 5);
        driver.start(task, ns(work), Instant::ZERO);
        let cut = Instant::from_nanos(cut % work);
        for &span in &spans {
            driver.stall(cut, ns(span));
        }
        driver.run_until(Instant::from_nanos(u64::MAX / 2));
        let whole = spans.iter().sum::<u64>();
        prop_assert_eq!(&driver.log, &[(Instant::from_nanos(work + whole), task)]);
        prop_assert_eq!(driver.rtos.flash().stalled(), ns(whole));
    }
}
