//! The machines of phases: explored, written for Spin and drawn.
use std::fs;

use crate::{Desk, root};

/// Cites ER-5, ER-1 and S 1.6.
#[test]
fn the_read_machine_holds_and_is_written_as_it_is_kept() {
    let desk = Desk::with("");
    let args = ["check", "m3_read_phases", "--promela", "read.pml", "--dot", "read.dot"];
    let ended = desk.run(&args).ends_with(0);
    for part in ["holds        ER-5         nothing is accepted over a hole", "every wait ends"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    for (written, kept) in [
        ("read.pml", "models/promela/m3_read_arm_2.pml"),
        ("read.dot", "models/drawings/m3_read_arm_2.dot"),
    ] {
        let written = fs::read_to_string(desk.folder.path().join(written)).unwrap();
        assert_eq!(written, fs::read_to_string(root().join(kept)).unwrap(), "{kept}");
    }
}

/// Cites ER-5 and WG-Q2.
#[test]
fn a_broken_claim_is_shown_and_its_steps_can_be_followed() {
    let desk = Desk::with("");
    let planted = ["--planted", "accept_over_hole", "--export", "hole.ron"];
    let found = desk.run(&[&["check", "m3_read_phases"], planted.as_slice()].concat()).ends_with(1);
    assert!(found.stdout.contains("violated     ER-5"), "{}", found.stdout);
    desk.run(&["check", "--replay", "hole.ron"]).ends_with(1);
    let args = ["check", "wg_mgr_passes", "--preset", "ARM-1", "--quiet"];
    let found = desk.run(&args).ends_with(1);
    let drained = "violated     WG-Q2        the tunnel queue is drained between two opens";
    assert!(found.stdout.contains(drained), "{}", found.stdout);
}
