//! Captures: every first header that is known, the one that is not, directions, cut files.
use std::borrow::Cow;

use etherparse::PacketBuilder;
use pcap_file::pcap::{PcapHeader, PcapPacket, PcapWriter};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::InterfaceDescriptionBlock;
use pcap_file::{DataLink, Endianness, TsResolution};
use sim::trace::import::{Class, Direction, Format, Mapping, PeerRef, Seen};

use super::{Collected, LENIENT, STRICT, good, imported, refused};

const PEER: [u8; 4] = [192, 0, 2, 7];
const DEVICE: [u8; 4] = [192, 0, 2, 1];

/// Cites case 27: 102 bytes to port 51820 that begin with DISCO's six bytes.
fn disco() -> Vec<u8> {
    let mut payload = vec![0; 102];
    payload[..6].copy_from_slice(&[0x54, 0x53, 0xF0, 0x9F, 0x92, 0xAC]);
    payload
}

fn ip(source: [u8; 4], destination: [u8; 4], payload: &[u8]) -> Vec<u8> {
    let builder = PacketBuilder::ipv4(source, destination, 64).udp(41_641, 51_820);
    let mut packet = Vec::new();
    builder.write(&mut packet, payload).expect("it fits");
    packet
}

/// A frame with the first header of this link type.
fn frame(link: u32, payload: &[u8]) -> Vec<u8> {
    let packet = ip(PEER, DEVICE, payload);
    let header: &[u8] = match link {
        1 => &[2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 7, 8, 0],
        113 => &[0, 0, 0, 1, 0, 6, 2, 0, 0, 0, 0, 7, 0, 0, 8, 0],
        276 => &[8, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 7, 0, 0],
        0 => &[2, 0, 0, 0],
        108 => &[0, 0, 0, 2],
        _ => &[],
    };
    [header, &packet].concat()
}

fn pcap(link: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    let header = PcapHeader {
        snaplen: 65_535,
        datalink: DataLink::from(link),
        ts_resolution: TsResolution::MicroSecond,
        endianness: Endianness::Little,
        ..PcapHeader::default()
    };
    let mut writer = PcapWriter::with_header(Vec::new(), header).expect("memory");
    for (number, frame) in (0..).zip(frames) {
        let at = std::time::Duration::from_millis(1_784_664_191_000 + 100 * number);
        let length = u32::try_from(frame.len()).expect("short");
        writer.write_packet(&PcapPacket::new(at, length, frame)).expect("memory");
    }
    writer.into_writer()
}

fn three(link: u32) -> Vec<u8> {
    pcap(link, &vec![frame(link, &disco()); 3])
}

/// Cites case 27. The case lists 276 among the types that a tool may not know; here it is one of
/// those that have to be read, so it gives the three packets and 147 stands for the unknown ones.
#[test]
fn case_27_every_link_type_gives_three_disco_packets_or_says_its_number() {
    for link in [1, 101, 0, 108, 113, 276] {
        let (sink, summary) = good(Format::Capture, three(link));
        assert_eq!((summary.read, summary.records, summary.unknown.count), (3, 3, 0), "{link}");
        assert!(
            sink.records().map(|(at, _)| at).eq([0, 100, 200]),
            "time counts from the first packet on"
        );
        for (_, what) in sink.records() {
            let packet = what.packet().expect("a packet");
            assert_eq!((packet.class, packet.bytes), (Class::Disco, 102), "{link}");
        }
    }
    for link in [147, 105, 127, 195, 277] {
        let (error, before) = refused(Format::Capture, three(link));
        let expected = format!(
            "UnsupportedLinkType in the file: packets with link type {link} cannot be read"
        );
        assert_eq!((error, before), (expected, 0));
    }
}

/// Cites case 27: frames of one type under the number of another are never packets of some class.
#[test]
fn case_27_a_frame_under_a_wrong_header_gives_no_packet() {
    for (says, is) in [(1, 276), (276, 1), (101, 1), (113, 276), (276, 113)] {
        let file = pcap(says, &vec![frame(is, &disco()); 3]);
        let (sink, summary) = good(Format::Capture, file);
        assert_eq!((sink.events.len(), summary.unknown.count), (0, 3), "{is} as {says}");
    }
}

#[test]
fn cooked_headers_say_the_direction_and_a_devices_address_says_it_too() {
    let direction = |sink: &Collected| {
        let packet = sink.events[0].what.packet().expect("a packet");
        (packet.direction, packet.peer)
    };
    let (sink, _) = good(Format::Capture, three(276));
    assert_eq!(direction(&sink), (Direction::In, Some(PeerRef::Unlisted(0))));
    let mut outgoing = frame(113, &disco());
    outgoing[1] = 4;
    let (sink, _) = good(Format::Capture, pcap(113, &[outgoing]));
    assert_eq!(direction(&sink).0, Direction::Out);
    let (sink, summary) = good(Format::Capture, three(101));
    assert_eq!(direction(&sink), (Direction::Unsaid, None));
    assert!(summary.warnings[0].contains("the direction of 3 packets"));
    for (device, expected) in [("192.0.2.1", Direction::In), ("192.0.2.7", Direction::Out)] {
        let mapping = Mapping::parse(&format!(r#"(version: 1, device: ["{device}"])"#));
        let (sink, _) = imported(Format::Capture, three(101), &mapping.expect("valid"), STRICT);
        assert_eq!(direction(&sink).0, expected);
    }
}

/// Sizes and types of facts d2.
#[test]
fn packets_of_the_tunnel_have_their_class_and_data_its_counter() {
    let message = |kind: u8, length: usize| {
        let mut payload = vec![0; length];
        payload[0] = kind;
        if kind == 4 {
            payload[8] = 5;
        }
        frame(101, &payload)
    };
    let frames = [message(1, 148), message(2, 92), message(3, 64), message(4, 112), message(9, 50)];
    let (sink, _) = good(Format::Capture, pcap(101, &frames));
    let packet = |(_, what): (u64, Seen)| {
        let packet = what.packet().expect("a packet");
        (packet.class, packet.number)
    };
    let expected = [
        (Class::Initiation, None),
        (Class::Response, None),
        (Class::Cookie, None),
        (Class::Data, Some(5)),
        (Class::Other, None),
    ];
    assert!(sink.records().map(packet).eq(expected));
}

#[test]
fn other_traffic_is_counted_and_shown() {
    let builder = PacketBuilder::ipv4(PEER, DEVICE, 64).udp(53, 5_353);
    let mut dns = Vec::new();
    builder.write(&mut dns, &[0; 20]).expect("it fits");
    let (_, summary) = good(Format::Capture, pcap(101, &[dns, vec![0x45, 0, 0]]));
    assert_eq!((summary.read, summary.records, summary.unknown.count), (2, 0, 2));
    assert_eq!(summary.unknown.first[0].1, "UDP from port 53 to 5353");
}

fn pcapng(links: &[u32]) -> Vec<u8> {
    let mut writer = PcapNgWriter::new(Vec::new()).expect("memory");
    for link in links {
        let linktype = DataLink::from(*link);
        let block = InterfaceDescriptionBlock { linktype, snaplen: 0, options: vec![] };
        writer.write_pcapng_block(block).expect("memory");
    }
    for (number, link) in (0..).zip(links) {
        let frame = frame(*link, &disco());
        let packet = EnhancedPacketBlock {
            interface_id: number,
            timestamp: std::time::Duration::from_micros(1_000 * u64::from(number)),
            original_len: u32::try_from(frame.len()).expect("short"),
            data: Cow::Owned(frame),
            options: vec![],
        };
        writer.write_pcapng_block(packet).expect("memory");
    }
    writer.into_inner()
}

proptest::proptest! {
    /// Whatever a few bytes of a capture are changed to, reading it ends, with a value or an error.
    #[test]
    fn a_damaged_capture_is_read_or_refused(
        is_pcapng: bool,
        changes in proptest::collection::vec((0..600_usize, proptest::arbitrary::any::<u8>()), 1..6),
    ) {
        let mut file = if is_pcapng { pcapng(&[1, 113, 276]) } else { three(1) };
        for (at, byte) in changes {
            let at = at % file.len();
            file[at] = byte;
        }
        let (sink, summary) = imported(Format::Capture, &file, &Mapping::standard(), LENIENT);
        if let Ok(summary) = summary {
            proptest::prop_assert_eq!(summary.records, sink.records().count() as u64);
        }
    }
}

/// A block that says to be longer than anything is refused, however much of it there is.
#[test]
fn a_block_of_any_length_is_bounded() {
    let mut file = three(1);
    file[24 + 8..24 + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    file.resize(40 * 1024 * 1024, 0);
    let (error, before) = refused(Format::Capture, file);
    assert!(error.starts_with("DamagedBlock at byte 24"), "{error}");
    assert_eq!(before, 0);
}

#[test]
fn a_pcapng_with_two_interfaces_is_read_and_an_unknown_one_is_named() {
    let (sink, summary) = good(Format::Capture, pcapng(&[1, 113]));
    assert_eq!((sink.events.len(), summary.records), (2, 2));
    let (error, before) = refused(Format::Capture, pcapng(&[1, 147]));
    assert!(error.contains("link type 147") && before == 0, "{error}");
}

/// Cites case 21 for a format without lines.
#[test]
fn a_capture_cut_anywhere_keeps_the_packets_before_the_cut() {
    let file = three(1);
    let frame_length = 16 + frame(1, &disco()).len();
    for cut in 1..file.len() {
        let (sink, summary) = imported(Format::Capture, &file[..cut], &Mapping::standard(), STRICT);
        match summary {
            Ok(summary) => {
                let whole = (cut - 24) / frame_length;
                assert_eq!(sink.records().count(), whole, "{cut}");
                assert_eq!(
                    summary.truncated.is_some(),
                    !(cut - 24).is_multiple_of(frame_length),
                    "{cut}"
                );
            }
            Err(error) => {
                let name = error.problem.name();
                assert!(
                    cut <= 24 && ["Truncated", "NotACapture", "Empty"].contains(&name),
                    "{cut}"
                );
            }
        }
    }
}

#[test]
fn a_file_that_is_no_capture_says_so() {
    let (error, _) = refused(Format::Capture, "I (1000) wg: rx 96 peer 7\nand some more of it\n");
    assert_eq!(error, "NotACapture at byte 0: this is neither a pcap nor a pcapng file");
}
