//! The words that a record can choose from, each with its number in the file.
//!
//! The list of an enum stands here once. Its `put` is an exhaustive match, so a variant that the
//! core gains does not compile until it has a number here; a number once given keeps its meaning.
use firmware_core::charge::CostKey;
use firmware_core::m3_read::registers::Register;
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::derp::RelayQueue;
use firmware_core::wg_mgr::output::{InitiationReason, MessageKind, PathLoss, Queue, Refusal};
use firmware_core::wg_mgr::wire::PacketClass;

use super::field::{Broken, Cursor, Field, put_uint};

macro_rules! choice {
    ($type:ty { $($variant:ident = $number:literal $word:literal,)+ }) => {
        impl Field for $type {
            fn kind() -> String {
                concat!("choice(" $(, $number, "=", $word, " ")+).trim_end().to_owned() + ")"
            }

            fn put(&self, out: &mut Vec<u8>) {
                put_uint(out, match self { $(Self::$variant => $number,)+ });
            }

            fn take(from: &mut Cursor<'_>) -> Result<Self, Broken> {
                match from.uint()? {
                    $($number => Ok(Self::$variant),)+
                    other => Err(Broken::value(other, stringify!($type))),
                }
            }

            fn show(&self, out: &mut String) {
                out.push_str(match self { $(Self::$variant => $word,)+ });
            }
        }
    };
}
pub(crate) use choice;

/// Why records are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GapReason {
    /// The file ends in the middle of a block.
    Cut,
    /// The file ends with a whole block, but without its end block.
    Unfinished,
    /// A block, or what lies between two, is not what was written.
    Damaged,
    /// A recorder without room dropped the newest events.
    Dropped,
    /// A recorder without room overwrote its oldest events.
    Overwritten,
    /// The source of an import had a hole.
    Missed,
    /// Writing was broken off and taken up again later.
    Resumed,
}

choice!(GapReason {
    Cut = 0 "cut",
    Unfinished = 1 "unfinished",
    Damaged = 2 "damaged",
    Dropped = 3 "dropped",
    Overwritten = 4 "overwritten",
    Missed = 5 "missed",
    Resumed = 6 "resumed",
});

/// Whose packet it is, as far as the recorder knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody knows.
    Unknown,
    /// A peer of the tailnet.
    Peer,
    /// The protective stop.
    Heartbeat,
    /// Somebody who is no peer.
    Flood,
    /// A peer of the tailnet, through its tunnel.
    Tunnel,
}

choice!(Origin {
    Unknown = 0 "unknown",
    Peer = 1 "peer",
    Heartbeat = 2 "heartbeat",
    Flood = 3 "flood",
    Tunnel = 4 "tunnel",
});

/// Where a packet was lost before the core could take it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DropPlace {
    /// The socket's mailbox was full.
    Mailbox,
    /// There was no memory for it.
    Memory,
    /// The tunnel queue was full.
    TunnelQueue,
    /// The DISCO queue was full.
    DiscoQueue,
    /// The receive task takes it for nothing of the manager's.
    Classifier,
}

choice!(DropPlace {
    Mailbox = 0 "mailbox",
    Memory = 1 "memory",
    TunnelQueue = 2 "tunnel_queue",
    DiscoQueue = 3 "disco_queue",
    Classifier = 4 "classifier",
});

/// What a tunnel packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TunnelKind {
    /// A handshake initiation.
    Initiation,
    /// A handshake response.
    Response,
    /// A cookie reply.
    Cookie,
    /// Data of a session.
    Data,
    /// None of these.
    Malformed,
    /// Data without payload.
    Keepalive,
}

choice!(TunnelKind {
    Initiation = 0 "initiation",
    Response = 1 "response",
    Cookie = 2 "cookie",
    Data = 3 "data",
    Malformed = 4 "malformed",
    Keepalive = 5 "keepalive",
});

/// At which check a handshake message fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// At none.
    Genuine,
    /// Its sender does not hold the key that it should.
    Forged,
    /// Its static field does not open.
    StaticForged,
    /// Its sender did not know whom it writes to.
    Mac1Wrong,
}

choice!(Standing {
    Genuine = 0 "genuine",
    Forged = 1 "forged",
    StaticForged = 2 "static_forged",
    Mac1Wrong = 3 "mac1_wrong",
});

choice!(RelayQueue { Safety = 0 "safety", Normal = 1 "normal", });

choice!(InitiationReason {
    Retry = 0 "retry",
    Rekey = 1 "rekey",
    Renew = 2 "renew",
    Added = 3 "added",
    Demoted = 4 "demoted",
    Wake = 5 "wake",
    RelayPong = 6 "relay_pong",
    PathChanged = 7 "path_changed",
    FirstPath = 8 "first_path",
});

/// How loud a line of a log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// An error.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Info,
    /// For whoever looks for a fault.
    Debug,
    /// Everything.
    Verbose,
}

choice!(LogLevel { Error = 0 "E", Warning = 1 "W", Info = 2 "I", Debug = 3 "D", Verbose = 4 "V", });

/// Which way a captured frame went, seen from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// To the device.
    In,
    /// From the device.
    Out,
    /// Neither address is the device's, or nobody said which is.
    Unknown,
}

choice!(Direction { In = 0 "in", Out = 1 "out", Unknown = 2 "unknown", });

/// What one READ gave, in the words of the neutral CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReadKind {
    /// Bytes.
    Data,
    /// Nothing yet.
    Idle,
    /// The stream's end.
    Eof,
    /// An error.
    Err,
}

choice!(ReadKind { Data = 0 "data", Idle = 1 "idle", Eof = 2 "eof", Err = 3 "err", });

choice!(CostKey {
    DiscoReject = 0 "disco_reject",
    BoxOpenComputed = 1 "box_open_computed",
    BoxOpenCached = 2 "box_open_cached",
    BoxSealComputed = 3 "box_seal_computed",
    BoxSealCached = 4 "box_seal_cached",
    PeerAdd = 5 "peer_add",
    PeerUpdate = 6 "peer_update",
    TunnelData = 7 "tunnel_data",
    TunnelReject = 8 "tunnel_reject",
    InitiationReceived = 9 "initiation_received",
    ResponseReceived = 10 "response_received",
    StoreWrite = 11 "store_write",
    InitiationSent = 12 "initiation_sent",
    InitiationRefused = 13 "initiation_refused",
    TunnelDataSent = 14 "tunnel_data_sent",
});

choice!(Queue { Tunnel = 0 "tunnel", Disco = 1 "disco", Updates = 2 "updates", });

choice!(MessageKind { Ping = 0 "ping", Pong = 1 "pong", CallMeMaybe = 2 "call_me_maybe", });

choice!(PathLoss { TrustExpired = 0 "trust_expired", Silent = 1 "silent", });

choice!(PacketClass {
    Stun = 0 "stun",
    Disco = 1 "disco",
    Tunnel = 2 "tunnel",
    Dropped = 3 "dropped",
});

choice!(WakeReason {
    Continue = 0 "continue",
    PassDelay = 1 "pass_delay",
    OpensSpent = 2 "opens_spent",
    AddsSpent = 3 "adds_spent",
    Registration = 4 "registration",
    Stopped = 5 "stopped",
});

choice!(Refusal {
    NotDisco = 0 "not_disco",
    DiscoDisabled = 1 "disco_disabled",
    LowOrderKey = 2 "low_order_key",
    NotAllowed = 3 "not_allowed",
    NoTag = 4 "no_tag",
    TooLong = 5 "too_long",
    Forged = 6 "forged",
    TooShort = 7 "too_short",
    UnknownType = 8 "unknown_type",
    UnknownSender = 9 "unknown_sender",
    ClaimRefused = 10 "claim_refused",
    PongTooSoon = 11 "pong_too_soon",
    PongUnmatched = 12 "pong_unmatched",
    PongDuplicate = 13 "pong_duplicate",
    PongOrphaned = 14 "pong_orphaned",
    CallMeMaybeTooSoon = 15 "call_me_maybe_too_soon",
    TableFull = 16 "table_full",
    NoSuchPeer = 17 "no_such_peer",
    TunnelMalformed = 18 "tunnel_malformed",
    TunnelCopy = 19 "tunnel_copy",
    Unexpected = 20 "unexpected",
    Mac1Wrong = 21 "mac1_wrong",
    InitiationsOverBudget = 22 "initiations_over_budget",
    InitiatorUnknown = 23 "initiator_unknown",
    HandshakeForged = 24 "handshake_forged",
    TimestampNotNewer = 25 "timestamp_not_newer",
    InitiationTooSoon = 26 "initiation_too_soon",
    ResponseUnmatched = 27 "response_unmatched",
    SessionUnknown = 28 "session_unknown",
    SessionExpired = 29 "session_expired",
    DataForged = 30 "data_forged",
    CounterReplayed = 31 "counter_replayed",
    CookieIgnored = 32 "cookie_ignored",
    NoTunnel = 33 "no_tunnel",
    NoSession = 34 "no_session",
});

choice!(Register {
    BusId = 0 "bus_id",
    Control = 1 "control",
    Command = 2 "command",
    Response = 3 "response",
    Text = 4 "text",
});
