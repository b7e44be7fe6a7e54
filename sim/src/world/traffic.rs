//! Packets to the device: from their senders through the receive tasks into the manager's queues.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::output::Queue;
use firmware_core::wg_mgr::wire::{self, Envelope, PacketClass};

use super::World;
use super::event::Event;
use crate::cost::CostRow;
use crate::node::peer::FromPeer;
use crate::packet::{Packet, Source};
use crate::pft::choice::DropPlace;
use crate::rtos::{Pushed, TaskId};
use crate::scenario::FaultPoint;
use crate::trace::{Place, What};

/// Where packets come from whose way does not matter.
const FLOOD_VIA: Via = Via::Direct(SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, 66), 40_000));

impl World<'_> {
    pub(super) fn flood_arrives(&mut self, flood: u16, index: u64) {
        self.next_of_flood(flood);
        let class = self.floods[usize::from(flood)].class();
        self.arrives(Source::Flood { flood, index }, Box::default(), class, FLOOD_VIA);
    }

    pub(super) fn heartbeat_arrives(&mut self, stream: u16, counter: u64) {
        self.next_heartbeat(stream);
        self.measure.heartbeat_sent();
        if let Some(later) = self.heartbeats[usize::from(stream)].copy_after {
            self.events.push(self.now.after(later), Event::Copy { stream, counter });
        }
        let source = Source::Heartbeat { stream, counter, copy: false };
        self.arrives(source, Box::default(), PacketClass::Tunnel, FLOOD_VIA);
    }

    pub(super) fn copy_arrives(&mut self, stream: u16, counter: u64) {
        let relay = Via::Derp(self.device.manager.core.identity().node());
        let source = Source::Heartbeat { stream, counter, copy: true };
        self.arrives(source, Box::default(), PacketClass::Tunnel, relay);
    }

    pub(super) fn peer_packet_arrives(&mut self, peer: u16, packet: FromPeer) {
        let via = self.peers[usize::from(peer)].via;
        let class = wire::classify(&packet.bytes, matches!(via, Via::Derp(_)));
        let source = Source::Peer { peer, kind: packet.kind };
        self.arrives(source, packet.bytes, class, via);
    }

    /// A packet reaches the device's socket or its relay.
    pub(super) fn arrives(
        &mut self,
        source: Source,
        sealed: Box<[u8]>,
        class: PacketClass,
        via: Via,
    ) {
        let number = self.arrived;
        let mut packet = Packet { number, source, sealed, via, class, arrived: self.now };
        if self.faults.strikes(FaultPoint::InboundLoss, self.now) {
            self.drop_packet(&packet, Place::Air);
            return;
        }
        self.arrived = self.arrived.wrapping_add(1);
        self.record_arrival(&mut packet);
        let (receiver, row) = match via {
            Via::Direct(_) => (&mut self.device.socket, CostRow::ReceiveDatagram),
            Via::Derp(_) => (&mut self.device.relay, CostRow::RelayFrame),
        };
        let idle = !receiver.has_more();
        let task = receiver.task;
        match receiver.offer(packet) {
            // The task is at work on the first as long as one is there.
            Ok(()) if idle => {
                let work = self.scenario.costs.figure(row);
                let _planned = self.device.rtos.start(task, work, self.now);
            }
            Ok(()) => {}
            Err(packet) => {
                self.measure.mailbox_full(&packet);
                self.record_drop(packet.number, DropPlace::Mailbox);
                self.trace.record(
                    self.now,
                    What::Dropped { source: packet.source, place: Place::Mailbox },
                );
            }
        }
    }

    fn drop_packet(&mut self, packet: &Packet, place: Place) {
        self.measure.lost(packet);
        self.trace.record(self.now, What::Dropped { source: packet.source, place });
    }

    /// A receive task is done with its oldest datagram.
    pub(super) fn received(&mut self, task: TaskId) {
        let direct = task == self.device.socket.task;
        let (receiver, row) = if direct {
            (&mut self.device.socket, CostRow::ReceiveDatagram)
        } else {
            (&mut self.device.relay, CostRow::RelayFrame)
        };
        let taken = receiver.take();
        let _planned = if receiver.has_more() {
            let work = self.scenario.costs.figure(row);
            self.device.rtos.start(task, work, self.now)
        } else {
            self.device.rtos.block(task, self.now)
        };
        if let Some(packet) = taken {
            self.sort(packet);
        }
    }

    /// Puts a datagram where its class belongs.
    fn sort(&mut self, packet: Packet) {
        let from_priority = self.is_from_priority_peer(&packet);
        self.measure.classified(&packet, from_priority);
        if self.faults.strikes(FaultPoint::ReceiveMemory, self.now)
            || self.was_without_memory(packet.number)
        {
            self.record_drop(packet.number, DropPlace::Memory);
            self.drop_packet(&packet, Place::Memory);
            return;
        }
        match packet.class {
            PacketClass::Disco => self.enqueue(Queue::Disco, packet, from_priority),
            PacketClass::Tunnel => self.enqueue(Queue::Tunnel, packet, from_priority),
            PacketClass::Stun | PacketClass::Dropped => {
                self.record_drop(packet.number, DropPlace::Classifier);
                self.drop_packet(&packet, Place::Classifier);
            }
        }
    }

    fn enqueue(&mut self, queue: Queue, packet: Packet, from_priority: bool) {
        let source = packet.source;
        let packet = Packet { arrived: self.now, ..packet };
        let reserved = from_priority && queue == Queue::Disco && self.carries_priority_key(&packet);
        let into = if queue == Queue::Disco {
            &mut self.device.manager.disco
        } else {
            &mut self.device.manager.tunnel
        };
        let pushed = if reserved { into.push_reserved(packet) } else { into.push(packet) };
        let waiting = super::event::index(into.len());
        match pushed {
            Pushed::Accepted => {
                self.trace.record(self.now, What::Queued { queue, source, waiting });
            }
            Pushed::Refused(shed) | Pushed::Evicted(shed) => {
                self.measure.queue_full(queue, &shed, from_priority);
                let place = Place::Queue(queue);
                self.record_drop(
                    shed.number,
                    match queue {
                        Queue::Disco => DropPlace::DiscoQueue,
                        Queue::Tunnel | Queue::Updates => DropPlace::TunnelQueue,
                    },
                );
                self.trace.record(self.now, What::Dropped { source, place });
            }
        }
    }

    /// Whether the priority peer sent it. Of a recorded packet only its key can tell.
    fn is_from_priority_peer(&self, packet: &Packet) -> bool {
        let priority = self.device.manager.core.config().priority_peer;
        match packet.source {
            Source::Peer { .. } if self.given.is_some() => self.carries_priority_key(packet),
            Source::Peer { peer, .. } => {
                let peer = self.peers.get(usize::from(peer));
                priority.is_some() && peer.map(|peer| peer.address) == priority
            }
            Source::Flood { .. } | Source::Heartbeat { .. } => false,
        }
    }

    /// Whether the key in the header is the one that the device holds for the priority peer.
    fn carries_priority_key(&self, packet: &Packet) -> bool {
        let core = &self.device.manager.core;
        let address = core.config().priority_peer;
        let slot = address.and_then(|address| core.peers().by_address_any(address));
        let stored = slot.and_then(|slot| core.peers().get(slot)).map(|peer| peer.disco);
        stored.is_some() && Envelope::header_key(&packet.sealed) == stored
    }

    /// A peer sends a packet to the device; it is half a round trip away.
    pub(super) fn peer_sends(&mut self, peer: u16, packet: FromPeer) {
        let way = super::peers::half(self.peers[usize::from(peer)].round_trip);
        let packet = Box::new(packet);
        self.events.push(self.now.after(way), Event::FromPeer { peer, packet });
    }
}
