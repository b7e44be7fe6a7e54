//! Any records in any order: a replay and a what-if have a defined result, and an end.
use std::path::Path;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::wire::PacketClass;
use proptest::prelude::*;
use sim::Flow;
use sim::pft::choice::Origin;
use sim::pft::event::Arrival;
use sim::pft::field::Octets;
use sim::pft::{Event, Head, Item, Reader, Redactor, Writer};
use sim::replay::{Asked, what_if};

use super::{load, record, replay};

/// The records of a short run, to be mixed.
fn records() -> (Head, Vec<Event>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../scenarios/wg_mgr/rotated_keys_are_rescued_by_their_first_ping.ron");
    let set = ["duration_ms=400", "peers.fleet.count=3", "device.registered_at_ms=5"];
    let (trace, _, _) = record(&load(&path, &set), Redactor::new(1));
    let mut reader = Reader::open(&trace[..]).expect("a trace");
    let head = reader.head().expect("a head").clone();
    let events = (&mut reader).map(|item| match item.expect("valid") {
        Item::Record(record) => record.event,
        other => panic!("{other:?}"),
    });
    (head, events.collect())
}

/// Records that no run of ours writes.
fn odd() -> impl Strategy<Value = Event> {
    let key = any::<[u8; 32]>();
    let arrival = (any::<u64>(), key, 0..4_u8).prop_map(|(packet, node, origin)| Arrival {
        packet,
        way: Via::Derp(NodeKey(node)),
        origin: match origin {
            0 => Origin::Unknown,
            1 => Origin::Peer,
            2 => Origin::Heartbeat,
            _ => Origin::Flood,
        },
    });
    let sizes = prop_oneof![0..200_u32, Just(u32::MAX)];
    let bytes = prop::collection::vec(any::<u8>(), 0..200);
    let classes = prop_oneof![
        Just(PacketClass::Stun),
        Just(PacketClass::Disco),
        Just(PacketClass::Tunnel),
        Just(PacketClass::Dropped)
    ];
    prop_oneof![
        (arrival.clone(), key, sizes.clone()).prop_map(|(arrival, sender, box_bytes)| {
            Event::ArriveForged { arrival, sender: DiscoKey(sender), box_bytes }
        }),
        (arrival.clone(), key, any::<Option<u64>>()).prop_map(|(arrival, sender, answers)| {
            Event::ArrivePong { arrival, sender: DiscoKey(sender), answers }
        }),
        (arrival.clone(), key, any::<Option<u8>>()).prop_map(|(arrival, sender, message_type)| {
            Event::ArriveUnreadable { arrival, sender: DiscoKey(sender), message_type }
        }),
        (arrival, classes, bytes, sizes).prop_map(|(arrival, class, bytes, length)| {
            Event::ArriveBytes { arrival, class, bytes: Octets(bytes), length }
        }),
        (0..40_u64).prop_map(|packet| Event::InPacket { packet }),
        any::<u8>().prop_map(|most| Event::InSettingsMaxPeers { most }),
        Just(Event::InShutdown {}),
        Just(Event::InRestart {}),
        Just(Event::InStoreWriteFailed {}),
        Just(Event::M3Byte { value: 3 }),
        Just(Event::Mark { text: "192.168.1.1".to_owned() }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_mixture_of_records_has_a_defined_result(
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..3_000_000_u64), 1..120),
        odd in prop::collection::vec((any::<prop::sample::Index>(), odd()), 0..20),
    ) {
        let (head, known) = records();
        let mut events: Vec<_> =
            picks.iter().map(|(pick, delta)| (pick.get(&known).clone(), *delta)).collect();
        for (place, event) in odd {
            events.insert(place.index(events.len() + 1), (event, 0));
        }
        let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
        let mut at = Instant::ZERO;
        for (event, delta) in &events {
            at = at.after(Duration::from_nanos(*delta));
            writer.record(at, event).expect("in order");
        }
        let trace = writer.finish(Some(1)).expect("memory");
        let outcome = replay(&trace, &[]);
        prop_assert!(outcome.records <= events.len() as u64);

        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("mixed.pft");
        std::fs::write(&file, &trace).expect("written");
        let found = what_if(&file, &Asked::default(), &[], &mut |_| Flow::Continue);
        prop_assert!(found.is_ok_and(|found| found.is_as_recorded == Some(false)));
    }
}
