//! Pings and the pongs that belong to them.
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::input::{PeerUpdate, Via};
use firmware_core::wg_mgr::output::{MessageKind, Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::{Message, TransactionId};

use super::driver::{Driver, Remote, at, ms, slot_of};

/// A device that has just pinged `peer` for the first time.
fn pinged(config: Config, peer: &Remote) -> Driver {
    let mut driver = Driver::new(config);
    driver.add(peer);
    driver.run_until(at(10));
    driver
}

fn pong(driver: &Driver, peer: &Remote) -> Vec<u8> {
    let pings = driver.sent(MessageKind::Ping);
    let ping = &pings.last().expect("a ping was sent").1.packet;
    peer.answers(&driver.core, ping).expect("the ping is for this peer").to_vec()
}

/// Cites WG-PROBE-1, and the promotion that WG-HB-1 builds on.
#[test]
fn a_direct_pong_brings_the_path_up_and_a_relayed_one_does_not() {
    for direct in [true, false] {
        let peer = Remote::new(1);
        let mut driver = pinged(Preset::Ilv3.config(), &peer);
        let via = if direct { peer.direct() } else { Via::Derp(peer.identity.node()) };
        driver.disco_arrives(at(25), &pong(&driver, &peer), via);
        driver.run_until(at(40));
        let slot = slot_of(&driver.core, peer.identity.node());
        let matched = Note::Matched { peer: slot, round_trip: ms(30), direct };
        assert_eq!(driver.count(|note| *note == matched), 1);
        let path = driver.core.peers().get(slot).expect("in use").direct;
        assert_eq!(path, direct.then(|| peer.endpoint()));
    }
}

/// Cites WG-PROBE-1 and WG-PROBE-2: the second pong is a duplicate, an invented one unmatched;
/// neither changes anything.
#[test]
fn a_pong_counts_once() {
    let peer = Remote::new(1);
    let mut driver = pinged(Preset::Ilv3.config(), &peer);
    let pong = pong(&driver, &peer);
    driver.disco_arrives(at(25), &pong, Via::Derp(peer.identity.node()));
    driver.disco_arrives(at(26), &pong, peer.direct());
    let invented = Message::Pong { transaction: TransactionId([9; 12]), seen_from: None };
    driver.disco_arrives(at(27), &peer.seals(&driver.core, &invented), peer.direct());
    driver.run_until(at(50));
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::PongDuplicate)), 1);
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::PongUnmatched)), 1);
    assert_eq!(driver.count(|note| matches!(note, Note::PathUp(_))), 0);
}

/// Cites WG-REM-1 (PF-101): a late pong is credited to the slot's new owner, unless probes are
/// bound to the slot's generation.
#[test]
fn a_late_pong_promotes_the_slots_next_owner_unless_corrected() {
    for (rule, credited) in [(Rule::Compat, true), (Rule::Strict, false)] {
        let (old, new) = (Remote::new(1), Remote::new(2));
        let mut config = Preset::Ilv3.config();
        config.rules.late_pongs = rule;
        let mut driver = pinged(config, &old);
        let pong = pong(&driver, &old);
        driver.updates.push_back(PeerUpdate::Remove(old.identity.node()));
        driver.add(&new);
        driver.disco_arrives(at(55), &pong, old.direct());
        driver.run_until(at(70));
        let slot = slot_of(&driver.core, new.identity.node());
        let path = driver.core.peers().get(slot).expect("in use").direct;
        assert_eq!(path, credited.then(|| old.endpoint()), "{rule:?}");
    }
}

/// Cites WG-REM-1: with the slot gone from the table the pong is discarded by either rule.
#[test]
fn a_pong_for_a_slot_beyond_the_table_is_discarded() {
    let peer = Remote::new(1);
    let mut driver = pinged(Preset::Ilv3.config(), &peer);
    let pong = pong(&driver, &peer);
    driver.updates.push_back(PeerUpdate::Remove(peer.identity.node()));
    driver.disco_arrives(at(55), &pong, peer.direct());
    driver.run_until(at(70));
    assert_eq!(driver.core.peers().count(), 0);
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::PongOrphaned)), 1);
}

/// Cites WG-PING-1 and WG-RATE-1: forced pings of one peer are two seconds apart from HEAD-4 on.
#[test]
fn a_second_ping_within_two_seconds_is_skipped_from_head_4_on() {
    for (preset, sent) in [(Preset::Ilv3, 2), (Preset::Head4, 1)] {
        let peer = Remote::new(1);
        let mut driver = pinged(preset.config(), &peer);
        driver.disco_arrives(at(1_990), &peer.ping(&driver.core, 1), peer.direct());
        driver.run_until(at(2_000));
        assert_eq!(driver.sent(MessageKind::Ping).len(), sent, "{}", preset.name());
    }
}

/// Cites WG-PROBE-1: with the table full the ping still goes out, and its pong counts for nothing.
#[test]
fn a_ping_beyond_the_table_is_sent_but_not_tracked() {
    let peers = [Remote::new(1), Remote::new(2), Remote::new(3)];
    let config = Config { probes: 2, ..Preset::Ilv3.config() };
    let mut driver = Driver::new(config);
    for peer in &peers {
        driver.add(peer);
    }
    driver.run_until(at(10));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 3);
    assert_eq!(driver.count(|note| matches!(note, Note::PingUntracked(_))), 1);
    driver.disco_arrives(at(15), &pong(&driver, &peers[2]), peers[2].direct());
    driver.run_until(at(30));
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::PongUnmatched)), 1);
}

/// Cites WG-PING-1 and WG-ADD-2: everywhere the peer may be with the same bytes, one box, and the
/// relay only without a direct path.
#[test]
fn a_ping_goes_to_every_candidate_and_to_the_relay_without_a_direct_path() {
    let mut peer = Remote::new(1);
    let candidate = "198.51.100.1:7".parse().expect("an endpoint");
    peer.endpoints = std::iter::once(candidate).collect();
    let mut driver = pinged(Preset::Ilv3.config(), &peer);
    let first = driver.sent(MessageKind::Ping)[0].1.clone();
    assert_eq!(first.direct, [candidate]);
    assert!(first.relay);
    assert_eq!(first.packet.len(), 124);
    driver.disco_arrives(at(25), &pong(&driver, &peer), peer.direct());
    driver.run_until(at(31_500));
    let pings = driver.sent(MessageKind::Ping);
    let beat = &pings.last().expect("a heartbeat ping").1;
    assert_eq!(beat.direct, [peer.endpoint(), candidate]);
    assert!(!beat.relay);
    assert_eq!(driver.charged(CostKey::BoxSealCached), pings.len() - 1);
}

/// Cites WG-RATE-1 and WG-ADD-2: five additions a second are pinged.
#[test]
fn five_additions_per_second_are_pinged() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    for number in 1..=12 {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(900));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 5);
    for number in 13..=20 {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(1_900));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 5);
    for number in 21..=28 {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(2_500));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 10);
}

/// Cites WG-RATE-1: the window is restarted when it is older than one second.
#[test]
fn the_window_of_five_pings_restarts_after_a_second_not_at_it() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    (1..=5).for_each(|number| driver.add(&Remote::new(number)));
    driver.run_until(at(995));
    for (number, when, pings) in [(6, 1_000, 5), (7, 1_010, 6)] {
        driver.add(&Remote::new(number));
        driver.run_until(at(when));
        assert_eq!(driver.sent(MessageKind::Ping).len(), pings, "at {when} ms");
    }
}

/// Cites WG-PING-1: the two seconds count for each peer on its own.
#[test]
fn one_peers_pending_ping_does_not_hold_back_anothers() {
    let mut driver = Driver::new(Preset::Head4.config());
    (1..=2).for_each(|number| driver.add(&Remote::new(number)));
    driver.run_until(at(5));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 2);
}

/// Cites WG-PING-1: a pending ping holds the next one back while it is younger than two seconds.
#[test]
fn a_ping_two_seconds_after_the_last_is_sent() {
    let peer = Remote::new(1);
    let mut driver = pinged(Preset::Head4.config(), &peer);
    assert_eq!(driver.sends[0].0, at(0));
    driver.disco_arrives(at(1_995), &peer.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(2_000));
    assert_eq!(driver.sent(MessageKind::Ping).len(), 2);
}

/// Cites WG-PING-1: every candidate other than the path in use.
#[test]
fn the_path_in_use_gets_a_ping_once_though_it_is_a_candidate() {
    let mut peer = Remote::new(1);
    peer.endpoints = std::iter::once(peer.endpoint()).collect();
    let mut driver = pinged(Preset::Ilv3.config(), &peer);
    driver.disco_arrives(at(25), &pong(&driver, &peer), peer.direct());
    driver.run_until(at(31_500));
    let pings = driver.sent(MessageKind::Ping);
    assert_eq!(pings.last().expect("a heartbeat ping").1.direct, [peer.endpoint()]);
}

/// Cites WG-PROBE-2: only a pong whose id was matched before is called a duplicate.
#[test]
fn a_duplicate_pong_is_told_from_an_invented_one() {
    let peer = Remote::new(1);
    let mut driver = pinged(Preset::Ilv3.config(), &peer);
    let genuine = pong(&driver, &peer);
    let invented = Message::Pong { transaction: TransactionId([9; 12]), seen_from: None };
    driver.disco_arrives(at(21), &peer.seals(&driver.core, &invented), peer.direct());
    driver.disco_arrives(at(22), &genuine, peer.direct());
    driver.disco_arrives(at(23), &genuine, peer.direct());
    driver.run_until(at(40));
    let refused = driver.notes.iter().filter_map(|(_, note)| match note {
        Note::Refused(refusal) => Some(*refusal),
        _ => None,
    });
    assert!(refused.eq([Refusal::PongUnmatched, Refusal::PongDuplicate]));
}
