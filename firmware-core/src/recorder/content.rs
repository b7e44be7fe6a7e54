//! One step as slots: its input, without keys, and its outputs in short.
use core::net::{Ipv4Addr, SocketAddrV4};

use super::Slots;
use super::fingerprint::fingerprint;
use super::pings::Pings;
use super::slot::{Slot, kind};
use crate::wg_mgr::WgMgr;
use crate::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use crate::wg_mgr::keys::{DiscoKey, KEY_LEN};
use crate::wg_mgr::output::{Note, Output, Outputs};
use crate::wg_mgr::peers::PeerRecord;
use crate::wg_mgr::wire::{self, Envelope, Message, Unreadable};

/// The pseudonym of the key of all zeros.
const ZERO_KEY: u32 = 0;
/// The pseudonym of every other key of low order.
const LOW_ORDER_KEY: u32 = 1;
/// Addresses of an allowlist that are written down; of a longer one, only that it came.
const LISTED_MOST: usize = 64;
/// Where a box's length does not fit.
const LONG: u16 = u16::MAX;

/// The slots of a step while they are put together.
pub(super) struct Event {
    pub(super) slots: Slots,
    salt: u64,
}

impl Event {
    pub(super) const fn new(salt: u64) -> Self {
        Self { slots: Slots::new(), salt }
    }

    fn slot(&mut self, kind: u8, detail: u8, parts: &[&[u8]]) {
        let mut content = heapless::Vec::<u8, 10>::new();
        for byte in parts.iter().copied().flatten() {
            let _full = content.push(*byte);
        }
        let refused = self.slots.push(Slot::new(kind, detail, &content));
        debug_assert!(refused.is_ok(), "no step has more slots than there is room for");
    }

    /// What stands for a key.
    fn key(&self, key: [u8; KEY_LEN]) -> [u8; 4] {
        let pseudonym = if key == [0; KEY_LEN] {
            ZERO_KEY
        } else if DiscoKey(key).is_low_order() {
            LOW_ORDER_KEY
        } else {
            hash(self.salt, &key).max(LOW_ORDER_KEY + 1)
        };
        pseudonym.to_le_bytes()
    }

    pub(super) fn outputs(&mut self, outputs: &Outputs) {
        let charge = outputs.charge.map_or(0, |key| key as u8 + 1);
        self.slot(kind::OUTPUTS, charge, &[&fingerprint(outputs).to_le_bytes()]);
    }

    pub(super) fn input<const PEERS: usize, const KEYS: usize, const PROBES: usize>(
        &mut self,
        input: &Input<'_>,
        outputs: &Outputs,
        core: &WgMgr<PEERS, KEYS, PROBES>,
        pings: &Pings,
    ) {
        match input {
            Input::Wake => self.slot(kind::WAKE, 0, &[]),
            Input::Empty => self.slot(kind::NOTHING, 0, &[]),
            Input::Update(update) => self.update(update),
            Input::Control(control) => self.control(control),
            Input::Packet(datagram) => self.packet(*datagram, outputs, core, pings),
        }
    }

    pub(super) fn peer(&mut self, kind: u8, peer: &PeerRecord) {
        let detail = u8::from(peer.wanted) | length(peer.endpoints.len()) << 1;
        let (node, disco) = (self.key(peer.node.0), self.key(peer.disco.0));
        self.slot(kind, detail, &[&node, &disco, &peer.region.to_le_bytes()]);
        self.slot(kind::MORE, 0, &[&peer.address.octets(), peer.name.as_bytes()]);
        self.endpoints(&peer.endpoints);
    }

    fn endpoints(&mut self, endpoints: &[SocketAddrV4]) {
        for endpoint in endpoints {
            self.slot(kind::MORE, 0, &[&bytes_of(*endpoint)]);
        }
    }

    fn update(&mut self, update: &PeerUpdate) {
        match update {
            PeerUpdate::Add(peer) => self.peer(kind::ADD, peer),
            PeerUpdate::Remove(node) => self.slot(kind::REMOVE, 0, &[&self.key(node.0)]),
            PeerUpdate::Patch { node, disco, region, endpoints } => {
                let detail = u8::from(disco.is_some()) | length(endpoints.len()) << 1;
                let node = self.key(node.0);
                let disco = disco.map_or([0; 4], |disco| self.key(disco.0));
                self.slot(kind::PATCH, detail, &[&node, &disco, &region.to_le_bytes()]);
                self.endpoints(endpoints);
            }
        }
    }

    fn control(&mut self, control: &Control<'_>) {
        match control {
            Control::Registered => self.slot(kind::REGISTERED, 0, &[]),
            Control::Shutdown => self.slot(kind::SHUTDOWN, 0, &[]),
            Control::Restart => self.slot(kind::RESTART, 0, &[]),
            Control::LocalEndpoint(endpoint) => {
                self.slot(kind::LOCAL_ENDPOINT, 0, &[&bytes_of(*endpoint)]);
            }
            Control::PublicEndpoint(endpoint) => {
                self.slot(kind::PUBLIC_ENDPOINT, 0, &[&bytes_of(*endpoint)]);
            }
            Control::RelayConnected => self.slot(kind::RELAY_CONNECTED, 0, &[]),
            Control::AllowList(addresses) => {
                let kept = if addresses.len() <= LISTED_MOST { *addresses } else { &[] };
                let detail =
                    if kept.len() == addresses.len() { length(kept.len()) } else { u8::MAX };
                self.slot(kind::ALLOW_LIST, detail, &[]);
                for pair in kept.chunks(2) {
                    let second = pair.get(1).map_or([0; 4], Ipv4Addr::octets);
                    self.slot(kind::MORE, 0, &[&pair[0].octets(), &second]);
                }
            }
            Control::AllowListBusy(busy) => {
                self.slot(kind::ALLOW_LIST_BUSY, u8::from(*busy), &[]);
            }
            Control::SettingsMaxPeers(most) => self.slot(kind::SETTINGS_MAX_PEERS, *most, &[]),
            Control::StoreWriteFailed => self.slot(kind::STORE_WRITE_FAILED, 0, &[]),
            Control::TunnelSend { .. }
            | Control::Pin(_)
            | Control::Unpin(_)
            | Control::PeerChanged { .. }
            | Control::Health { .. }
            | Control::LinkHealth(_)
            | Control::PriorityPeer(_)
            | Control::BootedAt(_) => self.said_by_application(control),
            Control::RelayUp(region) => self.slot(kind::RELAY, 1, &[&region.to_le_bytes()]),
            Control::RelayDown(region) => self.slot(kind::RELAY, 0, &[&region.to_le_bytes()]),
            Control::RelayHome(region) => self.slot(kind::RELAY_HOME, 0, &[&region.to_le_bytes()]),
            Control::RelayOverride(region) => {
                self.slot(kind::RELAY_OVERRIDE, 0, &[&region.to_le_bytes()]);
            }
        }
    }

    fn said_by_application(&mut self, control: &Control<'_>) {
        match control {
            Control::TunnelSend { to, length } => {
                self.slot(kind::TUNNEL_SEND, 0, &[&to.octets(), &length.to_le_bytes()]);
            }
            Control::Pin(address) => self.slot(kind::PIN, 1, &[&address.octets()]),
            Control::Unpin(address) => self.slot(kind::PIN, 0, &[&address.octets()]),
            Control::PeerChanged { old, new, shared } => {
                let addresses: [&[u8]; 2] = [&old.octets(), &new.octets()];
                self.slot(kind::PEER_CHANGED, u8::from(*shared), &addresses);
            }
            Control::Health { address, healthy } => {
                self.slot(kind::HEALTH, u8::from(*healthy), &[&address.octets()]);
            }
            Control::LinkHealth(healthy) => self.slot(kind::LINK_HEALTH, u8::from(*healthy), &[]),
            Control::PriorityPeer(address) => {
                let octets = address.map_or([0; 4], |it| it.octets());
                self.slot(kind::PRIORITY_PEER, u8::from(address.is_some()), &[&octets]);
            }
            Control::BootedAt(at) => {
                self.slot(kind::BOOTED_AT, 0, &[&at.as_nanos().to_le_bytes()]);
            }
            _ => debug_assert!(false, "the caller hands over these only"),
        }
    }

    fn way(&mut self, via: Via, detail: u8, behind: &[u8]) {
        match via {
            Via::Direct(endpoint) => {
                self.slot(kind::MORE, detail << 1, &[&bytes_of(endpoint), behind]);
            }
            Via::Derp(node) => {
                let node = self.key(node.0);
                self.slot(kind::MORE, 1 | detail << 1, &[&node, &[0; 2], behind]);
            }
        }
    }

    fn packet<const PEERS: usize, const KEYS: usize, const PROBES: usize>(
        &mut self,
        datagram: Datagram<'_>,
        outputs: &Outputs,
        core: &WgMgr<PEERS, KEYS, PROBES>,
        pings: &Pings,
    ) {
        let bytes = datagram.bytes;
        let Some(envelope) = Envelope::parse(bytes) else { return self.plain(datagram) };
        let sender = self.key(envelope.sender.0);
        let opened = outputs.list.iter().find_map(|output| match output {
            Output::Note(Note::Opened { genuine, .. }) => Some(*genuine),
            _ => None,
        });
        let shared = core.cached_box(envelope.sender).filter(|_| opened == Some(true));
        let box_bytes = u16::try_from(envelope.sealed.len()).unwrap_or(LONG).to_le_bytes();
        let content = shared.map(|shared| wire::open(&envelope, shared));
        let mut named = None;
        match content {
            Some(Ok(Message::Ping { node, .. })) => {
                let node_key = node.map_or([0; 4], |node| self.key(node.0));
                self.slot(kind::PING, u8::from(node.is_some()), &[&sender, &node_key]);
            }
            Some(Ok(Message::Pong { transaction, .. })) => {
                let number = pings.number(transaction).unwrap_or(u32::MAX);
                self.slot(kind::PONG, 0, &[&sender, &number.to_le_bytes()]);
            }
            Some(Ok(Message::CallMeMaybe { endpoints })) => {
                self.slot(kind::CALL_ME_MAYBE, length(endpoints.len()), &[&sender]);
                named = Some(endpoints);
            }
            Some(Err(Unreadable::TooShort)) => self.slot(kind::UNREADABLE, u8::MAX, &[&sender]),
            Some(Err(Unreadable::UnknownType(message))) => {
                self.slot(kind::UNREADABLE, message, &[&sender]);
            }
            Some(Err(Unreadable::Forged)) => self.slot(kind::FORGED, 0, &[&sender, &box_bytes]),
            None if opened == Some(false) => self.slot(kind::FORGED, 0, &[&sender, &box_bytes]),
            None => self.slot(kind::UNOPENED, 0, &[&sender, &box_bytes]),
        }
        self.way(datagram.via, 0, &[]);
        self.endpoints(named.as_deref().unwrap_or_default());
    }

    /// A packet that is not DISCO: the header of a tunnel packet, and how long it is.
    fn plain(&mut self, datagram: Datagram<'_>) {
        let bytes = datagram.bytes;
        let mut header = [0; 16];
        for (to, from) in header.iter_mut().zip(bytes) {
            *to = *from;
        }
        let is_odd = header[1..4] != [0; 3];
        let length = u16::try_from(bytes.len()).unwrap_or(LONG).to_le_bytes();
        self.slot(kind::BYTES, header[0], &[&header[4..14]]);
        let behind = [header[14], header[15], length[0], length[1]];
        self.way(datagram.via, u8::from(is_odd), &behind);
    }
}

fn length(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

fn bytes_of(endpoint: SocketAddrV4) -> [u8; 6] {
    let [a, b, c, d] = endpoint.ip().octets();
    let [high, low] = endpoint.port().to_be_bytes();
    [a, b, c, d, high, low]
}

/// 32 bits of a keyed mix of a key's four words.
fn hash(salt: u64, key: &[u8; KEY_LEN]) -> u32 {
    let mut state = salt ^ 0x9e37_79b9_7f4a_7c15;
    for chunk in key.chunks_exact(8) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(0xff51_afd7_ed55_8ccd);
        state ^= state.rotate_left(29) ^ state >> 32;
    }
    u32::try_from((state ^ salt.rotate_left(17)) >> 32).unwrap_or(u32::MAX)
}
