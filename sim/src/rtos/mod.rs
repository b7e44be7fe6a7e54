//! A two-core `FreeRTOS` device as plain data: which task runs, until when, and who waits.
//!
//! ```text
//!              start(task, work)              highest priority of its core
//!   blocked ───────────────────────► ready ──────────────────────────────► running
//!      ▲                               ▲                                      │ │
//!      │                               └───── a more urgent task arrives ─────┘ │
//!      │                                                                        ▼
//!      └──────────────── block(task) ◄──── the caller decides ◄──── complete(completion)
//!                                               └── start(task, more work): it keeps the core
//! ```
//!
//! Nothing here knows an event queue. [`Rtos`] advances only in calls that carry `now`, and each
//! call that changes when a core finishes something returns the [`Completion`] to put into the
//! queue. The one that was there before stays in the queue and is refused by its generation when
//! its turn comes, so a charge costs one queue entry and no search:
//!
//! ```
//! # use firmware_core::time::{Duration, Instant};
//! # use sim::rtos::{CoreId, Priority, Rtos, TaskSpec};
//! # let priority = Priority::new(7).expect("7 lies within 1 to 24");
//! let mut rtos = Rtos::new();
//! let manager = rtos.register(TaskSpec { name: "ml_wg_mgr", core: CoreId::One, priority })?;
//! let queued = rtos.start(manager, Duration::from_millis(30), Instant::ZERO);
//! let due = queued.expect("the core was idle, so the task runs at once");
//! assert_eq!(due.at, Instant::from_millis(30));
//! assert_eq!(rtos.complete(due, due.at), Some(manager)); // it still holds the core:
//! assert_eq!(rtos.block(manager, due.at), None); // more work or block, the caller decides
//! # Ok::<(), sim::rtos::RegisterError>(())
//! ```
//!
//! # What is modelled, and what is not
//!
//! - Priorities are fixed, bigger runs first; an equal one does not preempt. Ready tasks of one
//!   priority run in the order in which they became ready, and a preempted task keeps its place.
//!   `FreeRTOS` also rotates equal tasks at each tick; that is left out.
//! - Every task is pinned to a core. On the device the TCPIP thread, the comparator and a few
//!   telemetry tasks are unpinned and run wherever a core is free; a scenario chooses a core for
//!   them, so it sees the worse of the two cases only when it tries both.
//! - Interrupts and context switches take no time.
//! - One IDLE task per core, priority 0, is always ready and has no end; it is registered with
//!   the names `IDLE0` and `IDLE1` and is never started or blocked.
//! - A flash write stops both cores ([`Rtos::stall`]); waiting for a lock does not ([`Lock`]).
//!
//! # Map
//!
//! [`Rtos`] the scheduler · [`TaskSpec`] what a task is · [`CoreUsage`] where the time of a core
//! went · [`delay_until`] tick rounding · [`BoundedQueue`] queues and what they shed · [`Lock`] a
//! mutex with an owner · [`Flash`] writes that stall both cores · [`Starved`] the task watchdog.
//!
//! Clauses: WG-WDT-1; the queues' drop rules are those of WG-Q1 and WG-DISCO-1.

mod delay;
mod flash;
mod lock;
mod queue;
mod scheduler;
mod task;
#[cfg(test)]
mod tests;
mod usage;
mod watchdog;

pub use delay::{Delay, Tick, delay_until};
pub use flash::Flash;
pub use lock::{Acquired, Loan, Lock, LockError, LockRule, LockUsage, Released, WaiterOrder};
pub use queue::{BoundedQueue, DropRule, Pushed, QueueCounts, ReservedExceedDepth};
pub use scheduler::{Completion, RegisterError, Rtos};
pub use task::{CoreId, Priority, TASKS_MAX, TaskId, TaskSpec, TaskState};
pub use usage::CoreUsage;
pub use watchdog::{Holder, Starved, WatchdogSpec};
