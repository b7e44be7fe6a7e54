//! One fetch of one page, from switching on to the last byte of the body.
//!
//! ```text
//!   startup ─► address ─► open ─► request ─► READ, consume, READ, consume, … ─► verdict
//!      └──────────┴─────────┴────────┴─ refused: the run ends here, with the client's code and line
//! ```
use super::bus::{Bus, Faults};
use super::consumer::verdict::{Stop, carry};
use super::consumer::{Consumer, Taken};
use super::engine::Engine;
use super::fetch::{Fetch, FetchError};
use super::outcome::{Outcome, ReadRecord, Stage, StatusLine, Way};
use super::parameters::Parameters;
use crate::random::Streams;
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::input::{Input, OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{
    Done, Ending as StreamEnd, Next, Output, PollOutcome, WriteOutcome,
};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::ring::RING_BYTES;
use firmware_core::time::{Duration, Instant};

/// The host that every fetch names; the published page's has as many letters.
const HOST: &[u8] = b"en.page.example.";
/// What is sent to it.
const REQUEST: &[u8] = b"GET /page HTTP/1.1\r\nHost: en.page.example\r\nConnection: close\r\n\r\n";
/// Bus cycles without a byte before the consumer gives up: 6 000 units of the deadline clock.
const QUIET_CYCLES: u64 = 6_000 * 10_227;

/// Who is told of every step of the client: when, with what, and what it gave.
pub type Watch<'w> = &'w mut dyn FnMut(Instant, Input, &Output);

/// The client, the bus, and what the consumer has.
struct World<'a> {
    fetch: &'a Fetch,
    watch: Watch<'a>,
    reader: M3Read,
    bus: Bus,
    ring: Vec<u8>,
    consumer: Consumer,
    foreign_bytes: u32,
    reads: Vec<ReadRecord>,
    /// The connection and the status line as they were before a broken session was closed.
    left: (Connection, StatusLine),
}

/// How far a fetch came, and why it ended there.
enum End {
    /// The session did not come to stand.
    Refused(Stage),
    /// The HTTP layer stopped reading.
    Stopped(Stop),
    /// Whoever watched did not want to go on.
    Interrupted,
}

/// Fetches a page. After each READ `goes_on` is asked whether to. A session that does not come to
/// stand is an outcome like any other.
///
/// # Errors
/// [`FetchError`] when something cannot be set up.
pub fn fetch(fetch: &Fetch, goes_on: &mut dyn FnMut(Way) -> bool) -> Result<Outcome, FetchError> {
    fetch_watched(fetch, goes_on, &mut |_, _, _| {})
}

/// Fetches a page as [`fetch`] does, and tells of every step of the client.
///
/// # Errors
/// As [`fetch`].
pub fn fetch_watched(
    fetch: &Fetch,
    goes_on: &mut dyn FnMut(Way) -> bool,
    watch: Watch<'_>,
) -> Result<Outcome, FetchError> {
    fetch.check()?;
    let stream = Streams::new(fetch.seed).of("engine", "excess");
    let engine = Engine::new(&fetch.parameters, fetch.step_bytes, fetch.source(), stream);
    let faults = Faults { late: fetch.late, clock_stands_still: fetch.clock_stands_still };
    let mut world = World {
        fetch,
        watch,
        reader: M3Read::new(fetch.config).map_err(FetchError::Config)?,
        bus: Bus::new(fetch.config, &fetch.parameters, engine, faults)?,
        ring: vec![0; usize::from(RING_BYTES)],
        consumer: Consumer::with_sink(fetch.sink_bytes),
        foreign_bytes: 0,
        reads: Vec::new(),
        left: (Connection::Closed, StatusLine::default()),
    };
    let end = match world.connect()? {
        Some(stage) => End::Refused(stage),
        None => world.read_body(&fetch.parameters, goes_on)?,
    };
    let connection = world.reader.connection();
    world.left = (connection, StatusLine::of(world.reader.status_line()));
    if connection == Connection::Error {
        world.run(Request::Close)?;
    }
    Ok(world.outcome(&end))
}

impl World<'_> {
    /// From switching on to the request being sent; the stage that failed, if one did.
    fn connect(&mut self) -> Result<Option<Stage>, FetchError> {
        if !matches!(self.run(Request::Startup)?, Done::Startup(Ok(()))) {
            return Ok(Some(Stage::Startup));
        }
        self.bus.counts.closes = 0;
        if !matches!(self.run(Request::Address)?, Done::Address(Ok(_))) {
            return Ok(Some(Stage::Address));
        }
        self.bus.set_source(HOST);
        let host_bytes = u16::try_from(HOST.len()).unwrap_or(u16::MAX);
        let open = OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes };
        if !matches!(self.run(Request::Open(open))?, Done::Open(Ok(()))) {
            return Ok(Some(Stage::Open));
        }
        self.bus.set_source(REQUEST);
        let length = u16::try_from(REQUEST.len()).unwrap_or(u16::MAX);
        let sent = self.run(Request::Write { length })?;
        // The client reads until there is nothing before it writes (ER-21), and the server says
        // nothing before it is asked.
        for &(at, round_trip) in &self.bus.read_pushes {
            let outcome = PollOutcome::Idle;
            self.reads.push(ReadRecord { at, round_trip, whole: round_trip, outcome });
        }
        let refused = !matches!(sent, Done::Write(WriteOutcome::Sent));
        Ok(refused.then_some(Stage::Request))
    }

    /// READs until the body is complete, the stream has ended or nothing comes any more. Whatever a
    /// READ has put into the ring is consumed, also when the reply had a hole behind it.
    fn read_body(
        &mut self,
        parameters: &Parameters,
        goes_on: &mut dyn FnMut(Way) -> bool,
    ) -> Result<End, FetchError> {
        let patience = Duration::from_nanos(QUIET_CYCLES * 1_000_000_000 / parameters.phi2_hz);
        let mut quiet_since = self.bus.c64.now();
        loop {
            let brought_data = matches!(self.poll()?, PollOutcome::Data(_));
            if brought_data {
                quiet_since = self.bus.c64.now();
            }
            self.consume(parameters);
            if let Some(stop) = self.stops() {
                return Ok(End::Stopped(stop));
            }
            if self.bus.c64.now().since(quiet_since) >= patience {
                return Ok(End::Stopped(Stop::Quiet));
            }
            if !goes_on(self.way()) {
                return Ok(End::Interrupted);
            }
        }
    }

    /// Why the HTTP layer would not read on, if it would not.
    fn stops(&self) -> Option<Stop> {
        if self.consumer.is_refused() {
            return Some(Stop::SinkRefused);
        }
        if self.consumer.is_complete() {
            return Some(Stop::Complete);
        }
        match (self.reader.connection(), self.reader.ending()) {
            (Connection::Connected, _) => None,
            (Connection::Closed, Some(ending)) => Some(Stop::Closed(ending)),
            (Connection::Closed | Connection::Error | Connection::ConnectFail, _) => {
                Some(Stop::Broken)
            }
        }
    }

    fn way(&self) -> Way {
        let accesses = self.bus.counts.reads + self.bus.counts.writes;
        Way { now: self.bus.c64.now(), accesses, delivered: self.consumer.taken() }
    }

    fn poll(&mut self) -> Result<PollOutcome, FetchError> {
        let at = self.bus.c64.now();
        match self.run(Request::Poll)? {
            Done::Poll(outcome) => {
                self.record(at, outcome);
                Ok(outcome)
            }
            _ => Err(FetchError::Lost),
        }
    }

    fn record(&mut self, at: Instant, outcome: PollOutcome) {
        let now = self.bus.c64.now();
        let bytes = if let PollOutcome::Data(bytes) = outcome { bytes } else { 0 };
        self.bus.note(u64::from(outcome.number()) << 16 | u64::from(bytes), now.as_nanos());
        let last = self.bus.read_pushes.last().filter(|(pushed_at, _)| *pushed_at >= at);
        let round_trip = last.map_or(Duration::ZERO, |(_, span)| *span);
        let whole = now.since(at);
        self.reads.push(ReadRecord { at, round_trip, whole, outcome });
    }

    /// The consumer takes what lies in the ring, and its time for it.
    fn consume(&mut self, parameters: &Parameters) {
        let ring = self.reader.ring();
        let (head, count) = (ring.head(), ring.filled());
        let mut body_bytes = 0;
        for index in 0..count {
            let byte = self.ring[usize::from((head + index) % RING_BYTES)];
            if self.consumer.take(byte) == Taken::Body {
                body_bytes += 1;
                let sent = self.fetch.page.body_byte(self.consumer.taken() - 1);
                self.foreign_bytes += u32::from(byte != sent);
            }
        }
        let _done = self.step(Input::Request(Request::Consume { count }));
        self.bus.c64.work(u64::from(count) * parameters.consume_cycles_per_byte);
        let sink = Duration::from_nanos(parameters.sink_ns_per_byte).times(body_bytes);
        self.bus.c64.stand(sink);
    }

    fn run(&mut self, request: Request) -> Result<Done, FetchError> {
        let mut input = Input::Request(request);
        loop {
            let output = self.step(input);
            if let Some(store) = output.store {
                self.ring[usize::from(store.at)] = store.byte;
            }
            input = match output.next {
                Next::Access(access) => self.bus.access(access),
                Next::Done(done) => return Ok(done),
                Next::Unexpected => return Err(FetchError::Lost),
            };
        }
    }

    fn step(&mut self, input: Input) -> Output {
        let output = self.reader.step(input);
        (self.watch)(self.bus.c64.now(), input, &output);
        output
    }

    fn outcome(self, end: &End) -> Outcome {
        let Self { fetch, reader, bus, consumer, reads, .. } = self;
        let besides = Duration::from_millis(fetch.parameters.besides_ms);
        let (connection, status_line) = self.left;
        let digest = bus.digest();
        let stop = match *end {
            End::Refused(_) | End::Interrupted => Stop::Broken,
            End::Stopped(stop) => stop,
        };
        Outcome {
            page: bus.c64.now().after(besides).since(Instant::ZERO),
            reads,
            pushes: bus.counts.pushes,
            pushes_rejected: bus.counts.pushes_rejected,
            closes: bus.counts.closes,
            aborts: bus.counts.aborts,
            bus_reads: bus.counts.reads,
            bus_writes: bus.counts.writes,
            delivered: consumer.taken(),
            foreign_bytes: self.foreign_bytes,
            partial: matches!(end, End::Interrupted),
            refused: if let End::Refused(stage) = *end { Some(stage) } else { None },
            status_line,
            connection,
            last_error: reader.last_error(),
            eof_code: match reader.ending() {
                None => 0,
                Some(StreamEnd::Clean) => 1,
                Some(StreamEnd::WithoutNotify) => 5,
            },
            framing: consumer.framing(),
            http_status: consumer.status(),
            chunk_state: consumer.chunk_state(),
            sink_refused: consumer.is_refused(),
            carry: carry(&consumer, stop),
            intact: consumer.crc() == fetch.page.body_crc() && consumer.past_end() == 0,
            violations: bus.counts.violations,
            digest,
        }
    }
}
