//! Any bytes, in any order, give a value and never a panic.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::Instant;
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::{Config, Crypto, Tunnel};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, Entropy, Identity, NodeKey};
use firmware_core::wg_mgr::peers::{HostName, PeerRecord};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rules;
use firmware_core::wg_mgr::wire::{
    self, Envelope, Initiation, MAGIC, Message, Response, StaticSecret, Timestamp, TunnelPacket,
};
use proptest::prelude::*;

type Small = WgMgr<4, 3, 2>;

fn small(preset: Preset, rules: Rules, tunnel: Tunnel) -> Small {
    let config = Config {
        tunnel,
        relay_connections: 2,
        pins: 2,
        peer_table: 3,
        tunnel_slots: 2,
        store_entries: 2,
        key_cache_entries: 3,
        probes: 2,
        crypto: Crypto::Modelled,
        priority_peer: Some(Ipv4Addr::new(100, 64, 0, 1)),
        rules,
        ..preset.config()
    };
    let identity = Identity::from_secrets([1; 32], [2; 32]);
    Small::new(config, identity, Entropy::new([3; 32])).expect("a valid config")
}

/// An input that owns its bytes.
#[derive(Clone, Debug)]
enum Owned {
    Wake,
    Empty,
    Packet(Vec<u8>, Option<u8>),
    Update(PeerUpdate),
    Control(u8),
}

fn record(number: u8) -> PeerRecord {
    PeerRecord {
        address: Ipv4Addr::new(100, 64, 0, number),
        node: NodeKey([number; 32]),
        disco: DiscoKey([number; 32]),
        region: number.into(),
        endpoints: [SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, number), 9)].into_iter().collect(),
        name: HostName::new("any"),
        wanted: number.is_multiple_of(2),
    }
}

/// Bytes that often look like something: the magic, a small key, a message that opens.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let random = prop::collection::vec(any::<u8>(), 0..300);
    let disco = (0_u8..6, prop::collection::vec(any::<u8>(), 0..120)).prop_map(|(key, rest)| {
        let mut bytes = MAGIC.to_vec();
        bytes.extend([key; 32]);
        bytes.extend(rest);
        bytes
    });
    let genuine = (1_u8..6, 0_u8..4, any::<[u8; 40]>())
        .prop_map(|(key, kind, body)| genuine(key, kind, &body));
    prop_oneof![2 => random, 2 => disco, 3 => genuine, 3 => handshake(), 2 => tunnel_data()]
}

/// Handshake messages from peers that the device may know, most of them genuine.
fn handshake() -> impl Strategy<Value = Vec<u8>> {
    (1_u8..6, any::<u8>(), 0_u64..1_000, 0_u32..8).prop_map(|(key, kind, clock, index)| {
        let ours = Identity::from_secrets([1; 32], [2; 32]);
        let peer = NodeKey([key; 32]);
        // The modelled secret is symmetric, so the device's own half serves the other side too.
        let secret = StaticSecret::compute(Crypto::Modelled, &ours, peer).expect("a real key");
        if kind < 200 {
            let timestamp = Timestamp::at(Instant::from_millis(clock));
            let message =
                Initiation { sender: index, ephemeral: [kind; 32], initiator: peer, timestamp };
            message.encode(ours.node(), &secret).to_vec()
        } else {
            let message = Response { sender: index, receiver: index, ephemeral: [kind; 32] };
            message.encode(ours.node(), &secret, &[key; 32]).to_vec()
        }
    })
}

/// Packets that look like data, for whatever session.
fn tunnel_data() -> impl Strategy<Value = Vec<u8>> {
    (any::<[u8; 12]>(), 0_usize..5).prop_map(|(head, blocks)| {
        let mut bytes = vec![0; 32 + 16 * blocks];
        bytes[0] = 4;
        bytes[4..16].copy_from_slice(&head);
        bytes
    })
}

/// A box that opens in the modelled scheme, with any plaintext.
fn genuine(key: u8, kind: u8, body: &[u8; 40]) -> Vec<u8> {
    let ours = Identity::from_secrets([1; 32], [2; 32]);
    // The modelled secret is symmetric, so the device's own half serves the other side too.
    let shared = SharedBox::compute(Crypto::Modelled, &ours, DiscoKey([key; 32]));
    let mut plain = vec![kind, 0];
    plain.extend(body);
    let tag = shared.seal(&[key; 24], &mut plain);
    [&MAGIC[..], &[key; 32], &[key; 24], &tag, &plain].concat()
}

fn inputs() -> impl Strategy<Value = Vec<Owned>> {
    let update = (0_u8..6, 0_u8..3).prop_map(|(number, kind)| match kind {
        0 => PeerUpdate::Add(record(number)),
        1 => PeerUpdate::Remove(NodeKey([number; 32])),
        _ => PeerUpdate::Patch {
            node: NodeKey([number; 32]),
            disco: Some(DiscoKey([number / 2; 32])),
            region: 0,
            endpoints: wire::Endpoints::new(),
        },
    });
    let one = prop_oneof![
        3 => Just(Owned::Wake),
        2 => Just(Owned::Empty),
        4 => (bytes(), prop::option::of(0_u8..6)).prop_map(|(bytes, via)| Owned::Packet(bytes, via)),
        2 => update.prop_map(Owned::Update),
        2 => (0_u8..36).prop_map(Owned::Control),
    ];
    prop::collection::vec(one, 0..120)
}

fn control(number: u8) -> Control<'static> {
    const LIST: &[Ipv4Addr] = &[Ipv4Addr::new(100, 64, 0, 2)];
    let endpoint = SocketAddrV4::new(Ipv4Addr::new(192, 168, 0, 1), 1);
    match number {
        0 => Control::Shutdown,
        1 => Control::Restart,
        2 => Control::LocalEndpoint(endpoint),
        3 => Control::PublicEndpoint(endpoint),
        4 => Control::RelayConnected,
        5 => Control::AllowList(LIST),
        6 => Control::AllowList(&[]),
        7 => Control::AllowListBusy(true),
        8 => Control::AllowListBusy(false),
        9 => Control::SettingsMaxPeers(1),
        10 => Control::StoreWriteFailed,
        11..=14 => Control::TunnelSend { to: Ipv4Addr::new(100, 64, 0, number - 10), length: 68 },
        15 => Control::TunnelSend { to: Ipv4Addr::new(100, 64, 0, 1), length: u16::MAX },
        16..=18 => Control::Pin(Ipv4Addr::new(100, 64, 0, number - 16)),
        19 => Control::Unpin(Ipv4Addr::new(100, 64, 0, 1)),
        20 => Control::PeerChanged {
            old: Ipv4Addr::new(100, 64, 0, 1),
            new: Ipv4Addr::new(100, 64, 0, 3),
            shared: false,
        },
        21..=23 => {
            let address = Ipv4Addr::new(100, 64, 0, number - 20);
            Control::Health { address, healthy: number.is_multiple_of(2) }
        }
        24 => Control::LinkHealth(false),
        25 => Control::PriorityPeer(Some(Ipv4Addr::new(100, 64, 0, 2))),
        26..=29 => Control::RelayUp(number.into()),
        30 => Control::RelayDown(26),
        31 => Control::RelayHome(3),
        32 => Control::RelayOverride(9),
        33 => Control::BootedAt(Instant::from_millis(5_000)),
        34 => Control::BootedAt(Instant::NEVER),
        _ => Control::Registered,
    }
}

fn run(mut core: Small, inputs: &[Owned], step_ms: u64) -> Small {
    let mut now = Instant::ZERO;
    let start = core.step(now, Input::Control(Control::Registered));
    assert!(start.wake.is_some());
    for input in inputs {
        now = Instant::from_millis(now.as_millis() + step_ms);
        let outputs = match input {
            Owned::Wake => core.step(now, Input::Wake),
            Owned::Empty => core.step(now, Input::Empty),
            Owned::Packet(bytes, via) => {
                let endpoint = SocketAddrV4::new(Ipv4Addr::new(10, 0, 0, 9), 9);
                let via = via.map_or(Via::Direct(endpoint), |node| Via::Derp(NodeKey([node; 32])));
                core.step(now, Input::Packet(Datagram { bytes, via }))
            }
            Owned::Update(update) => core.step(now, Input::Update(update)),
            Owned::Control(number) => core.step(now, Input::Control(control(*number))),
        };
        assert!(outputs.charge.is_none() || outputs.wake.is_some() || !outputs.list.is_empty());
        assert_eq!(core.broken_invariant(), None);
    }
    core
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// The core is total, and two equal cores stay equal.
    #[test]
    fn any_inputs_in_any_order_have_a_defined_result(
        inputs in inputs(),
        preset in prop::sample::select(Preset::ALL.to_vec()),
        strict in any::<bool>(),
        sessions in any::<bool>(),
        step_ms in 0_u64..3_000,
    ) {
        let rules = if strict { Rules::STRICT } else { Rules::OLDEST };
        let tunnel = if sessions { Tunnel::Sessions } else { Tunnel::HandedOn };
        let core = small(preset, rules, tunnel);
        let first = run(core.clone(), &inputs, step_ms);
        prop_assert_eq!(first, run(core, &inputs, step_ms));
    }

    /// Every parser of packets takes any bytes.
    #[test]
    fn any_packet_is_classified_and_parsed(bytes in prop::collection::vec(any::<u8>(), 0..1_600)) {
        let _ = wire::classify(&bytes, false);
        let _ = wire::classify(&bytes, true);
        let _ = TunnelPacket::parse(&bytes);
        let _ = Message::parse(&bytes);
        let _ = Envelope::header_key(&bytes);
        if let Some(envelope) = Envelope::parse(&bytes) {
            prop_assert!(bytes.len() >= wire::HEADER_LEN);
            let ours = Identity::from_secrets([1; 32], [2; 32]);
            let shared = SharedBox::compute(
                Crypto::Modelled, &ours, envelope.sender,
            );
            let _ = wire::open(&envelope, &shared);
        }
    }
}
