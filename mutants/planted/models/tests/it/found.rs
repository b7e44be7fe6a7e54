//! Every planted fault gives a counterexample, and without one there is none.
//!
//! The switch is the process's: whoever moves it holds [`with`] until it is back.
use std::fmt::Write as _;
use std::sync::{Mutex, OnceLock, PoisonError};

use firmware_core::m3_read::preset::Arm;
use firmware_core::planted::{FAULTS, plant};
use firmware_core::wg_mgr::preset::Preset;
use planted_models::checker::{Limits, Model, Report, check};
use planted_models::m3_read::system::{Bounds, System};
use planted_models::wg_mgr::system::{Scene, System as Manager};

const NO_FAULT: usize = usize::MAX;
pub const WITHOUT_FAULTS: Bounds = Bounds { faults: 0, ..Bounds::ONE_READ };
/// As pinned for the core itself.
const ARM_1_STATES: u32 = 36_010;
/// The same of the manager, shipped, in the scene of the drain.
const DRAIN_STATES: u32 = 2_200;

/// A shortest violation.
#[derive(Clone, Copy, Debug)]
pub struct Shortest {
    pub steps: usize,
    pub rule: &'static str,
    pub clause: &'static str,
}

/// The READ client's closed system, made before anything is planted.
pub fn read(arm: Arm, bounds: Bounds) -> System {
    System::new(arm, bounds).expect("the scaled configuration is accepted")
}

/// The manager's, with its listed defects corrected, so that only what is planted is wrong.
pub fn manager(scene: Scene) -> Manager {
    Manager::new(Preset::Head4, true, scene).expect("the scaled configuration is accepted")
}

/// Asks `model` something while the fault with this number is planted; it was made without one.
pub fn with<M, T>(number: usize, make: impl Fn() -> M, ask: impl Fn(&M) -> T) -> T {
    static SWITCH: Mutex<()> = Mutex::new(());
    let held = SWITCH.lock().unwrap_or_else(PoisonError::into_inner);
    plant(NO_FAULT);
    let model = make();
    plant(number);
    let answer = ask(&model);
    plant(NO_FAULT);
    drop(held);
    answer
}

fn shortest<M: Model>(number: usize, make: impl Fn() -> M) -> Option<Shortest> {
    let report = with(number, make, |model| {
        let limits = Limits::NONE.threads(2).states(1_000_000).until_violated();
        check(model, limits).expect("the properties can be judged together")
    });
    let (found, path) = report.violated()?;
    Some(Shortest { steps: path.steps.len(), rule: found.name, clause: found.clause.id() })
}

/// What the first system says that shows the fault.
fn search(number: usize) -> Option<Shortest> {
    if FAULTS[number].file.starts_with("wg_mgr/") {
        let mut scenes = [Scene::drain, Scene::echo, Scene::reuse].into_iter();
        return scenes.find_map(|scene| shortest(number, || manager(scene())));
    }
    let mut systems = [
        (Arm::One, WITHOUT_FAULTS),
        (Arm::Two, WITHOUT_FAULTS),
        (Arm::Two, Bounds { faults: 0, ..Bounds::TWO_READS }),
        (Arm::One, Bounds::ONE_READ),
    ]
    .into_iter();
    systems.find_map(|(arm, bounds)| shortest(number, || read(arm, bounds)))
}

/// What was found of each fault, in their order.
pub fn found() -> &'static [Option<Shortest>] {
    static FOUND: OnceLock<Vec<Option<Shortest>>> = OnceLock::new();
    FOUND.get_or_init(|| (0..FAULTS.len()).map(search).collect())
}

#[test]
fn every_planted_fault_gives_a_counterexample() {
    let mut table = String::new();
    for (fault, found) in FAULTS.iter().zip(found()) {
        let row = match found {
            Some(Shortest { steps, rule, clause }) => {
                format!("{steps:>3} steps  {clause:<12} {rule}")
            }
            None => "no counterexample".into(),
        };
        writeln!(table, "{:<28} {:<12} {row}", fault.name, fault.clause)
            .expect("a string takes everything");
    }
    assert!(FAULTS.len() >= 20 && !table.contains("no counterexample"), "{table}");
    insta::assert_snapshot!("planted_faults", table);
}

fn explore<M: Model>(make: impl Fn() -> M) -> Report<M> {
    with(NO_FAULT, make, |model| {
        check(model, Limits::NONE.threads(2)).expect("the properties can be judged")
    })
}

/// Without a fault the copy is the cores themselves: the same verdicts on the same states.
#[test]
fn without_a_fault_there_is_no_counterexample() {
    let sound = explore(|| read(Arm::One, WITHOUT_FAULTS));
    assert!(sound.holds());
    assert_eq!(sound.states, ARM_1_STATES);
    for scene in [Scene::drain, Scene::echo, Scene::reuse] {
        assert!(explore(|| manager(scene())).holds(), "{}", scene().name);
    }
    let shipped = || Manager::new(Preset::Head4, false, Scene::drain()).expect("it is accepted");
    assert_eq!(explore(shipped).states, DRAIN_STATES);
}
