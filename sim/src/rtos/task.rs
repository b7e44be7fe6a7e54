//! A task as the scheduler sees it: where it runs, how urgent it is, and what it has left to do.
use firmware_core::time::{Duration, Instant};

/// How many tasks a device can have, the two IDLE tasks included; the modelled one has twelve.
pub const TASKS_MAX: usize = 16;

/// One of the two cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CoreId {
    /// Core 0: the protocol core, with the network and relay tasks.
    Zero,
    /// Core 1: the application core, with the manager loop.
    One,
}

impl CoreId {
    /// Both cores, in the order in which ties between them are settled.
    pub const ALL: [Self; 2] = [Self::Zero, Self::One];

    /// The core with this number; `None` beyond 1.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::Zero),
            1 => Some(Self::One),
            _ => None,
        }
    }

    /// The core's number: 0 or 1.
    pub const fn number(self) -> u8 {
        match self {
            Self::Zero => 0,
            Self::One => 1,
        }
    }

    pub(super) const fn index(self) -> usize {
        self.number() as usize
    }
}

/// How urgent a task is: 1 to 24, bigger runs first, as `FreeRTOS` on this chip has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(u8);

impl Priority {
    /// The priority of the IDLE tasks, below every other.
    pub(super) const IDLE: Self = Self(0);

    /// This priority; `None` outside 1 to 24. Priority 0 belongs to IDLE alone.
    pub const fn new(level: u8) -> Option<Self> {
        match level {
            1..=24 => Some(Self(level)),
            _ => None,
        }
    }

    /// The priority as a number.
    pub const fn level(self) -> u8 {
        self.0
    }
}

/// A task of the [`Rtos`](super::Rtos) that registered it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u8);

impl TaskId {
    /// The IDLE task of a core: the two take the first places.
    pub(super) const fn idle(core: CoreId) -> Self {
        Self(core.number())
    }

    /// The task in this place of the table; `None` beyond [`TASKS_MAX`].
    pub(super) fn from_index(index: usize) -> Option<Self> {
        u8::try_from(index).ok().filter(|_| index < TASKS_MAX).map(Self)
    }

    pub(super) const fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) const fn is_idle(self) -> bool {
        self.0 < 2
    }
}

/// What a task is registered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TaskSpec<'a> {
    /// Its name in reports; no two tasks share one.
    pub name: &'a str,
    /// The one core it runs on.
    pub core: CoreId,
    /// Its priority while nobody lends it a higher one.
    pub priority: Priority,
}

/// What a task is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskState {
    /// It has nothing to do; only [`start`](super::Rtos::start) ends this.
    Blocked,
    /// It has something to do and another task has its core.
    Ready,
    /// It has its core, which may stand still for a flash write.
    Running,
}

/// The scheduler's record of one task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) core: CoreId,
    pub(super) state: TaskState,
    /// The priority that counts now, and the one it was registered with.
    pub(super) priority: Priority,
    pub(super) base_priority: Priority,
    /// Its place among ready tasks of one priority: smaller became ready earlier.
    pub(super) turn: u64,
    pub(super) remaining: Duration,
    pub(super) ready_since: Instant,
    /// The last instant at which it is known to have run.
    pub(super) last_ran: Instant,
    pub(super) ran: Duration,
    pub(super) longest_wait: Duration,
}

impl Task {
    pub(super) const fn new(core: CoreId, priority: Priority, state: TaskState) -> Self {
        Self {
            core,
            state,
            priority,
            base_priority: priority,
            turn: 0,
            remaining: Duration::ZERO,
            ready_since: Instant::ZERO,
            last_ran: Instant::ZERO,
            ran: Duration::ZERO,
            longest_wait: Duration::ZERO,
        }
    }

    /// The longest time it was ready without running, when the present wait lasts until `at`.
    pub(super) fn longest_wait_at(&self, at: Instant) -> Duration {
        self.longest_wait.max(at.since(self.ready_since.max(self.last_ran)))
    }

    /// Whether it is served before `other` when both are ready.
    pub(super) fn precedes(&self, other: &Self) -> bool {
        self.priority > other.priority
            || (self.priority == other.priority && self.turn < other.turn)
    }
}

/// A set of tasks, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TaskSet(u16);

impl TaskSet {
    pub(super) fn insert(&mut self, task: TaskId) {
        self.0 |= 1 << task.index();
    }

    pub(super) fn remove(&mut self, task: TaskId) {
        self.0 &= !(1 << task.index());
    }

    /// The members, smallest id first.
    pub(super) fn iter(self) -> impl Iterator<Item = TaskId> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let index = usize::try_from(left.trailing_zeros()).ok()?;
            left &= left.wrapping_sub(1);
            TaskId::from_index(index)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_outside_1_to_24_are_refused() {
        assert_eq!(Priority::new(0), None);
        assert_eq!(Priority::new(25), None);
        assert_eq!(Priority::new(18).map(Priority::level), Some(18));
    }

    #[test]
    fn only_cores_0_and_1_exist() {
        assert_eq!(CoreId::from_number(1), Some(CoreId::One));
        assert_eq!(CoreId::from_number(2), None);
        for core in CoreId::ALL {
            assert_eq!(CoreId::from_number(core.number()), Some(core));
        }
    }

    #[test]
    fn a_task_set_lists_its_members_in_order_and_ends() {
        let mut set = TaskSet::default();
        for index in [15, 3, 0] {
            set.insert(TaskId::from_index(index).expect("below the limit"));
        }
        set.remove(TaskId::from_index(3).expect("below the limit"));
        let members: Vec<usize> = set.iter().map(TaskId::index).collect();
        assert_eq!(members, [0, 15]);
        assert_eq!(TaskId::from_index(TASKS_MAX), None);
    }
}
