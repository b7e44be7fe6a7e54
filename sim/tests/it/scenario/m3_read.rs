//! READ scenarios that are refused, each with its place, and overrides.
use std::path::Path;

use firmware_core::m3_read::preset::Arm;
use sim::read::parameters::Parameters;
use sim::scenario::m3_read::ReadScenario;
use sim::scenario::{Overrides, Place, ScenarioError, Subject};

const SOUND: &str = r#"(
    version: 1,
    subject: m3_read,
    title: "a small page",
    arm: "2",
    page: (body_bytes: 2000, head_bytes: 200),
    expect: [
        (metric: "page_s", value: 5, tolerance: 1, measured: (median: 5, runs: 1), cites: "facts g1"),
    ],
)
"#;

fn parse(text: &str, overrides: &Overrides) -> Result<ReadScenario, ScenarioError> {
    match Subject::parse(Path::new("page.ron"), text.to_owned(), overrides)? {
        Subject::M3Read(scenario) => Ok(*scenario),
        Subject::WgMgr(_) => panic!("the file names the READ path"),
    }
}

fn set(edits: &[&str]) -> Overrides {
    let set = edits.iter().map(|edit| (*edit).to_owned()).collect();
    Overrides { set, ..Overrides::default() }
}

#[test]
fn a_sound_file_has_the_bench_s_parameters_and_a_seed() {
    let scenario = parse(SOUND, &Overrides::default()).unwrap();
    assert_eq!(scenario.fetch.parameters, Parameters::BENCH);
    assert_eq!((scenario.fetch.seed, scenario.fetch.step_bytes), (1, 960));
    assert_eq!(scenario.fetch.config, Arm::Two.config());
    assert_eq!(scenario.expect[0].measured.map(|measured| measured.least), Some(5.0));
}

#[test]
fn every_error_names_its_line_and_column() {
    let cases = [
        ("subject: m3_read", "subject: m3_raed", 3, "there is no subject `m3_raed`"),
        ("arm: \"2\"", "arm: \"3\"", 5, "there is no arm `3`"),
        ("2000", "16777216", 6, "body_bytes is 16777216; the client counts up to 16777215"),
        ("head_bytes: 200", "head_bytes: 79", 6, "head_bytes is 79; it must lie in 80..=65536"),
        ("2000", "-1", 6, "`-1` is negative"),
        ("arm:", "amr:", 5, "there is no field `amr` here"),
        ("page_s", "page_ms", 8, "there is no metric `page_ms`"),
        ("median: 5", "median: 5, least: 6", 8, "least <= median <= most"),
    ];
    for (sound, broken, line, reason) in cases {
        let error = parse(&SOUND.replace(sound, broken), &Overrides::default()).unwrap_err();
        let Place::Text { line: found, .. } = error.place() else {
            panic!("{error} has a place in the file");
        };
        assert_eq!(*found, line, "{error}");
        assert!(error.problem().to_string().contains(reason), "{error}");
    }
}

#[test]
fn overrides_reach_fields_that_the_file_does_not_mention() {
    let slow = parse(SOUND, &set(&["parameters.turbo_percent=100", "step_bytes=1472"])).unwrap();
    assert_eq!((slow.fetch.parameters.turbo_percent, slow.fetch.step_bytes), (100, 1_472));
    let plain = parse(SOUND, &Overrides::default()).unwrap();
    assert_ne!(slow.hash, plain.hash);
    let seeded = parse(SOUND, &Overrides { seed: Some(9), ..Overrides::default() }).unwrap();
    assert_eq!((seeded.fetch.seed, seeded.hash), (9, plain.hash));
}

#[test]
fn an_override_that_cannot_be_meant_names_the_flag() {
    for (edit, near) in [
        ("parameters.turbo_percent=99", None),
        ("parameters.turbo_prozent=100", Some("parameters.turbo_percent")),
        ("step_bytes=0", None),
    ] {
        let error = parse(SOUND, &set(&[edit])).unwrap_err();
        assert_eq!(error.place(), &Place::Flag { flag: format!("--set {edit}") }, "{error}");
        assert_eq!(error.nearest(), near);
    }
    let preset = Overrides { preset: Some("ARM-1".to_owned()), ..Overrides::default() };
    let error = parse(SOUND, &preset).unwrap_err();
    assert_eq!(error.place(), &Place::Flag { flag: "--preset ARM-1".to_owned() });
}
