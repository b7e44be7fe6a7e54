//! What the world tells a recording, if there is one.
use firmware_core::wg_mgr::input::Control;
use firmware_core::wg_mgr::output::Outputs;

use super::World;
use super::steps::Taken;
use crate::packet::{Packet, Source};
use crate::pft::choice::{DropPlace, Origin};
use crate::pft::event::Arrival;
use crate::pft::{Event, Redactor, WriteError};
use crate::record::{Recorded, Recording, Sink, step};

impl<'s> World<'s> {
    /// Records everything from here on; to be called before the first event.
    ///
    /// # Errors
    /// When the trace cannot be written.
    pub fn record_into(&mut self, out: Sink<'s>, redactor: Redactor) -> Result<(), WriteError> {
        let core = &self.device.manager.core;
        let recording = Recording::begin(self.scenario, core, out, redactor)?;
        self.recording = Some(Box::new(recording));
        Ok(())
    }

    /// Ends the recording; `None` when there is none.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub fn end_recording(&mut self) -> Result<Option<Recorded>, WriteError> {
        self.recording.take().map(|recording| recording.finish()).transpose()
    }

    /// A packet that is recorded is made when it arrives, and stays as it is then.
    pub(super) fn record_arrival(&mut self, packet: &mut Packet) {
        if self.recording.is_none() {
            return;
        }
        self.materialise(packet);
        packet.sealed = self.scratch.as_slice().into();
        let origin = match packet.source {
            Source::Peer { .. } => Origin::Peer,
            Source::Heartbeat { .. } => Origin::Heartbeat,
            Source::Flood { .. } => Origin::Flood,
            Source::Tunnel { .. } => Origin::Tunnel,
        };
        let arrival = Arrival { packet: packet.number, way: packet.via, origin };
        if let Some(recording) = &mut self.recording {
            let core = &self.device.manager.core;
            recording.arrived(self.now, (arrival, packet.class), &packet.sealed, core);
        }
    }

    /// The core is about to take a packet, whose bytes are made.
    pub(super) fn record_taking(&mut self, packet: u64) {
        if let Some(recording) = &mut self.recording {
            recording.taken(self.now, packet, &self.scratch, &self.device.manager.core);
        }
    }

    /// Another task of the device has stepped the core.
    pub(super) fn record_control(&mut self, control: &Control<'_>, outputs: &Outputs) {
        if let Some(recording) = &mut self.recording {
            recording.controlled(self.now, control, outputs, &self.device.manager.core);
        }
    }

    pub(super) fn record_drop(&mut self, packet: u64, place: DropPlace) {
        if let Some(recording) = &mut self.recording {
            recording.dropped(self.now, packet, place);
        }
    }

    pub(super) fn record_step(&mut self, taken: &Taken, outputs: &Outputs) {
        if self.recording.is_none() && self.given.is_none() {
            return;
        }
        let input = match taken {
            Taken::Time => Event::InWake {},
            Taken::Nothing => Event::InEmpty {},
            Taken::Packet(packet) => Event::InPacket { packet: packet.number },
            Taken::Update(update) => step::update(update),
        };
        self.note_given_step(&input, outputs);
        if let Some(recording) = &mut self.recording {
            recording.stepped(self.now, &input, outputs, &self.device.manager.core);
        }
    }
}
