//! One fetch of one page, from switching on to the last byte of the body.
use super::bus::{Bus, BusError, Late};
use super::consumer::{Consumer, Framing};
use super::engine::Engine;
use super::outcome::{Outcome, ReadRecord, Way};
use super::parameters::Parameters;
use super::server::{Ending, Page, PageError};
use crate::random::Streams;
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::config::{Config, ConfigError};
use firmware_core::m3_read::input::{Input, OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{
    Done, Ending as StreamEnd, Next, Output, PollOutcome, WriteOutcome,
};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::ring::RING_BYTES;
use firmware_core::time::{Duration, Instant};
use models::m3_read::responder::script::RECORD_BYTES;

/// The host that every fetch names; the published page's has as many letters.
const HOST: &[u8] = b"en.page.example.";
/// What is sent to it.
const REQUEST: &[u8] = b"GET /page HTTP/1.1\r\nHost: en.page.example\r\nConnection: close\r\n\r\n";
/// Bus cycles without a byte before the consumer gives up: 6 000 units of the deadline clock.
const QUIET_CYCLES: u64 = 6_000 * 10_227;

/// What is fetched, by which client, on which machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The client.
    pub config: Config,
    /// Machine, engine and consumer.
    pub parameters: Parameters,
    /// The page.
    pub page: Page,
    /// After how many bytes of the body the server stops; all of them by default.
    pub sent_bytes: u32,
    /// What it does then.
    pub ending: Ending,
    /// A continuation that comes late.
    pub late: Option<Late>,
    /// Plaintext bytes of one engine step, 1..=16 384.
    pub step_bytes: u32,
    /// Where chance begins.
    pub seed: u64,
}

/// Why there was no fetch, or none to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// The client's configuration.
    #[error("client.{0}")]
    Config(ConfigError),
    /// The page.
    #[error("page.{0}")]
    Page(#[from] PageError),
    /// The engine's step.
    #[error("step_bytes is {0}; a step has 1..={RECORD_BYTES} bytes")]
    Step(u32),
    /// Machine or firmware.
    #[error("parameters.{0}")]
    Bus(#[from] BusError),
    /// A request ended otherwise than the page needs.
    #[error("the client ended with {0:?} before the page had begun")]
    Refused(Done),
    /// The client asked for nothing and ended nothing.
    #[error("the client lost its way: a bug of the core")]
    Lost,
}

/// Who is told of every step of the client: when, with what, and what it gave.
pub type Watch<'w> = &'w mut dyn FnMut(Instant, Input, &Output);

/// The client, the bus, and what the consumer has.
struct World<'w> {
    reader: M3Read,
    watch: Watch<'w>,
    bus: Bus,
    ring: Vec<u8>,
    consumer: Consumer,
    reads: Vec<ReadRecord>,
}

/// Fetches a page. After each READ `goes_on` is asked whether to.
///
/// # Errors
/// [`FetchError`] when something cannot be set up, or the session does not come to stand.
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
    fetch.page.check()?;
    if !(1..=RECORD_BYTES).contains(&fetch.step_bytes) {
        return Err(FetchError::Step(fetch.step_bytes));
    }
    let served = (fetch.page.cut(fetch.sent_bytes), fetch.ending);
    let stream = Streams::new(fetch.seed).of("engine", "excess");
    let engine = Engine::new(&fetch.parameters, fetch.step_bytes, served, stream);
    let mut world = World {
        reader: M3Read::new(fetch.config).map_err(FetchError::Config)?,
        watch,
        bus: Bus::new(fetch.config, &fetch.parameters, engine, fetch.late)?,
        ring: vec![0; usize::from(RING_BYTES)],
        consumer: Consumer::default(),
        reads: Vec::new(),
    };
    world.connect()?;
    let partial = world.read_body(&fetch.parameters, goes_on)?;
    if world.reader.connection() == Connection::Error {
        world.run(Request::Close)?;
    }
    Ok(world.outcome(fetch, partial))
}

impl World<'_> {
    /// From switching on to the request being sent.
    fn connect(&mut self) -> Result<(), FetchError> {
        self.needs(Request::Startup, |done| matches!(done, Done::Startup(Ok(()))))?;
        self.needs(Request::Address, |done| matches!(done, Done::Address(Ok(_))))?;
        self.bus.set_source(HOST);
        let host_bytes = u16::try_from(HOST.len()).unwrap_or(u16::MAX);
        let open = OpenRequest { port: 443, trust: Trust::Bundle, tls13_only: true, host_bytes };
        self.needs(Request::Open(open), |done| matches!(done, Done::Open(Ok(()))))?;
        self.bus.set_source(REQUEST);
        let length = u16::try_from(REQUEST.len()).unwrap_or(u16::MAX);
        self.needs(Request::Write { length }, |done| {
            matches!(done, Done::Write(WriteOutcome::Sent))
        })?;
        // The client reads until there is nothing before it writes (ER-21), and the server says
        // nothing before it is asked.
        for &(at, round_trip) in &self.bus.read_pushes {
            let outcome = PollOutcome::Idle;
            self.reads.push(ReadRecord { at, round_trip, whole: round_trip, outcome });
        }
        Ok(())
    }

    fn needs(
        &mut self,
        request: Request,
        is_right: impl Fn(&Done) -> bool,
    ) -> Result<(), FetchError> {
        let done = self.run(request)?;
        if is_right(&done) { Ok(()) } else { Err(FetchError::Refused(done)) }
    }

    /// READs until the body is complete, the stream has ended or nothing comes any more; whether it
    /// was stopped before.
    fn read_body(
        &mut self,
        parameters: &Parameters,
        goes_on: &mut dyn FnMut(Way) -> bool,
    ) -> Result<bool, FetchError> {
        let patience = Duration::from_nanos(QUIET_CYCLES * 1_000_000_000 / parameters.phi2_hz);
        let mut quiet_since = self.bus.c64.now();
        while self.consumer.framing() != Framing::Complete
            && self.bus.c64.now().since(quiet_since) < patience
        {
            match self.poll()? {
                PollOutcome::Data(_) => quiet_since = self.bus.c64.now(),
                PollOutcome::Idle | PollOutcome::Full => {}
                PollOutcome::End
                | PollOutcome::Gone(_)
                | PollOutcome::NotOurs
                | PollOutcome::DeadOwned(_)
                | PollOutcome::Hole(_)
                | PollOutcome::TimedOut(_)
                | PollOutcome::Rejected
                | PollOutcome::Wedged => return Ok(false),
            }
            self.consume(parameters);
            if !goes_on(self.way()) {
                return Ok(true);
            }
        }
        Ok(false)
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
            done => Err(FetchError::Refused(done)),
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
            let at = usize::from((head + index) % RING_BYTES);
            body_bytes += u64::from(self.consumer.take(self.ring[at]));
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

    fn outcome(self, fetch: &Fetch, partial: bool) -> Outcome {
        let Self { reader, bus, consumer, reads, .. } = self;
        let besides = Duration::from_millis(fetch.parameters.besides_ms);
        let digest = bus.digest();
        Outcome {
            page: bus.c64.now().after(besides).since(Instant::ZERO),
            reads,
            pushes: bus.counts.pushes,
            pushes_rejected: bus.counts.pushes_rejected,
            bus_reads: bus.counts.reads,
            bus_writes: bus.counts.writes,
            delivered: consumer.taken(),
            partial,
            connection: reader.connection(),
            last_error: reader.last_error(),
            eof_code: match reader.ending() {
                None => 0,
                Some(StreamEnd::Clean) => 1,
                Some(StreamEnd::WithoutNotify) => 5,
            },
            framing: consumer.framing(),
            intact: consumer.crc() == fetch.page.body_crc() && consumer.past_end() == 0,
            violations: bus.counts.violations,
            digest,
        }
    }
}
