//! A packet on its way to the device. What a flood's packet holds is made only when somebody reads
//! it: most are shed unread.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::wire::PacketClass;

/// A packet in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its number: packets that reach the device are counted from 0.
    pub number: u64,
    /// Who sent it.
    pub source: Source,
    /// A peer's packet as it was sealed, and every packet of a run that is recorded; everything else
    /// is made from its source when it is read.
    pub sealed: Box<[u8]>,
    /// The way it came.
    pub via: Via,
    /// What the receive task takes it for.
    pub class: PacketClass,
    /// When it entered the queue that it is in.
    pub arrived: Instant,
}

/// Who sent a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A flood.
    Flood {
        /// The flood.
        flood: u16,
        /// The packet's number.
        index: u64,
    },
    /// The protective stop.
    Heartbeat {
        /// The stream of heartbeats.
        stream: u16,
        /// Its counter in the session.
        counter: u64,
        /// Whether it is the second copy.
        copy: bool,
    },
    /// A peer's tunnel.
    Tunnel {
        /// The peer.
        peer: u16,
        /// What it sent.
        kind: FrameKind,
    },
    /// A peer.
    Peer {
        /// The peer.
        peer: u16,
        /// What it sent.
        kind: MessageKind,
    },
}

impl Source {
    /// Whether it is a message of the protective stop through a session.
    pub const fn is_stop(self) -> bool {
        matches!(self, Self::Tunnel { kind: FrameKind::Stop, .. })
    }
}

/// What a packet is to those who carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// A DISCO packet.
    Disco,
    /// A handshake's initiation.
    Initiation,
    /// A handshake's response.
    Response,
    /// Data, of a keepalive or of an application.
    Data,
    /// Data of the protective stop.
    Stop,
}
