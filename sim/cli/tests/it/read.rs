//! Scenarios of the READ path: reports in both formats, and what is refused.
use serde_json::Value;

use crate::Desk;

const PAGE: &str = r#"(
    version: 1,
    subject: m3_read,
    title: "a small page",
    arm: "2",
    page: (body_bytes: 2000, head_bytes: 200),
    expect: [
        (metric: "delivered_bytes", value: 2000, measured: (median: 2000, runs: 1), cites: "case 20"),
    ],
)
"#;

#[test]
fn a_page_is_fetched_and_reported_as_text() {
    let ended = Desk::with(PAGE).run(&["run", "storm.ron"]).ends_with(0);
    for part in ["preset     arm 2\n", "\nparameters\n  assumed   ", "✓ delivered_bytes", "n = 1"]
    {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
}

#[test]
fn a_page_is_reported_as_json_with_its_parameters_and_measurements() {
    let args = ["run", "storm.ron", "--format", "json", "--set", "parameters.open_ms=2000"];
    let ended = Desk::with(PAGE).run(&args).ends_with(0);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["metrics"]["body_intact"], 1);
    assert_eq!(report["expectations"][0]["measured"]["off_percent"], 0.0);
    let parameters = report["parameters"].as_array().unwrap();
    let open = parameters.iter().find(|row| row["name"] == "open_ms").unwrap();
    assert_eq!((&open["value"], &open["provenance"]), (&2_000.into(), &"assumed".into()));
}

#[test]
fn a_subject_that_does_not_exist_is_refused_with_its_place() {
    let text = PAGE.replace("subject: m3_read", "subject: m3_raed");
    let ended = Desk::with(&text).run(&["run", "storm.ron"]).ends_with(2);
    for part in ["there is no subject `m3_raed`", "storm.ron:3:14", "the nearest is `m3_read`"] {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
}
