//! Every kind of record, once: its number and name in the file, its fields, and what they mean.
//!
//! ```text
//!    1..  about the trace     gaps, marks
//!   10..  the environment     packets as they arrive, updates as they are told
//!   30..  inputs of wg_mgr    what the core was stepped with
//!   60..  outputs of wg_mgr   what it asked for, in its order
//!  100..  m3_read             inputs, then outputs
//!  130..  other people's      log lines, frames, spans, counters: what imports make
//! ```
//!
//! The list generates the enum, the codec, the text form, the redaction and the schema that every
//! file carries. A number once given keeps its meaning; a kind may gain fields only under a new
//! number.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::charge::CostKey;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::Done;
use firmware_core::m3_read::registers::Register;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::output::{MessageKind, PathLoss, Queue, Refusal};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::wire::{Endpoints, PacketClass};

use super::choice::{Direction, DropPlace, GapReason, LogLevel, ReadKind, TunnelKind};
use super::field::{Broken, Cursor, Field, Octets, show};
use super::parts::events;
pub use super::parts::{Arrival, AsRon, Patch, Peer};
use super::redact::Redactor;
use crate::trace::import::{Class, FlowEnd, Mark, Route, Sender};

events! {
    /// Records are missing here.
    1 "gap" Gap {
        /// Why.
        reason: GapReason,
        /// How many, where that is known.
        lost: Option<u64>,
    }
    /// Something that the writer wanted to say at this place.
    2 "mark" Mark {
        /// What.
        text: String,
    }
    /// What is in flash when the device is switched on: one peer of its cache, oldest use first.
    3 "preload" Preload {
        /// The peer.
        peer: Peer,
    }

    /// A DISCO ping reaches the device.
    10 "arrive.ping" ArrivePing {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Who the sender says to be.
        node: Option<NodeKey>,
    }
    /// A DISCO pong.
    11 "arrive.pong" ArrivePong {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// The ping that it answers: the tracked pings of the device, counted from 0. None when it
        /// answers no ping of this trace.
        answers: Option<u64>,
    }
    /// A DISCO CallMeMaybe.
    12 "arrive.call_me_maybe" ArriveCallMeMaybe {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Where the sender can be reached.
        endpoints: Endpoints,
    }
    /// A DISCO box that opens and holds no message.
    13 "arrive.unreadable" ArriveUnreadable {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// The message's type, where it has one that is not known; none when it is too short.
        message_type: Option<u8>,
    }
    /// A DISCO box that does not open.
    14 "arrive.forged" ArriveForged {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Bytes behind the header: tag and ciphertext.
        box_bytes: u32,
    }
    /// A DISCO box that nobody has tried to open: what is in it is not known.
    15 "arrive.unopened" ArriveUnopened {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Bytes behind the header: tag and ciphertext.
        box_bytes: u32,
    }
    /// Anything else: tunnel packets above all.
    16 "arrive.bytes" ArriveBytes {
        /// Number, way and origin.
        arrival: Arrival,
        /// What the receive task takes it for.
        class: PacketClass,
        /// Its first bytes; what is left out are zeros.
        bytes: Octets,
        /// How long it is.
        length: u32,
    }
    /// A packet that has arrived is lost before the core takes it.
    20 "drop" Drop {
        /// Its number.
        packet: u64,
        /// Where.
        place: DropPlace,
    }
    /// The control plane tells of a peer to enter or refresh.
    21 "told.add" ToldAdd {
        /// The peer.
        peer: Peer,
    }
    /// The control plane tells of a peer to take out.
    22 "told.remove" ToldRemove {
        /// Who it is.
        node: NodeKey,
    }
    /// The control plane tells of news about a peer.
    23 "told.patch" ToldPatch {
        /// The news.
        patch: Patch,
    }

    /// The core is stepped because its time has come.
    30 "in.wake" InWake {}
    /// The queue that it asked for is empty.
    31 "in.empty" InEmpty {}
    /// It is given a packet.
    32 "in.packet" InPacket {
        /// The packet's number.
        packet: u64,
    }
    /// It is given a peer to enter or refresh.
    33 "in.add" InAdd {
        /// The peer.
        peer: Peer,
    }
    /// It is given a peer to take out.
    34 "in.remove" InRemove {
        /// Who it is.
        node: NodeKey,
    }
    /// It is given news about a peer.
    35 "in.patch" InPatch {
        /// The news.
        patch: Patch,
    }
    /// The control plane has registered the device.
    40 "in.registered" InRegistered {}
    /// The loop is to end.
    41 "in.shutdown" InShutdown {}
    /// The task is started again.
    42 "in.restart" InRestart {}
    /// The device's endpoint on the local network.
    43 "in.local_endpoint" InLocalEndpoint {
        /// The endpoint.
        endpoint: SocketAddrV4,
    }
    /// The device's endpoint as STUN saw it.
    44 "in.public_endpoint" InPublicEndpoint {
        /// The endpoint.
        endpoint: SocketAddrV4,
    }
    /// A relay was connected.
    45 "in.relay_connected" InRelayConnected {}
    /// The allowlist was replaced.
    46 "in.allow_list" InAllowList {
        /// Its addresses.
        addresses: Vec<Ipv4Addr>,
    }
    /// Another task holds the allowlist's lock, or gives it back.
    47 "in.allow_list_busy" InAllowListBusy {
        /// Whether it holds it.
        busy: bool,
    }
    /// The stored limit on peers was changed.
    48 "in.settings_max_peers" InSettingsMaxPeers {
        /// The limit; 0 is none.
        most: u8,
    }
    /// The write of the peer cache failed.
    49 "in.store_write_failed" InStoreWriteFailed {}

    /// The step was this costed operation.
    60 "out.charge" OutCharge {
        /// Which.
        key: CostKey,
    }
    /// It asks for one element of a queue.
    61 "out.receive" OutReceive {
        /// Which queue.
        queue: Queue,
    }
    /// It sends a DISCO packet.
    62 "out.send" OutSend {
        /// What.
        message: MessageKind,
        /// To the peer in this slot.
        peer: PeerIndex,
        /// Who that is.
        node: NodeKey,
        /// Direct destinations, in their order.
        direct: Vec<SocketAddrV4>,
        /// Whether a copy goes through the relay.
        relay: bool,
    }
    /// It hands a packet to the tunnel.
    63 "out.to_tunnel" OutToTunnel {
        /// What it is.
        packet: TunnelKind,
        /// The session's index, of data; else 0.
        receiver: u32,
        /// The counter, of data; else 0.
        counter: u64,
    }
    /// It writes the peer cache.
    64 "out.write_store" OutWriteStore {
        /// Bytes of the blob.
        bytes: u32,
    }
    /// Note: a box was opened, or tried.
    70 "note.opened" NoteOpened {
        /// Whether the sender's key is an active peer's.
        known: bool,
        /// Whether it opened.
        genuine: bool,
    }
    /// Note: a packet or update went no further.
    71 "note.refused" NoteRefused {
        /// Why.
        why: Refusal,
    }
    /// Note: an unknown key was taken over as a peer's.
    72 "note.rescued" NoteRescued {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a pong was matched with its ping.
    73 "note.matched" NoteMatched {
        /// The peer's slot.
        peer: PeerIndex,
        /// From ping to pong.
        round_trip: Duration,
        /// Whether it came directly.
        direct: bool,
    }
    /// Note: a direct path is in use from now on.
    74 "note.path_up" NotePathUp {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a direct path is given up.
    75 "note.path_down" NotePathDown {
        /// The peer's slot.
        peer: PeerIndex,
        /// Why.
        why: PathLoss,
    }
    /// Note: a ping was not sent.
    76 "note.ping_skipped" NotePingSkipped {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a ping went out untracked.
    77 "note.ping_untracked" NotePingUntracked {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a heartbeat ping fell due.
    78 "note.heartbeat_due" NoteHeartbeatDue {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: an upgrade ping fell due.
    79 "note.upgrade_due" NoteUpgradeDue {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a peer was entered.
    80 "note.added" NoteAdded {
        /// Its slot.
        peer: PeerIndex,
        /// Whether it has a tunnel.
        tunnel: bool,
        /// Whether another was evicted for it.
        evicted: bool,
    }
    /// Note: a peer was refreshed.
    81 "note.refreshed" NoteRefreshed {
        /// Its slot.
        peer: PeerIndex,
    }
    /// Note: a peer was taken out.
    82 "note.removed" NoteRemoved {
        /// Its slot.
        peer: PeerIndex,
    }
    /// Note: the loop has ended.
    83 "note.stopped" NoteStopped {}
    /// It wants to be called again.
    90 "out.wake" OutWake {
        /// When.
        at: Instant,
        /// Why.
        why: WakeReason,
    }
    /// All outputs of a step in short, as the recorder on a device keeps them.
    91 "out.fingerprint" OutFingerprint {
        /// 32 bits over the step's outputs.
        value: u32,
    }

    /// The application asks the READ client for something.
    100 "m3.request" M3Request {
        /// What.
        request: AsRon<Request>,
    }
    /// The client is given the byte of a register.
    101 "m3.byte" M3Byte {
        /// The byte.
        value: u8,
    }
    /// Its write was made.
    102 "m3.written" M3Written {}
    /// It is given the reading of its clock.
    103 "m3.clock" M3Clock {
        /// The reading.
        ticks: u16,
    }
    /// It stores a byte in the ring.
    110 "m3.store" M3Store {
        /// Offset in the ring.
        at: u16,
        /// The byte.
        byte: u8,
    }
    /// It reads a register.
    111 "m3.read" M3Read {
        /// Which.
        register: Register,
    }
    /// It writes a register.
    112 "m3.write" M3Write {
        /// Which.
        register: Register,
        /// What.
        value: u8,
    }
    /// It writes a byte of the caller's buffer to the command register.
    113 "m3.write_source" M3WriteSource {
        /// Offset in the buffer.
        offset: u16,
    }
    /// It reads its clock.
    114 "m3.read_clock" M3ReadClock {}
    /// A request has ended.
    115 "m3.done" M3Done {
        /// How.
        done: AsRon<Done>,
    }
    /// The input answered nothing that was asked.
    116 "m3.unexpected" M3Unexpected {}

    /// A line of a device's log.
    130 "log" Log {
        /// How loud.
        level: LogLevel,
        /// The core that wrote it, where that is known.
        core: Option<u8>,
        /// The component.
        tag: String,
        /// What it says.
        text: String,
    }
    /// A captured datagram.
    131 "frame" Frame {
        /// Which way.
        direction: Direction,
        /// From where.
        source: SocketAddrV4,
        /// To where.
        destination: SocketAddrV4,
        /// Its payload as far as it was captured; zeros at its end are left out.
        bytes: Octets,
        /// How long the payload was.
        length: u32,
    }
    /// Somebody was busy from here on.
    132 "span" Span {
        /// Who: a task, a core.
        track: String,
        /// With what.
        name: String,
        /// For how long.
        length: Duration,
    }
    /// A counter's value from here on.
    133 "counter" Counter {
        /// Which.
        track: String,
        /// The value.
        value: i64,
    }
    /// One READ, as the neutral CSV has it.
    134 "m3.sample" M3Sample {
        /// Its number.
        seq: u64,
        /// Bytes asked for.
        req: u32,
        /// What came.
        kind: ReadKind,
        /// Bytes that came.
        n: u32,
        /// From the push to the first block.
        round_trip: Duration,
        /// The whole call.
        total: Duration,
        /// Blocks of the reply.
        blocks: u32,
        /// Whether the error bit was set after the push.
        err_bit: bool,
        /// The status line.
        status: String,
    }
    /// One sample of the protective stop's counters.
    135 "stop.sample" StopSample {
        /// Uptime as the device says it.
        uptime: Duration,
        /// Heartbeats sent.
        sent: u64,
        /// Replies received.
        replies: u64,
        /// Bonds made anew.
        rebonds: u64,
    }
    /// How the clock of what follows was fitted to this trace's.
    136 "clock_fit" ClockFit {
        /// Whose clock.
        source: String,
        /// This trace's time less that clock's, in nanoseconds.
        offset_ns: i64,
        /// How much faster this trace's clock runs, in parts in a thousand million.
        drift_ppb: i64,
        /// How wrong a time can be.
        plus_minus: Duration,
        /// Points of the fit.
        points: u32,
    }
    /// A line of the source that was not understood.
    137 "unread" Unread {
        /// Its number, counted from 1.
        line: u64,
        /// The line, or its beginning.
        text: String,
    }
    /// An instantaneous event of another tool.
    138 "instant" InstantEvent {
        /// Whose.
        track: String,
        /// What.
        name: String,
    }
    /// A packet that a log line or a table names.
    139 "seen.packet" SeenPacket {
        /// Which way.
        direction: Direction,
        /// What it is.
        class: Class,
        /// The peer's id, where the source has one.
        peer: Option<u32>,
        /// The number of an address or key that no list names, in the order of appearance.
        unlisted: Option<u32>,
        /// Payload bytes; 0 when the source does not say.
        length: u32,
        /// Its counter, its transaction, or the number that the source gives it.
        number: Option<u64>,
        /// The way it took.
        way: Route,
    }
    /// A box was opened, as a log line or a span says.
    140 "seen.opened" SeenOpened {
        /// What is said of its sender.
        sender: Sender,
        /// How long it took, up to this instant.
        took: Option<Duration>,
    }
    /// Packets were dropped because a queue was full, as a log line says.
    141 "seen.shed" SeenShed {
        /// Which queue.
        queue: Queue,
        /// How many.
        count: u64,
    }
    /// Something that has a name and no further shape, as a log line says.
    142 "seen.mark" SeenMark {
        /// What.
        mark: Mark,
        /// The peer's id.
        peer: Option<u32>,
        /// The number of an address or key that no list names.
        unlisted: Option<u32>,
        /// The number that goes with it.
        value: Option<u64>,
    }
    /// Work is handed from one track to another.
    143 "flow" Flow {
        /// Which hand-over: its ends have one number.
        id: u64,
        /// Which end of it.
        end: FlowEnd,
        /// The track at this end.
        track: String,
    }
}

impl Event {
    /// Whether a core was stepped with it.
    pub const fn is_input(&self) -> bool {
        matches!(self.number(), 30..=49 | 100..=103)
    }

    /// Whether it is something that a core's step gave.
    pub const fn is_output(&self) -> bool {
        matches!(self.number(), 60..=91 | 110..=116)
    }

    /// One line: its name and fields.
    pub fn line(&self) -> String {
        let mut out = self.name().to_owned();
        self.show(&mut out);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_kinds_share_a_number_or_a_name() {
        let schema = Event::schema();
        let numbers: BTreeSet<_> = schema.lines().map(|it| it.split(' ').next()).collect();
        let names: BTreeSet<_> = schema.lines().map(|it| it.split(' ').nth(1)).collect();
        assert_eq!(numbers.len(), schema.lines().count());
        assert_eq!(names.len(), schema.lines().count());
    }

    #[test]
    fn an_unknown_kind_is_no_error_and_a_known_one_must_fit_exactly() {
        assert_eq!(Event::take(9_999, &[1, 2, 3]), Ok(None));
        assert_eq!(Event::take(101, &[7]), Ok(Some(Event::M3Byte { value: 7 })));
        assert_eq!(Event::take(101, &[]), Err(Broken::Short("uint")));
        assert_eq!(Event::take(101, &[7, 7]), Err(Broken::Left(1)));
        let width = Event::take(101, &[0x80, 2]);
        assert!(matches!(width, Err(Broken::Value { .. })), "{width:?}");
    }
}
