//! Write: first whatever is pending is read, then the buffer goes out in pieces; a piece that is not
//! confirmed in full is never sent again.
//!
//! ```text
//!   READ ─► data ─► READ … ─► idle, or the ring is full ─► WRITE 892 ─► … ─► WRITE rest
//! ```
//!
//! Clauses: ER-21, S 1.5, S 1.6, S 1.1 others.
use super::{Command, Connection, Done, Ended, ErrorCode, Exchange, Job, M3Read, Next, Ownership};
use crate::m3_read::command::WRITE_PIECE_MAX;
use crate::m3_read::output::{PollOutcome, WriteOutcome};

/// How far a buffer has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::m3_read) struct Progress {
    length: u16,
    sent: u16,
    /// Bytes in the piece that is on its way; 0 while pending data are read.
    piece: u16,
}

impl M3Read {
    pub(super) fn write(&mut self, length: u16) -> Next {
        self.read_pending(Progress { length, sent: 0, piece: 0 })
    }

    fn read_pending(&mut self, progress: Progress) -> Next {
        match self.read_command() {
            Ok(command) => self.launch(Job::Write(progress), command),
            Err(PollOutcome::Full) => self.send_piece(progress),
            Err(_) => self.finish(Done::Write(WriteOutcome::NotConnected)),
        }
    }

    fn send_piece(&mut self, progress: Progress) -> Next {
        let piece = progress.length.saturating_sub(progress.sent).min(WRITE_PIECE_MAX);
        match (piece, self.ownership) {
            (0, _) => self.finish(Done::Write(WriteOutcome::Sent)),
            (_, Ownership::Nothing) => self.finish(Done::Write(WriteOutcome::NotConnected)),
            (length, Ownership::Owned(handle)) => self.launch(
                Job::Write(Progress { piece, ..progress }),
                Command::Write { handle, offset: progress.sent, length },
            ),
        }
    }

    pub(super) fn write_settled(
        &mut self,
        progress: Progress,
        ended: Ended,
        exchange: &Exchange,
    ) -> Next {
        if progress.piece == 0 {
            return self.pending_settled(progress, ended, exchange);
        }
        let code = match ended {
            Ended::Wedged | Ended::Aborted(_) => ErrorCode::WaitTimeout,
            Ended::Rejected => ErrorCode::SendFailed,
            Ended::Replied => match exchange.reply() {
                (&[low, high], 2)
                    if u16::from_le_bytes([low, high]) == progress.piece
                        && self.line.code() == 0 =>
                {
                    let sent = progress.sent + progress.piece;
                    return self.send_piece(Progress { sent, piece: 0, ..progress });
                }
                _ => ErrorCode::ShortWrite,
            },
        };
        self.connection = Connection::Error;
        self.last_error = code;
        self.finish(Done::Write(WriteOutcome::Failed(code)))
    }

    fn pending_settled(&mut self, progress: Progress, ended: Ended, exchange: &Exchange) -> Next {
        match self.judge_read(ended, exchange) {
            PollOutcome::Data(_) => self.read_pending(progress),
            PollOutcome::Idle | PollOutcome::Full => self.send_piece(progress),
            PollOutcome::Gone(_) | PollOutcome::End => {
                self.finish(Done::Write(WriteOutcome::NotConnected))
            }
            PollOutcome::NotOurs
            | PollOutcome::DeadOwned(_)
            | PollOutcome::Hole(_)
            | PollOutcome::TimedOut(_)
            | PollOutcome::Rejected
            | PollOutcome::Wedged => {
                let failed = WriteOutcome::Failed(self.last_error);
                self.finish(Done::Write(failed))
            }
        }
    }
}
