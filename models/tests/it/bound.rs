//! Worst cases by formula against what is explored, and certificates that are tampered with.
use firmware_core::m3_read::config::Config as ReadConfig;
use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::bound::certificate::{Certificate, Rejected, verify};
use models::bound::coverage::without_budget;
use models::bound::heartbeat::{Facts, bound};
use models::bound::{Curve, read};
use models::checker::{Limits, Model, check};
use models::m3_read::system as read_system;
use models::wg_mgr::system::{Scene, System, scaled};

const WITH_BUDGETS: [Preset; 4] = [Preset::Arm1, Preset::Key2, Preset::Ilv3, Preset::Head4];

fn proved(preset: Preset) -> Certificate {
    bound(&Facts::shipped(preset.name(), preset.config())).expect("its budgets bound it")
}

/// The bound of the scaled configuration, with as much arriving as the scene lets arrive.
fn proved_scaled(preset: Preset, initiations: bool) -> Certificate {
    let config = scaled(preset, false);
    let facts = Facts {
        peers: 4,
        exempt: Some(Curve { burst: 2, period_us: 0 }),
        tick_us: 0,
        initiations,
        ..Facts::shipped("scaled", config)
    };
    bound(&facts).expect("its budgets bound it")
}

fn explored(preset: Preset, scene: Scene) -> u64 {
    let system = System::new(preset, false, scene).expect("the configuration is valid");
    let report = check(&system, Limits::NONE.threads(2)).expect("the properties are sound");
    assert_eq!(report.stopped, None);
    system.longest_wait_us()
}

/// Cites WG-Q1 and WG-Q2. A violation of the first inequality is the explorer's or the formula's
/// fault: the formula claims more than every run within the same budgets can show.
#[test]
fn what_is_explored_is_at_most_what_is_proved() {
    for preset in WITH_BUDGETS {
        for (scene, initiations) in [(Scene::wait(), false), (Scene::wait_with_initiations(), true)]
        {
            let explored = explored(preset, scene);
            let proved = proved_scaled(preset, initiations).bound_us;
            assert!(explored > 0, "{}: the explorer saw no heartbeat", preset.name());
            assert!(explored <= proved, "{}: {explored} > {proved}", preset.name());
        }
    }
}

/// Cites WG-Q2: the drain between opens is what the interleaved versions gain.
#[test]
fn every_shipped_version_with_budgets_has_a_bound_and_its_certificate_is_accepted() {
    let mut bounds = Vec::new();
    for preset in WITH_BUDGETS {
        for facts in [
            Facts::shipped(preset.name(), preset.config()),
            Facts::shipped(preset.name(), preset.config()).with_initiations(),
        ] {
            let certificate = bound(&facts).expect("its budgets bound it");
            assert_eq!(verify(&certificate), Ok(()), "{}", preset.name());
            bounds.push(certificate.bound_us);
        }
    }
    // Demotions are the longest segment: 128 paths may be given up in one tick, a seal of 29.3 ms
    // each, and up to 11 other pings; then the sleep, and 31 packets ahead.
    let timers = 140 * 29_300 + 11_000;
    assert_eq!(bounds[0], timers + 31 * 774 + 774);
    assert_eq!(bounds[1], timers + 31 * 113_200 + 774);
    assert_eq!(bounds, [bounds[0], bounds[1]].repeat(4));
}

#[test]
fn the_version_without_budgets_has_none_and_says_why() {
    let facts = Facts::shipped("PRE-0", Preset::Pre0.config());
    let missing = bound(&facts).expect_err("nothing bounds its opens").missing;
    assert_eq!(missing, "no budget on opens of unknown keys");
    let known = Facts { exempt: None, ..Facts::shipped("HEAD-4", Preset::Head4.config()) };
    let missing = bound(&known).expect_err("nothing bounds known keys").missing;
    assert_eq!(missing, "no budget on packets from known keys");
    let flood = Curve { burst: 1, period_us: 10_000 };
    let flooded = Facts { exempt: Some(flood), ..known };
    let missing = bound(&flooded).expect_err("more come than go").missing;
    assert_eq!(missing, "no budget on packets from known keys, and more come than go");
}

/// Every number of a certificate matters: one more or one less anywhere, and it is refused.
#[test]
fn a_certificate_that_was_tampered_with_is_refused() {
    let sound = proved(Preset::Head4);
    assert_eq!(verify(&sound), Ok(()));
    let tampered = |change: fn(&mut Certificate)| {
        let mut copy = sound.clone();
        change(&mut copy);
        verify(&copy).expect_err("a change is noticed")
    };
    assert_eq!(tampered(|it| it.bound_us -= 1), Rejected::Bound);
    assert_eq!(tampered(|it| it.longest_us -= 1), Rejected::Longest);
    assert_eq!(tampered(|it| it.segments.clear()), Rejected::Empty);
    assert_eq!(tampered(|it| it.ahead.each_us = 1), Rejected::Ahead);
    assert_eq!(tampered(|it| it.version = 2), Rejected::Version(2));
    assert!(matches!(tampered(|it| it.segments[0].terms[0].each_us -= 1), Rejected::Cost(_)));
    assert!(matches!(tampered(|it| it.segments[0].terms[0].count -= 1), Rejected::Sum(_)));
    let shorter = tampered(|it| {
        let segment = it.segments.iter_mut().find(|segment| segment.run.is_some());
        let segment = segment.expect("known keys are a run");
        let run = segment.run.as_mut().expect("it has one");
        run.length_us -= 1;
        segment.total_us -= 1;
    });
    assert!(matches!(shorter, Rejected::Run(_)), "{shorter:?}");
}

/// Cites ER-1: 93 s and six units is the longest READ of the published client with two blocks.
#[test]
fn the_longest_read_is_a_sum_of_five_waits() {
    let config: ReadConfig = Arm::Two.config();
    assert_eq!(read::read_units(&config, 0), 1_201 + 4_501 + 1_201 + 1_201 + 1_201);
    assert_eq!(read::read_units(&Arm::One.config(), 0), 1_201 + 4_501 + 1_201 + 1_201);
}

/// Cites ER-1: the same formula on the scaled client, against every run of the closed system.
#[test]
fn no_explored_request_takes_longer_than_the_formula_says() {
    let bounds = read_system::Bounds { faults: 0, ..read_system::Bounds::ONE_READ };
    let system = read_system::System::new(Arm::Two, bounds).expect("it is accepted");
    let report = check(&system, Limits::NONE.threads(2)).expect("the properties are sound");
    assert!(report.holds());
    let config = read_system::scaled(Arm::Two);
    let late = u64::from(read_system::LATES);
    let proved = read::read_units(&config, late).max(read::close_units(&config, late));
    let explored = u64::from(system.longest_request_units());
    assert!((1..=proved).contains(&explored), "{explored} > {proved}");
}

#[test]
fn the_roads_without_a_budget_are_those() {
    let open = "pings of direct paths that are given up";
    let initiations = "inbound initiation in a tunnel drain";
    for preset in Preset::ALL {
        let roads = without_budget(&preset.config());
        assert!(roads.contains(&open) && roads.contains(&initiations), "{}", preset.name());
        let known = roads.contains(&"DISCO packet from a known key");
        assert_eq!(known, preset != Preset::Arm1, "{}", preset.name());
    }
}

/// Runs of the closed system in which chance chooses every action: what they show is observed, and
/// observed is at most explored.
#[test]
fn what_runs_show_is_at_most_what_is_explored() {
    for preset in WITH_BUDGETS {
        let system = System::new(preset, false, Scene::wait()).expect("the configuration is valid");
        let mut chance: u64 = 7;
        for _ in 0..100 {
            let mut state = system.initial().remove(0);
            loop {
                let mut next = Vec::new();
                system.successors(&state, &mut |action, to| next.push((action, to)));
                if next.is_empty() {
                    break;
                }
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = usize::try_from(chance >> 33).expect("31 bits") % next.len();
                let (action, to) = next.swap_remove(at);
                let _seen = system.observe(Some((&state, &action)), &to);
                state = to;
            }
        }
        let observed = system.longest_wait_us();
        let explored = explored(preset, Scene::wait());
        assert!((1..=explored).contains(&observed), "{}: {observed}", preset.name());
    }
}
