//! Tables out of traces that were made of tables: nothing is lost on the way.
use std::io::Cursor;

use sim::pft::{Event, Item, Reader};
use sim::trace::export::Format;
use sim::trace::import::{self, Mapping, Options};

use super::{good, manager};

fn imported(format: import::Format, file: &[u8]) -> Vec<u8> {
    let imported = import::write(
        format,
        Cursor::new(file),
        &Mapping::standard(),
        Options::default(),
        "a table",
        Vec::new(),
    );
    imported.expect("well-formed").out
}

fn events(trace: &[u8]) -> Vec<(u64, Event)> {
    let reader = Reader::open(Cursor::new(trace)).expect("a trace");
    let record = |item| match item {
        Item::Record(record) => Some((record.at.as_nanos(), record.event)),
        _ => None,
    };
    reader.filter_map(|item| record(item.expect("undamaged"))).collect()
}

#[track_caller]
fn comes_back(from: import::Format, to: Format, table: &str) {
    let trace = imported(from, table.as_bytes());
    let (file, _) = good(to, &trace);
    assert_eq!(String::from_utf8(file).expect("text"), table);
}

#[test]
fn tables_come_back_byte_for_byte() {
    comes_back(
        import::Format::EventCsv,
        Format::EventCsv,
        "t_ns,kind,peer,len,id,direction,via\n1000,hb,7,96,4,in,direct\n1000,unknown,-,124,,in,\n\
         334333001,pong,12,110,9,out,relay\n",
    );
    comes_back(
        import::Format::ReadCsv,
        Format::ReadCsv,
        "seq,t_push_us,req,kind,n,rtt_us,total_us,blocks,err_bit,status\n\
         1,1000,1472,data,960,5220,8320,2,0,\"00,OK\"\n\
         2,9320,1472,idle,0,27400,28400,1,0,\"02,NO DATA: 11\"\n",
    );
    comes_back(
        import::Format::CounterCsv,
        Format::CounterCsv,
        "t_s,uptime_s,sent,replies,rebonds\n106,718,6730,6725,0\n111,723,6741,6725,1\n",
    );
}

/// A trace of the manager as a table, imported and written again, is the same table.
#[test]
fn a_table_of_a_run_is_a_table_that_can_be_imported() {
    let (table, _) = good(Format::EventCsv, &manager());
    let trace = imported(import::Format::EventCsv, &table);
    let (again, _) = good(Format::EventCsv, &trace);
    let text = |table: Vec<u8>| String::from_utf8(table).expect("text");
    assert_eq!(text(table), text(again));
}

/// Whatever an import writes says that no core was stepped in it, where it is from, and what it lacks.
#[test]
fn an_imported_trace_says_what_it_lacks_for_a_replay() {
    let trace = imported(import::Format::EspLog, b"I (1000) wg: rx 96 peer 7\nhello\n");
    let reader = Reader::open(Cursor::new(&trace)).expect("a trace");
    let head = reader.head().expect("it is whole");
    assert_eq!(head.get("subject"), Some("other"));
    assert_eq!(head.get("source"), Some("esp-log"));
    assert_eq!(head.get("redacted"), Some("yes"));
    assert!(head.get("lacks").is_some_and(|lacks| lacks.contains("input of every step: ")));
    let events = events(&trace);
    assert!(events.iter().all(|(_, event)| !event.is_input() && !event.is_output()));
    let unread = Event::Unread { line: 2, text: "hello".to_owned() };
    assert!(events.iter().any(|(_, event)| *event == unread), "{events:?}");
}

/// Cites case 33: the same file gives the same bytes.
#[test]
fn an_import_is_deterministic() {
    let table = b"t_us,kind,peer,len\n1000,hb,7,96\n1000,disco,12,102\n1000,hb,9,96\n";
    let first = imported(import::Format::EventCsv, table);
    assert_eq!(first, imported(import::Format::EventCsv, table));
}

/// Addresses, keys and payloads of a capture do not reach the trace; equal ones stay equal.
#[test]
fn a_captures_addresses_do_not_reach_the_trace() {
    let (capture, _) = good(Format::Capture, &manager());
    let trace = imported(import::Format::Capture, &capture);
    let sources: Vec<_> = events(&trace)
        .into_iter()
        .filter_map(|(_, event)| match event {
            Event::Frame { source, .. } => Some(source),
            _ => None,
        })
        .collect();
    assert_eq!(sources.len(), 9);
    assert_eq!(sources[0], sources[1], "the ping and the heartbeat are from one peer");
    assert_ne!(sources[0], sources[2], "the forged box is not");
    let holds = |bytes: &[u8]| trace.windows(bytes.len()).any(|window| window == bytes);
    assert!(!holds(&[9; 32]), "the sender's key");
    assert!(!holds(&[192, 0, 2, 1]), "the device's address");
}
