//! Traces that other tools wrote, read as a stream of events.
//!
//! ```text
//!   ESP-IDF log ─┐
//!   pcap, pcapng ┤
//!   tables (CSV) ┼─► reader ─► Intake: order, rounds, counts ─► Sink ─► .pft
//!   Chrome JSON ─┘      ▲ Mapping: what a line, a column, a span means
//! ```
//!
//! Whatever the size of a file, a few buffers of it are held and no more. What cannot be used is an
//! error with a name, a place and a next step; with leniency it is counted, listed and marked in the
//! trace by a gap. Addresses become numbers, payloads and keys are never taken over.
//!
//! # What an import is not
//!
//! Not a replay: no foreign format has every input of a core. [`lacks`] says what each one would have
//! to log for it.
mod capture;
mod chrome;
mod clock;
mod counter_csv;
mod error;
mod esp_log;
mod event;
mod event_csv;
mod intake;
mod lacks;
mod lines;
mod link;
mod mapping;
mod read_csv;
mod record;
mod redact;
mod stamp;
mod summary;
mod table;
mod template;

use std::io::{Read, Seek, SeekFrom};

use firmware_core::time::Duration;

pub use self::clock::ClockFit;
pub use self::error::{ImportError, Place, Problem};
pub use self::event::Read as ReadRow;
pub use self::event::{
    Class, Counters, Direction, Event, FRAME_HEAD, FlowEnd, Frame, GapReason, Mark, Name, Packet,
    PeerRef, ReadKind, Route, Seen, Sender,
};
pub use self::intake::Sink;
use self::intake::{Intake, Manner};
pub use self::lacks::{Lack, lacks};
pub use self::mapping::{DEFAULT as DEFAULT_MAPPING, Mapping};
pub use self::record::{Imported, TraceSink, write};
pub use self::summary::{Listed, Pings, Silence, Summary};

/// A foreign format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// ESP-IDF log text.
    EspLog,
    /// A capture: pcap or pcapng.
    Capture,
    /// The neutral table of packets.
    EventCsv,
    /// The neutral table of READs.
    ReadCsv,
    /// Telemetry of the protective stop.
    CounterCsv,
    /// Chrome's trace JSON, as MabuTrace writes it.
    Chrome,
}

/// How a file is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Bad rows are counted and listed instead of ending the import.
    pub lenient: bool,
    /// A row of a table that jumps ahead of its neighbours is rejected and counted.
    pub skip_outliers: bool,
    /// How often the file is played.
    pub rounds: Rounds,
    /// Addresses and keys stay as they are.
    pub keep_addresses: bool,
}

/// How often a file is played, one round after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// How often: 1 or more.
    pub count: u64,
    /// How much later each round begins than the one before.
    pub period: Duration,
}

impl Default for Rounds {
    fn default() -> Self {
        Self { count: 1, period: Duration::from_nanos(0) }
    }
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::EspLog,
        Self::Capture,
        Self::EventCsv,
        Self::ReadCsv,
        Self::CounterCsv,
        Self::Chrome,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EspLog => "esp-log",
            Self::Capture => "pcap",
            Self::EventCsv => "csv",
            Self::ReadCsv => "m3-csv",
            Self::CounterCsv => "pstop-csv",
            Self::Chrome => "chrome-json",
        }
    }

    const fn manner(self, options: Options) -> Manner {
        let (lenient, skip) = (options.lenient, options.skip_outliers);
        match self {
            Self::EspLog => esp_log::manner(lenient),
            Self::Capture => capture::manner(lenient),
            Self::EventCsv => event_csv::manner(lenient, skip),
            Self::ReadCsv => read_csv::manner(lenient, skip),
            Self::CounterCsv => counter_csv::manner(lenient, skip),
            Self::Chrome => chrome::manner(lenient),
        }
    }
}

/// Reads a file of this format into a sink, in the order of time.
///
/// A file that ends in the middle of a record is no error here: what came before has gone to the
/// sink, a gap says that it is not all, and [`Summary::truncated`] is set.
///
/// # Errors
/// The first thing that cannot be used, with its place; [`Problem::Empty`] when there is nothing.
pub fn import(
    format: Format,
    mut file: impl Read + Seek,
    mapping: &Mapping,
    options: Options,
    sink: &mut dyn Sink,
) -> Result<Summary, ImportError> {
    let mut intake = Intake::new(sink, format.manner(options));
    intake.keep_addresses = options.keep_addresses;
    for round in 0..options.rounds.count.max(1) {
        if round > 0 {
            file.seek(SeekFrom::Start(0)).map_err(ImportError::unreadable)?;
        }
        intake.begin_round(round, options.rounds.period);
        read(format, &mut file, mapping, &mut intake)?;
    }
    let found = &intake.summary;
    if found.read == 0 && found.warnings.is_empty() && found.truncated.is_none() {
        return Err(ImportError::at(Place::File, Problem::Empty));
    }
    let mut summary = intake.finish()?;
    summary.lacks = lacks(format);
    Ok(summary)
}

fn read(
    format: Format,
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    match format {
        Format::EspLog => esp_log::read(file, mapping, intake),
        Format::Capture => capture::read(file, mapping, intake),
        Format::EventCsv => event_csv::read(file, mapping, intake),
        Format::ReadCsv => read_csv::read(file, mapping, intake),
        Format::CounterCsv => counter_csv::read(file, mapping, intake),
        Format::Chrome => chrome::read(file, mapping, intake),
    }
}
