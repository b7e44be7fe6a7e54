//! Scenario files end to end: what a good one becomes, what each bad one is answered with.
use std::path::Path;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{ActiveClear, Config, Crypto, Flush, RelayQueueing, Tunnel};
use firmware_core::wg_mgr::rules::{Rule, Rules};
use proptest::prelude::*;

use super::*;
use crate::cost::{Column, CostRow, Provenance};

const MINIMAL: &str = r#"(
    version: 1,
    title: "nothing happens",
    duration_ms: 1000,
    preset: "ARM-1",
    costs: (table: "../costs/og.ron"),
)"#;

const FULL: &str = r#"(
    version: 1,
    title: "everything at once",
    seed: 3,
    duration_ms: 60000,
    shuffled_ties: true,
    preset: "HEAD-4",
    config: (
        opens_per_pass: 0, adds_per_pass: unlimited, flush_interval_ms: each_save,
        probe_dedup_ms: off, path_dead_after_ms: 1234.5, crypto: modelled,
        rules: (late_pongs: strict),
    ),
    costs: (table: "../costs/o3.ron", column: worst, store_write_ms: 7.5),
    device: (
        registered_at_ms: 6000, local_endpoint: "192.168.1.10:41641", tick_ms: exact,
        watchdog_ms: off, mailbox_depth: 4,
        tasks: [(name: "comparator", core: 1, priority: 8, period_ms: 100, run_ms: 0.7)],
    ),
    peers: [
        (name: "stop", priority: true, enters: cache, pings: every(period_ms: 100, from_ms: 3.7)),
        (name: "fleet", count: 100, enters: netmap(at_ms: 6000), reach: derp),
    ],
    floods: [
        (name: "strangers", arrivals: even(rate_per_s: 600)),
        (name: "spoofs", arrivals: recorded(offsets_ms: [0, 0, 1.5], period_ms: 2),
         content: known_key(bytes: 60), magic_hex: "54 53 9a 8b c4 d5"),
    ],
    heartbeats: [(name: "stop", arrivals: burst(count: 40, from_ms: 1000), copy_after_ms: 20)],
    faults: [(point: inbound_loss, from_ms: 10, share_percent: 12.5)],
    expect: [
        (metric: "disco_opens_per_s", value: 32.4, tolerance_percent: 1, cites: "WG-DISCO-1"),
        (metric: "heartbeat_lost", at_most: 0, cites: "case 02, WG-Q1"),
    ],
)"#;

const TABLE: &str = include_str!("../../../scenarios/costs/og.ron");

fn place() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios/costs/x.ron"))
}

fn read(text: &str, set: &[&str]) -> Result<Scenario, ScenarioError> {
    let set = set.iter().map(|edit| (*edit).to_owned()).collect();
    Scenario::parse(place(), text.to_owned(), &Overrides { set, ..Overrides::default() })
}

/// The error of a text: line, column and the sentence after the place.
#[track_caller]
fn refused(text: &str) -> (usize, usize, String) {
    let error = read(text, &[]).expect_err("the text is bad");
    let Place::Text { line, column, .. } = *error.place() else {
        panic!("{error} has no place in the text");
    };
    let sentence = error.to_string().split_once(": ").expect("a place and a sentence").1.to_owned();
    (line, column, sentence)
}

#[track_caller]
fn refused_set(set: &str) -> (String, String) {
    let error = read(FULL, &[set]).expect_err("the override is bad");
    (error.place().to_string(), error.to_string())
}

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
fn an_unknown_field_is_answered_with_place_and_nearest_name() {
    let text = MINIMAL.replace("    preset:", "    pressed: 1, preset:");
    let sentence = "there is no field `pressed` here; the nearest is `preset`";
    assert_eq!(refused(&text), (5, 5, sentence.to_owned()));
    let deep = FULL.replace("late_pongs", "late_pings");
    let sentence = "there is no field `late_pings` here; the nearest is `late_pongs`";
    assert_eq!(refused(&deep), (11, 17, sentence.to_owned()));
}

#[test]
fn a_wrong_unit_is_answered_with_the_right_one() {
    let text = MINIMAL.replace("duration_ms", "duration_s");
    let sentence = "there is no field `duration_s` here; the nearest is `duration_ms`";
    assert_eq!(refused(&text), (4, 5, sentence.to_owned()));
    assert!(read(&text, &[]).unwrap_err().next().contains("convert the figure"));
}

#[test]
fn figures_out_of_range_are_refused_where_they_stand() {
    let duration = |figure: &str| refused(&MINIMAL.replace("1000", figure));
    assert_eq!(
        duration("-3"),
        (4, 18, "`-3` is negative; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("1e300"),
        (4, 18, "`1e300` is too large; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("NaN"),
        (4, 18, "`NaN` is not a decimal number; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("\"soon\"").2,
        "`\"soon\"` is not a decimal number; it must lie in 0..=31536000000 ms"
    );
    assert_eq!(duration("0").2, "a run must last longer than 0 ms");
    let count = refused(&FULL.replace("count: 100", "count: -100"));
    assert_eq!(
        count,
        (21, 32, "`-100` is negative; it must be a whole number in 0..=65535".into())
    );
    let rate = refused(&FULL.replace("rate_per_s: 600", "rate_per_s: 0"));
    assert_eq!(rate, (24, 56, "`0` is no rate; the least is 0.001 per second".into()));
}

#[test]
fn a_missing_field_is_named_with_the_struct_that_lacks_it() {
    let text = MINIMAL.replace("    duration_ms: 1000,\n", "");
    assert_eq!(refused(&text), (1, 1, "the field `duration_ms` is missing".to_owned()));
    let text = MINIMAL.replace("table: \"../costs/og.ron\"", "");
    assert_eq!(refused(&text), (6, 12, "the field `table` is missing".to_owned()));
}

#[test]
fn what_is_not_ron_is_refused_at_the_first_wrong_sign() {
    let (line, _, sentence) = refused("{ \"json\": true }");
    assert_eq!(line, 1);
    assert!(sentence.starts_with("this is not valid RON"), "{sentence}");
    assert_eq!(refused(&MINIMAL.replace("1000,", "1000")).0, 5);
    assert_eq!(refused("").0, 1);
    let deep = "(".repeat(100_000);
    assert_eq!(refused(&deep).0, 1);
}

#[test]
fn ten_megabytes_of_garbage_are_refused_at_once() {
    let garbage: String =
        (0..10 * 1024 * 1024_u32).map(|at| char::from(b'!' + (at % 90) as u8)).collect();
    let (line, column, sentence) = refused(&garbage);
    assert_eq!((line, column), (1, 1));
    assert!(sentence.starts_with("this is not valid RON"), "{sentence}");
}

#[test]
fn a_name_of_a_million_letters_is_quoted_in_part() {
    let text = MINIMAL
        .replace("seed", "x")
        .replace("    preset", &format!("{}: 1, preset", "a".repeat(1_000_000)));
    let (line, _, sentence) = refused(&text);
    assert_eq!(line, 5);
    assert!(sentence.ends_with("aaa…` here") && sentence.len() < 200, "{sentence}");
    let figure = refused(&MINIMAL.replace("1000", &"9".repeat(1_000_000)));
    assert!(figure.2.len() < 200, "{}", figure.2);
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
fn a_file_beyond_all_sizes_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.ron");
    std::fs::File::create(&path).unwrap().set_len(source::BYTES_MOST + 1).unwrap();
    let error = Scenario::load(&path, &Overrides::default()).unwrap_err();
    assert_eq!(error.problem(), &Problem::TooLarge { most: source::BYTES_MOST });
    assert!(error.to_string().contains("large.ron:1:1: "), "{error}");
}

#[test]
fn files_that_are_missing_or_not_text_are_refused_with_their_name() {
    let missing = place().with_file_name("../costs/og.rno");
    let error = CostTable::load(&missing, Column::Best).unwrap_err();
    assert!(error.to_string().contains("og.rno` cannot be read"), "{error}");
    assert!(error.nearest().unwrap().ends_with("og.ron"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bytes.ron");
    std::fs::write(&path, b"(version: 1,\n title: \"\xff\")").unwrap();
    let error = Scenario::load(&path, &Overrides::default()).unwrap_err();
    assert_eq!(error.problem(), &Problem::NotText);
    assert!(error.place().to_string().ends_with("bytes.ron:2:10"), "{error}");
}

#[test]
fn a_cost_table_that_is_missing_is_blamed_on_the_line_that_names_it() {
    let (line, column, sentence) = refused(&MINIMAL.replace("og.ron", "0g.ron"));
    assert_eq!((line, column), (6, 20));
    assert!(sentence.contains("0g.ron` cannot be read"), "{sentence}");
    assert!(sentence.ends_with("the nearest is `../costs/og.ron`"), "{sentence}");
}

#[test]
fn a_cost_table_that_lacks_a_row_is_refused_by_name() {
    let start = TABLE.find("        tunnel_data_ms").unwrap();
    let end = TABLE.find("        tunnel_reject_ms").unwrap();
    let lacking = TABLE[..start].to_owned() + &TABLE[end..];
    let error = CostTable::parse(Path::new("t.ron"), lacking, Column::Typical).unwrap_err();
    assert_eq!(error.to_string(), "t.ron:9:11: the field `tunnel_data_ms` is missing");

    let descending = TABLE.replace("best: 28.3", "best: 28.4");
    let error = CostTable::parse(Path::new("t.ron"), descending, Column::Typical).unwrap_err();
    let sentence = "t.ron:10:20: `x25519_ms` does not ascend from best to worst";
    assert_eq!(error.to_string(), sentence);
}

#[test]
fn peers_above_capacity_are_refused_and_a_netmap_above_the_peer_table_is_not() {
    let above = NODES_MOST + 1;
    let sentence =
        format!("{above} peers are too many: a run has room for {NODES_MOST} in all groups");
    let text = FULL.replace("count: 100", &format!("count: {NODES_MOST}"));
    assert_eq!(refused(&text), (21, 32, sentence));
    let above = PEERS_MOST + 1;
    let full = format!("peers.fleet.count={}", PEERS_MOST - 1);
    let scenario = read(FULL, &[&full]).unwrap();
    assert!(scenario.peers[1].count > scenario.config.peer_table);
    let sentence = format!("`peer_table` is {above}, but must lie in 1..={PEERS_MOST}");
    let text = FULL.replace("opens_per_pass: 0", &format!("peer_table: {above}"));
    assert_eq!(refused(&text), (9, 21, sentence));
    let cached =
        FULL.replace("count: 100, enters: netmap(at_ms: 6000)", "count: 128, enters: cache");
    let sentence = "129 cached peers are too many: the peer cache holds 128";
    assert_eq!(refused(&cached), (21, 32, sentence.to_owned()));
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
    let readme = include_str!("../../../scenarios/README.md");
    let example = readme.split("```").find_map(|block| block.strip_prefix("ron\n")).unwrap();
    let scenario = read(example, &[]).unwrap_or_else(|error| panic!("{error}"));
    let report = crate::run(&scenario, &mut |_| crate::Flow::Continue).unwrap();
    assert!(report.holds(), "{:#?}", report.expectations);
}

#[test]
fn the_fields_of_sessions_in_the_readme_are_those_of_a_scenario() {
    let readme = include_str!("../../../scenarios/README.md");
    let blocks = || readme.split("```").filter_map(|block| block.strip_prefix("ron\n"));
    let fields = blocks().find(|block| block.contains("protective_stop")).unwrap();
    let start = MINIMAL.strip_suffix(')').unwrap();
    let scenario = read(&format!("{start} config: (tunnel: sessions),\n{fields})"), &[]);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    assert!(scenario.stop.is_some() && scenario.relays.len() == 1 && scenario.links.len() == 2);
}

#[test]
fn sessions_relays_links_and_the_stop_are_refused_by_their_own_rules() {
    let with = |fields: &str| {
        let start = MINIMAL.strip_suffix(')').unwrap();
        let text = format!("{start} peers: [(name: \"stop\")],\n{fields})");
        let error = read(&text, &[]).unwrap_err();
        error.to_string()
    };
    let tunnel = "config: (tunnel: sessions),";
    for (fields, part) in [
        ("protective_stop: (peer: \"stop\"),".to_owned(), "goes through a session"),
        (format!("{tunnel} protective_stop: (peer: \"stpo\"),"), "`stop`"),
        (format!("{tunnel} protective_stop: (peer: \"stop\", max_missed: 0),"), "above 0"),
        (format!("{tunnel} protective_stop: (peer: \"stop\", heartbeat_ms: 0),"), "1 ms at least"),
        ("relays: [(name: \"one\", region: 0)],".to_owned(), "region 0 stands for none"),
        ("relays: [(name: \"one\"), (name: \"other\")],".to_owned(), "this region already"),
        ("links: [(name: \"one\", peers: \"fleet\")],".to_owned(), "group of peers"),
        ("links: [(name: \"one\", reorder_percent: 5)],".to_owned(), "reorder_by_ms"),
        ("links: [(name: \"one\", from_ms: 5, until_ms: 5)],".to_owned(), "must be later"),
        ("links: [(name: \"one\", los_percent: 5)],".to_owned(), "loss_percent"),
    ] {
        let sentence = with(&fields);
        assert!(sentence.contains(part), "{fields}: {sentence}");
    }
}

#[test]
fn unknown_presets_metrics_clauses_and_words_are_answered_with_the_nearest() {
    let (line, column, sentence) = refused(&MINIMAL.replace("ARM-1", "ARM-9"));
    assert_eq!((line, column), (5, 13));
    assert_eq!(sentence, "there is no preset `ARM-9`; the nearest is `ARM-1`");
    let metric = refused(&FULL.replace("disco_opens_per_s", "disco_open_per_s"));
    assert_eq!((metric.0, metric.1), (31, 18));
    assert!(metric.2.ends_with("the nearest is `disco_opens_per_s`"), "{}", metric.2);
    let clause = refused(&FULL.replace("cites: \"WG-DISCO-1\"", "cites: \"WG-DISCO-11\""));
    assert_eq!(clause.2, "there is no clause `WG-DISCO-11`; the nearest is `WG-DISCO-1`");
    let word = refused(&FULL.replace("reach: derp", "reach: drep"));
    assert_eq!((word.0, word.2.as_str()), (21, "there is no word `drep`; the nearest is `derp`"));
}

#[test]
fn an_unknown_version_is_said_before_anything_else() {
    let text = MINIMAL.replace("version: 1", "version: 2, colour: \"red\"");
    let sentence = "format version 2 is unknown; this program reads version 1";
    assert_eq!(refused(&text), (2, 14, sentence.to_owned()));
}

#[test]
fn rules_across_fields_are_refused_where_they_are_broken() {
    let cases = [
        ("priority: 8", "priority: 0", "there is no priority 0: tasks have 1 to 24"),
        ("run_ms: 0.7", "run_ms: 100", "`run_ms` must be below `period_ms`"),
        ("name: \"fleet\"", "name: \"stop\"", "the name `stop` is taken already"),
        ("from_ms: 10,", "from_ms: 10, until_ms: 10,", "`until_ms` must be later than `from_ms`"),
        ("[0, 0, 1.5]", "[0, 1, 0.5]", "offsets must not descend"),
        ("[0, 0, 1.5]", "[]", "`offsets_ms` must hold at least one offset"),
        ("period_ms: 2", "period_ms: 1.5", "an offset must lie below `period_ms`"),
        ("count: 100", "count: 100, priority: true", "another group has the priority peer already"),
        (
            "count: 100",
            "rotates_key_at_ms: 9, rotation_patched_at_ms: 8",
            "the control plane cannot tell of a key before it is rotated",
        ),
        (
            "count: 100",
            "rotation_patched_at_ms: 8",
            "`rotation_patched_at_ms` stands here without `rotates_key_at_ms`",
        ),
        ("tick_ms: exact", "tick_ms: 0", "a tick lasts longer than 0 ms"),
        ("watchdog_ms: off", "watchdog_ms: 0", "a watchdog waits longer than 0 ms; `off` is none"),
        ("mailbox_depth: 4", "mailbox_depth: 0", "`mailbox_depth` must be above 0"),
        ("opens_per_pass: 0", "loop_delay_ms: 0", "`loop_delay_ms` must be longer than 0 ms"),
        ("at_most: 0", "value: 1, at_most: 0", "give a value or bounds, not both"),
    ];
    for (from, to, sentence) in cases {
        let text = FULL.replacen(from, to, 1);
        assert_ne!(text, FULL, "`{from}` stands in the text");
        let (line, _, found) = refused(&text);
        assert_eq!(found, sentence);
        let expected = 1 + FULL[..FULL.find(from).unwrap()].matches('\n').count();
        assert_eq!(line, expected, "the line of `{sentence}`");
    }
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

proptest! {
    #[test]
    fn any_bytes_as_scenario_or_table_give_a_value_or_an_error(bytes in any::<Vec<u8>>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes.ron");
        std::fs::write(&path, bytes).unwrap();
        let _ = Scenario::load(&path, &Overrides::default());
        let _ = CostTable::load(&path, Column::Typical);
    }

    #[test]
    fn a_cost_table_with_any_part_replaced_gives_a_value_or_an_error(
        from in 0..TABLE.len(), length in 0_usize..30,
        new in r#"[()\[\]{}:,"/*#r a-z0-9.\\-]{0,12}"#,
    ) {
        let mut text = TABLE.to_owned();
        text.replace_range(from..(from + length).min(TABLE.len()), &new);
        if let Err(error) = CostTable::parse(place(), text, Column::Typical) {
            let (excerpt, range) = error.excerpt();
            prop_assert!(excerpt.get(range).is_some());
        }
    }

    #[test]
    fn a_scenario_with_any_part_replaced_gives_a_value_or_an_error(
        from in 0..FULL.len(), length in 0_usize..30,
        new in r#"[()\[\]{}:,"/*#r a-z0-9.\\-]{0,12}"#,
    ) {
        let mut text = FULL.to_owned();
        text.replace_range(from..(from + length).min(FULL.len()), &new);
        if let Err(error) = read(&text, &["costs.x25519_ms=11.3", "peers.fleet.count=3"]) {
            let (excerpt, range) = error.excerpt();
            prop_assert!(excerpt.get(range).is_some());
        }
    }

    #[test]
    fn any_override_gives_a_value_or_an_error(
        key in r"[a-z_.0-9]{0,20}", value in r#"[()\[\]{}:,"/*#r a-z0-9.\\=-]{0,12}"#,
    ) {
        let _ = read(FULL, &[&format!("{key}={value}")]);
    }
}
