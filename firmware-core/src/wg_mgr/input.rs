//! What can reach the manager: the answer to what it asked for, the time, or news from other tasks.
use core::net::{Ipv4Addr, SocketAddrV4};

use super::keys::{DiscoKey, NodeKey};
use super::peers::PeerRecord;
use super::wire::Endpoints;
use crate::time::Instant;

/// One input of a step. The manager never waits for a particular one: whatever comes has a defined
/// result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// The instant that was asked for has come, or the last step's charge has elapsed.
    Wake,
    /// A packet from the queue that was asked for.
    Packet(Datagram<'a>),
    /// A peer update from the queue that was asked for.
    Update(&'a PeerUpdate),
    /// The queue that was asked for is empty.
    Empty,
    /// Something another task says; it may come between any two steps and changes nothing of where
    /// the pass stands.
    Control(Control<'a>),
}

/// A received packet and the way it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram<'a> {
    /// The packet.
    pub bytes: &'a [u8],
    /// The way it came.
    pub via: Via,
}

/// The way a packet came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// Over UDP, from this endpoint.
    Direct(SocketAddrV4),
    /// Through a relay, from this node.
    Derp(NodeKey),
}

/// What the control plane says about peers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PeerUpdate {
    /// A peer to enter or refresh.
    Add(PeerRecord),
    /// A peer to take out.
    Remove(NodeKey),
    /// News about a peer; what is `None`, 0 or empty has not changed.
    Patch {
        /// The peer.
        node: NodeKey,
        /// Its new DISCO key.
        disco: Option<DiscoKey>,
        /// Its new home relay region.
        region: u16,
        /// Its new endpoints.
        endpoints: Endpoints,
    },
}

/// What other tasks say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control<'a> {
    /// The control plane has registered the device: the loop may begin.
    Registered,
    /// The loop is to end at the top of its next pass (WG-SHUT-1).
    Shutdown,
    /// The task is started again after a shutdown.
    Restart,
    /// The device's endpoint on the local network.
    LocalEndpoint(SocketAddrV4),
    /// The device's endpoint as STUN saw it; the broadcast may begin (WG-CMM-1).
    PublicEndpoint(SocketAddrV4),
    /// A relay was connected: its client information was sealed with another secret (WG-CACHE-1).
    RelayConnected,
    /// The allowlist was replaced (WG-ALLOW-1).
    AllowList(&'a [Ipv4Addr]),
    /// Whether another task holds the allowlist's lock longer than the check waits.
    AllowListBusy(bool),
    /// The stored limit on peers was changed; 0 is none (CAP-1).
    SettingsMaxPeers(u8),
    /// The write of the peer cache failed (WG-NVS-1).
    StoreWriteFailed,
    /// An application sends `length` bytes to a peer through the tunnel. The charge of this step
    /// is not the manager's: the network stack's task encrypts. What goes out is an
    /// [`Output::Transmit`](super::output::Output::Transmit); the payload stays with the driver.
    TunnelSend {
        /// The peer's address in the tailnet.
        to: Ipv4Addr,
        /// Bytes of the IP packet; more than [`super::sessions::MTU`] are refused.
        length: u16,
    },
    /// The application pins a peer (CAP-3).
    Pin(Ipv4Addr),
    /// The application takes a pin back (CAP-3).
    Unpin(Ipv4Addr),
    /// The application's counterpart has another address: the new one is pinned, the old one
    /// unpinned unless somebody else still uses it (CAP-3).
    PeerChanged {
        /// The address until now.
        old: Ipv4Addr,
        /// The address from now on.
        new: Ipv4Addr,
        /// Whether another counterpart has the old address too.
        shared: bool,
    },
    /// What an application knows of its counterpart; naming it registers it (CAP-3, WG-WAKE-1).
    Health {
        /// The counterpart's address in the tailnet.
        address: Ipv4Addr,
        /// Whether it answers.
        healthy: bool,
    },
    /// What the application knows of all its counterparts together; it concerns the priority peer
    /// (WG-WAKE-1).
    LinkHealth(bool),
    /// Another priority peer; it counts from the next start on.
    PriorityPeer(Option<Ipv4Addr>),
    /// The relay of this region is connected.
    RelayUp(u16),
    /// The relay of this region is not connected any more.
    RelayDown(u16),
    /// The home region that the control plane or the network check chose (WG-REHOME-1).
    RelayHome(u16),
    /// A region that is to be used whatever else is known, 1 to 4095; anything else lifts it
    /// (WG-REHOME-1).
    RelayOverride(u16),
    /// When the device was last switched on, if that is not [`Instant::ZERO`]: the firmware's
    /// handshake timestamps count from here (WG-HS-4).
    BootedAt(Instant),
}
