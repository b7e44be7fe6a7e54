//! Exports, read by other programs and crates than those that wrote them.
//!
//! ```text
//!   pcapng ─► pcap-file, tshark       Perfetto ─► quick-protobuf, Perfetto's own bindings
//!   VCD    ─► vcd's parser            tables   ─► this project's import
//! ```
mod capture;
mod perfetto;
mod recorded;
mod round_trip;
mod waveform;

use std::io::Cursor;
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::output::{MessageKind, Queue};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::wire::PacketClass;
use sim::pft::choice::{DropPlace, GapReason, Origin, TunnelKind};
use sim::pft::event::Arrival;
use sim::pft::field::Octets;
use sim::pft::{Event, Head, Reader, Redactor, TraceSubject, Writer};
use sim::trace::export::{ExportError, Exported, Format, export};

const PEER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 7), 41_641);
const OTHER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(198, 18, 0, 9), 41_641);

/// A trace of these records, times in microseconds.
fn trace(subject: TraceSubject, records: &[(u64, Event)]) -> Vec<u8> {
    let head = Head::new(subject, "a trace for tests");
    let mut writer = Writer::create(Vec::new(), &head, Redactor::off()).expect("memory");
    for (micros, event) in records {
        writer.record(Instant::from_nanos(micros * 1_000), event).expect("in order");
    }
    writer.finish(None).expect("memory")
}

fn exported(format: Format, trace: &[u8]) -> (Vec<u8>, Result<Exported, ExportError>) {
    let mut out = Vec::new();
    let reader = Reader::open(Cursor::new(trace)).expect("a trace");
    let result = export(format, reader, &mut out);
    (out, result)
}

/// An export that has to succeed.
#[track_caller]
fn good(format: Format, trace: &[u8]) -> (Vec<u8>, Exported) {
    let (out, result) = exported(format, trace);
    (out, result.expect("there is something to write"))
}

fn arrival(packet: u64, origin: Origin) -> Arrival {
    let way = match origin {
        Origin::Flood => Via::Direct(OTHER),
        _ => Via::Direct(PEER),
    };
    Arrival { packet, way, origin }
}

/// A message of WireGuard: sizes and layout of facts d2.
fn tunnel(packet: u64, kind: u8, length: u32) -> Event {
    let mut bytes = vec![kind, 0, 0, 0];
    if kind == 4 {
        bytes.extend_from_slice(&0x0807_0605_u32.to_le_bytes());
        bytes.extend_from_slice(&packet.to_le_bytes());
    }
    let (class, bytes) = (PacketClass::Tunnel, Octets(bytes));
    let origin = if kind == 4 { Origin::Heartbeat } else { Origin::Peer };
    Event::ArriveBytes { arrival: arrival(packet, origin), class, bytes, length }
}

/// Two passes: a ping that is opened and answered, heartbeats, a box that is shed, a handshake.
fn manager() -> Vec<u8> {
    let (sender, node) = (DiscoKey([9; 32]), NodeKey([8; 32]));
    let peer = PeerIndex(3);
    let charge = |key| Event::OutCharge { key };
    trace(
        TraceSubject::WgMgr,
        &[
            (0, Event::InWake {}),
            (
                1_000,
                Event::ArrivePing { arrival: arrival(0, Origin::Peer), sender, node: Some(node) },
            ),
            (2_000, tunnel(1, 4, 112)),
            (
                2_500,
                Event::ArriveForged { arrival: arrival(2, Origin::Flood), sender, box_bytes: 40 },
            ),
            (2_500, Event::Drop { packet: 2, place: DropPlace::DiscoQueue }),
            (3_000, Event::InPacket { packet: 1 }),
            (3_000, charge(CostKey::TunnelData)),
            (
                3_000,
                Event::OutToTunnel { packet: TunnelKind::Data, receiver: 0x0807_0605, counter: 1 },
            ),
            (3_300, Event::InPacket { packet: 0 }),
            (3_300, charge(CostKey::BoxOpenComputed)),
            (3_300, Event::NoteOpened { known: true, genuine: true }),
            (
                3_300,
                Event::OutSend {
                    message: MessageKind::Pong,
                    peer,
                    node,
                    direct: vec![PEER],
                    relay: true,
                },
            ),
            (3_300, Event::OutReceive { queue: Queue::Tunnel }),
            (20_000, tunnel(3, 4, 112)),
            (21_000, tunnel(4, 1, 148)),
            (22_000, tunnel(5, 2, 92)),
            (23_000, tunnel(6, 3, 64)),
            (31_605, Event::InPacket { packet: 3 }),
            (31_605, charge(CostKey::TunnelData)),
            (31_905, Event::InEmpty {}),
            (32_000, Event::Gap { reason: GapReason::Dropped, lost: Some(2) }),
        ],
    )
}

#[test]
fn what_a_format_has_no_room_for_is_counted_by_kind() {
    let (_, exported) = good(Format::EventCsv, &manager());
    assert_eq!(exported.written, 8);
    assert_eq!(exported.gaps, 1);
    assert_eq!(exported.left_out.get("out.charge"), Some(&3));
    let left: u64 = exported.left_out.values().sum();
    assert_eq!(exported.written + left, 20, "records of the trace without its gap");
}

#[test]
fn a_trace_with_nothing_for_a_format_is_no_empty_success() {
    for format in [Format::Waveform, Format::ReadCsv, Format::CounterCsv] {
        let (_, result) = exported(format, &manager());
        let error = result.expect_err("nothing fits").to_string();
        assert!(error.starts_with("Nothing: "), "{error}");
    }
    let empty = trace(TraceSubject::Other, &[]);
    for format in Format::ALL {
        assert!(exported(format, &empty).1.is_err(), "{format:?}");
    }
}

#[test]
fn a_cut_trace_is_exported_up_to_its_cut() {
    let whole = manager();
    for cut in [whole.len() - 1, whole.len() / 2, 40] {
        for format in Format::ALL {
            if let (_, Ok(exported)) = exported(format, &whole[..cut]) {
                assert!(exported.gaps > 0, "{format:?} cut at {cut}");
            }
        }
    }
}
