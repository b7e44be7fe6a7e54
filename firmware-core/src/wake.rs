//! When a core wants to be called next, and why: a trace then says what each call was for.
use crate::time::Instant;

/// The next call that a core asks for when it has not asked a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wake {
    /// Not before this instant; an instant that has passed means at once, and
    /// [`Instant::NEVER`] means only when an input arrives.
    pub at: Instant,
    /// What the call is for.
    pub why: WakeReason,
}

/// Why a core wants to be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WakeReason {
    /// The step it is in goes on.
    Continue,
    /// The pass is over and the loop sleeps its fixed delay.
    PassDelay,
    /// The pass is over with an open budget spent: packets may be left for the next one.
    OpensSpent,
    /// The pass is over with the add budget spent: updates may be left for the next one.
    AddsSpent,
    /// Nothing happens before the control plane has registered the device.
    Registration,
    /// The core has shut down and does nothing more.
    Stopped,
}

impl Wake {
    /// Call again at once, to go on.
    pub const fn now(now: Instant) -> Self {
        Self { at: now, why: WakeReason::Continue }
    }

    /// Call again only when an input arrives.
    pub const fn on_input(why: WakeReason) -> Self {
        Self { at: Instant::NEVER, why }
    }
}
