//! The READ client stepped by records.
use firmware_core::m3_read::M3Read;
use firmware_core::time::Instant;

use super::player::{Player, Stepped, Unknown};
use crate::pft::Event;
use crate::record::read;

/// The client.
pub struct Client {
    reader: M3Read,
}

impl Client {
    /// This client.
    pub const fn new(reader: M3Read) -> Self {
        Self { reader }
    }
}

impl Player for Client {
    fn around(&mut self, _event: &Event) {}

    fn step(&mut self, _now: Instant, input: &Event) -> Stepped {
        if let Some(input) = read::input_of(input) {
            let outputs = read::outputs(&self.reader.step(input));
            return Stepped { outputs, ..Stepped::default() };
        }
        let what = format!("what {} does to the READ client", input.name());
        let log_next = "the inputs of the READ client (m3.…)";
        Stepped { unknown: Some(Unknown { what, log_next }), ..Stepped::default() }
    }
}
