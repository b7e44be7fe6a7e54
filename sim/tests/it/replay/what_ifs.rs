//! The same arrivals under another configuration.
use std::path::Path;

use sim::Flow;
use sim::pft::Redactor;
use sim::replay::{Asked, ReplayError, WhatIf, what_if};
use sim::report::metrics::Metric;

use super::{load, record, scenarios};

/// Records a scenario and asks what its arrivals would have come to under these changes.
fn ask(path: &Path, set: &[&str], changes: &[&str]) -> WhatIf {
    try_to_ask(path, set, changes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn try_to_ask(path: &Path, set: &[&str], changes: &[&str]) -> Result<WhatIf, ReplayError> {
    let (trace, _, _) = record(&load(path, set), Redactor::new(6));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("arrivals.pft");
    std::fs::write(&file, trace).expect("written");
    let changes: Vec<_> = changes.iter().map(|change| (*change).to_owned()).collect();
    what_if(&file, &Asked::default(), &changes, &mut |_| Flow::Continue)
}

fn wg_mgr(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../scenarios/wg_mgr/{name}.ron"))
}

/// Given the arrivals of a run, the device model takes the very steps of that run: so the first
/// column of a what-if is the recording, and the second differs by the change alone.
#[test]
fn the_arrivals_of_every_scenario_lead_to_the_recorded_steps() {
    let mut judged = 0;
    for path in scenarios("wg_mgr") {
        let name = path.display();
        let found = match try_to_ask(&path, &["duration_ms=5000"], &[]) {
            Ok(found) => found,
            // Of a session, recorded packets answer the handshakes that were recorded.
            Err(ReplayError::Sessions) => continue,
            Err(error) => panic!("{name}: {error}"),
        };
        judged += 1;
        assert_eq!(found.is_as_recorded, Some(true), "{name}: the model takes other steps");
        assert!(found.rows.iter().all(|row| row.base.to_bits() == row.changed.to_bits()), "{name}");
    }
    assert!(judged >= 36, "{judged}");
}

/// Cites WG-Q2: with the drain between opens a heartbeat waits for one open (28.3 ms) at most, without
/// it for a pass of four (113 ms).
#[test]
fn the_drain_between_opens_would_have_shortened_the_waits() {
    let path = wg_mgr("strangers_at_600_per_second");
    let found = ask(&path, &["duration_ms=10000"], &["config.interleave=true"]);
    let wait = |metric| found.rows.iter().find(|row| row.metric == metric).expect("it is shown");
    let longest = wait(Metric::HeartbeatWaitMsMax);
    assert!((105.0..=115.0).contains(&longest.base), "{longest:?}");
    assert!(longest.changed <= 28.4, "{longest:?}");
    assert_eq!(wait(Metric::HeartbeatLost).changed, 0.0);
}

/// Fewer places in the queue lose more of the same arrivals.
#[test]
fn a_shorter_queue_would_have_lost_more() {
    let path = wg_mgr("strangers_at_40_per_second");
    let found = ask(&path, &["duration_ms=10000"], &["config.disco_queue_depth=2"]);
    let shed = found.rows.iter().find(|row| row.metric == Metric::DiscoShed).expect("it is shown");
    assert!(shed.changed > shed.base, "{shed:?}");
}
