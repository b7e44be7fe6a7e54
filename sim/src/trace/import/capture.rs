//! Captures of packets: pcap and pcapng, told apart by their first bytes.
//!
//! ```text
//!   block ─► link type known? ─► UDP on a port of the tailnet? ─► direction by address ─► class
//!              └ no: UnsupportedLinkType     └ no: counted as other traffic
//! ```
//!
//! Blocks are the pcap-parser crate's work. Of a payload only the header is kept: type, index and
//! counter, or a DISCO sender's public key; whoever writes the trace replaces keys and addresses. A
//! link type that is not known ends
//! the import before the first record of its interface: a capture that is read under the wrong
//! header gives packets that were never there.
use std::io::Read;
use std::net::{IpAddr, SocketAddrV4};

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::wire::{PacketClass, TunnelPacket, classify};
use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{Block, LegacyPcapReader, PcapBlockOwned, PcapError, PcapHeader, PcapNGReader};

use super::error::{ImportError, Place, Problem};
use super::event::{Class, Direction, FRAME_HEAD, Frame, Packet, PeerRef, Route, Seen};
use super::intake::{Intake, Kind, Manner, Order};
use super::link::{Datagram, Link};
use super::mapping::Mapping;
use super::redact::{Identity, Redactor};

const SECOND: u64 = 1_000_000_000;
/// Bytes held of a capture at first.
const BUFFER: usize = 256 * 1024;
/// No block of a capture is longer than this.
const BLOCK_MOST: usize = 16 * 1024 * 1024;
/// The first four bytes of a pcapng file.
const SECTION: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];

pub(super) const fn manner(is_lenient: bool) -> Manner {
    let order = Order::Sort { events: 256, span: Duration::from_millis(50) };
    Manner { order, is_lenient, from_first: true, unit: ("ns", 1) }
}

/// An interface of a capture.
#[derive(Clone, Copy, Debug)]
struct Interface {
    link: Link,
    /// Ticks of a second.
    resolution: u64,
    /// Seconds added to each stamp.
    offset_s: i64,
}

struct Capture<'a, 'b> {
    intake: &'a mut Intake<'b>,
    mapping: &'a Mapping,
    redactor: Redactor,
    interfaces: Vec<Interface>,
    unsaid: u64,
}

/// Reads a capture.
pub(super) fn read(
    mut file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut magic = [0; 4];
    let mut length = 0;
    while length < magic.len() {
        match file.read(&mut magic[length..]).map_err(ImportError::unreadable)? {
            0 => break,
            count => length += count,
        }
    }
    if length == 0 {
        return Err(ImportError::at(Place::File, Problem::Empty));
    }
    let mut capture = Capture {
        intake,
        mapping,
        redactor: mapping.redactor(),
        interfaces: Vec::new(),
        unsaid: 0,
    };
    let is_pcapng = magic == SECTION;
    let source = magic[..length].chain(file);
    if is_pcapng {
        let reader = PcapNGReader::new(BUFFER, Whole(source)).map_err(|error| not_one(&error))?;
        capture.blocks(reader)?;
    } else {
        let reader =
            LegacyPcapReader::new(BUFFER, Whole(source)).map_err(|error| not_one(&error))?;
        capture.blocks(reader)?;
    }
    if capture.unsaid > 0 {
        let warning = format!(
            "the direction of {} packets is not known: name the device's address with --device",
            capture.unsaid
        );
        capture.intake.summary.warnings.push(warning);
    }
    Ok(())
}

/// Fills what it is given: the reader below takes a short read for the end of the header.
struct Whole<R>(R);

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        let mut length = 0;
        while length < out.len() {
            match self.0.read(&mut out[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(length)
    }
}

fn not_one(error: &PcapError<&[u8]>) -> ImportError {
    match error {
        PcapError::Incomplete(_) | PcapError::Eof | PcapError::UnexpectedEof => {
            ImportError::at(Place::Byte(0), Problem::Truncated)
        }
        _ => ImportError::at(Place::Byte(0), Problem::NotACapture),
    }
}

impl Capture<'_, '_> {
    fn blocks(&mut self, mut reader: impl PcapReaderIterator) -> Result<(), ImportError> {
        let mut byte = 0_u64;
        let mut capacity = BUFFER;
        loop {
            let place = Place::Byte(byte);
            let stopped = match reader.next() {
                Ok((length, block)) => {
                    self.block(block, place)?;
                    reader.consume(length);
                    byte += u64::try_from(length).unwrap_or(0);
                    continue;
                }
                Err(error) => Stop::from(&error),
            };
            let is_stuck = match stopped {
                Stop::End => return Ok(()),
                Stop::Truncated => return self.intake.truncated(place),
                Stop::Damaged => {
                    let what = "its length or its type is not one".to_owned();
                    return Err(ImportError::at(place, Problem::DamagedBlock { what }));
                }
                Stop::Refill => !refilled(&mut reader)?,
                Stop::Grow => true,
            };
            if is_stuck {
                if capacity >= BLOCK_MOST {
                    let what = format!("it says that it is longer than {BLOCK_MOST} bytes");
                    return Err(ImportError::at(place, Problem::DamagedBlock { what }));
                }
                capacity *= 2;
                reader.grow(capacity);
                refilled(&mut reader)?;
            }
        }
    }

    fn block(&mut self, block: PcapBlockOwned<'_>, place: Place) -> Result<(), ImportError> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => self.legacy_header(&header),
            PcapBlockOwned::Legacy(frame) => {
                let interface = self.interface(0, place)?;
                let nanos = u64::from(frame.ts_sec)
                    .saturating_mul(SECOND)
                    .saturating_add(u64::from(frame.ts_usec) * (SECOND / interface.resolution));
                self.frame(interface, nanos, frame.data, place)
            }
            PcapBlockOwned::NG(Block::SectionHeader(_)) => {
                self.interfaces.clear();
                Ok(())
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(description)) => {
                let link = link(description.linktype.0)?;
                let resolution = description.ts_resolution().filter(|ticks| *ticks > 0);
                let resolution = resolution.ok_or_else(|| {
                    let what =
                        "the interface's resolution of time is not a power of ten".to_owned();
                    ImportError::at(place, Problem::DamagedBlock { what })
                })?;
                let offset_s = description.ts_offset();
                self.interfaces.push(Interface { link, resolution, offset_s });
                Ok(())
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(frame)) => {
                let interface = self.interface(frame.if_id, place)?;
                let ticks = u64::from(frame.ts_high) << 32 | u64::from(frame.ts_low);
                let nanos = nanos(ticks, interface);
                self.frame(interface, nanos, frame.packet_data(), place)
            }
            PcapBlockOwned::NG(Block::SimplePacket(_)) => {
                self.intake.summary.read += 1;
                self.intake.list(Kind::Unknown, place, || "a packet without a time".to_owned())
            }
            PcapBlockOwned::NG(_) => Ok(()),
        }
    }

    fn legacy_header(&mut self, header: &PcapHeader) -> Result<(), ImportError> {
        // The upper bits say how long the check sum of a frame is, not what the frame is.
        let link = link(header.network.0 & 0x03FF_FFFF)?;
        let resolution = if header.is_nanosecond_precision() { SECOND } else { 1_000_000 };
        self.interfaces = vec![Interface { link, resolution, offset_s: 0 }];
        Ok(())
    }

    fn interface(&self, number: u32, place: Place) -> Result<Interface, ImportError> {
        let at = usize::try_from(number).unwrap_or(usize::MAX);
        self.interfaces.get(at).copied().ok_or_else(|| {
            let what = format!("it names interface {number}, which the file does not describe");
            ImportError::at(place, Problem::DamagedBlock { what })
        })
    }

    fn frame(
        &mut self,
        interface: Interface,
        nanos: u64,
        frame: &[u8],
        place: Place,
    ) -> Result<(), ImportError> {
        self.intake.summary.read += 1;
        let Some(datagram) = interface.link.datagram(frame) else {
            return self.intake.list(Kind::Unknown, place, || "not a UDP datagram".to_owned());
        };
        let (from, to) = (datagram.source.1, datagram.destination.1);
        if !self.mapping.ports.iter().any(|port| *port == from || *port == to) {
            let text = || format!("UDP from port {from} to {to}");
            return self.intake.list(Kind::Unknown, place, text);
        }
        let packet = self.packet(&datagram);
        let what = match (end(datagram.source), end(datagram.destination)) {
            (Some(source), Some(destination)) => {
                let mut head = [0; FRAME_HEAD];
                let kept = datagram.payload.len().min(FRAME_HEAD);
                head[..kept].copy_from_slice(&datagram.payload[..kept]);
                Seen::Frame(Frame { packet, source, destination, head })
            }
            _ => Seen::Packet(packet),
        };
        self.intake.event(Instant::from_nanos(nanos), what, place)
    }

    fn packet(&mut self, datagram: &Datagram<'_>) -> Packet {
        let is_ours = |address| self.mapping.device.contains(address);
        let direction = match (is_ours(&datagram.source.0), is_ours(&datagram.destination.0)) {
            (true, false) => Direction::Out,
            (false, true) => Direction::In,
            _ => datagram.direction,
        };
        let peer = match direction {
            Direction::In => Some(datagram.source.0),
            Direction::Out => Some(datagram.destination.0),
            Direction::Unsaid => {
                self.unsaid += 1;
                None
            }
        };
        let peer: Option<PeerRef> =
            peer.map(|address| self.redactor.number(Identity::Address(address)));
        let (class, number) = class(datagram.payload);
        Packet { direction, class, peer, bytes: datagram.bytes, number, via: Route::Direct }
    }
}

/// Reads on; whether that changed anything. A full buffer changes nothing, and neither does asking
/// for more after the end, which the reader then knows.
fn refilled(reader: &mut impl PcapReaderIterator) -> Result<bool, ImportError> {
    let before = reader.data().len();
    if reader.refill().is_err() {
        let error = std::io::Error::other("reading failed");
        return Err(ImportError::unreadable(error));
    }
    Ok(reader.data().len() > before || reader.reader_exhausted())
}

/// An end of a datagram; a trace knows addresses of IPv4 alone.
fn end((address, port): (IpAddr, u16)) -> Option<SocketAddrV4> {
    match address {
        IpAddr::V4(address) => Some(SocketAddrV4::new(address, port)),
        IpAddr::V6(_) => None,
    }
}

/// What a datagram is, by the rule that the firmware's receive tasks use.
fn class(payload: &[u8]) -> (Class, Option<u64>) {
    match classify(payload, false) {
        PacketClass::Stun => (Class::Stun, None),
        PacketClass::Disco => (Class::Disco, None),
        PacketClass::Dropped => (Class::Other, None),
        PacketClass::Tunnel => match TunnelPacket::parse(payload) {
            TunnelPacket::Initiation => (Class::Initiation, None),
            TunnelPacket::Response => (Class::Response, None),
            TunnelPacket::Cookie => (Class::Cookie, None),
            TunnelPacket::Data { counter, .. } => (Class::Data, Some(counter)),
            TunnelPacket::Malformed => (Class::Other, None),
        },
    }
}

fn link(number: i32) -> Result<Link, ImportError> {
    let number = number.cast_unsigned();
    Link::from_number(number)
        .ok_or_else(|| ImportError::at(Place::File, Problem::UnsupportedLinkType(number)))
}

fn nanos(ticks: u64, interface: Interface) -> u64 {
    let wide = u128::from(ticks) * u128::from(SECOND) / u128::from(interface.resolution);
    let nanos = u64::try_from(wide).unwrap_or(u64::MAX);
    let offset = interface.offset_s.unsigned_abs().saturating_mul(SECOND);
    if interface.offset_s < 0 { nanos.saturating_sub(offset) } else { nanos.saturating_add(offset) }
}

/// Why there is no next block.
enum Stop {
    End,
    Refill,
    Grow,
    Truncated,
    Damaged,
}

impl From<&PcapError<&[u8]>> for Stop {
    fn from(error: &PcapError<&[u8]>) -> Self {
        match error {
            PcapError::Eof => Self::End,
            PcapError::Incomplete(_) => Self::Refill,
            PcapError::BufferTooSmall => Self::Grow,
            PcapError::UnexpectedEof => Self::Truncated,
            _ => Self::Damaged,
        }
    }
}
