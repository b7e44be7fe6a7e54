//! The remote's side: two loops of wire, a verdict, and at most one message per 100 ms tick.
//!
//! ```text
//!            nothing is sent before the loops have settled
//!   Bonding ── BOND, again after 5 s ──► any reply ──► Bonded ── OK or STOP per period ──┐
//!      ▲                                                  ▲ └─────────── a reply ◄───────┘
//!      └──────── no reply for more than max(1500 ms, 4 periods): counters start anew
//! ```
//!
//! After a send the remote waits 50 ms for a reply; one that comes later is read at the next tick,
//! so its round trip reads about 100 ms. Everything that waits is read at once, and the newest
//! counts.
//!
//! Source: facts h1. Where in a tick the watchdog is asked is not in the facts: here after the wait
//! for a reply, so that the heartbeat of the last tick still has its chance. Asked at the beginning
//! of a tick it would end a session up to 200 ms earlier.
use firmware_core::time::{Duration, Instant};

use super::wire::{Kind, Message};

/// The remote's tick.
pub const TICK: Duration = Duration::from_millis(100);
/// How long a send waits for its reply.
const REPLY_WAIT: Duration = Duration::from_millis(50);
/// Time between two BONDs that nobody answers.
const BOND_RETRY: Duration = Duration::from_millis(5_000);
/// The least silence that ends a session.
const SILENCE: Duration = Duration::from_millis(1_500);
/// Silence in periods that ends a session, where that is longer.
const SILENT_PERIODS: u64 = 4;
/// Good ticks before the loops count as closed, and before they have settled closed.
const GOOD_TICKS: u8 = 3;
/// Open ticks before they have settled open.
const OPEN_TICKS: u8 = 5;

/// Who decides how often a remote sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cadence {
    /// At every tick, 10 a second, as until August 2026.
    EveryTick,
    /// The machine: half of the heartbeat time that it tells.
    Governed,
}

/// How a remote is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RemoteSpec {
    /// Its id.
    pub id: u32,
    /// Its machine's id.
    pub machine: u32,
    /// How often it sends.
    pub cadence: Cadence,
    /// The heartbeat time that it writes before the machine has said one.
    pub heartbeat_ms: u32,
}

/// What a remote is told at each tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Whether both phases of both loops read right.
    pub loops_closed: bool,
    /// Whether both cores encoded the same bytes in time; else nothing is sent in this tick.
    pub cores_agree: bool,
}

impl Sample {
    /// Loops closed, both cores agree.
    pub const GOOD: Self = Self { loops_closed: true, cores_agree: true };
    /// Loops open, both cores agree.
    pub const OPEN: Self = Self { loops_closed: false, cores_agree: true };
}

/// The loops' verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Loops {
    good: u8,
    open: u8,
    settled: bool,
}

impl Loops {
    /// What to send; `None` until the loops have settled.
    fn sample(&mut self, closed: bool) -> Option<Kind> {
        let count = if closed { &mut self.good } else { &mut self.open };
        *count = count.saturating_add(1);
        if closed {
            self.open = 0;
        } else {
            self.good = 0;
        }
        self.settled |= self.good >= GOOD_TICKS || self.open >= OPEN_TICKS;
        let verdict = if self.good >= GOOD_TICKS { Kind::Ok } else { Kind::Stop };
        self.settled.then_some(verdict)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Session {
    /// Left by the first reply of any kind.
    Bonding { counter: u32, last: Option<Instant> },
    /// Left by silence.
    Bonded {
        counter: u32,
        received_counter: u32,
        received_stamp: u64,
        /// When the last heartbeat went out.
        sent: Instant,
        /// When the last reply was read.
        heard: Instant,
    },
}

const UNBONDED: Session = Session::Bonding { counter: 0, last: None };

/// What a remote has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Counts {
    /// Messages sent, BONDs included.
    pub sent: u64,
    /// Replies read.
    pub replies: u64,
    /// Sessions begun, the first included.
    pub bonds: u64,
    /// Sessions given up for silence: each is followed by a new bond.
    pub rebonds: u64,
    /// Ticks in which nothing was sent because the cores did not agree.
    pub mismatches: u64,
}

/// A remote and its session with one machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remote {
    spec: RemoteSpec,
    /// What the machine said of its heartbeat time.
    advertised: Option<Duration>,
    loops: Loops,
    session: Session,
    /// Until when the last send waits for its reply.
    window: Option<Instant>,
    /// When the last tick was over, and the watchdog was asked.
    closed: Instant,
    waiting: Option<Message>,
    counts: Counts,
    round_trip: Option<Duration>,
    since_healthy: Instant,
}

impl Remote {
    /// A remote that was just switched on.
    pub fn new(spec: RemoteSpec) -> Self {
        Self {
            spec,
            advertised: None,
            loops: Loops::default(),
            session: UNBONDED,
            window: None,
            closed: Instant::ZERO,
            waiting: None,
            counts: Counts::default(),
            round_trip: None,
            since_healthy: Instant::ZERO,
        }
    }

    /// Time between two heartbeats. A governed one is half the machine's heartbeat time, between
    /// 100 and 1000 ms; 100 ms until the machine has said it.
    pub fn period(&self) -> Duration {
        if self.spec.cadence == Cadence::EveryTick {
            return TICK;
        }
        let half = self.advertised.map_or(0, |advertised| advertised.as_nanos() / 2);
        let millis = |millis| Duration::from_millis(millis).as_nanos();
        Duration::from_nanos(half.clamp(millis(100), millis(1_000)))
    }

    /// Silence after which the session is given up.
    pub fn patience(&self) -> Duration {
        SILENCE.max(self.period().times(SILENT_PERIODS))
    }

    /// One tick: gives up a session that was silent at the end of the last one, reads what waits,
    /// sends what is due.
    pub fn tick(&mut self, now: Instant, sample: Sample) -> Option<Message> {
        self.give_up_silent();
        self.window = None;
        self.closed = now;
        self.read_waiting(now);
        let verdict = self.loops.sample(sample.loops_closed)?;
        if !sample.cores_agree {
            self.counts.mismatches += 1;
            return None;
        }
        let message = match self.session {
            Session::Bonding { counter, last } => self.bond(now, counter, last)?,
            Session::Bonded { .. } => self.heartbeat(now, verdict)?,
        };
        self.counts.sent += 1;
        self.closed = now.after(REPLY_WAIT);
        self.window = Some(self.closed);
        Some(message)
    }

    /// A reply reaches the remote's socket.
    pub fn receive(&mut self, now: Instant, message: Message) {
        if message.sender != self.spec.machine || message.receiver != self.spec.id {
            return;
        }
        let newer = self.waiting.is_none_or(|held| message.counter > held.counter);
        if newer {
            self.waiting = Some(message);
        }
        if self.window.is_some_and(|until| now <= until) {
            self.window = None;
            self.closed = now;
            self.read_waiting(now);
        }
    }

    /// What it has done so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Whether a session stands.
    pub fn is_bonded(&self) -> bool {
        matches!(self.session, Session::Bonded { .. })
    }

    /// The round trip as the remote's telemetry reads it: at the tick when the reply came late.
    pub fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }

    /// When a reply was last read.
    pub fn healthy_at(&self) -> Instant {
        self.since_healthy
    }

    fn read_waiting(&mut self, now: Instant) {
        let Some(reply) = self.waiting.take() else { return };
        self.counts.replies += 1;
        self.since_healthy = now;
        if reply.heartbeat_ms > 0 {
            self.advertised = Some(Duration::from_millis(reply.heartbeat_ms.into()));
        }
        self.round_trip = (reply.received_stamp > 0)
            .then(|| now.since(Instant::from_millis(reply.received_stamp)));
        let (counter, sent) = match self.session {
            Session::Bonding { counter, last } => {
                self.counts.bonds += 1;
                (counter, last.unwrap_or(now))
            }
            Session::Bonded { counter, received_counter, sent, .. } => {
                if reply.counter <= received_counter {
                    return;
                }
                (counter, sent)
            }
        };
        self.session = Session::Bonded {
            counter,
            received_counter: reply.counter,
            received_stamp: reply.stamp,
            sent,
            heard: now,
        };
    }

    fn give_up_silent(&mut self) {
        if let Session::Bonded { heard, .. } = self.session
            && self.closed.since(heard) > self.patience()
        {
            self.session = UNBONDED;
            self.counts.rebonds += 1;
        }
    }

    fn bond(&mut self, now: Instant, counter: u32, last: Option<Instant>) -> Option<Message> {
        if last.is_some_and(|last| now.since(last) < BOND_RETRY) {
            return None;
        }
        let counter = counter.wrapping_add(1);
        self.session = Session::Bonding { counter, last: Some(now) };
        Some(self.message(now, Kind::Bond, counter))
    }

    fn heartbeat(&mut self, now: Instant, verdict: Kind) -> Option<Message> {
        let period = self.period();
        let Session::Bonded { counter, sent, .. } = &mut self.session else { return None };
        if now.since(*sent) < period {
            return None;
        }
        *counter = counter.wrapping_add(1);
        *sent = now;
        let counter = *counter;
        Some(self.message(now, verdict, counter))
    }

    fn message(&self, now: Instant, kind: Kind, counter: u32) -> Message {
        let (received_stamp, received_counter) = match self.session {
            Session::Bonding { .. } => (0, 0),
            Session::Bonded { received_stamp, received_counter, .. } => {
                (received_stamp, received_counter)
            }
        };
        let advertised = self.advertised.map(|span| span.as_nanos() / 1_000_000);
        let advertised = advertised.and_then(|millis| u32::try_from(millis).ok());
        Message {
            kind,
            stamp: now.as_millis(),
            received_stamp,
            sender: self.spec.id,
            receiver: self.spec.machine,
            heartbeat_ms: advertised.unwrap_or(self.spec.heartbeat_ms),
            counter,
            received_counter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: u32 = 0x0102_0304;
    const ID: u32 = 0x01D7_F344;

    fn remote() -> Remote {
        let cadence = Cadence::Governed;
        Remote::new(RemoteSpec { id: ID, machine: MACHINE, cadence, heartbeat_ms: 400 })
    }

    fn reply(to: Message, counter: u32, heartbeat_ms: u32) -> Message {
        Message {
            stamp: to.stamp + 3,
            received_stamp: to.stamp,
            sender: MACHINE,
            receiver: ID,
            heartbeat_ms,
            counter,
            received_counter: to.counter,
            ..to
        }
    }

    /// Ticks `remote` until `until`, answering at once with `heartbeat_ms`; what was sent when.
    fn run(
        remote: &mut Remote,
        ticks: std::ops::Range<u64>,
        answer: Option<u32>,
    ) -> Vec<(u64, Kind)> {
        let mut sent = Vec::new();
        for tick in ticks {
            let now = Instant::ZERO.after(TICK.times(tick));
            if let Some(message) = remote.tick(now, Sample::GOOD) {
                sent.push((tick, message.kind));
                if let Some(heartbeat_ms) = answer {
                    let counter = u32::try_from(tick).expect("few ticks") + 1;
                    let at = now.after(Duration::from_millis(5));
                    remote.receive(at, reply(message, counter, heartbeat_ms));
                }
            }
        }
        sent
    }

    /// Cites facts h1: nothing before three good ticks, then a BOND, then 5 a second at 400 ms.
    #[test]
    fn half_of_the_advertised_heartbeat_time_is_the_period() {
        for (heartbeat_ms, period) in [(0, 1), (100, 1), (400, 2), (1000, 5), (60_000, 10)] {
            let mut remote = remote();
            let sent = run(&mut remote, 0..30, Some(heartbeat_ms));
            assert_eq!(sent[0], (2, Kind::Bond));
            let ticks: Vec<_> = sent[1..].iter().map(|(tick, _)| *tick).collect();
            assert_eq!(ticks[1] - ticks[0], period, "at {heartbeat_ms} ms");
            assert!(sent[1..].iter().all(|(_, kind)| *kind == Kind::Ok));
            assert_eq!(remote.round_trip(), Some(Duration::from_millis(5)));
        }
    }

    /// Cites facts h1 and PF-105.
    #[test]
    fn silence_beyond_1500_ms_ends_heartbeats_and_bonds_anew_every_5_s() {
        let mut remote = remote();
        let sent = run(&mut remote, 0..11, Some(400));
        assert_eq!(sent.last(), Some(&(10, Kind::Ok)));
        let sent = run(&mut remote, 11..140, None);
        let ok: Vec<_> = sent.iter().filter(|it| it.1 == Kind::Ok).map(|it| it.0).collect();
        assert_eq!(ok, [12, 14, 16, 18, 20, 22, 24, 26]);
        let bonds: Vec<_> = sent.iter().filter(|it| it.1 == Kind::Bond).map(|it| it.0).collect();
        assert_eq!(bonds, [27, 77, 127]);
        assert_eq!(remote.counts().rebonds, 1);
    }

    /// Cites facts h1: a single open tick is a STOP, and OK needs three good ones.
    #[test]
    fn an_open_loop_is_a_stop_in_one_tick_and_ok_needs_three_good_ones() {
        let mut loops = Loops::default();
        let verdicts: Vec<_> = [true, true, true, false, true, true, true]
            .into_iter()
            .map(|closed| loops.sample(closed))
            .collect();
        let (ok, stop) = (Some(Kind::Ok), Some(Kind::Stop));
        assert_eq!(verdicts, [None, None, ok, stop, stop, stop, ok]);
        let mut open = Loops::default();
        let verdicts: Vec<_> = (0..5).map(|_| open.sample(false)).collect();
        assert_eq!(verdicts, [None, None, None, None, stop]);
    }

    /// Cites facts h1: the counter advances only on transmitting ticks.
    #[test]
    fn cores_that_disagree_send_nothing_and_leave_no_gap_in_the_counter() {
        let mut remote = remote();
        let _sent = run(&mut remote, 0..5, Some(200));
        let late = Sample { cores_agree: false, ..Sample::GOOD };
        let at = |tick| Instant::ZERO.after(TICK.times(tick));
        assert_eq!(remote.tick(at(5), late), None);
        let next = remote.tick(at(6), Sample::GOOD).expect("a heartbeat is due");
        assert_eq!((next.counter, remote.counts().mismatches), (4, 1));
    }

    /// Cites facts g1 and PF-121.
    #[test]
    fn a_reply_after_the_window_reads_as_a_whole_tick() {
        let mut remote = remote();
        let _sent = run(&mut remote, 0..5, Some(200));
        let sent = Instant::ZERO.after(TICK.times(5));
        let message = remote.tick(sent, Sample::GOOD).expect("a heartbeat is due");
        remote.receive(sent.after(Duration::from_millis(60)), reply(message, 9, 200));
        assert_eq!(remote.round_trip(), Some(Duration::from_millis(5)));
        let _next = remote.tick(sent.after(TICK), Sample::GOOD);
        assert_eq!(remote.round_trip(), Some(TICK));
    }
}
