//! Captures that Wireshark and tshark open: every packet with what became of it and the clauses
//! concerned as its comment.
//!
//! ```text
//!   arrival ──► waits here until the core takes it or it is lost ──► block with a comment
//!                "taken after 12.300 ms; WG-Q1"   "lost: disco_queue; WG-DISCO-1"
//! ```
//!
//! A trace holds what was in a packet, not its ciphertext: behind the header there are zeros, as long
//! as the packet was. So types, lengths, indices, counters and times are those of the trace, and
//! nothing can be decrypted. Packets through a relay had no UDP datagram of their own; they come from
//! one address that stands for the relay, and their comment says so.
//!
//! Blocks are encoded by the pcap-parser crate, headers by etherparse.
use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddrV4};

use etherparse::PacketBuilder;
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, KEY_LEN};
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::wire::{HEADER_LEN, MAGIC, PacketClass};
use pcap_parser::{
    EnhancedPacketBlock, InterfaceDescriptionBlock, Linktype, OptionCode, PcapNGOption,
    SectionHeaderBlock, ToVec,
};

use super::Exporter;
use crate::pft::choice::{Direction, Origin};
use crate::pft::event::Arrival;
use crate::pft::field::{Field, millis};
use crate::pft::reader::Gap;
use crate::pft::{Event, Record};

/// The device, until the trace says where it is: an address that is kept for documents.
const DEVICE: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 1), 51_820);
/// Stands for the relay.
const RELAY: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 0, 2, 254), 443);
/// Packets that wait for their fate; the oldest goes out without one when there are more.
const WAITING_MOST: usize = 1_024;
/// The longest payload of a UDP datagram.
const PAYLOAD_MOST: usize = 65_507;
/// Bytes of DISCO's header and tag.
const SEALED: usize = HEADER_LEN + 16;
const SNAP_LENGTH: u32 = 65_535;
/// Link type of packets that begin with their IP header.
const RAW_IP: Linktype = Linktype(101);
/// Ten to the power of minus nine: nanoseconds.
const NANOSECONDS: u8 = 9;

/// A packet that will be written.
struct Waiting {
    number: Option<u64>,
    at: Instant,
    frame: Vec<u8>,
    clauses: &'static str,
    note: &'static str,
    fate: Option<String>,
}

/// A capture being written.
pub(super) struct Capture<W: Write> {
    out: W,
    device: SocketAddrV4,
    waiting: VecDeque<Waiting>,
}

impl<W: Write> Capture<W> {
    pub(super) fn new(mut out: W) -> io::Result<Self> {
        let mut section = SectionHeaderBlock {
            block_type: 0,
            block_len1: 0,
            bom: 0,
            major_version: 1,
            minor_version: 0,
            section_len: -1,
            options: Vec::new(),
            block_len2: 0,
        };
        out.write_all(&encoded(&mut section)?)?;
        let mut interface = InterfaceDescriptionBlock {
            block_type: 0,
            block_len1: 0,
            linktype: RAW_IP,
            reserved: 0,
            snaplen: SNAP_LENGTH,
            options: Vec::new(),
            block_len2: 0,
            if_tsresol: NANOSECONDS,
            if_tsoffset: 0,
        };
        out.write_all(&encoded(&mut interface)?)?;
        Ok(Self { out, device: DEVICE, waiting: VecDeque::new() })
    }

    fn packet(&mut self, packet: Waiting) -> io::Result<()> {
        self.waiting.push_back(packet);
        self.release(WAITING_MOST)
    }

    /// Writes what has its fate, in the order of arrival, and the oldest when too many wait.
    fn release(&mut self, most: usize) -> io::Result<()> {
        while self.waiting.len() > most
            || self.waiting.front().is_some_and(|first| first.fate.is_some())
        {
            let Some(first) = self.waiting.pop_front() else { break };
            self.write(&first)?;
        }
        Ok(())
    }

    fn write(&mut self, packet: &Waiting) -> io::Result<()> {
        let fate = packet.fate.as_deref().unwrap_or("its fate is not in the trace");
        let comment = [fate, packet.note, packet.clauses]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        let length = u32::try_from(packet.frame.len()).unwrap_or(u32::MAX);
        let nanos = packet.at.as_nanos();
        let mut block = EnhancedPacketBlock {
            block_type: 0,
            block_len1: 0,
            if_id: 0,
            ts_high: u32::try_from(nanos >> 32).unwrap_or(u32::MAX),
            ts_low: u32::try_from(nanos & u64::from(u32::MAX)).unwrap_or(u32::MAX),
            caplen: length,
            origlen: length,
            data: &packet.frame,
            options: vec![PcapNGOption {
                code: OptionCode::Comment,
                len: u16::try_from(comment.len()).unwrap_or(u16::MAX),
                value: Cow::Borrowed(comment.as_bytes()),
            }],
            block_len2: 0,
        };
        let bytes = encoded(&mut block)?;
        self.out.write_all(&bytes)
    }

    fn arrives(
        &mut self,
        at: Instant,
        arrival: &Arrival,
        payload: &[u8],
        clauses: &'static str,
    ) -> io::Result<()> {
        let (source, note) = match arrival.way {
            Via::Direct(source) => (source, ""),
            Via::Derp(_) => (RELAY, "through the relay"),
        };
        let note = if arrival.origin == Origin::Heartbeat { "a heartbeat" } else { note };
        let frame = frame(source, self.device, payload)?;
        let number = Some(arrival.packet);
        self.packet(Waiting { number, at, frame, clauses, note, fate: None })
    }

    fn disco(
        &mut self,
        at: Instant,
        arrival: &Arrival,
        sender: &DiscoKey,
        length: usize,
    ) -> io::Result<()> {
        let payload = disco(&sender.0, length);
        self.arrives(at, arrival, &payload, "WG-DISCO-1, WG-DISCO-2")
    }

    /// A packet that was taken or lost.
    fn ends(&mut self, number: u64, fate: impl FnOnce(Instant) -> String) -> io::Result<()> {
        let found = self.waiting.iter_mut().find(|waiting| waiting.number == Some(number));
        if let Some(waiting) = found {
            waiting.fate = Some(fate(waiting.at));
        }
        self.release(WAITING_MOST)
    }

    fn sends(
        &mut self,
        at: Instant,
        message: MessageKind,
        direct: &[SocketAddrV4],
        relay: bool,
    ) -> io::Result<()> {
        let (length, clauses) = match message {
            MessageKind::Ping => (SEALED + 46, "WG-PING-1"),
            MessageKind::Pong => (SEALED + 32, "WG-PONG-1"),
            MessageKind::CallMeMaybe => (SEALED + 2 + 18, "WG-CMM-1"),
        };
        let payload = disco(&[0; KEY_LEN], length);
        let ways =
            direct.iter().map(|to| (*to, "")).chain(relay.then_some((RELAY, "to the relay")));
        for (to, note) in ways {
            let frame = frame(self.device, to, &payload)?;
            let fate = Some("sent".to_owned());
            self.packet(Waiting { number: None, at, frame, clauses, note, fate })?;
        }
        Ok(())
    }
}

fn encoded(block: &mut impl ToVec) -> io::Result<Vec<u8>> {
    block.to_vec().map_err(|error| io::Error::other(format!("{error:?}")))
}

/// A datagram under its IP and UDP headers.
fn frame(source: SocketAddrV4, to: SocketAddrV4, payload: &[u8]) -> io::Result<Vec<u8>> {
    let builder = PacketBuilder::ipv4(source.ip().octets(), to.ip().octets(), 64)
        .udp(source.port(), to.port());
    let mut frame = Vec::with_capacity(builder.size(payload.len()));
    builder.write(&mut frame, payload).map_err(io::Error::other)?;
    Ok(frame)
}

/// A DISCO packet: magic, the sender's key, and zeros.
fn disco(sender: &[u8; KEY_LEN], length: usize) -> Vec<u8> {
    let mut payload = vec![0; length.clamp(HEADER_LEN, PAYLOAD_MOST)];
    payload[..MAGIC.len()].copy_from_slice(&MAGIC);
    payload[MAGIC.len()..MAGIC.len() + KEY_LEN].copy_from_slice(sender);
    payload
}

/// The beginning of a payload, and zeros up to its length.
fn padded(bytes: &[u8], length: u32) -> Vec<u8> {
    let mut payload = bytes.to_vec();
    payload.resize(usize::try_from(length).unwrap_or(0).min(PAYLOAD_MOST), 0);
    payload
}

fn shown(field: &impl Field) -> String {
    let mut out = String::new();
    field.show(&mut out);
    out
}

impl<W: Write> Exporter for Capture<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        let at = record.at;
        match &record.event {
            Event::ArrivePing { arrival, sender, node } => {
                let length = SEALED + if node.is_some() { 46 } else { 14 };
                self.disco(at, arrival, sender, length)?;
            }
            Event::ArrivePong { arrival, sender, .. } => {
                self.disco(at, arrival, sender, SEALED + 32)?;
            }
            Event::ArriveCallMeMaybe { arrival, sender, endpoints } => {
                self.disco(at, arrival, sender, SEALED + 2 + 18 * endpoints.len())?;
            }
            Event::ArriveUnreadable { arrival, sender, .. } => {
                self.disco(at, arrival, sender, SEALED + 2)?;
            }
            Event::ArriveForged { arrival, sender, box_bytes }
            | Event::ArriveUnopened { arrival, sender, box_bytes } => {
                let length = usize::try_from(*box_bytes).unwrap_or(0);
                self.disco(at, arrival, sender, HEADER_LEN.saturating_add(length))?;
            }
            Event::ArriveBytes { arrival, class, bytes, length } => {
                let clauses = match class {
                    PacketClass::Disco => "WG-DISCO-1, WG-DISCO-2",
                    PacketClass::Tunnel => "WG-Q1, WG-Q2",
                    PacketClass::Stun | PacketClass::Dropped => "",
                };
                self.arrives(at, arrival, &padded(&bytes.0, *length), clauses)?;
            }
            Event::InPacket { packet } => {
                self.ends(*packet, |arrived| {
                    format!("taken after {}", millis(at.since(arrived).as_nanos()))
                })?;
            }
            Event::Drop { packet, place } => {
                self.ends(*packet, |_| format!("lost: {}", shown(place)))?;
            }
            Event::InLocalEndpoint { endpoint } => {
                self.device = *endpoint;
                return Ok(false);
            }
            Event::OutSend { message, direct, relay, .. } => {
                self.sends(at, *message, direct, *relay)?;
            }
            Event::Frame { direction, source, destination, bytes, length } => {
                let frame = frame(*source, *destination, &padded(&bytes.0, *length))?;
                let fate = match direction {
                    Direction::In => "captured on its way in",
                    Direction::Out => "captured on its way out",
                    Direction::Unknown => "captured",
                };
                let fate = Some(fate.to_owned());
                let waiting = Waiting {
                    number: None,
                    at,
                    frame,
                    clauses: "WG-Q1, WG-DISCO-1",
                    note: "",
                    fate,
                };
                self.packet(waiting)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn gap(&mut self, _gap: &Gap) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.release(0)
    }
}
