//! What each wrong field is answered with: place, reason, nearest name.
use sim::scenario::{NODES_MOST, PEERS_MOST};

use super::{FULL, MINIMAL, read, refused};

#[test]
fn an_unknown_field_is_answered_with_place_and_nearest_name() {
    let text = MINIMAL.replace("    preset:", "    pressed: 1, preset:");
    let sentence = "there is no field `pressed` here; the nearest is `preset`";
    assert_eq!(refused(&text), (5, 5, sentence.to_owned()));
    let deep = FULL.replace("late_pongs", "late_pings");
    let sentence = "there is no field `late_pings` here; the nearest is `late_pongs`";
    assert_eq!(refused(&deep), (11, 17, sentence.to_owned()));
}

#[test]
fn a_wrong_unit_is_answered_with_the_right_one() {
    let text = MINIMAL.replace("duration_ms", "duration_s");
    let sentence = "there is no field `duration_s` here; the nearest is `duration_ms`";
    assert_eq!(refused(&text), (4, 5, sentence.to_owned()));
    assert!(read(&text, &[]).unwrap_err().next().contains("convert the figure"));
}

#[test]
fn figures_out_of_range_are_refused_where_they_stand() {
    let duration = |figure: &str| refused(&MINIMAL.replace("1000", figure));
    assert_eq!(
        duration("-3"),
        (4, 18, "`-3` is negative; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("1e300"),
        (4, 18, "`1e300` is too large; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("NaN"),
        (4, 18, "`NaN` is not a decimal number; it must lie in 0..=31536000000 ms".into())
    );
    assert_eq!(
        duration("\"soon\"").2,
        "`\"soon\"` is not a decimal number; it must lie in 0..=31536000000 ms"
    );
    assert_eq!(duration("0").2, "a run must last longer than 0 ms");
    let count = refused(&FULL.replace("count: 100", "count: -100"));
    assert_eq!(
        count,
        (21, 32, "`-100` is negative; it must be a whole number in 0..=65535".into())
    );
    let rate = refused(&FULL.replace("rate_per_s: 600", "rate_per_s: 0"));
    assert_eq!(rate, (24, 56, "`0` is no rate; the least is 0.001 per second".into()));
}

#[test]
fn a_missing_field_is_named_with_the_struct_that_lacks_it() {
    let text = MINIMAL.replace("    duration_ms: 1000,\n", "");
    assert_eq!(refused(&text), (1, 1, "the field `duration_ms` is missing".to_owned()));
    let text = MINIMAL.replace("table: \"../costs/og.ron\"", "");
    assert_eq!(refused(&text), (6, 12, "the field `table` is missing".to_owned()));
}

#[test]
fn peers_above_capacity_are_refused_and_a_netmap_above_the_peer_table_is_not() {
    let above = NODES_MOST + 1;
    let sentence =
        format!("{above} peers are too many: a run has room for {NODES_MOST} in all groups");
    let text = FULL.replace("count: 100", &format!("count: {NODES_MOST}"));
    assert_eq!(refused(&text), (21, 32, sentence));
    let above = PEERS_MOST + 1;
    let full = format!("peers.fleet.count={}", PEERS_MOST - 1);
    let scenario = read(FULL, &[&full]).unwrap();
    assert!(scenario.peers[1].count > scenario.config.peer_table);
    let sentence = format!("`peer_table` is {above}, but must lie in 1..={PEERS_MOST}");
    let text = FULL.replace("opens_per_pass: 0", &format!("peer_table: {above}"));
    assert_eq!(refused(&text), (9, 21, sentence));
    let cached =
        FULL.replace("count: 100, enters: netmap(at_ms: 6000)", "count: 128, enters: cache");
    let sentence = "129 cached peers are too many: the peer cache holds 128";
    assert_eq!(refused(&cached), (21, 32, sentence.to_owned()));
}

#[test]
fn sessions_relays_links_and_the_stop_are_refused_by_their_own_rules() {
    let with = |fields: &str| {
        let start = MINIMAL.strip_suffix(')').unwrap();
        let text = format!("{start} peers: [(name: \"stop\")],\n{fields})");
        let error = read(&text, &[]).unwrap_err();
        error.to_string()
    };
    let tunnel = "config: (tunnel: sessions),";
    for (fields, part) in [
        ("protective_stop: (peer: \"stop\"),".to_owned(), "goes through a session"),
        (format!("{tunnel} protective_stop: (peer: \"stpo\"),"), "`stop`"),
        (format!("{tunnel} protective_stop: (peer: \"stop\", max_missed: 0),"), "above 0"),
        (format!("{tunnel} protective_stop: (peer: \"stop\", heartbeat_ms: 0),"), "1 ms at least"),
        ("relays: [(name: \"one\", region: 0)],".to_owned(), "region 0 stands for none"),
        ("relays: [(name: \"one\"), (name: \"other\")],".to_owned(), "this region already"),
        ("links: [(name: \"one\", peers: \"fleet\")],".to_owned(), "group of peers"),
        ("links: [(name: \"one\", reorder_percent: 5)],".to_owned(), "reorder_by_ms"),
        ("links: [(name: \"one\", from_ms: 5, until_ms: 5)],".to_owned(), "must be later"),
        ("links: [(name: \"one\", los_percent: 5)],".to_owned(), "loss_percent"),
    ] {
        let sentence = with(&fields);
        assert!(sentence.contains(part), "{fields}: {sentence}");
    }
}

#[test]
fn unknown_presets_metrics_clauses_and_words_are_answered_with_the_nearest() {
    let (line, column, sentence) = refused(&MINIMAL.replace("ARM-1", "ARM-9"));
    assert_eq!((line, column), (5, 13));
    assert_eq!(sentence, "there is no preset `ARM-9`; the nearest is `ARM-1`");
    let metric = refused(&FULL.replace("disco_opens_per_s", "disco_open_per_s"));
    assert_eq!((metric.0, metric.1), (31, 18));
    assert!(metric.2.ends_with("the nearest is `disco_opens_per_s`"), "{}", metric.2);
    let clause = refused(&FULL.replace("cites: \"WG-DISCO-1\"", "cites: \"WG-DISCO-11\""));
    assert_eq!(clause.2, "there is no clause `WG-DISCO-11`; the nearest is `WG-DISCO-1`");
    let word = refused(&FULL.replace("reach: derp", "reach: drep"));
    assert_eq!((word.0, word.2.as_str()), (21, "there is no word `drep`; the nearest is `derp`"));
}

#[test]
fn an_unknown_version_is_said_before_anything_else() {
    let text = MINIMAL.replace("version: 1", "version: 2, colour: \"red\"");
    let sentence = "format version 2 is unknown; this program reads version 1";
    assert_eq!(refused(&text), (2, 14, sentence.to_owned()));
}

#[test]
fn rules_across_fields_are_refused_where_they_are_broken() {
    let cases = [
        ("priority: 8", "priority: 0", "there is no priority 0: tasks have 1 to 24"),
        ("run_ms: 0.7", "run_ms: 100", "`run_ms` must be below `period_ms`"),
        ("name: \"fleet\"", "name: \"stop\"", "the name `stop` is taken already"),
        ("from_ms: 10,", "from_ms: 10, until_ms: 10,", "`until_ms` must be later than `from_ms`"),
        ("[0, 0, 1.5]", "[0, 1, 0.5]", "offsets must not descend"),
        ("[0, 0, 1.5]", "[]", "`offsets_ms` must hold at least one offset"),
        ("period_ms: 2", "period_ms: 1.5", "an offset must lie below `period_ms`"),
        ("count: 100", "count: 100, priority: true", "another group has the priority peer already"),
        (
            "count: 100",
            "rotates_key_at_ms: 9, rotation_patched_at_ms: 8",
            "the control plane cannot tell of a key before it is rotated",
        ),
        (
            "count: 100",
            "rotation_patched_at_ms: 8",
            "`rotation_patched_at_ms` stands here without `rotates_key_at_ms`",
        ),
        ("tick_ms: exact", "tick_ms: 0", "a tick lasts longer than 0 ms"),
        ("watchdog_ms: off", "watchdog_ms: 0", "a watchdog waits longer than 0 ms; `off` is none"),
        ("mailbox_depth: 4", "mailbox_depth: 0", "`mailbox_depth` must be above 0"),
        ("opens_per_pass: 0", "loop_delay_ms: 0", "`loop_delay_ms` must be longer than 0 ms"),
        ("at_most: 0", "value: 1, at_most: 0", "give a value or bounds, not both"),
    ];
    for (from, to, sentence) in cases {
        let text = FULL.replacen(from, to, 1);
        assert_ne!(text, FULL, "`{from}` stands in the text");
        let (line, _, found) = refused(&text);
        assert_eq!(found, sentence);
        let expected = 1 + FULL[..FULL.find(from).unwrap()].matches('\n').count();
        assert_eq!(line, expected, "the line of `{sentence}`");
    }
}
