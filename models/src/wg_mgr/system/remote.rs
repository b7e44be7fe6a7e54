//! The nodes at the other end: what they seal opens, because they hold the keys.
use core::net::{Ipv4Addr, SocketAddrV4};
use std::sync::OnceLock;

use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, Identity};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::wire::{self, Endpoints, Message, TransactionId};

/// Node number `number`: 0 is the priority peer, 1 the bulk peer, 2 and 3 come with a netmap, from 16
/// on nobody knows them.
pub(super) fn identity(number: u8) -> Identity {
    static KNOWN: Known = [const { OnceLock::new() }; 256];
    known(&KNOWN, number, 0xEF)
}

/// The same node after a restart of its client.
pub(super) fn restarted(number: u8) -> Identity {
    static KNOWN: Known = [const { OnceLock::new() }; 256];
    known(&KNOWN, number, 0x55)
}

/// Key pairs are worked out once: that is two X25519, and a search asks for them at nearly every step.
type Known = [OnceLock<Identity>; 256];

fn known(known: &Known, number: u8, disco: u8) -> Identity {
    let work = || Identity::from_secrets([number + 16; 32], [number ^ disco; 32]);
    known[usize::from(number)].get_or_init(work).clone()
}

/// Its address in the tailnet.
pub(super) fn address(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(100, 64, 1, number + 1)
}

/// Where it can be reached.
pub(super) fn endpoint(number: u8) -> SocketAddrV4 {
    SocketAddrV4::new(Ipv4Addr::new(203, 0, 113, number), 41_641)
}

/// The way its packets come.
pub(super) fn via(number: u8) -> Via {
    Via::Direct(endpoint(number))
}

/// What the control plane says of it.
pub(super) fn record(number: u8) -> PeerRecord {
    let identity = identity(number);
    PeerRecord {
        address: address(number),
        node: identity.node(),
        disco: identity.disco(),
        region: 1,
        endpoints: Endpoints::new(),
        name: HostName::new("remote"),
        wanted: false,
    }
}

/// A packet from `sender` to the device.
pub(super) fn seals(sender: &Identity, device: DiscoKey, message: &Message) -> Vec<u8> {
    let shared = SharedBox::compute(Crypto::Modelled, sender, device);
    wire::seal(sender.disco(), &shared, [7; 24], message).to_vec()
}

/// A ping number `id`, naming the sender's node or nobody.
pub(super) fn ping(sender: &Identity, device: DiscoKey, id: u8, names: bool) -> Vec<u8> {
    let node = names.then(|| sender.node());
    seals(sender, device, &Message::Ping { transaction: TransactionId([id; 12]), node })
}

/// The same packet with its box spoilt: it does not open.
pub(super) fn spoilt(mut packet: Vec<u8>) -> Vec<u8> {
    if let Some(last) = packet.last_mut() {
        *last ^= 1;
    }
    packet
}

/// A heartbeat: data packet number `counter` of a session.
pub(super) fn heartbeat(counter: u8) -> Vec<u8> {
    let mut bytes = vec![0; 112];
    bytes[0] = 4;
    bytes[4] = 77;
    bytes[8] = counter;
    bytes
}

/// A handshake initiation.
pub(super) fn initiation() -> Vec<u8> {
    let mut bytes = vec![0; 148];
    bytes[0] = 1;
    bytes
}
