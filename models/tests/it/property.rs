//! How a monitor judges runs, on a toy: requests that a server grants, refuses or leaves waiting.
use firmware_core::time::{Duration, Instant};
use models::clause::Clause;
use models::property::{Monitor, Property, PropertyError, Rule, Verdict};
use models::wg_mgr;
use proptest::prelude::*;

/// What one sees of the toy after a step.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    asked: bool,
    granted: bool,
    closed: bool,
    queued: u32,
}

const QUIET: Seen = Seen { asked: false, granted: false, closed: false, queued: 0 };
const ASKED: Seen = Seen { asked: true, ..QUIET };
const GRANTED: Seen = Seen { granted: true, ..QUIET };
const CLOSED: Seen = Seen { closed: true, ..QUIET };
const LIMIT_MS: u64 = 10;

fn property(name: &'static str, rule: Rule<Seen>) -> Property<Seen> {
    Property { name, clause: Clause::WgMgr(wg_mgr::Clause::Q1), rule }
}

fn queue_is_short(premise: Option<&'static str>) -> Property<Seen> {
    property("the queue is short", Rule::Always { holds: |seen| seen.queued <= 4, premise })
}

fn queue_fills() -> Property<Seen> {
    property("the queue fills", Rule::Sometimes { holds: |seen| seen.queued == 4 })
}

fn granted_within(limit: Duration) -> Property<Seen> {
    let rule = Rule::Within { limit, trigger: |seen: &Seen| seen.asked, goal: |seen| seen.granted };
    property("what is asked is granted in time", rule)
}

fn granted_in_time() -> Property<Seen> {
    granted_within(Duration::from_millis(LIMIT_MS))
}

fn no_grant_after_close() -> Property<Seen> {
    let rule = Rule::NeverAgain { once: |seen: &Seen| seen.closed, never: |seen| seen.granted };
    property("nothing is granted once closed", rule)
}

/// The verdicts on a run given as milliseconds and observations, watched until `end_ms`.
#[track_caller]
fn judge(properties: &[Property<Seen>], run: &[(u64, Seen)], end_ms: u64) -> Vec<Verdict> {
    let mut monitor = Monitor::try_new(properties).expect("the properties fit together");
    for (at_ms, seen) in run {
        monitor.observe(Instant::from_millis(*at_ms), seen);
    }
    monitor.verdicts(Instant::from_millis(end_ms))
}

#[track_caller]
fn judge_one(property: Property<Seen>, run: &[(u64, Seen)], end_ms: u64) -> Verdict {
    judge(&[property], run, end_ms)[0]
}

fn queued(queued: u32) -> Seen {
    Seen { queued, ..QUIET }
}

#[test]
fn a_run_without_observations_reaches_nothing() {
    let properties =
        [queue_is_short(None), queue_fills(), granted_in_time(), no_grant_after_close()];
    assert_eq!(judge(&properties, &[], 0), [Verdict::Unreached; 4]);
}

#[test]
fn always_is_violated_by_the_first_observation_against_it() {
    let run = [(0, queued(4)), (1, queued(5)), (2, queued(0)), (3, queued(9))];
    assert_eq!(judge_one(queue_is_short(None), &run, 3), Verdict::Violated { since: 1, at: 1 });
    assert_eq!(judge_one(queue_is_short(None), &run[..1], 3), Verdict::Holds);
}

#[test]
fn always_holds_only_once_its_premise_was_reached() {
    let properties = [queue_is_short(Some("the queue fills")), queue_fills()];
    assert_eq!(judge(&properties, &[(0, queued(3))], 0), [Verdict::Unreached; 2]);
    assert_eq!(judge(&properties, &[(0, queued(3)), (1, queued(4))], 1), [Verdict::Holds; 2]);
}

#[test]
fn always_is_violated_even_when_its_premise_was_not_reached() {
    let properties = [queue_is_short(Some("the queue fills")), queue_fills()];
    let verdicts = judge(&properties, &[(0, queued(5))], 0);
    assert_eq!(verdicts, [Verdict::Violated { since: 0, at: 0 }, Verdict::Unreached]);
}

#[test]
fn sometimes_holds_from_its_first_occasion_on() {
    assert_eq!(judge_one(queue_fills(), &[(0, queued(4)), (1, queued(0))], 1), Verdict::Holds);
    assert_eq!(judge_one(queue_fills(), &[(0, queued(3))], 1), Verdict::Unreached);
}

#[test]
fn a_goal_exactly_at_the_limit_is_in_time() {
    let run = [(5, ASKED), (15, GRANTED)];
    assert_eq!(judge_one(granted_in_time(), &run, 15), Verdict::Holds);
}

#[test]
fn a_goal_a_nanosecond_past_the_limit_is_late() {
    let properties = [granted_in_time()];
    let mut monitor = Monitor::try_new(&properties).expect("one property fits itself");
    monitor.observe(Instant::from_millis(5), &ASKED);
    let late = Instant::from_nanos(15_000_001);
    monitor.observe(late, &GRANTED);
    assert_eq!(monitor.verdicts(late), [Verdict::Violated { since: 0, at: 1 }]);
}

#[test]
fn a_goal_together_with_its_trigger_is_in_time_and_one_before_it_is_none() {
    let both = Seen { asked: true, granted: true, ..QUIET };
    assert_eq!(judge_one(granted_in_time(), &[(0, both)], 100), Verdict::Holds);
    let early = [(0, GRANTED), (0, ASKED), (11, QUIET)];
    assert_eq!(judge_one(granted_in_time(), &early, 11), Verdict::Violated { since: 1, at: 2 });
}

#[test]
fn one_goal_answers_every_trigger_before_it_and_the_oldest_runs_out_first() {
    let answered = [(0, ASKED), (4, ASKED), (10, GRANTED)];
    assert_eq!(judge_one(granted_in_time(), &answered, 50), Verdict::Holds);
    let late = [(0, ASKED), (4, ASKED), (12, GRANTED)];
    assert_eq!(judge_one(granted_in_time(), &late, 50), Verdict::Violated { since: 0, at: 2 });
}

#[test]
fn the_end_of_a_run_shows_a_trigger_whose_time_is_up_but_not_one_that_still_has_time() {
    let run = [(0, ASKED), (3, QUIET)];
    assert_eq!(judge_one(granted_in_time(), &run, 10), Verdict::Unreached);
    assert_eq!(judge_one(granted_in_time(), &run, 11), Verdict::Violated { since: 0, at: 2 });
}

#[test]
fn a_goal_without_a_trigger_is_no_occasion() {
    assert_eq!(judge_one(granted_in_time(), &[(0, GRANTED)], 100), Verdict::Unreached);
}

#[test]
fn what_is_forbidden_once_something_happened_may_come_before_it_and_with_it() {
    let together = Seen { granted: true, ..CLOSED };
    let run = [(0, GRANTED), (1, together), (2, QUIET), (3, GRANTED)];
    assert_eq!(judge_one(no_grant_after_close(), &run[..3], 3), Verdict::Holds);
    assert_eq!(judge_one(no_grant_after_close(), &run, 3), Verdict::Violated { since: 1, at: 3 });
    assert_eq!(judge_one(no_grant_after_close(), &run[..1], 3), Verdict::Unreached);
}

#[test]
fn the_same_function_twice_means_at_most_once() {
    let once = || {
        let rule = Rule::NeverAgain { once: |seen: &Seen| seen.closed, never: |seen| seen.closed };
        property("it is closed at most once", rule)
    };
    assert_eq!(judge_one(once(), &[(0, CLOSED), (1, QUIET)], 1), Verdict::Holds);
    let twice = [(0, CLOSED), (1, QUIET), (2, CLOSED)];
    assert_eq!(judge_one(once(), &twice, 2), Verdict::Violated { since: 0, at: 2 });
}

#[test]
fn a_premise_has_to_be_among_the_properties_and_ask_for_something_to_be_reached() {
    let property = "the queue is short";
    let missing = [queue_is_short(Some("the queue fills"))];
    let expected = PropertyError::MissingPremise { property, premise: "the queue fills" };
    assert_eq!(Monitor::try_new(&missing).err(), Some(expected));
    let itself = [queue_is_short(Some(property))];
    let expected = PropertyError::PremiseNotSometimes { property, premise: property };
    assert_eq!(Monitor::try_new(&itself).err(), Some(expected));
}

#[test]
fn two_properties_of_one_name_are_refused() {
    let twice = [queue_fills(), queue_fills()];
    let expected = PropertyError::DuplicateName { name: "the queue fills" };
    assert_eq!(Monitor::try_new(&twice).err(), Some(expected));
}

#[test]
#[should_panic(expected = "observations come in the order of time")]
fn a_clock_that_runs_backward_is_the_callers_mistake() {
    judge(&[queue_fills()], &[(2, QUIET), (1, QUIET)], 2);
}

#[test]
#[should_panic(expected = "a run does not end before its last observation")]
fn an_end_before_the_last_observation_is_the_callers_mistake() {
    judge(&[queue_fills()], &[(2, QUIET)], 1);
}

/// The rule read naively: look for the goal of every trigger anew.
fn naive_within(run: &[(u64, Seen)], limit_ms: u64, end_ms: u64) -> Verdict {
    let mut answered = false;
    for (since, (asked_ms, _)) in run.iter().enumerate().filter(|(_, (_, seen))| seen.asked) {
        let due_ms = asked_ms + limit_ms;
        let in_time = |(at_ms, seen): &(u64, Seen)| seen.granted && *at_ms <= due_ms;
        if run[since..].iter().any(in_time) {
            answered = true;
        } else if due_ms < end_ms {
            let late = run.iter().position(|(at_ms, _)| *at_ms > due_ms);
            return Verdict::Violated { since, at: late.unwrap_or(run.len()) };
        }
    }
    if answered { Verdict::Holds } else { Verdict::Unreached }
}

prop_compose! {
    fn any_run()(steps in prop::collection::vec((0_u64..4, any::<bool>(), any::<bool>()), 0..12))
        -> Vec<(u64, Seen)> {
        let mut now_ms = 0;
        let observations = steps.into_iter().map(|(pause_ms, asked, granted)| {
            now_ms += pause_ms;
            (now_ms, Seen { asked, granted, ..QUIET })
        });
        observations.collect()
    }
}

proptest! {
    #[test]
    fn one_open_trigger_judges_like_looking_at_all_of_them(
        run in any_run(),
        limit_ms in 0_u64..8,
        quiet_ms in 0_u64..10,
    ) {
        let end_ms = run.last().map_or(0, |(at_ms, _)| *at_ms) + quiet_ms;
        let verdict = judge_one(granted_within(Duration::from_millis(limit_ms)), &run, end_ms);
        prop_assert_eq!(verdict, naive_within(&run, limit_ms, end_ms));
    }
}
