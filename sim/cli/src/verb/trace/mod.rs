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

use sim::pft::{PftError, Reader};

use crate::args::{TraceArgs, TraceVerb};
use crate::exit::Exit;
use crate::refusal::Refusal;

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
