//! The TLS engine on the ESP32 and the line to it: records of 16 384 bytes that become complete one
//! after the other, handed out in steps, each over one call of known duration.
//!
//! ```text
//!   READ ─► record in hand? ─yes─► next step of it          after call + bytes + excess
//!              └─no─► complete within the wait? ─yes─► wait, then the same
//!                                   └─no─► "nothing yet"    after wait + call
//! ```
//!
//! The next record begins to come when a READ has found none: the engine's window is smaller than a
//! record, so nothing arrives while nobody reads. Where the Nios fetches ahead, calls follow one
//! another on the one line, each as soon as there is room for its step.
use super::delay::Excess;
use super::parameters::Parameters;
use super::reply::{Course, Reply};
use super::server::Ending;
use crate::random::Stream;
use firmware_core::time::{Duration, Instant};
use models::m3_read::responder::network::{Answer, Ask};
use models::m3_read::responder::script::RECORD_BYTES;
use std::collections::VecDeque;

/// Plaintext bytes of one engine step on the published bench (M3-059).
pub const STEP_BYTES: u32 = 960;

/// An answer and when the Nios has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// When.
    pub at: Instant,
    /// What.
    pub answer: Answer,
    /// What becomes of its blocks on the bus.
    pub course: Course,
}

/// What the engine has to give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The server's stream.
    pub bytes: Vec<u8>,
    /// What follows it.
    pub ending: Ending,
    /// A silence behind so many bytes of it.
    pub pause: Option<(usize, Duration)>,
    /// A reply in place of one of the steps.
    pub reply: Option<Reply>,
    /// The status line that a session is refused with.
    pub refusal: Option<String>,
}

impl Answered {
    /// An answer of which nothing goes wrong.
    fn plain(at: Instant, answer: Answer) -> Self {
        Self { at, answer, course: Course::default() }
    }
}

/// The engine, with the server's bytes behind it.
#[derive(Clone, Debug)]
pub struct Engine {
    parameters: Parameters,
    step_bytes: u32,
    excess: Excess,
    stream: Stream,
    source: Source,
    served: usize,
    steps: u32,
    /// End of the record in hand.
    record_end: usize,
    /// When the next record is complete, once it has begun to come.
    next_record_at: Option<Instant>,
    requested: bool,
    /// Steps that the Nios has or awaits, each with when it has it.
    ahead: VecDeque<Answered>,
    /// When the last call ends.
    line_free: Instant,
}

impl Engine {
    /// An engine before a server that will send its bytes once it is asked.
    pub fn new(parameters: &Parameters, step_bytes: u32, source: Source, stream: Stream) -> Self {
        Self {
            parameters: *parameters,
            step_bytes,
            excess: Excess::new(parameters),
            stream,
            source,
            served: 0,
            steps: 0,
            record_end: 0,
            next_record_at: None,
            requested: false,
            ahead: VecDeque::new(),
            line_free: Instant::ZERO,
        }
    }

    /// The answer to a question put at `asked`.
    pub fn answer(&mut self, ask: &Ask, asked: Instant) -> Answered {
        match ask {
            Ask::Open { .. } => {
                let answer = match &self.source.refusal {
                    Some(line) => Answer::Failed(line.as_bytes().to_vec()),
                    None => Answer::Opened { version: 0x0304, suite: 0x1301, group: 0x001D },
                };
                Answered::plain(asked.after(Duration::from_millis(self.parameters.open_ms)), answer)
            }
            Ask::Read { .. } => self.read(asked),
            Ask::Write { data, .. } => {
                let at = asked.after(self.call(data.len()));
                if !self.requested {
                    self.requested = true;
                    let think = Duration::from_micros(self.parameters.think_us);
                    self.next_record_at = Some(at.after(think));
                }
                Answered::plain(at, Answer::Sent)
            }
            Ask::Close { .. } => Answered::plain(asked.after(self.call(0)), Answer::Sent),
            Ask::Info => Answered::plain(asked.after(self.call(0)), Answer::Ready(7)),
        }
    }

    fn read(&mut self, asked: Instant) -> Answered {
        let answered = match self.ahead.pop_front() {
            Some(step) => Answered { at: step.at.max(asked), ..step },
            None => self.call_for(asked),
        };
        self.line_free = self.line_free.max(answered.at);
        self.fetch_ahead(answered.at);
        answered
    }

    /// Fills the room for steps that `from` on is there.
    fn fetch_ahead(&mut self, from: Instant) {
        let room = usize::try_from(self.parameters.prefetch_steps).unwrap_or(usize::MAX);
        while self.ahead.len() < room && self.served < self.record_end {
            let step = self.step(self.line_free.max(from));
            self.line_free = step.at;
            self.ahead.push_back(step);
        }
    }

    /// The answer to a READ that nothing was fetched for.
    fn call_for(&mut self, asked: Instant) -> Answered {
        if let Some(notified) = self.has_ended() {
            return Answered::plain(asked.after(self.call(0)), Answer::Ended { notified });
        }
        let given_up = asked.after(Duration::from_micros(self.parameters.idle_wait_us));
        match self.ready_at(asked) {
            Some(ready) if ready <= given_up => {
                if self.served == self.record_end {
                    self.next_record_at = None;
                    self.record_end = self.next_record_end();
                }
                self.step(ready)
            }
            Some(_) | None => Answered::plain(given_up.after(self.call(0)), Answer::NothingYet),
        }
    }

    /// Where the record ends that begins where the last one did: a pause of the server ends it too.
    fn next_record_end(&self) -> usize {
        let record = usize::try_from(RECORD_BYTES).unwrap_or(usize::MAX);
        let end = self.source.bytes.len().min(self.served + record);
        match self.source.pause {
            Some((at, _)) if at > self.served => end.min(at),
            Some(_) | None => end,
        }
    }

    /// The next step of the record in hand, by a call that begins at `from`.
    fn step(&mut self, from: Instant) -> Answered {
        self.steps += 1;
        if let Some(reply) = self.source.reply.take_if(|reply| reply.after_steps + 1 == self.steps)
        {
            return self.reply(from, &reply);
        }
        let step = usize::try_from(self.step_bytes).unwrap_or(usize::MAX);
        let end = self.record_end.min(self.served + step);
        let data = self.source.bytes[self.served..end].to_vec();
        self.served = end;
        let at = from.after(self.call(data.len()));
        Answered::plain(at, Answer::Data(data))
    }

    /// The scenario's own reply in place of a step. Its bytes are the next of the stream.
    fn reply(&mut self, from: Instant, reply: &Reply) -> Answered {
        let (blocks, taken) = reply.blocks(&self.source.bytes[self.served..]);
        self.served += taken;
        self.record_end = self.record_end.max(self.served);
        let at = match reply.first_late() {
            Some(late) => from.after(self.call(taken)).after(late),
            None => Instant::NEVER,
        };
        Answered { at, answer: Answer::Forced(blocks), course: reply.course() }
    }

    /// Whether the stream has ended, and then whether the server said so.
    fn has_ended(&self) -> Option<bool> {
        if !self.requested || self.served < self.source.bytes.len() {
            return None;
        }
        match self.source.ending {
            Ending::Silent => None,
            Ending::Notified => Some(true),
            Ending::WithoutNotify => Some(false),
        }
    }

    /// When plaintext is there for a READ put at `asked`; `None` when none is on its way.
    fn ready_at(&mut self, asked: Instant) -> Option<Instant> {
        if self.served < self.record_end {
            return Some(asked);
        }
        if !self.requested || self.served == self.source.bytes.len() {
            return None;
        }
        let gap = match self.source.pause {
            Some((at, lasts)) if at == self.served => lasts,
            Some(_) | None => Duration::from_micros(self.parameters.record_gap_us),
        };
        let complete = *self.next_record_at.get_or_insert(asked.after(gap));
        Some(complete.max(asked))
    }

    /// How long one call with this many bytes takes.
    fn call(&mut self, bytes: usize) -> Duration {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        Duration::from_micros(self.parameters.rpc_us)
            .plus(Duration::from_nanos(self.parameters.rpc_ns_per_byte).times(bytes))
            .plus(self.excess.draw(&mut self.stream))
    }
}
