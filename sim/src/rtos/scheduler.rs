//! The scheduler: fixed priorities with preemption on two cores, and the account of who ran.
//!
//! Per core it keeps the running task, the set of ready ones, and three instants:
//!
//! ```text
//!      counted ────────────── from ──────────────────────── due
//!         │  stalled by flash  │  the running task's progress │ its completion
//! ```
//!
//! Everything before `counted` is in the accounts. Between two calls nothing is written: what
//! happened since follows from these three and `now`.
use std::sync::Arc;

use firmware_core::time::{Duration, Instant};
use thiserror::Error;

use super::flash::Flash;
use super::task::{CoreId, Priority, TASKS_MAX, Task, TaskId, TaskSet, TaskSpec, TaskState};
use super::usage::CoreUsage;
use super::watchdog::{Held, Holder, Starved, Watchdog, WatchdogSpec};

/// The end of a task's work, as it stands now; the caller's event queue holds it until `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Completion {
    /// When the work is done, if nothing comes between.
    pub at: Instant,
    /// The task whose work it is.
    pub task: TaskId,
    /// The core it runs on.
    pub core: CoreId,
    /// Which plan of this core it belongs to; an older one is stale.
    pub generation: u64,
}

/// Why a task cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RegisterError {
    /// The table is full.
    #[error(
        "task {name:?} is one too many: a device has at most {} tasks beside IDLE0 and IDLE1",
        TASKS_MAX - 2
    )]
    TooMany {
        /// The task that found no place.
        name: String,
    },
    /// A report could not tell the two apart.
    #[error("there is a task {name:?} already")]
    NameTaken {
        /// The name.
        name: String,
    },
}

/// One core: its plan and its account.
#[derive(Clone, Copy, Debug)]
struct Core {
    running: TaskId,
    ready: TaskSet,
    counted: Instant,
    from: Instant,
    /// [`Instant::NEVER`] while IDLE runs or the caller owes the running task a decision.
    due: Instant,
    generation: u64,
    busy: Duration,
    stalled: Duration,
}

/// Two cores and their tasks. See the [module](super) for the rules and for how it is driven.
///
/// Calls carry `now`, which never goes back. A task's id is valid only for the `Rtos` that
/// registered it.
#[derive(Clone, Debug)]
pub struct Rtos {
    tasks: [Task; TASKS_MAX],
    cores: [Core; 2],
    flash: Flash,
    watchdog: Option<Watchdog>,
    next_turn: u64,
    names: Vec<Arc<str>>,
}

impl Default for Rtos {
    fn default() -> Self {
        Self::new()
    }
}

impl Rtos {
    /// A device that was switched on at [`Instant::ZERO`] and does nothing yet: IDLE runs on both
    /// cores, and there is no watchdog.
    pub fn new() -> Self {
        let mut tasks = [Task::new(CoreId::Zero, Priority::IDLE, TaskState::Blocked); TASKS_MAX];
        for core in CoreId::ALL {
            tasks[TaskId::idle(core).index()] = Task::new(core, Priority::IDLE, TaskState::Running);
        }
        Self {
            tasks,
            cores: CoreId::ALL.map(|core| Core {
                running: TaskId::idle(core),
                ready: TaskSet::default(),
                counted: Instant::ZERO,
                from: Instant::ZERO,
                due: Instant::NEVER,
                generation: 0,
                busy: Duration::ZERO,
                stalled: Duration::ZERO,
            }),
            flash: Flash::default(),
            watchdog: None,
            next_turn: 0,
            names: vec![Arc::from("IDLE0"), Arc::from("IDLE1")],
        }
    }

    /// Adds a task, blocked. The only call that allocates, with [`Rtos::new`].
    ///
    /// # Errors
    ///
    /// When the table is full or the name is taken.
    pub fn register(&mut self, spec: TaskSpec<'_>) -> Result<TaskId, RegisterError> {
        if self.names.iter().any(|name| **name == *spec.name) {
            return Err(RegisterError::NameTaken { name: spec.name.to_owned() });
        }
        let id = TaskId::from_index(self.names.len())
            .ok_or_else(|| RegisterError::TooMany { name: spec.name.to_owned() })?;
        self.tasks[id.index()] = Task::new(spec.core, spec.priority, TaskState::Blocked);
        self.names.push(Arc::from(spec.name));
        Ok(id)
    }

    /// Sets up the task watchdog, before anything has run; the time before counts as silence.
    pub fn watch(&mut self, spec: WatchdogSpec) {
        let core = spec.also.map_or(CoreId::Zero, |task| self.tasks[task.index()].core);
        self.watchdog = Some(Watchdog::new(spec, core));
    }

    /// Gives `task` an amount of work. A blocked task becomes ready, and runs at once when no task
    /// of its core is as urgent; to one that has work already this is added. No work at all is an
    /// amount: it completes as soon as the task has the core, which is how a caller learns when a
    /// task that woke up comes to run.
    ///
    /// Returns the completion to queue when the plan of the task's core has changed. Work that
    /// would end past the end of time never completes.
    #[must_use = "the completion belongs into the event queue"]
    pub fn start(&mut self, task: TaskId, work: Duration, now: Instant) -> Option<Completion> {
        let entry = &mut self.tasks[task.index()];
        let (core, state) = (entry.core, entry.state);
        match state {
            TaskState::Running => {
                self.settle(core, now);
                self.add_work(task, work);
                self.plan(core, now)
            }
            TaskState::Ready => {
                self.add_work(task, work);
                None
            }
            TaskState::Blocked => {
                entry.state = TaskState::Ready;
                entry.remaining = work;
                entry.ready_since = now;
                entry.turn = self.next_turn;
                self.next_turn += 1;
                self.cores[core.index()].ready.insert(task);
                self.preempt_if_outranked(core, now)
            }
        }
    }

    /// Takes a completion from the event queue: the task whose work is done, or `None` when the
    /// plan has changed since and the completion is stale.
    ///
    /// The task keeps the core until the caller starts more work or blocks it, at this same
    /// instant; were time to pass, it would count as the task's.
    pub fn complete(&mut self, due: Completion, now: Instant) -> Option<TaskId> {
        let core = &self.cores[due.core.index()];
        if core.generation != due.generation {
            return None;
        }
        debug_assert_eq!(core.due, now, "a completion is taken at its own instant");
        self.settle(due.core, now);
        let core = &mut self.cores[due.core.index()];
        core.due = Instant::NEVER;
        core.generation += 1;
        let running = core.running;
        self.note_run(due.core, Duration::ZERO, now);
        Some(running)
    }

    /// Blocks `task`: it gives up its core or its place in the queue, and work it has left is
    /// dropped. Returns the completion of the task that runs instead, if one does.
    #[must_use = "the completion belongs into the event queue"]
    pub fn block(&mut self, task: TaskId, now: Instant) -> Option<Completion> {
        let Task { core, state, .. } = self.tasks[task.index()];
        if state == TaskState::Blocked {
            return None;
        }
        self.settle(core, now);
        let entry = &mut self.tasks[task.index()];
        entry.longest_wait = entry.longest_wait_at(now);
        entry.state = TaskState::Blocked;
        entry.remaining = Duration::ZERO;
        if state == TaskState::Ready {
            self.cores[core.index()].ready.remove(task);
            return None;
        }
        self.dispatch(core, now)
    }

    /// A flash write: both cores stand still for `span`, after the writes that are still going on.
    /// Tasks keep what they have left. Returns each core's completion, when its plan has changed.
    #[must_use = "the completions belong into the event queue"]
    pub fn stall(&mut self, now: Instant, span: Duration) -> [Option<Completion>; 2] {
        let until = self.flash.write(now, span);
        CoreId::ALL.map(|id| {
            self.settle(id, now);
            let core = &mut self.cores[id.index()];
            if core.due == Instant::NEVER {
                core.from = until;
                return None;
            }
            self.plan(id, now)
        })
    }

    /// Raises `task` to `priority` until [`Rtos::repay_priority`], as a `FreeRTOS` mutex does with
    /// its owner; a priority below its own changes nothing. The completion is the core's new one,
    /// when another task runs now.
    #[must_use = "the completion belongs into the event queue"]
    pub fn lend_priority(
        &mut self,
        task: TaskId,
        priority: Priority,
        now: Instant,
    ) -> Option<Completion> {
        let own = self.tasks[task.index()].base_priority;
        self.change_priority(task, own.max(priority), now)
    }

    /// Puts `task` back to the priority it was registered with.
    #[must_use = "the completion belongs into the event queue"]
    pub fn repay_priority(&mut self, task: TaskId, now: Instant) -> Option<Completion> {
        self.change_priority(task, self.tasks[task.index()].base_priority, now)
    }

    /// What `core` completes next; `None` while IDLE runs there, or a task whose work is done.
    pub fn completion(&self, core: CoreId) -> Option<Completion> {
        let Core { running, due, generation, .. } = self.cores[core.index()];
        (due != Instant::NEVER).then_some(Completion { at: due, task: running, core, generation })
    }

    /// What the device completes next: the earlier of both cores, core 0 when they tie.
    pub fn next_completion(&self) -> Option<Completion> {
        let [zero, one] = &self.cores;
        self.completion(if one.due < zero.due { CoreId::One } else { CoreId::Zero })
    }

    /// The earliest instant at which the watchdog can bite, judged at `now`; `None` without one.
    ///
    /// A caller keeps one event for it: when its time comes it asks [`Rtos::starved`] and, if all
    /// is well, puts the next one where this function says. Between the two, running tasks only
    /// move the instant later.
    pub fn watchdog_deadline(&mut self, now: Instant) -> Option<Instant> {
        self.settle_both(now);
        let watchdog = self.watchdog.as_ref()?;
        let fed = watchdog.watched().map(|(task, _)| self.tasks[task.index()].last_ran).min()?;
        Some(fed.after(watchdog.timeout))
    }

    /// Whether a watched task has not run for the whole time-out; IDLE0 is asked first.
    pub fn starved(&mut self, now: Instant) -> Option<Starved> {
        self.settle_both(now);
        let watchdog = self.watchdog.as_ref()?;
        let silent = |task: TaskId| now.since(self.tasks[task.index()].last_ran);
        let (task, held) =
            watchdog.watched().find(|&(task, _)| silent(task) >= watchdog.timeout)?;
        let entry = &self.tasks[task.index()];
        let holder = match (entry.state, held) {
            (TaskState::Blocked, _) => Holder::Nobody,
            (TaskState::Ready | TaskState::Running, Held::ByFlash) => Holder::Flash,
            (TaskState::Ready | TaskState::Running, Held::By(holder)) => {
                Holder::Task(self.shared_name(holder))
            }
        };
        let (core, since) = (entry.core, entry.last_ran);
        Some(Starved { task: self.shared_name(task), core, holder, since, at: now })
    }

    /// The flash device.
    pub const fn flash(&self) -> Flash {
        self.flash
    }

    /// The task's name.
    pub fn name(&self, task: TaskId) -> &str {
        &self.names[task.index()]
    }

    /// What the task is doing.
    pub const fn state(&self, task: TaskId) -> TaskState {
        self.tasks[task.index()].state
    }

    /// The priority that counts for the task now, a lent one included.
    pub const fn priority(&self, task: TaskId) -> Priority {
        self.tasks[task.index()].priority
    }

    /// The task that has `core`; `None` while IDLE has it.
    pub fn running(&self, core: CoreId) -> Option<TaskId> {
        Some(self.cores[core.index()].running).filter(|task| !task.is_idle())
    }

    /// The work that the task has left at `now`.
    pub fn remaining(&self, task: TaskId, now: Instant) -> Duration {
        self.tasks[task.index()].remaining.minus(self.uncounted(task, now))
    }

    /// How long the task has run since switching on.
    pub fn ran(&self, task: TaskId, now: Instant) -> Duration {
        self.tasks[task.index()].ran.plus(self.uncounted(task, now))
    }

    /// The longest stretch in which the task was ready and did not run, one that still lasts
    /// included. Flash writes count: on a stalled core nothing runs.
    pub fn longest_wait(&self, task: TaskId, now: Instant) -> Duration {
        let entry = &self.tasks[task.index()];
        match entry.state {
            TaskState::Blocked => entry.longest_wait,
            TaskState::Ready => entry.longest_wait_at(now),
            TaskState::Running => {
                entry.longest_wait_at(now.min(self.cores[entry.core.index()].from))
            }
        }
    }

    /// The longest stretch in which IDLE did not run on `core`, one that still lasts included.
    pub fn longest_without_idle(&self, core: CoreId, now: Instant) -> Duration {
        self.longest_wait(TaskId::idle(core), now)
    }

    /// Where the time of `core` went since switching on.
    pub fn usage(&self, core: CoreId, now: Instant) -> CoreUsage {
        let Core { running, counted, from, busy, stalled, .. } = self.cores[core.index()];
        let open = if running.is_idle() { Duration::ZERO } else { now.since(from) };
        CoreUsage {
            busy: busy.plus(open),
            idle: self.ran(TaskId::idle(core), now),
            stalled: stalled.plus(from.min(now).since(counted)),
        }
    }

    fn shared_name(&self, task: TaskId) -> Arc<str> {
        Arc::clone(&self.names[task.index()])
    }

    /// The progress of `task` that is not in its account yet.
    fn uncounted(&self, task: TaskId, now: Instant) -> Duration {
        let core = &self.cores[self.tasks[task.index()].core.index()];
        if core.running == task { now.since(core.from) } else { Duration::ZERO }
    }

    fn add_work(&mut self, task: TaskId, work: Duration) {
        let entry = &mut self.tasks[task.index()];
        entry.remaining = entry.remaining.plus(work);
    }

    fn settle_both(&mut self, now: Instant) {
        for core in CoreId::ALL {
            self.settle(core, now);
        }
    }

    /// Enters what happened on a core until `now` into the accounts. Changes no plan.
    fn settle(&mut self, id: CoreId, now: Instant) {
        let core = &mut self.cores[id.index()];
        debug_assert!(now >= core.counted, "time does not go back");
        let stalled = core.from.min(now).since(core.counted);
        let ran = now.since(core.from);
        core.counted = now;
        if !stalled.is_zero() {
            core.stalled = core.stalled.plus(stalled);
            if let Some(watchdog) = &mut self.watchdog {
                watchdog.note_stall(id, stalled);
            }
        }
        if !ran.is_zero() {
            self.note_run(id, ran, now);
        }
    }

    /// The running task of a core had it for `ran`, until `now`. A task that had no work and ran
    /// for no time at all did run; one that lost the core in the instant it got it did not, and
    /// does not come here.
    fn note_run(&mut self, id: CoreId, ran: Duration, now: Instant) {
        let core = &mut self.cores[id.index()];
        let task = &mut self.tasks[core.running.index()];
        task.longest_wait = task.longest_wait_at(core.from);
        task.last_ran = now;
        task.ran = task.ran.plus(ran);
        if !core.running.is_idle() {
            task.remaining = task.remaining.minus(ran);
            core.busy = core.busy.plus(ran);
        }
        core.from = now;
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.note_run(id, core.running, ran);
        }
    }

    /// Plans the completion of a core's running task, after [`Rtos::settle`].
    fn plan(&mut self, id: CoreId, now: Instant) -> Option<Completion> {
        let core = &mut self.cores[id.index()];
        core.from = now.max(self.flash.busy_until());
        core.due = if core.running.is_idle() {
            Instant::NEVER
        } else {
            core.from.after(self.tasks[core.running.index()].remaining)
        };
        core.generation += 1;
        self.completion(id)
    }

    /// The ready task of a core that is served first.
    fn first_ready(&self, id: CoreId) -> Option<TaskId> {
        self.cores[id.index()].ready.iter().reduce(|first, task| {
            let [a, b] = [first, task].map(|task| &self.tasks[task.index()]);
            if b.precedes(a) { task } else { first }
        })
    }

    /// Takes the core from its running task when a ready one is more urgent.
    fn preempt_if_outranked(&mut self, id: CoreId, now: Instant) -> Option<Completion> {
        let running = self.cores[id.index()].running;
        let next = self.first_ready(id)?;
        if self.priority(next) <= self.priority(running) {
            return None;
        }
        self.settle(id, now);
        self.tasks[running.index()].state = TaskState::Ready;
        self.cores[id.index()].ready.insert(running);
        self.dispatch(id, now)
    }

    /// Gives a core that was just taken or given up to the first of its ready tasks.
    fn dispatch(&mut self, id: CoreId, now: Instant) -> Option<Completion> {
        let next = self.first_ready(id).expect("IDLE is ready whenever it does not run");
        let core = &mut self.cores[id.index()];
        core.ready.remove(next);
        core.running = next;
        self.tasks[next.index()].state = TaskState::Running;
        self.plan(id, now)
    }

    fn change_priority(
        &mut self,
        task: TaskId,
        priority: Priority,
        now: Instant,
    ) -> Option<Completion> {
        let entry = &mut self.tasks[task.index()];
        entry.priority = priority;
        let core = entry.core;
        self.preempt_if_outranked(core, now)
    }
}
