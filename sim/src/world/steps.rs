//! Driving the manager: one step after the other while nothing costs, then the charge, then its
//! effects.
use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::Wake;
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate};
use firmware_core::wg_mgr::output::{Output, Outputs, Queue, Send};

use super::World;
use super::event::Event;
use crate::node::heartbeat;
use crate::packet::{Packet, Source};
use crate::rtos::{Delay, Tick, delay_until};
use crate::scenario::{DelayRounding, FaultPoint};
use crate::trace::{InputKind, What};

/// What the manager takes next.
pub(super) enum Taken {
    Time,
    Nothing,
    Packet(Packet),
    Update(PeerUpdate),
}

impl World<'_> {
    /// The manager has its core: what it waited for has elapsed.
    pub(super) fn manager_runs(&mut self) {
        if self.device.manager.charge.take().is_none() {
            self.measure.pass_begins(self.now);
        }
        self.manager_lets_go();
        let effects = std::mem::take(&mut self.device.manager.pending);
        let mut asked = self.carry_out(effects);
        loop {
            let taken = self.take(asked);
            let outputs = self.step(&taken);
            if let Some(key) = outputs.charge {
                self.charge(key, outputs);
                return;
            }
            let wake = outputs.wake;
            asked = self.carry_out(outputs.list);
            match wake {
                Some(wake) if asked.is_none() && wake.at > self.now => {
                    self.measure.pass_ends(self.now);
                    self.sleep_until(wake);
                    return;
                }
                Some(_) | None => {}
            }
        }
    }

    fn take(&mut self, asked: Option<Queue>) -> Taken {
        let manager = &mut self.device.manager;
        let packet = match asked {
            None => return Taken::Time,
            Some(Queue::Updates) => {
                let update = manager.updates.take(self.now);
                return update.map_or(Taken::Nothing, Taken::Update);
            }
            Some(Queue::Tunnel) => {
                self.measure.tunnel.drained();
                manager.tunnel.pop()
            }
            Some(Queue::Disco) => manager.disco.pop(),
        };
        packet.map_or(Taken::Nothing, Taken::Packet)
    }

    fn step(&mut self, taken: &Taken) -> Outputs {
        let kind = match taken {
            Taken::Time => InputKind::Wake,
            Taken::Nothing => InputKind::Empty,
            Taken::Update(_) => InputKind::Update,
            Taken::Packet(packet) => {
                self.measure.taken(packet, self.now);
                self.materialise(packet);
                self.record_taking(packet.number);
                InputKind::Packet(packet.source)
            }
        };
        self.trace.record(self.now, What::Input(kind));
        let input = match taken {
            Taken::Time => Input::Wake,
            Taken::Nothing => Input::Empty,
            Taken::Update(update) => Input::Update(update),
            Taken::Packet(packet) => {
                Input::Packet(Datagram { bytes: &self.scratch, via: packet.via })
            }
        };
        let outputs = self.device.manager.core.step(self.now, input);
        self.record_step(taken, &outputs);
        if let Some(broken) = self.device.manager.core.broken_invariant() {
            self.measure.invariant_broken();
            self.broken_invariant.get_or_insert(broken);
        }
        outputs
    }

    /// Makes the bytes of a packet that is about to be read.
    pub(super) fn materialise(&mut self, packet: &Packet) {
        self.scratch.clear();
        match packet.source {
            _ if !packet.sealed.is_empty() => self.scratch.extend_from_slice(&packet.sealed),
            Source::Peer { .. } | Source::Tunnel { .. } => {}
            Source::Heartbeat { stream, counter, .. } => {
                self.scratch.extend_from_slice(&heartbeat::bytes(stream, counter));
            }
            Source::Flood { flood, index } => {
                let device = self.device.manager.core.identity().disco();
                let known = self.peers.first().map_or(device, super::Peer::disco);
                let crypto = self.scenario.config.crypto;
                let flood = self.floods.get(usize::from(flood));
                let bytes = flood.map(|flood| flood.bytes(index, device, known, crypto));
                self.scratch.extend(bytes.unwrap_or_default());
            }
        }
    }

    /// The step cost something: the task is busy that long, and its effects wait. A write of flash
    /// stalls both cores instead of occupying one.
    fn charge(&mut self, key: CostKey, outputs: Outputs) {
        let span = self.scenario.costs.of(key);
        self.trace.record(self.now, What::Charge { key, span });
        let device = &mut self.device;
        device.manager.charge = Some(key);
        device.manager.pending = outputs.list;
        // Completions are asked of the RTOS each time, so none needs to be put into the queue.
        let work = if key == CostKey::StoreWrite {
            let _planned = device.rtos.stall(self.now, span);
            Duration::ZERO
        } else {
            span
        };
        self.measure.tunnel.charged(key, span);
        self.manager_works(key, work);
    }

    /// Lets outputs take effect, in their order; which queue was asked for.
    pub(super) fn carry_out(&mut self, outputs: impl IntoIterator<Item = Output>) -> Option<Queue> {
        let mut asked = None;
        for output in outputs {
            match output {
                Output::Receive(queue) => asked = Some(queue),
                Output::Send(send) => self.send(&send),
                Output::ToTunnel(packet) => self.trace.record(self.now, What::ToTunnel(packet)),
                Output::WriteStore { bytes } => self.store_written(bytes),
                Output::Transmit(transmit) => self.transmit(&transmit),
                Output::Deliver { from, .. } => self.delivered(from),
                Output::Rehome { .. } => self.relay_rehomes(),
                Output::Note(note) => {
                    self.trace.record(self.now, What::Note(note));
                    self.measure.note(note, self.now);
                    self.find_priority_peer(note);
                }
            }
        }
        asked
    }

    fn store_written(&mut self, bytes: u32) {
        self.trace.record(self.now, What::WriteStore { bytes });
        self.measure.written(bytes, self.now);
        if self.faults.strikes(FaultPoint::StoreWrite, self.now) || self.write_had_failed() {
            self.control(Control::StoreWriteFailed);
        }
    }

    fn send(&mut self, send: &Send) {
        self.trace.record(
            self.now,
            What::Sent {
                kind: send.kind,
                peer: send.peer.0,
                direct: u8::try_from(send.direct.len()).unwrap_or(u8::MAX),
                relay: send.relay,
            },
        );
        self.measure.sent(send, self.device.manager.core.probes().pending().count());
        let Some(peer) = self.by_node.get(&send.node).copied() else { return };
        if self.faults.strikes(FaultPoint::OutboundLoss, self.now) {
            return;
        }
        if self.scenario.config.has_sessions() {
            self.disco_leaves(peer, send);
        } else {
            self.departs(peer, self.peers[usize::from(peer)].way, &send.packet);
        }
    }

    /// The manager sleeps; an earlier wake-up that is still queued no longer counts.
    pub(super) fn sleep_until(&mut self, wake: Wake) {
        let span = wake.at.since(self.now);
        let at = match self.scenario.device.delay {
            _ if wake.at <= self.now => self.now,
            _ if wake.at == Instant::NEVER => wake.at,
            DelayRounding::Exact => delay_until(self.now, span, Delay::Exact),
            DelayRounding::Tick(tick) => {
                let tick = Tick::new(tick).unwrap_or(Tick::MILLISECOND);
                delay_until(self.now, span, Delay::Ticks { tick })
            }
        };
        self.trace.record(self.now, What::Sleep { until: at, why: wake.why });
        let device = &mut self.device;
        device.manager.wakes_at = Some(at);
        let _planned = device.rtos.block(device.manager.task, self.now);
        if at != Instant::NEVER {
            self.events.push(at, Event::Wake);
        }
    }

    /// The manager's sleep is over: it wants its core.
    pub(super) fn wake(&mut self) {
        let manager = &mut self.device.manager;
        if manager.wakes_at == Some(self.now) {
            manager.wakes_at = None;
            let _planned = self.device.rtos.start(manager.task, Duration::ZERO, self.now);
        }
    }
}
