//! Any bytes and any edit of a good file give a value or an error with a place.
use proptest::prelude::*;
use sim::cost::{Column, CostTable};
use sim::scenario::{Overrides, Scenario};

use super::{FULL, TABLE, place, read};

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
