//! The capture that is written, read by another crate, by tshark, and by the import.
use std::io::Cursor;
use std::process::{Command, Stdio};
use std::time::Duration;

use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use sim::trace::export::Format;
use sim::trace::import::{self, Class, Event, Mapping, Name, Options, Place, Sink};

use super::{good, manager};

/// Each packet's time, length and comment, as the pcap-file crate reads them.
fn packets(file: &[u8]) -> Vec<(Duration, usize, String)> {
    let mut reader = PcapNgReader::new(Cursor::new(file)).expect("a capture");
    let mut packets = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block.expect("a whole block") else { continue };
        let comment = packet.options.iter().find_map(|option| match option {
            EnhancedPacketOption::Comment(comment) => Some(comment.to_string()),
            _ => None,
        });
        assert_eq!(usize::try_from(packet.original_len), Ok(packet.data.len()));
        packets.push((packet.timestamp, packet.data.len(), comment.unwrap_or_default()));
    }
    packets
}

/// Cites WG-DISCO-1, WG-Q1: each packet says what became of it.
#[test]
fn another_crate_reads_every_packet_with_its_fate_and_clauses() {
    let (file, exported) = good(Format::Capture, &manager());
    // Seven arrivals and a pong that goes out twice; three takings and a loss tell their fates.
    assert_eq!(exported.written, 7 + 1 + 3 + 1);
    let packets = packets(&file);
    let comments: Vec<_> = packets.iter().map(|(.., comment)| comment.as_str()).collect();
    assert_eq!(
        comments,
        [
            "taken after 2.3ms; WG-DISCO-1, WG-DISCO-2",
            "taken after 1ms; a heartbeat; WG-Q1, WG-Q2",
            "lost: disco_queue; WG-DISCO-1, WG-DISCO-2",
            "sent; WG-PONG-1",
            "sent; to the relay; WG-PONG-1",
            "taken after 11.605ms; a heartbeat; WG-Q1, WG-Q2",
            "its fate is not in the trace; WG-Q1, WG-Q2",
            "its fate is not in the trace; WG-Q1, WG-Q2",
            "its fate is not in the trace; WG-Q1, WG-Q2",
        ]
    );
    // Facts d1 and d2, under 28 bytes of IP and UDP.
    let lengths: Vec<_> = packets.iter().map(|(_, length, _)| length - 28).collect();
    assert_eq!(lengths, [124, 112, 102, 110, 110, 112, 148, 92, 64]);
    assert_eq!(packets[0].0, Duration::from_millis(1));
}

/// Runs tshark on a file and gives its lines; `None` where it is not installed.
pub(super) fn tshark(file: &[u8], args: &[&str]) -> Option<Vec<String>> {
    Command::new("tshark").arg("--version").stdout(Stdio::null()).status().ok()?;
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let path = folder.path().join("trace.pcapng");
    std::fs::write(&path, file).expect("the folder is ours");
    let output = Command::new("tshark").arg("-r").arg(&path).args(args).output().expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("tshark prints text");
    Some(text.lines().map(str::to_owned).collect())
}

/// The WireGuard dissector is the judge: five frames of the tunnel, none malformed.
#[test]
fn tshark_sees_every_wireguard_frame_and_no_malformed_one() {
    let (file, _) = good(Format::Capture, &manager());
    let fields = ["-Y", "wg", "-T", "fields", "-e", "wg.type", "-e", "frame.comment"];
    let Some(frames) = tshark(&file, &fields) else {
        eprintln!("tshark is not installed: nothing was checked");
        return;
    };
    let types: Vec<_> = frames.iter().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(types, ["4", "4", "1", "2", "3"], "{frames:#?}");
    assert!(frames[0].contains("WG-Q1"), "{frames:#?}");
    assert_eq!(tshark(&file, &["-Y", "_ws.malformed"]), Some(vec![]));
    let bad = "ip.checksum.status == \"Bad\" or udp.checksum.status == \"Bad\"";
    let check = ["-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-Y", bad];
    assert_eq!(tshark(&file, &check), Some(vec![]));
}

#[derive(Default)]
struct Classes(Vec<Class>);

impl Sink for Classes {
    fn name(&mut self, _name: Name, _text: &str) -> std::io::Result<()> {
        Ok(())
    }

    fn event(&mut self, event: Event) -> std::io::Result<()> {
        self.0.extend(event.what.packet().map(|packet| packet.class));
        Ok(())
    }

    fn unread(
        &mut self,
        _at: firmware_core::time::Instant,
        place: Place,
        text: &str,
    ) -> std::io::Result<()> {
        panic!("{place}: {text}")
    }
}

#[test]
fn the_import_reads_what_the_export_wrote() {
    let (file, _) = good(Format::Capture, &manager());
    let mut classes = Classes::default();
    let summary = import::import(
        import::Format::Capture,
        Cursor::new(file),
        &Mapping::standard(),
        Options::default(),
        &mut classes,
    );
    assert_eq!(summary.expect("well-formed").records, 9);
    let expected = [
        Class::Disco,
        Class::Data,
        Class::Disco,
        Class::Disco,
        Class::Disco,
        Class::Data,
        Class::Initiation,
        Class::Response,
        Class::Cookie,
    ];
    assert_eq!(classes.0, expected);
}
