//! A mutex with an owner: the TCPIP core lock, under which one packet of a tunnel is processed.
//!
//! ```text
//!   wg_mgr   ──acquire──► granted ████ handshake ████ ──release──┐
//!   TCPIP         acquire ──► waiting, blocked ..................└► next owner ██
//! ```
//!
//! The lock knows nothing of the scheduler. It answers whether a task has it, must wait, or is
//! next, and the caller blocks and starts tasks accordingly; waiting for a lock is not holding a
//! core (WG-WDT-1).
//!
//! # Priority inheritance
//!
//! A mutex of `FreeRTOS` lends its owner the priority of the most urgent waiter, and wakes the most
//! urgent waiter first ([`LockRule::FREERTOS`]). A plain lock does neither ([`LockRule::PLAIN`]):
//! then a task between the two in priority can keep an urgent waiter waiting for as long as it
//! likes. With inheritance the answers contain a [`Loan`], which the caller passes on to
//! [`Rtos::lend_priority`](super::Rtos::lend_priority). A task is assumed to hold one lock at a
//! time, as on the modelled device.
use std::collections::VecDeque;

use firmware_core::time::{Duration, Instant};
use thiserror::Error;

use super::task::{Priority, TASKS_MAX, TaskId};

/// Which waiter is next when the lock is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaiterOrder {
    /// The one that waits longest.
    Fifo,
    /// The most urgent one; of equals the one that waits longest.
    Priority,
}

/// How a lock treats its waiters and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockRule {
    /// Which waiter is next.
    pub order: WaiterOrder,
    /// Whether the owner inherits the priority of its most urgent waiter.
    pub inherits: bool,
}

impl LockRule {
    /// First come, first served, and no inheritance.
    pub const PLAIN: Self = Self { order: WaiterOrder::Fifo, inherits: false };
    /// What a `FreeRTOS` mutex does, and so the TCPIP core lock of the device.
    pub const FREERTOS: Self = Self { order: WaiterOrder::Priority, inherits: true };
}

/// A priority that a task is to be given until it releases the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loan {
    /// The owner of the lock.
    pub to: TaskId,
    /// The priority of its most urgent waiter, above its own.
    pub priority: Priority,
}

/// The answer to a task that wants the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "a task that waits has to be blocked"]
pub enum Acquired {
    /// The task has the lock.
    Granted,
    /// The task has to wait: it is blocked until a [`Released`] names it.
    Waiting {
        /// The present owner.
        owner: TaskId,
        /// What the owner inherits, when that is more than it has already.
        loan: Option<Loan>,
    },
}

/// What follows from a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "the next owner has to be started, and a loan repaid"]
pub struct Released {
    /// The task that has the lock now and goes on.
    pub next: Option<TaskId>,
    /// Whether the former owner had inherited and goes back to its own priority.
    pub repay: bool,
    /// What the next owner inherits from those who still wait.
    pub loan: Option<Loan>,
}

/// A use of the lock that would hang the firmware or break its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LockError {
    /// The owner wants the lock again: it would wait for itself.
    #[error("the task has the lock already and would wait for itself")]
    HeldByCaller,
    /// The task waits already.
    #[error("the task waits for the lock already")]
    AlreadyWaiting,
    /// The task releases a lock that it does not have.
    #[error("the task does not have the lock that it releases")]
    NotOwner,
}

/// How a lock was used, until the instant that was asked about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LockUsage {
    /// How often a task got the lock.
    pub acquisitions: u64,
    /// How often a task had to wait for it.
    pub contentions: u64,
    /// How long it was held, a hold that lasts included.
    pub held: Duration,
    /// The longest hold, one that lasts included.
    pub longest_hold: Duration,
    /// The longest wait that has ended.
    pub longest_wait: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Claim {
    task: TaskId,
    /// The task's own priority, or for an owner the highest that was lent to it.
    priority: Priority,
    lent: bool,
    since: Instant,
}

/// A mutex. It allocates when it is made and never again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lock {
    rule: LockRule,
    owner: Option<Claim>,
    waiters: VecDeque<Claim>,
    usage: LockUsage,
}

impl Lock {
    /// A lock that nobody has.
    pub fn new(rule: LockRule) -> Self {
        let waiters = VecDeque::with_capacity(TASKS_MAX);
        Self { rule, owner: None, waiters, usage: LockUsage::default() }
    }

    /// `task`, of its own `priority`, wants the lock.
    ///
    /// # Errors
    ///
    /// When it has the lock or waits for it already.
    pub fn acquire(
        &mut self,
        task: TaskId,
        priority: Priority,
        now: Instant,
    ) -> Result<Acquired, LockError> {
        let claim = Claim { task, priority, lent: false, since: now };
        let Some(owner) = &mut self.owner else {
            self.grant(claim);
            return Ok(Acquired::Granted);
        };
        if owner.task == task {
            return Err(LockError::HeldByCaller);
        }
        if self.waiters.iter().any(|waiter| waiter.task == task) {
            return Err(LockError::AlreadyWaiting);
        }
        let loan = if self.rule.inherits { owner.borrow(priority) } else { None };
        let owner = owner.task;
        self.waiters.push_back(claim);
        self.usage.contentions += 1;
        Ok(Acquired::Waiting { owner, loan })
    }

    /// `task` gives the lock up; the next waiter has it at once.
    ///
    /// # Errors
    ///
    /// When it does not have the lock.
    pub fn release(&mut self, task: TaskId, now: Instant) -> Result<Released, LockError> {
        let former = self.owner.filter(|owner| owner.task == task).ok_or(LockError::NotOwner)?;
        let hold = now.since(former.since);
        self.usage.held = self.usage.held.plus(hold);
        self.usage.longest_hold = self.usage.longest_hold.max(hold);
        self.owner = None;
        let mut released = Released { next: None, repay: former.lent, loan: None };
        if let Some(next) = self.next_waiter() {
            self.usage.longest_wait = self.usage.longest_wait.max(now.since(next.since));
            released.next = Some(next.task);
            released.loan = self.grant(Claim { since: now, ..next });
        }
        Ok(released)
    }

    /// The task that has the lock.
    pub fn owner(&self) -> Option<TaskId> {
        self.owner.map(|owner| owner.task)
    }

    /// How many tasks wait for it.
    pub fn waiting(&self) -> usize {
        self.waiters.len()
    }

    /// How it was used until `now`.
    pub fn usage(&self, now: Instant) -> LockUsage {
        let open = self.owner.map_or(Duration::ZERO, |owner| now.since(owner.since));
        LockUsage {
            held: self.usage.held.plus(open),
            longest_hold: self.usage.longest_hold.max(open),
            ..self.usage
        }
    }

    /// Makes `claim` the owner, who inherits from those who wait.
    fn grant(&mut self, mut claim: Claim) -> Option<Loan> {
        let most_urgent = self.waiters.iter().map(|waiter| waiter.priority).max();
        let loan = most_urgent.filter(|_| self.rule.inherits).and_then(|p| claim.borrow(p));
        self.owner = Some(claim);
        self.usage.acquisitions += 1;
        loan
    }

    fn next_waiter(&mut self) -> Option<Claim> {
        let place = match self.rule.order {
            WaiterOrder::Fifo => 0,
            WaiterOrder::Priority => {
                let most_urgent = self.waiters.iter().map(|waiter| waiter.priority).max()?;
                self.waiters.iter().position(|waiter| waiter.priority == most_urgent)?
            }
        };
        self.waiters.remove(place)
    }
}

impl Claim {
    fn borrow(&mut self, priority: Priority) -> Option<Loan> {
        if priority <= self.priority {
            return None;
        }
        self.priority = priority;
        self.lent = true;
        Some(Loan { to: self.task, priority })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COORD: (usize, u8) = (2, 5);
    const MANAGER: (usize, u8) = (3, 7);
    const COMPARATOR: (usize, u8) = (4, 8);
    const TCPIP: (usize, u8) = (5, 18);

    fn task((index, _): (usize, u8)) -> TaskId {
        TaskId::from_index(index).expect("below the limit")
    }

    fn priority((_, level): (usize, u8)) -> Priority {
        Priority::new(level).expect("1 to 24")
    }

    fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[track_caller]
    fn acquire(lock: &mut Lock, who: (usize, u8), at: u64) -> Acquired {
        lock.acquire(task(who), priority(who), ms(at)).expect("neither has it nor waits")
    }

    fn waiting(owner: (usize, u8), loan: Option<Loan>) -> Acquired {
        Acquired::Waiting { owner: task(owner), loan }
    }

    #[test]
    fn a_plain_lock_is_served_in_the_order_of_asking() {
        let mut lock = Lock::new(LockRule::PLAIN);
        assert_eq!(acquire(&mut lock, MANAGER, 0), Acquired::Granted);
        assert_eq!(acquire(&mut lock, COORD, 1), waiting(MANAGER, None));
        assert_eq!(acquire(&mut lock, TCPIP, 2), waiting(MANAGER, None));
        let none = Released { next: None, repay: false, loan: None };
        assert_eq!(
            lock.release(task(MANAGER), ms(113)),
            Ok(Released { next: Some(task(COORD)), ..none })
        );
        assert_eq!(
            lock.release(task(COORD), ms(114)),
            Ok(Released { next: Some(task(TCPIP)), ..none })
        );
        assert_eq!(lock.owner(), Some(task(TCPIP)));
        assert_eq!(lock.waiting(), 0);
        assert_eq!(lock.release(task(TCPIP), ms(115)), Ok(none));
        assert_eq!(lock.owner(), None);
    }

    /// Cites WG-HS-4 (PF-99): handshakes run under this lock.
    #[test]
    fn the_account_of_holds_and_waits_is_exact() {
        let mut lock = Lock::new(LockRule::PLAIN);
        let _granted = acquire(&mut lock, MANAGER, 10);
        let _waits = acquire(&mut lock, TCPIP, 30);
        let _next = lock.release(task(MANAGER), ms(123)).expect("it is the owner");
        let until_130 = LockUsage {
            acquisitions: 2,
            contentions: 1,
            held: Duration::from_millis(113 + 7),
            longest_hold: Duration::from_millis(113),
            longest_wait: Duration::from_millis(93),
        };
        assert_eq!(lock.usage(ms(130)), until_130);
        let open = lock.usage(ms(323));
        assert_eq!(open.longest_hold, Duration::from_millis(200));
        let _nobody = lock.release(task(TCPIP), ms(323)).expect("it is the owner");
        assert_eq!(lock.usage(ms(400)).held, Duration::from_millis(113 + 200));
    }

    /// Cites WG-HS-4 (PF-99): handshakes run under this lock.
    #[test]
    fn a_freertos_mutex_lends_its_owner_the_priority_of_the_most_urgent_waiter() {
        let mut lock = Lock::new(LockRule::FREERTOS);
        assert_eq!(acquire(&mut lock, MANAGER, 0), Acquired::Granted);
        assert_eq!(acquire(&mut lock, COORD, 1), waiting(MANAGER, None));
        let loan = |who| Some(Loan { to: task(MANAGER), priority: priority(who) });
        assert_eq!(acquire(&mut lock, COMPARATOR, 2), waiting(MANAGER, loan(COMPARATOR)));
        assert_eq!(acquire(&mut lock, TCPIP, 3), waiting(MANAGER, loan(TCPIP)));
        let released = lock.release(task(MANAGER), ms(4)).expect("it is the owner");
        assert_eq!(released, Released { next: Some(task(TCPIP)), repay: true, loan: None });
    }

    #[test]
    fn equally_urgent_waiters_of_a_freertos_mutex_are_served_in_the_order_of_asking() {
        let mut lock = Lock::new(LockRule::FREERTOS);
        let twin = (6, 8);
        for who in [MANAGER, COMPARATOR, twin] {
            let _ = acquire(&mut lock, who, 0);
        }
        let released = lock.release(task(MANAGER), ms(1)).expect("it is the owner");
        assert_eq!(released.next, Some(task(COMPARATOR)));
    }

    /// Cites WG-HS-4 (PF-99): handshakes run under this lock.
    #[test]
    fn an_equally_urgent_waiter_lends_nothing() {
        let mut lock = Lock::new(LockRule::FREERTOS);
        let _ = acquire(&mut lock, COMPARATOR, 0);
        assert_eq!(acquire(&mut lock, (6, 8), 1), waiting(COMPARATOR, None));
        let released = lock.release(task(COMPARATOR), ms(2)).expect("it is the owner");
        assert!(!released.repay);
    }

    /// Cites WG-HS-4 (PF-99): handshakes run under this lock.
    #[test]
    fn the_next_owner_inherits_from_those_who_still_wait() {
        let rule = LockRule { order: WaiterOrder::Fifo, inherits: true };
        let mut lock = Lock::new(rule);
        for who in [MANAGER, COORD, TCPIP] {
            let _ = acquire(&mut lock, who, 0);
        }
        let loan = Some(Loan { to: task(COORD), priority: priority(TCPIP) });
        assert_eq!(
            lock.release(task(MANAGER), ms(1)),
            Ok(Released { next: Some(task(COORD)), repay: true, loan })
        );
        assert_eq!(
            lock.release(task(COORD), ms(2)),
            Ok(Released { next: Some(task(TCPIP)), repay: true, loan: None })
        );
    }

    #[test]
    fn wrong_uses_are_errors_and_change_nothing() {
        let mut lock = Lock::new(LockRule::FREERTOS);
        assert_eq!(lock.release(task(MANAGER), ms(0)), Err(LockError::NotOwner));
        let _ = acquire(&mut lock, MANAGER, 0);
        let _ = acquire(&mut lock, TCPIP, 1);
        let before = lock.clone();
        let again = |lock: &mut Lock, who| lock.acquire(task(who), priority(who), ms(2));
        assert_eq!(again(&mut lock, MANAGER), Err(LockError::HeldByCaller));
        assert_eq!(again(&mut lock, TCPIP), Err(LockError::AlreadyWaiting));
        assert_eq!(lock.release(task(TCPIP), ms(2)), Err(LockError::NotOwner));
        assert_eq!(lock, before);
    }
}
