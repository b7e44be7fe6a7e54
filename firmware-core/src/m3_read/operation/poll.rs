//! Poll: one READ, asking for no more than the ring has room for, and what its reply means.
//!
//! Clauses: ER-5, ER-7, ER-12, S 1.1 M-2, S 1.6, S 1.6 M10.
use super::{Command, Connection, Done, Ended, ErrorCode, Exchange, Job, M3Read, Next, Ownership};
use crate::m3_read::exchange::Reason;
use crate::m3_read::header::Header;
use crate::m3_read::output::{Death, Ending, Missing, PollOutcome};

impl M3Read {
    pub(super) fn poll(&mut self) -> Next {
        match self.read_command() {
            Ok(command) => self.launch(Job::Poll, command),
            Err(outcome) => self.finish(Done::Poll(outcome)),
        }
    }

    /// The READ to send now, or the outcome that needs none.
    pub(super) fn read_command(&self) -> Result<Command, PollOutcome> {
        match (self.connection, self.ownership) {
            (Connection::Connected, Ownership::Owned(handle)) => {
                match self.ring.free().min(self.config.request_max) {
                    0 => Err(PollOutcome::Full),
                    length => Ok(Command::Read { handle, length }),
                }
            }
            (Connection::Connected, Ownership::Nothing)
            | (Connection::Closed | Connection::Error | Connection::ConnectFail, _) => {
                Err(PollOutcome::End)
            }
        }
    }

    pub(super) fn poll_settled(&mut self, ended: Ended, exchange: &Exchange) -> Next {
        let outcome = self.judge_read(ended, exchange);
        self.finish(Done::Poll(outcome))
    }

    /// What a READ that ended like this means, and what it leaves behind.
    pub(super) fn judge_read(&mut self, ended: Ended, exchange: &Exchange) -> PollOutcome {
        let transfer = exchange.transfer();
        let outcome = match (ended, transfer.hole()) {
            (Ended::Wedged, _) => PollOutcome::Wedged,
            (Ended::Rejected, _) => PollOutcome::Rejected,
            (Ended::Aborted(_) | Ended::Replied, Some(hole)) => PollOutcome::Hole(hole),
            (Ended::Aborted(reason), None) => PollOutcome::TimedOut(missing(reason)),
            (Ended::Replied, None) => match transfer.header() {
                Header::Data(_) => PollOutcome::Data(transfer.copied()),
                Header::Absent => PollOutcome::DeadOwned(Death::NoHeader),
                Header::Half(_) => PollOutcome::DeadOwned(Death::HalfHeader),
                Header::NoCount if self.line.is_idle() => PollOutcome::Idle,
                Header::NoCount => PollOutcome::NotOurs,
                Header::End => match self.line.code() {
                    1 => PollOutcome::Gone(Ending::Clean),
                    5 => PollOutcome::Gone(Ending::WithoutNotify),
                    _ => PollOutcome::DeadOwned(Death::StickyEnd),
                },
            },
        };
        self.apply(outcome);
        if transfer.header() == Header::NoCount && outcome != PollOutcome::Idle {
            // Whatever else is wrong with such a reply, the number may be another's: closing it
            // could close a stranger's socket, leaving it open costs at most one session.
            self.ownership = Ownership::Nothing;
        }
        outcome
    }

    fn apply(&mut self, outcome: PollOutcome) {
        let broken = match outcome {
            PollOutcome::Data(_) | PollOutcome::Idle | PollOutcome::Full | PollOutcome::End => {
                return;
            }
            PollOutcome::Gone(ending) => {
                self.ending = Some(ending);
                self.ownership = Ownership::Nothing;
                self.connection = Connection::Closed;
                return;
            }
            PollOutcome::NotOurs | PollOutcome::DeadOwned(Death::StickyEnd) => {
                ErrorCode::StreamLost
            }
            PollOutcome::DeadOwned(Death::NoHeader | Death::HalfHeader) => ErrorCode::BadReadHeader,
            PollOutcome::Hole(hole) => hole.code(),
            PollOutcome::TimedOut(_) | PollOutcome::Wedged => ErrorCode::WaitTimeout,
            PollOutcome::Rejected => ErrorCode::ReadFailed,
        };
        self.connection = Connection::Error;
        self.last_error = broken;
    }
}

const fn missing(reason: Reason) -> Missing {
    match reason {
        Reason::FirstBlockLate => Missing::FirstBlock,
        Reason::ContinuationLate => Missing::Continuation,
        Reason::ClockStopped => Missing::ClockTick,
        // A READ is aborted for a hole only with the hole noted, and for the first two never.
        Reason::Foreign | Reason::Startup | Reason::NotIdle | Reason::Holed => Missing::Reply,
    }
}
