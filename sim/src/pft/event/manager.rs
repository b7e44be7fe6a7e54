//! The kinds of record of what the manager was stepped with, 30 to 59, and what it gave, 60 to 99.

macro_rules! manager {
    ($next:ident $(, $after:ident)* { $($before:tt)* }) => { $next! { $($after),* { $($before)*

    /// The core is stepped because its time has come.
    30 "in.wake" InWake {}
    /// The queue that it asked for is empty.
    31 "in.empty" InEmpty {}
    /// It is given a packet.
    32 "in.packet" InPacket {
        /// The packet's number.
        packet: u64,
    }
    /// It is given a peer to enter or refresh.
    33 "in.add" InAdd {
        /// The peer.
        peer: Peer,
    }
    /// It is given a peer to take out.
    34 "in.remove" InRemove {
        /// Who it is.
        node: NodeKey,
    }
    /// It is given news about a peer.
    35 "in.patch" InPatch {
        /// The news.
        patch: Patch,
    }
    /// The control plane has registered the device.
    40 "in.registered" InRegistered {}
    /// The loop is to end.
    41 "in.shutdown" InShutdown {}
    /// The task is started again.
    42 "in.restart" InRestart {}
    /// The device's endpoint on the local network.
    43 "in.local_endpoint" InLocalEndpoint {
        /// The endpoint.
        endpoint: SocketAddrV4,
    }
    /// The device's endpoint as STUN saw it.
    44 "in.public_endpoint" InPublicEndpoint {
        /// The endpoint.
        endpoint: SocketAddrV4,
    }
    /// A relay was connected.
    45 "in.relay_connected" InRelayConnected {}
    /// The allowlist was replaced.
    46 "in.allow_list" InAllowList {
        /// Its addresses.
        addresses: Vec<Ipv4Addr>,
    }
    /// Another task holds the allowlist's lock, or gives it back.
    47 "in.allow_list_busy" InAllowListBusy {
        /// Whether it holds it.
        busy: bool,
    }
    /// The stored limit on peers was changed.
    48 "in.settings_max_peers" InSettingsMaxPeers {
        /// The limit; 0 is none.
        most: u8,
    }
    /// The write of the peer cache failed.
    49 "in.store_write_failed" InStoreWriteFailed {}
    /// An application of the device sends an IP packet.
    50 "in.tunnel_send" InTunnelSend {
        /// To this address in the tailnet.
        to: Ipv4Addr,
        /// Its length.
        length: u16,
    }
    /// The application pins a peer, or takes the pin back.
    51 "in.pin" InPin {
        /// The peer's address in the tailnet.
        address: Ipv4Addr,
        /// Whether it is pinned from now on.
        pinned: bool,
    }
    /// The application's counterpart has another address.
    52 "in.peer_changed" InPeerChanged {
        /// The address until now.
        old: Ipv4Addr,
        /// The address from now on.
        new: Ipv4Addr,
        /// Whether another counterpart has the old one too.
        shared: bool,
    }
    /// What an application knows of its counterpart.
    53 "in.health" InHealth {
        /// The counterpart's address in the tailnet.
        address: Ipv4Addr,
        /// Whether it answers.
        healthy: bool,
    }
    /// What the application knows of all its counterparts together.
    54 "in.link_health" InLinkHealth {
        /// Whether one answers.
        healthy: bool,
    }
    /// Another priority peer, from the next start on.
    55 "in.priority_peer" InPriorityPeer {
        /// Its address in the tailnet.
        address: Option<Ipv4Addr>,
    }
    /// The relay of a region is connected, or not any more.
    56 "in.relay" InRelay {
        /// The region.
        region: u16,
        /// Whether it is connected.
        up: bool,
    }
    /// The home region that the control plane or the network check chose.
    57 "in.relay_home" InRelayHome {
        /// The region.
        region: u16,
    }
    /// A region that is to be used whatever else is known.
    58 "in.relay_override" InRelayOverride {
        /// The region; one that is none lifts it.
        region: u16,
    }
    /// When the device was last switched on.
    59 "in.booted_at" InBootedAt {
        /// When.
        at: Instant,
    }

    /// The step was this costed operation.
    60 "out.charge" OutCharge {
        /// Which.
        key: CostKey,
    }
    /// It asks for one element of a queue.
    61 "out.receive" OutReceive {
        /// Which queue.
        queue: Queue,
    }
    /// It sends a DISCO packet.
    62 "out.send" OutSend {
        /// What.
        message: MessageKind,
        /// To the peer in this slot.
        peer: PeerIndex,
        /// Who that is.
        node: NodeKey,
        /// Direct destinations, in their order.
        direct: Vec<SocketAddrV4>,
        /// Whether a copy goes through the relay.
        relay: bool,
    }
    /// It hands a packet to the tunnel.
    63 "out.to_tunnel" OutToTunnel {
        /// What it is.
        packet: TunnelKind,
        /// The session's index, of data; else 0.
        receiver: u32,
        /// The counter, of data; else 0.
        counter: u64,
    }
    /// It writes the peer cache.
    64 "out.write_store" OutWriteStore {
        /// Bytes of the blob.
        bytes: u32,
    }
    /// It sends a tunnel packet.
    65 "out.transmit" OutTransmit {
        /// What.
        message: TunnelKind,
        /// To the peer in this slot.
        peer: PeerIndex,
        /// Who that is.
        node: NodeKey,
        /// Where it goes directly, if anywhere.
        direct: Option<SocketAddrV4>,
        /// Whether it, or a copy, goes through the relay.
        relay: bool,
        /// The queue of the relay in which it waits.
        queue: RelayQueue,
        /// The session's index at the device, of a handshake message; else 0.
        local: u32,
        /// The session's index at the peer, but of an initiation; else 0.
        remote: u32,
        /// The counter, of data and keepalives; else 0.
        counter: u64,
    }
    /// It hands the payload of the packet just taken to the network stack.
    66 "out.deliver" OutDeliver {
        /// The slot of the peer that sent it.
        peer: PeerIndex,
        /// The peer's address in the tailnet.
        from: Ipv4Addr,
        /// Bytes of the padded payload.
        length: u16,
    }
    /// The home relay is to be another region's.
    67 "out.rehome" OutRehome {
        /// The region.
        region: u16,
    }
    /// The DISCO packet just sent waits in this queue of the relay; not said of the normal one.
    68 "out.send_queue" OutSendQueue {
        /// The queue.
        queue: RelayQueue,
    }
    /// Note: a box was opened, or tried.
    70 "note.opened" NoteOpened {
        /// Whether the sender's key is an active peer's.
        known: bool,
        /// Whether it opened.
        genuine: bool,
    }
    /// Note: a packet or update went no further.
    71 "note.refused" NoteRefused {
        /// Why.
        why: Refusal,
    }
    /// Note: an unknown key was taken over as a peer's.
    72 "note.rescued" NoteRescued {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a pong was matched with its ping.
    73 "note.matched" NoteMatched {
        /// The peer's slot.
        peer: PeerIndex,
        /// From ping to pong.
        round_trip: Duration,
        /// Whether it came directly.
        direct: bool,
    }
    /// Note: a direct path is in use from now on.
    74 "note.path_up" NotePathUp {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a direct path is given up.
    75 "note.path_down" NotePathDown {
        /// The peer's slot.
        peer: PeerIndex,
        /// Why.
        why: PathLoss,
    }
    /// Note: a ping was not sent.
    76 "note.ping_skipped" NotePingSkipped {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a ping went out untracked.
    77 "note.ping_untracked" NotePingUntracked {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a heartbeat ping fell due.
    78 "note.heartbeat_due" NoteHeartbeatDue {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: an upgrade ping fell due.
    79 "note.upgrade_due" NoteUpgradeDue {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a peer was entered.
    80 "note.added" NoteAdded {
        /// Its slot.
        peer: PeerIndex,
        /// Whether it has a tunnel.
        tunnel: bool,
        /// Whether another was evicted for it.
        evicted: bool,
    }
    /// Note: a peer was refreshed.
    81 "note.refreshed" NoteRefreshed {
        /// Its slot.
        peer: PeerIndex,
    }
    /// Note: a peer was taken out.
    82 "note.removed" NoteRemoved {
        /// Its slot.
        peer: PeerIndex,
    }
    /// Note: the loop has ended.
    83 "note.stopped" NoteStopped {}
    /// Note: an initiation was sent.
    84 "note.initiated" NoteInitiated {
        /// The peer's slot.
        peer: PeerIndex,
        /// Why.
        why: InitiationReason,
    }
    /// Note: a session is ready for use.
    85 "note.session_up" NoteSessionUp {
        /// The peer's slot.
        peer: PeerIndex,
        /// Whether the device started it.
        initiator: bool,
    }
    /// Note: the current session has come to its end.
    86 "note.session_down" NoteSessionDown {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a peer without a session is no longer marked active.
    87 "note.active_cleared" NoteActiveCleared {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: initiations to a silent peer have ended.
    88 "note.initiations_given_up" NoteInitiationsGivenUp {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: packets go to another endpoint from now on, from which an authentic one came.
    89 "note.roamed" NoteRoamed {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// It wants to be called again.
    90 "out.wake" OutWake {
        /// When.
        at: Instant,
        /// Why.
        why: WakeReason,
    }
    /// All outputs of a step in short, as the recorder on a device keeps them.
    91 "out.fingerprint" OutFingerprint {
        /// 32 bits over the step's outputs.
        value: u32,
    }
    /// Note: a pong from another endpoint changed nothing.
    92 "note.path_kept" NotePathKept {
        /// The peer's slot.
        peer: PeerIndex,
    }
    /// Note: a path flapped, and the next attempt waits.
    93 "note.backed_off" NoteBackedOff {
        /// The peer's slot.
        peer: PeerIndex,
        /// For how long.
        span: Duration,
    }
    /// Note: more relay regions are wanted than there are connections.
    94 "note.relay_pool_full" NoteRelayPoolFull {}
    } } };
}
pub(super) use manager;
