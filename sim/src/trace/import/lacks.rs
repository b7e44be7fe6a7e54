//! What a foreign format cannot tell a replay, and what a recorder would have to log for it.
//!
//! ```text
//!   core.step(now, input)    now: at every step    input: a packet's bytes, an empty queue, an update
//!        ▲ a log, a capture or a table has some of it, never all
//! ```
use super::Format;

/// One thing that a replay needs and a format does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The field of a recorded step.
    pub field: &'static str,
    /// What to log next time.
    pub log: &'static str,
}

const STEPS: Lack = Lack {
    field: "input of every step",
    log: "record on the device: its recorder keeps each input of the core, empty queues included",
};
const PACKETS: Lack = Lack {
    field: "bytes of every packet",
    log: "record on the device: a log line names a packet but does not hold it",
};
const BOXES: Lack = Lack {
    field: "verdict of every box",
    log: "log after each open whether the key was known and the box genuine: private keys are never \
          recorded, so a captured box cannot be opened again",
};
const QUEUES: Lack = Lack {
    field: "queue of every packet",
    log: "log what was shed: a capture sees packets before the device's queues do",
};
const ACCESSES: Lack = Lack {
    field: "register accesses",
    log: "trace the bus, or the value of $DF1C at each decision: a row sums up a whole READ",
};
const BETWEEN: Lack = Lack {
    field: "what happened between two samples",
    log: "log each heartbeat and each rebond with its milliseconds, not their sums",
};

/// What this format lacks for a whole replay.
pub const fn lacks(format: Format) -> &'static [Lack] {
    match format {
        Format::EspLog | Format::EventCsv | Format::Chrome => &[STEPS, PACKETS],
        Format::Capture => &[STEPS, BOXES, QUEUES],
        Format::ReadCsv => &[ACCESSES],
        Format::CounterCsv => &[STEPS, BETWEEN],
    }
}
