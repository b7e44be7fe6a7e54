//! `trace`: files of what happened, from other tools and for them.
mod export;
mod import;

use clap::{Args, Subcommand};

use crate::exit::Exit;
use crate::refusal::Refusal;

/// What `trace` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// What to do with a trace.
    #[command(subcommand)]
    verb: TraceVerb,
}

/// What can be done with a trace.
#[derive(Debug, Subcommand)]
enum TraceVerb {
    /// Make a trace of another tool's file: a log, a capture, a table, a Chrome trace.
    #[command(after_help = import::EXAMPLES)]
    Import(import::ImportArgs),
    /// Write a trace as another tool's file: Perfetto, pcapng, VCD, CSV.
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArgs),
}

/// Examples of the verb.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash trace import device.log --format esp-log -o device.pft
  preflash trace import capture.pcapng --format pcap --device 192.168.4.2 -o capture.pft
  preflash trace export capture.pft --format perfetto -o capture.perfetto-trace

`preflash trace import --help` and `preflash trace export --help` list the formats.";

/// Does it.
pub(crate) fn run(args: &TraceArgs) -> Result<Exit, Refusal> {
    match &args.verb {
        TraceVerb::Import(args) => import::run(args),
        TraceVerb::Export(args) => export::run(args),
    }
}

/// A file that takes its place only when it is whole: an interrupted or refused run leaves what was
/// there before.
#[derive(Debug)]
struct Draft {
    part: std::path::PathBuf,
    place: std::path::PathBuf,
}

impl Draft {
    /// Begins a file that will be at this place.
    fn create(place: &std::path::Path) -> Result<(Self, std::fs::File), Refusal> {
        let mut name = place.as_os_str().to_owned();
        name.push(".part");
        let draft = Self { part: name.into(), place: place.to_owned() };
        match std::fs::File::create(&draft.part) {
            Ok(file) => Ok((draft, file)),
            Err(error) => Err(crate::refusal::Plain::refuse(
                format!("{} cannot be written: {error}", place.display()),
                "choose another place with -o",
            )),
        }
    }

    /// Puts it in its place.
    fn keep(self) -> Result<(), Refusal> {
        std::fs::rename(&self.part, &self.place).map_err(|error| {
            crate::refusal::Plain::refuse(
                format!("{} cannot be written: {error}", self.place.display()),
                "choose another place with -o",
            )
        })
    }

    /// Throws it away; what cannot be thrown away is called a part and says so by its name.
    fn discard(self) {
        drop(std::fs::remove_file(&self.part));
    }
}
