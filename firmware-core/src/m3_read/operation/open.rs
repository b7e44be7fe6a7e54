//! Open: an older session is closed first, the firmware is given time to become ready, and whatever
//! a reply in no documented shape may have opened is released.
//!
//! ```text
//!   [CLOSE] ─► INFO ─ not ready ─► 1 s ─► INFO … ─► OPEN_TLS ─► 8 bytes, TLS 1.3 ─► connected
//!                └─ ready, or 30 s over ──────────────▲  │ └─ empty, with a line ─► refused
//!                                                        └─ anything else, or aborted ─► RELEASE
//! ```
//!
//! Clauses: ER-1, ER-9, ER-10, ER-16, S 1.1 open, S 1.1 tail grammar, S 1.7, S 1.8, S 2, App. A, what
//! v1.3 (coming) announces, and of the client rules those on a session that is still held.
use super::startup::{INFO_BYTES, UNKNOWN_COMMAND};
use super::{
    Command, Connection, Done, Ended, ErrorCode, Exchange, Job, M3Read, Next, OpenHint,
    OpenRequest, Ownership,
};
use crate::m3_read::command::HOST_MAX;
use crate::m3_read::deadline::{Elapsed, Wait};
use crate::m3_read::exchange::Reason;
use crate::m3_read::input::Trust;
use crate::m3_read::output::CloseOutcome;
use crate::m3_read::ownership::HANDLES;
use crate::m3_read::ring::Ring;
use crate::m3_read::status_line::NO_CODE;

const TLS_1_2: u16 = 0x0303;
const TLS_1_3: u16 = 0x0304;
/// Where INFO's record has the ready bits: 0 module, 1 entropy, 2 trusted time (ER-16).
const READY_BYTE: usize = 4;
/// The status of a TLS alert, and the alerts by which a server says that it has no TLS 1.3:
/// handshake failure, protocol version, insufficient security.
const ALERT: u8 = 14;
const NO_TLS13_ALERTS: [u16; 3] = [40, 70, 71];

/// How far an Open has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::m3_read) enum Stage {
    /// An older session is being closed.
    ClosingOld { pushed_again: bool },
    /// The clock is being read to start the budget of the readiness polls.
    StartingBudget,
    /// INFO runs.
    AskingReady { budget: Wait },
    /// It was not ready; the clock is being read to start the pause.
    StartingPause { budget: Wait },
    /// The pause passes.
    Pausing { budget: Wait, pause: Wait },
    /// `OPEN_TLS` runs.
    Opening,
    /// RELEASE runs, and this is what the Open will end in.
    Releasing { sent_again: bool, code: ErrorCode, hint: OpenHint },
}

/// What an `OPEN_TLS` reply amounts to.
enum Reply {
    Session { handle: u8 },
    Refused { code: ErrorCode, hint: OpenHint },
    Unusable { code: ErrorCode, hint: OpenHint },
}

const MALFORMED: Reply = Reply::Unusable { code: ErrorCode::NoSocket, hint: OpenHint::Malformed };

impl M3Read {
    pub(super) fn open(&mut self, request: OpenRequest) -> Next {
        self.last_error = ErrorCode::Ok;
        self.hint = OpenHint::None;
        if request.host_bytes == 0 || request.host_bytes > HOST_MAX {
            return self.open_failed(ErrorCode::ConnectFailed, OpenHint::None);
        }
        match self.ownership {
            Ownership::Owned(handle) => self.launch(
                Job::Open(request, Stage::ClosingOld { pushed_again: false }),
                Command::Close { handle },
            ),
            Ownership::Nothing if self.wedged => {
                self.open_failed(ErrorCode::WaitTimeout, OpenHint::None)
            }
            Ownership::Nothing => self.read_clock(Job::Open(request, Stage::StartingBudget)),
        }
    }

    pub(super) fn open_settled(
        &mut self,
        request: OpenRequest,
        stage: Stage,
        ended: Ended,
        exchange: &Exchange,
    ) -> Next {
        if ended == Ended::Wedged {
            return self.open_failed(ErrorCode::WaitTimeout, OpenHint::None);
        }
        match stage {
            Stage::ClosingOld { pushed_again } => self.old_closed(request, pushed_again, ended),
            Stage::AskingReady { budget } => {
                if ended == Ended::Replied && is_ready(request.trust, exchange) {
                    self.launch(Job::Open(request, Stage::Opening), Command::Open(request))
                } else {
                    self.read_clock(Job::Open(request, Stage::StartingPause { budget }))
                }
            }
            Stage::Opening => self.opened(request, ended, exchange),
            Stage::Releasing { sent_again, code, hint } => match ended {
                Ended::Aborted(_) if !sent_again => {
                    let again = Stage::Releasing { sent_again: true, code, hint };
                    self.launch(Job::Open(request, again), Command::Release)
                }
                Ended::Aborted(_) | Ended::Replied | Ended::Rejected | Ended::Wedged => {
                    self.open_failed(code, hint)
                }
            },
            // In these the clock is being read, and no command ends.
            Stage::StartingBudget | Stage::StartingPause { .. } | Stage::Pausing { .. } => {
                Next::Unexpected
            }
        }
    }

    fn old_closed(&mut self, request: OpenRequest, pushed_again: bool, ended: Ended) -> Next {
        match (ended, self.ownership) {
            (Ended::Rejected, Ownership::Owned(handle)) if !pushed_again => {
                let again = Job::Open(request, Stage::ClosingOld { pushed_again: true });
                return self.launch(again, Command::Close { handle });
            }
            _ => {}
        }
        match self.judge_close(ended) {
            CloseOutcome::Rejected | CloseOutcome::Wedged => {
                self.open_failed(ErrorCode::ConnectFailed, OpenHint::Held)
            }
            CloseOutcome::Closed | CloseOutcome::Aborted | CloseOutcome::NothingOwned => {
                self.read_clock(Job::Open(request, Stage::StartingBudget))
            }
        }
    }

    pub(super) fn open_clock_read(&mut self, request: OpenRequest, stage: Stage, now: u16) -> Next {
        let (mut budget, mut pause) = match stage {
            Stage::StartingBudget => {
                let budget = Wait::from(now, self.config.bounds.ready);
                let asking = Stage::AskingReady { budget };
                return self.launch(Job::Open(request, asking), Command::Info);
            }
            Stage::StartingPause { budget } => {
                (budget, Wait::from(now, self.config.bounds.ready_poll))
            }
            Stage::Pausing { budget, pause } => (budget, pause),
            // In these a command runs, and the clock is not read for the job.
            Stage::ClosingOld { .. }
            | Stage::AskingReady { .. }
            | Stage::Opening
            | Stage::Releasing { .. } => return Next::Unexpected,
        };
        match (budget.check(now), pause.check(now)) {
            // On expiry OPEN_TLS itself says what is missing.
            (Elapsed::Expired | Elapsed::Stopped, _) | (_, Elapsed::Stopped) => {
                self.launch(Job::Open(request, Stage::Opening), Command::Open(request))
            }
            (Elapsed::Running, Elapsed::Expired) => {
                let asking = Stage::AskingReady { budget };
                self.launch(Job::Open(request, asking), Command::Info)
            }
            (Elapsed::Running, Elapsed::Running) => {
                self.read_clock(Job::Open(request, Stage::Pausing { budget, pause }))
            }
        }
    }

    fn opened(&mut self, request: OpenRequest, ended: Ended, exchange: &Exchange) -> Next {
        let reply = match ended {
            Ended::Rejected => {
                Reply::Refused { code: ErrorCode::ConnectFailed, hint: OpenHint::None }
            }
            Ended::Aborted(Reason::Holed) => MALFORMED,
            Ended::Aborted(_) | Ended::Wedged => {
                Reply::Unusable { code: ErrorCode::WaitTimeout, hint: OpenHint::None }
            }
            Ended::Replied => self.judge_reply(request, exchange),
        };
        match reply {
            Reply::Session { handle } => {
                self.connection = Connection::Connected;
                self.ownership = Ownership::Owned(handle);
                self.ending = None;
                self.ring = Ring::EMPTY;
                self.finish(Done::Open(Ok(())))
            }
            Reply::Refused { code, hint } => self.open_failed(code, hint),
            Reply::Unusable { code, hint } => {
                let releasing = Stage::Releasing { sent_again: false, code, hint };
                self.launch(Job::Open(request, releasing), Command::Release)
            }
        }
    }

    fn judge_reply(&self, request: OpenRequest, exchange: &Exchange) -> Reply {
        let status = self.line.code();
        match (exchange.reply(), status) {
            ((&[handle, low, high, ..], 8), 0) if handle < HANDLES => {
                match u16::from_le_bytes([low, high]) {
                    TLS_1_3 => Reply::Session { handle },
                    TLS_1_2 if !request.tls13_only => Reply::Session { handle },
                    _ => {
                        Reply::Unusable { code: ErrorCode::ConnectFailed, hint: OpenHint::NotTls13 }
                    }
                }
            }
            (_, 0 | NO_CODE) => MALFORMED,
            ((_, 0), UNKNOWN_COMMAND) => {
                Reply::Refused { code: ErrorCode::CommandUnknown, hint: OpenHint::None }
            }
            ((_, 0), ALERT)
                if request.tls13_only
                    && self.line.value().is_some_and(|alert| NO_TLS13_ALERTS.contains(&alert)) =>
            {
                Reply::Refused { code: ErrorCode::OpenRefused, hint: OpenHint::NoTls13 }
            }
            ((_, 0), _) => Reply::Refused { code: ErrorCode::OpenRefused, hint: OpenHint::None },
            // A refusal leaves nothing open and has no bytes: this one has.
            (_, _) => MALFORMED,
        }
    }

    fn open_failed(&mut self, code: ErrorCode, hint: OpenHint) -> Next {
        self.connection = Connection::ConnectFail;
        self.hint = hint;
        let failed = self.fail(code);
        self.finish(Done::Open(failed))
    }
}

/// Whether the capability record shows all that this Open needs: a pin needs no trusted time.
fn is_ready(trust: Trust, exchange: &Exchange) -> bool {
    let needed = match trust {
        Trust::Bundle => 0b111,
        Trust::Pin => 0b011,
    };
    let (record, bytes) = exchange.reply();
    bytes == INFO_BYTES && record.get(READY_BYTE).is_some_and(|ready| ready & needed == needed)
}
