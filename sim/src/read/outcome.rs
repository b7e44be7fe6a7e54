//! What one fetch of a page came to: times, counts, and the oracle's verdict.
use super::consumer::Framing;
use super::consumer::chunks::ChunkState;
use super::consumer::verdict::Carry;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::output::PollOutcome;
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::status_line::{self, NO_CODE};
use firmware_core::time::{Duration, Instant};
use models::m3_read::responder::pair::Violation;

/// How far a fetch has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Virtual time since switching on.
    pub now: Instant,
    /// Accesses so far.
    pub accesses: u64,
    /// Bytes of body that the consumer has.
    pub delivered: u32,
}

/// One READ as the client saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadRecord {
    /// When it was begun.
    pub at: Instant,
    /// From the push to the first block being seen.
    pub round_trip: Duration,
    /// All of it.
    pub whole: Duration,
    /// How it ended.
    pub outcome: PollOutcome,
}

/// What comes before the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Finding and resetting the interface.
    Startup,
    /// Asking for an address.
    Address,
    /// Opening the session.
    Open,
    /// Sending the request.
    Request,
}

impl Stage {
    /// What is done in it, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Startup => "the start of the interface",
            Self::Address => "asking for an address",
            Self::Open => "opening the session",
            Self::Request => "sending the request",
        }
    }
}

/// The status line that came with a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatusLine {
    /// As much of it as the client keeps.
    pub text: String,
    /// Its two digits; nothing without them.
    pub code: Option<u8>,
}

impl StatusLine {
    /// The line that the client has.
    pub fn of(line: &status_line::StatusLine) -> Self {
        let text = String::from_utf8_lossy(line.text()).into_owned();
        Self { text, code: Some(line.code()).filter(|&code| code != NO_CODE) }
    }
}

/// What one fetch came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// From the start of the stopwatch to the last byte of the body.
    pub page: Duration,
    /// Every READ, in order.
    pub reads: Vec<ReadRecord>,
    /// Pushes in all.
    pub pushes: u64,
    /// Pushes while the interface was not idle.
    pub pushes_rejected: u64,
    /// CLOSE commands, those of the startup not counted.
    pub closes: u64,
    /// Aborts, that of the startup not counted.
    pub aborts: u64,
    /// Reads of registers, the deadline clock's included.
    pub bus_reads: u64,
    /// Writes of registers.
    pub bus_writes: u64,
    /// Bytes of body that the consumer took.
    pub delivered: u32,
    /// Bytes of body that the consumer took and that are not what the server sent at their place.
    pub foreign_bytes: u32,
    /// Whether the run was stopped before its end.
    pub partial: bool,
    /// What failed before the body, if anything did.
    pub refused: Option<Stage>,
    /// The status line of the last command, a CLOSE after a broken session set aside.
    pub status_line: StatusLine,
    /// Whether there is a connection at the end; a broken one has since been closed.
    pub connection: Connection,
    /// The client's last error.
    pub last_error: ErrorCode,
    /// How the stream ended as the client noted it: 0, 1 with a notification, 5 without.
    pub eof_code: u8,
    /// What the head says of the body's end.
    pub framing: Framing,
    /// The status of the response, once it has come.
    pub http_status: Option<u16>,
    /// Where the chunk parser is, for a chunked body.
    pub chunk_state: Option<ChunkState>,
    /// Whether the sink had no room for a byte.
    pub sink_refused: bool,
    /// Whether the HTTP layer calls the body complete.
    pub carry: Carry,
    /// Whether the CRC of what was consumed is that of what was sent.
    pub intact: bool,
    /// Broken rules about writes.
    pub violations: Vec<Violation>,
    /// 128 bits over every control write and every READ, each with its time.
    pub digest: u128,
}

impl Outcome {
    /// Whether the consumer has the whole body, byte for byte.
    pub fn is_whole(&self) -> bool {
        self.intact && self.carry == Carry::Clear
    }

    /// Whether the screen shows the body: it does whatever the carry says, unless the session never
    /// stood or the sink refused it.
    pub const fn enters_viewer(&self) -> bool {
        self.refused.is_none() && !self.sink_refused
    }

    /// READs that found nothing.
    pub fn reads_idle(&self) -> usize {
        self.reads.iter().filter(|read| read.outcome == PollOutcome::Idle).count()
    }

    /// Median round trip of the READs that brought data; nothing when none did.
    pub fn data_round_trip(&self) -> Option<Duration> {
        self.median(is_data, |read| read.round_trip)
    }

    /// Median duration of the whole READs that brought data; nothing when none did.
    pub fn data_whole(&self) -> Option<Duration> {
        self.median(is_data, |read| read.whole)
    }

    /// Median round trip of the READs that found nothing; nothing when there was none.
    pub fn idle_round_trip(&self) -> Option<Duration> {
        self.median(|outcome| outcome == PollOutcome::Idle, |read| read.round_trip)
    }

    fn median(
        &self,
        among: impl Fn(PollOutcome) -> bool,
        span: impl Fn(&ReadRecord) -> Duration,
    ) -> Option<Duration> {
        let chosen = self.reads.iter().filter(|read| among(read.outcome));
        let mut spans: Vec<_> = chosen.map(span).collect();
        spans.sort_unstable();
        spans.get(spans.len() / 2).copied()
    }
}

const fn is_data(outcome: PollOutcome) -> bool {
    matches!(outcome, PollOutcome::Data(_))
}
