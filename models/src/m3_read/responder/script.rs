//! Engines to put behind a responder: one that answers from a list, and one that serves a page.
use super::network::{Answer, Ask};
use std::collections::VecDeque;

/// Everything behind the Nios.
pub trait Engine {
    /// The answer to `ask`, which was put `waited` clock units ago; `None` while there is none.
    fn answer(&mut self, ask: &Ask, waited: u32) -> Option<Answer>;
}

/// An answer and how long it takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Timed {
    /// Clock units from the question; `u32::MAX` is never.
    pub after: u32,
    /// What is answered.
    pub answer: Answer,
}

/// An engine that answers each kind of question from a list, and in the friendliest way once that is
/// used up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Script {
    /// For `OPEN_TLS`; then a TLS 1.3 session at once.
    pub opens: VecDeque<Timed>,
    /// For READ; then nothing yet.
    pub reads: VecDeque<Timed>,
    /// For WRITE; then sent.
    pub writes: VecDeque<Timed>,
    /// For CLOSE; then closed.
    pub closes: VecDeque<Timed>,
    /// For INFO; then all ready.
    pub infos: VecDeque<Timed>,
}

impl Script {
    /// Adds what READs bring, each at once.
    #[must_use]
    pub fn reading(mut self, answers: impl IntoIterator<Item = Answer>) -> Self {
        self.reads.extend(answers.into_iter().map(|answer| Timed { after: 0, answer }));
        self
    }
}

impl Engine for Script {
    fn answer(&mut self, ask: &Ask, waited: u32) -> Option<Answer> {
        let (list, friendly) = match ask {
            Ask::Open { .. } => {
                (&mut self.opens, Answer::Opened { version: 0x0304, suite: 0x1301, group: 0x001D })
            }
            Ask::Read { .. } => (&mut self.reads, Answer::NothingYet),
            Ask::Write { .. } => (&mut self.writes, Answer::Sent),
            Ask::Close { .. } => (&mut self.closes, Answer::Sent),
            Ask::Info => (&mut self.infos, Answer::Ready(7)),
        };
        match list.front() {
            None => Some(friendly),
            Some(timed) if timed.after <= waited && timed.after != u32::MAX => {
                list.pop_front().map(|timed| timed.answer)
            }
            Some(_) => None,
        }
    }
}

/// Bytes of a full TLS record.
pub const RECORD_BYTES: u32 = 16_384;
/// The longest body that the client can count: three bytes.
pub const BODY_MAX: u32 = 0xFF_FFFF;

/// A page that comes in full TLS records, read in engine steps, with one READ that finds nothing
/// after each record. Byte `i` of the stream is [`Page::byte`] of `i`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    bytes: u32,
    step_bytes: u32,
    served: u32,
    idle_due: bool,
}

/// A rule that a [`Page`] breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PageError {
    /// More bytes than the client can count in 24 bits.
    BodyOver24Bits(u32),
    /// An engine step of no bytes, or of more than a record.
    StepOutOfRange(u32),
}

impl core::fmt::Display for PageError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::BodyOver24Bits(bytes) => {
                write!(out, "bytes is {bytes}; the client counts up to {BODY_MAX}")
            }
            Self::StepOutOfRange(bytes) => {
                write!(out, "step_bytes is {bytes}; a step has 1..={RECORD_BYTES} bytes")
            }
        }
    }
}

impl core::error::Error for PageError {}

impl Page {
    /// A page of `bytes`, in engine steps of `step_bytes`.
    ///
    /// # Errors
    /// When the client could not count it, or a step has no size.
    pub fn try_new(bytes: u32, step_bytes: u32) -> Result<Self, PageError> {
        if bytes > BODY_MAX {
            return Err(PageError::BodyOver24Bits(bytes));
        }
        if step_bytes == 0 || step_bytes > RECORD_BYTES {
            return Err(PageError::StepOutOfRange(step_bytes));
        }
        Ok(Self { bytes, step_bytes, served: 0, idle_due: false })
    }

    /// Byte `at` of every page: no two neighbours alike, and no short period.
    pub const fn byte(at: u32) -> u8 {
        (at.wrapping_mul(0x9E37_79B1) >> 24).to_le_bytes()[0]
    }

    fn next_step(&mut self) -> Answer {
        if self.idle_due {
            self.idle_due = false;
            return Answer::NothingYet;
        }
        if self.served == self.bytes {
            return Answer::Ended { notified: true };
        }
        let in_record = RECORD_BYTES - self.served % RECORD_BYTES;
        let step = self.step_bytes.min(in_record).min(self.bytes - self.served);
        let end = self.served + step;
        let data = (self.served..end).map(Self::byte).collect();
        self.served = end;
        self.idle_due = end.is_multiple_of(RECORD_BYTES) || end == self.bytes;
        Answer::Data(data)
    }
}

impl Engine for Page {
    fn answer(&mut self, ask: &Ask, _waited: u32) -> Option<Answer> {
        Some(match ask {
            Ask::Open { .. } => Answer::Opened { version: 0x0304, suite: 0x1301, group: 0x001D },
            Ask::Read { .. } => self.next_step(),
            Ask::Write { .. } | Ask::Close { .. } => Answer::Sent,
            Ask::Info => Answer::Ready(7),
        })
    }
}
