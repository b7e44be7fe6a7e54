//! The core's inputs and outputs as records, and back.
//!
//! Every match over a type of the core is exhaustive: an input or output that the core gains does
//! not compile until it has a record.
use firmware_core::wg_mgr::derp::RelayQueue;
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::output::{Note, Output, Outputs, Transmit, TunnelMessage};
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::wire::TunnelPacket;

use crate::pft::Event;
use crate::pft::choice::TunnelKind;
use crate::pft::event::{Patch, Peer};

/// The outputs of a step, in their order: the charge first, the wake-up last.
pub fn outputs(outputs: &Outputs) -> Vec<Event> {
    let mut events = Vec::with_capacity(outputs.list.len() + 2);
    events.extend(outputs.charge.map(|key| Event::OutCharge { key }));
    for it in &outputs.list {
        events.push(output(it));
        events.extend(send_queue(it));
    }
    events.extend(outputs.wake.map(|wake| Event::OutWake { at: wake.at, why: wake.why }));
    events
}

fn output(output: &Output) -> Event {
    match output {
        Output::Receive(queue) => Event::OutReceive { queue: *queue },
        Output::Send(send) => Event::OutSend {
            message: send.kind,
            peer: send.peer,
            node: send.node,
            direct: send.direct.to_vec(),
            relay: send.relay,
        },
        Output::ToTunnel(packet) => to_tunnel(*packet),
        Output::WriteStore { bytes } => Event::OutWriteStore { bytes: *bytes },
        Output::Note(note) => noted(*note),
        Output::Transmit(transmit) => transmitted(transmit),
        Output::Deliver { peer, from, length } => {
            Event::OutDeliver { peer: *peer, from: *from, length: *length }
        }
        Output::Rehome { region } => Event::OutRehome { region: *region },
    }
}

/// The relay's queue, where it is not the one that goes without saying.
fn send_queue(output: &Output) -> Option<Event> {
    match output {
        Output::Send(send) if send.queue != RelayQueue::Normal => {
            Some(Event::OutSendQueue { queue: send.queue })
        }
        _ => None,
    }
}

fn transmitted(transmit: &Transmit) -> Event {
    let Transmit { message, peer, node, direct, relay, queue } = transmit;
    let (message, [local, remote], counter) = match message {
        TunnelMessage::Initiation(bytes) => (TunnelKind::Initiation, [index(bytes, 4), 0], 0),
        TunnelMessage::Response(bytes) => {
            (TunnelKind::Response, [index(bytes, 4), index(bytes, 8)], 0)
        }
        TunnelMessage::Keepalive(bytes) => match TunnelPacket::parse(bytes) {
            TunnelPacket::Data { receiver, counter } => {
                (TunnelKind::Keepalive, [0, receiver], counter)
            }
            _ => (TunnelKind::Keepalive, [0, 0], 0),
        },
        TunnelMessage::Data(seal) => (TunnelKind::Data, [0, seal.receiver], seal.counter),
    };
    Event::OutTransmit {
        message,
        peer: *peer,
        node: *node,
        direct: *direct,
        relay: *relay,
        queue: *queue,
        local,
        remote,
        counter,
    }
}

/// The session index at this place of a handshake message.
fn index(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|it| it.first_chunk()).map_or(0, |it| u32::from_le_bytes(*it))
}

const fn to_tunnel(packet: TunnelPacket) -> Event {
    let (packet, receiver, counter) = match packet {
        TunnelPacket::Initiation => (TunnelKind::Initiation, 0, 0),
        TunnelPacket::Response => (TunnelKind::Response, 0, 0),
        TunnelPacket::Cookie => (TunnelKind::Cookie, 0, 0),
        TunnelPacket::Data { receiver, counter } => (TunnelKind::Data, receiver, counter),
        TunnelPacket::Malformed => (TunnelKind::Malformed, 0, 0),
    };
    Event::OutToTunnel { packet, receiver, counter }
}

const fn noted(note: Note) -> Event {
    match note {
        Note::Opened { known, genuine } => Event::NoteOpened { known, genuine },
        Note::Refused(why) => Event::NoteRefused { why },
        Note::Rescued(peer) => Event::NoteRescued { peer },
        Note::Matched { peer, round_trip, direct } => {
            Event::NoteMatched { peer, round_trip, direct }
        }
        Note::PathUp(peer) => Event::NotePathUp { peer },
        Note::PathDown { peer, why } => Event::NotePathDown { peer, why },
        Note::PingSkipped(peer) => Event::NotePingSkipped { peer },
        Note::PingUntracked(peer) => Event::NotePingUntracked { peer },
        Note::HeartbeatDue(peer) => Event::NoteHeartbeatDue { peer },
        Note::UpgradeDue(peer) => Event::NoteUpgradeDue { peer },
        Note::Added { peer, tunnel, evicted } => Event::NoteAdded { peer, tunnel, evicted },
        Note::Refreshed(peer) => Event::NoteRefreshed { peer },
        Note::Removed(peer) => Event::NoteRemoved { peer },
        Note::Stopped => Event::NoteStopped {},
        Note::Initiated { peer, why } => Event::NoteInitiated { peer, why },
        Note::SessionUp { peer, initiator } => Event::NoteSessionUp { peer, initiator },
        Note::SessionDown(peer) => Event::NoteSessionDown { peer },
        Note::ActiveCleared(peer) => Event::NoteActiveCleared { peer },
        Note::InitiationsGivenUp(peer) => Event::NoteInitiationsGivenUp { peer },
        Note::Roamed(peer) => Event::NoteRoamed { peer },
        Note::PathKept(peer) => Event::NotePathKept { peer },
        Note::BackedOff { peer, span } => Event::NoteBackedOff { peer, span },
        Note::RelayPoolFull => Event::NoteRelayPoolFull {},
    }
}

/// What another task says, as the input of a step.
pub fn control(control: &Control<'_>) -> Event {
    match control {
        Control::Registered => Event::InRegistered {},
        Control::Shutdown => Event::InShutdown {},
        Control::Restart => Event::InRestart {},
        Control::LocalEndpoint(endpoint) => Event::InLocalEndpoint { endpoint: *endpoint },
        Control::PublicEndpoint(endpoint) => Event::InPublicEndpoint { endpoint: *endpoint },
        Control::RelayConnected => Event::InRelayConnected {},
        Control::AllowList(addresses) => Event::InAllowList { addresses: addresses.to_vec() },
        Control::AllowListBusy(busy) => Event::InAllowListBusy { busy: *busy },
        Control::SettingsMaxPeers(most) => Event::InSettingsMaxPeers { most: *most },
        Control::StoreWriteFailed => Event::InStoreWriteFailed {},
        Control::TunnelSend { to, length } => Event::InTunnelSend { to: *to, length: *length },
        Control::Pin(address) => Event::InPin { address: *address, pinned: true },
        Control::Unpin(address) => Event::InPin { address: *address, pinned: false },
        Control::PeerChanged { old, new, shared } => {
            Event::InPeerChanged { old: *old, new: *new, shared: *shared }
        }
        Control::Health { address, healthy } => {
            Event::InHealth { address: *address, healthy: *healthy }
        }
        Control::LinkHealth(healthy) => Event::InLinkHealth { healthy: *healthy },
        Control::PriorityPeer(address) => Event::InPriorityPeer { address: *address },
        Control::RelayUp(region) => Event::InRelay { region: *region, up: true },
        Control::RelayDown(region) => Event::InRelay { region: *region, up: false },
        Control::RelayHome(region) => Event::InRelayHome { region: *region },
        Control::RelayOverride(region) => Event::InRelayOverride { region: *region },
        Control::BootedAt(at) => Event::InBootedAt { at: *at },
    }
}

/// What a record says another task said; `None` for other records.
pub fn control_of(event: &Event) -> Option<Control<'_>> {
    Some(match event {
        Event::InRegistered {} => Control::Registered,
        Event::InShutdown {} => Control::Shutdown,
        Event::InRestart {} => Control::Restart,
        Event::InLocalEndpoint { endpoint } => Control::LocalEndpoint(*endpoint),
        Event::InPublicEndpoint { endpoint } => Control::PublicEndpoint(*endpoint),
        Event::InRelayConnected {} => Control::RelayConnected,
        Event::InAllowList { addresses } => Control::AllowList(addresses),
        Event::InAllowListBusy { busy } => Control::AllowListBusy(*busy),
        Event::InSettingsMaxPeers { most } => Control::SettingsMaxPeers(*most),
        Event::InStoreWriteFailed {} => Control::StoreWriteFailed,
        Event::InTunnelSend { to, length } => Control::TunnelSend { to: *to, length: *length },
        Event::InPin { address, pinned: true } => Control::Pin(*address),
        Event::InPin { address, pinned: false } => Control::Unpin(*address),
        Event::InPeerChanged { old, new, shared } => {
            Control::PeerChanged { old: *old, new: *new, shared: *shared }
        }
        Event::InHealth { address, healthy } => {
            Control::Health { address: *address, healthy: *healthy }
        }
        Event::InLinkHealth { healthy } => Control::LinkHealth(*healthy),
        Event::InPriorityPeer { address } => Control::PriorityPeer(*address),
        Event::InRelay { region, up: true } => Control::RelayUp(*region),
        Event::InRelay { region, up: false } => Control::RelayDown(*region),
        Event::InRelayHome { region } => Control::RelayHome(*region),
        Event::InRelayOverride { region } => Control::RelayOverride(*region),
        Event::InBootedAt { at } => Control::BootedAt(*at),
        _ => return None,
    })
}

/// An update as the core takes it.
pub fn update(update: &PeerUpdate) -> Event {
    match update {
        PeerUpdate::Add(record) => Event::InAdd { peer: peer(record) },
        PeerUpdate::Remove(node) => Event::InRemove { node: *node },
        PeerUpdate::Patch { .. } => Event::InPatch { patch: patch(update) },
    }
}

/// An update as the control plane tells of it.
pub fn told(update: &PeerUpdate) -> Event {
    match update {
        PeerUpdate::Add(record) => Event::ToldAdd { peer: peer(record) },
        PeerUpdate::Remove(node) => Event::ToldRemove { node: *node },
        PeerUpdate::Patch { .. } => Event::ToldPatch { patch: patch(update) },
    }
}

fn patch(update: &PeerUpdate) -> Patch {
    match update {
        PeerUpdate::Patch { node, disco, region, endpoints } => {
            Patch { node: *node, disco: *disco, region: *region, endpoints: endpoints.clone() }
        }
        PeerUpdate::Add(PeerRecord { node, .. }) | PeerUpdate::Remove(node) => {
            Patch { node: *node, disco: None, region: 0, endpoints: [].into_iter().collect() }
        }
    }
}

/// The update that a record is or tells of; `None` for other records.
pub fn update_of(event: &Event) -> Option<PeerUpdate> {
    match event {
        Event::InAdd { peer } | Event::ToldAdd { peer } => Some(PeerUpdate::Add(record_of(peer))),
        Event::InRemove { node } | Event::ToldRemove { node } => Some(PeerUpdate::Remove(*node)),
        Event::InPatch { patch } | Event::ToldPatch { patch } => {
            let Patch { node, disco, region, endpoints } = patch.clone();
            Some(PeerUpdate::Patch { node, disco, region, endpoints })
        }
        _ => None,
    }
}

/// What the control plane says of a peer, as a record holds it.
pub fn peer(record: &PeerRecord) -> Peer {
    let PeerRecord { address, node, disco, region, endpoints, name, wanted } = record.clone();
    Peer { address, node, disco, region, endpoints, name, wanted }
}

/// The same as the core takes it.
pub fn record_of(peer: &Peer) -> PeerRecord {
    let Peer { address, node, disco, region, endpoints, name, wanted } = peer.clone();
    PeerRecord { address, node, disco, region, endpoints, name, wanted }
}
