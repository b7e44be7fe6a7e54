//! The Perfetto trace, read by another implementation of protobuf and by Perfetto's own bindings.
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use quick_protobuf::BytesReader;
use sim::trace::export::Format;

use super::{good, manager};

/// A field of a message: its number, and its value as a number or as bytes.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(u64),
    Bytes(Vec<u8>),
}

/// The fields of a message in their order, by number.
fn fields(message: &[u8]) -> Vec<(u32, Value)> {
    let mut reader = BytesReader::from_bytes(message);
    let mut fields = Vec::new();
    while !reader.is_eof() {
        let tag = reader.next_tag(message).expect("a tag");
        let value = match tag & 7 {
            0 => Value::Number(reader.read_varint64(message).expect("a number")),
            1 => Value::Number(reader.read_fixed64(message).expect("eight bytes")),
            2 => Value::Bytes(reader.read_bytes(message).expect("bytes").to_vec()),
            other => panic!("wire type {other} is not used"),
        };
        fields.push((tag >> 3, value));
    }
    fields
}

fn number(fields: &[(u32, Value)], field: u32) -> Option<u64> {
    fields.iter().find_map(|(found, value)| match value {
        Value::Number(number) if *found == field => Some(*number),
        _ => None,
    })
}

fn bytes(fields: &[(u32, Value)], field: u32) -> Option<&[u8]> {
    fields.iter().find_map(|(found, value)| match value {
        Value::Bytes(bytes) if *found == field => Some(&bytes[..]),
        _ => None,
    })
}

fn text(fields: &[(u32, Value)], field: u32) -> Option<String> {
    bytes(fields, field).map(|bytes| String::from_utf8(bytes.to_vec()).expect("text"))
}

/// An event: time in microseconds, track, type, name or counter, flows through it and ending in it.
#[derive(Debug, PartialEq)]
struct Seen {
    micros: u64,
    track: String,
    kind: u64,
    name: String,
    flow: Option<u64>,
    ends: Option<u64>,
}

/// Field numbers of Perfetto's public schema, written down here once more and independently.
fn events(file: &[u8]) -> Vec<Seen> {
    let mut tracks = BTreeMap::new();
    let mut events = Vec::new();
    for (field, packet) in fields(file) {
        let Value::Bytes(packet) = packet else { panic!("a packet is a message") };
        assert_eq!(field, 1, "a trace holds packets");
        let packet = fields(&packet);
        assert_eq!(number(&packet, 10), Some(1), "one sequence");
        if let Some(descriptor) = bytes(&packet, 60) {
            let descriptor = fields(descriptor);
            let thread = bytes(&descriptor, 4).map(fields).and_then(|it| text(&it, 5));
            let process = bytes(&descriptor, 3).map(fields).and_then(|it| text(&it, 6));
            let name = thread.or(process).or_else(|| text(&descriptor, 2)).expect("a name");
            let parent = number(&descriptor, 5).and_then(|parent| tracks.get(&parent).cloned());
            let name = parent.map_or(name.clone(), |parent: String| format!("{parent}/{name}"));
            let uuid = number(&descriptor, 1).expect("a number");
            assert_eq!(tracks.insert(uuid, name), None, "a track is described once");
        }
        let Some(event) = bytes(&packet, 11) else { continue };
        let event = fields(event);
        let track = number(&event, 11).expect("a track");
        events.push(Seen {
            micros: number(&packet, 8).expect("a time") / 1_000,
            track: tracks.get(&track).expect("it was described before").clone(),
            kind: number(&event, 9).expect("a type"),
            name: text(&event, 23)
                .or_else(|| number(&event, 30).map(|value| value.to_string()))
                .unwrap_or_default(),
            flow: number(&event, 47),
            ends: number(&event, 48),
        });
    }
    events
}

const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// The ping arrives, waits, is opened for 28.305 ms and answered: one flow through all of it.
#[test]
fn a_flow_leads_from_packet_to_open_to_reply() {
    let (file, _) = good(Format::Perfetto, &manager());
    let events = events(&file);
    let of_the_ping: Vec<_> =
        events.iter().filter(|event| event.flow.or(event.ends) == Some(1)).collect();
    let seen = |event: &Seen| (event.micros, event.track.clone(), event.kind, event.name.clone());
    let expected = [
        (1_000, "core 0/net_io", INSTANT, "ping #0"),
        (3_300, "core 1/wg_mgr", BEGIN, "box_open_computed"),
        (31_605, "core 1/wg_mgr", INSTANT, "pong to slot 3"),
    ];
    let expected = expected.map(|(at, track, kind, name)| (at, track.into(), kind, name.into()));
    assert!(of_the_ping.iter().map(|event| seen(event)).eq(expected), "{of_the_ping:#?}");
    assert_eq!(of_the_ping[2].ends, Some(1), "the reply ends it");
}

/// The spans of a track: name and microseconds. None is begun before the last one has ended.
pub(super) fn spans(file: &[u8], track: &str) -> Vec<(String, u64)> {
    let mut begun = None;
    let mut spans = Vec::new();
    for event in events(file).into_iter().filter(|event| event.track == track) {
        match event.kind {
            BEGIN => assert!(begun.replace(event).is_none(), "spans of one task do not overlap"),
            END => {
                let begin: Seen = begun.take().expect("a span that ends has begun");
                spans.push((begin.name, event.micros - begin.micros));
            }
            _ => {}
        }
    }
    assert!(begun.is_none(), "every span ends");
    spans
}

#[test]
fn a_span_lasts_as_long_as_its_charge() {
    let (file, _) = good(Format::Perfetto, &manager());
    let spans = spans(&file, "core 1/wg_mgr");
    let expected = [("tunnel_data", 300), ("box_open_computed", 28_305), ("tunnel_data", 300)];
    assert!(spans.iter().map(|(name, length)| (name.as_str(), *length)).eq(expected), "{spans:?}");
}

#[test]
fn queues_are_counters_that_rise_and_fall_with_their_packets() {
    let (file, _) = good(Format::Perfetto, &manager());
    let events = events(&file);
    let level = |queue: &str| {
        let track = format!("waiting: {queue}");
        let of_queue = events.iter().filter(|event| event.kind == COUNTER && event.track == track);
        of_queue.map(|event| event.name.parse().expect("a number")).collect::<Vec<u64>>()
    };
    assert_eq!(level("disco"), [1, 2, 1, 0]);
    assert_eq!(level("tunnel"), [1, 0, 1, 2, 3, 4, 3]);
}

/// What Perfetto's own generated bindings say of the file.
const SCRIPT: &str = "
import sys
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
trace = schema.Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
events = [packet.track_event for packet in trace.packet if packet.HasField('track_event')]
name = lambda event: schema.TrackEvent.Type.Name(event.type)
for kind in sorted({name(event) for event in events}):
    print(kind, sum(name(event) == kind for event in events))
print('flows', sum(len(event.flow_ids) for event in events))
print('ended', sum(len(event.terminating_flow_ids) for event in events))
";

/// Runs where the bindings are: `.ci/run` puts them into the target folder.
#[test]
fn perfettos_own_bindings_read_the_trace() {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/perfetto/bin/python");
    if !python.exists() {
        eprintln!("Perfetto's bindings are not installed: nothing was checked");
        return;
    }
    let (file, _) = good(Format::Perfetto, &manager());
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let path = folder.path().join("trace.perfetto-trace");
    std::fs::write(&path, &file).expect("the folder is ours");
    let output = Command::new(python).args(["-c", SCRIPT]).arg(&path).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let events = events(&file);
    let count = |kind| events.iter().filter(|event| event.kind == kind).count();
    let expected = format!(
        "TYPE_COUNTER {}\nTYPE_INSTANT {}\nTYPE_SLICE_BEGIN {}\nTYPE_SLICE_END {}\nflows {}\nended {}\n",
        count(COUNTER),
        count(INSTANT),
        count(BEGIN),
        count(END),
        events.iter().filter(|event| event.flow.is_some()).count(),
        events.iter().filter(|event| event.ends.is_some()).count(),
    );
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}
