//! Tests of the scheduler through its public face, and the small driver that they share.
mod cases;
mod conservation;
mod scheduling;
mod starvation;

use firmware_core::time::{Duration, Instant};

use super::{Completion, CoreId, Priority, Rtos, TaskId, TaskSpec};

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

fn level(level: u8) -> Priority {
    Priority::new(level).expect("1 to 24")
}

/// A device with an event queue of its own: one entry per core, the newest plan.
struct Driver {
    rtos: Rtos,
    queued: [Option<Completion>; 2],
    /// What was completed: when, and which task.
    log: Vec<(Instant, TaskId)>,
}

impl Driver {
    fn new() -> Self {
        Self { rtos: Rtos::new(), queued: [None; 2], log: Vec::new() }
    }

    fn task(&mut self, name: &str, core: CoreId, priority: u8) -> TaskId {
        let spec = TaskSpec { name, core, priority: level(priority) };
        self.rtos.register(spec).expect("few tasks with names of their own")
    }

    fn queue(&mut self, completion: Option<Completion>) {
        if let Some(completion) = completion {
            self.queued[usize::from(completion.core.number())] = Some(completion);
        }
    }

    fn start(&mut self, task: TaskId, work: Duration, now: Instant) {
        self.run_until(now);
        let completion = self.rtos.start(task, work, now);
        self.queue(completion);
    }

    fn stall(&mut self, now: Instant, span: Duration) {
        self.run_until(now);
        for completion in self.rtos.stall(now, span) {
            self.queue(completion);
        }
    }

    /// Takes the earliest completion that is due until `end`, core 0 first; stale ones vanish.
    fn next(&mut self, end: Instant) -> Option<(Instant, TaskId)> {
        loop {
            let earliest = self.queued.iter().flatten().min_by_key(|due| (due.at, due.core));
            let due = *earliest.filter(|due| due.at <= end)?;
            self.queued[usize::from(due.core.number())] = None;
            if let Some(task) = self.rtos.complete(due, due.at) {
                self.log.push((due.at, task));
                return Some((due.at, task));
            }
        }
    }

    /// Takes every completion that is due until `end`; each task blocks when its work is done.
    fn run_until(&mut self, end: Instant) {
        while let Some((now, task)) = self.next(end) {
            let completion = self.rtos.block(task, now);
            self.queue(completion);
        }
    }
}
