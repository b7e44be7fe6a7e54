//! Replaying a trace: the recorded inputs go into a core, its outputs are held against the recorded
//! ones, and the first difference is explained.
//!
//! ```text
//!   .pft ─► Reader ─┬─ in.…  ─► Player: the core ─► outputs ─┐
//!                   └─ out.… ───────────────────► expected ──┴─► equal? ─ no ─► Divergence
//!                                                                                  │
//!   every preset, switch and constant, one at a time ─► the same replay ◄──────────┘
//!                                                        └─► the smallest change that goes on
//! ```
//!
//! A replay needs neither the world nor a secret. Its verdict has three values: *pass*, *fail*, and
//! *cannot tell* where the trace has a gap or lacks what decides.
pub mod clauses;
mod client;
pub mod compare;
pub mod costs;
pub mod explain;
mod manager;
pub mod player;
pub mod render;
pub mod setup;
pub mod what_if;

use std::fs::File;
use std::path::Path;

use crate::pft::{PftError, Reader};
use crate::run::RunError;
use crate::scenario::ScenarioError;

pub use self::compare::{CannotTell, Divergence, Outcome, Taken, Verdict, compare};
pub use self::costs::{CostConflict, cost_conflicts};
pub use self::explain::{Explanation, Search, explain};
pub(crate) use self::manager::blob;
pub use self::setup::{Asked, Setup};
pub use self::what_if::{WhatIf, what_if};

/// Why a trace cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It is no trace, or its writer broke the format.
    #[error(transparent)]
    Trace(#[from] PftError),
    /// Its head was cut off or damaged.
    #[error("its head is missing: what it was recorded on is not known")]
    NoHead,
    /// Its head lacks what a replay needs.
    #[error("its head has no `{field}`")]
    HeadLacks {
        /// The field's name.
        field: &'static str,
    },
    /// It holds no steps of a core of ours.
    #[error("it was imported from a log: no core of ours was stepped in it")]
    NoCore,
    /// The device that its head or an override describes is not valid.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The configuration is none that the core takes.
    #[error("the configuration is not valid: {0}")]
    Config(String),
    /// A what-if cannot be carried out.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A what-if of the READ client.
    #[error("a what-if needs the device's queues and tasks; a READ trace has none: use --set")]
    NoWorld,
    /// A what-if of a device that keeps its sessions itself.
    #[error(
        "a what-if lets recorded packets happen again, and those of a session answer the very \
         handshakes that were recorded: change the scenario and run it again with `preflash run`"
    )]
    Sessions,
}

/// Replays a trace on the device of its head, or on what is asked for instead.
///
/// # Errors
/// When it cannot be replayed.
pub fn replay(path: &Path, asked: &Asked) -> Result<(Setup, Outcome), ReplayError> {
    let mut reader = open(path)?;
    let head = reader.head().ok_or(ReplayError::NoHead)?.clone();
    let setup = Setup::of(&head, path, asked)?;
    let outcome = compare(&mut reader, setup.player()?.as_mut(), u64::MAX)?;
    Ok((setup, outcome))
}

/// Opens a trace and reads its head.
///
/// # Errors
/// When the file is no trace or has no head.
pub fn open(path: &Path) -> Result<Reader<File>, ReplayError> {
    let reader = Reader::open(File::open(path).map_err(PftError::Io)?)?;
    if reader.head().is_none() { Err(ReplayError::NoHead) } else { Ok(reader) }
}
