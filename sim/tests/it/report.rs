//! Renderings of a small report, as people and machines see them.
use std::collections::BTreeMap;

use firmware_core::time::Duration;
use sim::cost::Provenance;
use sim::report::metrics::Metric;
use sim::report::{
    ClassRow, CostLine, FaultRow, Origin, Outcome, Report, TraceExcerpt, json, text,
};
use sim::scenario::Expectation;

/// A report of a storm with one expectation of each outcome.
fn report() -> Report {
    let mut report = Report {
        title: "Unknown keys at 600 per second".to_owned(),
        preset: "ARM-1".to_owned(),
        costs: "og (ESP32-S3, 240 MHz, -Og), typical column".to_owned(),
        cost_rows: vec![
            CostLine {
                row: "disco_reject_ms",
                figure: Duration::from_micros(50),
                provenance: Provenance::Assumed,
                source: "no figure exists".to_owned(),
            },
            CostLine {
                row: "x25519_ms",
                figure: Duration::from_micros(28_300),
                provenance: Provenance::Measured,
                source: "board measurement, -Og build".to_owned(),
            },
        ],
        parameters: Vec::new(),
        seed: 1,
        scenario_hash: 0xabc,
        metrics: BTreeMap::new(),
        classes: vec![ClassRow { class: "disco", arrived: 36_000, shed: 34_052 }],
        remarks: vec!["Nothing was opened.".to_owned()],
        assumed: vec!["disco_reject_ms".to_owned()],
        faults: vec![FaultRow { point: "inbound_loss", asked: 36_000, acted: 0 }],
        limits: Vec::new(),
        expectations: Vec::new(),
        trace: TraceExcerpt {
            first: vec!["  0.000ms first".to_owned()],
            omitted: 5,
            last: vec![" 60.000s  last".to_owned()],
        },
        digest: u128::MAX,
        events: 1_234,
        partial: false,
    };
    report.put(Metric::VirtualSeconds, 60.0);
    report.put(Metric::DiscoOpensPerSecond, 32.466);
    report.put(Metric::DiscoShed, 34_052.0);
    report.put(Metric::HeartbeatWaitMsMax, 113.25);
    report.put(Metric::HeartbeatWaitMsP50, f64::NAN);
    report.judge(&[
        expect("disco_opens_per_s", 32.076, 32.724, "case 02", 31),
        expect("heartbeat_wait_ms_max", f64::NEG_INFINITY, 28.6, "WG-Q2, case 04", 32),
        expect("heartbeat_lost", 0.0, 0.0, "case 02", 33),
    ]);
    report
}

fn expect(metric: &str, least: f64, most: f64, cites: &str, line: usize) -> Expectation {
    let (metric, cites) = (metric.to_owned(), cites.to_owned());
    Expectation { metric, least, most, measured: None, cites, line }
}

const ORIGIN: Origin<'_> = Origin {
    file: "storm.ron",
    command: "preflash run storm.ron --seed 1",
    wall_s: None,
    trace: false,
};

#[test]
fn a_figure_in_its_range_holds_and_one_outside_or_absent_does_not() {
    let report = report();
    let holds: Vec<_> = report.expectations.iter().map(Outcome::holds).collect();
    assert_eq!(holds, [true, false, false]);
    assert!(!report.holds());
}

#[test]
fn what_is_not_finite_is_no_figure() {
    assert_eq!(report().figure(Metric::HeartbeatWaitMsP50), None);
}

#[test]
fn the_text_has_a_summary_and_a_page_per_failure() {
    insta::assert_snapshot!(text::render(&report(), &ORIGIN));
}

#[test]
fn a_partial_result_says_so_first_and_shows_wall_time_where_it_is_known() {
    let mut report = Report { partial: true, ..report() };
    report.expectations.truncate(1);
    let text = text::render(&report, &Origin { wall_s: Some(1.5), ..ORIGIN });
    assert!(text.starts_with("PARTIAL "), "{text}");
    assert!(text.contains("1234 events in 60 virtual s, 1.500 s of wall time"), "{text}");
    assert!(!text.contains("trace") && !text.contains("violated"), "{text}");
    let traced = text::render(&report, &Origin { trace: true, ..ORIGIN });
    assert!(traced.contains("… 5 records …"), "{traced}");
}

#[test]
fn the_json_has_the_same_facts_in_a_stable_order() {
    insta::assert_snapshot!(json::render(&report(), &ORIGIN));
}

#[test]
fn every_key_of_the_json_is_in_its_schema() {
    let schema = json::schema();
    let value = serde_json::to_value(json::object(&report(), &ORIGIN)).unwrap();
    let described = schema["properties"].as_object().unwrap();
    for (key, value) in value.as_object().unwrap() {
        assert!(described.contains_key(key), "{key}");
        if key == "metrics" {
            for name in value.as_object().unwrap().keys() {
                assert!(described[key]["properties"].get(name).is_some(), "{name}");
            }
        }
    }
}
