//! Peers of the tailnet: they hold real keys, ping, answer, ask to be called, and restart.
//!
//! ```text
//!   device ──packet──► half a round trip ──► peer ─┬─ ping ─► pong
//!                                                  ├─ CallMeMaybe ─► ping, or an echo
//!                                                  └─ pong ─► counted
//! ```
//!
//! With real crypto a peer seals and opens with `crypto_box`, not with the core's own code: every
//! box of a run has two independent ends.
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddrV4};

use crypto_box::aead::AeadInPlace;
use crypto_box::{PublicKey, SalsaBox, SecretKey};
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::boxes::{NONCE_LEN, SharedBox};
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::input::Via;
use firmware_core::wg_mgr::keys::{DiscoKey, Identity, NodeKey};
use firmware_core::wg_mgr::output::MessageKind;
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::wire::{
    self, Endpoints, Envelope, Message, StaticSecret, TransactionId,
};

use super::peer_tunnel::PeerTunnel;
use crate::arrivals::Train;
use crate::packet::FrameKind;
use crate::random::{Stream, Streams};
use crate::scenario::{Arrivals, PeerGroup, Reach, Way};

/// One peer.
pub struct Peer {
    /// Its name: that of its group, and its number there.
    pub name: String,
    /// Its group's number in the scenario.
    pub group: usize,
    /// Its address in the tailnet.
    pub address: Ipv4Addr,
    /// How it is reached, if there is one way only.
    pub way: Way,
    /// Where its direct packets come from.
    pub endpoint: SocketAddrV4,
    /// Its half of the tunnel, if sessions are modelled.
    pub tunnel: Option<PeerTunnel>,
    /// The handshakes that it begins.
    pub handshakes: Option<Train>,
    round_trips: [Duration; 2],
    /// When a pong to its own ping last came directly.
    proven: Option<Instant>,
    /// When it last pinged to prove its direct way.
    proving: Option<Instant>,
    /// Its pings; the next instant is drawn when the last has been sent.
    pub pings: Option<Train>,
    /// Its CallMeMaybe packets.
    pub calls: Option<Train>,
    identity: Identity,
    sealer: Sealer,
    record: PeerRecord,
    stream: Stream,
    call_endpoints: Endpoints,
    pinged_at: BTreeMap<TransactionId, Instant>,
}

/// A packet from a peer to the device.
#[derive(Clone, Debug)]
pub struct FromPeer {
    /// What is in it.
    pub content: Content,
    /// Its bytes.
    pub bytes: Box<[u8]>,
}

/// What is in a peer's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A DISCO message.
    Disco(MessageKind),
    /// A tunnel packet.
    Tunnel(FrameKind),
}

impl Content {
    /// Whether it is the protective stop's.
    pub fn is_stop(self) -> bool {
        self == Self::Tunnel(FrameKind::Stop)
    }
}

impl FromPeer {
    /// A tunnel packet.
    pub fn tunnel(kind: FrameKind, bytes: Box<[u8]>) -> Self {
        Self { content: Content::Tunnel(kind), bytes }
    }
}

/// The device as its peers know it.
#[derive(Clone, Copy, Debug)]
pub struct KnownDevice {
    /// Its DISCO key.
    pub disco: DiscoKey,
    /// How boxes are computed.
    pub crypto: Crypto,
    /// Its node key, if it has sessions.
    pub node: Option<NodeKey>,
}

/// What a peer makes of a packet from the device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A ping, to be answered under this id.
    Ping(TransactionId),
    /// A pong to its own ping, sent so long ago.
    Pong(Duration),
    /// A CallMeMaybe.
    CallMeMaybe,
    /// Nothing: not for this key, or a pong to nothing.
    Nothing,
}

enum Sealer {
    Real(Box<SalsaBox>),
    Modelled(SharedBox),
}

/// The tailnet's address number `number`.
pub fn tailnet_address(number: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(Ipv4Addr::new(100, 64, 1, 0)) + u32::from(number))
}

/// The public address number `number`, of the range kept for documentation and beyond.
fn public_endpoint(number: u16) -> SocketAddrV4 {
    SocketAddrV4::new(
        Ipv4Addr::from(u32::from(Ipv4Addr::new(198, 18, 0, 0)) + u32::from(number)),
        41_641,
    )
}

impl Peer {
    /// Member `member` of a group, number `number` of the whole tailnet.
    pub fn new(
        group: (usize, &PeerGroup),
        member: u16,
        number: u16,
        streams: Streams,
        device: KnownDevice,
    ) -> Self {
        let (group, spec) = group;
        let name = format!("{}/{member}", spec.name);
        let mut stream = streams.of(&name, "keys");
        let (node_secret, disco_secret) = (stream.bytes(), stream.bytes());
        let identity = Identity::from_secrets(node_secret, disco_secret);
        let endpoint = public_endpoint(number);
        let train = |arrivals: &Option<_>, purpose: &str, late: Duration| {
            arrivals.clone().map(|mut arrivals: Arrivals| {
                arrivals.from = arrivals.from.after(late);
                Train::new(arrivals, streams.of(&name, purpose))
            })
        };
        let late = spec.ping_stagger.times(member.into());
        let shake_late = spec.handshake_stagger.times(member.into());
        let tunnel = device.node.map(|node| {
            let secret = StaticSecret::compute(device.crypto, &identity, node);
            PeerTunnel::new(identity.node(), node, secret, streams.of(&name, "tunnel"))
        });
        Self {
            group,
            address: tailnet_address(number),
            way: match spec.reach {
                Reach::Direct => Way::Direct,
                Reach::Derp => Way::Relay,
            },
            endpoint,
            tunnel,
            handshakes: train(&spec.handshakes, "handshakes", shake_late),
            round_trips: [spec.round_trip, spec.relay_round_trip],
            proven: None,
            proving: None,
            pings: train(&spec.pings, "pings", late),
            calls: train(&spec.call_me_maybe, "CallMeMaybe", Duration::ZERO),
            sealer: Sealer::new(device.crypto, disco_secret, &identity, device.disco),
            record: PeerRecord {
                address: tailnet_address(number),
                node: identity.node(),
                disco: identity.disco(),
                region: spec.region,
                endpoints: spec.has_endpoint.then_some(endpoint).into_iter().collect(),
                name: HostName::new(&spec.name),
                wanted: false,
            },
            identity,
            call_endpoints: (0..spec.call_me_maybe_endpoints.into())
                .map(|port| SocketAddrV4::new(*endpoint.ip(), endpoint.port() + port))
                .collect(),
            stream: streams.of(&name, "packets"),
            name,
            pinged_at: BTreeMap::new(),
        }
    }

    /// From a packet leaving the device to an immediate answer arriving, on one way.
    pub fn round_trip_on(&self, way: Way) -> Duration {
        let [direct, relayed] = self.round_trips;
        match way {
            Way::Direct => direct,
            Way::Relay => relayed,
        }
    }

    /// Where its packets come from on a way.
    pub fn via(&self, way: Way) -> Via {
        match way {
            Way::Direct => Via::Direct(self.endpoint),
            Way::Relay => Via::Derp(self.node()),
        }
    }

    /// A pong to its own ping came: its direct way is proven when that was the way.
    pub fn proves(&mut self, way: Way, now: Instant) {
        if way == Way::Direct {
            self.proven = Some(now);
        }
    }

    /// Whether its direct way was proven within `span`.
    pub fn trusts_direct(&self, now: Instant, span: Duration) -> bool {
        self.proven.is_some_and(|at| now.since(at) < span)
    }

    /// A ping that proves its direct way, unless the last one was sent within `span`.
    pub fn proving_ping(&mut self, now: Instant, span: Duration) -> Option<FromPeer> {
        if self.proving.is_some_and(|at| now.since(at) < span) {
            return None;
        }
        self.proving = Some(now);
        Some(self.ping(now))
    }

    /// Who it is.
    pub fn node(&self) -> NodeKey {
        self.identity.node()
    }

    /// Its present DISCO key.
    pub fn disco(&self) -> DiscoKey {
        self.identity.disco()
    }

    /// What the control plane says of it; its DISCO key as it was when that was last told.
    pub fn record(&self) -> &PeerRecord {
        &self.record
    }

    /// Its client restarts: a new DISCO key, which the control plane does not know yet.
    pub fn rotate(&mut self, node_secret_stream: &mut Stream, device: DiscoKey, crypto: Crypto) {
        let disco_secret = node_secret_stream.bytes();
        let rotated = Identity::from_secrets([0; 32], disco_secret);
        self.sealer = Sealer::new(crypto, disco_secret, &rotated, device);
        self.identity = self.identity.with_disco_of(&rotated);
    }

    /// The control plane learns the present DISCO key.
    pub fn tell(&mut self) -> DiscoKey {
        self.record.disco = self.identity.disco();
        self.record.disco
    }

    /// A ping of its own.
    pub fn ping(&mut self, now: Instant) -> FromPeer {
        let transaction = TransactionId(self.stream.bytes());
        self.pinged_at.insert(transaction, now);
        let node = Some(self.node());
        self.sends(MessageKind::Ping, &Message::Ping { transaction, node })
    }

    /// The answer to a ping.
    pub fn pong(&mut self, transaction: TransactionId) -> FromPeer {
        self.sends(MessageKind::Pong, &Message::Pong { transaction, seen_from: None })
    }

    /// A CallMeMaybe.
    pub fn call_me_maybe(&mut self) -> FromPeer {
        let endpoints = self.call_endpoints.clone();
        self.sends(MessageKind::CallMeMaybe, &Message::CallMeMaybe { endpoints })
    }

    fn sends(&mut self, kind: MessageKind, message: &Message) -> FromPeer {
        let nonce: [u8; NONCE_LEN] = self.stream.bytes();
        let mut plain = message.write();
        let tag = self.sealer.seal(&nonce, &mut plain);
        let packet = wire::frame(self.disco(), &nonce, &tag, &plain);
        FromPeer { content: Content::Disco(kind), bytes: packet.as_slice().into() }
    }

    /// What a packet from the device says to this peer.
    pub fn hears(&mut self, packet: &[u8], now: Instant) -> Heard {
        let opened = Envelope::parse(packet).and_then(|envelope| self.sealer.open(&envelope));
        match opened {
            Some(Message::Ping { transaction, .. }) => Heard::Ping(transaction),
            Some(Message::Pong { transaction, .. }) => self
                .pinged_at
                .remove(&transaction)
                .map_or(Heard::Nothing, |sent| Heard::Pong(now.since(sent))),
            Some(Message::CallMeMaybe { .. }) => Heard::CallMeMaybe,
            None => Heard::Nothing,
        }
    }

    /// Forgets pings that have been unanswered for `span`, so that a long run needs no more memory
    /// than a short one.
    pub fn forget_old_pings(&mut self, now: Instant, span: Duration) {
        self.pinged_at.retain(|_, sent| now.since(*sent) < span);
    }
}

impl Sealer {
    fn new(crypto: Crypto, secret: [u8; 32], identity: &Identity, device: DiscoKey) -> Self {
        match crypto {
            Crypto::Real => Self::Real(Box::new(SalsaBox::new(
                &PublicKey::from(device.0),
                &SecretKey::from(secret),
            ))),
            Crypto::Modelled => Self::Modelled(SharedBox::compute(crypto, identity, device)),
        }
    }

    fn seal(&self, nonce: &[u8; NONCE_LEN], plain: &mut [u8]) -> [u8; 16] {
        match self {
            Self::Real(sealer) => sealer
                .encrypt_in_place_detached(nonce.into(), b"", plain)
                .expect("a DISCO message is far below the cipher's length limit")
                .into(),
            Self::Modelled(shared) => shared.seal(nonce, plain),
        }
    }

    fn open(&self, envelope: &Envelope<'_>) -> Option<Message> {
        match self {
            Self::Real(opener) => {
                let (tag, ciphertext) = envelope.sealed.split_first_chunk::<16>()?;
                let mut plain = ciphertext.to_vec();
                opener
                    .decrypt_in_place_detached(envelope.nonce.into(), b"", &mut plain, tag.into())
                    .ok()?;
                Message::parse(&plain).ok()
            }
            Self::Modelled(shared) => wire::open(envelope, shared).ok(),
        }
    }
}
