//! Every bad input ends with code 2 and names file, line, column, reason, the nearest valid name.
use sim::scenario::{NODES_MOST, PEERS_MOST};

use crate::{Desk, SMALL, root};

#[track_caller]
fn refuses(text: &str, parts: &[&str]) {
    Desk::with(text).run(&["run", "storm.ron"]).refuses(parts);
}

#[test]
fn an_unknown_key() {
    refuses(
        &SMALL.replace("preset:", "perset:"),
        &["storm.ron:5:5", "there is no field `perset` here", "the nearest is `preset`"],
    );
}

#[test]
fn a_wrong_unit() {
    refuses(
        &SMALL.replace("duration_ms", "duration_s"),
        &["storm.ron:4:5", "no field `duration_s`", "`duration_ms`", "convert the figure"],
    );
}

#[test]
fn a_negative_number() {
    let text = SMALL.replace("1000", "-1000");
    refuses(&text, &["storm.ron:4:18", "`-1000` is negative", "0..=31536000000 ms"]);
}

#[test]
fn a_huge_number() {
    let text = SMALL.replace("600", "1e300");
    refuses(&text, &["storm.ron:8:61", "`1e300` is too large", "0..=1000000 per second"]);
}

#[test]
fn a_scenario_that_is_missing() {
    let desk = Desk::with(SMALL);
    desk.run(&["run", "strom.ron"])
        .refuses(&["the file `strom.ron` cannot be read", "the nearest is `storm.ron`"]);
}

#[test]
fn a_cost_table_that_is_missing() {
    let desk = Desk::with(&SMALL.replace("COSTS", "oq.ron"));
    desk.write("og.ron", b"");
    let parts = ["storm.ron:6:20", "`oq.ron` cannot be read", "the nearest is `og.ron`"];
    desk.run(&["run", "storm.ron"]).refuses(&parts);
}

#[test]
fn something_else_than_ron() {
    refuses("{\"json\": true}", &["storm.ron:1:", "this is not valid RON"]);
    refuses("", &["storm.ron:1:1", "this is not valid RON"]);
}

#[test]
fn ten_megabytes_of_garbage() {
    let desk = Desk::with("");
    let letters: Vec<u8> = (0..10 * 1024 * 1024_u32).map(|at| b'!' + (at % 90) as u8).collect();
    desk.write("storm.ron", &letters);
    let ended = desk.run(&["run", "storm.ron"]);
    assert!(ended.stderr.len() < 2_000, "garbage is not repeated");
    ended.refuses(&["storm.ron:1:1", "this is not valid RON"]);
    desk.write("storm.ron", &vec![0xff; 10 * 1024 * 1024]);
    desk.run(&["run", "storm.ron"]).refuses(&["storm.ron:1:1", "not UTF-8 text"]);
}

#[test]
fn a_cost_table_that_lacks_a_row() {
    let desk = Desk::with(&SMALL.replace("COSTS", "mine.ron"));
    let table = std::fs::read_to_string(root().join("scenarios/costs/og.ron")).unwrap();
    desk.write("mine.ron", table.replace("peer_update_ms", "peer_update_us").as_bytes());
    let parts = ["mine.ron:27:9", "no field `peer_update_us`", "the nearest is `peer_update_ms`"];
    desk.run(&["run", "storm.ron"]).refuses(&parts);
    let start = table.find("        relay_frame_ms").unwrap();
    desk.write("mine.ron", (table[..start].to_owned() + "))").as_bytes());
    let parts = ["mine.ron:9:11", "the field `relay_frame_ms` is missing"];
    desk.run(&["run", "storm.ron"]).refuses(&parts);
}

#[test]
fn peers_above_capacity() {
    let above = NODES_MOST + 1;
    let fleet = format!("peers: [(name: \"fleet\", count: {above})], floods:");
    let reason = format!("{above} peers are too many: a run has room for {NODES_MOST}");
    refuses(&SMALL.replace("floods:", &fleet), &["storm.ron:8:36", &reason]);
    let above = PEERS_MOST + 1;
    let table = format!("config: (peer_table: {above}), device:");
    let reason = format!("`peer_table` is {above}, but must lie in 1..={PEERS_MOST}");
    refuses(&SMALL.replace("device:", &table), &["storm.ron:7:26", &reason]);
}

#[test]
fn an_unknown_metric_and_an_unknown_clause() {
    let text = SMALL.replace("virtual_s", "virtual_seconds");
    refuses(&text, &["storm.ron:9:23", "no metric `virtual_seconds`", "`virtual_s`"]);
    let text = SMALL.replace("case 02", "WG-DISCO-9");
    refuses(&text, &["storm.ron:9:53", "no clause `WG-DISCO-9`", "the nearest is `WG-DISCO-1`"]);
}

#[test]
fn overrides_that_lead_nowhere() {
    let desk = Desk::with(SMALL);
    desk.run(&["run", "storm.ron", "--set", "config.open_per_pass=1"]).refuses(&[
        "`--set config.open_per_pass=1`",
        "no field `config.open_per_pass`",
        "the nearest is `config.opens_per_pass`",
    ]);
    desk.run(&["run", "storm.ron", "--set", "costs.x25519_ms=-1"])
        .refuses(&["`--set costs.x25519_ms=-1`", "`-1` is negative"]);
    desk.run(&["run", "storm.ron", "--preset", "ILV3"]).refuses(&[
        "--preset",
        "PRE-0, ARM-1, KEY-2, ILV-3, HEAD-4",
        "'ILV-3'",
    ]);
    desk.run(&["run", "storm.ron", "--sed", "1"]).refuses(&["--seed"]);
}

/// Facts c-x: a budget of 0 never reads the DISCO queue.
#[test]
fn a_budget_of_zero_is_no_bad_input() {
    let ended = Desk::with(SMALL)
        .run(&["run", "storm.ron", "--set", "config.opens_per_pass=0"])
        .ends_with(0);
    assert!(ended.stdout.contains("Nothing was opened"), "{}", ended.stdout);
}
