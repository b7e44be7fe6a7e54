//! ESP-IDF logs: two cores in a line, colours, hosts' stamps, restarts and lines that nobody knows.
use firmware_core::time::Duration;
use sim::trace::import::{
    Class, Direction, Format, GapReason, Mapping, Packet, PeerRef, Route, Seen, Sender,
};

use super::{STRICT, good, imported, refused};

/// Cites case 26, its lines as they stand there.
const TORN: &str = "I (1000) wg: rx 96 peer 7\n\
                    I (1100) wg: rx 9I (1101) disco: open unk 28 ms\n\
                    6 peer 7\n\
                    I (1200) wg: rx 96 peer 7\n\
                    I (12\n\
                    90) wg: rx 96 peer 7\n\
                    \u{1b}[0;33mW (1300) disco: shed 1\u{1b}[0m\n";

const HEARTBEAT: Seen = Seen::Packet(Packet {
    direction: Direction::In,
    class: Class::Heartbeat,
    peer: Some(PeerRef::Listed(7)),
    bytes: 96,
    number: None,
    via: Route::Unsaid,
});

/// Cites case 26.
#[test]
fn case_26_two_lines_written_into_each_other_are_torn_and_not_guessed() {
    let (sink, summary) = good(Format::EspLog, TORN);
    let opened = Seen::Opened { sender: Sender::Unknown, took: Some(Duration::from_millis(28)) };
    let shed = Seen::Shed { queue: firmware_core::wg_mgr::output::Queue::Disco, count: 1 };
    let expected = [(1_000, HEARTBEAT), (1_101, opened), (1_200, HEARTBEAT), (1_300, shed)];
    assert!(sink.records().eq(expected), "{:?}", sink.events);
    assert_eq!((summary.torn.count, summary.unknown.count), (4, 0));
    let torn: Vec<_> =
        summary.torn.first.iter().map(|(at, text)| format!("{at}: {text}")).collect();
    assert_eq!(
        torn,
        [
            "at line 2: I (1100) wg: rx 9",
            "at line 3: 6 peer 7",
            "at line 5: I (12",
            "at line 6: 90) wg: rx 96 peer 7",
        ]
    );
    assert_eq!(sink.gaps(), [GapReason::Torn; 4]);
}

/// Cites case 26: 1000 to 1200 is no lost heartbeat.
#[test]
fn case_26_a_silence_across_torn_lines_is_flagged() {
    let (_, summary) = good(Format::EspLog, TORN);
    let silence = summary.heartbeats.expect("two heartbeats");
    assert_eq!((silence.from.as_millis(), silence.to.as_millis()), (1_000, 1_200));
    assert!(silence.has_gap);
    let whole: String = TORN
        .lines()
        .filter(|line| line.contains("peer 7") && line.len() == 25)
        .fold(String::new(), |text, line| text + line + "\n");
    let (_, summary) = good(Format::EspLog, whole);
    assert!(summary.heartbeats.is_some_and(|silence| !silence.has_gap));
}

/// Cites cases 21 and 23.
#[test]
fn colours_and_line_ends_make_no_difference_to_a_log() {
    let plain = good(Format::EspLog, "I (1000) wg: rx 96 peer 7\nW (1300) disco: shed 1\n");
    for file in [
        "\u{1b}[0;32mI (1000) wg: rx 96 peer 7\u{1b}[0m\r\n\u{1b}[0;33mW (1300) disco: shed 1\u{1b}[0m\r\n",
        "\u{feff}I (1000) wg: rx 96 peer 7\r\nW (1300) disco: shed 1\r\n",
        "\u{1b}[0;32mI (1000) wg: rx \u{1b}[1m96\u{1b}[22m peer 7\u{1b}[0m\nW (1300) disco: shed 1\n",
    ] {
        assert_eq!(good(Format::EspLog, file), plain);
    }
}

/// Cites case 21: a number that was cut is a number all the same.
#[test]
fn a_log_cut_in_its_last_line_keeps_what_came_before() {
    let (sink, summary) = good(Format::EspLog, "I (1000) wg: rx 96 peer 7\nI (1100) wg: rx 9");
    assert_eq!(sink.records().count(), 1);
    assert!(summary.truncated.is_some());
    assert_eq!(sink.gaps(), [GapReason::Truncated]);
    let (sink, summary) =
        good(Format::EspLog, "I (1000) wg: rx 96 peer 7\nI (1100) wg: rx 96 peer 7");
    assert_eq!(sink.records().count(), 2);
    assert!(
        summary.truncated.is_none() && summary.warnings[0].starts_with("NoFinalNewline at line 2")
    );
}

#[test]
fn lines_that_nobody_knows_are_counted_and_the_first_are_shown_covered() {
    let file = "ESP-ROM:esp32s3-20210327\n\
                I (500) wifi: got ip 192.168.4.7\n\
                I (1000) wg: rx 96 peer 7\n";
    let (sink, summary) = good(Format::EspLog, file);
    assert_eq!((summary.read, summary.records, summary.unknown.count), (3, 1, 2));
    assert_eq!(summary.unknown.first[1].1, "I (500) wifi: got ip [address]");
    assert_eq!(sink.events.len(), 1);
}

#[test]
fn a_key_that_is_longer_than_what_is_shown_is_covered_as_a_whole() {
    let file = format!("I (500) wifi: joined, the key of this long line is {}\n", "ab".repeat(500));
    let (_, summary) = good(Format::EspLog, file);
    assert!(summary.unknown.first[0].1.ends_with("is [key]"), "{summary}");
}

#[test]
fn a_restart_goes_on_from_the_last_stamp_and_leaves_a_gap() {
    let file = "I (9000) wg: rx 96 peer 7\nrst:0x1 (POWERON)\nI (300) wg: rx 96 peer 7\n";
    let (sink, _) = good(Format::EspLog, file);
    assert!(sink.records().map(|(at, _)| at).eq([9_000, 9_300]));
    assert_eq!(sink.gaps(), [GapReason::Restarted]);
    let (error, _) =
        refused(Format::EspLog, "I (9000) wg: rx 96 peer 7\nI (300) wg: rx 96 peer 7\n");
    assert_eq!(error, "BackwardsTime at line 2: time goes back from 9000 to 300 ms");
}

/// The host saw 7 s between the last line of one life and the first of the next, 300 ms after its
/// start; the fit of the clocks is that of the last life.
#[test]
fn a_restart_goes_on_by_the_hosts_clock_where_there_is_one() {
    let file = "10:00:09.000 -> I (9000) wg: rx 96 peer 7\n\
                10:00:12.000 -> rst:0x1 (POWERON)\n\
                10:00:16.000 -> I (300) wg: rx 96 peer 7\n\
                10:00:17.000 -> I (1300) wg: rx 96 peer 7\n\
                10:00:18.000 -> I (2300) wg: rx 96 peer 7\n";
    let (sink, summary) = good(Format::EspLog, file);
    assert!(sink.records().map(|(at, _)| at).eq([9_000, 16_000, 17_000, 18_000]));
    assert_eq!(sink.gaps(), [GapReason::Restarted]);
    let fit = summary.clock.expect("three lines of the last life");
    assert!((fit.offset_s - 36_000.0).abs() < 1e-6 && fit.pairs == 3, "{fit}");
}

#[test]
fn a_hosts_stamps_without_a_date_go_on_over_midnight() {
    let file = "23:59:58.000 > I (1000) wg: rx 96 peer 7\n\
                23:59:59.000 > I (2000) wg: rx 96 peer 7\n\
                00:00:00.000 > I (3000) wg: rx 96 peer 7\n";
    let (_, summary) = good(Format::EspLog, file);
    let fit = summary.clock.expect("three lines");
    assert!(fit.drift_ppm.abs() < 1e-3, "{fit}");
    assert!((fit.offset_s - 86_397.0).abs() < 1e-6, "{fit}");
}

/// Cites case 26: the rest of a line comes soon or not at all.
#[test]
fn a_headless_line_long_after_a_tear_is_no_rest_of_it() {
    let heartbeat = "I (1200) wg: rx 96 peer 7\n";
    let tear = "I (1100) wg: rx 9I (1101) disco: shed 1\n";
    let (_, summary) = good(Format::EspLog, format!("{tear}{}hello\n", heartbeat.repeat(2)));
    assert_eq!((summary.torn.count, summary.unknown.count), (2, 0));
    let (_, summary) = good(Format::EspLog, format!("{tear}{}hello\n", heartbeat.repeat(3)));
    assert_eq!((summary.torn.count, summary.unknown.count), (1, 1));
}

#[test]
fn lines_of_two_cores_that_lie_a_little_out_of_order_are_sorted() {
    let file = "I (1010) wg: rx 96 peer 7\nI (1004) disco: shed 1\nI (1020) wg: rx 96 peer 7\n";
    let (sink, summary) = good(Format::EspLog, file);
    assert!(sink.records().map(|(at, _)| at).eq([1_004, 1_010, 1_020]));
    assert_eq!(summary.records, 3);
}

/// A host whose clock runs 100 ppm fast and that began 5 s after the device.
#[test]
fn a_hosts_stamps_give_the_fit_of_the_clocks() {
    let line = |second: u64| {
        let host_us = 5_000_000 + second * 1_000_000 + second * 100;
        let (minutes, micros) = (host_us / 60_000_000, host_us % 60_000_000);
        let (seconds, micros) = (micros / 1_000_000, micros % 1_000_000);
        let host = format!("10:{minutes:02}:{seconds:02}.{micros:06}");
        format!("{host} -> I ({}) wg: rx 96 peer 7\n", second * 1_000)
    };
    let file: String = (0..600).map(line).collect();
    let (sink, summary) = good(Format::EspLog, file);
    assert_eq!(sink.records().count(), 600);
    let fit = summary.clock.expect("600 pairs");
    assert!((fit.drift_ppm - 100.0).abs() < 0.01, "{fit}");
    assert!((fit.offset_s - (36_000.0 + 5.0)).abs() < 1e-5, "{fit}");
}

#[test]
fn the_devices_own_time_of_day_is_read() {
    let (sink, _) = good(Format::EspLog, "I (00:00:01.500) wg: rx 96 peer 7\n");
    assert!(sink.records().map(|(at, _)| at).eq([1_500]));
}

#[test]
fn addresses_and_keys_become_numbers_that_stay_the_same() {
    let mapping = Mapping::parse(
        r#"(version: 1,
            peers: [(id: 40, address: "192.0.2.9")],
            log: [(tag: "wg", text: "rx {bytes} from {address}", says: Packet(class: Data))])"#,
    )
    .expect("valid");
    let file = "I (1) wg: rx 96 from 192.0.2.7\nI (2) wg: rx 96 from 192.0.2.9\n\
                I (3) wg: rx 96 from 192.0.2.7\n";
    let (sink, _) = imported(Format::EspLog, file, &mapping, STRICT);
    let peer = |(_, what)| match what {
        Seen::Packet(packet) => packet.peer,
        _ => None,
    };
    let peers: Vec<_> = sink.records().filter_map(peer).collect();
    assert_eq!(peers, [PeerRef::Unlisted(0), PeerRef::Listed(40), PeerRef::Unlisted(0)]);
}
