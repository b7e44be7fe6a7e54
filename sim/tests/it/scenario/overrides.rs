//! Overrides of the command line: what they reach, and what a bad one is answered with.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use sim::cost::{CostRow, Provenance};
use sim::random::Ratio;
use sim::scenario::{DelayRounding, Overrides, Pattern, Scenario};

use super::{FULL, MINIMAL, place, read, refused};

#[track_caller]
fn refused_set(set: &str) -> (String, String) {
    let error = read(FULL, &[set]).expect_err("the override is bad");
    (error.place().to_string(), error.to_string())
}

#[test]
fn overrides_reach_fields_that_the_file_has_and_fields_that_it_leaves_out() {
    let set = [
        "costs.x25519_ms=11.3",
        "config.opens_per_pass=unlimited",
        "config.rules.slot_reuse=strict",
        "peers.fleet.count=240",
        "peers.1.round_trip_ms=80",
        "floods.strangers.arrivals.rate_per_s=40",
        "faults.inbound_loss.share_percent=1",
        "expect.heartbeat_lost.at_most=2",
        "device.tasks.comparator.core=0",
        "title=now, otherwise",
    ];
    let scenario = read(FULL, &set).unwrap();
    assert_eq!(scenario.costs.figure(CostRow::X25519), Duration::from_micros(11_300));
    assert_eq!(scenario.costs.row(CostRow::X25519).provenance, Provenance::Assumed);
    assert_eq!(scenario.config.opens_per_pass, None);
    assert_eq!(scenario.config.rules.slot_reuse, Rule::Strict);
    assert_eq!(scenario.config.rules.late_pongs, Rule::Strict);
    assert_eq!((scenario.peers[0].count, scenario.peers[1].count), (1, 240));
    assert_eq!(scenario.peers[1].round_trip, Duration::from_millis(80));
    let rate = &scenario.floods[0].arrivals.pattern;
    assert_eq!(rate, &Pattern::Even { per_kilosecond: 40_000 });
    assert_eq!(scenario.faults[0].share, Ratio::new(1_000, 100_000).unwrap());
    assert_eq!(scenario.expect[1].most.to_bits(), 2.0_f64.to_bits());
    assert_eq!(scenario.device.tasks[0].core, 0);
    assert_eq!(scenario.title, "now, otherwise");

    let minimal = read(MINIMAL, &["config.rules.late_pongs=strict", "device.tick_ms=exact"]);
    let minimal = minimal.unwrap();
    assert_eq!(minimal.config.rules.late_pongs, Rule::Strict);
    assert_eq!(minimal.device.delay, DelayRounding::Exact);
}

#[test]
fn overrides_reach_a_file_that_begins_with_attributes_and_names_its_structs() {
    let text = format!("#![enable(implicit_some)]\nScenario{MINIMAL}");
    assert_eq!(read(&text, &["seed=5"]).unwrap().seed, 5);
    let (line, column, _) = refused(&text.replace("1000", "0"));
    assert_eq!((line, column), (5, 18));
}

#[test]
fn the_last_of_two_overrides_of_one_field_counts() {
    let scenario = read(MINIMAL, &["seed=5", "seed=6"]).unwrap();
    assert_eq!(scenario.seed, 6);
}

#[test]
fn another_preset_keeps_the_overrides_and_another_seed_is_the_seed() {
    let overrides = Overrides { preset: Some("ILV-3".to_owned()), seed: Some(9), set: vec![] };
    let scenario = Scenario::parse(place(), FULL.to_owned(), &overrides).unwrap();
    assert_eq!((scenario.preset, scenario.seed), (Preset::Ilv3, 9));
    assert_eq!(scenario.config.opens_per_pass, Some(0));
    assert_eq!(overrides.flags(), ["--preset ILV-3", "--seed 9"]);

    let overrides = Overrides { preset: Some("ILV3".to_owned()), ..Overrides::default() };
    let error = Scenario::parse(place(), FULL.to_owned(), &overrides).unwrap_err();
    let sentence = "`--preset ILV3`: there is no preset `ILV3`; the nearest is `ILV-3`";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn a_delay_below_the_tick_is_refused_since_no_time_would_pass() {
    let error = read(MINIMAL, &["config.loop_delay_ms=0.5"]).unwrap_err().to_string();
    assert!(error.contains("`loop_delay_ms` is shorter than `device.tick_ms`"), "{error}");
    assert!(read(MINIMAL, &["config.loop_delay_ms=0.5", "device.tick_ms=exact"]).is_ok());
}

#[test]
fn a_bad_override_is_blamed_and_not_the_file() {
    for (set, reason) in [
        ("costs.x25519_ms=-1", "`-1` is negative; it must lie in 0..=31536000000 ms"),
        ("costs.x25519_us=11", "no field `costs.x25519_us` here; the nearest is `costs.x25519_ms`"),
        ("config.open_per_pass=1", "the nearest is `config.opens_per_pass`"),
        ("x25519_ms=1", "the nearest is `costs.x25519_ms`"),
        ("peers.fleets.count=1", "no element `peers.fleets`; the nearest is `peers.fleet.count`"),
        (
            "floods.strangers.arrivals.rate=4",
            "the nearest is `floods.strangers.arrivals.rate_per_s`",
        ),
        ("floods.strangers.arrivals.period_ms=4", "there is no field `period_ms` here"),
        ("seed.value=4", "there is no field `seed.value` here"),
        ("seed", "`seed` is not of the form key=value"),
        ("=4", "`=4` is not of the form key=value"),
        ("seed=1, title: \"x\"", ""),
        ("config.peer_table=0", "`peer_table` is 0, but must lie in 1..="),
    ] {
        let (place, error) = refused_set(set);
        assert_eq!(place, format!("`--set {set}`"), "{error}");
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn an_error_in_the_file_keeps_its_line_when_there_are_overrides() {
    let text = FULL.replace("count: 100", "count: 6000");
    let error = read(&text, &["config.disco_queue_depth=64", "seed=12345678"]).unwrap_err();
    assert!(error.to_string().contains("x.ron:21:32: 6001 peers"), "{error}");
}
