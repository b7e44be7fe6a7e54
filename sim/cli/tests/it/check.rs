//! `check` end to end: verdicts as exit codes, counterexamples that replay, drawings.
use std::fs;

use crate::{Desk, root};

/// Every kept counterexample is still one.
#[test]
fn every_counterexample_replays_to_its_violation() {
    let folder = root().join("scenarios/counterexamples");
    let mut files = 0;
    for entry in fs::read_dir(&folder).expect("the folder is there") {
        let file = entry.expect("a readable entry").path();
        if file.extension().is_some_and(|extension| extension == "ron") {
            let ended = Desk::with("").run(&["check", "--replay", &file.display().to_string()]);
            let ended = ended.ends_with(1);
            assert!(ended.stdout.contains("violated "), "{}: {}", file.display(), ended.stdout);
            files += 1;
        }
    }
    assert!(files >= 5, "{files} counterexamples");
}

#[test]
fn what_holds_what_is_violated_and_what_cannot_be_told_have_a_code_each() {
    let desk = Desk::with("");
    let holds = desk.run(&["check", "wg_mgr", "--scene", "echo", "--strict"]).ends_with(0);
    assert!(holds.stdout.contains("complete     every reachable state was visited"));
    let violated = desk.run(&["check", "wg_mgr", "--scene", "echo"]).ends_with(1);
    assert!(violated.stdout.contains("a CallMeMaybe is not answered with one (WG-CMM-2)"));
    let cut = desk.run(&["check", "two_phase_commit", "--limit-states", "100"]).ends_with(7);
    assert!(cut.stdout.contains("incomplete   the limit of 100 states was hit"));
    assert!(!cut.stdout.contains("holds        App. A       nobody"), "{}", cut.stdout);
}

/// An exported test is the very file `found.rs` beside this one, which is built and run.
#[test]
fn an_exported_counterexample_is_read_back_and_an_exported_test_runs() {
    let desk = Desk::with("");
    let export = ["check", "wg_mgr", "--scene", "echo", "--quiet", "--export"];
    desk.run(&[&export[..], &["found.ron"]].concat()).ends_with(1);
    desk.run(&["check", "--replay", "found.ron"]).ends_with(1);
    desk.run(&[&export[..], &["found.rs"]].concat()).ends_with(1);
    let text = fs::read_to_string(desk.folder.path().join("found.rs")).expect("it was written");
    assert_eq!(text, include_str!("found.rs"));
}

#[test]
fn a_counterexample_that_cannot_be_followed_names_the_step() {
    let desk = Desk::with("");
    let text = r#"(version: 1, model: "wg_mgr --scene echo", property: "x", clause: "y",
        steps: ["step", "jump"])"#;
    desk.write("bad.ron", text.as_bytes());
    let ended = desk.run(&["check", "--replay", "bad.ron"]).ends_with(2);
    assert!(ended.stderr.contains("step 2 is `jump`"), "{}", ended.stderr);
}

#[test]
fn the_phases_are_drawn() {
    let desk = Desk::with("");
    let args = ["check", "wg_mgr", "--scene", "echo", "--strict", "--dot", "phases.dot"];
    desk.run(&args).ends_with(0);
    let text = fs::read_to_string(desk.folder.path().join("phases.dot")).expect("it was written");
    assert!(text.contains("\"Sleeping\" -> \"TunnelDrain\";"), "{text}");
}
