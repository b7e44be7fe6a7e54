//! The checker beside stateright on the same two systems: states per second and bytes per state, each
//! in a process of its own, in turns, with equal numbers of states or no result.
//!
//! ```text
//!   main ──► for each system, three rounds: ours · theirs ──► child: states, seconds, peak memory
//! ```
//!
//! Both search breadth first on one thread, with one property that always holds. stateright is given
//! the cheapest model there is: its actions are the successors themselves. It tells states apart by
//! 64-bit fingerprints, we by all of them.
use std::process::Command;
use std::time::Instant;

use firmware_core::m3_read::preset::Arm;
use models::checker::codec::{Collapsed, Packed};
use models::checker::example::{Commit, Event, TwoPhaseCommit};
use models::checker::{Limits, Model, check};
use models::clause::Clause;
use models::m3_read::system::{Bounds, Happened, State, System};
use models::property::{Property, Rule};
use stateright::Checker;

const ROUNDS: usize = 3;
const ANY: Clause = Clause::M3Read(models::m3_read::Clause::ClientRules);

/// A system with a single property, so that no memory of rules makes states of its own.
struct Bare<M>(M);

fn holds() -> Vec<Property<()>> {
    let rule = Rule::Always { holds: |(): &()| true, premise: None };
    vec![Property { name: "always", clause: ANY, rule }]
}

macro_rules! bare {
    ($model:ty, $state:ty, $action:ty, $codec:ty) => {
        impl Model for Bare<$model> {
            type State = $state;
            type Action = $action;
            type Seen = ();
            type Codec = $codec;

            fn codec(&self) -> $codec {
                <$codec>::default()
            }

            fn initial(&self) -> Vec<$state> {
                self.0.initial()
            }

            fn successors(&self, state: &$state, each: &mut impl FnMut($action, $state)) {
                self.0.successors(state, each);
            }

            fn observe(&self, _: Option<(&$state, &$action)>, _: &$state) {}

            fn properties(&self) -> Vec<Property<()>> {
                holds()
            }

            fn describe(&self, state: &$state) -> Vec<(String, String)> {
                self.0.describe(state)
            }
        }

        impl stateright::Model for Bare<$model> {
            type State = $state;
            type Action = $state;

            fn init_states(&self) -> Vec<$state> {
                self.0.initial()
            }

            fn actions(&self, state: &$state, actions: &mut Vec<$state>) {
                self.0.successors(state, &mut |_, next| actions.push(next));
            }

            fn next_state(&self, _: &$state, next: $state) -> Option<$state> {
                Some(next)
            }

            fn properties(&self) -> Vec<stateright::Property<Self>> {
                vec![stateright::Property::always("always", |_, _| true)]
            }
        }
    };
}

bare!(TwoPhaseCommit, Commit, Event, Packed<Commit>);
bare!(System, State, Happened, Collapsed<State>);

fn ours<M: Model>(model: &M) -> u64 {
    check(model, Limits::NONE).expect("one property").states.into()
}

fn theirs<M: stateright::Model + Send + Sync + 'static>(model: M) -> u64
where
    M::State: Clone + PartialEq + std::hash::Hash + Send + Sync + 'static,
    M::Action: Clone + PartialEq,
{
    let checker = stateright::Model::checker(model).threads(1).spawn_bfs().join();
    checker.unique_state_count() as u64
}

fn read_system() -> Bare<System> {
    Bare(System::new(Arm::Two, Bounds::ONE_READ).expect("the configuration is accepted"))
}

/// What a child does: one search, then its figures.
fn child(system: &str, who: &str) {
    #[expect(clippy::disallowed_methods, reason = "a bench measures")]
    let start = Instant::now();
    let states = match (system, who) {
        ("2pc-8", "ours") => ours(&Bare(TwoPhaseCommit::among(8))),
        ("2pc-8", _) => theirs(Bare(TwoPhaseCommit::among(8))),
        (_, "ours") => ours(&read_system()),
        _ => theirs(read_system()),
    };
    println!("{states} {} {}", start.elapsed().as_secs_f64(), peak_kb());
}

/// The most memory this process has used, in KiB.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kb| kb.parse().ok()).unwrap_or(0)
}

/// Runs a child: states, states per second, bytes per state.
fn measure(system: &str, who: &str) -> (u64, f64, f64) {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program).args(["--child", system, who]).output();
    let text = String::from_utf8(output.expect("the child starts").stdout).expect("it is text");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|it| it.parse().ok()).collect();
    assert_eq!(numbers.len(), 3, "{system} {who}: {text}");
    let (states, seconds, peak_kb) = (numbers[0], numbers[1], numbers[2]);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count")]
    let count = states as u64;
    (count, states / seconds, peak_kb * 1024.0 / states)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--child") {
        return child(&args[at + 1], &args[at + 2]);
    }
    println!(
        "{:<10} {:>10} {:>12} {:>10} {:>12} {:>10} {:>7}",
        "system", "states", "ours 1/s", "ours B", "theirs 1/s", "theirs B", "ratio"
    );
    for system in ["2pc-8", "m3_read"] {
        let (mut rates, mut bytes) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        let mut counts = Vec::new();
        for _ in 0..ROUNDS {
            for (at, who) in ["ours", "theirs"].into_iter().enumerate() {
                let (states, rate, each) = measure(system, who);
                counts.push(states);
                rates[at].push(rate);
                bytes[at].push(each);
            }
        }
        assert!(counts.windows(2).all(|pair| pair[0] == pair[1]), "{system}: {counts:?}");
        let [ours, theirs] = rates.map(median);
        let [our_bytes, their_bytes] = bytes.map(median);
        println!(
            "{system:<10} {:>10} {ours:>12.0} {our_bytes:>10.0} {theirs:>12.0} {their_bytes:>10.0} {:>7.2}",
            counts[0],
            ours / theirs
        );
    }
}
