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
    assert!(files >= 6, "{files} counterexamples");
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

const STARVED: &str = "violated     WG-Q1        a tunnel packet is served some day";

/// Cites WG-Q1 and WG-DISCO-1: known keys are served for ever while a tunnel packet waits. An exported
/// test is the file `found_loop.rs` beside this one.
#[test]
fn a_run_that_never_ends_is_exported_and_followed_to_the_same_violation() {
    let desk = Desk::with("");
    let model = "check wg_mgr_passes --preset HEAD-4 --traffic known_keys --quiet --export";
    let export: Vec<&str> = model.split(' ').collect();
    let found = desk.run(&[&export[..], &["loop.ron"]].concat()).ends_with(1);
    assert!(found.stdout.contains(STARVED), "{}", found.stdout);
    let followed = desk.run(&["check", "--replay", "loop.ron"]).ends_with(1);
    for part in ["from here on, again and again", "and all is as it was", STARVED] {
        assert!(followed.stdout.contains(part), "`{part}` is missing in:\n{}", followed.stdout);
    }
    desk.run(&[&export[..], &["loop.rs"]].concat()).ends_with(1);
    let text = fs::read_to_string(desk.folder.path().join("loop.rs")).expect("it was written");
    assert_eq!(text, include_str!("found_loop.rs"));
    let kept = root().join("scenarios/counterexamples/known_keys_starve_the_tunnel.ron");
    let text = fs::read_to_string(desk.folder.path().join("loop.ron")).expect("it was written");
    assert_eq!(text, fs::read_to_string(kept).expect("it is kept"));
}

/// Without its last step the loop leads elsewhere, and without the loop the run goes on.
#[test]
fn a_loop_that_does_not_close_is_refused() {
    let desk = Desk::with("");
    let kept = root().join("scenarios/counterexamples/known_keys_starve_the_tunnel.ron");
    let text = fs::read_to_string(kept).expect("it is kept");
    let last = text.rfind("        \"").expect("a loop has steps");
    desk.write("open.ron", format!("{}    ]),\n)\n", &text[..last]).as_bytes());
    desk.run(&["check", "--replay", "open.ron"]).refuses(&["open.ron", "the loop does not close"]);
    let begin = text.find("again: Some([").expect("it has a loop");
    desk.write("ends.ron", format!("{}again: Some([]),\n)\n", &text[..begin]).as_bytes());
    desk.run(&["check", "--replay", "ends.ron"]).refuses(&["the run does not end there"]);
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
