//! Flash writes: while one lasts the instruction cache is off and neither core makes progress.
//!
//! ```text
//!   core 0   ███ task ███░░░ stalled ░░░███ task ███     what was left is still left
//!   core 1   ██ IDLE ████░░░ stalled ░░░█ IDLE ████
//!                        └── write ────┘
//! ```
//!
//! The flash has one bus, so a write that is asked for during another one begins when that has
//! ended: their spans add up. The time belongs to neither task nor IDLE but to the core's stalled
//! time, on both cores, whichever asked. A task that waits for its own write is started with no
//! work right after [`Rtos::stall`](super::Rtos::stall): it completes when the cores go on.
//!
//! Up to 45 ms per write were observed in public on this chip (case 13).
use firmware_core::time::{Duration, Instant};

/// The flash device: when it is free, and how often and how long it stopped the cores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flash {
    busy_until: Instant,
    writes: u64,
    stalled: Duration,
}

impl Flash {
    /// Before this instant the cores stand still; in the past when no write is going on.
    pub const fn busy_until(self) -> Instant {
        self.busy_until
    }

    /// How many writes there were.
    pub const fn writes(self) -> u64 {
        self.writes
    }

    /// How long all writes together stop the cores, the part still to come included.
    pub const fn stalled(self) -> Duration {
        self.stalled
    }

    /// Enters a write of length `span` and returns when the cores go on.
    pub(super) fn write(&mut self, now: Instant, span: Duration) -> Instant {
        self.busy_until = self.busy_until.max(now).after(span);
        self.writes = self.writes.saturating_add(1);
        self.stalled = self.stalled.plus(span);
        self.busy_until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-NVS-1 and case 13.
    #[test]
    fn a_write_asked_for_during_another_begins_when_that_has_ended() {
        let mut flash = Flash::default();
        let span = Duration::from_millis(45);
        assert_eq!(flash.write(Instant::from_millis(100), span), Instant::from_millis(145));
        assert_eq!(flash.write(Instant::from_millis(120), span), Instant::from_millis(190));
        assert_eq!(flash.write(Instant::from_millis(500), span), Instant::from_millis(545));
        assert_eq!(flash.busy_until(), Instant::from_millis(545));
        assert_eq!(flash.writes(), 3);
        assert_eq!(flash.stalled(), Duration::from_millis(135));
    }
}
