//! The format as it is written down: order, time, schema and pseudonyms.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use proptest::prelude::*;
use sim::pft::choice::Origin;
use sim::pft::event::Arrival;
use sim::pft::{
    Event, Head, Item, PftError, Reader, Record, Redactor, TraceSubject, WriteError, Writer,
};

fn write(records: &[(u64, Event)], redactor: Redactor) -> Vec<u8> {
    let head = Head::new(TraceSubject::Other, "format");
    let mut writer = Writer::create(Vec::new(), &head, redactor).expect("memory");
    for (nanos, event) in records {
        writer.record(Instant::from_nanos(*nanos), event).expect("in order");
    }
    writer.finish(None).expect("memory")
}

fn read(bytes: &[u8]) -> Vec<Record> {
    let reader = Reader::open(bytes).expect("a trace");
    let items = reader.map(|item| item.expect("valid"));
    items
        .map(|item| match item {
            Item::Record(record) => record,
            other => panic!("{other:?}"),
        })
        .collect()
}

fn ping(way: Via, sender: [u8; 32], node: Option<[u8; 32]>) -> Event {
    let arrival = Arrival { packet: 3, way, origin: Origin::Peer };
    Event::ArrivePing { arrival, sender: DiscoKey(sender), node: node.map(NodeKey) }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        gaps in prop::collection::vec(0_u64..1 << 40, 0..200),
        packets in prop::collection::vec(any::<u64>(), 200),
        address: [u8; 4],
        port: u16,
        sender: [u8; 32],
        node: Option<[u8; 32]>,
    ) {
        let way = Via::Direct(SocketAddrV4::new(Ipv4Addr::from(address), port));
        let mut at = 0;
        let mut records = Vec::new();
        for (gap, packet) in gaps.iter().zip(&packets) {
            at += gap;
            records.push((at, Event::InPacket { packet: *packet }));
            records.push((at, ping(way, sender, node)));
        }
        let written = read(&write(&records, Redactor::off()));
        let same = written.iter().map(|it| (it.at.as_nanos(), it.event.clone()));
        prop_assert_eq!(same.collect::<Vec<_>>(), records);
    }

    /// Any bytes behind a valid file header: an error or gaps, and an end.
    #[test]
    fn any_bytes_have_a_defined_result(bytes in prop::collection::vec(any::<u8>(), 0..4_000)) {
        let mut file = write(&[(1, Event::InWake {})], Redactor::off());
        file.truncate(16);
        file.extend_from_slice(&bytes);
        if let Ok(reader) = Reader::open(&file[..]) {
            prop_assert!(reader.count() <= bytes.len() + 1);
        }
    }

    #[test]
    fn any_fields_have_a_defined_result(
        number in 0_u64..140,
        bytes in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        if let Ok(Some(event)) = Event::take(number, &bytes) {
            let mut again = Vec::new();
            event.put(&mut again);
            prop_assert_eq!(Event::take(number, &again), Ok(Some(event)));
        }
    }
}

/// Case 33: records of one instant keep the order in which they were written.
#[test]
fn equal_times_keep_their_order() {
    let records: Vec<_> = (0..5).map(|packet| (1_000, Event::InPacket { packet })).collect();
    let read = read(&write(&records, Redactor::off()));
    let order: Vec<_> = read.iter().map(|record| record.event.clone()).collect();
    assert_eq!(order, records.into_iter().map(|(_, event)| event).collect::<Vec<_>>());
}

/// Case 24: what goes back in time is never written, and the record is named.
#[test]
fn a_record_that_goes_back_in_time_is_refused() {
    let head = Head::new(TraceSubject::Other, "case 24");
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    writer.record(Instant::from_nanos(65_536_000_028_000), &Event::InWake {}).expect("in order");
    let refused = writer.record(Instant::from_nanos(49_000), &Event::InWake {});
    assert!(
        matches!(refused, Err(WriteError::Backwards { index: 1, by_ns: 65_535_999_979_000 })),
        "{refused:?}"
    );
}

/// Case 24: a time past the end of time is refused, not wrapped and not cut.
#[test]
fn a_time_past_the_end_is_an_error_of_its_record() {
    let records = [(u64::MAX - 1, Event::InWake {}), (u64::MAX, Event::InEmpty {})];
    let mut bytes = write(&records, Redactor::off());
    assert_eq!(read(&bytes).len(), 2);
    // The second record: 2 bytes, kind 31, 1 ns later; now 2 ns.
    let block = bytes.windows(4).rposition(|it| it == [2, 31, 1, b'P']).expect("the last record");
    bytes[block + 2] = 2;
    let begin = bytes[..block].windows(4).rposition(|it| it == b"PFTb").expect("its block");
    let crc = crc32fast::hash(&bytes[begin + 40..block + 3]);
    bytes[begin + 12..begin + 16].copy_from_slice(&crc.to_le_bytes());
    let header = crc32fast::hash(&bytes[begin..begin + 36]);
    bytes[begin + 36..begin + 40].copy_from_slice(&header.to_le_bytes());
    let last = Reader::open(&bytes[..]).expect("a trace").last().expect("something");
    let error = last.expect_err("there is no such time");
    assert!(matches!(error, PftError::Record { index: 1, .. }), "{error}");
}

#[test]
fn another_version_and_another_file_are_named() {
    let mut bytes = write(&[], Redactor::off());
    assert!(matches!(Reader::open(&b"a text, not a trace"[..]), Err(PftError::NotATrace)));
    bytes[8] = 2;
    let crc = crc32fast::hash(&bytes[..12]);
    bytes[12..16].copy_from_slice(&crc.to_le_bytes());
    let version = Reader::open(&bytes[..]);
    assert!(matches!(version, Err(PftError::Version { found: 2, known: 1 })));
}

#[test]
fn the_head_carries_the_schema_of_every_kind() {
    let bytes = write(&[], Redactor::off());
    let reader = Reader::open(&bytes[..]).expect("a trace");
    let head = reader.head().expect("a head");
    assert_eq!(head.get("schema"), Some(Event::schema().as_str()));
    assert_eq!((head.subject(), head.get("redacted")), (TraceSubject::Other, Some("no")));
    assert!(head.get("schema").is_some_and(|schema| {
        schema.contains("\n20 drop packet:uint place:choice(0=mailbox 1=memory")
    }));
}

#[test]
fn a_redacted_trace_holds_neither_address_nor_key() {
    let (address, sender, node) = (Ipv4Addr::new(192, 168, 7, 42), [0xab; 32], [0xcd; 32]);
    let way = Via::Direct(SocketAddrV4::new(address, 41_641));
    let records = [(1, ping(way, sender, Some(node))), (2, ping(way, sender, None))];
    let bytes = write(&records, Redactor::new(5));
    let holds = |what: &[u8]| bytes.windows(what.len()).any(|window| window == what);
    assert!(!holds(&address.octets()) && !holds(&sender) && !holds(&node));
    let read = read(&bytes);
    let seen: Vec<_> = read
        .iter()
        .map(|record| match &record.event {
            Event::ArrivePing { arrival, sender, node } => (arrival.way, *sender, *node),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!((seen[0].0, seen[0].1), (seen[1].0, seen[1].1));
    assert!(matches!(seen[0].0, Via::Direct(it) if it.ip().is_private() && it.port() == 41_641));
    assert!(seen[0].2.is_some() && seen[1].2.is_none());
    let plain = write(&records, Redactor::off());
    assert!(plain.windows(4).any(|window| window == address.octets()));
}
