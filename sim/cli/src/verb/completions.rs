//! `completions`: a script for a shell, from the flags themselves.
use clap::CommandFactory;

use super::print;
use crate::args::{Cli, CompletionsArgs};
use crate::exit::Exit;
use crate::refusal::Refusal;

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Refusal> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "preflash", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Holds)
}
