//! The shipped scenarios, for every test that runs one or all of them.
use std::path::{Path, PathBuf};

use sim::report::Report;
use sim::scenario::{Overrides, Scenario};

/// The scenarios of a folder, by name.
pub fn scenarios(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios").join(folder);
    let entries = std::fs::read_dir(folder).expect("the folder is shipped");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ron"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

/// Runs one of the manager's with some of its values replaced.
pub fn run(stem: &str, preset: Option<&str>, set: &[&str]) -> Report {
    let overrides = Overrides {
        preset: preset.map(str::to_owned),
        set: set.iter().map(|edit| (*edit).to_owned()).collect(),
        ..Overrides::default()
    };
    let path = format!("../scenarios/wg_mgr/{stem}.ron");
    let scenario = Scenario::load(Path::new(&path), &overrides)
        .unwrap_or_else(|error| panic!("{stem}: {error}"));
    sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("a valid scenario runs")
}
