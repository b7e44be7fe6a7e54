//! Files that are missing, too large, cut, or no scenario at all.
use std::path::Path;

use sim::cost::{Column, CostTable};
use sim::scenario::{Overrides, Problem, Scenario};

use super::{MINIMAL, TABLE, place, refused};

/// Beyond 64 MiB lies a mistake, not a scenario.
const BYTES_MOST: u64 = 64 * 1024 * 1024;

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
fn a_file_beyond_all_sizes_is_not_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.ron");
    std::fs::File::create(&path).unwrap().set_len(BYTES_MOST + 1).unwrap();
    let error = Scenario::load(&path, &Overrides::default()).unwrap_err();
    assert_eq!(error.problem(), &Problem::TooLarge { most: BYTES_MOST });
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
