//! `trace device`: the dumps of a device's recorder become a trace that `replay` takes.
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;

use clap::Args;
use sim::pft::{Redactor, Writer};
use sim::record::{dump, head};
use sim::scenario::{Overrides, Scenario};

use crate::args::presets;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal, scenario};
use crate::verb::print;

/// What `trace device` takes.
#[derive(Debug, Args)]
pub(crate) struct TraceDeviceArgs {
    /// The dumps, one behind the other.
    pub(crate) dump: PathBuf,
    /// Where to write the trace.
    pub(crate) trace: PathBuf,
    /// A scenario whose preset, config, costs and device are those of the firmware; its peers and
    /// traffic do not matter.
    #[arg(long, value_name = "FILE.ron")]
    pub(crate) scenario: PathBuf,
    /// Another firmware version than the scenario's.
    #[arg(long, value_name = "PRESET", value_parser = presets())]
    pub(crate) preset: Option<String>,
    /// Another value for a field of the scenario; may be given more than once.
    #[arg(long, value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// Write addresses as they are instead of pseudonyms.
    #[arg(long)]
    pub(crate) keep_addresses: bool,
}

/// Reads the dumps and writes the trace.
pub(crate) fn run(args: &TraceDeviceArgs) -> Result<Exit, Refusal> {
    let overrides = Overrides { preset: args.preset.clone(), seed: None, set: args.set.clone() };
    let device = Scenario::load(&args.scenario, &overrides).map_err(|error| scenario(&error))?;
    let name = args.dump.display();
    let bytes = fs::read(&args.dump).map_err(|error| {
        Plain::refuse(format!("the dump `{name}` cannot be read: {error}"), "name a file that can")
    })?;
    let refused = |error: dump::DumpError| {
        Plain::refuse(
            format!("the dump `{name}`: {error}"),
            "dump the recorder again; what came before the fault is in the trace",
        )
    };
    let mut redactor =
        if args.keep_addresses { Redactor::off() } else { Redactor::new(dump::salt(&bytes)) };
    let head = head::of(&device, &device.config, &mut redactor);
    let file = File::create(&args.trace).map_err(|error| {
        let reason = format!("the trace `{}` cannot be written: {error}", args.trace.display());
        Plain::refuse(reason, "name a file in a folder that exists and can be written")
    })?;
    let writer = Writer::create(BufWriter::new(file), &head, redactor);
    let mut writer = writer.map_err(|error| refused(error.into()))?;
    let imported = dump::import(&mut bytes.as_slice(), &mut writer);
    let finished = writer.finish(None);
    let imported = imported.map_err(refused)?;
    finished.map_err(|error| refused(error.into()))?;
    print(&format!(
        "{} dumps, {} steps, {} steps dropped by the device\n",
        imported.dumps, imported.steps, imported.dropped
    ))?;
    Ok(if imported.dropped == 0 { Exit::Holds } else { Exit::Inconclusive })
}
