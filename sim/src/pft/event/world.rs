//! The kinds of record of the trace itself and what happens around the device, 1 to 29.

macro_rules! world {
    ($next:ident $(, $after:ident)* { $($before:tt)* }) => { $next! { $($after),* { $($before)*

    /// Records are missing here.
    1 "gap" Gap {
        /// Why.
        reason: GapReason,
        /// How many, where that is known.
        lost: Option<u64>,
    }
    /// Something that the writer wanted to say at this place.
    2 "mark" Mark {
        /// What.
        text: String,
    }
    /// What is in flash when the device is switched on: one peer of its cache, oldest use first.
    3 "preload" Preload {
        /// The peer.
        peer: Peer,
    }

    /// A DISCO ping reaches the device.
    10 "arrive.ping" ArrivePing {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Who the sender says to be.
        node: Option<NodeKey>,
    }
    /// A DISCO pong.
    11 "arrive.pong" ArrivePong {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// The ping that it answers: the tracked pings of the device, counted from 0. None when it
        /// answers no ping of this trace.
        answers: Option<u64>,
    }
    /// A DISCO CallMeMaybe.
    12 "arrive.call_me_maybe" ArriveCallMeMaybe {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Where the sender can be reached.
        endpoints: Endpoints,
    }
    /// A DISCO box that opens and holds no message.
    13 "arrive.unreadable" ArriveUnreadable {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// The message's type, where it has one that is not known; none when it is too short.
        message_type: Option<u8>,
    }
    /// A DISCO box that does not open.
    14 "arrive.forged" ArriveForged {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Bytes behind the header: tag and ciphertext.
        box_bytes: u32,
    }
    /// A DISCO box that nobody has tried to open: what is in it is not known.
    15 "arrive.unopened" ArriveUnopened {
        /// Number, way and origin.
        arrival: Arrival,
        /// The key in its header.
        sender: DiscoKey,
        /// Bytes behind the header: tag and ciphertext.
        box_bytes: u32,
    }
    /// Anything else: tunnel packets above all.
    16 "arrive.bytes" ArriveBytes {
        /// Number, way and origin.
        arrival: Arrival,
        /// What the receive task takes it for.
        class: PacketClass,
        /// Its first bytes; what is left out are zeros.
        bytes: Octets,
        /// How long it is.
        length: u32,
    }
    /// A handshake initiation, of a device that keeps its sessions itself.
    17 "arrive.initiation" ArriveInitiation {
        /// Number, way and origin.
        arrival: Arrival,
        /// The session's index at its sender.
        sender: u32,
        /// Who its static field says it is from; none when that does not open.
        initiator: Option<NodeKey>,
        /// Its timestamp: the label's seconds.
        seconds: u64,
        /// The label's fraction of a second.
        fraction: u32,
        /// At which check it fails.
        standing: Standing,
    }
    /// A handshake response, likewise.
    18 "arrive.response" ArriveResponse {
        /// Number, way and origin.
        arrival: Arrival,
        /// The session's index at its sender.
        sender: u32,
        /// The session's index at the device.
        receiver: u32,
        /// At which check it fails; genuine when it answers no initiation that is pending.
        standing: Standing,
    }
    /// Data of a session, likewise; what is in it is not kept.
    19 "arrive.data" ArriveData {
        /// Number, way and origin.
        arrival: Arrival,
        /// The session's index at the device.
        receiver: u32,
        /// Its counter.
        counter: u64,
        /// How long the packet is.
        length: u32,
    }
    /// A packet that has arrived is lost before the core takes it.
    20 "drop" Drop {
        /// Its number.
        packet: u64,
        /// Where.
        place: DropPlace,
    }
    /// The control plane tells of a peer to enter or refresh.
    21 "told.add" ToldAdd {
        /// The peer.
        peer: Peer,
    }
    /// The control plane tells of a peer to take out.
    22 "told.remove" ToldRemove {
        /// Who it is.
        node: NodeKey,
    }
    /// The control plane tells of news about a peer.
    23 "told.patch" ToldPatch {
        /// The news.
        patch: Patch,
    }
    /// A data packet that the core takes next is not genuine by the key of its session; others are.
    24 "data.forged" DataForged {
        /// Its number.
        packet: u64,
    }
    } } };
}
pub(super) use world;
