//! Who is at fault when the explorer finds a longer wait than is proved: its longest path is followed
//! once more, step by step, by the core alone.
//!
//! ```text
//!   explored > proved ──► shortest path to such a wait ──► replay ──► as long: the bound is at fault
//!                                                              └────► shorter: the explorer is
//! ```
use firmware_core::time::Duration;
use firmware_core::wg_mgr::preset::Preset;
use models::checker::{Limits, Model, check, replay, words};
use models::clause::Clause;
use models::property::{Property, Rule};
use models::wg_mgr;
use models::wg_mgr::system::{Happened, Scene, State, System};

/// An engine that may be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A run waits longer than the formula says.
    Bound,
    /// The explorer says so of a run that does not.
    Explorer,
}

/// The closed system, asked for one thing only: no wait of a heartbeat over a limit.
struct Watched<'a> {
    system: &'a System,
    limit_us: u64,
}

/// A heartbeat's wait, and the limit.
struct Wait {
    us: Option<u64>,
    limit_us: u64,
}

impl Model for Watched<'_> {
    type State = State;
    type Action = Happened;
    type Seen = Wait;
    type Codec = <System as Model>::Codec;

    fn codec(&self) -> Self::Codec {
        self.system.codec()
    }

    fn initial(&self) -> Vec<State> {
        self.system.initial()
    }

    fn successors(&self, state: &State, each: &mut impl FnMut(Happened, State)) {
        self.system.successors(state, each);
    }

    fn observe(&self, step: Option<(&State, &Happened)>, after: &State) -> Wait {
        Wait { us: self.system.observe(step, after).wait_us(), limit_us: self.limit_us }
    }

    fn properties(&self) -> Vec<Property<Wait>> {
        let holds = |wait: &Wait| wait.us.is_none_or(|us| us <= wait.limit_us);
        let rule = Rule::Always { holds, premise: None };
        vec![Property {
            name: "no heartbeat waits longer than the limit",
            clause: Clause::WgMgr(wg_mgr::Clause::Q1),
            rule,
        }]
    }

    fn ticks(&self, action: &Happened) -> u32 {
        self.system.ticks(action)
    }

    fn tick(&self) -> Duration {
        self.system.tick()
    }

    fn describe(&self, state: &State) -> Vec<(String, String)> {
        self.system.describe(state)
    }

    fn word(&self, action: &Happened) -> String {
        self.system.word(action)
    }
}

/// Who is at fault, with the steps to the wait; none if no heartbeat waits longer than `limit_us`,
/// from its arrival to the end of its own decryption.
pub fn at_fault(preset: Preset, scene: &Scene, limit_us: u64) -> Option<(Engine, Vec<String>)> {
    let system = System::new(preset, false, scene.clone()).expect("the configuration is valid");
    let watched = Watched { system: &system, limit_us };
    let report = check(&watched, Limits::NONE.until_violated()).expect("one rule can be judged");
    let (_, path) = report.violated()?;
    let steps = words(&watched, path);
    Some((blames(preset, scene, limit_us, &steps), steps))
}

/// Follows the explorer's steps.
fn blames(preset: Preset, scene: &Scene, limit_us: u64, steps: &[String]) -> Engine {
    let system = System::new(preset, false, scene.clone()).expect("the configuration is valid");
    let waited = replay(&system, steps).ok().and_then(|replayed| {
        let waits = replayed.path.steps.iter().filter_map(|step| step.action.wait_us);
        waits.max()
    });
    if waited.is_some_and(|us| us > limit_us) { Engine::Bound } else { Engine::Explorer }
}

/// Cites WG-Q1 and WG-Q2: the longest wait of ILV-3 and ARM-1 in the small world.
#[test]
fn a_wait_over_the_limit_is_the_bounds_fault_if_its_path_replays_and_else_the_explorers() {
    let scene = Scene::wait();
    for (preset, longest_us) in [(Preset::Ilv3, 59_374), (Preset::Arm1, 92_674)] {
        assert_eq!(at_fault(preset, &scene, longest_us), None);
        let (engine, steps) = at_fault(preset, &scene, longest_us - 1).expect("a microsecond over");
        assert_eq!(engine, Engine::Bound, "{steps:?}");
        // Without their last step nothing is served, and no word of another world can be followed.
        let cut = &steps[..steps.len() - 1];
        assert_eq!(blames(preset, &scene, longest_us - 1, cut), Engine::Explorer);
        let other = ["poll".to_owned()];
        assert_eq!(blames(preset, &scene, longest_us - 1, &other), Engine::Explorer);
    }
}
