//! What can happen in the world, and when it first does.
use firmware_core::time::Instant;

use super::World;
use crate::event_queue::EventQueue;
use crate::node::peer::{FromPeer, Heard};
use crate::random::Streams;
use crate::scenario::{Entry, FaultPoint, Scenario, Way};

/// An entry of the event queue.
pub(super) enum Event {
    /// The next packet of a flood arrives.
    Flood { flood: u16, index: u64 },
    /// The next heartbeat arrives.
    Heartbeat { stream: u16, counter: u64 },
    /// The second copy of a heartbeat arrives.
    Copy { stream: u16, counter: u64 },
    /// Something that a trace has recorded arrives.
    Given { event: Box<crate::pft::Event> },
    /// A peer's packet arrives.
    FromPeer { peer: u16, way: Way, packet: Box<FromPeer> },
    /// A packet of the device reaches a peer.
    ToPeer { peer: u16, way: Way, bytes: Box<[u8]> },
    /// A peer sends its next ping.
    PeerPings { peer: u16 },
    /// A peer sends its next CallMeMaybe.
    PeerCalls { peer: u16 },
    /// A peer answers something it heard.
    PeerAnswers { peer: u16, way: Way, heard: Heard },
    /// A peer begins a handshake of its own.
    PeerInitiates { peer: u16 },
    /// A group restarts its computers.
    Restart { group: usize },
    /// The relay's task has something to do.
    Relay,
    /// The tick of the protective stop's remote.
    StopTick,
    /// Its machine looks for silence.
    StopLook,
    /// The manager's sleep ends.
    Wake,
    /// The control plane registers the device.
    Registered,
    /// STUN has found the public endpoint.
    Stun,
    /// A relay is connected.
    RelayConnected,
    /// The loop is told to end.
    Shutdown,
    /// A netmap names a group of peers.
    Netmap { group: usize },
    /// The control plane names every peer once more.
    NetmapAgain,
    /// A group's clients restart with new keys.
    Rotate { group: usize },
    /// The control plane tells of a group's new keys.
    Patch { group: usize },
    /// The control plane removes a group.
    Remove { group: usize },
    /// The control plane may have waited for too long.
    UpdatePatience,
    /// A background task becomes ready.
    Background { task: usize },
    /// The watchdog may bite.
    Watchdog,
    /// The allowlist's lock is taken or given back.
    AllowListFault,
}

/// The queue of a scenario: ties in the order they were put, or drawn.
pub(super) fn queue(scenario: &Scenario, streams: Streams) -> EventQueue<Event> {
    if scenario.shuffled_ties {
        EventQueue::with_shuffled_ties(streams.of("events", "ties"))
    } else {
        EventQueue::new()
    }
}

impl World<'_> {
    /// Puts everything whose time is known from the start.
    pub(super) fn schedule_beginning(&mut self) {
        let scenario = self.scenario;
        let device = &scenario.device;
        self.events.push(device.registered_at, Event::Registered);
        let mut put = |at: Option<Instant>, event: Event| {
            if let Some(at) = at {
                self.events.push(at, event);
            }
        };
        put(device.stun_at, Event::Stun);
        put(device.shutdown_at, Event::Shutdown);
        for at in &device.relay_connects_at {
            put(Some(*at), Event::RelayConnected);
        }
        for at in &device.netmap_again_at {
            put(Some(*at), Event::NetmapAgain);
        }
        for (group, spec) in scenario.peers.iter().enumerate() {
            if let Entry::Netmap { at, .. } = spec.enters {
                put(Some(at), Event::Netmap { group });
            }
            put(spec.rotates_key_at, Event::Rotate { group });
            put(spec.rotation_patched_at, Event::Patch { group });
            put(spec.removed_at, Event::Remove { group });
            put(spec.restarts_at, Event::Restart { group });
        }
        for task in 0..device.tasks.len() {
            put(Some(Instant::ZERO), Event::Background { task });
        }
        put(scenario.device.watchdog.map(|_| Instant::ZERO), Event::Watchdog);
        for fault in &scenario.faults {
            if fault.point == FaultPoint::AllowListBusy {
                put(Some(fault.from), Event::AllowListFault);
                put(Some(fault.until), Event::AllowListFault);
            }
        }
        self.schedule_trains();
        self.schedule_stop();
    }

    fn schedule_trains(&mut self) {
        for flood in 0..self.floods.len() {
            self.next_of_flood(index(flood));
        }
        for stream in 0..self.heartbeats.len() {
            self.next_heartbeat(index(stream));
        }
        for peer in 0..self.peers.len() {
            self.next_ping_of(index(peer));
            self.next_call_of(index(peer));
            self.next_handshake_of(index(peer));
        }
    }

    pub(super) fn next_of_flood(&mut self, flood: u16) {
        if let Some((at, index)) = self.floods[usize::from(flood)].next_packet() {
            self.events.push(at, Event::Flood { flood, index });
        }
    }

    pub(super) fn next_heartbeat(&mut self, stream: u16) {
        if let Some((at, counter)) = self.heartbeats[usize::from(stream)].next_beat() {
            self.events.push(at, Event::Heartbeat { stream, counter });
        }
    }

    pub(super) fn next_ping_of(&mut self, peer: u16) {
        let train = self.peers[usize::from(peer)].pings.as_mut();
        if let Some(at) = train.and_then(Iterator::next) {
            self.events.push(at, Event::PeerPings { peer });
        }
    }

    pub(super) fn next_handshake_of(&mut self, peer: u16) {
        let train = self.peers[usize::from(peer)].handshakes.as_mut();
        if let Some(at) = train.and_then(Iterator::next) {
            self.events.push(at, Event::PeerInitiates { peer });
        }
    }

    pub(super) fn next_call_of(&mut self, peer: u16) {
        let train = self.peers[usize::from(peer)].calls.as_mut();
        if let Some(at) = train.and_then(Iterator::next) {
            self.events.push(at, Event::PeerCalls { peer });
        }
    }
}

/// Positions in the scenario's lists; a scenario has fewer than 65 536 of anything.
pub(super) fn index(position: usize) -> u16 {
    u16::try_from(position).unwrap_or(u16::MAX)
}
