//! A record as one line of text: fixed columns, virtual time only.
//!
//! ```text
//!      10.000ms in     packet flood 0 #14
//!      10.000ms cost   BoxOpenComputed 28.305ms
//!      38.305ms note   Opened { known: false, genuine: false }
//! ```
use std::fmt;

use firmware_core::time::{Duration, Instant};

use super::{InputKind, Place, Record, What};
use crate::packet::Source;

/// Milliseconds with their microseconds.
fn millis(nanos: u64) -> String {
    format!("{}.{:03}ms", nanos / 1_000_000, nanos / 1_000 % 1_000)
}

fn span(span: Duration) -> String {
    millis(span.as_nanos())
}

fn instant(at: Instant) -> String {
    if at == Instant::NEVER { "an input".to_owned() } else { millis(at.as_nanos()) }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flood { flood, index } => write!(out, "flood {flood} #{index}"),
            Self::Heartbeat { stream, counter, copy } => {
                let copy = if *copy { " copy" } else { "" };
                write!(out, "heartbeat {stream} #{counter}{copy}")
            }
            Self::Peer { peer, kind } => write!(out, "{kind:?} of peer {peer}"),
            Self::Tunnel { peer, kind } => write!(out, "tunnel {kind:?} of peer {peer}"),
        }
    }
}

impl fmt::Display for Record {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:>14} ", millis(self.at.as_nanos()))?;
        match self.what {
            What::Queued { queue, source, waiting } => {
                write!(out, "queue  {queue:?}: {source}, {waiting} waiting")
            }
            What::Dropped { source, place } => match place {
                Place::Queue(queue) => write!(out, "shed   {queue:?} is full: {source}"),
                Place::Air => write!(out, "fault  lost on its way: {source}"),
                Place::Mailbox => write!(out, "shed   the socket's mailbox is full: {source}"),
                Place::Memory => write!(out, "fault  no memory: {source}"),
                Place::Classifier => write!(out, "drop   not for the manager: {source}"),
            },
            What::Input(InputKind::Packet(source)) => write!(out, "in     {source}"),
            What::Input(input) => write!(out, "in     {input:?}"),
            What::Charge { key, span: length } => write!(out, "cost   {key:?} {}", span(length)),
            What::Note(note) => write!(out, "note   {note:?}"),
            What::Sent { kind, peer, direct, relay } => {
                let relay = if relay { " and the relay" } else { "" };
                write!(out, "out    {kind:?} to slot {peer}: {direct} direct{relay}")
            }
            What::Transmit { kind, peer, direct, relay } => {
                let way = match (direct, relay) {
                    (true, true) => "directly and through the relay",
                    (true, false) => "directly",
                    (false, true) => "through the relay",
                    (false, false) => "nowhere",
                };
                write!(out, "out    tunnel {kind:?} to slot {peer} {way}")
            }
            What::ToTunnel(packet) => write!(out, "out    to the tunnel: {packet:?}"),
            What::WriteStore { bytes } => write!(out, "flash  {bytes} bytes"),
            What::Sleep { until, why } => write!(out, "sleep  until {}, {why:?}", instant(until)),
            What::UpdateDropped => write!(out, "shed   a peer update: the queue stayed full"),
            What::WatchdogReset => write!(out, "reset  by the task watchdog"),
        }
    }
}
