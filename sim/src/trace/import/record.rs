//! Events of foreign files as records of a trace, and an import from file to file.
//!
//! ```text
//!   Seen::Frame ─► frame     Seen::Span ─► span       Seen::Read     ─► m3.sample
//!   Seen::Gap   ─► gap       Seen::Level ─► counter   Seen::Counters ─► stop.sample
//!   a piece that became no event ─► unread            the fit of the clocks ─► clock_fit
//! ```
//!
//! The trace's writer replaces addresses and keys; names of tasks and spans stay.
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom, Write};

use firmware_core::time::{Duration, Instant};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::clock::ClockFit;
use super::error::{ImportError, Place, Problem};
use super::event::{
    Class, Direction, Event, FlowEnd, Frame, GapReason, Mark, Name, PeerRef, ReadKind, Route, Seen,
    Sender,
};
use super::{Format, Mapping, Options, Sink, Summary, import, lacks};
use crate::pft::choice::{self, choice};
use crate::pft::field::{Broken, Cursor, Field, Octets, put_uint};
use crate::pft::{self, Head, Redactor, TraceSubject, WriteError, Writer};

/// Bytes of a file that its salt is made of.
const SALTED: u64 = 1024 * 1024;

choice!(Class {
    Heartbeat = 0 "heartbeat",
    Disco = 1 "disco",
    DiscoUnknown = 2 "disco_unknown",
    DiscoKnown = 3 "disco_known",
    Ping = 4 "ping",
    Pong = 5 "pong",
    CallMeMaybe = 6 "call_me_maybe",
    Initiation = 7 "initiation",
    Response = 8 "response",
    Cookie = 9 "cookie",
    Data = 10 "data",
    Stun = 11 "stun",
    Other = 12 "other",
});

choice!(Route { Direct = 0 "direct", Relay = 1 "relay", Unsaid = 2 "unsaid", });

choice!(Sender { Known = 0 "known", Unknown = 1 "unknown", Unsaid = 2 "unsaid", });

choice!(FlowEnd { Start = 0 "start", Step = 1 "step", Finish = 2 "finish", });

choice!(Mark {
    Rebond = 0 "rebond",
    Stop = 1 "stop",
    PathUp = 2 "path_up",
    PathDown = 3 "path_down",
    PeerAdded = 4 "peer_added",
    PeerRemoved = 5 "peer_removed",
    StoreWritten = 6 "store_written",
    SessionUp = 7 "session_up",
    Pass = 8 "pass",
    Started = 9 "started",
});

/// Writes what an import finds into a trace.
#[derive(Debug)]
pub struct TraceSink<W: Write> {
    writer: Writer<W>,
    names: Vec<String>,
}

impl<W: Write> TraceSink<W> {
    /// A sink into this trace.
    pub const fn new(writer: Writer<W>) -> Self {
        Self { writer, names: Vec::new() }
    }

    fn text(&self, name: Name) -> String {
        let at = usize::try_from(name.0).unwrap_or(usize::MAX);
        self.names.get(at).cloned().unwrap_or_default()
    }

    fn track(&self, task: Name, core: Option<u8>) -> String {
        let task = self.text(task);
        core.map_or_else(|| task.clone(), |core| format!("{task}, core {core}"))
    }

    fn record(&self, what: Seen) -> pft::Event {
        match what {
            Seen::Packet(packet) => {
                let (peer, unlisted) = peer(packet.peer);
                pft::Event::SeenPacket {
                    direction: packet.direction.into(),
                    class: packet.class,
                    peer,
                    unlisted,
                    length: packet.bytes,
                    number: packet.number,
                    way: packet.via,
                }
            }
            Seen::Frame(frame) => frame_record(&frame),
            Seen::Opened { sender, took } => pft::Event::SeenOpened { sender, took },
            Seen::Shed { queue, count } => pft::Event::SeenShed { queue, count },
            Seen::Mark { mark, peer: whose, value } => {
                let (peer, unlisted) = peer(whose);
                pft::Event::SeenMark { mark, peer, unlisted, value }
            }
            Seen::Read(read) => pft::Event::M3Sample {
                seq: read.number,
                req: read.asked,
                kind: read.kind.into(),
                n: read.bytes,
                round_trip: read.round_trip,
                total: read.total,
                blocks: read.blocks.into(),
                err_bit: read.error_bit,
                status: self.text(read.status),
            },
            Seen::Counters(counters) => pft::Event::StopSample {
                uptime: Duration::from_millis(counters.uptime_s.saturating_mul(1_000)),
                sent: counters.sent,
                replies: counters.replies,
                rebonds: counters.rebonds,
            },
            Seen::Span { name, task, core, took } => pft::Event::Span {
                track: self.track(task, core),
                name: self.text(name),
                length: took,
            },
            Seen::Moment { name, task, core } => {
                pft::Event::InstantEvent { track: self.track(task, core), name: self.text(name) }
            }
            Seen::Level { name, value } => pft::Event::Counter { track: self.text(name), value },
            Seen::Flow { id, end, task } => pft::Event::Flow { id, end, track: self.text(task) },
            Seen::Gap { why, count } => gap(why, count),
        }
    }
}

impl<W: Write> Sink for TraceSink<W> {
    fn name(&mut self, _name: Name, text: &str) -> io::Result<()> {
        self.names.push(text.to_owned());
        Ok(())
    }

    fn event(&mut self, event: Event) -> io::Result<()> {
        let record = self.record(event.what);
        self.writer.record(event.at, &record).map(|_| ()).map_err(to_io)
    }

    fn unread(&mut self, at: Instant, place: Place, text: &str) -> io::Result<()> {
        let (Place::Line(line) | Place::Byte(line) | Place::Event(line)) = place else {
            return Ok(());
        };
        let record = pft::Event::Unread { line, text: text.to_owned() };
        self.writer.record(at, &record).map(|_| ()).map_err(to_io)
    }
}

fn peer(peer: Option<PeerRef>) -> (Option<u32>, Option<u32>) {
    match peer {
        None => (None, None),
        Some(PeerRef::Listed(id)) => (Some(id), None),
        Some(PeerRef::Unlisted(number)) => (None, Some(number)),
    }
}

fn frame_record(frame: &Frame) -> pft::Event {
    let length = usize::try_from(frame.packet.bytes).unwrap_or(usize::MAX);
    let head = &frame.head[..length.min(frame.head.len())];
    let kept = head.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    pft::Event::Frame {
        direction: frame.packet.direction.into(),
        source: frame.source,
        destination: frame.destination,
        bytes: Octets(head[..kept].to_vec()),
        length: frame.packet.bytes,
    }
}

fn gap(why: GapReason, count: u64) -> pft::Event {
    let (reason, lost) = match why {
        GapReason::Torn | GapReason::Rejected => (choice::GapReason::Missed, Some(count)),
        GapReason::Restarted => (choice::GapReason::Missed, None),
        GapReason::Truncated => (choice::GapReason::Cut, None),
        GapReason::Dropped => (choice::GapReason::Dropped, None),
    };
    pft::Event::Gap { reason, lost }
}

impl From<Direction> for choice::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::In => Self::In,
            Direction::Out => Self::Out,
            Direction::Unsaid => Self::Unknown,
        }
    }
}

impl From<ReadKind> for choice::ReadKind {
    fn from(kind: ReadKind) -> Self {
        match kind {
            ReadKind::Data => Self::Data,
            ReadKind::Idle => Self::Idle,
            ReadKind::End => Self::Eof,
            ReadKind::Error => Self::Err,
        }
    }
}

fn to_io(error: WriteError) -> io::Error {
    match error {
        WriteError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// The fit of the clocks as a record: whole parts in a thousand million, whole nanoseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a number that is too big becomes the biggest; a doubt is a root, so never negative"
)]
fn clock_record(fit: &ClockFit) -> pft::Event {
    pft::Event::ClockFit {
        source: "host".to_owned(),
        offset_ns: (-fit.offset_s * 1e9) as i64,
        drift_ppb: (-fit.drift_ppm * 1e3) as i64,
        plus_minus: Duration::from_nanos((fit.offset_doubt_s * 1e9) as u64),
        points: u32::try_from(fit.pairs).unwrap_or(u32::MAX),
    }
}

/// What came of an import into a trace.
#[derive(Debug)]
pub struct Imported<W> {
    /// What the file held.
    pub summary: Summary,
    /// Records of the trace, gaps and pieces that were not understood among them.
    pub records: u64,
    /// Where it was written to.
    pub out: W,
}

/// Imports a file into a trace. `title` stands in the trace's head, without addresses.
///
/// # Errors
/// As [`import`]; what has been written by then is no whole trace and should be thrown away.
pub fn write<W: Write>(
    format: Format,
    mut file: impl Read + Seek,
    mapping: &Mapping,
    options: Options,
    title: &str,
    out: W,
) -> Result<Imported<W>, ImportError> {
    let redactor =
        if options.keep_addresses { Redactor::off() } else { Redactor::new(salt(&mut file)?) };
    let mut head = Head::new(TraceSubject::Other, title);
    head.set("source", format.name());
    let lacks: Vec<_> =
        lacks(format).iter().map(|lack| format!("{}: {}", lack.field, lack.log)).collect();
    head.set("lacks", &lacks.join("\n"));
    let writer = Writer::create(out, &head, redactor).map_err(to_io).map_err(unwritable)?;
    let mut sink = TraceSink::new(writer);
    let summary = import(format, file, mapping, options, &mut sink)?;
    let mut writer = sink.writer;
    let last = summary.span.map_or(Instant::ZERO, |(_, last)| last);
    if let Some(fit) = &summary.clock {
        writer.record(last, &clock_record(fit)).map_err(to_io).map_err(unwritable)?;
    }
    let records = writer.records();
    let out = writer.finish(None).map_err(to_io).map_err(unwritable)?;
    Ok(Imported { summary, records, out })
}

/// A number that whoever has the trace and not the file cannot know: a digest of the file's first
/// mebibyte.
fn salt(file: &mut (impl Read + Seek)) -> Result<u128, ImportError> {
    let mut hasher = SipHasher13::new_with_keys(0x696d_706f, 0x7274_2073);
    let mut buffer = vec![0; 64 * 1024];
    let mut left = SALTED;
    while left > 0 {
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(ImportError::unreadable(error)),
        };
        hasher.write(&buffer[..count]);
        left = left.saturating_sub(u64::try_from(count).unwrap_or(left));
    }
    file.seek(SeekFrom::Start(0)).map_err(ImportError::unreadable)?;
    Ok(hasher.finish128().as_u128())
}

const fn unwritable(error: io::Error) -> ImportError {
    ImportError::at(Place::File, Problem::Unwritable(error))
}
