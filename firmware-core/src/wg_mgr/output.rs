//! What the manager asks for, and what it reports of itself.
use core::net::{Ipv4Addr, SocketAddrV4};

use heapless::Vec;

use super::derp::RelayQueue;
use super::keys::NodeKey;
use super::peers::PeerIndex;
use super::wire::{
    CALL_ME_MAYBE_ENTRIES_MAX, DATA_MIN, DataSeal, INITIATION_LEN, RESPONSE_LEN, SealedPacket,
    TunnelPacket,
};
use crate::charge::CostKey;
use crate::time::{Duration, Instant};
use crate::wake::Wake;

/// Outputs that one step can have.
pub const OUTPUTS_MAX: usize = 6;
/// Direct destinations of one packet: the source or best endpoint, and every candidate.
pub const DESTINATIONS_MAX: usize = CALL_ME_MAYBE_ENTRIES_MAX + 1;

/// The result of a step. The outputs take effect, in order, once the charge has elapsed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "what a core asks for must be carried out"]
pub struct Outputs {
    /// The costed operation that this step was.
    pub charge: Option<CostKey>,
    /// What takes effect.
    pub list: Vec<Output, OUTPUTS_MAX>,
    /// When to call again if no queue was asked for; `None` lets the last request stand.
    pub wake: Option<Wake>,
}

/// One effect of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Take one element from this queue; it, or its emptiness, is the next input.
    Receive(Queue),
    /// Send a DISCO packet.
    Send(Send),
    /// Hand a packet to the tunnel: only with [`super::config::Tunnel::HandedOn`].
    ToTunnel(TunnelPacket),
    /// Write the peer cache to flash; the blob is [`super::store::Store::encode`]'s.
    WriteStore {
        /// Its length.
        bytes: u32,
    },
    /// Something happened that counts.
    Note(Note),
    /// Send a tunnel packet.
    Transmit(Transmit),
    /// Hand the payload of the packet just taken to the network stack; it stands in the packet, see
    /// [`super::wire::data_payload`].
    Deliver {
        /// Who sent it.
        peer: PeerIndex,
        /// The same, by address in the tailnet.
        from: Ipv4Addr,
        /// Bytes of the padded payload.
        length: u16,
    },
    /// The home relay is to be that of this region: the relay task reconnects (WG-REHOME-1).
    Rehome {
        /// The region.
        region: u16,
    },
}

/// A tunnel packet and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transmit {
    /// The packet, or what makes it of the payload.
    pub message: TunnelMessage,
    /// Whom it is for.
    pub peer: PeerIndex,
    /// The same, by node key: how a relay finds it.
    pub node: NodeKey,
    /// Where it goes directly, if anywhere.
    pub direct: Option<SocketAddrV4>,
    /// Whether it, or a copy, goes through the relay.
    pub relay: bool,
    /// In which of the relay's send queues (WG-DERP-1).
    pub queue: RelayQueue,
}

/// A tunnel packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TunnelMessage {
    /// A handshake initiation.
    Initiation([u8; INITIATION_LEN]),
    /// A handshake response.
    Response([u8; RESPONSE_LEN]),
    /// A data packet without payload.
    Keepalive([u8; DATA_MIN]),
    /// A data packet around the payload that the driver holds.
    Data(DataSeal),
}

impl TunnelMessage {
    /// Length of the packet around a payload of `payload` bytes; handshake messages and keepalives
    /// carry none.
    pub const fn len(&self, payload: usize) -> usize {
        match self {
            Self::Initiation(_) => INITIATION_LEN,
            Self::Response(_) => RESPONSE_LEN,
            Self::Keepalive(_) => DATA_MIN,
            Self::Data(_) => DataSeal::packet_len(payload),
        }
    }

    /// Writes the packet to the beginning of `into` and returns its length; `None` when `into` is
    /// too short.
    pub fn write(&self, payload: &[u8], into: &mut [u8]) -> Option<usize> {
        let bytes = match self {
            Self::Initiation(bytes) => &bytes[..],
            Self::Response(bytes) => &bytes[..],
            Self::Keepalive(bytes) => &bytes[..],
            Self::Data(seal) => return seal.write(payload, into),
        };
        into.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(bytes.len())
    }
}

/// Why an initiation was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InitiationReason {
    /// There is no session and the peer is marked active: once more (WG-HS-2).
    Retry,
    /// Our session is old and was used (WG-HS-3).
    Rekey,
    /// The peer's session is old (WG-HS-2).
    Renew,
    /// The priority peer was entered (WG-ADD-2).
    Added,
    /// A direct path was given up (WG-LEASE-1).
    Demoted,
    /// The peer of a protective stop has no session, or is not healthy (WG-WAKE-1).
    Wake,
    /// It answered through the relay but has no session.
    RelayPong,
    /// Its direct path changed (WG-PATH-1).
    PathChanged,
    /// It was reached directly for the first time (WG-PATH-1).
    FirstPath,
}

/// The queues that the manager takes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// Tunnel packets, heartbeats among them.
    Tunnel,
    /// DISCO packets.
    Disco,
    /// Peer updates.
    Updates,
}

/// A sealed packet and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Send {
    /// The packet.
    pub packet: SealedPacket,
    /// What is in it.
    pub kind: MessageKind,
    /// Whom it is for.
    pub peer: PeerIndex,
    /// The same, by node key: how a relay finds it.
    pub node: NodeKey,
    /// Direct destinations, each getting the same bytes.
    pub direct: Vec<SocketAddrV4, DESTINATIONS_MAX>,
    /// Whether a copy goes through the relay.
    pub relay: bool,
    /// In which of the relay's send queues (WG-DERP-1).
    pub queue: RelayQueue,
}

/// The kinds of DISCO message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageKind {
    /// A ping.
    Ping,
    /// A pong.
    Pong,
    /// A CallMeMaybe.
    CallMeMaybe,
}

/// What a driver may count. Each variant is one counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Note {
    /// A box was opened, or tried.
    Opened {
        /// Whether the sender's key is an active peer's.
        known: bool,
        /// Whether it opened.
        genuine: bool,
    },
    /// A packet or update went no further.
    Refused(Refusal),
    /// An unknown key was taken over as a peer's new one (WG-RESCUE-1).
    Rescued(PeerIndex),
    /// A pong was matched with its ping.
    Matched {
        /// The peer.
        peer: PeerIndex,
        /// From ping to pong.
        round_trip: Duration,
        /// Whether it came directly.
        direct: bool,
    },
    /// A direct path is in use from now on.
    PathUp(PeerIndex),
    /// A direct path is given up.
    PathDown {
        /// The peer.
        peer: PeerIndex,
        /// Why.
        why: PathLoss,
    },
    /// A ping was not sent.
    PingSkipped(PeerIndex),
    /// A ping went out untracked: the probe table is full.
    PingUntracked(PeerIndex),
    /// A heartbeat ping fell due (WG-HB-1).
    HeartbeatDue(PeerIndex),
    /// An upgrade ping fell due (WG-HB-2).
    UpgradeDue(PeerIndex),
    /// A peer was entered.
    Added {
        /// Its slot.
        peer: PeerIndex,
        /// Whether it has a tunnel.
        tunnel: bool,
        /// Whether another peer was evicted for it.
        evicted: bool,
    },
    /// A peer was refreshed.
    Refreshed(PeerIndex),
    /// A peer was taken out.
    Removed(PeerIndex),
    /// The loop has ended.
    Stopped,
    /// An initiation was sent.
    Initiated {
        /// To whom.
        peer: PeerIndex,
        /// Why.
        why: InitiationReason,
    },
    /// A session is ready for use.
    SessionUp {
        /// With whom.
        peer: PeerIndex,
        /// Whether we started it.
        initiator: bool,
    },
    /// The current session has come to its end (WG-HS-3).
    SessionDown(PeerIndex),
    /// A peer without a session is no longer marked active (WG-HS-1).
    ActiveCleared(PeerIndex),
    /// Initiations to a silent peer have ended; a what-if.
    InitiationsGivenUp(PeerIndex),
    /// An authentic packet came from another endpoint: packets go there from now on (WG-PATH-1).
    Roamed(PeerIndex),
    /// A pong from another endpoint changed nothing: the path in use is kept (WG-PATH-1).
    PathKept(PeerIndex),
    /// A path flapped; the next attempt waits this long (WG-FLAP-1).
    BackedOff {
        /// The peer.
        peer: PeerIndex,
        /// From now.
        span: Duration,
    },
    /// More relay regions are wanted than there are connections (WG-REHOME-1).
    RelayPoolFull,
}

/// Why a direct path was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathLoss {
    /// Its trust ran out (WG-LEASE-1).
    TrustExpired,
    /// The priority peer was silent for too long (WG-LEASE-2).
    Silent,
}

/// Why a packet or update went no further. Order of declaration is order of checking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Refusal {
    /// Shorter than a DISCO header, or without its magic.
    NotDisco,
    /// DISCO is switched off.
    DiscoDisabled,
    /// The key gives everybody the same secret (strict rule of PF-95).
    LowOrderKey,
    /// The peer is not on the allowlist.
    NotAllowed,
    /// There is no tag.
    NoTag,
    /// Longer than a datagram can be.
    TooLong,
    /// The box did not open.
    Forged,
    /// The plaintext ends too early.
    TooShort,
    /// The message type is not known.
    UnknownType,
    /// The sender is no peer and names none.
    UnknownSender,
    /// The claim to be a peer was not believed (strict rule of PF-94).
    ClaimRefused,
    /// The last pong to this peer was too short a while ago.
    PongTooSoon,
    /// The pong belongs to no pending ping.
    PongUnmatched,
    /// The same pong came before.
    PongDuplicate,
    /// The pong's ping was sent to a slot that is gone or has a new owner.
    PongOrphaned,
    /// The last CallMeMaybe of this peer was too short a while ago.
    CallMeMaybeTooSoon,
    /// The peer table is full.
    TableFull,
    /// The update names no peer of ours.
    NoSuchPeer,
    /// A tunnel packet with no valid type and length.
    TunnelMalformed,
    /// The second copy of a tunnel packet (WG-DEDUP-1).
    TunnelCopy,
    /// An answer to a question that was not asked.
    Unexpected,
    /// A handshake message whose sender did not know whom it writes to (WG-HS-4).
    Mac1Wrong,
    /// More initiations in this pass than may be answered; a what-if.
    InitiationsOverBudget,
    /// An initiation whose static field does not open, or names no peer with a tunnel.
    InitiatorUnknown,
    /// A handshake message whose sender does not hold the key that it should.
    HandshakeForged,
    /// An initiation no newer than the last one accepted (WG-HS-4).
    TimestampNotNewer,
    /// An initiation too short a time after the last one (WG-HS-4).
    InitiationTooSoon,
    /// A response to no initiation of ours, or to one that was replaced.
    ResponseUnmatched,
    /// Data for a session that is not there.
    SessionUnknown,
    /// Data for a session past its end (WG-HS-3).
    SessionExpired,
    /// Data that is not genuine.
    DataForged,
    /// Genuine data that came before, or is too old to tell (WG-REPLAY-1).
    CounterReplayed,
    /// A cookie reply; this firmware has no use for one.
    CookieIgnored,
    /// An application sends to an address that has no tunnel.
    NoTunnel,
    /// An application sends to a peer with whom there is no session to send in.
    NoSession,
}

impl Outputs {
    /// Nothing at all; the last request stands.
    pub(crate) fn none() -> Self {
        Self { charge: None, list: Vec::new(), wake: None }
    }

    /// A step that cost something; it goes on once that has elapsed.
    pub(crate) fn charged(charge: CostKey, now: Instant) -> Self {
        Self { charge: Some(charge), list: Vec::new(), wake: Some(Wake::now(now)) }
    }

    /// Adds an effect.
    pub(crate) fn push(&mut self, output: Output) {
        self.list.push(output).expect("no step has more effects than OUTPUTS_MAX");
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, note: Note) {
        self.push(Output::Note(note));
    }
}
