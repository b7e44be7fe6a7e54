//! The subject that this workspace ships: its cores, and what answers them in tests.
//!
//! ```text
//!   catalogue/wg_mgr, m3_read  ──► firmware-core/src     the cores
//!   catalogue/models/...       ──► models/src            the firmware at the other end of the bus
//! ```
//!
//! Nothing else in this crate knows the firmware.
use std::path::Path;

use models::clause::Clause;

use crate::subject::{Part, Subject};

/// The subject in a checkout of the workspace.
pub fn subject(workspace: &Path) -> Subject {
    let part = |package: &str, catalogue: &str, generated: &[&str]| Part {
        package: package.to_owned(),
        folder: package.into(),
        catalogue: catalogue.into(),
        integration: true,
        generated: generated.iter().map(Into::into).collect(),
    };
    let builds = workspace.join("target");
    Subject {
        workspace: workspace.to_owned(),
        parts: vec![
            part("firmware-core", "", &["wg_mgr", "m3_read"]),
            part("models", "models", &["m3_read/responder"]),
        ],
        clauses: Clause::all().map(|clause| clause.id().to_owned()).collect(),
        place: builds.join("mutants"),
        builds,
    }
}
