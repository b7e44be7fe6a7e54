//! The runner against a crate in which every outcome occurs, and the shipped catalogue against the
//! cores, the clause register and the tests that it names.
mod clauses;
mod fixture;
mod shipped;

use std::path::{Path, PathBuf};

use mutant_runner::subject::{Part, Subject};

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn root() -> PathBuf {
    here().join("..").canonicalize().expect("the folder above is there")
}

/// A workspace of one package, copied and built below `place`.
fn single(workspace: PathBuf, place: &Path) -> Subject {
    Subject {
        workspace,
        catalogue: here().join("tests/fixture/catalogue"),
        parts: vec![Part {
            package: "fixture".to_owned(),
            folder: "".into(),
            catalogue: "".into(),
            integration: true,
            generated: vec!["lib.rs".into()],
        }],
        clauses: ["F-1", "F-2", "F-3"].map(str::to_owned).to_vec(),
        builds: place.join("builds"),
        place: place.to_owned(),
    }
}
