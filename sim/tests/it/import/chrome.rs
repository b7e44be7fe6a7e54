//! Chrome's trace JSON: MabuTrace's file as it stands, cut, and malformed.
use firmware_core::time::{Duration, Instant};
use sim::trace::import::{FlowEnd, Format, GapReason, Mapping, Name, Seen, Sender};

use super::{LENIENT, STRICT, good, imported, refused};

/// The shape that MabuTrace writes, its last empty event included.
const MABUTRACE: &str = r#"{
  "traceEvents": [
    {"name":"queue","ph":"C","pid":1,"tid":"wg_mgr","ts":5,"args":{"value":3}},
    {"name":"flow","cat":"flow","id":7,"ph":"s","pid":1,"tid":"net_io","ts":6},
    {"name":"box_open","ph":"X","pid":1,"tid":"wg_mgr","ts":10,"dur":28305,"args":{"cpu":1},"cname":"bad"},
    {"name":"flow","cat":"flow","id":7,"ph":"f","pid":1,"tid":"wg_mgr","ts":12},
    {"name":"shed","ph":"i","pid":1,"tid":"INTERRUPT","ts":20,"s":"p","args":{"cpu":0}},
    {}
  ],
  "displayTimeUnit": "ms",
  "otherData": {
    "version": "MabuTrace Profiler v1.0"
  }
}"#;

#[test]
fn a_file_of_mabutrace_gives_spans_counters_moments_and_flows() {
    let (sink, summary) = good(Format::Chrome, MABUTRACE);
    assert_eq!((summary.read, summary.records, summary.unknown.count), (5, 5, 0));
    let name = |text: &str| {
        let at = sink.names.iter().position(|name| name == text).expect("a name of the file");
        Name(u32::try_from(at).expect("a few names"))
    };
    let at = |micros: u64| Instant::from_nanos(micros * 1_000);
    let expected = [
        (at(5), Seen::Level { name: name("queue"), value: 3 }),
        (at(6), Seen::Flow { id: 7, end: FlowEnd::Start, task: name("net_io") }),
        (
            at(10),
            Seen::Span {
                name: name("box_open"),
                task: name("wg_mgr"),
                core: Some(1),
                took: Duration::from_micros(28_305),
            },
        ),
        (at(12), Seen::Flow { id: 7, end: FlowEnd::Finish, task: name("wg_mgr") }),
        (at(20), Seen::Moment { name: name("shed"), task: name("INTERRUPT"), core: Some(0) }),
    ];
    assert!(sink.events.iter().map(|event| (event.at, event.what)).eq(expected), "{sink:?}");
}

#[test]
fn a_span_that_the_mapping_names_says_more_than_its_name() {
    let mapping = Mapping::parse(r#"(version: 1, spans: {"box_open": Opened(Unknown)})"#);
    let (sink, _) = imported(Format::Chrome, MABUTRACE, &mapping.expect("valid"), STRICT);
    let took = Some(Duration::from_micros(28_305));
    assert_eq!(sink.events[2].what, Seen::Opened { sender: Sender::Unknown, took });
}

#[test]
fn a_bare_array_with_fractions_and_other_phases_is_read() {
    let file = r#"[{"ph":"M","name":"thread_name","pid":1,"tid":4,"ts":0},
                   {"ph":"X","name":"a","tid":4,"ts":1.5,"dur":0.25}]"#;
    let (sink, summary) = good(Format::Chrome, file);
    assert_eq!(summary.unknown.count, 1);
    assert!(summary.unknown.first[0].1.contains("thread_name"));
    assert_eq!(sink.events[0].at.as_nanos(), 1_500);
    assert_eq!(sink.names, ["4", "a"]);
}

#[test]
fn a_file_that_was_cut_keeps_the_events_before_the_cut() {
    for cut in 0..MABUTRACE.len() {
        let (sink, summary) =
            imported(Format::Chrome, &MABUTRACE[..cut], &Mapping::standard(), STRICT);
        match summary {
            Ok(summary) => {
                assert!(summary.truncated.is_some(), "{cut}");
                assert_eq!(sink.gaps(), [GapReason::Truncated], "{cut}");
            }
            Err(error) => assert!(cut == 0, "{cut}: {error}"),
        }
    }
}

#[test]
fn what_is_malformed_is_named_with_its_place() {
    let event = |event: &str| refused(Format::Chrome, format!("[{event}]")).0;
    assert!(event(r#"{"ph":"X","ts":1}"#).starts_with("Empty at event 1: column dur"));
    assert!(event(r#"{"ph":"i","ts":-1}"#).starts_with("Negative at event 1"));
    assert!(event(r#"{"ph":"i","ts":1e300}"#).starts_with("TooFar at event 1"));
    assert!(event(r#"{"ph":"s","ts":1,"id":"x"}"#).starts_with("NotANumber at event 1"));
    assert!(refused(Format::Chrome, "[{\"ph\":\"i\",\n\"ts\":}]").0.starts_with("Json at line 2"));
    assert!(refused(Format::Chrome, "{\"a\":1}").0.contains("no traceEvents"));
    let file = r#"[{"ph":"X","ts":1},{"ph":"i","ts":2}]"#;
    let (sink, summary) = imported(Format::Chrome, file, &Mapping::standard(), LENIENT);
    assert_eq!(summary.expect("lenient").rejected.count, 1);
    assert_eq!(sink.records().count(), 1);
}
