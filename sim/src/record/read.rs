//! Recording the READ client: every answer that it is stepped with, every access that it asks for.
//!
//! With pseudonyms on, payload bytes are written as zeros: the client copies them and looks at none.
//! The address that the firmware reports to it stays in the bytes that it reads one by one.
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::input::Input;
use firmware_core::m3_read::output::{Access, Next, Output};
use firmware_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::log::Log;
use super::{Recorded, Sink};
use crate::pft::event::AsRon;
use crate::pft::{Event, Head, Redactor, TraceSubject, WriteError};
use crate::scenario::file::VERSION;
use crate::scenario::m3_read::ReadScenario;
use crate::scenario::to_ron;

/// A recording of the READ client in progress.
pub struct ReadRecording<'w> {
    log: Log<'w>,
    hides_payload: bool,
}

impl<'w> ReadRecording<'w> {
    /// Begins to record a fetch.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn begin(
        scenario: &ReadScenario,
        out: Sink<'w>,
        redactor: Redactor,
    ) -> Result<Self, WriteError> {
        let mut head = Head::new(TraceSubject::M3Read, &scenario.title);
        head.set("seed", &scenario.fetch.seed.to_string());
        head.set("scenario_hash", &format!("{:032x}", scenario.hash));
        let (preset, client) = (scenario.arm.name().to_owned(), scenario.fetch.config);
        head.set("client", &to_ron(&ClientFile { version: VERSION, preset, client }));
        let hides_payload = redactor.is_on();
        Ok(Self { log: Log::begin(out, &head, redactor)?, hides_payload })
    }

    /// The client was stepped.
    pub fn stepped(&mut self, at: Instant, input: Input, output: &Output) {
        let (mut input, mut output) = (input, *output);
        if self.hides_payload
            && let (Input::Byte(byte), Some(store)) = (&mut input, &mut output.store)
        {
            (*byte, store.byte) = (0, 0);
        }
        self.log.step(at, &self::input(input), &outputs(&output));
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub fn finish(self) -> Result<Recorded, WriteError> {
        self.log.finish()
    }
}

/// The client of a trace: the build that it began as, and its tunables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientFile {
    /// The format's version: 1.
    pub version: u32,
    /// The arm.
    pub preset: String,
    /// Its tunables.
    pub client: Config,
}

/// An input as a record.
pub const fn input(input: Input) -> Event {
    match input {
        Input::Request(request) => Event::M3Request { request: AsRon(request) },
        Input::Byte(value) => Event::M3Byte { value },
        Input::Written => Event::M3Written {},
        Input::Clock(ticks) => Event::M3Clock { ticks },
    }
}

/// The input that a record is; `None` for other records.
pub const fn input_of(event: &Event) -> Option<Input> {
    Some(match event {
        Event::M3Request { request } => Input::Request(request.0),
        Event::M3Byte { value } => Input::Byte(*value),
        Event::M3Written {} => Input::Written,
        Event::M3Clock { ticks } => Input::Clock(*ticks),
        _ => return None,
    })
}

/// The outputs of a step as records.
pub fn outputs(output: &Output) -> Vec<Event> {
    let store = output.store.map(|store| Event::M3Store { at: store.at, byte: store.byte });
    let next = match output.next {
        Next::Access(Access::Read(register)) => Event::M3Read { register },
        Next::Access(Access::Write { register, value }) => Event::M3Write { register, value },
        Next::Access(Access::WriteSource { offset }) => Event::M3WriteSource { offset },
        Next::Access(Access::Clock) => Event::M3ReadClock {},
        Next::Done(done) => Event::M3Done { done: AsRon(done) },
        Next::Unexpected => Event::M3Unexpected {},
    };
    store.into_iter().chain([next]).collect()
}
