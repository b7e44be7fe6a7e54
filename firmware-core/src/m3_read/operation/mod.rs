//! What the application asks for, as sequences of commands: one file each.
//!
//! ```text
//!   Startup  identifier, $0C, CLOSE 0..15, INFO          startup
//!   Address  GET_IPADDR per interface                    address
//!   Open     [CLOSE old], INFO until ready, OPEN_TLS,
//!            [RELEASE]                                   open
//!   Poll     READ                                        poll
//!   Write    READ until nothing is pending, WRITE …      write
//!   Close    CLOSE, [CLOSE]                              close
//! ```
mod address;
mod close;
mod open;
mod poll;
mod startup;
mod write;

use super::command::Command;
use super::exchange::KEPT_MAX;
use super::input::OpenRequest;
use super::{
    Access, Connection, Doing, Done, Ended, ErrorCode, Exchange, M3Read, Next, OpenHint, Ownership,
    Request,
};

/// What is in progress, and how far it has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Job {
    None,
    Startup(startup::Stage),
    Address { interface: u8 },
    Open(OpenRequest, open::Stage),
    Poll,
    Write(write::Progress),
    Close { pushed_again: bool },
}

impl M3Read {
    /// Begins what the application asks for; while something else is in progress, nothing changes.
    pub(super) fn request(&mut self, request: Request) -> Next {
        if self.busy() {
            return Next::Unexpected;
        }
        match request {
            Request::Startup => self.start_up(),
            Request::Address => self.ask_address(0),
            Request::Open(request) => self.open(request),
            Request::Poll => self.poll(),
            Request::Write { length } => self.write(length),
            Request::Close => self.close(),
            Request::Consume { count } => Next::Done(Done::Consumed(self.ring.consume(count))),
        }
    }

    /// Begins a command for `job`. On a wedged interface nothing is written, and the job learns that.
    fn launch(&mut self, job: Job, command: Command) -> Next {
        self.job = job;
        let (exchange, access) = Exchange::begin(command, &self.config);
        if self.wedged {
            return self.settle(Ended::Wedged, &exchange);
        }
        self.doing = Doing::Exchanging(exchange);
        Next::Access(access)
    }

    /// Reads the clock for `job`.
    fn read_clock(&mut self, job: Job) -> Next {
        self.job = job;
        self.doing = Doing::ReadingClock;
        Next::Access(Access::Clock)
    }

    /// A command has ended: the job it was sent for goes on.
    pub(super) fn settle(&mut self, ended: Ended, exchange: &Exchange) -> Next {
        self.line = *exchange.line();
        if ended == Ended::Wedged {
            self.wedged = true;
            self.last_error = ErrorCode::WaitTimeout;
        }
        match self.job {
            Job::None => Next::Unexpected,
            Job::Startup(stage) => self.startup_settled(stage, ended, exchange),
            Job::Address { interface } => self.address_settled(interface, ended, exchange),
            Job::Open(request, stage) => self.open_settled(request, stage, ended, exchange),
            Job::Poll => self.poll_settled(ended, exchange),
            Job::Write(progress) => self.write_settled(progress, ended, exchange),
            Job::Close { pushed_again } => self.close_settled(pushed_again, ended),
        }
    }

    /// The clock was read outside a command.
    pub(super) fn clock_read(&mut self, now: u16) -> Next {
        match self.job {
            Job::Open(request, stage) => self.open_clock_read(request, stage, now),
            Job::None
            | Job::Startup(_)
            | Job::Address { .. }
            | Job::Poll
            | Job::Write(_)
            | Job::Close { .. } => Next::Unexpected,
        }
    }

    /// The request is over.
    fn finish(&mut self, done: Done) -> Next {
        self.job = Job::None;
        self.doing = Doing::Nothing;
        Next::Done(done)
    }

    /// Leaves `code` and hands it back as the failure.
    fn fail<T>(&mut self, code: ErrorCode) -> Result<T, ErrorCode> {
        self.last_error = code;
        Err(code)
    }
}

const _: () = assert!(KEPT_MAX >= startup::INFO_BYTES as usize, "INFO has the longest reply kept");
