//! The three values of a verdict, and what they cost.
use std::path::Path;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::output::Queue;
use sim::pft::choice::GapReason;
use sim::pft::{Event, Head, Item, Reader, Record, Redactor, TraceSubject, Writer};
use sim::replay::{Asked, CannotTell, Setup, Verdict, cost_conflicts};
use sim::scenario::Overrides;

use super::{load, record, replay};

fn storm() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenarios/wg_mgr/rotated_keys_are_rescued_by_their_first_ping.ron");
    record(&load(&path, &["duration_ms=3000"]), Redactor::new(9)).0
}

/// The same trace with some of its records changed or left out.
fn rewritten(trace: &[u8], mut change: impl FnMut(Record) -> Option<Event>) -> Vec<u8> {
    let reader = Reader::open(trace).expect("a trace");
    let head = reader.head().expect("a head").clone();
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    for item in reader {
        let Item::Record(record) = item.expect("valid") else { panic!("a record") };
        let at = record.at;
        if let Some(event) = change(record) {
            writer.record(at, &event).expect("in order");
        }
    }
    writer.finish(None).expect("memory")
}

fn cannot_tell(verdict: Verdict) -> CannotTell {
    match verdict {
        Verdict::CannotTell(reason) => reason,
        other => panic!("{other:?}"),
    }
}

/// Case 21: what came before the cut is judged, what follows is not.
#[test]
fn a_cut_trace_is_equal_up_to_the_cut_and_cannot_tell_more() {
    let trace = storm();
    let outcome = replay(&trace[..trace.len() * 7 / 8], &[]);
    assert!(outcome.steps > 50, "{outcome:?}");
    let reason = cannot_tell(outcome.verdict);
    assert!(reason.why.contains("cut") && reason.why.contains("every step is equal"));
    assert!(reason.from > 100 && !reason.log_next.is_empty());
}

#[test]
fn a_damaged_block_makes_the_rest_unjudgeable_and_says_how_much_is_lost() {
    let mut trace = storm();
    let middle = trace.len() * 7 / 8;
    trace[middle] ^= 1;
    let reason = cannot_tell(replay(&trace, &[]).verdict);
    assert!(reason.why.contains("damaged"), "{reason:?}");
}

#[test]
fn a_difference_before_a_gap_is_a_failure_all_the_same() {
    let trace = storm();
    let outcome = replay(&trace[..trace.len() * 7 / 8], &["config.loop_delay_ms=20"]);
    assert!(matches!(outcome.verdict, Verdict::Fail(_)), "{:?}", outcome.verdict);
}

#[test]
fn a_changed_output_is_found_at_its_own_record_with_both_values() {
    let trace = storm();
    let mut changed_at = None;
    let changed = rewritten(&trace, |record| match record.event {
        Event::OutReceive { queue: Queue::Disco } if record.index > 300 && changed_at.is_none() => {
            changed_at = Some(record.index);
            Some(Event::OutReceive { queue: Queue::Tunnel })
        }
        event => Some(event),
    });
    let Verdict::Fail(found) = replay(&changed, &[]).verdict else { panic!("it was changed") };
    assert_eq!(Some(found.index), changed_at);
    assert_eq!(found.expected, Some(Event::OutReceive { queue: Queue::Tunnel }));
    assert_eq!(found.got, Some(Event::OutReceive { queue: Queue::Disco }));
    assert!(found.clauses.iter().any(|clause| clause.id() == "WG-DISCO-1"));
    assert_eq!(found.around.len(), 10);
    let marked = found.around.iter().position(|line| line.starts_with('>'));
    assert_eq!(marked, Some(6), "{:#?}", found.around);
}

#[test]
fn an_output_too_many_and_one_too_few_are_differences() {
    let trace = storm();
    let is_note = |event: &Event| matches!(event, Event::NoteOpened { .. });
    let mut left_out = false;
    let fewer = rewritten(&trace, |record| {
        let leaves = !left_out && is_note(&record.event);
        left_out |= leaves;
        (!leaves).then_some(record.event)
    });
    let Verdict::Fail(found) = replay(&fewer, &[]).verdict else { panic!("a note is missing") };
    assert!(found.got.as_ref().is_some_and(is_note), "{found:?}");
    let mut seen = 0;
    let more = rewritten(&trace, |record| {
        seen += u64::from(record.event.is_output());
        (seen != 400 || !record.event.is_output()).then_some(record.event)
    });
    assert!(matches!(replay(&more, &[]).verdict, Verdict::Fail(_)));
}

/// What was in a box that nobody opened is not known: where it matters, nobody can tell.
#[test]
fn a_box_whose_content_is_not_known_cannot_be_judged_and_says_what_to_log() {
    let trace = storm();
    let unopened = rewritten(&trace, |record| {
        Some(match record.event {
            Event::ArrivePing { arrival, sender, .. } => {
                Event::ArriveUnopened { arrival, sender, box_bytes: 62 }
            }
            event => event,
        })
    });
    let reason = cannot_tell(replay(&unopened, &[]).verdict);
    assert!(reason.why.contains("what was in the box"), "{reason:?}");
    assert!(reason.log_next.contains("message"), "{reason:?}");
}

#[test]
fn a_packet_that_no_record_tells_of_cannot_be_judged() {
    let trace = storm();
    let without = rewritten(&trace, |record| {
        let leaves = matches!(record.event, Event::ArrivePing { .. });
        (!leaves).then_some(record.event)
    });
    let reason = cannot_tell(replay(&without, &[]).verdict);
    assert!(reason.log_next.contains("arrive"), "{reason:?}");
}

#[test]
fn a_trace_of_arrivals_alone_holds_no_step_of_a_core() {
    let trace = storm();
    let arrivals = rewritten(&trace, |record| {
        let is_step = record.event.is_input() || record.event.is_output();
        (!is_step).then_some(record.event)
    });
    let reason = cannot_tell(replay(&arrivals, &[]).verdict);
    assert!(reason.why.contains("no step of a core"), "{reason:?}");
}

/// A run of the core that is stepped at these instants, recorded as it goes.
fn stepped(at: &[Instant]) -> Vec<u8> {
    let trace = storm();
    let head = Reader::open(&trace[..]).expect("a trace").head().expect("a head").clone();
    let setup =
        Setup::of(&head, Path::new("x"), &Asked::default()).unwrap_or_else(|e| panic!("{e}"));
    let mut player = setup.player().unwrap_or_else(|error| panic!("{error}"));
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    for at in at {
        let input = Event::InRelayConnected {};
        writer.record(*at, &input).expect("in order");
        for output in player.step(*at, &input).outputs {
            writer.record(*at, &output).expect("in order");
        }
    }
    writer.finish(None).expect("memory")
}

/// Case 24: a legal gap of 18 hours with nothing to do is one step of an event-driven clock.
#[test]
fn a_gap_of_eighteen_hours_costs_no_more_than_any_other() {
    let hours = Duration::from_millis(18 * 3_600_000);
    let times: Vec<_> = (0..100).map(|turn| Instant::ZERO.after(hours.times(turn))).collect();
    let trace = stepped(&times);
    let outcome = replay(&trace, &[]);
    assert!(matches!(outcome.verdict, Verdict::Pass), "{:?}", outcome.verdict);
    assert_eq!((outcome.steps, outcome.records), (100, 100));
}

/// Case 33: two replays of one trace give one result, and steps of one instant keep their order.
#[test]
fn a_trace_replayed_twice_gives_the_same_and_equal_times_keep_their_order() {
    let trace = storm();
    assert_eq!(replay(&trace, &[]).digest, replay(&trace, &[]).digest);
    let same = stepped(&[Instant::from_millis(1); 5]);
    assert!(matches!(replay(&same, &[]).verdict, Verdict::Pass));
}

/// X25519 at 28.3 ms was recorded; a table with 11.3 ms is right only if every open was interrupted,
/// one with 30 ms cannot be right.
#[test]
fn a_cost_table_is_held_against_the_recorded_times() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenarios/wg_mgr/strangers_at_40_per_second.ron");
    let (trace, _, _) = record(&load(&path, &["duration_ms=2000"]), Redactor::new(4));
    let head = Reader::open(&trace[..]).expect("a trace").head().expect("a head").clone();
    let conflicts = |set: &str| {
        let set = vec![set.to_owned()];
        let asked = Asked { overrides: Overrides { set, ..Overrides::default() }, costs: None };
        let setup = Setup::of(&head, Path::new("x"), &asked).unwrap_or_else(|e| panic!("{e}"));
        cost_conflicts(&setup, &replay(&trace, &[]))
    };
    assert_eq!(conflicts("costs.x25519_ms=28.3"), []);
    let [lower] = &conflicts("costs.x25519_ms=11.3")[..] else {
        panic!("one charge has an X25519")
    };
    assert!(!lower.is_certain());
    assert_eq!(lower.change, "costs.x25519_ms=28.3");
    let [higher] = &conflicts("costs.x25519_ms=30")[..] else { panic!("one charge has an X25519") };
    assert!(higher.is_certain() && higher.change == lower.change);
}

#[test]
fn an_imported_log_has_no_core_to_replay() {
    let head = Head::new(TraceSubject::Other, "a log");
    let mut writer = Writer::create(Vec::new(), &head, Redactor::new(1)).expect("memory");
    let gap = Event::Gap { reason: GapReason::Missed, lost: None };
    writer.record(Instant::ZERO, &gap).expect("in order");
    let trace = writer.finish(None).expect("memory");
    let head = Reader::open(&trace[..]).expect("a trace").head().expect("a head").clone();
    let setup = Setup::of(&head, Path::new("x"), &Asked::default());
    assert!(setup.is_err_and(|error| error.to_string().contains("no core of ours")));
}
