//! The task watchdog: who did not run for too long, and who had the core meanwhile.
//!
//! ```text
//!   IDLE1 runs │███│          │██│
//!   others     │   │██████████│  │████████████████████████████ …
//!   silence              ok      └──────── time-out ─────────┘ Starved { task, holder }
//! ```
//!
//! The watchdog watches the IDLE task of each core and, if the firmware registered one, a low
//! task that feeds it whenever it runs. What counts is that the watched task ran, not what time it
//! is: a manager that waits for a lock gives the core up, and IDLE runs. A watched task that is
//! itself blocked for too long is reported as well ([`Holder::Nobody`]): on the chip a registered
//! task has to feed the watchdog, asleep or not.
//!
//! The verdict names the starved task and what held its core longest during the silence, because
//! the chip's own printout shows merely where the holder happened to be, which has been read as a
//! memory fault (case 01).
//!
//! # Why one timer per task
//!
//! The chip has one timer, restarted when all watched tasks have fed it, so it may bite up to one
//! time-out later than this model when the other tasks feed irregularly. The model reports the
//! earliest instant at which it can bite, which does not depend on the other core.
//!
//! Clauses: WG-WDT-1.
use std::fmt;
use std::sync::Arc;

use firmware_core::time::{Duration, Instant};

use super::task::{CoreId, TASKS_MAX, TaskId};

/// The watched tasks: IDLE0, IDLE1 and at most one more.
const WATCHES_MAX: usize = 3;

/// How a scenario sets up the task watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WatchdogSpec {
    /// The longest tolerated silence: 5 s in the shipped firmware, 30 s before August 2026. Of
    /// zero length it bites at once.
    pub timeout: Duration,
    /// Whether the IDLE task of core 0 and that of core 1 are watched. The modelled device watches
    /// both; firmware whose application never sleeps cannot watch IDLE on its core.
    pub idle: [bool; 2],
    /// A task that feeds the watchdog when it runs, watched like IDLE.
    pub also: Option<TaskId>,
}

impl WatchdogSpec {
    /// Both IDLE tasks and nothing else, as the modelled device has it.
    pub const fn of_idle(timeout: Duration) -> Self {
        Self { timeout, idle: [true; 2], also: None }
    }
}

/// What had the core while a watched task did not run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Holder {
    /// The task with this name, which ran longest during the silence.
    Task(Arc<str>),
    /// Flash writes, which took more of the silence than any task.
    Flash,
    /// Nobody: the watched task is blocked and did not ask for the core.
    Nobody,
}

/// The task watchdog bites: a watched task did not run for the whole time-out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Starved {
    /// The task that did not run.
    pub task: Arc<str>,
    /// Its core.
    pub core: CoreId,
    /// What had the core.
    pub holder: Holder,
    /// When the task last ran.
    pub since: Instant,
    /// When the time-out was over.
    pub at: Instant,
}

impl fmt::Display for Holder {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(name) => write!(out, "{name} held the core"),
            Self::Flash => write!(out, "flash writes held the core"),
            Self::Nobody => write!(out, "it is blocked and nobody held the core against it"),
        }
    }
}

impl fmt::Display for Starved {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "task watchdog: {} on core {} did not run for {} ms, from {} ms to {} ms; {}",
            self.task,
            self.core.number(),
            self.at.since(self.since).as_millis(),
            self.since.as_millis(),
            self.at.as_millis(),
            self.holder,
        )
    }
}

/// Who held the core of a watched task since that task last ran, in time.
#[derive(Clone, Copy, Debug)]
struct Watch {
    task: TaskId,
    core: CoreId,
    /// Nothing is held yet: saves wiping the ledger on every run of IDLE.
    clear: bool,
    held: [Duration; TASKS_MAX],
    stalled: Duration,
}

/// What the ledger of a watch says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    By(TaskId),
    ByFlash,
}

/// The watchdog's state; the scheduler tells it who ran.
#[derive(Clone, Debug)]
pub(super) struct Watchdog {
    pub(super) timeout: Duration,
    watches: [Option<Watch>; WATCHES_MAX],
}

impl Watchdog {
    /// A watchdog as specified; `core_of_also` is where the task in [`WatchdogSpec::also`] runs.
    pub(super) fn new(spec: WatchdogSpec, core_of_also: CoreId) -> Self {
        let watch = |task, core| Watch {
            task,
            core,
            clear: true,
            held: [Duration::ZERO; TASKS_MAX],
            stalled: Duration::ZERO,
        };
        let [zero, one] = CoreId::ALL
            .map(|core| spec.idle[core.index()].then_some(watch(TaskId::idle(core), core)));
        let also = spec.also.map(|task| watch(task, core_of_also));
        Self { timeout: spec.timeout, watches: [zero, one, also] }
    }

    /// `task` had `core` for `span`: it has fed its own watch and is on the ledger of the others.
    pub(super) fn note_run(&mut self, core: CoreId, task: TaskId, span: Duration) {
        for watch in self.watches.iter_mut().flatten().filter(|watch| watch.core == core) {
            if watch.task == task {
                watch.feed();
            } else {
                watch.clear = false;
                let held = &mut watch.held[task.index()];
                *held = held.plus(span);
            }
        }
    }

    /// A flash write kept `core` for `span`.
    pub(super) fn note_stall(&mut self, core: CoreId, span: Duration) {
        for watch in self.watches.iter_mut().flatten().filter(|watch| watch.core == core) {
            watch.clear = false;
            watch.stalled = watch.stalled.plus(span);
        }
    }

    /// The watched tasks with what their ledgers say.
    pub(super) fn watched(&self) -> impl Iterator<Item = (TaskId, Held)> {
        self.watches.iter().flatten().map(|watch| (watch.task, watch.holder()))
    }
}

impl Watch {
    fn feed(&mut self) {
        if !self.clear {
            self.held = [Duration::ZERO; TASKS_MAX];
            self.stalled = Duration::ZERO;
            self.clear = true;
        }
    }

    /// Who held the core longest; of equals the task that was registered first.
    fn holder(&self) -> Held {
        let longest = self.held.iter().copied().max().unwrap_or(Duration::ZERO);
        if self.stalled > longest {
            return Held::ByFlash;
        }
        let holder = self.held.iter().position(|&held| held == longest);
        Held::By(holder.and_then(TaskId::from_index).unwrap_or(self.task))
    }
}
