//! Every shipped scenario holds, and shows what the text beside it says.
use std::path::Path;

use sim::report::{Origin, text};
use sim::scenario::{Overrides, Subject};

use crate::shipped::scenarios;

/// A scenario of this workspace, run as it stands.
fn run(path: &Path) -> (String, bool) {
    let scenario = Subject::load(path, &Overrides::default())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let report =
        sim::run_subject(&scenario, &mut |_| sim::Flow::Continue).expect("a valid scenario runs");
    let file = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
    let origin = Origin { file, trace: true, ..Origin::default() };
    (text::render(&report, &origin), report.holds())
}

/// Compares a run's text with the one beside its scenario; whether the run held what it expects.
fn matches_its_text(path: &Path) -> (String, bool) {
    let (text, held) = run(path);
    let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8");
    // The hash of a scenario changes with every field that the format gains; the digest does not.
    let lines = text.lines().filter(|line| !line.starts_with("scenario "));
    let text_without_hash = lines.collect::<Vec<_>>().join("\n");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(path.parent().expect("a file lies in a folder"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(stem, text_without_hash));
    (text, held)
}

#[test]
fn every_scenario_holds_and_reads_as_the_text_beside_it() {
    let judged = scenarios("wg_mgr").into_iter().map(|path| matches_its_text(&path));
    let violated: Vec<_> = judged.filter(|(_, held)| !held).map(|(text, _)| text).collect();
    assert!(violated.is_empty(), "{}", violated.join("\n"));
}

#[test]
fn every_page_holds_and_reads_as_the_text_beside_it() {
    let judged = scenarios("m3_read").into_iter().map(|path| matches_its_text(&path));
    let violated: Vec<_> = judged.filter(|(_, held)| !held).map(|(text, _)| text).collect();
    assert!(violated.is_empty(), "{}", violated.join("\n"));
}

/// If one of these passes, the tool is blind.
#[test]
fn every_canary_fails() {
    for path in scenarios("canary") {
        let (text, held) = matches_its_text(&path);
        assert!(!held, "{text}");
    }
}
