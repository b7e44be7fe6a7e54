//! The protective stop in the world: its two ends over a session of the tunnel.
//!
//! ```text
//!   device                                                        peer
//!   comparator, each 100 ms ─► TCPIP thread ─► tunnel ─────────►  opened ─► machine
//!   remote ◄─ Deliver ◄─ manager ◄─ tunnel queue ◄──────────────  tunnel ◄─ reply
//! ```
//!
//! With `device: machine` the two sides are exchanged.
use std::net::Ipv4Addr;

use firmware_core::time::Duration;
use firmware_core::wg_mgr::input::Control;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::wire;

use super::World;
use super::event::Event;
use crate::node::pstop::machine::Machine;
use crate::node::pstop::remote::{Remote, RemoteSpec, Sample, TICK};
use crate::node::pstop::wire::{LEN, Message};
use crate::packet::FrameKind;
use crate::scenario::{Scenario, StopEnd, StopSpec};

/// Bytes of an IPv4 and a UDP header.
const HEADERS: usize = 28;
/// The machine's port, and that of a remote's first slot.
const PORTS: [u16; 2] = [8_890, 8_891];
/// How often an idle machine looks whether somebody is silent.
const LOOK: Duration = Duration::from_millis(100);
/// The device's address in the tailnet.
const OWN_ADDRESS: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 2);
/// A core that encodes later than this into a tick does not count: nothing is sent.
const CORE_LATE: Duration = Duration::from_millis(80);
/// The remote's id.
const REMOTE_ID: u32 = 0x01D7_F344;

/// Both ends.
pub(super) struct Stop {
    spec: StopSpec,
    /// The peer with the other end.
    pub(super) peer: u16,
    /// The end with the loops.
    pub(super) remote: Remote,
    /// The end that stops.
    pub(super) machine: Machine,
    /// What the manager was last told of the other end.
    healthy: Option<bool>,
}

impl Stop {
    /// The stop of a scenario; the peer's number is that of its group's first member.
    pub(super) fn new(scenario: &Scenario) -> Option<Self> {
        let spec = scenario.stop.clone()?;
        let before: u16 = scenario.peers[..spec.group].iter().map(|group| group.count).sum();
        let heartbeat_ms = spec.machine.heartbeat.as_nanos() / 1_000_000;
        let remote = RemoteSpec {
            id: REMOTE_ID,
            machine: spec.machine.id,
            cadence: spec.cadence,
            heartbeat_ms: u32::try_from(heartbeat_ms).unwrap_or(u32::MAX),
        };
        Some(Self {
            peer: before,
            remote: Remote::new(remote),
            machine: Machine::new(spec.machine),
            healthy: None,
            spec,
        })
    }
}

/// A message as an IP packet.
fn datagram(from: Ipv4Addr, to: Ipv4Addr, ports: [u16; 2], message: &Message) -> Box<[u8]> {
    let mut packet = [0; HEADERS + LEN];
    let length = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes();
    packet[0] = 0x45;
    packet[2..4].copy_from_slice(&length(HEADERS + LEN));
    packet[8] = 64;
    packet[9] = 17;
    packet[12..16].copy_from_slice(&from.octets());
    packet[16..20].copy_from_slice(&to.octets());
    packet[20..22].copy_from_slice(&ports[0].to_be_bytes());
    packet[22..24].copy_from_slice(&ports[1].to_be_bytes());
    packet[24..26].copy_from_slice(&length(8 + LEN));
    packet[HEADERS..].copy_from_slice(&message.write());
    packet.into()
}

impl World<'_> {
    /// Puts the first ticks of both ends.
    pub(super) fn schedule_stop(&mut self) {
        if let Some(stop) = &self.stop {
            self.events.push(stop.spec.starts_at, Event::StopTick);
            self.events.push(stop.spec.starts_at, Event::StopLook);
        }
    }

    /// The remote's tick.
    pub(super) fn stop_ticks(&mut self) {
        let now = self.now;
        self.events.push(now.after(TICK), Event::StopTick);
        let stalled = self.device.rtos.flash().busy_until().since(now);
        let Some(stop) = &mut self.stop else { return };
        let loops_closed = now >= stop.spec.loops_close_at;
        let cores_agree = stalled <= CORE_LATE;
        let before = stop.remote.counts().replies;
        let message = stop.remote.tick(now, Sample { loops_closed, cores_agree });
        self.sample_round_trip(before);
        if self.stop.as_ref().is_some_and(|stop| stop.spec.device == StopEnd::Remote) {
            self.tell_health();
        }
        if let Some(message) = message {
            self.stop_sends(StopEnd::Remote, &message);
        }
    }

    /// The machine looks whether somebody is silent.
    pub(super) fn stop_looks(&mut self) {
        self.events.push(self.now.after(LOOK), Event::StopLook);
        if let Some(stop) = &mut self.stop {
            stop.machine.look(self.now);
        }
    }

    /// One end sends a message to the other.
    fn stop_sends(&mut self, from: StopEnd, message: &Message) {
        let Some(stop) = &self.stop else { return };
        let (peer, from_device) = (stop.peer, stop.spec.device == from);
        let address = self.peers[usize::from(peer)].address;
        let [machine, remote] = PORTS;
        let ports = match from {
            StopEnd::Remote => [remote, machine],
            StopEnd::Machine => [machine, remote],
        };
        if from_device {
            let packet = datagram(OWN_ADDRESS, address, ports, message);
            self.application_sends(address, packet);
        } else {
            let packet = datagram(address, OWN_ADDRESS, ports, message);
            self.measure.heartbeat_sent();
            if !self.peer_sends_data(peer, FrameKind::Stop, &packet) {
                self.measure.heartbeat_not_sent();
            }
        }
    }

    /// The manager has opened a packet for the device.
    pub(super) fn delivered(&mut self, from: Ipv4Addr) {
        let Some(stop) = &self.stop else { return };
        let (end, address) = (stop.spec.device, self.peers[usize::from(stop.peer)].address);
        let Some((payload, _)) = wire::data_payload(&self.scratch) else { return };
        if from == address {
            let payload = payload.to_vec();
            self.stop_hears(end, &payload);
        }
    }

    /// A peer has opened a packet of the device.
    pub(super) fn stop_hears_at_peer(&mut self, number: u16, payload: &[u8]) {
        let Some(stop) = self.stop.as_ref().filter(|stop| stop.peer == number) else { return };
        let end = match stop.spec.device {
            StopEnd::Remote => StopEnd::Machine,
            StopEnd::Machine => StopEnd::Remote,
        };
        self.stop_hears(end, payload);
    }

    /// An end hears a message; a machine answers one that it accepts.
    fn stop_hears(&mut self, end: StopEnd, payload: &[u8]) {
        let now = self.now;
        let Some(bytes) = payload.get(HEADERS..HEADERS + LEN) else { return };
        let Some(stop) = &mut self.stop else { return };
        match end {
            StopEnd::Remote => {
                let before = stop.remote.counts().replies;
                if let Ok(message) = Message::parse(bytes) {
                    stop.remote.receive(now, message);
                }
                self.sample_round_trip(before);
            }
            StopEnd::Machine => {
                stop.machine.look(now);
                if let Ok(reply) = stop.machine.receive(now, bytes) {
                    self.stop_sends(StopEnd::Machine, &reply);
                }
            }
        }
    }

    /// A reply that was just read shows how long it took.
    fn sample_round_trip(&mut self, replies_before: u64) {
        let Some(stop) = &self.stop else { return };
        let read = stop.remote.counts().replies > replies_before;
        if let Some(round_trip) = stop.remote.round_trip().filter(|_| read) {
            self.measure.stop_round_trip(round_trip);
        }
    }

    /// The remote's application tells the manager how its machine is, when that changes. The
    /// registry of counterparts is as old as KEY-2.
    fn tell_health(&mut self) {
        let Some(stop) = &mut self.stop else { return };
        let healthy = stop.remote.is_bonded();
        if stop.healthy.replace(healthy) == Some(healthy) {
            return;
        }
        let address = self.peers[usize::from(stop.peer)].address;
        self.control(Control::LinkHealth(healthy));
        match self.scenario.preset {
            Preset::Pre0 | Preset::Arm1 => {}
            Preset::Key2 | Preset::Ilv3 | Preset::Head4 => {
                self.control(Control::Health { address, healthy });
            }
        }
    }
}
