//! `trace import` and `trace export`: each malformed file ends with code 2, its error's name and its
//! place, in less than a second; each good one is a trace that can be exported.
use std::time::{Duration, Instant};

use crate::{Desk, Ended};

/// No malformed file takes longer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Imports `file` with these flags and checks that it took no longer than anybody waits.
#[expect(clippy::disallowed_methods, reason = "how long it takes is what is tested")]
fn import(file: &[u8], format: &str, flags: &[&str]) -> (Desk, Ended) {
    let desk = Desk::with("");
    desk.write("file", file);
    let args = [&["trace", "import", "file", "--format", format, "-o", "out.pft"], flags].concat();
    let begun = Instant::now();
    let ended = desk.run(&args);
    assert!(begun.elapsed() < PATIENCE, "{:?}", begun.elapsed());
    (desk, ended)
}

fn has_trace(desk: &Desk) -> bool {
    desk.folder.path().join("out.pft").exists()
}

/// A file that is refused as a whole: nothing that looks like a trace is left.
#[track_caller]
fn refuses(file: impl AsRef<[u8]>, format: &str, flags: &[&str], parts: &[&str]) {
    let (desk, ended) = import(file.as_ref(), format, flags);
    ended.refuses(parts);
    assert!(!has_trace(&desk), "no partial trace is left");
    let left = std::fs::read_dir(desk.folder.path()).expect("the folder is ours").count();
    assert_eq!(left, 2, "the scenario and the file, no part");
}

const HEADER: &str = "t_us,kind,peer,len\n";

/// Cites case 21: the error is named at its line, and what came before is kept and says that it is
/// not all.
#[test]
fn case_21_a_cut_table() {
    let rows = "1000,hb,7,96\n101000,hb,7,96\n201000,disco,12,102\n";
    let (desk, ended) = import(format!("{HEADER}{rows}3010").as_bytes(), "csv", &[]);
    let ended = ended.ends_with(2);
    assert!(ended.stdout.contains("records     3\n"), "{}", ended.stdout);
    assert!(ended.stderr.contains("Truncated at line 5"), "{}", ended.stderr);
    let flags = ["trace", "export", "out.pft", "--format", "csv", "-o", "again.csv"];
    let again = desk.run(&flags).ends_with(0);
    assert!(again.stdout.contains("written     3\n") && again.stdout.contains("gaps        1\n"));

    let (_, ended) = import(format!("{HEADER}{rows}301000,hb,7,96").as_bytes(), "csv", &[]);
    let ended = ended.ends_with(0);
    assert!(ended.stdout.contains("records     4\n"), "{}", ended.stdout);
    assert!(ended.stdout.contains("NoFinalNewline at line 5"), "{}", ended.stdout);
}

/// Cites case 22.
#[test]
fn case_22_ragged_rows() {
    let rows = "1000,hb,7,96\n2000,hb,7\n3000,hb,7,96,extra\n4000,hb,7,\n5000,hb,seven,96\n\
                6000,hb,7,96\n";
    let file = format!("{HEADER}{rows}");
    refuses(
        &file,
        "csv",
        &[],
        &["file: Columns at line 3: 4 columns expected, 3 found", "--lenient"],
    );
    let (desk, ended) = import(file.as_bytes(), "csv", &["--lenient"]);
    let ended = ended.ends_with(0);
    for part in ["read        6\n", "records     2\n", "rejected    4\n", "at line 6: NotANumber"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    assert!(has_trace(&desk));
}

/// Cites case 23.
#[test]
fn case_23_empty_files_and_a_mark_in_the_middle() {
    for file in ["", "\u{feff}"] {
        refuses(file, "csv", &[], &["Empty in the file: the file is empty"]);
    }
    let joined = format!("{HEADER}1000,hb,7,96\n\u{feff}{HEADER}");
    refuses(joined, "csv", &[], &["ByteOrderMark at line 3"]);
    let (_, ended) = import(HEADER.as_bytes(), "csv", &[]);
    assert!(ended.ends_with(0).stdout.contains("OnlyHeader"));
}

/// Cites case 24.
#[test]
fn case_24_times_that_cannot_be() {
    let file = |times: &[&str]| {
        let rows: Vec<_> = times.iter().map(|time| format!("{time},hb\n")).collect();
        format!("t_us,kind\n{}", rows.concat())
    };
    let jump = file(&["0", "65536000028", "49", "92", "104"]);
    let parts =
        ["BackwardsTime at line 4: time goes back from 65536000028 to 49 us", "--skip-outliers"];
    refuses(&jump, "csv", &[], &parts);
    let (_, ended) = import(jump.as_bytes(), "csv", &["--skip-outliers"]);
    let ended = ended.ends_with(0);
    for part in ["records     4\n", "span        0.000 ms to 0.104 ms\n", "rejected    1\n"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    for (time, name) in [
        ("18446744073709551615", "TooFar at line 3"),
        ("18446744073709551616", "NumberTooBig at line 3"),
        ("-5", "Negative at line 3"),
        ("1e6", "NotAnInteger at line 3"),
    ] {
        refuses(file(&["0", time]), "csv", &[], &[name]);
    }
    let (_, ended) = import(file(&["0", "65536000028"]).as_bytes(), "csv", &[]);
    assert!(ended.ends_with(0).stdout.contains("records     2\n"), "18 hours are legal");
}

/// Cites case 25: both doubles in one run, and nothing is imported.
#[test]
fn case_25_a_list_with_a_peer_twice() {
    let desk = Desk::with("");
    desk.write(
        "file",
        b"t_ms,ping_tx,from,via\n0,aa01,9,direct\n3,aa01,9,relay\n5,aa01,9,direct\n",
    );
    desk.write(
        "peers.ron",
        br#"(version: 1, peers: [
            (id: 7, key: "k7", priority: true), (id: 9, key: "k9"),
            (id: 7, key: "k7b"), (id: 11, key: "k9"),
        ])"#,
    );
    let args = ["trace", "import", "file", "--format", "csv", "-o", "out.pft"];
    desk.run(&[&args[..], &["--mapping", "peers.ron"]].concat()).refuses(&[
        "DuplicatePeerId in the file: peer 3 has the id 7 of peer 1",
        "DuplicateKey in the file: peer 4 has the key of peer 2, \"k9\"",
    ]);
    assert!(!has_trace(&desk));
    let ended = desk.run(&args).ends_with(0);
    assert!(ended.stdout.contains("3 of 1 transactions, 2 answers due"), "{}", ended.stdout);
}

/// Cites case 26.
#[test]
fn case_26_two_cores_in_one_line() {
    let log = "I (1000) wg: rx 96 peer 7\nI (1100) wg: rx 9I (1101) disco: open unk 28 ms\n6 peer 7\n\
               I (1200) wg: rx 96 peer 7\nI (12\n90) wg: rx 96 peer 7\n\
               \u{1b}[0;33mW (1300) disco: shed 1\u{1b}[0m\n";
    let (_, ended) = import(log.as_bytes(), "esp-log", &[]);
    let ended = ended.ends_with(0);
    for part in ["records     4\n", "torn        4\n", "no proof of a lost heartbeat", "200.000 ms"]
    {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
}

/// A capture's header: magic, version 2.4, snap length, link type.
fn capture(link: u8) -> Vec<u8> {
    let mut file = vec![0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend_from_slice(&[0xFF, 0xFF, 0, 0, link, 0, 0, 0]);
    file
}

/// Cites case 27.
#[test]
fn case_27_an_unknown_link_type() {
    let parts = ["UnsupportedLinkType in the file: packets with link type 147 cannot be read"];
    refuses(capture(147), "pcap", &[], &parts);
    refuses("no capture at all, but long enough for one", "pcap", &[], &["NotACapture at byte 0"]);
}

/// Cites case 33.
#[test]
fn case_33_three_rounds() {
    let file = "t_us,kind,id\n1000,unknown,1\n1000,hb,2\n1000,known,3\n1000,hb,4\n334333,hb,5\n";
    let flags = ["--rounds", "3", "--period-us", "1000000"];
    let (desk, ended) = import(file.as_bytes(), "csv", &flags);
    let ended = ended.ends_with(0);
    for part in ["records     15\n", "span        1.000 ms to 2334.333 ms\n"] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let read = |desk: &Desk| std::fs::read(desk.folder.path().join("out.pft")).expect("a trace");
    let (again, _) = import(file.as_bytes(), "csv", &flags);
    assert_eq!(read(&desk), read(&again), "two runs give the same bytes");
    refuses(file, "csv", &["--rounds", "2", "--period-us", "10"], &["BackwardsTime at line 2"]);
}

#[test]
fn other_malformed_files_are_named_too() {
    refuses("[{\"ph\":\"X\",\n\"ts\":}]", "chrome-json", &[], &["Json at line 2"]);
    refuses(
        "t_s,uptime_s,sent\n1,2,3\n",
        "pstop-csv",
        &[],
        &["MissingColumn at line 1", "replies"],
    );
    refuses("I (9000) wg: rx 96 peer 7\nI (300) wg: rx 96 peer 7\n", "esp-log", &[], &["line 2"]);
    let (desk, ended) = import(b"", "csv", &["--mapping", "missing.ron"]);
    ended.refuses(&["missing.ron: Unreadable"]);
    assert!(!has_trace(&desk));
}

#[test]
fn the_mapping_that_is_shown_can_be_given_back() {
    let desk = Desk::with("");
    let shown = desk.run(&["trace", "import", "--show-mapping"]).ends_with(0).stdout;
    desk.write("shown.ron", shown.as_bytes());
    desk.write("device.log", b"I (1000) wg: rx 96 peer 7\n");
    let args = ["trace", "import", "device.log", "--format", "esp-log", "--mapping", "shown.ron"];
    let ended = desk.run(&[&args[..], &["-o", "out.pft"]].concat()).ends_with(0);
    assert!(ended.stdout.contains("records     1\n"), "{}", ended.stdout);
}

#[test]
fn an_export_that_would_be_empty_is_refused_and_leaves_no_file() {
    let (desk, ended) = import(b"I (1000) wg: rx 96 peer 7\n", "esp-log", &[]);
    ended.ends_with(0);
    let args = ["trace", "export", "out.pft", "--format", "vcd", "-o", "out.vcd"];
    desk.run(&args).refuses(&["out.pft: Nothing: the trace holds no register accesses"]);
    assert!(!desk.folder.path().join("out.vcd").exists());
    desk.write("no.pft", b"not a trace, whatever it says");
    let args = ["trace", "export", "no.pft", "--format", "csv", "-o", "out.csv"];
    desk.run(&args).refuses(&["no.pft"]);
}

/// An imported log has no step of a core in it: a replay cannot tell, and says what to log.
#[test]
fn a_replay_of_an_import_cannot_tell() {
    let (desk, ended) = import(b"I (1000) wg: rx 96 peer 7\n", "esp-log", &[]);
    ended.ends_with(0);
    let ended = desk.run(&["replay", "out.pft"]).ends_with(7);
    let said = format!("{}{}", ended.stdout, ended.stderr);
    for part in ["cannot tell", "log next  input of every step: record on the device"] {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}
