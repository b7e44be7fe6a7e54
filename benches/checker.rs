//! Distinct states a second and bytes a state: our checker beside stateright, on the same systems, in
//! the same run, with equal numbers of states.
//!
//! ```text
//!   cargo bench -p benches --bench checker                every system of the table, 5 rounds
//!   cargo bench -p benches --bench checker -- large       two-phase commit with 9: 10 340 352 states
//!
//!   7, 8, 9             two-phase commit among so many
//!   read, passes        the machines that Spin is given too
//!   client-1, client-2  the READ client of arm 1 and of arm 2 in its closed system
//!   plain-1, plain-2    the same; stateright without the table of answers, which is our checker's
//!   manager             the manager in its closed system, a little of everything arriving
//!
//!   this process ──► once per contender and round, itself again as a child ──► one line of figures
//! ```
//!
//! A child explores one system and then reads two figures of itself from `/proc/self`: the largest
//! memory that it ever had (`VmHWM`) and the CPU time of all its threads, which has ticks of 10 ms; so
//! it explores the system anew until [`LONG_S`] are gone, and takes the mean. The memory is the whole
//! process's, whatever a library says of itself. Where there is no `/proc`, it says so.
//!
//! Stateright gets the cheapest model that it can be given: the state is of the same type, and an
//! action is the successor itself, so nothing is computed twice. The closed systems have the same
//! rules on both sides, judged by the same code on each transition ([`Watched`]). What each does that
//! the other does not: ours keeps whole states and looks for loops; stateright keeps 64 bits of a hash
//! of each state, and of its predecessor.
use std::fmt;
use std::fs;
use std::hash::{Hash, Hasher};
use std::process::{Command, ExitCode};

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::checker::example::{Commit, TwoPhaseCommit};
use models::checker::monitor::Watches;
use models::checker::{Limits, check};
use models::m3_read::system::{Bounds, System};
use models::machine::Machine;
use models::machine::explored::Explored;
use models::wg_mgr::machine::Traffic;
use models::wg_mgr::system::{Scene, System as Manager};
use stateright::{Checker as _, Model, Property};

/// Kernel ticks of the CPU time in `/proc/self/stat` per second: fixed for programs on Linux.
const TICKS_PER_S: f64 = 100.0;

/// CPU time after which a child has explored often enough, in seconds.
const LONG_S: f64 = 0.5;

/// Rounds of the usual run; the order of contenders is the same in each.
const ROUNDS: usize = 5;

/// What the usual run compares.
const USUAL: [&str; 9] =
    ["7", "8", "read", "passes", "client-1", "plain-1", "client-2", "plain-2", "manager"];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).filter(|it| !it.starts_with("--")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["explore", contender, subject] => explore(contender, subject),
        ["large"] => compare(&["9"], 1),
        [subject] => compare(&[subject], ROUNDS),
        _ => compare(&USUAL, ROUNDS),
    }
}

/// What a child says of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    states: usize,
    cpu_s: f64,
    peak_bytes: f64,
}

impl fmt::Display for Figures {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} {} {}", self.states, self.cpu_s, self.peak_bytes)
    }
}

impl Figures {
    fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        Some(Self {
            states: words.next()?.parse().ok()?,
            cpu_s: words.next()?.parse().ok()?,
            peak_bytes: words.next()?.parse().ok()?,
        })
    }

    /// Of this process, so far.
    fn of_self(states: usize) -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name in parentheses may hold spaces; the fields are counted behind it.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        let user: f64 = fields.next()?.parse().ok()?;
        let system: f64 = fields.next()?.parse().ok()?;
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: f64 = peak.split_whitespace().next()?.parse().ok()?;
        Some(Self { states, cpu_s: (user + system) / TICKS_PER_S, peak_bytes: kib * 1024.0 })
    }

    fn rate(self) -> f64 {
        per(self.states, self.cpu_s)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a rate for people")]
fn per(states: usize, seconds: f64) -> f64 {
    states as f64 / seconds.max(1e-9)
}

/// One system, in a process of its own.
fn explore(contender: &str, subject: &str) -> ExitCode {
    let figures = Figures::of_self(explored(contender, subject)).and_then(|first| {
        let (mut cpu_s, mut times) = (first.cpu_s, 1.0);
        while first.states > 0 && cpu_s < LONG_S {
            cpu_s = Figures::of_self(explored(contender, subject))?.cpu_s;
            times += 1.0;
        }
        Some(Figures { cpu_s: cpu_s / times, ..first })
    });
    if let Some(figures) = figures {
        println!("{figures}");
        ExitCode::SUCCESS
    } else {
        eprintln!("the figures of a process are read from /proc, which is not there");
        ExitCode::FAILURE
    }
}

/// Explores a system once; its distinct states.
fn explored(contender: &str, subject: &str) -> usize {
    match (contender, subject.parse(), subject) {
        ("empty", _, _) => 0,
        ("ours", Ok(managers), _) => ours(&TwoPhaseCommit::among(managers)),
        (_, Ok(managers), _) => theirs(Packed(TwoPhaseCommit::among(managers))),
        ("ours", _, "client-1" | "client-2" | "plain-1" | "plain-2") => ours(&client(subject)),
        (_, _, "client-1" | "client-2") => theirs(Watched::new(client(subject))),
        (_, _, "plain-1" | "plain-2") => theirs(Watched::new(client(subject).worked_out_anew())),
        ("ours", _, "manager") => ours(&manager()),
        (_, _, "manager") => theirs(Watched::new(manager())),
        ("ours", _, _) => ours(&Explored::events(&phases(subject))),
        (_, _, _) => theirs(Phases(phases(subject))),
    }
}

fn phases(subject: &str) -> Machine {
    match subject {
        "read" => models::m3_read::machine::machine(Arm::Two, None),
        _ => models::wg_mgr::machine::machine(Preset::Head4, Traffic::KnownKeys),
    }
}

/// The READ client's closed system, with everything that may go wrong in one READ.
fn client(subject: &str) -> System {
    let arm = if subject.ends_with('1') { Arm::One } else { Arm::Two };
    System::new(arm, Bounds::ONE_READ).expect("the scaled configuration is accepted")
}

/// The manager's closed system, with a little of everything that may arrive.
fn manager() -> Manager {
    Manager::new(Preset::Head4, false, Scene::all()).expect("the scaled configuration is valid")
}

fn ours(model: &impl models::checker::Model) -> usize {
    let report = check(model, Limits::NONE).expect("the properties can be judged");
    assert!(report.violated().is_none(), "every property of these systems holds");
    report.states as usize
}

fn theirs<M>(model: M) -> usize
where
    M: Model + Send + Sync + 'static,
    M::State: fmt::Debug + Hash + Clone + PartialEq + Send + Sync,
    M::Action: fmt::Debug + Clone + PartialEq,
{
    let checker = model.checker().threads(1).spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count()
}

/// Two-phase commit as stateright wants it.
struct Packed(TwoPhaseCommit);

impl Model for Packed {
    type State = Commit;
    type Action = Commit;

    fn init_states(&self) -> Vec<Commit> {
        vec![TwoPhaseCommit::BEGINNING]
    }

    fn actions(&self, state: &Commit, actions: &mut Vec<Commit>) {
        self.0.events(*state, &mut |_, next| actions.push(next));
    }

    fn next_state(&self, _state: &Commit, next: Commit) -> Option<Commit> {
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("nobody commits when another has aborted", |model: &Self, state| {
                let ends = model.0.ends(*state);
                !(ends.committed && ends.aborted)
            }),
            Property::sometimes("somebody commits", |model: &Self, state| {
                model.0.ends(*state).committed
            }),
            Property::sometimes("somebody aborts", |model: &Self, state| {
                model.0.ends(*state).aborted
            }),
        ]
    }
}

/// A machine of phases, likewise and with the same claims about events.
struct Phases(Machine);

impl Model for Phases {
    type State = u64;
    type Action = u64;

    fn init_states(&self) -> Vec<u64> {
        vec![self.0.first()]
    }

    fn actions(&self, state: &u64, actions: &mut Vec<u64>) {
        self.0.step(*state, &mut |_, next| actions.push(next));
    }

    fn next_state(&self, _state: &u64, next: u64) -> Option<u64> {
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("every event keeps its claims", |model: &Self, state| {
            model.0.broken(*state).is_empty()
        })]
    }
}

/// A closed system as stateright wants it: the same transitions, the same states, and the same rules
/// judged on each transition. What the rules remember is part of the state, as it is of ours.
struct Watched<M: models::checker::Model<Seen: 'static>> {
    model: M,
    watches: Watches<'static, M::Seen>,
}

/// Stateright is not told which rules have had their occasion, and is spared the asking.
const SEEN: u64 = u64::MAX;

/// A state and what the rules remember in it; and, not part of it, the rules broken on the way to it.
#[derive(Clone, Debug, PartialEq)]
struct Remembering<S> {
    state: S,
    memory: u32,
    broken: u64,
}

impl<S: Hash> Hash for Remembering<S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.memory.hash(hasher);
    }
}

impl<M: models::checker::Model<Seen: 'static>> Watched<M> {
    /// The rules live as long as the process, which is there for this one exploration.
    fn new(model: M) -> Self {
        let properties = Box::leak(Box::new(model.properties()));
        let watches =
            Watches::try_new(properties, model.tick()).expect("the properties can be judged");
        Self { model, watches }
    }
}

impl<M> Model for Watched<M>
where
    M: models::checker::Model<Seen: 'static>,
    M::State: fmt::Debug + Hash + PartialEq,
{
    type State = Remembering<M::State>;
    type Action = Remembering<M::State>;

    fn init_states(&self) -> Vec<Self::State> {
        let begin = |state| {
            let seen = self.model.observe(None, &state);
            let (memory, effect) = self.watches.step_on(0, 0, &seen, SEEN);
            Remembering { state, memory, broken: effect.broken }
        };
        self.model.initial().into_iter().map(begin).collect()
    }

    fn actions(&self, from: &Self::State, actions: &mut Vec<Self::Action>) {
        self.model.successors(&from.state, &mut |action, state| {
            let seen = self.model.observe(Some((&from.state, &action)), &state);
            let ticks = self.model.ticks(&action);
            let (memory, effect) = self.watches.step_on(from.memory, ticks, &seen, SEEN);
            actions.push(Remembering { state, memory, broken: effect.broken });
        });
    }

    fn next_state(&self, _state: &Self::State, next: Self::Action) -> Option<Self::State> {
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("no rule is broken", |_: &Self, it: &Self::State| it.broken == 0)]
    }
}

fn compare(subjects: &[&str], rounds: usize) -> ExitCode {
    let Some(empty) = child("empty", "7") else {
        return ExitCode::FAILURE;
    };
    println!("a process that explores nothing: {:.1} MiB", empty.peak_bytes / MIB);
    println!("{:<22} {:<11} {HEAD}", "system", "checker");
    for subject in subjects {
        let mut runs = [("ours", Vec::new()), ("stateright", Vec::new())];
        for _ in 0..rounds {
            for (contender, figures) in &mut runs {
                let Some(found) = child(contender, subject) else {
                    return ExitCode::FAILURE;
                };
                figures.push(found);
            }
        }
        let medians = runs.each_mut().map(|(contender, figures)| {
            figures.sort_by(|one, two| one.rate().total_cmp(&two.rate()));
            row(subject, contender, figures);
            figures[figures.len() / 2]
        });
        let [ours, theirs] = medians;
        assert_eq!(ours.states, theirs.states, "both explore the same system");
        let bytes = ours.peak_bytes / theirs.peak_bytes;
        println!("{subject:<22} ours / stateright: {:.2} x states/s, {bytes:.2} x bytes", {
            ours.rate() / theirs.rate()
        });
    }
    ExitCode::SUCCESS
}

const MIB: f64 = 1024.0 * 1024.0;
const HEAD: &str = "states      median states/s  (least - most)            peak MiB  B/state";

fn row(subject: &str, contender: &str, figures: &[Figures]) {
    let median = figures[figures.len() / 2];
    let (least, most) = (figures[0].rate(), figures[figures.len() - 1].rate());
    println!(
        "{subject:<22} {contender:<11} {:<11} {:<16.0} ({least:.0} - {most:.0})  {:>8.1}  {:>7.1}",
        median.states,
        median.rate(),
        median.peak_bytes / MIB,
        median.peak_bytes / per(median.states, 1.0),
    );
}

/// Runs this program again, and reads what it says of itself.
fn child(contender: &str, subject: &str) -> Option<Figures> {
    let program = std::env::current_exe().ok()?;
    let output = Command::new(program).args(["explore", contender, subject]).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout);
    let figures = Figures::parse(&said).filter(|_| output.status.success());
    if figures.is_none() {
        eprintln!("{contender} on {subject}: {}", String::from_utf8_lossy(&output.stderr));
    }
    figures
}
