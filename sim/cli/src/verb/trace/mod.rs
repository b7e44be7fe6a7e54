//! `trace`: what a trace holds, its records as lines, traces of a device's dumps and of other tools'
//! files, and files for other tools.
mod device;
mod draft;
pub(crate) mod export;
pub(crate) mod import;
mod info;
mod render;

use std::fs::File;
use std::path::Path;

use clap::{Args, Subcommand};
use sim::pft::{PftError, Reader};

use crate::exit::Exit;
use crate::refusal::Refusal;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash trace info scenarios/traces/storm_arm_1.pft
  preflash trace render scenarios/traces/storm_arm_1.pft --records 20
  preflash trace device dump.bin device.pft --scenario scenarios/wg_mgr/storm_tool_at_40_per_second.ron

Ends with 0, with 7 when records of the trace are missing, with 2 when a file is none of its kind.";

/// What `trace` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// What to do with a trace.
    #[command(subcommand)]
    pub(crate) verb: TraceVerb,
}

/// What can be done with a trace.
#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Make a trace of what the recorder of a device has dumped.
    Device(device::TraceDeviceArgs),
    /// Write a trace as another tool's file: Perfetto, pcapng, VCD, CSV.
    #[command(after_help = export::EXAMPLES)]
    Export(export::ExportArgs),
    /// Make a trace of another tool's file: a log, a capture, a table, a Chrome trace.
    #[command(after_help = import::EXAMPLES)]
    Import(import::ImportArgs),
    /// Say what a trace holds and whether it is whole.
    Info(info::TraceInfoArgs),
    /// Show the records of a trace, one a line.
    Render(render::TraceRenderArgs),
}

/// Does what is asked for.
pub(crate) fn run(args: &TraceArgs) -> Result<Exit, Refusal> {
    match &args.verb {
        TraceVerb::Device(args) => device::run(args),
        TraceVerb::Export(args) => export::run(args),
        TraceVerb::Import(args) => import::run(args),
        TraceVerb::Info(args) => info::run(args),
        TraceVerb::Render(args) => render::run(args),
    }
}

/// A trace to be read.
pub(super) fn open(path: &Path) -> Result<Reader<File>, Refusal> {
    let file = File::open(path).map_err(PftError::Io);
    file.and_then(Reader::open).map_err(|error| super::replay::trace(path, &error))
}
