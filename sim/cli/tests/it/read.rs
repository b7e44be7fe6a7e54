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

#[track_caller]
fn refuses(args: &[&str], parts: &[&str]) {
    Desk::with(PAGE).run(&[&["run", "storm.ron"], args].concat()).refuses(parts);
}

/// What a client, a page or a firmware cannot be ends with code 2, the field and the range.
#[test]
fn what_cannot_be_is_refused_by_field_and_range() {
    refuses(
        &["--set", "page.body_bytes=16777216"],
        &["`--set page.body_bytes=16777216`", "the client counts up to 16777215"],
    );
    for request in ["0", "1473"] {
        let set = format!("client.request_max={request}");
        refuses(&["--set", &set], &[&set, "request_max is", "a READ asks for 1..=1472"]);
    }
    refuses(
        &["--set", "client.first_block_bytes=894"],
        &["with its header a block must stay below 896 bytes"],
    );
    refuses(&["--set", "client.request_max=70000"], &["`70000` is too large", "0..=65535"]);
    let over = "reply=(header: announces(bytes: 895), blocks: [(bytes: 895)])";
    refuses(&["--set", over], &["block 0 has 897 bytes with its header; 896 fit"]);
    refuses(&["--set", "reply=(header: end, blocks: [])"], &["a reply has 1 to 4 blocks, not 0"]);
    let again = "reply=(header: end, blocks: [(again: true)])";
    refuses(&["--set", again], &["the first block has none before it to repeat"]);
    refuses(&["--set", "page.framing=chunked(sizes_bytes: [0])"], &["a chunk has 0 bytes"]);
    refuses(&["--set", "page.blank_line_every_bytes=1"], &["it must be 0 or at least 2"]);
    let line = format!("refusal=94,{}", "X".repeat(253));
    refuses(&["--set", &line], &["a status line has at most 255 bytes"]);
}

/// A block that fills the response RAM and a clock that stands still are no bad input: each run
/// ends by itself, with the client's code.
#[test]
fn a_block_of_896_and_a_stopped_clock_end_with_a_named_outcome() {
    let full = "reply=(header: announces(bytes: 894), blocks: [(bytes: 894)])";
    let args = ["--set", "client.request_max=894", "--set", full, "--set", "arm=\"1\""];
    let ended = Desk::with(PAGE).run(&[&["run", "storm.ron"], args.as_slice()].concat());
    let ended = ended.ends_with(1);
    for part in ["block_never_ends", "error $8B"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let args = ["run", "storm.ron", "--set", "clock_stands_still=true"];
    let ended = Desk::with(PAGE).run(&args).ends_with(1);
    assert!(ended.stdout.contains("opening the session failed with error $89"), "{}", ended.stdout);
}

#[test]
fn a_refused_session_is_an_outcome_of_the_run() {
    let line = "94,CERTIFICATE NAME MISMATCH: 0x00000004";
    let args = ["run", "storm.ron", "--format", "json", "--set", &format!("refusal={line}")];
    let ended = Desk::with(PAGE).run(&args).ends_with(1);
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(report["metrics"]["status_code"], 94);
    assert_eq!(report["metrics"]["last_error"], 0x8D);
    let remarks = report["remarks"].as_array().unwrap();
    assert!(remarks.iter().any(|remark| remark.as_str().is_some_and(|text| text.contains(line))));
}

#[test]
fn a_search_is_reported_and_repeats_with_its_seed() {
    let digest = |seed: &str| {
        let args = ["run", "storm.ron", "--set", "search=(draws: 50)", "--set", "expect=[]"];
        let args = [args.as_slice(), &["--seed", seed, "--format", "json"]].concat();
        let ended = Desk::with(PAGE).run(&args).ends_with(0);
        let report: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert_eq!(report["metrics"]["draws"], 50);
        report["digest"].as_str().unwrap().to_owned()
    };
    assert_eq!(digest("3"), digest("3"));
    assert_ne!(digest("3"), digest("4"));
}

const MEASURED: &str = r#"expect=[(metric: "page_s", value: 5, tolerance: 1,
    measured: (median: 5, least: 4, most: 6, runs: 5), cites: "case 20")]"#;

#[test]
fn two_pages_are_compared_with_what_was_measured() {
    let desk = Desk::with(PAGE);
    desk.write("other.ron", PAGE.replace("arm: \"2\"", "arm: \"1\"").as_bytes());
    let compare = ["compare", "storm.ron", "other.ron", "--seeds", "3"];
    let ended = desk.run(&compare).ends_with(0);
    assert!(ended.stdout.contains("verdict    unmeasured"), "{}", ended.stdout);
    let args = [compare.as_slice(), &["--set", MEASURED, "--format", "json"]].concat();
    let ended = desk.run(&args).ends_with(7);
    let comparison: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(comparison["verdict"], "undecided");
    assert!(comparison["runs_needed"].as_f64().unwrap() > 5.0);
}

#[test]
fn what_has_no_page_time_is_not_compared() {
    let desk = Desk::with(PAGE);
    desk.write("search.ron", PAGE.replace("expect:", "search: (draws: 5), expect:").as_bytes());
    desk.write("cut.ron", PAGE.replace("expect:", "sink_bytes: 5, expect:").as_bytes());
    desk.write("loop.ron", crate::SMALL.replace("COSTS", "og.ron").as_bytes());
    let costs = crate::root().join("scenarios/costs/og.ron");
    desk.write("og.ron", &std::fs::read(costs).unwrap());
    for (file, part) in [
        ("search.ron", "is a search"),
        ("cut.ron", "the page does not arrive whole"),
        ("loop.ron", "is about the manager loop"),
        ("none.ron", "cannot be read"),
    ] {
        desk.run(&["compare", "storm.ron", file]).refuses(&[part]);
    }
    let ended = desk.run(&["compare", "storm.ron", "storm.ron", "--seeds", "1"]);
    ended.refuses(&["--seeds", "2..=10000"]);
}
