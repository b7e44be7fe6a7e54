//! A packet on its way to the device. What a flood's packet holds is made only when somebody reads
//! it: most are shed unread.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::wire::PacketClass;

/// A packet in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Who sent it, and what is in it.
    pub content: Content,
    /// The way it came.
    pub via: Via,
    /// What the receive task takes it for.
    pub class: PacketClass,
    /// When it entered the queue that it is in.
    pub arrived: Instant,
}

/// Who sent a packet, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Packet number `index` of a flood.
    Flood {
        /// The flood.
        flood: u16,
        /// The packet's number.
        index: u64,
    },
    /// A data packet of the protective stop.
    Heartbeat {
        /// The stream of heartbeats.
        stream: u16,
        /// Its counter in the session.
        counter: u64,
        /// Whether it is the second copy.
        copy: bool,
    },
    /// A packet of a peer.
    Peer {
        /// The peer.
        peer: u16,
        /// What is in it.
        kind: MessageKind,
        /// Its bytes.
        bytes: Box<[u8]>,
    },
}

impl Content {
    /// Who sent it, as a trace shows it.
    pub fn source(&self) -> Source {
        match *self {
            Self::Flood { flood, index } => Source::Flood { flood, index },
            Self::Heartbeat { stream, counter, copy } => {
                Source::Heartbeat { stream, counter, copy }
            }
            Self::Peer { peer, kind, .. } => Source::Peer { peer, kind },
        }
    }
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
    /// A peer.
    Peer {
        /// The peer.
        peer: u16,
        /// What it sent.
        kind: MessageKind,
    },
}
