//! Where every reader hands its events in: order, rounds, silences and counts are the same for all.
//!
//! ```text
//!   reader ──event──► order ──► from the first on? ──► this round's offset ──► heartbeats, pings ──► sink
//!          ──reject─► strict: the error   lenient: counted, listed, and a gap in the trace
//! ```
//!
//! # Why order is decided here
//!
//! Equal times keep the order of the file. Where two cores write into one log, or one capture joins
//! two interfaces, stamps may lie a little out of order and are sorted within a bounded window. In a
//! table they may not: a time that goes back is an error, unless a single row jumped ahead and the
//! caller asked for such rows to be rejected.
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;

use firmware_core::time::{Duration, Instant};

use super::error::{ImportError, Place, Problem};
use super::event::{Class, Event, GapReason, Name, PeerRef, Route, Seen};
use super::summary::{Silence, Summary};

/// Beyond ten years no trace goes: a stamp that says so is damaged.
pub(super) const FARTHEST_S: u64 = 10 * 365 * 86_400;
/// Peers whose heartbeats are followed.
const PEERS_MOST: usize = 1_024;
/// Pings that are told apart; later ones are counted as records alone.
const PINGS_MOST: usize = 4_096;
/// Different names that a trace may hold; later ones share the first name.
const NAMES_MOST: usize = 65_536;
/// Pieces that became no event and that a trace holds, of each kind; the rest is counted.
const UNREAD_MOST: u64 = 1_000;

/// Takes what an import finds, in the order of time.
pub trait Sink {
    /// A text that later events refer to by number.
    ///
    /// # Errors
    /// When it cannot be written.
    fn name(&mut self, name: Name, text: &str) -> io::Result<()>;

    /// An event.
    ///
    /// # Errors
    /// When it cannot be written.
    fn event(&mut self, event: Event) -> io::Result<()>;

    /// A piece of the file that became no event, with its place and the last instant before it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn unread(&mut self, at: Instant, place: Place, text: &str) -> io::Result<()>;
}

/// What happens to a time that goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// It is an error.
    Strict,
    /// A single row that jumped ahead is rejected.
    SkipOutliers,
    /// Events are sorted as long as they lie within both.
    Sort {
        /// So many events.
        events: usize,
        /// So much time.
        span: Duration,
    },
}

/// How a reader's events are taken in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    /// What happens to a time that goes back.
    pub(super) order: Order,
    /// Whether bad rows are counted instead of ending the import.
    pub(super) is_lenient: bool,
    /// Whether time counts from the first event on.
    pub(super) from_first: bool,
    /// The unit in which times are named in errors, and its nanoseconds.
    pub(super) unit: (&'static str, u64),
}

impl Manner {
    /// Of a table: its rows are in order, or those that are not are skipped on request.
    pub(super) const fn of_rows(
        is_lenient: bool,
        skip_outliers: bool,
        unit: (&'static str, u64),
    ) -> Self {
        let order = if skip_outliers { Order::SkipOutliers } else { Order::Strict };
        Self { order, is_lenient, from_first: false, unit }
    }
}

/// Why a piece of a file became no event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It could not be used.
    Rejected,
    /// Nobody knows what it means.
    Unknown,
    /// It is a piece of a line.
    Torn,
}

/// The shared way in.
pub(super) struct Intake<'a> {
    sink: &'a mut dyn Sink,
    manner: Manner,
    held: VecDeque<(Event, Place)>,
    /// The newest event that was let through, as the file has it.
    last: Instant,
    base: Option<Instant>,
    offset: Duration,
    names: BTreeMap<Box<str>, Name>,
    heartbeats: BTreeMap<Option<PeerRef>, (Instant, u64)>,
    gaps: u64,
    transactions: BTreeSet<u64>,
    answers: BTreeSet<(u64, Route)>,
    /// Whether what is shown of the file may hold addresses and keys.
    pub(super) keep_addresses: bool,
    pub(super) summary: Summary,
}

impl<'a> Intake<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, manner: Manner) -> Self {
        Self {
            sink,
            manner,
            held: VecDeque::new(),
            last: Instant::ZERO,
            base: None,
            offset: Duration::from_nanos(0),
            names: BTreeMap::new(),
            heartbeats: BTreeMap::new(),
            gaps: 0,
            transactions: BTreeSet::new(),
            answers: BTreeSet::new(),
            keep_addresses: false,
            summary: Summary::default(),
        }
    }

    /// Everything from here on happens this much later: another round of the same file. The offset
    /// of a round is a product, never a sum of earlier ones, so nothing adds up over rounds.
    pub(super) fn begin_round(&mut self, round: u64, period: Duration) {
        self.offset = period.times(round);
    }

    /// The unit in which times are named in errors, and its nanoseconds.
    pub(super) fn set_unit(&mut self, unit: (&'static str, u64)) {
        self.manner.unit = unit;
    }

    /// The number of a text.
    pub(super) fn name(&mut self, text: &str) -> Result<Name, ImportError> {
        if let Some(name) = self.names.get(text) {
            return Ok(*name);
        }
        if self.names.len() >= NAMES_MOST {
            return Ok(Name(0));
        }
        let name = Name(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.insert(text.into(), name);
        self.sink.name(name, text).map_err(unwritable)?;
        Ok(name)
    }

    /// An event, at an instant of the file.
    pub(super) fn event(
        &mut self,
        at: Instant,
        what: Seen,
        place: Place,
    ) -> Result<(), ImportError> {
        let at = at.after(self.offset);
        let event = Event { at, what };
        match self.manner.order {
            Order::Strict if at < self.last => self.backwards(self.last, at, place),
            Order::Strict => self.let_through(event),
            Order::SkipOutliers => self.skip_outliers(event, place),
            Order::Sort { events, span } => {
                let newest = self.newest();
                if at < self.last || newest.since(at) > span {
                    return self.backwards(newest, at, place);
                }
                let later = self.held.iter().rev().take_while(|(held, _)| held.at > at).count();
                self.held.insert(self.held.len() - later, (event, place));
                self.release(events, span)
            }
        }
    }

    fn newest(&self) -> Instant {
        self.held.back().map_or(self.last, |(newest, _)| newest.at)
    }

    fn release(&mut self, events: usize, span: Duration) -> Result<(), ImportError> {
        while let (Some((first, _)), Some((newest, _))) = (self.held.front(), self.held.back()) {
            if self.held.len() <= events && newest.at.since(first.at) <= span {
                break;
            }
            let event = *first;
            self.held.pop_front();
            self.let_through(event)?;
        }
        Ok(())
    }

    /// One event is held back: when the next one goes behind it but not behind the one before, it is
    /// the one that jumped ahead.
    fn skip_outliers(&mut self, event: Event, place: Place) -> Result<(), ImportError> {
        if event.at < self.last {
            return self.outlier(event.at, place, self.last);
        }
        let mut held = std::mem::take(&mut self.held).into_iter();
        if let Some((first, first_place)) = held.next() {
            let is_outlier = event.at < first.at;
            if is_outlier {
                self.outlier(first.at, first_place, event.at)?;
            } else {
                self.let_through(first)?;
            }
            for (gap, _) in held {
                self.let_through(Event { at: self.last, ..gap })?;
            }
        }
        self.held.push_back((event, place));
        Ok(())
    }

    fn outlier(&mut self, at: Instant, place: Place, next_to: Instant) -> Result<(), ImportError> {
        let (unit, nanos) = self.manner.unit;
        let (at, next_to) = (at.as_nanos() / nanos, next_to.as_nanos() / nanos);
        let text = || format!("outlier: {at} {unit} beside {next_to} {unit}");
        self.list(Kind::Rejected, place, text)?;
        self.let_through(Event { at: self.last, what: gap(GapReason::Rejected) })
    }

    fn backwards(&mut self, from: Instant, to: Instant, place: Place) -> Result<(), ImportError> {
        let (unit, nanos) = self.manner.unit;
        let (from, to) = (from.as_nanos() / nanos, to.as_nanos() / nanos);
        self.reject(ImportError::at(place, Problem::BackwardsTime { from, to, unit }))
    }

    /// A row that cannot be used.
    pub(super) fn reject(&mut self, error: ImportError) -> Result<(), ImportError> {
        if !self.manner.is_lenient {
            return Err(error);
        }
        let problem = error.problem;
        let text = || format!("{}: {problem}", problem.name());
        self.list(Kind::Rejected, error.place, text)?;
        self.gap(GapReason::Rejected, error.place)
    }

    /// Takes down a piece of the file that becomes no event. `text` is asked for only when somebody
    /// gets to see it: the summary shows the first few, the trace holds the first thousand.
    pub(super) fn list(
        &mut self,
        kind: Kind,
        place: Place,
        text: impl Fn() -> String,
    ) -> Result<(), ImportError> {
        let list = match kind {
            Kind::Rejected => &mut self.summary.rejected,
            Kind::Unknown => &mut self.summary.unknown,
            Kind::Torn => &mut self.summary.torn,
        };
        list.add(place, &text);
        if list.count > UNREAD_MOST {
            return Ok(());
        }
        let at = self.relative(self.last);
        self.sink.unread(at, place, &text()).map_err(unwritable)
    }

    /// An instant of the file as an instant of the trace.
    fn relative(&self, at: Instant) -> Instant {
        Instant::ZERO.after(at.since(self.base.unwrap_or(Instant::ZERO)))
    }

    /// Something is missing here.
    pub(super) fn gap(&mut self, why: GapReason, place: Place) -> Result<(), ImportError> {
        let event = Event { at: self.newest(), what: gap(why) };
        if self.held.is_empty() {
            return self.let_through(event);
        }
        self.held.push_back((event, place));
        Ok(())
    }

    /// A byte that the reader could not go beyond: what came before is kept, and the trace says so.
    pub(super) fn truncated(&mut self, place: Place) -> Result<(), ImportError> {
        self.summary.truncated = Some(place);
        self.list(Kind::Rejected, place, || format!("Truncated: {}", Problem::Truncated))?;
        self.gap(GapReason::Truncated, place)
    }

    /// The last record has no line's end: nobody can tell whether its last number is whole.
    pub(super) fn no_final_newline(&mut self, place: Place) {
        let why = "the last number may have been cut";
        self.summary.warnings.push(format!("NoFinalNewline {place}: {why}"));
    }

    fn let_through(&mut self, event: Event) -> Result<(), ImportError> {
        self.last = event.at;
        if self.manner.from_first {
            self.base.get_or_insert(event.at);
        }
        let at = self.relative(event.at);
        if let Seen::Gap { count, .. } = event.what {
            self.gaps += count;
        } else {
            self.summary.records += 1;
            let first = self.summary.span.map_or(at, |(first, _)| first);
            self.summary.span = Some((first, at));
        }
        if let Some(packet) = event.what.packet() {
            self.packet(at, *packet);
        }
        self.sink.event(Event { at, what: event.what }).map_err(unwritable)
    }

    fn packet(&mut self, at: Instant, packet: super::event::Packet) {
        match packet.class {
            Class::Heartbeat => {
                let gaps = self.gaps;
                if let Some(before) = self.heartbeats.get_mut(&packet.peer) {
                    let silence =
                        Silence { from: before.0, to: at, has_gap: before.1 != self.gaps };
                    let longest = self.summary.heartbeats.map_or(silence, |longest| {
                        if silence.length() > longest.length() { silence } else { longest }
                    });
                    self.summary.heartbeats = Some(longest);
                    *before = (at, gaps);
                } else if self.heartbeats.len() < PEERS_MOST {
                    self.heartbeats.insert(packet.peer, (at, gaps));
                }
            }
            Class::Ping => {
                let pings = &mut self.summary.pings;
                pings.records += 1;
                if let Some(number) = packet.number.filter(|_| self.answers.len() < PINGS_MOST) {
                    pings.transactions += u64::from(self.transactions.insert(number));
                    pings.answers += u64::from(self.answers.insert((number, packet.via)));
                }
            }
            _ => {}
        }
    }

    /// The end: what is still held goes out.
    pub(super) fn finish(mut self) -> Result<Summary, ImportError> {
        while let Some((event, _)) = self.held.pop_front() {
            self.let_through(event)?;
        }
        Ok(self.summary)
    }
}

const fn gap(why: GapReason) -> Seen {
    Seen::Gap { why, count: 1 }
}

const fn unwritable(error: io::Error) -> ImportError {
    ImportError::at(Place::File, Problem::Unwritable(error))
}

/// An instant from a number in a unit of so many nanoseconds.
///
/// # Errors
/// [`Problem::TooFar`] beyond ten years.
pub(super) fn instant(value: u64, unit_nanos: u64, place: Place) -> Result<Instant, ImportError> {
    let nanos = value.checked_mul(unit_nanos).filter(|nanos| nanos / 1_000_000_000 <= FARTHEST_S);
    nanos.map(Instant::from_nanos).ok_or_else(|| {
        let problem = Problem::TooFar { text: value.to_string(), most_s: FARTHEST_S };
        ImportError::at(place, problem)
    })
}
