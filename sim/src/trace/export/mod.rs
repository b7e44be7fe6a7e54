//! Traces as files of the tools that people own.
//!
//! ```text
//!            ┌─► Perfetto    tasks on cores as tracks, queues as counters, flows: packet ─► open ─► reply
//!   .pft ─► ─┼─► pcapng      packets with what became of them and the clauses concerned as comments
//!   record   ├─► VCD         the five registers, access by access
//!   by       ├─► CSV         packets, READs or telemetry: the tables that the import reads
//!   record   └─ left out: counted by kind, never in silence
//! ```
//!
//! One record is looked at after the other; of a trace no more is held than what is still open: the
//! packets that wait, the span that has begun.
mod capture;
mod perfetto;
mod table;
mod waveform;

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};

use thiserror::Error;

use crate::pft::reader::Gap;
use crate::pft::{Item, PftError, Reader, Record};

/// A format that a trace can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// Perfetto's protobuf, for <https://ui.perfetto.dev>.
    Perfetto,
    /// A capture, for Wireshark and tshark.
    Capture,
    /// Waveforms of the five registers, for GTKWave and sigrok.
    Waveform,
    /// The neutral table of packets.
    EventCsv,
    /// The neutral table of READs.
    ReadCsv,
    /// Telemetry of the protective stop.
    CounterCsv,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::Perfetto,
        Self::Capture,
        Self::Waveform,
        Self::EventCsv,
        Self::ReadCsv,
        Self::CounterCsv,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Perfetto => "perfetto",
            Self::Capture => "pcapng",
            Self::Waveform => "vcd",
            Self::EventCsv => "csv",
            Self::ReadCsv => "m3-csv",
            Self::CounterCsv => "pstop-csv",
        }
    }

    /// What a trace has to hold so that there is something to write.
    const fn needs(self) -> &'static str {
        match self {
            Self::Perfetto => "steps, spans, counters or instants",
            Self::Capture | Self::EventCsv => "packets",
            Self::Waveform => "register accesses of the READ path",
            Self::ReadCsv => "READs of an imported table",
            Self::CounterCsv => "samples of imported telemetry",
        }
    }
}

/// Why a trace cannot be written in a format.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] PftError),
    /// The file cannot be written.
    #[error("it cannot be written: {0}")]
    Unwritable(#[from] io::Error),
    /// There is nothing in it that this format has room for.
    #[error("Nothing: the trace holds no {needs}, so a file of format {format} would be empty")]
    Nothing {
        /// The format.
        format: &'static str,
        /// What it would need.
        needs: &'static str,
    },
}

/// What an export wrote, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Records that are in the file.
    pub written: u64,
    /// Records that the format has no room for, by kind.
    pub left_out: BTreeMap<String, u64>,
    /// Gaps of the trace.
    pub gaps: u64,
}

impl fmt::Display for Exported {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<11} {}", "written", self.written)?;
        writeln!(out, "{:<11} {}", "left out", self.left_out.values().sum::<u64>())?;
        for (kind, count) in &self.left_out {
            writeln!(out, "            {kind}: {count}")?;
        }
        writeln!(out, "{:<11} {}", "gaps", self.gaps)
    }
}

/// Takes a trace's records and writes what it has room for.
trait Exporter {
    /// Whether the record is in the file, or will be.
    fn record(&mut self, record: &Record) -> io::Result<bool>;

    /// Something is missing from here on.
    fn gap(&mut self, gap: &Gap) -> io::Result<()>;

    /// The end of the trace.
    fn finish(&mut self) -> io::Result<()>;
}

/// Writes a trace in another format.
///
/// # Errors
/// When the trace is damaged beyond its gaps, holds nothing for the format, or the file cannot be
/// written; what has been written by then should be thrown away.
pub fn export<R: Read, W: Write>(
    format: Format,
    trace: Reader<R>,
    mut out: W,
) -> Result<Exported, ExportError> {
    let mut exporter: Box<dyn Exporter + '_> = match format {
        Format::Perfetto => Box::new(perfetto::Perfetto::new(&mut out)),
        Format::Capture => Box::new(capture::Capture::new(&mut out)?),
        Format::Waveform => Box::new(waveform::Waveform::new(&mut out)?),
        Format::EventCsv => Box::new(table::Packets::new(&mut out)?),
        Format::ReadCsv => Box::new(table::Reads::new(&mut out)?),
        Format::CounterCsv => Box::new(table::Samples::new(&mut out)?),
    };
    let mut exported = Exported::default();
    for item in trace {
        match item? {
            Item::Record(record) => {
                if exporter.record(&record)? {
                    exported.written += 1;
                } else {
                    *exported.left_out.entry(record.event.name().to_owned()).or_default() += 1;
                }
            }
            Item::Gap(gap) => {
                exported.gaps += 1;
                exporter.gap(&gap)?;
            }
            Item::Unknown(unknown) => {
                let kind = format!("kind {}", unknown.number);
                *exported.left_out.entry(kind).or_default() += 1;
            }
        }
    }
    exporter.finish()?;
    drop(exporter);
    out.flush()?;
    if exported.written == 0 {
        let (format, needs) = (format.name(), format.needs());
        return Err(ExportError::Nothing { format, needs });
    }
    Ok(exported)
}
