//! The source tree that a command is about: what it says of clauses, tests and mutants is read where
//! it runs and not built in.
use std::env;
use std::path::{Path, PathBuf};

use mutant_runner::catalogue::Catalogue;
use mutant_runner::report;
use mutant_runner::shipped;
use mutant_runner::subject::Subject;

use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

/// The tree around the working directory, else the one that the program was built from.
pub(crate) struct Tree {
    /// Its folder.
    pub(crate) root: PathBuf,
    /// What is tried in it, unless something else is asked for.
    pub(crate) subject: Subject,
}

impl Tree {
    /// Finds it.
    pub(crate) fn find() -> Result<Self, Refusal> {
        let here = env::current_dir().unwrap_or_default();
        let built_from = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let found = here.ancestors().chain([built_from]).find(|root| is_tree(root));
        let root = found.and_then(|root| root.canonicalize().ok()).ok_or_else(|| {
            let reason = "no source tree with mutants/catalogue is above this folder";
            Plain::refuse(reason, "run it in a checkout: it reads comments and builds the cores")
        })?;
        Ok(Self { subject: shipped::cores(&root), root })
    }

    /// Its catalogue.
    pub(crate) fn catalogue(&self) -> Result<Catalogue, Refusal> {
        let read = Catalogue::read(&self.subject.catalogue);
        read.map_err(|error| Plain::refuse(error.to_string(), "correct that entry"))
    }
}

fn is_tree(root: &Path) -> bool {
    root.join("mutants/catalogue").is_dir() && root.join("models/src/clause.rs").is_file()
}

/// How this program ends when the runner ends like this.
pub(crate) const fn exit(ended: report::Exit) -> Exit {
    match ended {
        report::Exit::Met => Exit::Holds,
        report::Exit::Usage => Exit::Usage,
        report::Exit::Gate => Exit::Gate,
        report::Exit::Baseline => Exit::Baseline,
        report::Exit::Flaky => Exit::Nondeterminism,
        report::Exit::Internal => Exit::Internal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_end_of_the_runner_has_the_same_number_here() {
        use report::Exit::{Baseline, Flaky, Gate, Internal, Met, Usage};
        for ended in [Met, Usage, Gate, Baseline, Flaky, Internal] {
            assert_eq!(exit(ended).code(), ended as u8);
        }
    }
}
