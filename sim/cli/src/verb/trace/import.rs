//! `trace import`: another tool's file as a trace.
use std::fs::File;
use std::io::BufWriter;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use firmware_core::time::Duration;
use sim::trace::import::{
    DEFAULT_MAPPING, Format, ImportError, Mapping, Options, Place, Problem, Rounds, write,
};

use super::super::print;
use super::draft::Draft;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

/// Examples of the sub-verb.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash trace import device.log --format esp-log --mapping our_firmware.ron -o device.pft
  preflash trace import capture.pcapng --format pcap --device 192.168.4.2 -o capture.pft
  preflash trace import --show-mapping > our_firmware.ron

Ends with 0 when the file was read to its end; with 2 when something in it cannot be used, or when it
ends in the middle of a record: then what came before is kept in OUT and the trace says so.";

/// What `trace import` takes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ImportArgs {
    /// The file.
    #[arg(required_unless_present = "show_mapping")]
    file: Option<PathBuf>,
    /// What it is.
    #[arg(long, value_enum, required_unless_present = "show_mapping")]
    format: Option<FormatName>,
    /// What its lines, columns and spans mean; what a file leaves out is as without it.
    #[arg(long, value_name = "FILE")]
    mapping: Option<PathBuf>,
    /// An address of the device, beside those of the mapping; may be given more than once.
    #[arg(long, value_name = "ADDRESS")]
    device: Vec<IpAddr>,
    /// Count and list rows that cannot be used, instead of ending at the first.
    #[arg(long)]
    lenient: bool,
    /// Reject and count single rows of a table whose time jumps ahead of both neighbours.
    #[arg(long)]
    skip_outliers: bool,
    /// Play the file so often, one round after the other.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "period_us",
        value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// How much later each round begins than the one before, in microseconds.
    #[arg(long, value_name = "US")]
    period_us: Option<u64>,
    /// Leave addresses and keys as they are; without it they are replaced, equal ones by equal ones.
    #[arg(long)]
    keep_addresses: bool,
    /// Print the mapping that applies without a file, to start from.
    #[arg(long, exclusive = true)]
    show_mapping: bool,
    /// Where to write the trace.
    #[arg(short, long, value_name = "OUT", required_unless_present = "show_mapping")]
    output: Option<PathBuf>,
}

/// A format by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatName {
    /// ESP-IDF log text, with or without a host's stamps.
    EspLog,
    /// A capture, pcap or pcapng.
    Pcap,
    /// Packets: `t_us,kind,peer,len` and more.
    Csv,
    /// READs of the C64's side: `seq,t_push_us,req,kind,n,rtt_us,total_us,blocks,err_bit,status`.
    M3Csv,
    /// Telemetry of the protective stop: `t_s,uptime_s,sent,replies,rebonds`.
    PstopCsv,
    /// Chrome's trace JSON, as `MabuTrace` writes it.
    ChromeJson,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::EspLog => Self::EspLog,
            FormatName::Pcap => Self::Capture,
            FormatName::Csv => Self::EventCsv,
            FormatName::M3Csv => Self::ReadCsv,
            FormatName::PstopCsv => Self::CounterCsv,
            FormatName::ChromeJson => Self::Chrome,
        }
    }
}

/// Imports the file and prints what was found in it.
pub(super) fn run(args: &ImportArgs) -> Result<Exit, Refusal> {
    let (Some(path), Some(format), Some(output)) = (&args.file, args.format, &args.output) else {
        print(DEFAULT_MAPPING)?;
        return Ok(Exit::Holds);
    };
    let mapping = mapping(args)?;
    let unreadable = |error| {
        refusal(path, &ImportError { place: Place::File, problem: Problem::Unreadable(error) })
    };
    let file = File::open(path).map_err(unreadable)?;
    let (draft, out) = Draft::create(output)?;
    let options = Options {
        lenient: args.lenient,
        skip_outliers: args.skip_outliers,
        rounds: Rounds {
            count: args.rounds,
            period: Duration::from_micros(args.period_us.unwrap_or(0)),
        },
        keep_addresses: args.keep_addresses,
    };
    let title = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let out = BufWriter::with_capacity(64 * 1024, out);
    let imported = match write(format.into(), file, &mapping, options, &title, out) {
        Ok(imported) => imported,
        Err(error) => {
            draft.discard();
            return Err(refusal(path, &error));
        }
    };
    draft.keep()?;
    print(&format!("{}{:<11} {}\n", imported.summary, "trace", output.display()))?;
    match imported.summary.truncation() {
        None => Ok(Exit::Holds),
        Some(text) => {
            let help = Problem::Truncated.next();
            Err(Plain::refuse(format!("{}: {text}", path.display()), help))
        }
    }
}

fn mapping(args: &ImportArgs) -> Result<Mapping, Refusal> {
    let mut mapping = match &args.mapping {
        None => Mapping::standard(),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                let problem = Problem::Unreadable(error);
                refusal(path, &ImportError { place: Place::File, problem })
            })?;
            Mapping::parse(&text).map_err(|errors| all(path, &errors))?
        }
    };
    mapping.add_devices(&args.device);
    Ok(mapping)
}

fn refusal(path: &Path, error: &ImportError) -> Refusal {
    Plain::refuse(format!("{}: {error}", path.display()), error.next())
}

/// Everything that is wrong with a mapping, in one go.
fn all(path: &Path, errors: &[ImportError]) -> Refusal {
    let lines: Vec<_> = errors.iter().map(|error| format!("{}: {error}", path.display())).collect();
    let next = errors.first().map_or("", ImportError::next);
    Plain::refuse(lines.join("\n"), next)
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
