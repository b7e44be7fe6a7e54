//! The core's inputs and outputs as records, and back.
//!
//! Every match over a type of the core is exhaustive: an input or output that the core gains does
//! not compile until it has a record.
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::output::{Note, Output, Outputs};
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::wire::TunnelPacket;

use crate::pft::Event;
use crate::pft::choice::TunnelKind;
use crate::pft::event::{Patch, Peer};

/// The outputs of a step, in their order: the charge first, the wake-up last.
pub fn outputs(outputs: &Outputs) -> Vec<Event> {
    let mut events = Vec::with_capacity(outputs.list.len() + 2);
    events.extend(outputs.charge.map(|key| Event::OutCharge { key }));
    events.extend(outputs.list.iter().map(output));
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
    }
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
