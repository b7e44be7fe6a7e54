//! Giving a reply up: one abort, alone, and then nothing written until the firmware has served it.
//!
//! An abort does not shorten the running command; it is served once that has returned. How long that
//! may take depends on whether it is known when the command was pushed.
//!
//! Clauses: ER-1, App. A, ER-11.
use super::{Config, Ended, Exchange, Move, On, Strobe, Strobing};
use crate::m3_read::config::Bounds;

/// Why a reply is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::m3_read) enum Reason {
    /// The state of the interface is unknown: the client has just started.
    Startup,
    /// The interface did not become idle before the command; which then goes on.
    NotIdle,
    /// The first block did not come in time.
    FirstBlockLate,
    /// The continuation did not come in time.
    ContinuationLate,
    /// Neither can be told: the deadline clock stands still.
    ClockStopped,
    /// The reply has a hole, and more is announced or left behind it.
    Holed,
    /// Someone else has aborted it: bit 2 was seen while it was being read.
    Foreign,
}

impl Reason {
    /// How long bit 2 may stay set, in clock units from the abort.
    pub(super) const fn bound(self, bounds: &Bounds) -> u16 {
        match self {
            Self::Startup | Self::NotIdle => bounds.unknown_push,
            Self::FirstBlockLate
            | Self::ContinuationLate
            | Self::ClockStopped
            | Self::Holed
            | Self::Foreign => bounds.post_abort,
        }
    }
}

impl Exchange {
    /// Aborts; when an abort is pending already, that one is waited for and nothing is written.
    pub(super) fn abandon(&mut self, reason: Reason, config: &Config) -> Move {
        Move::Access(if self.seen.abort_pending() {
            self.start_wait(On::AbortServed(reason), config)
        } else {
            self.strobe(Strobe::Abort, Strobing::Abort(reason))
        })
    }

    /// The abort was served: the command goes on if it had not begun, else it is over.
    pub(super) fn served(&mut self, reason: Reason) -> Move {
        match (reason, self.command) {
            (Reason::NotIdle, Some(_)) => Move::Access(self.send(0)),
            (Reason::Startup | Reason::NotIdle, _) => Move::Ended(Ended::Replied),
            (
                Reason::FirstBlockLate
                | Reason::ContinuationLate
                | Reason::ClockStopped
                | Reason::Holed
                | Reason::Foreign,
                _,
            ) => Move::Ended(Ended::Aborted(reason)),
        }
    }
}
