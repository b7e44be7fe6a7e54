//! Sessions: their lives, their packets, and where those go.
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::output::{InitiationReason, Note, Output, Refusal, TunnelMessage};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::replay::ReplayWindow;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::sessions::{MTU, Tunnel};

use super::driver::{Driver, Remote, at, ms, slot_of};
use super::handshakes::{device, quiet, quiet_for};
use super::tunnel_end::{
    End, HEARTBEAT, bytes, device_initiated, device_responds, is_initiation, is_response, last,
};

fn refused(driver: &Driver, refusal: Refusal) -> usize {
    driver.count(|note| *note == Note::Refused(refusal))
}

fn tunnel<'a>(driver: &'a Driver, remote: &Remote) -> &'a Tunnel {
    let slot = slot_of(&driver.core, remote.identity.node());
    driver.core.tunnel_of(slot).expect("it has a tunnel")
}

/// A priority peer with a session that the device began, over the relay.
fn ours(config: Config) -> (Driver, Remote, End) {
    let remote = Remote::new(1);
    let config = Config { priority_peer: Some(remote.address()), ..config };
    let mut driver = device(config, core::slice::from_ref(&remote));
    let end = device_initiated(&mut driver, &remote, Via::Derp(remote.identity.node()));
    (driver, remote, end)
}

/// Cites WG-HS-3: sending in a session of ours that is 120 s old asks for its renewal.
#[test]
fn a_session_of_ours_is_renewed_by_sending_from_120_s_on() {
    let config = Config { keepalive: ms(179_000), ..quiet() };
    let (mut driver, remote, _) = ours(config);
    let made = tunnel(&driver, &remote).current.as_ref().expect("it is up").created;
    driver.run_until(made.after(ms(119_999)));
    driver.sends_to(&remote);
    assert!(!tunnel(&driver, &remote).renewal_asked);
    driver.run_until(made.after(ms(120_000)));
    driver.sends_to(&remote);
    assert!(tunnel(&driver, &remote).renewal_asked);
    driver.run_until(made.after(ms(120_400)));
    let (_, why) = driver.initiated().pop().expect("an initiation");
    assert_eq!(why, InitiationReason::Rekey);
    assert!(!tunnel(&driver, &remote).renewal_asked);
}

/// Cites WG-HS-3: receiving in one that is 150 s old does: 180 less keepalive and timeout.
#[test]
fn a_session_of_ours_is_renewed_by_receiving_from_150_s_on() {
    let config = Config { rekey_after: ms(179_000), ..quiet() };
    let (mut driver, remote, mut end) = ours(config);
    let made = tunnel(&driver, &remote).current.as_ref().expect("it is up").created;
    for (age_ms, asked) in [(149_900, false), (150_010, true)] {
        driver.tunnel_comes(made.after(ms(age_ms)), &end.says(&HEARTBEAT), end.relayed());
        driver.run_until(made.after(ms(age_ms + 15)));
        let renewal = driver.initiated().iter().any(|(_, why)| *why == InitiationReason::Rekey);
        assert_eq!(tunnel(&driver, &remote).renewal_asked || renewal, asked, "{age_ms} ms");
    }
}

/// Cites WG-HS-3: a keepalive counts as sent, so an idle session of ours is renewed about every
/// two minutes: the first keepalive past 120 s is the fifth.
#[test]
fn an_idle_session_of_ours_is_renewed_about_every_two_minutes() {
    let (mut driver, remote, mut end) = ours(quiet());
    let mut seen = driver.transmits.len();
    for step in 1..=6_000 {
        driver.run_until(at(step * 100));
        for (_, transmit) in driver.transmits_since(seen) {
            if let Some(answer) = end.answers(&bytes(&transmit)) {
                driver.tunnel_comes(driver.now, &answer, end.relayed());
            }
        }
        seen = driver.transmits.len();
    }
    let ups: Vec<_> = driver
        .notes
        .iter()
        .filter(|(_, note)| matches!(note, Note::SessionUp { initiator: true, .. }))
        .map(|(when, _)| when.as_millis())
        .collect();
    assert_eq!(ups.len(), 5, "{ups:?}");
    assert!(ups.windows(2).all(|pair| (125_000..128_000).contains(&(pair[1] - pair[0]))));
    assert!(tunnel(&driver, &remote).previous.is_some());
    let keepalives = |it: &TunnelMessage| matches!(it, TunnelMessage::Keepalive(_));
    let sent = driver.transmits.iter().filter(|(_, it)| keepalives(&it.message)).count();
    // One to confirm each of five sessions, and one every 25 s; none while a session is fresh.
    assert!((5 + 18..=5 + 24).contains(&sent), "{sent}");
}

/// Cites WG-HS-3: at 180 s the session ends, in both directions.
#[test]
fn a_session_ends_after_180_s() {
    let config = Config { rekey_after: ms(1_000_000), keepalive: ms(1_000_000), ..quiet() };
    let (mut driver, remote, end) = ours(config);
    let made = tunnel(&driver, &remote).current.as_ref().expect("it is up").created;
    driver.run_until(made.after(ms(179_999)));
    driver.sends_to(&remote);
    assert_eq!(refused(&driver, Refusal::NoSession), 0);
    // Past its end, before the next look: the packet itself finds out.
    let mut core = driver.core.clone();
    let send = Control::TunnelSend { to: remote.address(), length: 68 };
    let outputs = core.step(made.after(ms(180_000)), Input::Control(send));
    assert_eq!(outputs.charge, None);
    assert_eq!(*outputs.list, [Output::Note(Note::Refused(Refusal::NoSession))]);
    let late = end.numbers(7, &HEARTBEAT);
    driver.tunnel_comes(made.after(ms(180_400)), &late, end.relayed());
    driver.run_until(made.after(ms(181_000)));
    assert!(tunnel(&driver, &remote).current.is_none());
    assert_eq!(driver.count(|note| matches!(note, Note::SessionDown(_))), 1);
    assert!(driver.deliveries.is_empty());
}

/// Cites WG-HS-3: data for a session past its end destroys it even before the next look.
#[test]
fn data_for_a_session_past_its_end_is_refused() {
    let config = Config { rekey_after: ms(1_000_000), tunnel_tick: ms(1_000_000), ..quiet() };
    let (mut driver, remote, end) = ours(config);
    let made = tunnel(&driver, &remote).current.as_ref().expect("it is up").created;
    driver.tunnel_comes(made.after(ms(179_000)), &end.numbers(0, &HEARTBEAT), end.relayed());
    driver.tunnel_comes(made.after(ms(180_000)), &end.numbers(1, &HEARTBEAT), end.relayed());
    driver.run_until(made.after(ms(181_000)));
    assert_eq!(driver.deliveries.len(), 1);
    assert_eq!(refused(&driver, Refusal::SessionExpired), 1);
    assert!(tunnel(&driver, &remote).current.is_none());
}

/// Cites WG-HS-3: a responder sends nothing before the peer's first packet, and the key pair in use
/// until then becomes the previous one.
#[test]
fn a_responder_waits_for_the_peers_first_packet() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    let mut end = End::new(&remote, &driver.core);
    driver.tunnel_comes(at(60), &end.initiates(at(60)), remote.direct());
    driver.run_until(at(80));
    assert!(end.completes(&bytes(&last(&driver, is_response))));
    driver.sends_to(&remote);
    assert_eq!(refused(&driver, Refusal::NoSession), 1);
    driver.tunnel_comes(at(85), &end.says(&HEARTBEAT), remote.direct());
    driver.run_until(at(100));
    driver.sends_to(&remote);
    let sent = last(&driver, |message| matches!(message, TunnelMessage::Data(_)));
    assert_eq!(bytes(&sent).len(), 112);
    assert_eq!(end.reads(&bytes(&sent)).map(|text| text[..68].to_vec()), Some(HEARTBEAT.to_vec()));
    // A second handshake: the old key pair still receives, and is kept when the new one is used.
    let mut newer = End::new(&remote, &driver.core);
    driver.tunnel_comes(at(600), &newer.initiates(at(600)), remote.direct());
    driver.run_until(at(620));
    assert!(newer.completes(&bytes(&last(&driver, is_response))));
    driver.tunnel_comes(at(625), &end.says(&HEARTBEAT), remote.direct());
    driver.tunnel_comes(at(626), &newer.says(&HEARTBEAT), remote.direct());
    driver.tunnel_comes(at(627), &end.says(&HEARTBEAT), remote.direct());
    driver.run_until(at(650));
    assert_eq!(driver.deliveries.len(), 4);
    assert!(tunnel(&driver, &remote).previous.is_some());
}

/// Cites WG-HS-2: a session that the peer began gets an initiation of ours at 155 s.
#[test]
fn a_session_of_the_peers_is_replaced_at_155_s() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    device_responds(&mut driver, &remote, remote.direct());
    let made = tunnel(&driver, &remote).current.as_ref().expect("it is up").created;
    driver.run_until(made.after(ms(154_999)));
    assert!(driver.initiated().is_empty());
    driver.run_until(made.after(ms(155_410)));
    let (_, why) = driver.initiated()[0];
    assert_eq!(why, InitiationReason::Renew);
}

/// Cites WG-HS-3: a previous key pair asks for keepalives and has nothing to send them with.
#[test]
fn with_only_a_previous_key_pair_no_keepalive_goes_out() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    device_responds(&mut driver, &remote, remote.direct());
    driver.run_until(at(1_000));
    device_responds(&mut driver, &remote, remote.direct());
    driver.run_until(at(182_000));
    assert!(tunnel(&driver, &remote).current.is_none());
    assert!(tunnel(&driver, &remote).previous.is_some());
    driver.charges.clear();
    driver.run_until(at(300_000));
    assert_eq!(driver.charged(CostKey::TunnelDataSent), 0);
}

/// Case 10 and cites WG-REPLAY-1: what a window of 32 accepts, and what older libraries did.
#[test]
fn the_window_of_32_takes_what_the_window_of_4_loses() {
    let counters = [0, 1, 2, 3, 4, 9, 5, 6, 7, 8, 10, 10, 4];
    for (window, zero, refused) in [
        (32, true, vec![10, 4]),
        (4, true, vec![5, 10, 4]),
        (32, false, vec![0, 10, 4]),
        (4, false, vec![0, 5, 10, 4]),
    ] {
        let mut replay = ReplayWindow::with(window, zero);
        let found: Vec<u64> = counters.into_iter().filter(|it| !replay.accept(*it)).collect();
        assert_eq!(found, refused, "window {window}, zero {zero}");
    }
    let mut replay = ReplayWindow::default();
    assert!(replay.accept(1) && replay.accept(1 + (1 << 32)) && !replay.accept(1));
    assert!(replay.accept(2 + (1 << 32)) && !replay.accept(u64::MAX));
}

/// Case 10 through the whole core: the same counters in a session.
#[test]
fn a_session_uses_the_window_it_is_configured_with() {
    for (replay_window, replay_accepts_zero, delivered) in [(32, true, 11), (4, false, 9)] {
        let config = Config { replay_window, replay_accepts_zero, dedup_ring: 1, ..quiet() };
        let (mut driver, _, end) = ours(config);
        for (number, counter) in (0_u64..).zip([0, 1, 2, 3, 4, 9, 5, 6, 7, 8, 10, 11, 10, 4]) {
            let packet = end.numbers(counter, &HEARTBEAT);
            driver.tunnel_comes(at(200 + number), &packet, end.relayed());
        }
        driver.run_until(at(300));
        // The eleventh stands between the two tens, so that the ring of one entry misses them.
        assert_eq!(driver.deliveries.len(), delivered + 1);
        assert_eq!(refused(&driver, Refusal::CounterReplayed), 13 - delivered);
    }
}

/// Cites WG-REPLAY-1: the window is asked after authentication, and not for keepalives; a replayed
/// authentic packet still moves the endpoint.
#[test]
fn only_authentic_payloads_reach_the_window() {
    let config = Config { dedup_ring: 1, ..quiet() };
    let (mut driver, remote, end) = ours(config);
    let packet = end.numbers(5, &HEARTBEAT);
    let mut forged = end.numbers(6, &HEARTBEAT);
    forged[20] ^= 1;
    driver.tunnel_comes(at(200), &packet, end.relayed());
    driver.tunnel_comes(at(201), &forged, remote.direct());
    driver.run_until(at(220));
    assert_eq!(refused(&driver, Refusal::DataForged), 1);
    assert_eq!(tunnel(&driver, &remote).endpoint, None);
    driver.tunnel_comes(at(221), &end.numbers(7, &HEARTBEAT), end.relayed());
    driver.tunnel_comes(at(222), &packet, remote.direct());
    driver.run_until(at(240));
    assert_eq!(driver.deliveries.len(), 2);
    assert_eq!(refused(&driver, Refusal::CounterReplayed), 1);
    assert_eq!(tunnel(&driver, &remote).endpoint, Some(remote.endpoint()));
    // Keepalives are never too old: this one is 100 behind.
    driver.tunnel_comes(at(241), &end.numbers(105, &HEARTBEAT), end.relayed());
    driver.tunnel_comes(at(242), &end.numbers(0, &[]), end.relayed());
    driver.run_until(at(260));
    assert_eq!(refused(&driver, Refusal::CounterReplayed), 1);
    assert_eq!(tunnel(&driver, &remote).last_received, Some(at(250)));
}

/// Cites WG-DEDUP-1 (PF-96): a forged header blocks the genuine packet, unless only genuine packets
/// are remembered; the second copy is refused before it is decrypted either way.
#[test]
fn a_forged_header_blocks_the_genuine_packet_unless_corrected() {
    for (rule, delivered) in [(Rule::Compat, 0), (Rule::Strict, 1)] {
        let mut config = quiet();
        config.rules.dedup_admission = rule;
        let (mut driver, remote, end) = ours(config);
        let genuine = end.numbers(5, &HEARTBEAT);
        let mut forged = genuine.clone();
        forged[40] ^= 1;
        driver.tunnel_comes(at(200), &forged, remote.direct());
        driver.tunnel_comes(at(201), &genuine, end.relayed());
        driver.tunnel_comes(at(202), &genuine, remote.direct());
        driver.run_until(at(230));
        assert_eq!(driver.deliveries.len(), delivered, "{rule:?}");
        assert_eq!(driver.charged(CostKey::TunnelData), 1 + delivered);
        assert_eq!(refused(&driver, Refusal::TunnelCopy), 2 - delivered);
    }
}

/// Cites WG-PATH-2: blank endpoint, relay; a known one, UDP; and a copy for the priority peer only.
#[test]
fn packets_go_to_the_live_endpoint_and_the_priority_peers_go_both_ways() {
    let remotes = [Remote::new(1), Remote::new(2)];
    let mut driver = device(quiet_for(&remotes[0]), &remotes);
    for (remote, dual) in [(&remotes[0], true), (&remotes[1], false)] {
        let mut end = device_responds(&mut driver, remote, Via::Derp(remote.identity.node()));
        let data = |message: &TunnelMessage| matches!(message, TunnelMessage::Data(_));
        driver.sends_to(remote);
        let sent = last(&driver, data);
        assert_eq!((sent.direct, sent.relay), (None, true));
        driver.tunnel_comes(driver.now, &end.says(&HEARTBEAT), remote.direct());
        driver.run_until(driver.now.after(ms(20)));
        driver.sends_to(remote);
        let sent = last(&driver, data);
        assert_eq!((sent.direct, sent.relay), (Some(remote.endpoint()), dual));
    }
}

/// Cites WG-PATH-2: an initiation through the relay is answered there, endpoint or not.
#[test]
fn an_initiation_through_the_relay_is_answered_through_the_relay() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    let mut end = device_responds(&mut driver, &remote, remote.direct());
    assert_eq!(tunnel(&driver, &remote).endpoint, Some(remote.endpoint()));
    driver.tunnel_comes(at(500), &end.initiates(at(500)), end.relayed());
    driver.run_until(at(520));
    let answer = last(&driver, is_response);
    assert_eq!((answer.direct, answer.relay), (None, true));
    assert_eq!(tunnel(&driver, &remote).endpoint, Some(remote.endpoint()));
    driver.tunnel_comes(at(530), &end.initiates(at(530)), remote.direct());
    driver.run_until(at(550));
    let answer = last(&driver, is_response);
    assert_eq!((answer.direct, answer.relay), (Some(remote.endpoint()), false));
}

/// Cites WG-PATH-2: what is sent is another task's work and changes nothing of where the pass is.
#[test]
fn an_applications_packet_leaves_the_pass_where_it_is() {
    let (mut driver, remote, end) = ours(quiet());
    let stage = driver.core.stage();
    driver.charges.clear();
    driver.control(Control::TunnelSend { to: remote.address(), length: MTU });
    assert_eq!((driver.core.stage(), driver.charges.len()), (stage, 0));
    let first = last(&driver, |message| matches!(message, TunnelMessage::Data(_)));
    driver.sends_to(&remote);
    let second = last(&driver, |message| matches!(message, TunnelMessage::Data(_)));
    let counter = |message: &TunnelMessage| match message {
        TunnelMessage::Data(seal) => seal.counter,
        other => panic!("{other:?}"),
    };
    // The keepalive that confirmed the session was number 0.
    assert_eq!([counter(&first.message), counter(&second.message)], [1, 2]);
    assert!(end.reads(&bytes(&second)).is_some());
    driver.control(Control::TunnelSend { to: remote.address(), length: MTU + 1 });
    assert_eq!(refused(&driver, Refusal::TooLong), 1);
    driver.control(Control::TunnelSend { to: Remote::new(9).address(), length: 1 });
    assert_eq!(refused(&driver, Refusal::NoTunnel), 1);
    assert_eq!(driver.other_charges.len(), 2);
}

/// Cites WG-SHUT-1: with the loop its interface ends, and with that every session.
#[test]
fn sessions_end_with_the_loop_and_pins_do_not() {
    let (mut driver, remote, _) = ours(quiet());
    driver.control(Control::Pin(Remote::new(9).address()));
    driver.control(Control::PriorityPeer(None));
    driver.control(Control::Shutdown);
    driver.run_until(at(1_000));
    assert_eq!(driver.core.sessions().iter().count(), 0);
    driver.sends_to(&remote);
    assert_eq!(refused(&driver, Refusal::NoTunnel), 1);
    assert_eq!(driver.core.config().priority_peer, Some(remote.address()));
    driver.control(Control::Restart);
    driver.control(Control::Registered);
    driver.run_until(at(1_100));
    assert_eq!(driver.core.config().priority_peer, None);
    assert_eq!(driver.core.special().pins(), [Remote::new(9).address()]);
    assert!(driver.core.tunnel_of(PeerIndex(0)).is_none());
    // The next addition enters it again (CAP-2).
    driver.charges.clear();
    driver.add(&remote);
    driver.run_until(at(1_200));
    assert_eq!(driver.charged(CostKey::PeerAdd), 1);
    assert!(driver.core.tunnel_of(PeerIndex(0)).is_some());
}

/// Cites CAP-2: a byte names the slot and one value means none, so 255 of 256 peers have a tunnel;
/// a peer without one is tried again when it is next added, and gets the lowest slot free.
#[test]
fn the_slots_index_is_a_byte_and_the_256th_peer_has_no_tunnel() {
    let config = Config {
        peer_table: 256,
        tunnel_slots: 256,
        store_entries: 256,
        adds_per_pass: None,
        crypto: Crypto::Modelled,
        ..quiet()
    };
    let record = |number: u16| {
        let mut record = Remote::new(1).record();
        let [high, low] = number.to_be_bytes();
        record.address = std::net::Ipv4Addr::new(100, 65, high, low);
        record.node = NodeKey([low.wrapping_add(2); 32]);
        record.node.0[0] = high;
        record.node.0[1] = 1;
        record.disco = DiscoKey(record.node.0);
        record
    };
    let mut driver = Driver::new(config);
    driver.updates.extend((0..256).map(|number| PeerUpdate::Add(record(number))));
    driver.run_until(at(10));
    assert_eq!(driver.core.peers().active(), 256);
    assert_eq!(driver.core.sessions().iter().count(), 255);
    assert_eq!(driver.core.sessions().get(128).map(|it| it.peer), Some(PeerIndex(128)));
    assert!(driver.core.tunnel_of(PeerIndex(255)).is_none());
    driver.updates.push_back(PeerUpdate::Remove(record(7).node));
    driver.updates.push_back(PeerUpdate::Add(record(255)));
    driver.run_until(at(30));
    let entered = driver.core.peers().get(PeerIndex(255)).and_then(|peer| peer.tunnel_slot);
    assert_eq!(entered, Some(7));
    assert_eq!(driver.core.sessions().get(7).map(|it| it.node), Some(record(255).node));
}

/// Cites CAP-2 and WG-REM-1: a removed peer's keys are gone, and its slot's next owner has none.
#[test]
fn a_removed_peers_session_is_destroyed() {
    let remotes = [Remote::new(1), Remote::new(2)];
    let mut driver = device(quiet(), &remotes[..1]);
    let mut end = device_responds(&mut driver, &remotes[0], remotes[0].direct());
    driver.updates.push_back(PeerUpdate::Remove(remotes[0].identity.node()));
    driver.run_until(at(200));
    assert_eq!(driver.core.sessions().iter().count(), 0);
    driver.add(&remotes[1]);
    driver.tunnel_comes(at(205), &end.says(&HEARTBEAT), remotes[0].direct());
    driver.run_until(at(250));
    let owner = tunnel(&driver, &remotes[1]);
    assert!(owner.current.is_none() && owner.next.is_none() && owner.endpoint.is_none());
    assert_eq!(refused(&driver, Refusal::SessionUnknown), 1);
}

/// Cites WG-HS-4: a cookie has no use here, whatever it holds.
#[test]
fn a_cookie_is_ignored() {
    let (mut driver, _, end) = ours(quiet());
    let mut cookie = vec![7; 64];
    cookie[..4].copy_from_slice(&[3, 0, 0, 0]);
    let before = driver.core.sessions().clone();
    driver.tunnel_comes(at(200), &cookie, end.relayed());
    driver.run_until(at(220));
    assert_eq!(refused(&driver, Refusal::CookieIgnored), 1);
    assert_eq!(*driver.core.sessions(), before);
    assert!(driver.initiated().iter().all(|(_, why)| *why == InitiationReason::Added));
    assert!(is_initiation(&last(&driver, is_initiation).message));
}

/// Cites WG-HS-2 and WG-HS-3: however short the spans, a look does each thing once a slot and ends.
#[test]
fn a_look_ends_whatever_the_spans_are() {
    let zero = ms(0);
    let config = Config { tunnel_tick: zero, rekey_timeout: zero, keepalive: zero, ..quiet() };
    let (mut driver, _, _) = ours(Config { rekey_after: zero, ..config });
    let (began, sent) = (driver.now, driver.transmits.len());
    driver.run_until(began.after(ms(1_000)));
    // A hundred passes, each with one keepalive and, that being a reason to renew, one initiation.
    let sent = driver.transmits.len() - sent;
    assert!((198..=202).contains(&sent), "{sent}");
}
