//! Scenario files end to end: what a good one becomes, what each bad one is answered with.
mod accepted;
mod any_text;
mod m3_read;
mod overrides;
mod refused;
mod unreadable;

use std::path::Path;

use sim::scenario::{Overrides, Place, Scenario, ScenarioError};

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

const TABLE: &str = include_str!("../../../../scenarios/costs/og.ron");

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
