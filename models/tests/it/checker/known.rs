//! Models with published numbers of states and published shortest answers.
use std::collections::BTreeSet;

use models::checker::codec::{Packed, Word};
use models::checker::example::{Commit, TwoPhaseCommit};
use models::checker::{Limits, Model, Report, Stopped, Verdict, check, check_lossy};
use models::clause::Clause;
use models::m3_read;
use models::property::{Property, Rule};

const ANY: Clause = Clause::M3Read(m3_read::Clause::ClientRules);

fn verdicts<M: Model>(report: &Report<M>) -> Vec<&'static str> {
    report.found.iter().map(|found| found.verdict.name()).collect()
}

#[test]
fn two_phase_commit_has_as_many_states_as_published() {
    for (managers, states) in [(3, 288), (5, 8_832)] {
        let report = check(&TwoPhaseCommit::among(managers), Limits::NONE)
            .expect("the properties can be judged");
        assert_eq!((report.states, report.stopped), (states, None));
        assert!(report.holds());
    }
}

#[test]
fn two_threads_find_the_same_states_in_the_same_order() {
    let model = TwoPhaseCommit::among(7);
    let figures = |threads| {
        let report =
            check(&model, Limits::NONE.threads(threads)).expect("the properties can be judged");
        (report.states, report.transitions, report.depth, report.ends, verdicts(&report))
    };
    let one = figures(1);
    assert_eq!(one.0, 296_448);
    assert_eq!(one, figures(2));
    assert_eq!(one, figures(3));
}

#[test]
fn one_state_stands_for_all_that_differ_by_names_only() {
    let report = check(&TwoPhaseCommit::among(5).symmetric(), Limits::NONE)
        .expect("the properties can be judged");
    // The same count without the reduction: every state, its resource managers sorted.
    let model = TwoPhaseCommit::among(5);
    let sorted = |mut state: Commit| {
        model.symmetric().canonical(&mut state);
        state.word()
    };
    let mut seen = BTreeSet::from([TwoPhaseCommit::BEGINNING.word()]);
    let mut open = vec![TwoPhaseCommit::BEGINNING];
    while let Some(state) = open.pop() {
        model.events(state, &mut |_, next| {
            if seen.insert(next.word()) {
                open.push(next);
            }
        });
    }
    let orbits: BTreeSet<u64> = seen.iter().map(|&it| sorted(Commit::from_word(it))).collect();
    assert_eq!((seen.len(), report.states as usize), (8_832, orbits.len()));
    assert!(report.holds() && report.states < 8_832 / 10, "{}", report.states);
}

#[test]
fn a_limit_makes_the_verdict_inconclusive_and_never_holds() {
    let model = TwoPhaseCommit::among(5);
    for limits in [Limits::NONE.states(8_831), Limits { depth_max: 3, ..Limits::NONE }] {
        for threads in [1, 2] {
            let report =
                check(&model, limits.threads(threads)).expect("the properties can be judged");
            assert_eq!(report.found[0].verdict.name(), "inconclusive");
            assert!(report.stopped.is_some() && !report.holds() && report.is_inconclusive());
        }
    }
    let exactly = check(&model, Limits::NONE.states(8_832)).expect("the properties can be judged");
    assert!(exactly.holds() && exactly.stopped.is_none());
}

#[test]
fn digests_find_every_state_here_and_still_prove_nothing() {
    let report =
        check_lossy(&TwoPhaseCommit::among(5), Limits::NONE).expect("the properties can be judged");
    assert_eq!((report.states, report.stopped), (8_832, Some(Stopped::Lossy)));
    assert_eq!(verdicts(&report), ["inconclusive", "holds", "holds"]);
    let jugs = check_lossy(&Jugs, Limits::NONE).expect("the properties can be judged");
    let Some(Verdict::Violated(path)) = jugs.verdict("four litres cannot be measured") else {
        panic!("digests find violations")
    };
    assert_eq!(path.steps.len(), 6);
}

/// Two jugs of 3 and 5 litres and a well.
struct Jugs;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pour {
    FillSmall,
    FillBig,
    EmptySmall,
    EmptyBig,
    SmallToBig,
    BigToSmall,
}

impl Model for Jugs {
    type State = u64;
    type Action = Pour;
    type Seen = u64;
    type Codec = Packed<u64>;

    fn codec(&self) -> Packed<u64> {
        Packed::default()
    }

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn successors(&self, state: &u64, each: &mut impl FnMut(Pour, u64)) {
        let (small, big) = (state / 10, state % 10);
        let up = small.min(5 - big);
        let down = big.min(3 - small);
        for (pour, small, big) in [
            (Pour::FillSmall, 3, big),
            (Pour::FillBig, small, 5),
            (Pour::EmptySmall, 0, big),
            (Pour::EmptyBig, small, 0),
            (Pour::SmallToBig, small - up, big + up),
            (Pour::BigToSmall, small + down, big - down),
        ] {
            each(pour, small * 10 + big);
        }
    }

    fn observe(&self, _step: Option<(&u64, &Pour)>, after: &u64) -> u64 {
        *after
    }

    fn properties(&self) -> Vec<Property<u64>> {
        let always = Rule::Always { holds: |state: &u64| state % 10 != 4, premise: None };
        vec![Property { name: "four litres cannot be measured", clause: ANY, rule: always }]
    }

    fn describe(&self, state: &u64) -> Vec<(String, String)> {
        vec![("small".into(), (state / 10).to_string()), ("big".into(), (state % 10).to_string())]
    }
}

#[test]
fn the_shortest_way_to_four_litres_has_six_steps_at_any_number_of_threads() {
    for threads in [1, 2, 5] {
        let report =
            check(&Jugs, Limits::NONE.threads(threads)).expect("the properties can be judged");
        assert_eq!(report.states, 16);
        let (_, path) = report.violated().expect("four litres can be measured");
        let pours: Vec<Pour> = path.steps.iter().map(|step| step.action).collect();
        let known = [
            Pour::FillBig,
            Pour::BigToSmall,
            Pour::EmptySmall,
            Pour::BigToSmall,
            Pour::FillBig,
            Pour::BigToSmall,
        ];
        assert_eq!(pours, known);
    }
}

#[test]
fn a_path_is_shown_as_what_each_step_changed() {
    let report = check(&Jugs, Limits::NONE).expect("the properties can be judged");
    let (_, path) = report.violated().expect("four litres can be measured");
    let text = path.render(&Jugs);
    let start = "  0  begin\n       small: 0\n       big: 0\n  1  FillBig\n       big: 0 -> 5\n";
    assert!(text.starts_with(start), "{text}");
    assert!(
        text.ends_with("  6  BigToSmall\n       small: 2 -> 3\n       big: 5 -> 4\n"),
        "{text}"
    );
}
