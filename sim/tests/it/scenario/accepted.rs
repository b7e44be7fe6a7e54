//! What a good scenario becomes: every section, every tunable, every default.
use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::{ActiveClear, Config, Crypto, Flush, RelayQueueing, Tunnel};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::{Rule, Rules};
use sim::cost::{Column, CostRow, CostTable, Provenance};
use sim::random::Ratio;
use sim::scenario::{DelayRounding, Entry, FloodContent, NODES_MOST, PEERS_MOST, Pattern, schema};

use super::{FULL, MINIMAL, place, read, refused};

#[test]
fn a_small_scenario_is_small_and_its_defaults_are_the_boards() {
    let scenario = read(MINIMAL, &[]).unwrap();
    assert_eq!(scenario.seed, 1);
    assert_eq!(scenario.config, Preset::Arm1.config());
    assert_eq!(scenario.device.delay, DelayRounding::Tick(Duration::MILLISECOND));
    assert_eq!(scenario.device.watchdog, Some(Duration::from_millis(30_000)));
    assert_eq!(scenario.device.mailbox_depth, 6);
    assert_eq!(scenario.costs.of(CostKey::BoxOpenComputed), Duration::from_micros(28_305));
    assert!(scenario.peers.is_empty() && scenario.expect.is_empty());
}

#[test]
fn every_section_arrives_in_the_scenario() {
    let scenario = read(FULL, &[]).unwrap();
    assert_eq!(scenario.config.opens_per_pass, Some(0));
    assert_eq!(scenario.config.adds_per_pass, None);
    assert_eq!(scenario.config.flush, Flush::EachSave);
    assert_eq!(scenario.config.probe_dedup, None);
    assert_eq!(scenario.config.path_dead_after, Some(Duration::from_micros(1_234_500)));
    assert_eq!(scenario.config.crypto, Crypto::Modelled);
    assert_eq!(scenario.config.rules.late_pongs, Rule::Strict);
    assert_eq!(scenario.config.rules.slot_reuse, Rule::Compat);
    assert_eq!(scenario.costs.figure(CostRow::X25519), Duration::from_micros(11_500));
    assert_eq!(scenario.costs.figure(CostRow::StoreWrite), Duration::from_micros(7_500));
    assert_eq!(scenario.costs.row(CostRow::StoreWrite).provenance, Provenance::Assumed);
    assert_eq!(scenario.device.delay, DelayRounding::Exact);
    assert_eq!(scenario.device.watchdog, None);
    assert_eq!(scenario.device.tasks[0].run, Duration::from_micros(700));
    assert_eq!(scenario.peers[0].enters, Entry::Cache);
    assert_eq!(scenario.peers[0].pings.as_ref().unwrap().from, Instant::from_nanos(3_700_000));
    assert_eq!(
        scenario.peers[1].enters,
        Entry::Netmap { at: Instant::from_millis(6_000), shuffled: false }
    );
    assert!(scenario.peers[0].has_endpoint && !scenario.peers[1].has_endpoint);
    assert_eq!(scenario.floods[0].content, FloodContent::RandomBox { bytes: 40 });
    let strangers = &scenario.floods[0].arrivals;
    assert_eq!(strangers.pattern, Pattern::Even { per_kilosecond: 600_000 });
    assert_eq!((strangers.until, strangers.count), (Instant::from_millis(60_000), u64::MAX));
    assert_eq!(scenario.floods[1].magic, [0x54, 0x53, 0x9a, 0x8b, 0xc4, 0xd5]);
    let offsets = [0, 0, 1_500].map(Duration::from_micros).to_vec();
    let round = Pattern::Recorded { offsets, period: Duration::from_millis(2) };
    assert_eq!(scenario.floods[1].arrivals.pattern, round);
    assert_eq!(scenario.heartbeats[0].arrivals.count, 40);
    assert_eq!(scenario.faults[0].share, Ratio::new(12_500, 100_000).unwrap());
    assert_eq!(scenario.expect[1].most.to_bits(), 0.0_f64.to_bits());
    assert_eq!(scenario.expect[0].line, 31);
}

/// Facts e: 28.3 ms at -Og, 24.9 at -Os, 15.5 at -O2, 11.3 at -O3.
#[test]
fn the_four_tables_hold_the_measured_figures() {
    for (name, micros) in [("og", 28_300), ("os", 24_900), ("o2", 15_500), ("o3", 11_300)] {
        let path = place().with_file_name(format!("../costs/{name}.ron"));
        let table = CostTable::load(&path, Column::Typical).unwrap();
        assert_eq!(table.name, name);
        assert_eq!(table.figure(CostRow::X25519), Duration::from_micros(micros));
        assert_eq!(table.of(CostKey::InitiationReceived), Duration::from_micros(4 * micros));
        assert_eq!(table.row(CostRow::X25519).provenance, Provenance::Measured);
        assert_eq!(table.assumed().count(), 5, "of {name}");
    }
}

#[test]
fn a_scenario_may_name_its_structs() {
    let text = format!("Scenario{}", MINIMAL.replace("costs: (", "costs: Costs("));
    assert!(read(&text, &[]).is_ok());
    let (_, _, sentence) = refused(&format!("Szenario{MINIMAL}"));
    let expected = "this is not valid RON: expected struct `Scenario` but found `Szenario`";
    assert_eq!(sentence, expected);
}

#[test]
fn the_descriptions_name_the_room_that_a_run_has() {
    for (path, room) in [
        ("peers.*.count", NODES_MOST),
        ("config.peer_table", PEERS_MOST),
        ("config.tunnel_slots", PEERS_MOST),
    ] {
        let field = schema::fields().iter().find(|field| field.path == path).unwrap();
        assert!(field.meaning.contains(&room.to_string()), "{path}: {}", field.meaning);
    }
}

#[test]
fn the_annotated_example_of_the_readme_is_a_scenario_that_holds() {
    let readme = include_str!("../../../../scenarios/README.md");
    let example = readme.split("```").find_map(|block| block.strip_prefix("ron\n")).unwrap();
    let scenario = read(example, &[]).unwrap_or_else(|error| panic!("{error}"));
    let report = sim::run(&scenario, &mut |_| sim::Flow::Continue).unwrap();
    assert!(report.holds(), "{:#?}", report.expectations);
}

#[test]
fn the_fields_of_sessions_in_the_readme_are_those_of_a_scenario() {
    let readme = include_str!("../../../../scenarios/README.md");
    let blocks = || readme.split("```").filter_map(|block| block.strip_prefix("ron\n"));
    let fields = blocks().find(|block| block.contains("protective_stop")).unwrap();
    let start = MINIMAL.strip_suffix(')').unwrap();
    let scenario = read(&format!("{start} config: (tunnel: sessions),\n{fields})"), &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.stop.is_some() && scenario.relays.len() == 1 && scenario.links.len() == 2);
}

#[test]
fn the_hash_follows_the_run_and_not_the_seed_or_the_layout() {
    let hash = |text: &str, set: &[&str]| read(text, set).unwrap().hash;
    let base = hash(FULL, &[]);
    assert_eq!(base, hash(&FULL.replace("seed: 3,", "\n\n// another layout\n seed: 4,"), &[]));
    assert_ne!(base, hash(FULL, &["peers.fleet.count=99"]));
    assert_ne!(base, hash(FULL, &["costs.column=best"]));
}

/// A tunable that is added to the core must be nameable in a scenario.
#[test]
fn every_tunable_of_the_core_has_a_field() {
    let shown = format!("{:#?}", Preset::Arm1.config());
    let own = shown.lines().filter_map(|line| line.strip_prefix("    "));
    let names = own.filter(|line| line.starts_with(|it: char| it.is_ascii_lowercase()));
    let names: Vec<_> = names.filter_map(|line| line.split(':').next()).collect();
    assert!(names.len() > 60, "{names:?}");
    for name in names {
        let paths = ["", "_ms", "_interval_ms"].map(|unit| format!("config.{name}{unit}"));
        let inner = format!("config.{name}.");
        let found = schema::fields()
            .iter()
            .any(|field| paths.contains(&field.path) || field.path.starts_with(&inner));
        assert!(found, "no field of a scenario sets `{name}`");
    }
}

/// The tunables of sessions, paths and relays, each set to what no preset has.
#[test]
fn the_tunables_of_sessions_and_relays_are_taken_over() {
    let config = r#"preset: "HEAD-4", config: (
        tunnel: sessions, tunnel_tick_ms: 1, rekey_after_ms: 2, reject_after_ms: 3,
        rekey_timeout_ms: 4, keepalive_ms: 5, initiation_give_up_ms: 6, initiations_per_pass: 7,
        replay_window: 8, replay_accepts_zero: false, active_clear: never, demotions_per_tick: 9,
        sticky_path: false, flap_window_ms: off, netmap_endpoint_live: true, wake_interval_ms: 10,
        relay_pong_interval_ms: 11, pins: 12, home_region: 13, rehome_interval_ms: 14,
        relay_connections: 2, relay_queueing: shared, relay_queue_depth: 15,
        relay_safety_depth: 17, rules: (wake_retries: strict, lease_demotions: strict),
    )"#;
    let text = MINIMAL.replace(r#"preset: "ARM-1""#, config);
    let found = read(&text, &[]).unwrap().config;
    let ms = Duration::from_millis;
    let preset = Preset::Head4.config();
    let right = Config {
        tunnel: Tunnel::Sessions,
        tunnel_tick: ms(1),
        rekey_after: ms(2),
        reject_after: ms(3),
        rekey_timeout: ms(4),
        keepalive: ms(5),
        initiation_give_up: Some(ms(6)),
        initiations_per_pass: Some(7),
        replay_window: 8,
        replay_accepts_zero: false,
        active_clear: ActiveClear::Never,
        demotions_per_tick: Some(9),
        sticky_path: false,
        flap_window: None,
        netmap_endpoint_live: true,
        wake_interval: ms(10),
        relay_pong_interval: ms(11),
        pins: 12,
        home_region: 13,
        rehome_interval: ms(14),
        relay_connections: 2,
        relay_queueing: RelayQueueing::Shared,
        relay_queue_depth: 15,
        relay_safety_depth: 17,
        rules: Rules { wake_retries: Rule::Strict, lease_demotions: Rule::Strict, ..preset.rules },
        ..preset
    };
    assert_eq!(found, right);
}
