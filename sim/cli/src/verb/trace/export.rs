//! `trace export`: a trace as another tool's file.
use std::io::BufWriter;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use sim::trace::export::{ExportError, Format, export};

use super::super::print;
use super::draft::Draft;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

/// Examples of the sub-verb.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash trace export run.pft --format perfetto -o run.perfetto-trace
  preflash trace export run.pft --format pcapng -o run.pcapng
  preflash trace export page.pft --format vcd -o page.vcd

Open a Perfetto trace at https://ui.perfetto.dev, a pcapng in Wireshark, a VCD in GTKWave.";

/// What `trace export` takes.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The trace.
    trace: PathBuf,
    /// What to write.
    #[arg(long, value_enum)]
    format: FormatName,
    /// Where to write it.
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
}

/// A format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// Tasks on cores as tracks, queues as counters, flows from packet to open to reply.
    Perfetto,
    /// Packets with their fates and clauses as comments.
    Pcapng,
    /// The five registers of the READ path.
    Vcd,
    /// Packets, as the import of this name reads them.
    Csv,
    /// READs, as the import of this name reads them.
    M3Csv,
    /// Telemetry, as the import of this name reads it.
    PstopCsv,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Perfetto => Self::Perfetto,
            FormatName::Pcapng => Self::Capture,
            FormatName::Vcd => Self::Waveform,
            FormatName::Csv => Self::EventCsv,
            FormatName::M3Csv => Self::ReadCsv,
            FormatName::PstopCsv => Self::CounterCsv,
        }
    }
}

/// Writes the trace and prints what is in it and what is not.
pub(super) fn run(args: &ExportArgs) -> Result<Exit, Refusal> {
    let reader = super::open(&args.trace)?;
    let (draft, out) = Draft::create(&args.output)?;
    match export(args.format.into(), reader, BufWriter::with_capacity(64 * 1024, out)) {
        Ok(exported) => {
            draft.keep()?;
            print(&format!("{exported}{:<11} {}\n", "file", args.output.display()))?;
            Ok(Exit::Holds)
        }
        Err(error) => {
            draft.discard();
            let help = match &error {
                ExportError::Trace(_) => "`preflash trace info` says how far the trace is whole",
                ExportError::Unwritable(_) => "free some space, or choose another place with -o",
                ExportError::Nothing { .. } => {
                    "choose another --format; perfetto takes most traces"
                }
            };
            Err(Plain::refuse(format!("{}: {error}", args.trace.display()), help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_goes_by_its_own_name() {
        let names: Vec<_> = FormatName::value_variants()
            .iter()
            .map(|name| name.to_possible_value().expect("none is hidden").get_name().to_owned())
            .collect();
        let formats = FormatName::value_variants().iter().map(|name| Format::from(*name).name());
        assert!(formats.eq(names.iter().map(String::as_str)));
        assert_eq!(names.len(), Format::ALL.len());
    }
}
