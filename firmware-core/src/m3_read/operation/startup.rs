//! Startup: an interface in unknown state is found, reset, swept of sessions, and asked what it can.
//!
//! ```text
//!   $DF1D = $C9 or $49? ─► $0C, bit 2 clear within 45 s ─► CLOSE 0 … CLOSE 15 ─► INFO ─► ready
//!        └─ no: nothing is ever written
//! ```
//!
//! RELEASE is not sent here: it is for a session whose handle is unknown, and the sweep names all.
//!
//! Clauses: ER-2, ER-4, ER-9, ER-22, S 1.3.
use super::{
    Access, Command, Connection, Doing, Done, Ended, ErrorCode, Exchange, Job, M3Read, Next,
    Ownership,
};
use crate::m3_read::ownership::HANDLES;
use crate::m3_read::registers::{Register, is_present};

/// Bytes of the capability record.
pub(super) const INFO_BYTES: u16 = 16;
/// The status of a command that the firmware does not know.
pub(super) const UNKNOWN_COMMAND: u8 = 21;

/// How far the startup has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::m3_read) enum Stage {
    Identify,
    Reset,
    Sweep { handle: u8 },
    Capabilities,
}

impl M3Read {
    pub(super) fn start_up(&mut self) -> Next {
        if self.wedged {
            return self.finish(Done::Startup(Err(ErrorCode::WaitTimeout)));
        }
        self.connection = Connection::Closed;
        self.ownership = Ownership::Nothing;
        self.last_error = ErrorCode::Ok;
        self.job = Job::Startup(Stage::Identify);
        self.doing = Doing::Identifying;
        Next::Access(Access::Read(Register::Command))
    }

    /// The identifier was read.
    pub(in crate::m3_read) fn identified(&mut self, id: u8) -> Next {
        if !is_present(id) {
            let absent = self.fail(ErrorCode::NotPresent);
            return self.finish(Done::Startup(absent));
        }
        let (exchange, access) = Exchange::begin_startup();
        self.job = Job::Startup(Stage::Reset);
        self.doing = Doing::Exchanging(exchange);
        Next::Access(access)
    }

    pub(super) fn startup_settled(
        &mut self,
        stage: Stage,
        ended: Ended,
        exchange: &Exchange,
    ) -> Next {
        match (stage, ended) {
            (_, Ended::Wedged) => self.finish(Done::Startup(Err(ErrorCode::WaitTimeout))),
            (Stage::Identify | Stage::Reset, _) => self.sweep(0),
            // Whatever became of this CLOSE, the next handle is closed too.
            (Stage::Sweep { handle }, _) if handle + 1 < HANDLES => self.sweep(handle + 1),
            (Stage::Sweep { .. }, _) => {
                self.launch(Job::Startup(Stage::Capabilities), Command::Info)
            }
            (Stage::Capabilities, ended) => {
                let verdict = match ended {
                    Ended::Aborted(_) | Ended::Wedged => self.fail(ErrorCode::WaitTimeout),
                    Ended::Replied if self.line.code() == UNKNOWN_COMMAND => {
                        self.fail(ErrorCode::CommandUnknown)
                    }
                    Ended::Replied if exchange.reply().1 == INFO_BYTES => Ok(()),
                    Ended::Rejected | Ended::Replied => self.fail(ErrorCode::NotPresent),
                };
                self.finish(Done::Startup(verdict))
            }
        }
    }

    fn sweep(&mut self, handle: u8) -> Next {
        self.launch(Job::Startup(Stage::Sweep { handle }), Command::Close { handle })
    }
}
