//! From a captured frame to the UDP datagram in it, under every kind of first header that is known.
//!
//! ```text
//!   link type      header in front of IP                 says the direction
//!     1  Ethernet  14 bytes, VLAN tags                   no
//!   101  raw IP    none (12 and 14 on other systems)     no
//!   113  cooked    16 bytes, "any" interface             yes
//!   276  cooked 2  20 bytes, "any" interface             yes
//!     0  loopback  4 bytes, address family, host order   no
//!   108  loopback  4 bytes, address family, big endian   no
//! ```
//!
//! Headers are the etherparse crate's work, but for the three that it does not know and that are a
//! few bytes of fixed length: both loopbacks and cooked 2.
use std::net::IpAddr;

use etherparse::{
    EtherType, LaxNetSlice, LaxSlicedPacket, LinuxSllPacketType, LinuxSllProtocolType,
    LinuxSllSlice, TransportSlice,
};

use super::event::Direction;

/// A kind of first header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    Ethernet,
    Ip,
    Cooked,
    Cooked2,
    Loopback,
}

/// A UDP datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Datagram<'a> {
    pub(super) source: (IpAddr, u16),
    pub(super) destination: (IpAddr, u16),
    /// What was captured of it.
    pub(super) payload: &'a [u8],
    /// Payload bytes on the wire.
    pub(super) bytes: u32,
    /// What the first header says of the direction.
    pub(super) direction: Direction,
}

impl Link {
    /// The kind with this number; `None` when it is not known here.
    pub(super) const fn from_number(number: u32) -> Option<Self> {
        match number {
            1 => Some(Self::Ethernet),
            12 | 14 | 101 | 228 | 229 => Some(Self::Ip),
            113 => Some(Self::Cooked),
            276 => Some(Self::Cooked2),
            0 | 108 => Some(Self::Loopback),
            _ => None,
        }
    }

    /// The datagram in a frame; `None` when it holds something else.
    pub(super) fn datagram(self, frame: &[u8]) -> Option<Datagram<'_>> {
        match self {
            Self::Ethernet => {
                datagram(LaxSlicedPacket::from_ethernet(frame).ok()?, Direction::Unsaid)
            }
            Self::Ip => datagram(LaxSlicedPacket::from_ip(frame).ok()?, Direction::Unsaid),
            Self::Cooked => cooked(frame),
            Self::Cooked2 => cooked_2(frame),
            Self::Loopback => {
                let (_family, packet) = frame.split_at_checked(4)?;
                datagram(LaxSlicedPacket::from_ip(packet).ok()?, Direction::Unsaid)
            }
        }
    }
}

fn cooked(frame: &[u8]) -> Option<Datagram<'_>> {
    let header = LinuxSllSlice::from_slice(frame).ok()?;
    let direction = cooked_direction(header.packet_type());
    let LinuxSllProtocolType::EtherType(kind) = header.protocol_type() else { return None };
    datagram(LaxSlicedPacket::from_ether_type(kind, header.payload_slice()), direction)
}

/// Protocol 2, reserved 2, interface 4, hardware 2, packet type 1, address length 1, address 8.
fn cooked_2(frame: &[u8]) -> Option<Datagram<'_>> {
    let (header, packet) = frame.split_at_checked(20)?;
    let protocol = u16::from_be_bytes([header[0], header[1]]);
    let kind = LinuxSllPacketType::try_from(u16::from(header[10])).ok()?;
    let packet = LaxSlicedPacket::from_ether_type(EtherType(protocol), packet);
    datagram(packet, cooked_direction(kind))
}

fn cooked_direction(kind: LinuxSllPacketType) -> Direction {
    match kind {
        LinuxSllPacketType::OUTGOING => Direction::Out,
        LinuxSllPacketType::HOST => Direction::In,
        _ => Direction::Unsaid,
    }
}

fn datagram(packet: LaxSlicedPacket<'_>, direction: Direction) -> Option<Datagram<'_>> {
    let (source, destination): (IpAddr, IpAddr) = match &packet.net? {
        LaxNetSlice::Ipv4(ip) => {
            (ip.header().source_addr().into(), ip.header().destination_addr().into())
        }
        LaxNetSlice::Ipv6(ip) => {
            (ip.header().source_addr().into(), ip.header().destination_addr().into())
        }
        LaxNetSlice::Arp(_) => return None,
    };
    let Some(TransportSlice::Udp(udp)) = packet.transport else { return None };
    Some(Datagram {
        source: (source, udp.source_port()),
        destination: (destination, udp.destination_port()),
        payload: udp.payload(),
        bytes: u32::from(udp.length()).saturating_sub(8),
        direction,
    })
}
