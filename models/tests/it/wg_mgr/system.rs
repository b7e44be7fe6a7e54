//! The closed system of the manager: what is found in the shipped rules, and gone in the corrected
//! ones; pinned numbers of states.
use std::sync::Arc;

use firmware_core::wg_mgr::preset::Preset;
use models::checker::{Limits, Report, Verdict, check};
use models::wg_mgr::system::{CREDITED, DRAINED, KEPT, NOT_ECHOED, Scene, System};

use crate::once::Once;

/// What was found, and the longest wait of a heartbeat in microseconds.
type Explored = (Report<System>, u64);

/// A system, explored once for all tests that ask about it.
pub(crate) fn explored(
    preset: Preset,
    strict: bool,
    scene: Scene,
    threads: usize,
) -> Arc<Explored> {
    static EXPLORED: Once<(&str, bool, &str, usize), Explored> = Once::new();
    EXPLORED.get((preset.name(), strict, scene.name, threads), || {
        let model = System::new(preset, strict, scene).expect("the scaled configuration is valid");
        let report =
            check(&model, Limits::NONE.threads(threads)).expect("the properties are sound");
        assert_eq!(report.stopped, None);
        (report, model.longest_wait_us())
    })
}

/// The properties that are broken, with the steps to each; all others hold.
fn broken(report: &Report<System>) -> Vec<(&'static str, usize)> {
    let mut broken = Vec::new();
    for found in &report.found {
        match &found.verdict {
            Verdict::Violated(path) => broken.push((found.name, path.steps.len())),
            verdict => assert_eq!(verdict.name(), "holds", "{}", found.name),
        }
    }
    broken
}

/// The names alone.
fn names(preset: Preset, strict: bool, scene: Scene) -> Vec<&'static str> {
    broken(&explored(preset, strict, scene, 1).0).into_iter().map(|(name, _)| name).collect()
}

/// Cites WG-DISCO-1 and WG-Q2: PF-91, known keys are opened without bound and without a drain.
#[test]
fn known_keys_are_opened_without_a_drain_until_the_rule_is_corrected() {
    for preset in [Preset::Key2, Preset::Ilv3, Preset::Head4] {
        assert_eq!(names(preset, false, Scene::drain()), [DRAINED], "{}", preset.name());
    }
    assert!(names(Preset::Arm1, false, Scene::drain()).is_empty(), "all keys cost budget there");
    assert!(names(Preset::Head4, true, Scene::drain()).is_empty());
}

/// Cites WG-DISCO-1: before known keys were free, the priority peer's was.
#[test]
fn the_priority_peers_own_pings_cost_no_budget_in_any_shipped_version() {
    for preset in Preset::ALL {
        assert_eq!(names(preset, false, Scene::priority_drain()), [DRAINED], "{}", preset.name());
    }
    assert!(names(Preset::Head4, true, Scene::priority_drain()).is_empty());
}

/// Cites WG-CMM-2: PF-97.
#[test]
fn a_call_me_maybe_is_echoed_until_the_rule_is_corrected() {
    for preset in Preset::ALL {
        assert_eq!(names(preset, false, Scene::echo()), [NOT_ECHOED], "{}", preset.name());
        assert!(names(preset, true, Scene::echo()).is_empty(), "{}", preset.name());
    }
}

/// Cites WG-REM-1: PF-101.
#[test]
fn a_late_pong_is_credited_to_a_reused_slot_until_the_rule_is_corrected() {
    for preset in Preset::ALL {
        let shipped = names(preset, false, Scene::reuse());
        assert_eq!(shipped, [NOT_ECHOED, CREDITED], "{}", preset.name());
        assert!(names(preset, true, Scene::reuse()).is_empty(), "{}", preset.name());
    }
}

/// Cites WG-LEASE-2 and case 05: a slot kept for the priority peer's key is the correction.
#[test]
fn shedding_demotes_the_priority_peer_until_a_slot_is_kept_for_it() {
    let scene = Scene::shed;
    for preset in [Preset::Arm1, Preset::Head4] {
        assert_eq!(names(preset, false, scene()), [KEPT], "{}", preset.name());
    }
    assert!(names(Preset::Pre0, false, scene()).is_empty(), "nothing watched the silence then");
    assert!(names(Preset::Head4, true, scene()).is_empty());
}

/// Distinct states for each scene of the newest preset, at one and at two threads. Cites WG-DISCO-1,
/// WG-REM-1.
#[test]
fn the_numbers_of_states_are_pinned() {
    let pinned = [
        ("drain", 2_200),
        ("priority_drain", 298),
        ("echo", 74),
        ("reuse", 4_231),
        ("shed", 37_158),
        ("wait", 6_728),
        ("wait_with_initiations", 4_702),
        ("all", 34_866),
    ];
    assert_eq!(Scene::every().len(), pinned.len());
    for (name, pinned) in pinned {
        let scene = Scene::named(name).expect("it is one of them");
        let both = [1, 2].map(|threads| explored(Preset::Head4, false, scene.clone(), threads));
        let [one, two] = both.each_ref().map(|explored| {
            let (report, waited) = &**explored;
            (report.states, report.transitions, report.depth, broken(report), *waited)
        });
        assert_eq!(one, two, "{name}");
        assert_eq!(one.0, pinned, "{name}");
    }
}

/// The longest wait of a heartbeat that the environment can cause within the scene's bounds, in
/// microseconds: without and with an inbound initiation, which adds its four X25519. Cites WG-Q2,
/// WG-HS-4.
#[test]
fn the_drain_between_opens_shortens_the_longest_wait() {
    for (preset, quiet, storm) in [
        (Preset::Arm1, 92_674, 203_874),
        (Preset::Key2, 94_674, 203_874),
        (Preset::Ilv3, 59_374, 172_574),
        (Preset::Head4, 59_374, 172_574),
    ] {
        assert_eq!(explored(preset, false, Scene::wait(), 1).1, quiet, "{}", preset.name());
        let with = explored(preset, false, Scene::wait_with_initiations(), 1).1;
        assert_eq!(with, storm, "{}", preset.name());
    }
}

/// Best and worst times mixed, forged packets, a rotated key, a removal and a step of the clock. Cites
/// WG-RESCUE-1.
#[test]
fn nothing_else_is_broken_by_a_little_of_everything() {
    let explored = explored(Preset::Head4, false, Scene::all(), 2);
    let (report, _) = &*explored;
    assert_eq!((broken(report), report.states), (Vec::new(), 34_866));
}
