//! `completions`: a script for a shell, from the flags themselves.
use clap::Args;
use clap::CommandFactory;
use clap_complete::Shell;

use super::print;
use crate::args::Cli;
use crate::exit::Exit;
use crate::refusal::Refusal;

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash completions bash
  preflash completions zsh
  preflash completions fish";

/// What `completions` takes.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs) -> Result<Exit, Refusal> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "preflash", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Holds)
}
