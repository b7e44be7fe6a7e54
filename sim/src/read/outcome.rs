//! What one fetch of a page came to: times, counts, and the oracle's verdict.
use super::consumer::Framing;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::output::PollOutcome;
use firmware_core::m3_read::ownership::Connection;
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
    /// Reads of registers, the deadline clock's included.
    pub bus_reads: u64,
    /// Writes of registers.
    pub bus_writes: u64,
    /// Bytes of body that the consumer took.
    pub delivered: u32,
    /// Whether the run was stopped before its end.
    pub partial: bool,
    /// Whether there is a connection at the end, and how it ended.
    pub connection: Connection,
    /// The client's last error.
    pub last_error: ErrorCode,
    /// How the stream ended as the client noted it: 0, 1 with a notification, 5 without.
    pub eof_code: u8,
    /// What the framing says of the body.
    pub framing: Framing,
    /// Whether the CRC of what was consumed is that of what was sent.
    pub intact: bool,
    /// Broken rules about writes.
    pub violations: Vec<Violation>,
    /// 128 bits over every control write and every READ, each with its time.
    pub digest: u128,
}

impl Outcome {
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
