//! Packets of sessions between the device and its peers, over both ways.
//!
//! ```text
//!   manager ─Transmit─┬─ direct: NAT? ─► links ─► half a round trip ─► peer
//!                     └─ relay: queue ─► round ─► region? ─► links ─► half a round trip ─► peer
//!   peer ─► handshake answered │ data opened ─► protective stop ─► sent back the way it trusts
//! ```
//!
//! A peer that sends data pings the device directly every 3 s, and trusts that way for 6.5 s after a
//! pong came back on it, as tailscaled does; else it sends through the relay.
use std::net::SocketAddrV4;

use firmware_core::time::Duration;
use firmware_core::wg_mgr::keys::NodeKey;
use firmware_core::wg_mgr::output::{Send, Transmit, TunnelMessage};

use super::World;
use super::event::Event;
use super::peers::half;
use crate::link::Passage;
use crate::node::peer::FromPeer;
use crate::node::peer_tunnel::Received;
use crate::node::relay::Frame;
use crate::packet::FrameKind;
use crate::scenario::{Direction, Reach, Way};
use crate::trace::What;

/// How long a peer trusts a direct way on which a pong has come.
const PEER_TRUST: Duration = Duration::from_millis(6_500);
/// How often a peer that sends data proves its direct way.
const PEER_PROVES: Duration = Duration::from_millis(3_000);

impl World<'_> {
    /// The manager sends a tunnel packet.
    pub(super) fn transmit(&mut self, transmit: &Transmit) {
        let kind = match &transmit.message {
            TunnelMessage::Initiation(_) => FrameKind::Initiation,
            TunnelMessage::Response(_) => FrameKind::Response,
            TunnelMessage::Data(_) if self.is_stop_peer(transmit.node) => FrameKind::Stop,
            TunnelMessage::Data(_) | TunnelMessage::Keepalive(_) => FrameKind::Data,
        };
        let (peer, relay) = (transmit.peer.0, transmit.relay);
        let direct = transmit.direct.is_some();
        self.trace.record(self.now, What::Transmit { kind, peer, direct, relay });
        let Some(number) = self.by_node.get(&transmit.node).copied() else { return };
        let mut bytes = vec![0; transmit.message.len(self.outgoing.len())];
        if transmit.message.write(&self.outgoing, &mut bytes).is_none() {
            return;
        }
        if let Some(endpoint) = transmit.direct {
            self.leaves_directly(number, endpoint, &bytes);
        }
        if relay {
            let frame = Frame { peer: number, kind, bytes: bytes.into() };
            self.relay_takes(transmit.queue, frame);
        }
    }

    /// A DISCO packet of a device with sessions: each copy goes its own way.
    pub(super) fn disco_leaves(&mut self, number: u16, send: &Send) {
        for endpoint in &send.direct {
            self.leaves_directly(number, *endpoint, &send.packet);
        }
        if send.relay {
            let bytes = send.packet.as_slice().into();
            let frame = Frame { peer: number, kind: FrameKind::Disco, bytes };
            self.relay_takes(send.queue, frame);
        }
    }

    fn leaves_directly(&mut self, number: u16, endpoint: SocketAddrV4, bytes: &[u8]) {
        let peer = &self.peers[usize::from(number)];
        let group = &self.scenario.peers[peer.group];
        let reached = group.reach == Reach::Direct && group.nat.passes(self.now);
        if reached && peer.endpoint == endpoint {
            self.departs(number, Way::Direct, bytes);
        }
    }

    /// A packet is on its way to a peer.
    pub(super) fn departs(&mut self, number: u16, way: Way, bytes: &[u8]) {
        let peer = &self.peers[usize::from(number)];
        let passage = Passage { group: peer.group, way, direction: Direction::FromDevice };
        let takes = half(peer.round_trip_on(way));
        for copy in self.links.carry(passage, self.now) {
            let mut bytes: Box<[u8]> = bytes.into();
            copy.garble(&mut bytes);
            let at = self.now.after(takes).after(copy.late);
            self.events.push(at, Event::ToPeer { peer: number, way, bytes });
        }
    }

    /// A tunnel packet of the device reaches a peer.
    pub(super) fn peer_tunnel_hears(&mut self, number: u16, way: Way, bytes: &[u8]) {
        let now = self.now;
        let peer = &mut self.peers[usize::from(number)];
        let answers = self.scenario.peers[peer.group].answers_handshakes;
        let Some(tunnel) = peer.tunnel.as_mut() else { return };
        match tunnel.receive(now, bytes) {
            Received::Answer(bytes) if answers => {
                self.peer_sends(number, way, FromPeer::tunnel(FrameKind::Response, bytes));
            }
            Received::Confirm(bytes) => {
                self.peer_sends(number, way, FromPeer::tunnel(FrameKind::Data, bytes));
            }
            Received::Payload(payload) => self.stop_hears_at_peer(number, &payload),
            Received::Answer(_) | Received::Nothing => {}
        }
    }

    /// The way on which a peer sends what nobody asked it for.
    pub(super) fn way_of_peer(&self, number: u16) -> Way {
        let peer = &self.peers[usize::from(number)];
        match self.scenario.peers[peer.group].reach {
            Reach::Direct if peer.trusts_direct(self.now, PEER_TRUST) => Way::Direct,
            Reach::Direct | Reach::Derp => Way::Relay,
        }
    }

    /// A peer begins a handshake, if it has not just begun one.
    pub(super) fn peer_initiates(&mut self, number: u16) {
        let now = self.now;
        let tunnel = self.peers[usize::from(number)].tunnel.as_mut();
        if let Some(bytes) = tunnel.and_then(|tunnel| tunnel.initiate(now)) {
            let way = self.way_of_peer(number);
            self.peer_sends(number, way, FromPeer::tunnel(FrameKind::Initiation, bytes));
        }
    }

    /// A peer sends an IP packet to the device, after a handshake where it needs one; whether it
    /// could be sent now.
    pub(super) fn peer_sends_data(&mut self, number: u16, kind: FrameKind, payload: &[u8]) -> bool {
        let now = self.now;
        let peer = &mut self.peers[usize::from(number)];
        if self.scenario.peers[peer.group].reach == Reach::Direct
            && let Some(ping) = peer.proving_ping(now, PEER_PROVES)
        {
            self.peer_sends(number, Way::Direct, ping);
        }
        let tunnel = self.peers[usize::from(number)].tunnel.as_ref();
        if tunnel.is_some_and(|tunnel| tunnel.wants_handshake(now)) {
            self.peer_initiates(number);
        }
        let tunnel = self.peers[usize::from(number)].tunnel.as_mut();
        let Some(bytes) = tunnel.and_then(|tunnel| tunnel.seal(now, payload)) else {
            return false;
        };
        let way = self.way_of_peer(number);
        self.peer_sends(number, way, FromPeer::tunnel(kind, bytes));
        true
    }

    /// A peer sends a packet to the device; it is half a round trip away.
    pub(super) fn peer_sends(&mut self, number: u16, way: Way, packet: FromPeer) {
        let peer = &self.peers[usize::from(number)];
        let group = &self.scenario.peers[peer.group];
        if way == Way::Direct && !group.nat.passes(self.now) {
            self.measure.lost_on_the_way(packet.content);
            return;
        }
        let passage = Passage { group: peer.group, way, direction: Direction::ToDevice };
        let takes = half(peer.round_trip_on(way));
        let copies = self.links.carry(passage, self.now);
        if copies.is_empty() {
            self.measure.lost_on_the_way(packet.content);
        }
        for copy in copies {
            let mut packet = packet.clone();
            copy.garble(&mut packet.bytes);
            let at = self.now.after(takes).after(copy.late);
            self.events.push(at, Event::FromPeer { peer: number, way, packet: Box::new(packet) });
        }
    }

    /// Whether a node is the other end of the protective stop.
    fn is_stop_peer(&self, node: NodeKey) -> bool {
        let number = self.by_node.get(&node);
        self.stop.as_ref().is_some_and(|stop| number == Some(&stop.peer))
    }

    /// Every member of a group restarts its computer.
    pub(super) fn restart_peers(&mut self, group: usize) {
        for peer in self.peers.iter_mut().filter(|peer| peer.group == group) {
            if let Some(tunnel) = &mut peer.tunnel {
                tunnel.restart();
            }
        }
    }
}
