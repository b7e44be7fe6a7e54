//! Every shipped scenario holds, and shows what the text beside it says.
use std::path::Path;

use sim::report::{Origin, text};
use sim::scenario::{Overrides, Scenario};

/// A scenario of this workspace, run as it stands.
fn run(path: &Path) -> (String, bool) {
    let scenario = Scenario::load(path, &Overrides::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let report = sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("a valid scenario runs");
    let file = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
    let origin = Origin { file, trace: true, ..Origin::default() };
    (text::render(&report, &origin), report.holds())
}

/// Compares a run's text with the one beside its scenario; whether the run held what it expects.
fn matches_its_text(path: &Path) -> (String, bool) {
    let (text, held) = run(path);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(path.parent().expect("a file lies in a folder"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(stem, text));
    (text, held)
}

#[test]
fn every_scenario_holds_and_reads_as_the_text_beside_it() {
    let mut violated = Vec::new();
    insta::glob!("../../../scenarios/wg_mgr", "*.ron", |path| {
        let (text, held) = matches_its_text(path);
        if !held {
            violated.push(text);
        }
    });
    assert!(violated.is_empty(), "{}", violated.join("\n"));
}

/// If one of these passes, the tool is blind.
#[test]
fn every_canary_fails() {
    insta::glob!("../../../scenarios/canary", "*.ron", |path| {
        let (text, held) = matches_its_text(path);
        assert!(!held, "{text}");
    });
}
