//! WireGuard messages, byte for byte, and who can make which.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::Crypto;
use firmware_core::wg_mgr::keys::{Identity, NodeKey};
use firmware_core::wg_mgr::wire::{
    DATA_MIN, DataSeal, INITIATION_LEN, Initiation, InitiationView, RESPONSE_LEN, Response,
    ResponseView, SessionKey, StaticSecret, Timestamp, TunnelPacket, data_payload, open_data,
};
use proptest::prelude::*;

struct Pair {
    ours: Identity,
    theirs: Identity,
    secret: StaticSecret,
}

fn pair(crypto: Crypto) -> Pair {
    let (ours, theirs) =
        (Identity::from_secrets([1; 32], [2; 32]), Identity::from_secrets([3; 32], [4; 32]));
    let secret = StaticSecret::compute(crypto, &ours, theirs.node()).expect("a real key");
    assert_eq!(StaticSecret::compute(crypto, &theirs, ours.node()), Some(secret), "{crypto:?}");
    Pair { ours, theirs, secret }
}

fn initiation(pair: &Pair, millis: u64) -> Initiation {
    Initiation {
        sender: 0x0102_0304,
        ephemeral: [9; 32],
        initiator: pair.ours.node(),
        timestamp: Timestamp::at(Instant::from_millis(millis)),
    }
}

fn session(pair: &Pair) -> SessionKey {
    SessionKey::derive(&pair.secret, &[9; 32], &[8; 32])
}

/// Cites WG-HS-4: the sizes of the protocol, with index, keys and timestamp in their places.
#[test]
fn handshake_messages_have_their_sizes_and_places() {
    let pair = pair(Crypto::Real);
    let bytes = initiation(&pair, 1_500).encode(pair.theirs.node(), &pair.secret);
    assert_eq!((bytes.len(), INITIATION_LEN), (148, 148));
    assert_eq!(bytes[..8], [1, 0, 0, 0, 4, 3, 2, 1]);
    assert_eq!((&bytes[8..40], &bytes[40..72]), (&[9; 32][..], &pair.ours.node().0[..]));
    // 2^62 + 10 + 1 second, then 500 thousandths of a thousandth.
    assert_eq!(bytes[88..100], [0x40, 0, 0, 0, 0, 0, 0, 11, 0, 7, 0xa1, 0x20]);
    assert_eq!(bytes[132..], [0; 16]);
    let response = Response { sender: 5, receiver: 0x0102_0304, ephemeral: [8; 32] };
    let bytes = response.encode(pair.ours.node(), &pair.secret, &[9; 32]);
    assert_eq!((bytes.len(), RESPONSE_LEN), (92, 92));
    assert_eq!(bytes[..12], [2, 0, 0, 0, 5, 0, 0, 0, 4, 3, 2, 1]);
    assert_eq!((&bytes[12..44], &bytes[76..]), (&[8; 32][..], &[0; 16][..]));
}

/// Cites WG-HS-4: a message of the protective stop is 68 bytes in its IP packet and 112 on the
/// wire; a keepalive is 32.
#[test]
fn data_is_padded_to_sixteen_and_framed_by_thirty_two() {
    let pair = pair(Crypto::Real);
    let seal = DataSeal { key: session(&pair), from_initiator: true, receiver: 7, counter: 3 };
    assert_eq!(seal.keepalive().len(), DATA_MIN);
    for (payload, length) in [(0, 32), (1, 48), (16, 48), (17, 64), (68, 112), (1_420, 1_456)] {
        assert_eq!(DataSeal::packet_len(payload), length);
        let mut packet = vec![0xee; length];
        assert_eq!(seal.write(&vec![5; payload], &mut packet), Some(length));
        assert_eq!(seal.write(&vec![5; payload], &mut packet[..length - 1]), None);
        assert_eq!(TunnelPacket::parse(&packet), TunnelPacket::Data { receiver: 7, counter: 3 });
        let text = open_data(&packet, &session(&pair), true).expect("a genuine packet");
        assert_eq!(text[..payload], vec![5; payload]);
        assert!(text[payload..].iter().all(|byte| *byte == 0));
        assert_eq!(data_payload(&packet).map(|(text, _)| text.len()), Some(text.len()));
    }
}

/// Cites WG-HS-4: mac1 is made by whoever knows the receiver, the rest by its correspondent alone;
/// every byte but mac2 is covered.
#[test]
fn an_initiation_opens_for_its_receiver_and_not_after_a_changed_bit() {
    for crypto in [Crypto::Real, Crypto::Modelled] {
        let pair = pair(crypto);
        let message = initiation(&pair, 1);
        let bytes = message.encode(pair.theirs.node(), &pair.secret);
        let view = InitiationView::parse(&bytes).expect("an initiation");
        assert!(view.mac1_holds(pair.theirs.node()) && !view.mac1_holds(pair.ours.node()));
        assert_eq!(view.initiator(pair.theirs.node()), Some(pair.ours.node()));
        assert_eq!(view.initiator(pair.ours.node()), None);
        assert_eq!(view.open(&pair.secret), Some(message));
        let stranger = Identity::from_secrets([5; 32], [6; 32]);
        let others = StaticSecret::compute(crypto, &stranger, pair.theirs.node());
        assert_eq!(view.open(&others.expect("a real key")), None);
        for bit in 4 * 8..132 * 8 {
            let mut damaged = bytes;
            damaged[bit / 8] ^= 1 << (bit % 8);
            let view = InitiationView::parse(&damaged).expect("its type is unchanged");
            let holds = view.mac1_holds(pair.theirs.node());
            assert!(!holds, "bit {bit}");
        }
    }
}

/// Cites WG-HS-4: whoever lacks the secret, or did not get the initiation, makes no response.
#[test]
fn a_response_opens_for_the_initiation_that_it_answers() {
    let pair = pair(Crypto::Real);
    let response = Response { sender: 5, receiver: 6, ephemeral: [8; 32] };
    let bytes = response.encode(pair.ours.node(), &pair.secret, &[9; 32]);
    let view = ResponseView::parse(&bytes).expect("a response");
    assert!(view.mac1_holds(pair.ours.node()) && !view.mac1_holds(pair.theirs.node()));
    assert_eq!(view.receiver(), 6);
    assert_eq!(view.open(&pair.secret, &[9; 32]), Some(response));
    assert_eq!(view.open(&pair.secret, &[7; 32]), None);
    let mut replaced = bytes;
    replaced[12] ^= 1;
    let view = ResponseView::parse(&replaced).expect("a response");
    assert!(!view.mac1_holds(pair.ours.node()) && view.open(&pair.secret, &[9; 32]).is_none());
}

/// Cites WG-REPLAY-1: what is authentic is so for one direction of one session.
#[test]
fn data_does_not_open_reflected_altered_or_in_another_session() {
    let pair = pair(Crypto::Real);
    let seal = DataSeal { key: session(&pair), from_initiator: true, receiver: 7, counter: 3 };
    let mut packet = [0; 48];
    assert_eq!(seal.write(b"stop", &mut packet), Some(48));
    assert!(open_data(&packet, &seal.key, true).is_some());
    assert!(open_data(&packet, &seal.key, false).is_none());
    let other = SessionKey::derive(&pair.secret, &[9; 32], &[7; 32]);
    assert!(open_data(&packet, &other, true).is_none());
    for bit in 4 * 8..packet.len() * 8 {
        let mut damaged = packet;
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(open_data(&damaged, &seal.key, true).is_none(), "bit {bit}");
    }
}

proptest! {
    /// Every reader takes any bytes, and none of them is authentic by chance.
    #[test]
    fn any_bytes_have_a_verdict(bytes in prop::collection::vec(any::<u8>(), 0..200), kind in 1_u8..5) {
        let pair = pair(Crypto::Modelled);
        let mut bytes = bytes;
        for (length, kind) in [(148, 1), (92, 2), (bytes.len(), kind)] {
            bytes.resize(length.max(4), 0);
            bytes[..4].copy_from_slice(&[kind, 0, 0, 0]);
            if let Some(view) = InitiationView::parse(&bytes) {
                prop_assert!(!view.mac1_holds(pair.ours.node()));
                prop_assert_eq!(view.initiator(pair.ours.node()), None);
                prop_assert_eq!(view.open(&pair.secret), None);
            }
            if let Some(view) = ResponseView::parse(&bytes) {
                prop_assert!(!view.mac1_holds(pair.ours.node()));
                prop_assert_eq!(view.open(&pair.secret, &[9; 32]), None);
            }
            prop_assert_eq!(open_data(&bytes, &session(&pair), true), None);
            let _ = data_payload(&bytes);
        }
    }
}

/// Cites WG-HS-4: later clocks give greater labels, over the second too.
#[test]
fn timestamps_are_ordered_as_their_bytes() {
    let at = |millis| Timestamp::at(Instant::from_millis(millis));
    assert!(at(0) < at(1) && at(999) < at(1_000) && at(255_999) < at(256_000));
    assert_eq!(at(5).0[..8], 0x4000_0000_0000_000a_u64.to_be_bytes());
}

/// Cites CAP-2: a key of low order gives no secret, in either scheme.
#[test]
fn a_key_of_low_order_shares_nothing() {
    let ours = Identity::from_secrets([1; 32], [2; 32]);
    for crypto in [Crypto::Real, Crypto::Modelled] {
        assert_eq!(StaticSecret::compute(crypto, &ours, NodeKey([0; 32])), None);
    }
}
