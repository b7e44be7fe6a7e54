//! Tables: cut, ragged, from Windows, with times that jump, and played more than once.
use firmware_core::time::Duration;
use sim::trace::import::{
    Class, Counters, Format, GapReason, ImportError, Mapping, Name, Options, Packet, PeerRef,
    Pings, Place, ReadKind, ReadRow, Rounds, Seen, Summary,
};

use super::{Collected, LENIENT, STRICT, good, imported, refused};

const HEADER: &str = "t_us,kind,peer,len\n";

fn micros(sink: &Collected) -> Vec<u64> {
    let records = sink.events.iter().filter(|event| !matches!(event.what, Seen::Gap { .. }));
    records.map(|event| event.at.as_nanos() / 1_000).collect()
}

/// Cites case 21: the three records are kept, the cut number is none.
#[test]
fn case_21_a_table_cut_in_its_last_line_keeps_what_came_before() {
    let rows = "1000,hb,7,96\n101000,hb,7,96\n201000,disco,12,102\n";
    let (sink, summary) = good(Format::EventCsv, format!("{HEADER}{rows}3010"));
    assert_eq!(micros(&sink), [1_000, 101_000, 201_000]);
    assert!(summary.truncated.is_some());
    assert_eq!(sink.gaps(), [GapReason::Truncated]);
    assert_eq!(summary.rejected.first[0].0, Place::Line(5));
    assert!(summary.rejected.first[0].1.starts_with("Truncated: "));

    for (last, bytes) in [("301000,hb,7,9", 9), ("301000,hb,7,96", 96)] {
        let (sink, summary) = good(Format::EventCsv, format!("{HEADER}{rows}{last}"));
        assert_eq!(micros(&sink), [1_000, 101_000, 201_000, 301_000]);
        assert!(summary.truncated.is_none());
        assert_eq!(summary.warnings.len(), 1);
        assert!(summary.warnings[0].starts_with("NoFinalNewline at line 5"), "{summary}");
        let Seen::Packet(packet) = sink.events[3].what else { panic!("a packet") };
        assert_eq!(packet.bytes, bytes);
    }
}

const RAGGED: &str = "1000,hb,7,96\n2000,hb,7\n3000,hb,7,96,extra\n4000,hb,7,\n5000,hb,seven,96\n\
                      6000,hb,7,96\n";

/// Cites case 22.
#[test]
fn case_22_a_ragged_row_stops_a_strict_import_with_both_counts() {
    let (error, before) = refused(Format::EventCsv, format!("{HEADER}{RAGGED}"));
    assert_eq!(error, "Columns at line 3: 4 columns expected, 3 found");
    assert_eq!(before, 1);
}

/// Cites case 22: records and rejected rows make up the file.
#[test]
fn case_22_a_lenient_import_lists_every_row_that_it_rejects() {
    let file = format!("{HEADER}{RAGGED}");
    let (sink, summary) = imported(Format::EventCsv, file, &Mapping::standard(), LENIENT);
    let summary = summary.expect("lenient");
    assert_eq!(micros(&sink), [1_000, 6_000]);
    assert_eq!((summary.read, summary.records, summary.rejected.count), (6, 2, 4));
    let reasons: Vec<_> =
        summary.rejected.first.iter().map(|(at, why)| format!("{at}, {why}")).collect();
    assert_eq!(
        reasons,
        [
            "at line 3, Columns: 4 columns expected, 3 found",
            "at line 4, Columns: 4 columns expected, 5 found",
            "at line 5, Empty: column len is empty",
            "at line 6, NotANumber: column peer: \"seven\" is not a number",
        ]
    );
    assert_eq!(sink.gaps(), [GapReason::Rejected; 4]);
}

/// Cites case 23: the four files are one.
#[test]
fn case_23_marks_and_line_ends_make_no_difference() {
    let plain = good(Format::EventCsv, format!("{HEADER}1000,hb,7,96\n101000,hb,7,96\n"));
    assert_eq!(micros(&plain.0), [1_000, 101_000]);
    for mark in ["", "\u{feff}"] {
        for end in ["\n", "\r\n"] {
            let file = format!("{mark}t_us,kind,peer,len{end}1000,hb,7,96{end}101000,hb,7,96{end}");
            assert_eq!(good(Format::EventCsv, file), plain);
        }
    }
}

/// Cites case 23.
#[test]
fn case_23_a_file_with_nothing_in_it_is_no_success() {
    for format in [Format::EventCsv, Format::ReadCsv, Format::CounterCsv] {
        for file in ["", "\u{feff}", "\n\n"] {
            assert_eq!(refused(format, file).0, "Empty in the file: the file is empty");
        }
    }
    for format in [Format::EspLog, Format::Capture, Format::Chrome] {
        assert_eq!(refused(format, "").0, "Empty in the file: the file is empty");
    }
    assert_eq!(refused(Format::EspLog, "\u{feff}").0, "Empty in the file: the file is empty");
    let (sink, summary) = good(Format::EventCsv, HEADER);
    assert_eq!((sink.events.len(), summary.records), (0, 0));
    assert!(summary.warnings[0].starts_with("OnlyHeader"));
}

/// Cites case 23: two files were joined.
#[test]
fn case_23_a_mark_in_the_middle_is_an_error_at_its_line() {
    let file = format!("{HEADER}1000,hb,7,96\n\u{feff}t_us,kind,peer,len\n");
    let (error, before) = refused(Format::EventCsv, &file);
    assert!(error.starts_with("ByteOrderMark at line 3"), "{error}");
    assert_eq!(before, 1);
    let (_, lenient) = imported(Format::EventCsv, &file, &Mapping::standard(), LENIENT);
    assert!(lenient.is_err(), "two files in one are no bad row");
}

fn heartbeats(times: &[&str]) -> String {
    let rows: Vec<_> = times.iter().map(|time| format!("{time},hb\n")).collect();
    format!("t_us,kind\n{}", rows.concat())
}

/// Cites case 24.
#[test]
fn case_24_a_time_that_goes_back_is_an_error_at_its_line() {
    let file = heartbeats(&["0", "65536000028", "49", "92", "104"]);
    let (error, _) = refused(Format::EventCsv, file);
    assert_eq!(error, "BackwardsTime at line 4: time goes back from 65536000028 to 49 us");
}

/// Cites case 24.
#[test]
fn case_24_a_single_row_that_jumps_ahead_can_be_skipped() {
    let file = heartbeats(&["0", "65536000028", "49", "92", "104"]);
    let options = Options { skip_outliers: true, ..STRICT };
    let (sink, summary) = imported(Format::EventCsv, file, &Mapping::standard(), options);
    let summary = summary.expect("the outlier is skipped");
    assert_eq!(micros(&sink), [0, 49, 92, 104]);
    assert_eq!((summary.read, summary.records, summary.rejected.count), (5, 4, 1));
    assert_eq!(summary.rejected.first[0].0, Place::Line(3));
    assert_eq!(sink.gaps(), [GapReason::Rejected]);
}

/// Cites case 24: every number that is none has its own name; nothing wraps.
#[test]
fn case_24_numbers_that_are_none_are_named_each_in_its_way() {
    let error = |time: &str| refused(Format::EventCsv, heartbeats(&["0", time])).0;
    let limit = "18446744073709551615 lies more than 315360000 s after the beginning";
    assert_eq!(error("18446744073709551615"), format!("TooFar at line 3: {limit}"));
    let name = |time: &str| error(time).split(':').next().map(str::to_owned);
    assert_eq!(name("18446744073709551616").as_deref(), Some("NumberTooBig at line 3"));
    assert_eq!(name("-5").as_deref(), Some("Negative at line 3"));
    assert_eq!(name("1e6").as_deref(), Some("NotAnInteger at line 3"));
    assert_eq!(name("1.5").as_deref(), Some("NotAnInteger at line 3"));
    assert_eq!(name("-1.5").as_deref(), Some("NotAnInteger at line 3"));
    assert_eq!(name("0x10").as_deref(), Some("NotANumber at line 3"));
    assert_eq!(name("nan").as_deref(), Some("NotANumber at line 3"));
    assert_eq!(name("").as_deref(), Some("Empty at line 3"));
}

/// Cites case 24: 18 hours with nothing to do are legal and cost nothing.
#[test]
fn case_24_a_gap_of_eighteen_hours_is_two_records() {
    let (sink, summary) = good(Format::EventCsv, heartbeats(&["0", "65536000028"]));
    assert_eq!(micros(&sink), [0, 65_536_000_028]);
    let silence = summary.heartbeats.expect("two heartbeats");
    assert_eq!(silence.length(), Duration::from_micros(65_536_000_028));
    assert!(!silence.has_gap);
}

/// Cites case 25: one ping over two ways, one of them twice.
#[test]
fn case_25_a_ping_seen_twice_is_one_transaction_with_two_ways() {
    let file = "t_ms,ping_tx,from,via\n0,aa01,9,direct\n3,aa01,9,relay\n5,aa01,9,direct\n";
    let (sink, summary) = good(Format::EventCsv, file);
    assert_eq!(sink.records().count(), 3);
    assert_eq!(summary.pings, Pings { records: 3, transactions: 1, answers: 2 });
    assert!(sink.records().all(|(_, what)| matches!(
        what,
        Seen::Packet(Packet { class: Class::Ping, peer: Some(PeerRef::Listed(9)), .. })
    )));
}

const EQUAL: &str =
    "t_us,kind,id\n1000,unknown,1\n1000,hb,2\n1000,known,3\n1000,hb,4\n334333,hb,5\n";

fn ids(sink: &Collected) -> Vec<u64> {
    let id = |(_, what)| match what {
        Seen::Packet(packet) => packet.number,
        _ => None,
    };
    sink.records().filter_map(id).collect()
}

/// Cites case 33.
#[test]
fn case_33_equal_times_keep_the_order_of_the_file_on_any_number_of_threads() {
    let expected = good(Format::EventCsv, EQUAL);
    assert_eq!(ids(&expected.0), [1, 2, 3, 4, 5]);
    for threads in [1, 8] {
        std::thread::scope(|scope| {
            let all: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| good(Format::EventCsv, EQUAL))).collect();
            for one in all {
                assert_eq!(one.join().expect("no panic"), expected);
            }
        });
    }
}

fn rounds(file: &str, count: u64, period_us: u64) -> (Collected, Result<Summary, ImportError>) {
    let rounds = Rounds { count, period: Duration::from_micros(period_us) };
    let options = Options { rounds, ..STRICT };
    imported(Format::EventCsv, file, &Mapping::standard(), options)
}

/// Cites case 33: the second round is later, not "back in time".
#[test]
fn case_33_three_rounds_follow_each_other() {
    let (sink, summary) = rounds(EQUAL, 3, 1_000_000);
    assert_eq!(summary.expect("in order").records, 15);
    let fifth: Vec<_> = micros(&sink).into_iter().skip(4).step_by(5).collect();
    assert_eq!(fifth, [334_333, 1_334_333, 2_334_333]);
    assert_eq!(ids(&sink), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5]);
}

/// Cites case 33: 107 999 × 33 333 us, exactly.
#[test]
fn case_33_nothing_adds_up_over_an_hour_of_rounds() {
    let (sink, summary) = rounds("t_us,kind\n0,hb\n", 108_000, 33_333);
    assert_eq!(summary.expect("in order").records, 108_000);
    assert_eq!(micros(&sink).last(), Some(&3_599_930_667));
}

#[test]
fn rounds_that_overlap_are_refused() {
    let (_, summary) = rounds(EQUAL, 2, 1_000);
    assert_eq!(summary.expect_err("they overlap").problem.name(), "BackwardsTime");
}

/// Cites case 33: ids are ids, whatever the order of the list.
#[test]
fn case_33_the_order_of_the_peers_in_a_list_changes_nothing() {
    let results = ["(id: 7), (id: 9)", "(id: 9), (id: 7)"].map(|peers| {
        let mapping = Mapping::parse(&format!("(version: 1, peers: [{peers}])")).expect("valid");
        let (sink, summary) = imported(
            Format::EventCsv,
            format!("{HEADER}1000,hb,7,96\n1000,hb,9,96\n2000,hb,7,96\n"),
            &mapping,
            STRICT,
        );
        (sink, summary.expect("well-formed"))
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn columns_and_kinds_go_by_the_mappings_names() {
    let mapping = Mapping::parse(
        r#"(version: 1, columns: {"t_us": "when", "len": "size"}, kinds: {"beat": Heartbeat})"#,
    )
    .expect("valid");
    let file = "size,when,kind\n96,5,beat\n";
    let (sink, summary) = imported(Format::EventCsv, file, &mapping, STRICT);
    assert_eq!(summary.expect("well-formed").records, 1);
    assert_eq!(micros(&sink), [5]);
    let (_, summary) = imported(Format::EventCsv, "when,kind\n5,hb\n", &mapping, STRICT);
    let error = summary.expect_err("hb is no word of this mapping").to_string();
    assert_eq!(error, "UnknownWord at line 2: column kind: \"hb\" is none of beat");
    let (_, summary) = imported(Format::EventCsv, "t_us,kind\n", &mapping, STRICT);
    let error = summary.expect_err("its name is when").to_string();
    assert_eq!(error, "MissingColumn at line 1: the header has no column when");
}

/// The layout of facts m3 (h), with a status that holds a comma.
#[test]
fn a_table_of_reads_gives_one_record_each() {
    let file = "seq,t_push_us,req,kind,n,rtt_us,total_us,blocks,err_bit,status\n\
                1,1000,1472,data,960,5220,8320,2,0,\"00,OK\"\n\
                2,9320,1472,idle,0,27400,28400,1,0,\"02,NO DATA: 11\"\n";
    let (sink, summary) = good(Format::ReadCsv, file);
    assert_eq!(summary.records, 2);
    assert_eq!(sink.names, ["00,OK", "02,NO DATA: 11"]);
    let expected = ReadRow {
        number: 1,
        asked: 1_472,
        kind: ReadKind::Data,
        bytes: 960,
        round_trip: Duration::from_micros(5_220),
        total: Duration::from_micros(8_320),
        blocks: 2,
        error_bit: false,
        status: Name(0),
    };
    assert_eq!(sink.events[0].what, Seen::Read(expected));
    let row = |fields: &str| {
        let header = file.lines().next().expect("a header");
        refused(Format::ReadCsv, format!("{header}\n{fields}\n")).0
    };
    assert!(row("1,1000,1472,data,960,9000,8320,2,0,OK").starts_with("Contradiction at line 2"));
    assert!(row("1,1000,1472,dada,960,5220,8320,2,0,OK").starts_with("UnknownWord at line 2"));
    assert!(row("1,1000,1472,data,960,5220,8320,2,2,OK").starts_with("NumberTooBig at line 2"));
}

/// Rows of the recorded network-impairment run that case 28 cites.
#[test]
fn telemetry_gives_its_samples_and_refuses_a_counter_that_falls() {
    let header = "t_s,uptime_s,sent,replies,rebonds\n";
    let (sink, summary) =
        good(Format::CounterCsv, format!("{header}106,718,6730,6725,0\n111,723,6741,6725,1\n"));
    assert_eq!(summary.records, 2);
    let counters = Counters { uptime_s: 723, sent: 6_741, replies: 6_725, rebonds: 1 };
    assert_eq!(sink.records().nth(1), Some((111_000, Seen::Counters(counters))));
    let (error, before) =
        refused(Format::CounterCsv, format!("{header}106,718,6730,6725,0\n111,3,6741,6725,1\n"));
    assert!(error.starts_with("Contradiction at line 3: uptime_s fell from 718 to 3"), "{error}");
    assert_eq!(before, 1);
}
