//! Recorded arrivals as the source of a world: packets, updates and what other tasks say come when
//! they came; nobody answers what the device sends.
use std::collections::BTreeSet;
use std::fs::File;

use firmware_core::time::Instant;
use firmware_core::wg_mgr::input::{Control, PeerUpdate, Via};
use firmware_core::wg_mgr::output::{MessageKind, Outputs};
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::wire::TunnelPacket;

use super::event::Event;
use super::{SetUpError, World};
use crate::node::control_plane::Rank;
use crate::packet::Source;
use crate::pft::choice::{DropPlace, Origin};
use crate::pft::event::{Arrival, Event as Record};
use crate::pft::{Item, PftError, Reader};
use crate::record::digest::CoreDigest;
use crate::record::pings::Pings;
use crate::record::{letter, step};
use crate::replay::blob;
use crate::scenario::Scenario;

/// What a first look through a trace finds.
#[derive(Debug, Default)]
pub struct Scan {
    /// The digest of the recorded steps.
    pub digest: Option<u128>,
    /// Places at which records are missing.
    pub gaps: u64,
    preloaded: Vec<PeerRecord>,
    /// Packets for which there was no memory: a fault that happens again.
    without_memory: BTreeSet<u64>,
    /// When writes of the peer cache failed.
    failed_writes: Vec<Instant>,
}

impl Scan {
    /// Looks through a trace.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(reader: &mut Reader<File>) -> Result<Self, PftError> {
        let mut scan = Self::default();
        for item in &mut *reader {
            match item? {
                Item::Record(record) => match record.event {
                    Record::Preload { peer } => scan.preloaded.push(step::record_of(&peer)),
                    Record::Drop { packet, place: DropPlace::Memory } => {
                        scan.without_memory.insert(packet);
                    }
                    Record::InStoreWriteFailed {} => scan.failed_writes.push(record.at),
                    _ => {}
                },
                Item::Gap(_) => scan.gaps += 1,
                Item::Unknown(_) => {}
            }
        }
        scan.digest = reader.end().and_then(|end| end.digest);
        Ok(scan)
    }
}

/// The arrivals of a trace, and what the world keeps of its own steps.
#[derive(Debug)]
pub(super) struct Given {
    reader: Reader<File>,
    without_memory: BTreeSet<u64>,
    /// Latest first.
    failed_writes: Vec<Instant>,
    pings: Pings,
    digest: CoreDigest,
    failed: Option<PftError>,
}

impl<'s> World<'s> {
    /// A world in which the arrivals of a trace happen. The scenario is its device: it has no peers
    /// and no traffic of its own.
    ///
    /// # Errors
    /// [`SetUpError`] when the device cannot be set up, or the recorded peer cache does not fit it.
    pub fn of_arrivals(
        scenario: &'s Scenario,
        reader: Reader<File>,
        scan: &Scan,
    ) -> Result<Self, SetUpError> {
        let mut world = World::new(scenario)?;
        if let Some(blob) = blob(&scan.preloaded, scenario.config.store_entries)
            && !scan.preloaded.is_empty()
        {
            world.device.manager.core.preload(&blob).map_err(SetUpError::Blob)?;
        }
        world.given = Some(Box::new(Given {
            reader,
            without_memory: scan.without_memory.clone(),
            failed_writes: scan.failed_writes.iter().rev().copied().collect(),
            pings: Pings::default(),
            digest: CoreDigest::default(),
            failed: None,
        }));
        world.next_given();
        Ok(world)
    }

    /// The digest of the core's steps so far, of a world that arrivals are given to.
    pub fn core_digest(&self) -> Option<u128> {
        self.given.as_ref().map(|given| given.digest.value())
    }

    /// Why the arrivals could not be read to their end, if so.
    pub fn arrivals_failed(&mut self) -> Option<PftError> {
        self.given.as_mut().and_then(|given| given.failed.take())
    }

    /// Puts the next of the given arrivals into the queue.
    pub(super) fn next_given(&mut self) {
        let Some(given) = &mut self.given else { return };
        for item in &mut given.reader {
            match item {
                Ok(Item::Record(record)) if is_arrival(&record.event) => {
                    let event = Event::Given { event: Box::new(record.event) };
                    return self.events.push(record.at.max(self.now), event);
                }
                Ok(_) => {}
                Err(error) => {
                    given.failed = Some(error);
                    return;
                }
            }
        }
    }

    /// A given arrival's time has come.
    pub(super) fn given_arrives(&mut self, event: &Record) {
        self.next_given();
        if let Some(control) = step::control_of(event) {
            self.control(control);
        } else if let Some(update) = step::update_of(event) {
            self.tell(self.rank_of(&update), update);
            self.watch_patience();
        } else if let Some(arrival) = letter::arrival(event) {
            self.given_packet(event, arrival);
        }
    }

    fn rank_of(&self, update: &PeerUpdate) -> Rank {
        let address = match update {
            PeerUpdate::Add(record) => Some(record.address),
            PeerUpdate::Remove(node) | PeerUpdate::Patch { node, .. } => {
                let mut slots = self.device.manager.core.peers().slots();
                slots.find(|(_, peer)| peer.active && peer.node == *node).map(|(_, it)| it.address)
            }
        };
        address.map_or(Rank::Bulk, |address| self.rank(address))
    }

    fn given_packet(&mut self, event: &Record, arrival: &Arrival) {
        let Some(given) = &self.given else { return };
        let bytes = letter::bytes(event, self.device.manager.core.identity(), &given.pings);
        let source = source(event, arrival, &bytes);
        if matches!(source, Source::Heartbeat { copy: false, .. }) {
            self.measure.heartbeat_sent();
        }
        // Numbers are those of the trace, so that what is known of a packet can be asked by it.
        self.arrived = arrival.packet;
        self.arrives(source, bytes.into(), letter::class(event), arrival.way);
    }

    /// Whether there was no memory for this packet when it was recorded.
    pub(super) fn was_without_memory(&self, packet: u64) -> bool {
        self.given.as_ref().is_some_and(|given| given.without_memory.contains(&packet))
    }

    /// Whether a write of the peer cache fails now because one had failed by now.
    pub(super) fn write_had_failed(&mut self) -> bool {
        let Some(given) = &mut self.given else { return false };
        let due = given.failed_writes.last().is_some_and(|at| *at <= self.now);
        due && given.failed_writes.pop().is_some()
    }

    /// Keeps the digest of the core's steps, and its pings by number.
    pub(super) fn note_given_step(&mut self, input: &Record, outputs: &Outputs) {
        if let Some(given) = &mut self.given {
            given.pings.sent(self.now, outputs, self.device.manager.core.probes());
            given.digest.step(self.now, input, &step::outputs(outputs));
        }
    }

    /// The same for what another task says.
    pub(super) fn note_given_control(&mut self, control: &Control<'_>, outputs: &Outputs) {
        if self.given.is_some() {
            self.note_given_step(&step::control(control), outputs);
        }
    }
}

/// Whether a record is something that reaches the device from outside.
fn is_arrival(event: &Record) -> bool {
    let told = matches!(
        event,
        Record::ToldAdd { .. } | Record::ToldRemove { .. } | Record::ToldPatch { .. }
    );
    let said = !matches!(event, Record::InStoreWriteFailed {}) && step::control_of(event).is_some();
    told || said || letter::arrival(event).is_some()
}

/// Whose packet it is; where the trace does not say, what it most looks like.
fn source(event: &Record, arrival: &Arrival, bytes: &[u8]) -> Source {
    let kind = match event {
        Record::ArrivePing { .. } => Some(MessageKind::Ping),
        Record::ArrivePong { .. } => Some(MessageKind::Pong),
        Record::ArriveCallMeMaybe { .. } => Some(MessageKind::CallMeMaybe),
        _ => None,
    };
    let copy = matches!(arrival.way, Via::Derp(_));
    let flood = Source::Flood { flood: 0, index: arrival.packet };
    match (arrival.origin, kind, TunnelPacket::parse(bytes)) {
        (Origin::Peer | Origin::Unknown, Some(kind), _) => Source::Peer { peer: 0, kind },
        (Origin::Heartbeat | Origin::Unknown, None, TunnelPacket::Data { receiver, counter }) => {
            let stream = u16::try_from(receiver.saturating_sub(1)).unwrap_or(u16::MAX);
            Source::Heartbeat { stream, counter, copy }
        }
        (Origin::Peer, None, _) => Source::Peer { peer: 0, kind: MessageKind::Ping },
        (Origin::Heartbeat | Origin::Unknown | Origin::Flood | Origin::Tunnel, _, _) => flood,
    }
}
