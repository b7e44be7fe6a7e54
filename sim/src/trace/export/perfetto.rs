//! Perfetto's protobuf: what each task did, how full the queues were, what led to what.
//!
//! ```text
//!   core 0   net_io    │ arrival of packet 14 ──┐ flow
//!   core 1   wg_mgr    │      box_open_computed ▓▓▓▓▓▓ ──► pong to slot 3
//!            coord     │ told.add                    the control plane
//!   counters           waiting: disco  ▁▂▃▂▁    waiting: tunnel  ▁▁▂▁
//! ```
//!
//! A step's charge lasts until the core is stepped again: that is when its effects come, so a reply
//! is drawn there. Messages are encoded by the prost crate; only the fields that are used here are
//! declared, with their numbers in Perfetto's public schema.
use std::collections::BTreeMap;
use std::io::{self, Write};

use firmware_core::time::Instant;
use firmware_core::wg_mgr::output::Queue;
use firmware_core::wg_mgr::wire::PacketClass;
use prost::Message;

use super::Exporter;
use crate::pft::field::Field;
use crate::pft::reader::Gap;
use crate::pft::{Event, Record};
use crate::trace::import::FlowEnd;

/// The one sequence that all packets belong to.
const SEQUENCE: u32 = 1;
/// Packets whose waiting is followed; a trace with more has lost the records that end it.
const WAITING_MOST: usize = 100_000;
/// Flows of an import are told apart from packets by this bit.
const FOREIGN_FLOW: u64 = 1 << 63;

/// A message of the file.
#[derive(Clone, PartialEq, Message)]
struct Trace {
    #[prost(message, repeated, tag = "1")]
    packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, Message)]
struct TracePacket {
    #[prost(uint64, optional, tag = "8")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    trusted_packet_sequence_id: Option<u32>,
    #[prost(message, optional, tag = "11")]
    track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "60")]
    track_descriptor: Option<TrackDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackEvent {
    #[prost(int32, optional, tag = "9")]
    r#type: Option<i32>,
    #[prost(uint64, optional, tag = "11")]
    track_uuid: Option<u64>,
    #[prost(string, optional, tag = "23")]
    name: Option<String>,
    #[prost(int64, optional, tag = "30")]
    counter_value: Option<i64>,
    #[prost(fixed64, repeated, packed = "false", tag = "47")]
    flow_ids: Vec<u64>,
    #[prost(fixed64, repeated, packed = "false", tag = "48")]
    terminating_flow_ids: Vec<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    name: Option<String>,
    #[prost(message, optional, tag = "3")]
    process: Option<ProcessDescriptor>,
    #[prost(message, optional, tag = "4")]
    thread: Option<ThreadDescriptor>,
    #[prost(uint64, optional, tag = "5")]
    parent_uuid: Option<u64>,
    #[prost(message, optional, tag = "8")]
    counter: Option<CounterDescriptor>,
}

#[derive(Clone, PartialEq, Message)]
struct ProcessDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(string, optional, tag = "6")]
    process_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct ThreadDescriptor {
    #[prost(int32, optional, tag = "1")]
    pid: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    tid: Option<i32>,
    #[prost(string, optional, tag = "5")]
    thread_name: Option<String>,
}

#[derive(Clone, PartialEq, Message)]
struct CounterDescriptor {}

/// The types of a track's events.
#[derive(Clone, Copy)]
enum Type {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// Where a track belongs: a core of the device, or the counters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Track {
    Process(String),
    Thread(String, String),
    Counter(String),
}

/// A flow at an event.
#[derive(Clone, Copy)]
enum Flow {
    None,
    Through(u64),
    End(u64),
}

/// A Perfetto trace being written.
pub(super) struct Perfetto<W: Write> {
    out: W,
    tracks: BTreeMap<Track, u64>,
    /// Packets that have arrived and are neither taken nor lost.
    waiting: BTreeMap<u64, Queue>,
    levels: [i64; 3],
    /// Whether the present step has begun a span.
    is_busy: bool,
    packet: Option<u64>,
    /// What the present step will have sent when its charge has passed.
    sends: Vec<String>,
    is_reading: bool,
    last: Instant,
}

impl<W: Write> Perfetto<W> {
    pub(super) const fn new(out: W) -> Self {
        Self {
            out,
            tracks: BTreeMap::new(),
            waiting: BTreeMap::new(),
            levels: [0; 3],
            is_busy: false,
            packet: None,
            sends: Vec::new(),
            is_reading: false,
            last: Instant::ZERO,
        }
    }

    fn put(&mut self, packet: TracePacket) -> io::Result<()> {
        let trusted_packet_sequence_id = Some(SEQUENCE);
        let packet = TracePacket { trusted_packet_sequence_id, ..packet };
        self.out.write_all(&Trace { packet: vec![packet] }.encode_to_vec())
    }

    /// The number of a track, which is described when it is met first.
    fn track(&mut self, track: Track) -> io::Result<u64> {
        if let Some(uuid) = self.tracks.get(&track) {
            return Ok(*uuid);
        }
        let parent_uuid = match &track {
            Track::Thread(process, _) => Some(self.track(Track::Process(process.clone()))?),
            Track::Process(_) | Track::Counter(_) => None,
        };
        let uuid = u64::try_from(self.tracks.len()).unwrap_or(0) + 1;
        let number = i32::try_from(uuid).unwrap_or(i32::MAX);
        let mut descriptor =
            TrackDescriptor { uuid: Some(uuid), parent_uuid, ..TrackDescriptor::default() };
        match &track {
            Track::Process(name) => {
                let process_name = Some(name.clone());
                descriptor.process = Some(ProcessDescriptor { pid: Some(number), process_name });
            }
            Track::Thread(_, name) => {
                let pid = parent_uuid.and_then(|parent| i32::try_from(parent).ok());
                let (tid, thread_name) = (Some(number), Some(name.clone()));
                descriptor.thread = Some(ThreadDescriptor { pid, tid, thread_name });
            }
            Track::Counter(name) => {
                descriptor.name = Some(name.clone());
                descriptor.counter = Some(CounterDescriptor {});
            }
        }
        self.tracks.insert(track, uuid);
        let track_descriptor = Some(descriptor);
        self.put(TracePacket { track_descriptor, ..TracePacket::default() })?;
        Ok(uuid)
    }

    fn event(&mut self, at: Instant, track: Track, event: TrackEvent) -> io::Result<()> {
        let track_uuid = Some(self.track(track)?);
        let track_event = Some(TrackEvent { track_uuid, ..event });
        let timestamp = Some(at.as_nanos());
        self.put(TracePacket { timestamp, track_event, ..TracePacket::default() })
    }

    fn named(
        &mut self,
        at: Instant,
        track: Track,
        kind: Type,
        name: &str,
        flow: Flow,
    ) -> io::Result<()> {
        let mut event = TrackEvent { r#type: Some(kind as i32), ..TrackEvent::default() };
        if !matches!(kind, Type::End) {
            event.name = Some(name.to_owned());
        }
        match flow {
            Flow::None => {}
            Flow::Through(id) => event.flow_ids.push(id),
            Flow::End(id) => event.terminating_flow_ids.push(id),
        }
        self.event(at, track, event)
    }

    fn instant(&mut self, at: Instant, track: Track, name: &str, flow: Flow) -> io::Result<()> {
        self.named(at, track, Type::Instant, name, flow)
    }

    fn span(
        &mut self,
        from: Instant,
        to: Instant,
        track: Track,
        name: &str,
        flow: Flow,
    ) -> io::Result<()> {
        self.named(from, track.clone(), Type::Begin, name, flow)?;
        self.named(to, track, Type::End, "", Flow::None)
    }

    fn counter(&mut self, at: Instant, name: &str, value: i64) -> io::Result<()> {
        let event = TrackEvent {
            r#type: Some(Type::Counter as i32),
            counter_value: Some(value),
            ..TrackEvent::default()
        };
        self.event(at, Track::Counter(name.to_owned()), event)
    }

    fn level(&mut self, at: Instant, queue: Queue, by: i64) -> io::Result<()> {
        let level = &mut self.levels[queue as usize];
        *level = (*level + by).max(0);
        let level = *level;
        self.counter(at, &format!("waiting: {}", shown(&queue)), level)
    }

    fn arrives(&mut self, at: Instant, packet: u64, queue: Queue, what: &str) -> io::Result<()> {
        let name = format!("{what} #{packet}");
        self.instant(at, net_io(), &name, Flow::Through(flow_of(packet)))?;
        if self.waiting.len() < WAITING_MOST && self.waiting.insert(packet, queue).is_none() {
            self.level(at, queue, 1)?;
        }
        Ok(())
    }

    fn leaves(&mut self, at: Instant, packet: u64) -> io::Result<()> {
        match self.waiting.remove(&packet) {
            Some(queue) => self.level(at, queue, -1),
            None => Ok(()),
        }
    }

    /// The core is stepped: what the step before did is over.
    fn steps(&mut self, at: Instant, packet: Option<u64>) -> io::Result<()> {
        if std::mem::take(&mut self.is_busy) {
            self.named(at, wg_mgr(), Type::End, "", Flow::None)?;
        }
        let flow = self.packet.map_or(Flow::None, |packet| Flow::End(flow_of(packet)));
        for send in std::mem::take(&mut self.sends) {
            self.instant(at, wg_mgr(), &send, flow)?;
        }
        self.packet = packet;
        packet.map_or(Ok(()), |packet| self.leaves(at, packet))
    }

    fn manager(&mut self, at: Instant, event: &Event) -> io::Result<bool> {
        match event {
            Event::ArrivePing { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "ping")?;
            }
            Event::ArrivePong { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "pong")?;
            }
            Event::ArriveCallMeMaybe { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "CallMeMaybe")?;
            }
            Event::ArriveUnreadable { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "unreadable box")?;
            }
            Event::ArriveForged { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "forged box")?;
            }
            Event::ArriveUnopened { arrival, .. } => {
                self.arrives(at, arrival.packet, Queue::Disco, "box")?;
            }
            Event::ArriveBytes { arrival, class, .. } => {
                let is_disco = *class == PacketClass::Disco;
                let queue = if is_disco { Queue::Disco } else { Queue::Tunnel };
                self.arrives(at, arrival.packet, queue, "packet")?;
            }
            Event::Drop { packet, place } => {
                let name = format!("drop #{packet}: {}", shown(place));
                self.instant(at, net_io(), &name, Flow::End(flow_of(*packet)))?;
                self.leaves(at, *packet)?;
            }
            Event::ToldAdd { .. } | Event::ToldRemove { .. } | Event::ToldPatch { .. } => {
                let coord = Track::Thread("core 1".to_owned(), "coord".to_owned());
                self.instant(at, coord, event.name(), Flow::None)?;
                self.level(at, Queue::Updates, 1)?;
            }
            Event::InPacket { packet } => self.steps(at, Some(*packet))?,
            Event::InAdd { .. } | Event::InRemove { .. } | Event::InPatch { .. } => {
                self.steps(at, None)?;
                self.level(at, Queue::Updates, -1)?;
            }
            Event::OutCharge { key } => {
                let flow = self.packet.map_or(Flow::None, |it| Flow::Through(flow_of(it)));
                if std::mem::replace(&mut self.is_busy, true) {
                    self.named(at, wg_mgr(), Type::End, "", Flow::None)?;
                }
                self.named(at, wg_mgr(), Type::Begin, &shown(key), flow)?;
            }
            Event::OutSend { message, peer, .. } => {
                self.sends.push(format!("{} to slot {}", shown(message), peer.0));
            }
            Event::OutWriteStore { bytes } => self.sends.push(format!("write {bytes} bytes")),
            Event::OutToTunnel { packet, .. } => {
                self.sends.push(format!("{} to the tunnel", shown(packet)));
            }
            other if other.is_input() => self.steps(at, None)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn client(&mut self, at: Instant, event: &Event) -> io::Result<bool> {
        let track = || Track::Thread("C64".to_owned(), "m3_read".to_owned());
        match event {
            Event::M3Request { request } => {
                let mut name = String::new();
                request.show(&mut name);
                if std::mem::replace(&mut self.is_reading, true) {
                    self.named(at, track(), Type::End, "", Flow::None)?;
                }
                self.named(at, track(), Type::Begin, &name, Flow::None)?;
            }
            Event::M3Done { .. } => {
                if std::mem::take(&mut self.is_reading) {
                    self.named(at, track(), Type::End, "", Flow::None)?;
                }
            }
            Event::M3Sample { kind, n, total, .. } => {
                let name = format!("{}, {n} bytes", shown(kind));
                self.span(at, at.after(*total), track(), &name, Flow::None)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn foreign(&mut self, at: Instant, event: &Event) -> io::Result<bool> {
        match event {
            Event::Span { track, name, length } => {
                self.span(at, at.after(*length), imported(track), name, Flow::None)?;
            }
            Event::InstantEvent { track, name } => {
                self.instant(at, imported(track), name, Flow::None)?;
            }
            Event::Counter { track, value } => self.counter(at, track, *value)?,
            Event::Flow { id, end, track } => {
                let id = id | FOREIGN_FLOW;
                let flow = match end {
                    FlowEnd::Start | FlowEnd::Step => Flow::Through(id),
                    FlowEnd::Finish => Flow::End(id),
                };
                self.instant(at, imported(track), "flow", flow)?;
            }
            Event::StopSample { sent, replies, rebonds, .. } => {
                for (name, value) in [("sent", sent), ("replies", replies), ("rebonds", rebonds)] {
                    self.counter(at, name, i64::try_from(*value).unwrap_or(i64::MAX))?;
                }
            }
            Event::SeenOpened { took, .. } => {
                let took = took.unwrap_or_default();
                let from = Instant::from_nanos(at.as_nanos().saturating_sub(took.as_nanos()));
                self.span(from, at, wg_mgr(), "box open", Flow::None)?;
            }
            Event::SeenPacket { class, .. } => {
                self.instant(at, net_io(), &shown(class), Flow::None)?;
            }
            Event::SeenShed { queue, count } => {
                let name = format!("shed {count}: {}", shown(queue));
                self.instant(at, net_io(), &name, Flow::None)?;
            }
            Event::SeenMark { mark, .. } => {
                self.instant(at, wg_mgr(), &shown(mark), Flow::None)?;
            }
            Event::Frame { length, .. } => {
                self.instant(at, net_io(), &format!("{length} bytes"), Flow::None)?;
            }
            Event::Log { tag, text, .. } => {
                self.instant(at, imported("log"), &format!("{tag}: {text}"), Flow::None)?;
            }
            Event::Mark { text } => self.instant(at, imported("marks"), text, Flow::None)?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

fn wg_mgr() -> Track {
    Track::Thread("core 1".to_owned(), "wg_mgr".to_owned())
}

fn net_io() -> Track {
    Track::Thread("core 0".to_owned(), "net_io".to_owned())
}

/// A track of an import: on its core where the import knew it.
fn imported(track: &str) -> Track {
    match track.rsplit_once(", ") {
        Some((task, core)) if core.starts_with("core ") => {
            Track::Thread(core.to_owned(), task.to_owned())
        }
        _ => Track::Thread("imported".to_owned(), track.to_owned()),
    }
}

/// Flow 0 is none.
const fn flow_of(packet: u64) -> u64 {
    packet.saturating_add(1) & !FOREIGN_FLOW
}

fn shown(field: &impl Field) -> String {
    let mut out = String::new();
    field.show(&mut out);
    out
}

impl<W: Write> Exporter for Perfetto<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        let (at, event) = (record.at, &record.event);
        self.last = at;
        Ok(match event.number() {
            100..=116 | 134 => self.client(at, event)?,
            10..=99 => self.manager(at, event)?,
            _ => self.foreign(at, event)?,
        })
    }

    fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        let name = format!("records are missing: {}", shown(&gap.reason));
        self.steps(gap.at, None)?;
        self.waiting.clear();
        self.levels = [0; 3];
        self.instant(gap.at, imported("gaps"), &name, Flow::None)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.steps(self.last, None)
    }
}
