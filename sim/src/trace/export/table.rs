//! The tables that the import reads: packets, READs, telemetry.
//!
//! ```text
//!   t_ns,kind,peer,len,id,direction,via            packets of any trace
//!   seq,t_push_us,req,kind,n,rtt_us,…              READs of an imported table
//!   t_s,uptime_s,sent,replies,rebonds              samples of imported telemetry
//! ```
//!
//! Times of packets are nanoseconds, so that a table that is imported again gives the same instants.
//! Peers go by their id. What has none has a number in the order of first appearance: addresses and
//! keys of logs from 2 147 483 648 on, ways of packets from 4 294 967 295 downwards, so that the
//! three do not meet.
use std::collections::BTreeMap;
use std::io::{self, Write};

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::wire::{PacketClass, TunnelPacket, classify};

use super::Exporter;
use crate::pft::choice::{Direction, Origin, ReadKind};
use crate::pft::event::Arrival;
use crate::pft::reader::Gap;
use crate::pft::{Event, Record};
use crate::trace::import::{Class, Route};

const PACKETS: [&str; 7] = ["t_ns", "kind", "peer", "len", "id", "direction", "via"];
const READS: [&str; 10] =
    ["seq", "t_push_us", "req", "kind", "n", "rtt_us", "total_us", "blocks", "err_bit", "status"];
const SAMPLES: [&str; 5] = ["t_s", "uptime_s", "sent", "replies", "rebonds"];

/// Where the numbers begin of addresses and keys that no list names.
const UNLISTED: u32 = 1 << 31;

/// Packets being written.
pub(super) struct Packets<W: Write> {
    out: csv::Writer<W>,
    /// Ways by which packets came, numbered as they are met.
    ways: BTreeMap<Via, u32>,
}

/// READs being written.
pub(super) struct Reads<W: Write>(csv::Writer<W>);

/// Samples being written.
pub(super) struct Samples<W: Write>(csv::Writer<W>);

/// A row of the table of packets.
struct Row {
    class: Class,
    peer: Option<u32>,
    length: u32,
    number: Option<u64>,
    direction: Direction,
    way: Route,
}

fn table<W: Write>(out: W, header: &[&str]) -> io::Result<csv::Writer<W>> {
    let mut out = csv::Writer::from_writer(out);
    out.write_record(header)?;
    Ok(out)
}

impl<W: Write> Packets<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        Ok(Self { out: table(out, &PACKETS)?, ways: BTreeMap::new() })
    }

    fn number(&mut self, way: Via) -> u32 {
        let next = u32::MAX - u32::try_from(self.ways.len()).unwrap_or(u32::MAX);
        *self.ways.entry(way).or_insert(next)
    }

    fn arrival(&mut self, arrival: &Arrival, class: Class, length: u32) -> Row {
        let class = match (arrival.origin, class) {
            (Origin::Heartbeat, Class::Data) => Class::Heartbeat,
            (_, class) => class,
        };
        Row {
            class,
            peer: Some(self.number(arrival.way)),
            length,
            number: Some(arrival.packet),
            direction: Direction::In,
            way: route(&arrival.way),
        }
    }

    fn row(&mut self, event: &Event) -> Option<Row> {
        Some(match event {
            Event::ArrivePing { arrival, node, .. } => {
                let length = if node.is_some() { 124 } else { 92 };
                self.arrival(arrival, Class::Ping, length)
            }
            Event::ArrivePong { arrival, .. } => self.arrival(arrival, Class::Pong, 110),
            Event::ArriveCallMeMaybe { arrival, endpoints, .. } => {
                let length = 80 + 18 * u32::try_from(endpoints.len()).unwrap_or(0);
                self.arrival(arrival, Class::CallMeMaybe, length)
            }
            Event::ArriveUnreadable { arrival, .. } => self.arrival(arrival, Class::Disco, 80),
            Event::ArriveForged { arrival, box_bytes, .. }
            | Event::ArriveUnopened { arrival, box_bytes, .. } => {
                self.arrival(arrival, Class::Disco, box_bytes.saturating_add(62))
            }
            Event::ArriveBytes { arrival, bytes, length, .. } => {
                let class = class_of(&bytes.0, *length);
                self.arrival(arrival, class, *length)
            }
            Event::OutSend { message, peer, direct, .. } => Row {
                class: match message {
                    MessageKind::Ping => Class::Ping,
                    MessageKind::Pong => Class::Pong,
                    MessageKind::CallMeMaybe => Class::CallMeMaybe,
                },
                peer: Some(peer.0.into()),
                length: 0,
                number: None,
                direction: Direction::Out,
                way: if direct.is_empty() { Route::Relay } else { Route::Direct },
            },
            Event::SeenPacket { direction, class, peer, unlisted, length, number, way } => Row {
                class: *class,
                peer: peer.or(unlisted.map(|number| UNLISTED.saturating_add(number))),
                length: *length,
                number: *number,
                direction: *direction,
                way: *way,
            },
            Event::Frame { direction, source, destination, bytes, length } => {
                let other = if *direction == Direction::Out { destination } else { source };
                Row {
                    class: class_of(&bytes.0, *length),
                    peer: Some(self.number(Via::Direct(*other))),
                    length: *length,
                    number: None,
                    direction: *direction,
                    way: Route::Direct,
                }
            }
            _ => return None,
        })
    }

    fn write(&mut self, at: Instant, row: &Row) -> io::Result<()> {
        let text = |number: Option<u64>| number.map_or_else(String::new, |it| it.to_string());
        let direction = match row.direction {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::Unknown => "",
        };
        let way = match row.way {
            Route::Direct => "direct",
            Route::Relay => "relay",
            Route::Unsaid => "",
        };
        let peer = row.peer.map_or_else(|| "-".to_owned(), |peer| peer.to_string());
        self.out.write_record([
            at.as_nanos().to_string().as_str(),
            word(row.class),
            &peer,
            &row.length.to_string(),
            &text(row.number),
            direction,
            way,
        ])?;
        Ok(())
    }
}

const fn route(way: &Via) -> Route {
    match way {
        Via::Direct(_) => Route::Direct,
        Via::Derp(_) => Route::Relay,
    }
}

/// What a datagram is, from the beginning of its payload and its length.
fn class_of(bytes: &[u8], length: u32) -> Class {
    let length = usize::try_from(length).unwrap_or(0).min(2_048);
    let mut payload = vec![0; length];
    let kept = bytes.len().min(length);
    payload[..kept].copy_from_slice(&bytes[..kept]);
    match classify(&payload, false) {
        PacketClass::Stun => Class::Stun,
        PacketClass::Disco => Class::Disco,
        PacketClass::Dropped => Class::Other,
        PacketClass::Tunnel => match TunnelPacket::parse(&payload) {
            TunnelPacket::Initiation => Class::Initiation,
            TunnelPacket::Response => Class::Response,
            TunnelPacket::Cookie => Class::Cookie,
            TunnelPacket::Data { .. } => Class::Data,
            TunnelPacket::Malformed => Class::Other,
        },
    }
}

/// The word of a class in the tables.
const fn word(class: Class) -> &'static str {
    match class {
        Class::Heartbeat => "hb",
        Class::Disco => "disco",
        Class::DiscoUnknown => "unknown",
        Class::DiscoKnown => "known",
        Class::Ping => "ping",
        Class::Pong => "pong",
        Class::CallMeMaybe => "cmm",
        Class::Initiation => "init",
        Class::Response => "resp",
        Class::Cookie => "cookie",
        Class::Data => "data",
        Class::Stun => "stun",
        Class::Other => "other",
    }
}

impl<W: Write> Exporter for Packets<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        let Some(row) = self.row(&record.event) else { return Ok(false) };
        self.write(record.at, &row)?;
        Ok(true)
    }

    fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        let at = gap.at.as_nanos().to_string();
        self.out.write_record([at.as_str(), "gap", "-", "0", "", "", ""])?;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl<W: Write> Reads<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        table(out, &READS).map(Self)
    }
}

const fn micros(span: Duration) -> u64 {
    span.as_nanos() / 1_000
}

impl<W: Write> Exporter for Reads<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        let Event::M3Sample { seq, req, kind, n, round_trip, total, blocks, err_bit, status } =
            &record.event
        else {
            return Ok(false);
        };
        let kind = match kind {
            ReadKind::Data => "data",
            ReadKind::Idle => "idle",
            ReadKind::Eof => "eof",
            ReadKind::Err => "err",
        };
        self.0.write_record([
            seq.to_string().as_str(),
            &(record.at.as_nanos() / 1_000).to_string(),
            &req.to_string(),
            kind,
            &n.to_string(),
            &micros(*round_trip).to_string(),
            &micros(*total).to_string(),
            &blocks.to_string(),
            if *err_bit { "1" } else { "0" },
            status,
        ])?;
        Ok(true)
    }

    fn gap(&mut self, _gap: &Gap) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write> Samples<W> {
    pub(super) fn new(out: W) -> io::Result<Self> {
        table(out, &SAMPLES).map(Self)
    }
}

impl<W: Write> Exporter for Samples<W> {
    fn record(&mut self, record: &Record) -> io::Result<bool> {
        let Event::StopSample { uptime, sent, replies, rebonds } = &record.event else {
            return Ok(false);
        };
        let seconds = record.at.as_nanos() / 1_000_000_000;
        let row = [seconds, uptime.as_millis() / 1_000, *sent, *replies, *rebonds];
        self.0.write_record(row.map(|number| number.to_string()))?;
        Ok(true)
    }

    fn gap(&mut self, _gap: &Gap) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
