//! A core that is stepped by records.
use firmware_core::time::Instant;

use crate::pft::Event;

/// What a step by a record gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stepped {
    /// The outputs, in their order.
    pub outputs: Vec<Event>,
    /// 32 bits over them, as the recorder on a device computes them.
    pub fingerprint: u32,
    /// What would have to be known to tell what this step does; `None` where all is known.
    pub unknown: Option<Unknown>,
}

/// What a trace does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What is missing.
    pub what: String,
    /// What to log the next time.
    pub log_next: &'static str,
}

/// A core, and what it needs around it to be stepped by records.
pub trait Player {
    /// Takes in what happens around the core.
    fn around(&mut self, event: &Event);

    /// Steps the core.
    fn step(&mut self, now: Instant, input: &Event) -> Stepped;
}
