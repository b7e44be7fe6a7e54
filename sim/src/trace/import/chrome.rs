//! Chrome's trace JSON, as MabuTrace writes it on an ESP32 and as Perfetto reads it.
//!
//! ```text
//!   {"traceEvents": [
//!     {"name":"open","ph":"X","pid":1,"tid":"wg_mgr","ts":10,"dur":28305,"args":{"cpu":1}},   span
//!     {"name":"q","ph":"C", … "args":{"value":3}}, {"ph":"s","id":7, … }, {"ph":"f","id":7, … },
//!     {}                                                                   MabuTrace's last one
//!   ], "displayTimeUnit": "ms", … }
//! ```
//!
//! The file is read event by event; none is kept but those that are being sorted: MabuTrace
//! writes a span down when it ends, with the time when it began, so that stamps go back by nature. Times are microseconds, with a fraction or without.
use std::fmt;
use std::io::{BufReader, Read};

use firmware_core::time::{Duration, Instant};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::error::{ImportError, Place, Problem, quoted};
use super::event::{FlowEnd, Packet, Seen};
use super::intake::{FARTHEST_S, Intake, Kind, Manner, Order};
use super::mapping::{Mapping, Says};

/// Events that are sorted among each other.
const SORTED: usize = 65_536;
/// And the time that they may lie apart.
const SORTED_SPAN: Duration = Duration::from_millis(60_000);

pub(super) const fn manner(is_lenient: bool) -> Manner {
    let order = Order::Sort { events: SORTED, span: SORTED_SPAN };
    Manner { order, is_lenient, from_first: false, unit: ("us", 1_000) }
}

/// One event of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry {
    name: String,
    ph: String,
    tid: Text,
    ts: Option<serde_json::Number>,
    dur: Option<serde_json::Number>,
    id: Text,
    args: Arguments,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Arguments {
    cpu: Option<u8>,
    value: Option<i64>,
}

/// A thread or a flow goes by a number or by a name.
#[derive(Debug, Default, Deserialize)]
#[serde(untagged)]
enum Text {
    Word(String),
    Number(serde_json::Number),
    #[default]
    Nothing,
}

impl fmt::Display for Text {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => out.write_str(word),
            Self::Number(number) => write!(out, "{number}"),
            Self::Nothing => Ok(()),
        }
    }
}

/// What goes through the deserialiser: where events go, and the error that stopped them.
struct Run<'a, 'b> {
    intake: &'a mut Intake<'b>,
    mapping: &'a Mapping,
    number: u64,
    failed: Option<ImportError>,
}

/// Reads a Chrome trace.
pub(super) fn read(
    file: impl Read,
    mapping: &Mapping,
    intake: &mut Intake<'_>,
) -> Result<(), ImportError> {
    let mut file = BufReader::with_capacity(64 * 1024, file);
    let is_empty =
        std::io::BufRead::fill_buf(&mut file).map_err(ImportError::unreadable)?.is_empty();
    if is_empty {
        return Err(ImportError::at(Place::File, Problem::Empty));
    }
    let mut run = Run { intake, mapping, number: 0, failed: None };
    let mut json = serde_json::Deserializer::from_reader(file);
    let ended = File(&mut run).deserialize(&mut json).and_then(|()| json.end());
    if let Some(error) = run.failed {
        return Err(error);
    }
    let Err(error) = ended else { return Ok(()) };
    let place = Place::Line(u64::try_from(error.line()).unwrap_or(u64::MAX));
    if error.is_io() {
        return Err(ImportError::unreadable(error.into()));
    }
    if error.is_eof() {
        return run.intake.truncated(place);
    }
    Err(ImportError::at(place, Problem::Json { what: error.to_string() }))
}

/// The file: an object with the events in it, or the events alone.
struct File<'a, 'b, 'c>(&'a mut Run<'b, 'c>);

impl<'de> DeserializeSeed<'de> for File<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for File<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an object with traceEvents, or an array of events")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut has_events = false;
        while let Some(key) = map.next_key::<String>()? {
            if key == "traceEvents" {
                has_events = true;
                map.next_value_seed(Events(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        if has_events {
            return Ok(());
        }
        Err(serde::de::Error::custom("there is no traceEvents in it"))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, events: A) -> Result<(), A::Error> {
        Events(self.0).visit_seq(events)
    }
}

/// The events, one after another.
struct Events<'a, 'b, 'c>(&'a mut Run<'b, 'c>);

impl<'de> DeserializeSeed<'de> for Events<'_, '_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Events<'_, '_, '_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<(), A::Error> {
        while let Some(entry) = events.next_element::<Entry>()? {
            self.0.number += 1;
            if let Err(error) = self.0.take(&entry) {
                self.0.failed = Some(error);
                return Err(serde::de::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

impl Run<'_, '_> {
    fn take(&mut self, entry: &Entry) -> Result<(), ImportError> {
        if entry.ph.is_empty() && entry.ts.is_none() && entry.name.is_empty() {
            return Ok(());
        }
        self.intake.summary.read += 1;
        // An event has a number and no line: the file may be one single line.
        let place = Place::Event(self.number);
        match self.seen(entry, place) {
            Ok(Some((at, what))) => self.intake.event(at, what, place),
            Ok(None) => {
                let text =
                    || format!("phase {:?} of {:?}", entry.ph, quoted(entry.name.as_bytes()));
                self.intake.list(Kind::Unknown, place, text)
            }
            Err(error) => self.intake.reject(error),
        }
    }

    fn seen(
        &mut self,
        entry: &Entry,
        place: Place,
    ) -> Result<Option<(Instant, Seen)>, ImportError> {
        let phase = entry.ph.as_str();
        if !["X", "i", "I", "C", "s", "t", "f"].contains(&phase) {
            return Ok(None);
        }
        let ts = nanos("ts", entry.ts.as_ref(), place)?;
        let task = self.intake.name(&entry.tid.to_string())?;
        let core = entry.args.cpu;
        if phase == "X" {
            let took = Duration::from_nanos(nanos("dur", entry.dur.as_ref(), place)?);
            let at = Instant::from_nanos(ts);
            let says = self.mapping.spans.get(&entry.name).copied();
            let what = match says.and_then(|says| said(says, took)) {
                Some(what) => what,
                None => Seen::Span { name: self.intake.name(&entry.name)?, task, core, took },
            };
            return Ok(Some((at, what)));
        }
        let what = match phase {
            "C" => {
                let column = "args.value".to_owned();
                let missing = || ImportError::at(place, Problem::EmptyField { column });
                let value = entry.args.value.ok_or_else(missing)?;
                Seen::Level { name: self.intake.name(&entry.name)?, value }
            }
            "s" | "t" | "f" => {
                let end = match phase {
                    "s" => FlowEnd::Start,
                    "t" => FlowEnd::Step,
                    _ => FlowEnd::Finish,
                };
                Seen::Flow { id: flow(&entry.id, place)?, end, task }
            }
            _ => Seen::Moment { name: self.intake.name(&entry.name)?, task, core },
        };
        Ok(Some((Instant::from_nanos(ts), what)))
    }
}

/// What a span means that a mapping names.
fn said(says: Says, took: Duration) -> Option<Seen> {
    Some(match says {
        Says::Packet { class, direction, via } => {
            Seen::Packet(Packet { direction, class, peer: None, bytes: 0, number: None, via })
        }
        Says::Opened(sender) => Seen::Opened { sender, took: Some(took) },
        Says::Shed(queue) => Seen::Shed { queue: queue.into(), count: 1 },
        Says::Mark(mark) => Seen::Mark { mark, peer: None, value: Some(took.as_millis()) },
        Says::Nothing => return None,
    })
}

fn flow(id: &Text, place: Place) -> Result<u64, ImportError> {
    let text = id.to_string();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    number.ok_or_else(|| {
        let text = quoted(text.as_bytes());
        ImportError::at(place, Problem::NotANumber { column: "id".to_owned(), text })
    })
}

/// Microseconds, with a fraction or without, as nanoseconds.
fn nanos(
    field: &str,
    number: Option<&serde_json::Number>,
    place: Place,
) -> Result<u64, ImportError> {
    let column = || field.to_owned();
    let wrong = |problem| Err(ImportError::at(place, problem));
    let Some(number) = number else {
        return wrong(Problem::EmptyField { column: column() });
    };
    let too_far = || Problem::TooFar { text: number.to_string(), most_s: FARTHEST_S };
    let most = FARTHEST_S * 1_000_000;
    if let Some(micros) = number.as_u64() {
        return if micros > most { wrong(too_far()) } else { Ok(micros * 1_000) };
    }
    match number.as_f64() {
        Some(micros) if micros < 0.0 => {
            wrong(Problem::Negative { column: column(), text: number.to_string() })
        }
        Some(micros) => {
            let rounded = (micros * 1_000.0).round();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "compared with the limit first, and not negative"
            )]
            if rounded <= (most * 1_000) as f64 { Ok(rounded as u64) } else { wrong(too_far()) }
        }
        None => wrong(Problem::NotANumber { column: column(), text: number.to_string() }),
    }
}
