//! What a foreign file says happened, in words that are the same for every format.
//!
//! ```text
//!   log line ─┐                    ┌─ Packet    something went over a wire
//!   datagram ─┼─► Event { at } ────┼─ Opened    a box was opened, and how long that took
//!   table row ┤                    ├─ Read      one READ of the C64's side
//!   span ─────┘                    └─ Gap       something is missing here, and why
//! ```
//!
//! None of it is an input that a core could take: a log line has no key and a capture no queue. What
//! each format lacks for that is in [`lacks`](super::lacks).
use std::net::SocketAddrV4;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::output::Queue;
use serde::Deserialize;

/// One thing that a foreign file says happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, by the clock that the file was written with.
    pub at: Instant,
    /// What.
    pub what: Seen,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// A packet went over a wire, or a log line names one.
    Packet(Packet),
    /// A packet of a capture, with its addresses and the beginning of its payload.
    Frame(Frame),
    /// A box was opened.
    Opened {
        /// What is known of its sender.
        sender: Sender,
        /// How long it took, if the file says so.
        took: Option<Duration>,
    },
    /// Packets were dropped because a queue was full.
    Shed {
        /// The queue.
        queue: Queue,
        /// How many.
        count: u64,
    },
    /// Something that has a name but no further shape.
    Mark {
        /// What.
        mark: Mark,
        /// The peer concerned.
        peer: Option<PeerRef>,
        /// The number that goes with it: bytes written, milliseconds, a count.
        value: Option<u64>,
    },
    /// One READ.
    Read(Read),
    /// What the device had counted.
    Counters(Counters),
    /// A task works on something from here on.
    Span {
        /// What it worked on.
        name: Name,
        /// The task.
        task: Name,
        /// The CPU, if the file says so.
        core: Option<u8>,
        /// How long.
        took: Duration,
    },
    /// A task reports a moment.
    Moment {
        /// What.
        name: Name,
        /// The task.
        task: Name,
        /// The CPU, if the file says so.
        core: Option<u8>,
    },
    /// A counter has this value from now on.
    Level {
        /// The counter.
        name: Name,
        /// Its value.
        value: i64,
    },
    /// Work is handed from one task to another.
    Flow {
        /// Which hand-over: its ends have the same number.
        id: u64,
        /// Which end of it.
        end: FlowEnd,
        /// The task at this end.
        task: Name,
    },
    /// Something is missing here.
    Gap {
        /// Why.
        why: GapReason,
        /// How many lines, rows or packets.
        count: u64,
    },
}

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Towards the device or away from it.
    pub direction: Direction,
    /// What it is.
    pub class: Class,
    /// The peer at the other end.
    pub peer: Option<PeerRef>,
    /// Payload bytes of the datagram; 0 when the file does not say.
    pub bytes: u32,
    /// Its number: the counter of a data packet, or the number that the file gives it.
    pub number: Option<u64>,
    /// The way it took.
    pub via: Route,
}

/// Bytes of a payload that are kept: a DISCO packet's magic and its sender's key.
pub const FRAME_HEAD: usize = 38;

/// A packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What is known of it in every format.
    pub packet: Packet,
    /// Who sent it.
    pub source: SocketAddrV4,
    /// To whom.
    pub destination: SocketAddrV4,
    /// The beginning of its payload; zeros behind what was captured.
    pub head: [u8; FRAME_HEAD],
}

impl Seen {
    /// The packet, where it is one.
    pub const fn packet(&self) -> Option<&Packet> {
        match self {
            Self::Packet(packet) | Self::Frame(Frame { packet, .. }) => Some(packet),
            _ => None,
        }
    }
}

/// Which way a packet went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Direction {
    /// To the device.
    In,
    /// From the device.
    Out,
    /// Nobody said which address is the device's.
    #[default]
    Unsaid,
}

/// The way a packet took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Route {
    /// Over UDP.
    Direct,
    /// Through a relay.
    Relay,
    /// Nobody said.
    #[default]
    Unsaid,
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Class {
    /// A heartbeat of the protective stop, or its reply.
    Heartbeat,
    /// A DISCO packet; what is in its box is not known.
    Disco,
    /// A DISCO packet whose sender has no key in the peer table.
    DiscoUnknown,
    /// A DISCO packet whose sender has its key in the peer table.
    DiscoKnown,
    /// A DISCO ping.
    Ping,
    /// A DISCO pong.
    Pong,
    /// A DISCO CallMeMaybe.
    CallMeMaybe,
    /// A handshake's first message.
    Initiation,
    /// A handshake's second message.
    Response,
    /// A cookie reply.
    Cookie,
    /// Data of a session.
    Data,
    /// STUN.
    Stun,
    /// None of these; it rides in the tunnel's queue.
    Other,
}

/// What a log says of the sender of a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Sender {
    /// Its key is in the peer table.
    Known,
    /// It is not.
    Unknown,
    /// Nothing.
    #[default]
    Unsaid,
}

/// A peer, without its address or key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PeerRef {
    /// By the id that the file or the mapping gives it.
    Listed(u32),
    /// The nth address or key, from 0 on, that no list names.
    Unlisted(u32),
}

/// Something that has a name but no further shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Mark {
    /// The device gave its bond up and made a new one.
    Rebond,
    /// The verdict became stop.
    Stop,
    /// A direct path came into use.
    PathUp,
    /// A direct path was given up.
    PathDown,
    /// A peer was added.
    PeerAdded,
    /// A peer was removed.
    PeerRemoved,
    /// The peer cache was written; the value is its bytes.
    StoreWritten,
    /// A session was established.
    SessionUp,
    /// A pass of the loop ended; the value is its milliseconds.
    Pass,
    /// The device started.
    Started,
}

/// One READ, as the neutral table of the C64's side has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Its number.
    pub number: u64,
    /// Bytes asked for.
    pub asked: u32,
    /// How it ended.
    pub kind: ReadKind,
    /// Bytes that came.
    pub bytes: u32,
    /// From the push to the first block being valid.
    pub round_trip: Duration,
    /// From the push to the end of the poll.
    pub total: Duration,
    /// Blocks.
    pub blocks: u8,
    /// Whether the error bit was set after the push.
    pub error_bit: bool,
    /// The status line.
    pub status: Name,
}

/// How a READ ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadKind {
    /// With data.
    Data,
    /// With nothing yet.
    Idle,
    /// With the end of the stream.
    End,
    /// With an error.
    Error,
}

/// What a device had counted, by its own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Whole seconds since it was switched on.
    pub uptime_s: u64,
    /// Heartbeats sent.
    pub sent: u64,
    /// Replies received.
    pub replies: u64,
    /// Times it gave its bond up and made a new one.
    pub rebonds: u64,
}

/// A text that is written once and referred to by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(pub u32);

/// Which end of a hand-over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FlowEnd {
    /// Where it begins.
    Start,
    /// In between.
    Step,
    /// Where it arrives.
    Finish,
}

/// Why something is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapReason {
    /// Log lines of two cores were written into each other.
    Torn,
    /// The file ends in the middle of a record.
    Truncated,
    /// A row was rejected.
    Rejected,
    /// The device restarted; its clock began anew and goes on here.
    Restarted,
    /// The capture says that it dropped packets.
    Dropped,
}
