//! The same scenario gives the same digest: twice in a row, with real and with modelled boxes. That
//! debug and release agree is shown by running the golden texts, which hold digests, in both.
use std::path::Path;

use sim::scenario::{Overrides, Scenario};

use crate::shipped::scenarios;

fn digest(path: &Path, set: &[&str]) -> u128 {
    let overrides = Overrides {
        set: set.iter().map(|edit| (*edit).to_owned()).collect(),
        ..Overrides::default()
    };
    let scenario = Scenario::load(path, &overrides)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("a valid scenario runs").digest
}

#[test]
fn real_and_modelled_boxes_give_the_same_digest_in_every_scenario() {
    for path in scenarios("wg_mgr") {
        let cut = ["duration_ms=30000"];
        let real = digest(&path, &cut);
        let modelled = digest(&path, &[cut[0], "config.crypto=modelled"]);
        assert_eq!(real, modelled, "{}", path.display());
    }
}

#[test]
fn a_run_repeated_gives_the_same_digest_and_another_seed_another() {
    let path = Path::new("../scenarios/wg_mgr/the_priority_peer_is_shed_before_its_exemption.ron");
    let cut = "duration_ms=40000";
    assert_eq!(digest(path, &[cut]), digest(path, &[cut]));
    assert_ne!(digest(path, &[cut]), digest(path, &[cut, "seed=2"]));
}

/// Case 33: peers listed in another order give the same figures.
#[test]
fn the_order_in_which_groups_are_listed_changes_no_figure() {
    let text = |groups: [&str; 2]| {
        format!(
            "(version: 1, title: \"order\", duration_ms: 90000, preset: \"ILV-3\", \
             costs: (table: \"../costs/o3.ron\"), peers: [{}], \
             expect: [])",
            groups.join(", ")
        )
    };
    let first = "(name: \"near\", count: 3, reach: direct, round_trip_ms: 10, \
                 enters: netmap(at_ms: 100))";
    let second = "(name: \"far\", count: 4, reach: derp, round_trip_ms: 80, \
                  enters: netmap(at_ms: 900))";
    let figures = |text: String| {
        let path = Path::new("../scenarios/wg_mgr/order.ron");
        let scenario = Scenario::parse(path, text, &Overrides::default())
            .unwrap_or_else(|error| panic!("{error}"));
        sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("it runs").metrics
    };
    assert_eq!(figures(text([first, second])), figures(text([second, first])));
}
