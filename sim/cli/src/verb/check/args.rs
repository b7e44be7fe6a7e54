//! What `check` takes, and the names of its models.
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, ValueEnum};
use firmware_core::m3_read::preset::Arm;
use models::m3_read::machine::Planted;
use models::wg_mgr::machine::Traffic;

use crate::args::{Cli, Verb, presets};

/// Examples and exit codes, below the help.
pub(crate) const EXAMPLES: &str = "\
Examples:
  preflash check m3_read --arm 1 --faults 0
  preflash check m3_read --arm 1 --hostile --first --quiet
  preflash check --replay scenarios/counterexamples/a_block_vanishes_while_it_is_read.ron

Without a model it lists those that there are. Ends with 0 when every property holds, 1 when one is
violated, 7 when a limit was hit or a property had no occasion, 5 when a replayed file is not
violated any more.";

/// What `check` takes.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag")]
pub(crate) struct CheckArgs {
    /// The closed system; those that there are are listed without it.
    #[arg(value_enum)]
    pub(crate) model: Option<Checked>,
    /// Of `m3_read` and `m3_read_phases`: which build of the client.
    #[arg(long, value_enum)]
    pub(crate) arm: Option<ArmName>,
    /// Of `m3_read`: READs in one session at most.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub(crate) polls: u8,
    /// Of `m3_read`: faults at most.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(0..=4))]
    pub(crate) faults: u8,
    /// Of `m3_read`: blocks vanish while they are shown, and interrupts come late.
    #[arg(long)]
    pub(crate) hostile: bool,
    /// Of `m3_read`: only replies that a firmware may send.
    #[arg(long)]
    pub(crate) legal_only: bool,
    /// Of `m3_read`: the client's clock stands still, and the firmware does nothing.
    #[arg(long)]
    pub(crate) still_clock: bool,
    /// Of `two_phase_commit`: resource managers.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    pub(crate) managers: u32,
    /// Of `m3_read_phases`: a line of the client that is wrong on purpose.
    #[arg(long, value_name = "FAULT", value_parser = PossibleValuesParser::new(Planted::ALL.map(Planted::name)))]
    pub(crate) planted: Option<String>,
    /// Of `wg_mgr`: what may arrive; `preflash check` lists the scenes.
    #[arg(long, value_name = "SCENE", default_value = "drain")]
    pub(crate) scene: String,
    /// Of `wg_mgr`: every listed defect corrected, and a queue slot kept for the priority peer.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Of `wg_mgr` and `wg_mgr_passes`: the firmware version.
    #[arg(long, value_name = "PRESET", value_parser = presets(), default_value = "HEAD-4")]
    pub(crate) preset: String,
    /// Of `wg_mgr_passes`: what comes beside packets from unknown keys.
    #[arg(long, value_name = "TRAFFIC", value_parser = PossibleValuesParser::new(Traffic::ALL.map(Traffic::name)), default_value = "strangers")]
    pub(crate) traffic: String,
    /// Of `m3_read_phases` and `wg_mgr_passes`: write it for Spin to this file first.
    #[arg(long, value_name = "FILE")]
    pub(crate) promela: Option<PathBuf>,
    /// Draw the graph of its phases to this file first, as DOT.
    #[arg(long, value_name = "FILE")]
    pub(crate) dot: Option<PathBuf>,
    /// States kept at most; when that is not enough the result is inconclusive.
    #[arg(long, value_name = "N", default_value_t = 20_000_000, value_parser = clap::value_parser!(u32).range(1..=2_147_483_648))]
    pub(crate) limit_states: u32,
    /// Transitions from the beginning at most.
    #[arg(long, value_name = "N")]
    pub(crate) limit_depth: Option<u32>,
    /// Threads; the result does not depend on them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = threads)]
    pub(crate) threads: usize,
    /// Tell states apart by digests of 64 bits: less memory, and nothing is ever proved.
    #[arg(long)]
    pub(crate) lossy: bool,
    /// End with the first violation.
    #[arg(long)]
    pub(crate) first: bool,
    /// Do not print the steps of a violation.
    #[arg(long)]
    pub(crate) quiet: bool,
    /// Write the first violation to this file: as data, or as a test if it ends in `.rs`.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
    /// Follow a file that `--export` wrote.
    #[arg(long, value_name = "FILE", conflicts_with = "model")]
    pub(crate) replay: Option<PathBuf>,
}

/// A closed system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Checked {
    /// The READ client.
    #[value(name = "m3_read")]
    M3Read,
    /// The READ client as a machine of phases, which Spin can be given too.
    #[value(name = "m3_read_phases")]
    M3ReadPhases,
    /// The manager loop.
    #[value(name = "wg_mgr")]
    WgMgr,
    /// The example.
    #[value(name = "two_phase_commit")]
    TwoPhaseCommit,
    /// The manager's budget loop as such a machine.
    #[value(name = "wg_mgr_passes")]
    WgMgrPasses,
}

/// A build of the READ client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ArmName {
    /// Every access fenced, one block.
    #[value(name = "F")]
    F,
    /// Only writes fenced, one block.
    #[value(name = "1")]
    One,
    /// Only writes fenced, a continuation.
    #[value(name = "2")]
    Two,
}

impl ArmName {
    /// The arm of this name.
    pub(crate) fn arm(self) -> Arm {
        match self {
            Self::F => Arm::F,
            Self::One => Arm::One,
            Self::Two => Arm::Two,
        }
    }
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads @ 1..=64) => Ok(threads),
        Ok(_) | Err(_) => Err("a number of threads is 1..=64".into()),
    }
}

/// What `check` would be given on a command line that ends in these words.
pub(crate) fn check_args(words: &str) -> Result<CheckArgs, clap::Error> {
    let words = ["preflash", "check"].into_iter().chain(words.split_whitespace());
    match Cli::try_parse_from(words)?.verb {
        Verb::Check(args) => Ok(args),
        _ => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
    }
}
