//! The subjects that this workspace ships: its cores with what answers them, and the world around.
//!
//! ```text
//!   cores    catalogue/wg_mgr, m3_read  ──► firmware-core/src   the cores
//!            catalogue/models/...       ──► models/src          the firmware at the bus's other end
//!   world    catalogue_world/...        ──► sim/src             the TLS engine, the device's tasks
//! ```
//!
//! Nothing else in this crate knows the firmware.
use std::path::{Path, PathBuf};

use clap::Args;
use models::clause::Clause;

use crate::command::Arguments;
use crate::subject::{Part, Subject};

/// What the command takes here: which subject, and what of it.
#[derive(Clone, Debug, Default, Args)]
pub struct ShippedArguments {
    /// Breaks the simulated world instead of the cores: what pretends to be the TLS engine, the
    /// tasks of the device, the peers. The simulator's tests have to notice; they are built anew.
    #[arg(long)]
    pub world: bool,
    /// Which mutants, tried how.
    #[command(flatten)]
    pub arguments: Arguments,
}

impl ShippedArguments {
    /// The subject that is meant.
    pub fn subject(&self, workspace: &Path) -> Subject {
        if self.world { world(workspace) } else { cores(workspace) }
    }
}

/// The cores, and the fakes that their tests use, in a checkout of the workspace.
pub fn cores(workspace: &Path) -> Subject {
    let parts = vec![
        part("firmware-core", "", &["wg_mgr", "m3_read"]),
        part("models", "models", &["m3_read/responder"]),
    ];
    subject(workspace, "catalogue", "mutants", parts)
}

/// The simulated world, in a checkout of the workspace.
pub fn world(workspace: &Path) -> Subject {
    let parts = vec![part("sim", "", &[])];
    subject(workspace, "catalogue_world", "mutants_world", parts)
}

fn part(package: &str, catalogue: &str, generated: &[&str]) -> Part {
    Part {
        package: package.to_owned(),
        folder: package.into(),
        catalogue: catalogue.into(),
        integration: true,
        generated: generated.iter().map(Into::into).collect(),
    }
}

fn subject(workspace: &Path, catalogue: &str, place: &str, parts: Vec<Part>) -> Subject {
    let builds: PathBuf = workspace.join("target");
    Subject {
        workspace: workspace.to_owned(),
        catalogue: workspace.join("mutants").join(catalogue),
        parts,
        clauses: Clause::all().map(|clause| clause.id().to_owned()).collect(),
        place: builds.join(place),
        builds,
    }
}
