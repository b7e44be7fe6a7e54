//! The kinds of record of what imports make of other people's files, 130 and more.

macro_rules! foreign {
    ($next:ident $(, $after:ident)* { $($before:tt)* }) => { $next! { $($after),* { $($before)*

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
    } } };
}
pub(super) use foreign;
