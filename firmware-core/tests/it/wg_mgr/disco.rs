//! DISCO packets: what costs budget, what is admitted, who is believed.
use firmware_core::charge::CostKey;
use firmware_core::time::Duration;
use firmware_core::wg_mgr::boxes::SharedBox;
use firmware_core::wg_mgr::config::{Config, Crypto};
use firmware_core::wg_mgr::input::{Control, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::{DiscoKey, Identity};
use firmware_core::wg_mgr::output::{MessageKind, Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::{self, MAGIC, Message, TransactionId};

use super::driver::{Driver, OUR_ENDPOINT, Remote, at, ms, packet_with_key, slot_of, unknown};

const DIRECT: Via = Via::Direct(OUR_ENDPOINT);

fn with_peers(config: Config, peers: &[Remote]) -> Driver {
    let mut driver = Driver::new(config);
    for peer in peers {
        driver.add(peer);
    }
    driver.run_until(at(90));
    driver.sends.clear();
    driver.notes.clear();
    driver.charges.clear();
    driver
}

/// How many DISCO packets one pass takes when `packets` wait.
fn taken_in_one_pass(config: Config, peers: &[Remote], packets: &[Vec<u8>]) -> usize {
    let mut driver = with_peers(config, peers);
    for packet in packets {
        driver.disco_arrives(at(91), packet, DIRECT);
    }
    driver.run_until(at(100));
    driver.notes.iter().filter(|(_, note)| matches!(note, Note::Opened { .. })).count()
}

fn refusals(driver: &Driver) -> Vec<Refusal> {
    let refused = |(_, note): &(_, Note)| match note {
        Note::Refused(refusal) => Some(*refusal),
        _ => None,
    };
    driver.notes.iter().filter_map(refused).collect()
}

/// Cites WG-DISCO-1.
#[test]
fn four_unknown_keys_are_opened_per_pass_and_the_rest_stays_queued() {
    let packets: Vec<_> = (0..8).map(unknown).collect();
    assert_eq!(taken_in_one_pass(Preset::Ilv3.config(), &[], &packets), 4);
    let mut driver = with_peers(Preset::Ilv3.config(), &[]);
    for packet in &packets {
        driver.disco_arrives(at(91), packet, DIRECT);
    }
    driver.run_until(at(110));
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 8);
}

/// Cites WG-DISCO-1 (PF-91): known keys cost nothing, without bound.
#[test]
fn known_keys_are_opened_without_bound() {
    let peer = Remote::new(1);
    let core = with_peers(Preset::Key2.config(), std::slice::from_ref(&peer)).core;
    let pings: Vec<_> = (0..20).map(|id| peer.ping(&core, id).to_vec()).collect();
    assert_eq!(taken_in_one_pass(Preset::Key2.config(), &[peer], &pings), 20);
}

/// Cites WG-DISCO-1: before KEY-2 only the priority peer was exempt.
#[test]
fn in_arm_1_only_the_priority_peer_is_exempt() {
    let (priority, other) = (Remote::new(1), Remote::new(2));
    let config = Config { priority_peer: Some(priority.address()), ..Preset::Arm1.config() };
    let peers = [priority.clone(), other.clone()];
    let core = with_peers(config.clone(), &peers).core;
    let of = |peer: &Remote| (0..10).map(|id| peer.ping(&core, id).to_vec()).collect::<Vec<_>>();
    assert_eq!(taken_in_one_pass(config.clone(), &peers, &of(&priority)), 10);
    assert_eq!(taken_in_one_pass(config, &peers, &of(&other)), 4);
}

/// Cites WG-DISCO-1: a budget of 0 never reads the queue, not even for known keys.
#[test]
fn a_budget_of_nothing_opens_nothing() {
    let peer = Remote::new(1);
    let config = Config { opens_per_pass: Some(0), ..Preset::Ilv3.config() };
    let core = with_peers(config.clone(), std::slice::from_ref(&peer)).core;
    let ping = peer.ping(&core, 1).to_vec();
    assert_eq!(taken_in_one_pass(config, &[peer], &[ping]), 0);
}

/// Cites WG-DISCO-1: the budget is charged before any other check, so junk burns it.
#[test]
fn junk_burns_the_budget_before_it_is_refused() {
    let mut short = unknown(1);
    short.truncate(30);
    let mut driver = with_peers(Preset::Ilv3.config(), &[]);
    for _ in 0..4 {
        driver.disco_arrives(at(91), &short, DIRECT);
    }
    driver.disco_arrives(at(91), &unknown(2), DIRECT);
    driver.run_until(at(105));
    assert_eq!(refusals(&driver), [Refusal::NotDisco; 4]);
    driver.run_until(at(115));
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 1);
}

/// Cites WG-DISCO-1 (strict PF-91): a known key whose secret must be computed costs budget.
#[test]
fn by_the_corrected_rule_a_known_key_without_a_cached_secret_costs_budget() {
    let peers: Vec<_> = (1..=8).map(Remote::new).collect();
    let mut config = Preset::Ilv3.config();
    config.key_cache_entries = 0;
    let core = with_peers(config.clone(), &peers).core;
    let pings: Vec<_> = peers.iter().map(|peer| peer.ping(&core, 1).to_vec()).collect();
    assert_eq!(taken_in_one_pass(config.clone(), &peers, &pings), 8);
    config.rules.known_key_drain = Rule::Strict;
    assert_eq!(taken_in_one_pass(config, &peers, &pings), 4);
}

/// Case 01's fix, as a what-if: time is looked at between packets.
#[test]
fn a_time_budget_ends_the_step_between_two_packets() {
    let peer = Remote::new(1);
    let config = Config { disco_time_per_pass: Some(ms(40)), ..Preset::Ilv3.config() };
    let core = with_peers(config.clone(), std::slice::from_ref(&peer)).core;
    let mut driver = with_peers(config, std::slice::from_ref(&peer));
    driver.costs = |key| match key {
        CostKey::BoxOpenCached => ms(30),
        _ => Duration::ZERO,
    };
    for id in 0..5 {
        driver.disco_arrives(at(91), &peer.ping(&core, id), DIRECT);
    }
    driver.run_until(at(165));
    assert_eq!(driver.charged(CostKey::BoxOpenCached), 2);
}

/// Cites WG-DISCO-2: each check in its order, and nothing refused reaches the cryptography.
#[test]
fn packets_are_refused_in_the_order_of_the_clause() {
    let peer = Remote::new(1);
    let other = Remote::new(2);
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.control(Control::AllowList(&[other.address()]));
    let ping = peer.ping(&driver.core, 1);
    let mut without_magic = ping.clone();
    without_magic[0] = 0;
    driver.disco_arrives(at(91), &without_magic, DIRECT);
    driver.disco_arrives(at(92), &ping, DIRECT);
    let mut untagged = unknown(1);
    untagged.truncate(62 + 15);
    driver.disco_arrives(at(93), &untagged, DIRECT);
    let mut long = unknown(2);
    long.resize(1_501, 0);
    driver.disco_arrives(at(94), &long, DIRECT);
    driver.run_until(at(120));
    let right = [Refusal::NotDisco, Refusal::NotAllowed, Refusal::NoTag, Refusal::TooLong];
    assert_eq!(refusals(&driver), right);
    assert_eq!(driver.charged(CostKey::DiscoReject), 4);
    assert_eq!(driver.charges.len(), 4);
}

/// Cites WG-DISCO-2.
#[test]
fn with_disco_switched_off_packets_still_cost_budget_but_no_cryptography() {
    let config = Config { disco_enabled: false, ..Preset::Ilv3.config() };
    let mut driver = with_peers(config, &[]);
    for id in 0..5 {
        driver.disco_arrives(at(91), &unknown(id), DIRECT);
    }
    driver.run_until(at(105));
    assert_eq!(refusals(&driver), [Refusal::DiscoDisabled; 4]);
}

/// Cites WG-DISCO-2 and WG-ALLOW-1: the check takes a lock and fails open.
#[test]
fn a_held_allowlist_lock_lets_a_peer_through() {
    let (peer, other) = (Remote::new(1), Remote::new(2));
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.control(Control::AllowList(&[other.address()]));
    driver.control(Control::AllowListBusy(true));
    driver.disco_arrives(at(91), &peer.ping(&driver.core, 1), DIRECT);
    driver.run_until(at(105));
    assert_eq!(driver.sent(MessageKind::Pong).len(), 1);
}

/// Cites WG-DISCO-2 and WG-RESCUE-1: an unknown key is opened once, and if it is a peer's the
/// allowlist is asked again.
#[test]
fn a_rescued_peer_that_is_not_allowed_gets_no_pong() {
    let (peer, other) = (Remote::new(1), Remote::new(2));
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.control(Control::AllowList(&[other.address()]));
    driver.disco_arrives(at(91), &peer.restarted().ping(&driver.core, 1), DIRECT);
    driver.run_until(at(105));
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 1);
    assert_eq!(refusals(&driver), [Refusal::NotAllowed]);
    assert!(driver.sent(MessageKind::Pong).is_empty());
}

/// Cites WG-RESCUE-1, WG-DISCO-2 and WG-PONG-1 (M4): the next ping from the new key is known, the
/// cache goes to flash, the pong is sealed to the new key.
#[test]
fn a_rotated_key_is_rescued_by_the_node_key_in_its_ping() {
    let peer = Remote::new(1);
    let rotated = peer.restarted();
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.disco_arrives(at(91), &rotated.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(105));
    let slot = slot_of(&driver.core, peer.identity.node());
    assert_eq!(driver.count(|note| *note == Note::Rescued(slot)), 1);
    assert!(driver.core.store().is_dirty());
    let pong = driver.sent(MessageKind::Pong)[0].1.packet.clone();
    assert!(matches!(rotated.opens(&driver.core, &pong), Some(Message::Pong { .. })));
    assert_eq!(peer.opens(&driver.core, &pong), None);
    driver.disco_arrives(at(106), &rotated.ping(&driver.core, 2), peer.direct());
    driver.run_until(at(120));
    assert_eq!(driver.count(|note| *note == Note::Opened { known: true, genuine: true }), 1);
}

/// Cites WG-RESCUE-1: a ping too short to name a node, a pong and a CallMeMaybe rescue nobody.
#[test]
fn only_a_ping_that_names_its_node_rescues() {
    let peer = Remote::new(1);
    let rotated = peer.restarted();
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    let transaction = TransactionId([1; 12]);
    for message in [
        Message::Ping { transaction, node: None },
        Message::Pong { transaction, seen_from: None },
        Message::CallMeMaybe { endpoints: [peer.endpoint()].into_iter().collect() },
    ] {
        driver.disco_arrives(at(91), &rotated.seals(&driver.core, &message), DIRECT);
    }
    driver.run_until(at(105));
    assert_eq!(driver.count(|note| matches!(note, Note::Rescued(_))), 0);
    assert!(driver.sends.is_empty());
}

/// Cites WG-RESCUE-1 (PF-94): the claim is not authenticated, so anybody may make it; by the
/// corrected rule not while the true key is alive.
#[test]
fn anyone_who_knows_a_node_key_seizes_its_disco_identity() {
    for (rule, seized) in [(Rule::Compat, true), (Rule::Strict, false)] {
        let victim = Remote::new(1);
        let attacker = Remote::new(9);
        let mut config = Preset::Ilv3.config();
        config.rules.rescue_claims = rule;
        let mut driver = Driver::new(config);
        driver.add(&victim);
        driver.run_until(at(50));
        let ping = driver.sent(MessageKind::Ping)[0].1.packet.clone();
        let pong = victim.answers(&driver.core, &ping).expect("a ping to the victim");
        driver.disco_arrives(at(60), &pong, victim.direct());
        driver.run_until(at(80));
        let claim = Message::Ping {
            transaction: TransactionId([6; 12]),
            node: Some(victim.identity.node()),
        };
        driver.disco_arrives(at(81), &attacker.seals(&driver.core, &claim), attacker.direct());
        driver.run_until(at(100));
        let slot = slot_of(&driver.core, victim.identity.node());
        let stored = driver.core.peers().get(slot).expect("in use").disco;
        assert_eq!(stored == attacker.identity.disco(), seized, "{rule:?}");
    }
}

/// Cites WG-DISCO-2 (PF-95): a peer without a DISCO key is matched by an all-zero sender, whose box
/// anybody can make; by the corrected rule such a key is refused before any cryptography.
#[test]
fn an_all_zero_key_is_a_known_peers_unless_low_order_keys_are_refused() {
    for (rule, answered) in [(Rule::Compat, true), (Rule::Strict, false)] {
        let mut config = Preset::Ilv3.config();
        config.rules.low_order_keys = rule;
        let keyless = Remote::new(1);
        let mut record = keyless.record();
        record.disco = DiscoKey([0; 32]);
        let mut driver = Driver::new(config);
        driver.updates.push_back(PeerUpdate::Add(record));
        driver.run_until(at(90));
        driver.sends.clear();
        let anyone = Identity::from_secrets([7; 32], [7; 32]);
        let shared = SharedBox::compute(Crypto::Real, &anyone, DiscoKey([0; 32]));
        let message = Message::Ping { transaction: TransactionId([1; 12]), node: None };
        let packet = wire::seal(DiscoKey([0; 32]), &shared, [1; 24], &message);
        driver.disco_arrives(at(91), &packet, DIRECT);
        driver.run_until(at(105));
        assert_eq!(!driver.sent(MessageKind::Pong).is_empty(), answered, "{rule:?}");
        assert_eq!(driver.charged(CostKey::DiscoReject) == 0, answered);
    }
}

/// Cites WG-CACHE-1: a known peer's secret is computed once.
#[test]
fn a_known_peers_second_box_costs_no_x25519() {
    let peer = Remote::new(1);
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    for id in 0..3 {
        driver.disco_arrives(at(91), &peer.ping(&driver.core, id), DIRECT);
    }
    driver.run_until(at(105));
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 0);
    assert_eq!(driver.charged(CostKey::BoxOpenCached), 3);
    assert_eq!(driver.core.cached_keys(), 1);
}

/// Cites WG-CACHE-1 (PF-93): 132 random keys push every idle peer out, because a key is kept before
/// its box is known to be genuine. By the corrected rule forged boxes leave the cache alone.
#[test]
fn forged_boxes_empty_the_key_cache_of_idle_peers() {
    for (rule, recomputed) in [(Rule::Compat, 1), (Rule::Strict, 0)] {
        let peer = Remote::new(1);
        let mut config = Preset::Ilv3.config();
        config.rules.cache_admission = rule;
        let mut driver = with_peers(config, std::slice::from_ref(&peer));
        for id in 0..132 {
            driver.disco_arrives(at(91), &unknown(id), DIRECT);
        }
        driver.run_until(at(1_000));
        driver.charges.clear();
        driver.disco_arrives(at(1_001), &peer.ping(&driver.core, 1), DIRECT);
        driver.run_until(at(1_020));
        assert_eq!(driver.charged(CostKey::BoxOpenComputed), recomputed, "{rule:?}");
    }
}

/// Cites WG-CACHE-1 (PF-92): connecting to a relay seals with another secret through the cache.
#[test]
fn a_relay_connect_empties_the_key_cache_unless_corrected() {
    for (rule, cached) in [(Rule::Compat, 0), (Rule::Strict, 1)] {
        let mut config = Preset::Ilv3.config();
        config.rules.relay_connect_cache = rule;
        let mut driver = with_peers(config, &[Remote::new(1)]);
        driver.control(Control::RelayConnected);
        assert_eq!(driver.core.cached_keys(), cached, "{rule:?}");
    }
}

/// Cites WG-PONG-1: the source, every other local candidate, and always the relay.
#[test]
fn a_ping_is_answered_where_it_came_from_and_through_the_relay() {
    let mut peer = Remote::new(1);
    let local = "10.0.0.7:41641".parse().expect("an endpoint");
    let public = "198.51.100.7:41641".parse().expect("an endpoint");
    peer.endpoints = [local, public].into_iter().collect();
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.disco_arrives(at(91), &peer.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(105));
    let pong = &driver.sent(MessageKind::Pong)[0].1;
    assert_eq!(pong.direct, [peer.endpoint(), local]);
    assert!(pong.relay);
    // From the relay there is no source; a local candidate is there, so no public one is used.
    driver.disco_arrives(at(106), &peer.ping(&driver.core, 2), Via::Derp(peer.identity.node()));
    driver.run_until(at(120));
    assert_eq!(driver.sent(MessageKind::Pong)[1].1.direct, [local]);
}

/// Cites WG-PONG-1: without any local candidate one public one is used.
#[test]
fn a_ping_from_the_relay_is_answered_at_one_public_candidate_too() {
    let mut peer = Remote::new(1);
    let public: Vec<_> = (1..=3).map(|i| format!("198.51.100.{i}:7")).collect();
    peer.endpoints = public.iter().map(|text| text.parse().expect("an endpoint")).collect();
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.disco_arrives(at(91), &peer.ping(&driver.core, 1), Via::Derp(peer.identity.node()));
    driver.run_until(at(105));
    let pong = &driver.sent(MessageKind::Pong)[0].1;
    assert_eq!(pong.direct, peer.endpoints[..1]);
    assert!(pong.relay);
}

/// Cites WG-PONG-1: a peer that pings directly is learned and pinged back; over the relay it is not.
#[test]
fn a_direct_ping_teaches_an_endpoint_and_is_pinged_back() {
    let peer = Remote::new(1);
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.disco_arrives(at(91), &peer.ping(&driver.core, 1), Via::Derp(peer.identity.node()));
    driver.run_until(at(105));
    assert!(driver.sent(MessageKind::Ping).is_empty());
    driver.disco_arrives(at(106), &peer.ping(&driver.core, 2), peer.direct());
    driver.run_until(at(120));
    let ping = &driver.sent(MessageKind::Ping)[0].1;
    assert_eq!(ping.direct, [peer.endpoint()]);
}

/// Case 30, cites WG-RATE-1: pings every 3 s under a least time between answers; answers and their
/// widest gap.
#[test]
fn a_limit_of_five_seconds_on_pongs_acts_as_six() {
    let rows = [(0, 20, 3), (3_000, 20, 3), (5_000, 10, 6), (6_000, 10, 6), (6_100, 7, 9)];
    for (limit, answers, gap_s) in rows {
        let peer = Remote::new(1);
        let limit_span = (limit > 0).then(|| ms(limit));
        let config =
            Config { pong_interval: limit_span, loop_delay: ms(1), ..Preset::Ilv3.config() };
        let mut driver = with_peers(config, std::slice::from_ref(&peer));
        for id in 0..20_u8 {
            let when = at(10_000 + 3_000 * u64::from(id));
            driver.disco_arrives(when, &peer.ping(&driver.core, id), DIRECT);
        }
        driver.run_until(at(80_000));
        let answered: Vec<_> =
            driver.sent(MessageKind::Pong).iter().map(|(when, _)| when.as_millis()).collect();
        assert_eq!(answered.len(), answers, "limit {limit} ms");
        let widest = answered.windows(2).map(|pair| pair[1] - pair[0]).max();
        assert_eq!(widest, Some(gap_s * 1_000), "limit {limit} ms");
        assert_eq!(untrusted_ms(&answered, &[]), if limit == 6_100 { 2_500 * 6 } else { 0 });
        if limit == 5_000 {
            assert_eq!(untrusted_ms(&answered, &[(3, Disturbed::Late(600))]), 100);
            assert_eq!(untrusted_ms(&answered, &[(3, Disturbed::Lost)]), 5_500);
        }
        if limit == 3_000 {
            assert_eq!(untrusted_ms(&answered, &[(3, Disturbed::Late(600))]), 0);
            assert_eq!(untrusted_ms(&answered, &[(3, Disturbed::Lost)]), 0);
        }
    }
}

enum Disturbed {
    Late(u64),
    Lost,
}

/// How long the asker does not trust the path between the first and the last answer, when it
/// believes an answer for 6.5 s.
fn untrusted_ms(answered: &[u64], disturbed: &[(usize, Disturbed)]) -> u64 {
    let arrivals: Vec<u64> = answered
        .iter()
        .enumerate()
        .filter_map(|(index, when)| match disturbed.iter().find(|(at, _)| *at == index) {
            None => Some(*when),
            Some((_, Disturbed::Late(extra))) => Some(when + extra),
            Some((_, Disturbed::Lost)) => None,
        })
        .collect();
    arrivals.windows(2).map(|pair| (pair[1] - pair[0]).saturating_sub(6_500)).sum()
}

/// Case 03: the published load generator's packets never reach this step, whatever they carry.
#[test]
fn a_packet_with_the_storm_tools_magic_is_not_disco_here_either() {
    let mut packet = packet_with_key(DiscoKey([5; 32]));
    packet[..6].copy_from_slice(&[0x54, 0x53, 0x9a, 0x8b, 0xc4, 0xd5]);
    assert_ne!(packet[..6], MAGIC);
    let mut driver = with_peers(Preset::Ilv3.config(), &[]);
    driver.disco_arrives(at(91), &packet, DIRECT);
    driver.run_until(at(105));
    assert_eq!(refusals(&driver), [Refusal::NotDisco]);
}

/// Cites WG-DISCO-1: a packet too short to hold a key is nobody's, also where the exempt key is that
/// of a priority peer and there is none.
#[test]
fn a_packet_without_a_key_costs_budget_whoever_is_exempt() {
    for preset in [Preset::Arm1, Preset::Ilv3] {
        let mut driver = with_peers(preset.config(), &[]);
        for id in 0..5 {
            driver.disco_arrives(at(91), &unknown(id)[..30], DIRECT);
        }
        driver.run_until(at(105));
        assert_eq!(refusals(&driver), [Refusal::NotDisco; 4], "{}", preset.name());
    }
}

/// A device whose only peer was removed again, before 105 ms.
fn with_removed(peer: &Remote) -> Driver {
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(peer));
    driver.updates.push_back(PeerUpdate::Remove(peer.identity.node()));
    driver.run_until(at(105));
    assert_eq!(driver.core.peers().active(), 0);
    driver.notes.clear();
    driver.charges.clear();
    driver
}

/// Cites WG-DISCO-2: the gate before the cryptography asks every slot, in use or not.
#[test]
fn a_removed_peer_that_is_not_allowed_is_refused_before_its_box_is_opened() {
    let (peer, other) = (Remote::new(1), Remote::new(2));
    let mut driver = with_removed(&peer);
    driver.control(Control::AllowList(&[other.address()]));
    driver.disco_arrives(at(106), &peer.ping(&driver.core, 1), DIRECT);
    driver.run_until(at(115));
    assert_eq!(refusals(&driver), [Refusal::NotAllowed]);
    let charges: Vec<_> = driver.charges.iter().map(|(_, charge)| *charge).collect();
    assert_eq!(charges, [CostKey::DiscoReject]);
}

/// Cites WG-RESCUE-1: the rescue asks every slot, so a removed peer gets its pong too.
#[test]
fn a_removed_peer_is_still_rescued_and_answered() {
    let peer = Remote::new(1);
    let mut driver = with_removed(&peer);
    driver.disco_arrives(at(106), &peer.restarted().ping(&driver.core, 1), DIRECT);
    driver.run_until(at(115));
    assert_eq!(driver.count(|note| matches!(note, Note::Rescued(_))), 1);
    assert_eq!(driver.sent(MessageKind::Pong).len(), 1);
}

/// Cites WG-RESCUE-1 and WG-NVS-1: with nothing else to save, the rescued key is written.
#[test]
fn a_rescued_key_is_saved_to_the_peer_cache() {
    let peer = Remote::new(1);
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.run_until(at(6_000));
    assert!(!driver.core.store().is_dirty() && driver.writes.len() == 1);
    driver.disco_arrives(at(6_001), &peer.restarted().ping(&driver.core, 1), DIRECT);
    driver.run_until(at(11_000));
    assert_eq!(driver.writes.len(), 2);
}

/// Cites WG-RESCUE-1: the whole node key is compared.
#[test]
fn a_node_key_that_only_begins_alike_rescues_nobody() {
    let peer = Remote::new(1);
    let mut driver = with_peers(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    let mut node = peer.identity.node();
    node.0[31] ^= 1;
    let ping = Message::Ping { transaction: TransactionId([1; 12]), node: Some(node) };
    driver.disco_arrives(at(91), &peer.restarted().seals(&driver.core, &ping), DIRECT);
    driver.run_until(at(105));
    assert_eq!(refusals(&driver), [Refusal::UnknownSender]);
}

/// Cites WG-PONG-1: once there is a direct path, a direct ping is answered and no more.
#[test]
fn a_peer_with_a_direct_path_is_not_pinged_back() {
    let peer = Remote::new(1);
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.add(&peer);
    driver.run_until(at(50));
    let first = driver.sent(MessageKind::Ping)[0].1.packet.clone();
    let pong = peer.answers(&driver.core, &first).expect("a ping to it");
    driver.disco_arrives(at(60), &pong, peer.direct());
    driver.run_until(at(80));
    driver.sends.clear();
    driver.disco_arrives(at(81), &peer.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(100));
    let kinds: Vec<_> = driver.sends.iter().map(|(_, send)| send.kind).collect();
    assert_eq!(kinds, [MessageKind::Pong]);
}
