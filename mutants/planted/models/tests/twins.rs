//! A changed client beside the original, in one world: whether anybody can tell them apart.
//!
//! ```text
//!              ┌─► original ─► access, result ─┐
//!   one action ┤                               ├─ the same? everywhere: equivalent within the bounds
//!              └─► changed  ─► access, result ─┘            else: the shortest way to tell
//! ```
//!
//! Both go through the same actions in lock-step, each before its own copy of the firmware. They are
//! told apart when an access, a result, what the application may ask a client for, the firmware or
//! anything else that the model keeps differs; what a client keeps to itself may.
//!
//! Clauses: ER-5.
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::preset::Arm;
use firmware_core::planted::{FAULTS, Fault, HARMLESS, plant};
use planted_models::checker::codec::{Collapsed, Parts, Shared};
use planted_models::checker::{Limits, Model, Report, check};
use planted_models::clause::Clause;
use planted_models::m3_read::Clause as Id;
use planted_models::m3_read::responder::Responder;
use planted_models::m3_read::system::{Bounds, Happened, State, System, World};
use planted_models::property::{Property, Rule};

const NO_FAULT: usize = usize::MAX;

/// Two of each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pair {
    clients: [M3Read; 2],
    devices: [Shared<Responder>; 2],
    worlds: [World; 2],
}

impl Pair {
    fn of(states: [State; 2]) -> Self {
        let [one, other] = states;
        Self {
            clients: [one.client, other.client],
            devices: [one.responder, other.responder],
            worlds: [one.world, other.world],
        }
    }

    fn state(&self, which: usize) -> State {
        State {
            client: self.clients[which],
            responder: self.devices[which].clone(),
            world: self.worlds[which],
        }
    }
}

impl Parts for Pair {
    type Core = [M3Read; 2];
    type Device = [Shared<Responder>; 2];
    type World = [World; 2];

    fn parts(&self) -> (&Self::Core, &Self::Device, &Self::World) {
        (&self.clients, &self.devices, &self.worlds)
    }

    fn join(clients: Self::Core, devices: Self::Device, worlds: Self::World) -> Self {
        Self { clients, devices, worlds }
    }

    fn device_bytes() -> usize {
        2 * State::device_bytes()
    }
}

/// What each of the two did at an action of the original; the changed one may not have it.
#[derive(Clone, Copy, Debug)]
struct Both(Happened, Option<Happened>);

struct Twins {
    system: System,
    fault: usize,
}

impl Twins {
    /// The arm's client and the one with this fault. The session is opened before it is planted.
    fn new(arm: Arm, bounds: Bounds, fault: usize) -> Self {
        plant(NO_FAULT);
        Self { system: System::new(arm, bounds).expect("the configuration is accepted"), fault }
    }

    /// What a client does in a state, with this fault or none.
    fn next(&self, state: &State, fault: usize) -> Vec<(Happened, State)> {
        let mut found = Vec::new();
        plant(fault);
        self.system.successors(state, &mut |happened, next| found.push((happened, next)));
        plant(NO_FAULT);
        found
    }
}

impl Model for Twins {
    type State = Pair;
    type Action = Both;
    /// Whether nobody can tell them apart.
    type Seen = bool;
    type Codec = Collapsed<Pair>;

    fn codec(&self) -> Self::Codec {
        Collapsed::default()
    }

    fn initial(&self) -> Vec<Pair> {
        let states = self.system.initial();
        states.into_iter().map(|state| Pair::of([state.clone(), state])).collect()
    }

    fn successors(&self, pair: &Pair, each: &mut impl FnMut(Both, Pair)) {
        let original = self.next(&pair.state(0), NO_FAULT);
        let changed = self.next(&pair.state(1), self.fault);
        assert_eq!(original.is_empty(), changed.is_empty(), "one of the two is at its end");
        // One that may do more can be told as well as one that may do less.
        let as_many = original.len() == changed.len();
        for (happened, next) in original {
            match changed.iter().find(|(other, _)| as_many && other.act == happened.act) {
                Some((other, its)) => {
                    each(Both(happened, Some(*other)), Pair::of([next, its.clone()]));
                }
                None => each(Both(happened, None), Pair::of([next, pair.state(1)])),
            }
        }
    }

    fn observe(&self, step: Option<(&Pair, &Both)>, after: &Pair) -> bool {
        let did = |Both(one, other): &Both| Some(one.effect) == other.map(|it| it.effect);
        let [one, other] =
            after.clients.map(|it| (it.last_error(), it.connection(), it.ownership()));
        step.is_none_or(|(_, both)| did(both))
            && after.worlds[0] == after.worlds[1]
            && after.devices[0] == after.devices[1]
            && one == other
    }

    fn properties(&self) -> Vec<Property<bool>> {
        vec![Property {
            name: "nobody can tell the two apart",
            clause: Clause::M3Read(Id::Er5),
            rule: Rule::Always { holds: |&same| same, premise: None },
        }]
    }

    fn describe(&self, pair: &Pair) -> Vec<(String, String)> {
        let both = [0, 1].map(|which| self.system.describe(&pair.state(which)));
        both.concat()
    }

    fn word(&self, Both(happened, _): &Both) -> String {
        self.system.word(happened)
    }
}

fn explored(arm: Arm, bounds: Bounds, fault: usize) -> Report<Twins> {
    // One thread: the switch is the process's.
    let limits = Limits::NONE.states(1_000_000).until_violated();
    check(&Twins::new(arm, bounds, fault), limits).expect("one property can be judged")
}

const WITHOUT_FAULTS: Bounds = Bounds { faults: 0, ..Bounds::TWO_READS };

/// Cites ER-5: the client that forgets whether it took a continuation goes by the number of bytes
/// alone. With one block, or before a firmware that gives legal replies, nobody can tell it from the
/// original: in any run of one READ, and of two. With two blocks and any reply at all somebody can.
#[test]
fn the_guard_against_a_second_continuation_is_needed_before_illegal_replies_only_er_5() {
    let guard = FAULTS.len();
    assert_eq!(HARMLESS[0].name, "no-second-continuation-guard");
    let one_read = Bounds { polls: 1, ..WITHOUT_FAULTS };
    let legal = Bounds { legal_only: true, ..WITHOUT_FAULTS };
    for (arm, bounds, states, depth) in
        [(Arm::One, one_read, 35_990, 88), (Arm::Two, legal, 45_212, 141)]
    {
        let report = explored(arm, bounds, guard);
        assert!(report.holds());
        assert_eq!((report.states, report.depth), (states, depth));
    }
    let twins = Twins::new(Arm::Two, WITHOUT_FAULTS, guard);
    let report = check(&twins, Limits::NONE.until_violated()).expect("one property can be judged");
    let (_, path) = report.violated().expect("they are told apart");
    let replies: Vec<String> = path
        .steps
        .iter()
        .map(|step| twins.word(&step.action))
        .filter(|word| word.starts_with("reply"))
        .collect();
    // A whole first block, then a continuation of no bytes before which more is announced once more:
    // its bytes are no more than those of a first block.
    assert_eq!(replies, ["reply 5 announced, sent 4 + 0, more announced"]);
    assert_eq!(path.steps.len(), 38);

    // A client beside itself is the same.
    assert!(explored(Arm::Two, legal, NO_FAULT).holds());

    // And the method tells what can be told: each fault planted in the client.
    let systems = [
        (Arm::One, one_read),
        (Arm::Two, one_read),
        (Arm::Two, WITHOUT_FAULTS),
        (Arm::One, Bounds::ONE_READ),
    ];
    let apart = |fault: usize| {
        systems.into_iter().any(|(arm, bounds)| !explored(arm, bounds, fault).holds())
    };
    let of_client = |it: &(usize, &Fault)| it.1.file.starts_with("m3_read");
    for (number, fault) in FAULTS.iter().enumerate().filter(of_client) {
        assert!(apart(number), "{}", fault.name);
    }
}
