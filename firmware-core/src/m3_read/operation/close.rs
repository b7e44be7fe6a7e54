//! Close: only while the handle is ours; a refused push is pushed once more, and a session that
//! could not be closed stays ours.
//!
//! Clauses: S 1.1 others, S 1.6 M10, App. A, and of the client rules the second push.
use super::{Command, Connection, Done, Ended, Job, M3Read, Next, Ownership};
use crate::m3_read::output::CloseOutcome;

impl M3Read {
    pub(super) fn close(&mut self) -> Next {
        match self.ownership {
            Ownership::Owned(handle) => {
                self.launch(Job::Close { pushed_again: false }, Command::Close { handle })
            }
            Ownership::Nothing => {
                self.connection = Connection::Closed;
                self.finish(Done::Close(CloseOutcome::NothingOwned))
            }
        }
    }

    pub(super) fn close_settled(&mut self, pushed_again: bool, ended: Ended) -> Next {
        match (ended, self.ownership) {
            (Ended::Rejected, Ownership::Owned(handle)) if !pushed_again => {
                self.launch(Job::Close { pushed_again: true }, Command::Close { handle })
            }
            (ended, _) => {
                let outcome = self.judge_close(ended);
                self.finish(Done::Close(outcome))
            }
        }
    }

    /// What a CLOSE that ended like this leaves behind.
    pub(super) fn judge_close(&mut self, ended: Ended) -> CloseOutcome {
        let outcome = match ended {
            Ended::Replied => CloseOutcome::Closed,
            Ended::Rejected => CloseOutcome::Rejected,
            Ended::Aborted(_) => CloseOutcome::Aborted,
            Ended::Wedged => CloseOutcome::Wedged,
        };
        match outcome {
            // An aborted CLOSE has completed: the firmware serves the abort once it has returned.
            CloseOutcome::Closed | CloseOutcome::Aborted | CloseOutcome::NothingOwned => {
                self.ownership = Ownership::Nothing;
                self.connection = Connection::Closed;
            }
            CloseOutcome::Rejected => self.connection = Connection::Closed,
            CloseOutcome::Wedged => self.connection = Connection::Error,
        }
        outcome
    }
}
