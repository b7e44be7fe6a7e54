//! What is tried: the workspace, its packages with mutants, and where the copy and the builds go.
use std::path::PathBuf;

/// A package that mutants are woven into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The package's name.
    pub package: String,
    /// Its folder, relative to the workspace.
    pub folder: PathBuf,
    /// The folder of the catalogue whose files are about its `src`.
    pub catalogue: PathBuf,
    /// Whether the tests in its `tests` folder are run too, and not only those inside its `src`.
    pub integration: bool,
    /// Folders and files below `src` for which mutants are generated.
    pub generated: Vec<PathBuf>,
}

/// The packages under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The folder of their workspace; all of it is copied but version control and builds.
    pub workspace: PathBuf,
    /// The folder of its catalogue.
    pub catalogue: PathBuf,
    /// The packages.
    pub parts: Vec<Part>,
    /// The ids of the clauses that a test may cite and an entry may name.
    pub clauses: Vec<String>,
    /// Where builds go; dependencies that are there already are used.
    pub builds: PathBuf,
    /// Where the copy is made. It stays, so that the next one builds only what has changed.
    pub place: PathBuf,
}
