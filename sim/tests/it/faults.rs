//! Fault points: each strikes where it says, as often as it says, and the report counts it.
use std::path::Path;

use sim::report::Report;
use sim::scenario::{Overrides, Scenario};

/// Six peers that ping every second, for a minute, under one fault.
fn run(fault: &str, config: &str) -> Report {
    run_with(fault, config, "", "")
}

fn run_with(fault: &str, config: &str, entry: &str, others: &str) -> Report {
    let text = format!(
        "(version: 1, title: \"a fault\", duration_ms: 60000, preset: \"ILV-3\", \
         config: ({config}), costs: (table: \"../costs/o3.ron\"), \
         peers: [(name: \"fleet\", count: 6, {entry} round_trip_ms: 20, \
                  pings: Some(every(period_ms: 1000, from_ms: 500)), ping_stagger_ms: 31){others}], \
         heartbeats: [(name: \"stop\", arrivals: every(period_ms: 100, from_ms: 3.7))], \
         faults: [{fault}])"
    );
    let path = Path::new("../scenarios/wg_mgr/a_fault.ron");
    let scenario = Scenario::parse(path, text, &Overrides::default())
        .unwrap_or_else(|error| panic!("{error}"));
    sim::run(&scenario, &mut |_| sim::Flow::Continue).expect("it runs")
}

fn acted(report: &Report) -> (u64, u64) {
    let row = report.faults.first().expect("one fault point is planned");
    (row.asked, row.acted)
}

#[test]
fn a_share_of_inbound_packets_is_lost_within_its_time_only() {
    let fault = "(point: inbound_loss, share_percent: 50, from_ms: 20000, until_ms: 40000)";
    let report = run(fault, "");
    let lost = report.metrics["heartbeat_lost"];
    assert!((70.0..=130.0).contains(&lost), "{lost} of the 200 heartbeats of that time");
    let (asked, acted) = acted(&report);
    assert!(asked > 3 * acted && acted > 150, "{acted} of {asked}");
    assert_eq!(run("", "").metrics["heartbeat_lost"].to_bits(), 0.0_f64.to_bits());
}

#[test]
fn lost_answers_leave_the_peers_without_a_pong_and_the_device_without_a_path() {
    let report = run("(point: outbound_loss, share_percent: 100)", "");
    assert!(report.metrics["pings_sent"] > 0.0);
    assert_eq!((report.metrics["pongs_matched"], report.metrics["paths_up"]), (0.0, 0.0));
}

#[test]
fn packets_without_memory_never_reach_a_queue() {
    let report = run("(point: receive_memory, share_percent: 100)", "");
    assert_eq!(report.metrics["heartbeats_served"], 0.0);
    assert_eq!(report.metrics["heartbeat_lost"], report.metrics["heartbeats_sent"]);
    assert_eq!(report.metrics["disco_opened_known"], 0.0);
}

/// Cites WG-NVS-1 (PF-103).
#[test]
fn a_failed_write_of_the_cache_is_repeated_only_by_the_corrected_rule() {
    let fault = "(point: store_write, share_percent: 100)";
    let forgotten = run(fault, "");
    let corrected = run(fault, "rules: (failed_flush: strict)");
    assert_eq!(forgotten.metrics["nvs_writes"], 1.0);
    assert!(corrected.metrics["nvs_writes"] >= 10.0);
}

/// Cites WG-ALLOW-1: while another task holds the lock, the check lets everybody through; peers that
/// are on no list are answered in that time only.
#[test]
fn the_allowlists_check_fails_open_for_the_time_that_the_fault_says() {
    let listed = ", (name: \"machine\", on_allowlist: true)";
    let fault = "(point: allow_list_busy, share_percent: 100, from_ms: 10000, until_ms: 20000)";
    // They are entered while the lock is held, since the list refuses them at any other time.
    let report = run_with(fault, "", "enters: Some(netmap(at_ms: 10000)),", listed);
    assert_eq!(acted(&report), (2, 1));
    assert_eq!(report.metrics["peers_active"], 7.0);
    let answered = report.metrics["pongs_sent"];
    assert!((54.0..=66.0).contains(&answered), "{answered} pongs to six peers in ten seconds");
    let never = run_with("", "", "enters: Some(netmap(at_ms: 10000)),", listed);
    assert_eq!((never.metrics["peers_active"], never.metrics["pongs_sent"]), (1.0, 0.0));
}
