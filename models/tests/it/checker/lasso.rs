//! Runs that never end, followed from words: what they break, and what is no lasso.
use models::checker::{Lasso, LassoError, ReplayError, replay_lasso};

use super::graphs::{GOAL, Graph, TRIGGER};

/// A trigger at 0, a loop of 1 and 2 without a goal, a goal at 3 and an end at 4:
/// `0 -> 1 <-> 2 -> 3 -> 1`, `0 -> 4`, and 3 is a loop of its own.
fn graph() -> Graph {
    Graph {
        labels: vec![TRIGGER, 0, 0, GOAL, 0],
        edges: vec![vec![1, 4], vec![2], vec![1, 3], vec![1, 3], vec![]],
    }
}

fn lasso(way: &[u8], again: &[u8]) -> Lasso {
    let words = |nodes: &[u8]| nodes.iter().map(u8::to_string).collect();
    Lasso { way: words(way), again: words(again) }
}

fn broken(way: &[u8], again: &[u8]) -> Result<Vec<&'static str>, LassoError> {
    let replayed = replay_lasso(&graph(), &lasso(way, again))?;
    assert_eq!(replayed.path.loop_from, Some(way.len()));
    Ok(replayed.broken.into_iter().map(|(name, _)| name).collect())
}

#[test]
fn a_goal_that_never_comes_on_the_loop_is_missed_and_one_that_comes_is_not() {
    // The first round is over the time limit, so it has been answered before the loop begins.
    assert_eq!(broken(&[1, 2, 1], &[2, 1]), Ok(vec!["goal in time", "goal some day"]));
    // The goal comes three ticks after the trigger, one too late; but it comes.
    let after_goal = broken(&[1, 2, 3, 1], &[2, 3, 1]);
    assert_eq!(after_goal, Ok(vec!["goal never after trigger", "goal in time"]));
}

#[test]
fn a_run_that_ends_before_its_goal_misses_it_as_well() {
    assert_eq!(broken(&[4], &[]), Ok(vec!["goal some day"]));
    let goes_on = broken(&[1, 2], &[]);
    assert_eq!(goes_on, Err(LassoError::GoesOn { allowed: vec!["1".into(), "3".into()] }));
}

#[test]
fn a_loop_that_does_not_close_is_refused_with_what_has_changed() {
    let open = broken(&[1], &[2]).expect_err("node 2 is not node 1");
    assert_eq!(open.to_string(), "the loop does not close: once around, node: 1 -> 2");
    // Back at node 1, but the time that has been waited is another.
    assert_eq!(broken(&[1], &[2, 1]), Err(LassoError::Remembered));
}

#[test]
fn a_step_that_cannot_be_made_is_counted_through_way_and_loop() {
    let error = broken(&[1, 2], &[1, 4]).expect_err("node 1 leads to 2 only");
    let LassoError::Replay(ReplayError::NoSuchStep { at, word, allowed }) = error else {
        panic!("{error}");
    };
    assert_eq!((at, word.as_str(), allowed), (4, "4", vec!["2".to_owned()]));
}
