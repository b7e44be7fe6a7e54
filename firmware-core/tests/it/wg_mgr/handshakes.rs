//! Handshakes: when initiations are sent and what inbound handshake messages cost and do.
use std::net::SocketAddrV4;

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::{ActiveClear, Config};
use firmware_core::wg_mgr::input::{Control, Via};
use firmware_core::wg_mgr::output::{InitiationReason, Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;

use super::driver::{Driver, Remote, at, ms, reach, slot_of, with_sessions};
use super::tunnel_end::{
    End, HEARTBEAT, bytes, device_initiated, device_responds, is_initiation, is_response, last,
};

/// The newest firmware with sessions; nobody is ever woken, and additions cause no pings.
pub fn quiet() -> Config {
    let wake_interval = Duration::from_nanos(u64::MAX);
    with_sessions(Config { wake_interval, add_pings_per_second: 0, ..Preset::Head4.config() })
}

/// The same, with `remote` as priority peer.
pub fn quiet_for(remote: &Remote) -> Config {
    Config { priority_peer: Some(remote.address()), ..quiet() }
}

/// A device that knows `remotes`, a moment after they were added.
pub fn device(config: Config, remotes: &[Remote]) -> Driver {
    let mut driver = Driver::new(config);
    for remote in remotes {
        driver.add(remote);
    }
    driver.run_until(at(50 + 10 * (remotes.len() as u64 / 4)));
    driver
}

/// What serving one packet of the tunnel's queue was charged as.
fn charge_of(driver: &mut Driver, packet: &[u8], via: Via) -> CostKey {
    driver.charges.clear();
    driver.tunnel_comes(driver.now, packet, via);
    driver.run_until(driver.now.after(ms(10)));
    let tunnel = |key: &CostKey| {
        matches!(
            key,
            CostKey::TunnelData
                | CostKey::TunnelReject
                | CostKey::InitiationReceived
                | CostKey::InitiationRefused
                | CostKey::ResponseReceived
        )
    };
    let found: Vec<_> = driver.charges.iter().map(|(_, key)| *key).filter(tunnel).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]
}

fn refused(driver: &Driver, refusal: Refusal) -> usize {
    driver.count(|note| *note == Note::Refused(refusal))
}

/// Cites WG-HS-2, WG-HS-1 (it is exempt) and WG-ORD-1 (the tunnel's timers come before DISCO's): five
/// seconds after the last one, seen every 400 ms: 5.2 s. No timer ends it.
#[test]
fn a_silent_priority_peer_gets_an_initiation_every_5200_ms_for_ever() {
    let remote = Remote::new(1);
    let mut driver = Driver::new(quiet_for(&remote));
    driver.add(&remote);
    driver.run_until(at(600_000));
    let sent = driver.initiated();
    assert_eq!(sent[0], (at(0), InitiationReason::Added));
    for (number, entry) in (1_u64..).zip(&sent[1..]) {
        assert_eq!(*entry, (at(5_200 * number), InitiationReason::Retry));
    }
    assert_eq!(sent.len(), 1 + 115);
    assert_eq!(driver.charged(CostKey::InitiationSent), sent.len());
}

/// Cites WG-HS-2 (M2): a timeout of 400 ms would retry at each look.
#[test]
fn the_rekey_timeout_decides_the_spacing() {
    let remote = Remote::new(1);
    let mut driver = Driver::new(Config { rekey_timeout: ms(400), ..quiet_for(&remote) });
    driver.add(&remote);
    driver.run_until(at(2_000));
    assert_eq!(driver.initiated().len(), 1 + 5);
}

/// Case 11, cites WG-HS-1 and WG-HS-2: 24 silent peers fall back together, 90 ms an initiation.
fn case_11(active_clear: ActiveClear, give_up: Option<Duration>) -> (Driver, Vec<Instant>) {
    let config =
        Config { active_clear, initiation_give_up: give_up, heartbeats_per_tick: None, ..quiet() };
    let remotes: Vec<_> = (1..=24).map(Remote::new).collect();
    let mut driver = device(config, &remotes);
    reach(&mut driver, &remotes);
    driver.costs = |key| if key == CostKey::InitiationSent { ms(90) } else { Duration::ZERO };
    driver.sleeps.clear();
    driver.notes.clear();
    driver.run_until(at(61_000 + 600_000));
    let sent = driver.initiated().into_iter().map(|(when, _)| when).collect();
    (driver, sent)
}

/// The longest time without a sleep.
fn longest_call(driver: &Driver) -> Duration {
    let delay = driver.core.config().loop_delay;
    let gaps = driver.sleeps.windows(2).map(|pair| pair[1].since(pair[0]).minus(delay));
    gaps.max().expect("the loop slept")
}

/// Case 11: the retries never end and block the loop 2160 ms again and again.
#[test]
fn retries_without_an_end_become_a_permanent_tax() {
    let (driver, sent) = case_11(ActiveClear::Never, None);
    assert!((2_600..=2_880).contains(&sent.len()), "{}", sent.len());
    let busy_permille = sent.len() * 90 / 600;
    assert!((390..=435).contains(&busy_permille), "{busy_permille}");
    assert_eq!(longest_call(&driver), ms(24 * 90));
    let late = sent.iter().filter(|when| **when > at(600_000)).count();
    assert!(late > 200, "{late} in the last minute");
}

/// Case 11: with the protocol's own end, 17 or 18 each and nothing after 95 s.
#[test]
fn retries_that_end_after_90_s_stop_the_tax() {
    let (driver, sent) = case_11(ActiveClear::Never, Some(ms(90_000)));
    assert!((408..=432).contains(&sent.len()), "{}", sent.len());
    let first = sent[0];
    assert!(sent.iter().all(|when| when.since(first) < ms(95_000)));
    let ended = driver.count(|note| matches!(note, Note::InitiationsGivenUp(_)));
    assert_eq!(ended, 24);
    assert_eq!(longest_call(&driver), ms(24 * 90));
}

/// Case 11, cites WG-HS-1: one each, and a later initiation of the peer's still makes a session.
#[test]
fn a_cleared_peer_costs_one_initiation_and_may_come_back_itself() {
    let (mut driver, sent) = case_11(ActiveClear::ExceptPinned, None);
    assert_eq!(sent.len(), 24);
    assert_eq!(driver.count(|note| matches!(note, Note::ActiveCleared(_))), 24);
    assert_eq!(longest_call(&driver), ms(24 * 90));
    let remote = Remote::new(5);
    device_responds(&mut driver, &remote, remote.direct());
    assert!(driver.core.session_is_up(slot_of(&driver.core, remote.identity.node())));
}

/// Cites WG-HS-1 and WG-HS-2, the figure asked for: what `peers` dead bulk peers cost, in X25519,
/// in the tick of their demotion and in each of the following 5.2 s.
fn dead_peers(peers: u8, active_clear: ActiveClear) -> (u64, Vec<u64>) {
    let config = Config { active_clear, heartbeats_per_tick: None, ..quiet() };
    let remotes: Vec<_> = (1..=peers).map(Remote::new).collect();
    let mut driver = device(config, &remotes);
    reach(&mut driver, &remotes);
    driver.run_until(at(60_000));
    driver.charges.clear();
    driver.run_until(at(61_600));
    let demotion = driver.x25519_count();
    let rounds = (1..=5).map(|round| {
        driver.run_until(at(61_600 + 5_200 * round));
        driver.x25519_count()
    });
    (demotion, rounds.collect())
}

/// Cites WG-HS-1: dead peers cost two X25519 each, once; without the clear every 5.2 s for ever.
#[test]
fn dead_bulk_peers_cost_one_initiation_with_the_clear_and_one_every_5200_ms_without() {
    for peers in [1, 10, 40] {
        let once = 2 * u64::from(peers);
        assert_eq!(dead_peers(peers, ActiveClear::Never), (once, vec![once; 5]), "{peers}");
        assert_eq!(dead_peers(peers, ActiveClear::ExceptPinned), (once, vec![0; 5]), "{peers}");
    }
}

/// Initiations after minute five to a bulk peer whose session was renewed once, that was then
/// demoted, and that has been silent since.
fn late_retries(rule: Rule) -> usize {
    let remote = Remote::new(1);
    let mut config = quiet();
    config.rules.previous_keypair = rule;
    let mut driver = device(config, core::slice::from_ref(&remote));
    reach(&mut driver, core::slice::from_ref(&remote));
    device_responds(&mut driver, &remote, remote.direct());
    driver.run_until(at(2_000));
    device_responds(&mut driver, &remote, remote.direct());
    let slot = slot_of(&driver.core, remote.identity.node());
    let tunnel = driver.core.tunnel_of(slot).expect("it has a tunnel");
    assert!(tunnel.current.is_some() && tunnel.previous.is_some());
    driver.run_until(at(300_000));
    let before = driver.initiated().len();
    driver.run_until(at(360_000));
    driver.initiated().len() - before
}

/// Cites WG-HS-1 (PF-100): the previous key pair never ages, so the clear never happens.
#[test]
fn a_renewed_session_escapes_the_clear_until_the_previous_key_pair_ages() {
    assert!((11..=12).contains(&late_retries(Rule::Compat)), "60 s at 5.2 s each");
    assert_eq!(late_retries(Rule::Strict), 0);
}

/// Cites WG-HS-1: with DISCO off the clear never happens; a peer that is not allowed is skipped.
#[test]
fn the_clear_needs_disco_and_an_allowed_peer() {
    let remote = Remote::new(1);
    for allowed in [true, false] {
        let mut driver = device(quiet(), core::slice::from_ref(&remote));
        device_responds(&mut driver, &remote, Via::Derp(remote.identity.node()));
        reach(&mut driver, core::slice::from_ref(&remote));
        let slot = slot_of(&driver.core, remote.identity.node());
        assert!(driver.core.tunnel_of(slot).is_some_and(|tunnel| tunnel.active));
        // The session's end leaves the mark of the path's change behind.
        driver.run_until(at(60_500));
        if !allowed {
            driver.control(Control::AllowList(&[Remote::new(9).address()]));
        }
        driver.run_until(at(300_000));
        let active = driver.core.tunnel_of(slot).map(|tunnel| tunnel.active);
        assert_eq!(active, Some(!allowed), "allowed: {allowed}");
    }
}

/// Cites WG-HS-4: what an inbound initiation costs is what its checks reached.
#[test]
fn an_inbound_initiation_costs_what_its_checks_reached() {
    let (known, stranger) = (Remote::new(1), Remote::new(2));
    let mut driver = device(quiet(), core::slice::from_ref(&known));
    let mut end = End::new(&known, &driver.core);
    let mut other = End::new(&stranger, &driver.core);
    let genuine = end.initiates(at(100));
    let mut wrong_mac = genuine.clone();
    wrong_mac[120] ^= 1;
    assert_eq!(charge_of(&mut driver, &wrong_mac, known.direct()), CostKey::TunnelReject);
    assert_eq!(refused(&driver, Refusal::Mac1Wrong), 1);
    let unknown = other.initiates(at(100));
    assert_eq!(charge_of(&mut driver, &unknown, known.direct()), CostKey::InitiationRefused);
    assert_eq!(refused(&driver, Refusal::InitiatorUnknown), 1);
    let served = charge_of(&mut driver, &genuine, known.direct());
    assert_eq!(served, CostKey::InitiationReceived);
    assert_eq!(charge_of(&mut driver, &genuine, known.direct()), CostKey::InitiationRefused);
    assert_eq!(refused(&driver, Refusal::TimestampNotNewer), 1);
    let older = end.initiates(at(99));
    assert_eq!(charge_of(&mut driver, &older, known.direct()), CostKey::InitiationRefused);
    assert_eq!(refused(&driver, Refusal::TimestampNotNewer), 2);
    let all = [CostKey::TunnelReject, CostKey::InitiationRefused, CostKey::InitiationReceived];
    assert_eq!(all.map(CostKey::x25519_count), [0, 1, 4]);
    assert!(all.iter().all(|key| key.holds_network_lock()));
}

/// Cites WG-HS-4 (M4): a message that claims to be a peer's, but is not, moves nothing.
#[test]
fn a_forged_initiation_moves_no_endpoint_and_replaces_no_session() {
    let (victim, attacker) = (Remote::new(1), Remote::new(2));
    let mut driver = device(quiet(), core::slice::from_ref(&victim));
    let end = device_responds(&mut driver, &victim, victim.direct());
    let mut forged = End::new(&attacker, &driver.core).initiates(at(60_000));
    // The attacker can make mac1 and the static field, since both are keyed by public keys, but not
    // the timestamp's tag. Here the whole message is re-sealed by a third party with its own secret.
    let claim = firmware_core::wg_mgr::wire::Initiation {
        sender: 1,
        ephemeral: [1; 32],
        initiator: victim.identity.node(),
        timestamp: firmware_core::wg_mgr::wire::Timestamp::at(at(60_000)),
    };
    let crypto = driver.core.config().crypto;
    let device_key = driver.core.identity().node();
    let own =
        firmware_core::wg_mgr::wire::StaticSecret::compute(crypto, &attacker.identity, device_key);
    forged.copy_from_slice(&claim.encode(device_key, &own.expect("a real key")));
    let before = driver.core.sessions().clone();
    assert_eq!(charge_of(&mut driver, &forged, attacker.direct()), CostKey::InitiationRefused);
    assert_eq!(refused(&driver, Refusal::HandshakeForged), 1);
    assert_eq!(*driver.core.sessions(), before);
    assert!(end.session.is_some());
}

/// Cites WG-HS-4 (PF-99): the limit subtracts the wrong way round, so only a second initiation in
/// the same millisecond is too soon; by the corrected rule one within half a second.
#[test]
fn the_rate_limit_on_initiations_works_within_one_millisecond_only() {
    for (rule, gap_ms, taken) in [
        (Rule::Compat, 0, 1),
        (Rule::Compat, 10, 2),
        (Rule::Strict, 0, 1),
        (Rule::Strict, 490, 1),
        (Rule::Strict, 500, 2),
    ] {
        let remote = Remote::new(1);
        let mut config = quiet();
        config.rules.initiation_rate = rule;
        let mut driver = device(config, core::slice::from_ref(&remote));
        let mut end = End::new(&remote, &driver.core);
        driver.tunnel_comes(at(100), &end.initiates(at(100)), remote.direct());
        driver.tunnel_comes(at(100 + gap_ms), &end.initiates(at(101)), remote.direct());
        driver.run_until(at(700));
        let count = driver.charged(CostKey::InitiationReceived);
        assert_eq!(count, taken, "{rule:?}, {gap_ms} ms apart");
        let soon = refused(&driver, Refusal::InitiationTooSoon);
        assert_eq!(soon, 2 - taken);
    }
}

/// Cites WG-HS-4 (PF-99): a queue full of initiations is served in one drain, 4 X25519 each, all
/// of it under the network stack's lock; with a budget the rest is refused cheaply.
#[test]
fn a_flood_of_initiations_is_served_in_one_drain_unless_budgeted() {
    let remotes: Vec<_> = (1..=32).map(Remote::new).collect();
    for (budget, served) in [(None, 32), (Some(4), 4)] {
        let config = Config { initiations_per_pass: budget, ..quiet() };
        let mut driver = device(config, &remotes);
        driver.run_until(at(200));
        driver.charges.clear();
        for remote in &remotes {
            let packet = End::new(remote, &driver.core).initiates(at(300));
            driver.tunnel_comes(at(205), &packet, remote.direct());
        }
        driver.run_until(at(210));
        assert_eq!(driver.charged(CostKey::InitiationReceived), served);
        assert_eq!(refused(&driver, Refusal::InitiationsOverBudget), 32 - served);
        assert!(driver.charges.iter().all(|(when, _)| *when == at(210)));
        // The next pass has its own share.
        let again = End::new(&remotes[31], &driver.core).initiates(at(400));
        driver.tunnel_comes(at(215), &again, remotes[31].direct());
        driver.run_until(at(220));
        assert_eq!(driver.charged(CostKey::InitiationReceived), served + 1);
    }
}

/// Cites WG-HS-4: a response is for one handshake in progress, and from the one it was begun with.
#[test]
fn a_response_counts_once_and_for_the_newest_initiation() {
    let remote = Remote::new(1);
    let mut driver = device(quiet_for(&remote), core::slice::from_ref(&remote));
    let mut end = End::new(&remote, &driver.core);
    let stale = end.answers(&bytes(&last(&driver, is_initiation))).expect("an answer");
    driver.run_until(at(5_300));
    assert_eq!(charge_of(&mut driver, &stale, end.relayed()), CostKey::TunnelReject);
    assert_eq!(refused(&driver, Refusal::ResponseUnmatched), 1);
    let fresh = end.answers(&bytes(&last(&driver, is_initiation))).expect("an answer");
    let mut wrong_mac = fresh.clone();
    wrong_mac[70] ^= 1;
    assert_eq!(charge_of(&mut driver, &wrong_mac, end.relayed()), CostKey::TunnelReject);
    assert_eq!(charge_of(&mut driver, &fresh, end.relayed()), CostKey::ResponseReceived);
    assert_eq!(CostKey::ResponseReceived.x25519_count(), 2);
    let confirmation = last(&driver, |message| !is_initiation(message));
    assert_eq!(bytes(&confirmation).len(), 32);
    assert_eq!(end.reads(&bytes(&confirmation)), Some(Vec::new()));
    assert_eq!(charge_of(&mut driver, &fresh, end.relayed()), CostKey::TunnelReject);
    assert_eq!(driver.count(|note| matches!(note, Note::SessionUp { initiator: true, .. })), 1);
}

/// Cites WG-HS-4: a tunnel has one handshake at a time; answering the peer's forgets our own.
#[test]
fn answering_an_initiation_forgets_our_own() {
    let remote = Remote::new(1);
    let mut driver = device(quiet_for(&remote), core::slice::from_ref(&remote));
    let mut end = End::new(&remote, &driver.core);
    let answer = end.answers(&bytes(&last(&driver, is_initiation))).expect("an answer");
    let theirs = end.initiates(at(100));
    assert_eq!(charge_of(&mut driver, &theirs, end.relayed()), CostKey::InitiationReceived);
    assert_eq!(charge_of(&mut driver, &answer, end.relayed()), CostKey::TunnelReject);
    assert!(end.completes(&bytes(&last(&driver, is_response))));
}

/// Cites WG-HS-4 (PF-102): a peer that remembers the old uptime refuses a rebooted device until its
/// uptime has passed that; by the corrected rule timestamps go on.
#[test]
fn a_rebooted_device_is_refused_until_its_uptime_has_passed_the_old_one() {
    for (rule, newer_at_once) in [(Rule::Compat, false), (Rule::Strict, true)] {
        let remote = Remote::new(1);
        let mut config = quiet_for(&remote);
        config.rules.uptime_timestamps = rule;
        let mut driver = device(config.clone(), core::slice::from_ref(&remote));
        driver.run_until(at(20_000));
        let end = End::new(&remote, &driver.core);
        let newest = |driver: &Driver| {
            end.opens(&bytes(&last(driver, is_initiation))).expect("for this end").timestamp
        };
        let before = newest(&driver);
        let mut rebooted = Driver::new(config);
        rebooted.run_until(at(30_000));
        rebooted.control(Control::BootedAt(at(30_000)));
        rebooted.add(&remote);
        rebooted.run_until(at(30_100));
        assert_eq!(newest(&rebooted) > before, newer_at_once, "{rule:?}");
        rebooted.run_until(at(52_000));
        assert!(newest(&rebooted) > before);
    }
}

/// Case 32, cites WG-HS-2: an answer that takes longer than the next initiation belongs to one that
/// was replaced. With the protocol's end after 90 s there are 18 and then none.
#[test]
fn an_answer_slower_than_the_retries_never_makes_a_session() {
    for (takes_ms, initiations, session) in [(4_000, 1, true), (60_000, 18, false)] {
        let remote = Remote::new(1);
        let config = Config { initiation_give_up: Some(ms(90_000)), ..quiet_for(&remote) };
        let mut driver = Driver::new(config);
        driver.add(&remote);
        let mut end = End::new(&remote, &driver.core);
        let mut answered = 0;
        for second in 1..=300 {
            for (when, transmit) in driver.transmits_since(answered) {
                if let Some(answer) = end.answers(&bytes(&transmit)) {
                    driver.tunnel_comes(when.after(ms(takes_ms)), &answer, end.relayed());
                }
            }
            answered = driver.transmits.len();
            driver.run_until(at(second * 1_000));
            if driver.core.session_is_up(slot_of(&driver.core, remote.identity.node())) {
                break;
            }
        }
        assert_eq!(driver.initiated().len(), initiations, "{takes_ms} ms");
        let slot = slot_of(&driver.core, remote.identity.node());
        assert_eq!(driver.core.session_is_up(slot), session, "{takes_ms} ms");
    }
}

/// Cites WG-HS-2 and WG-ADD-2: the priority peer is not waited for, everybody else is.
#[test]
fn only_the_priority_peer_gets_an_initiation_when_it_is_added() {
    let remotes = [Remote::new(1), Remote::new(2)];
    let mut driver = device(quiet_for(&remotes[1]), &remotes);
    let added = driver.initiated();
    assert_eq!(added.iter().map(|(_, why)| *why).collect::<Vec<_>>(), [InitiationReason::Added]);
    assert_eq!(last(&driver, is_initiation).node, remotes[1].identity.node());
    // Once entered, a repeated addition begins nothing (WG-ADD-3).
    driver.add(&remotes[1]);
    driver.run_until(at(100));
    assert_eq!(driver.initiated().len(), 1);
    let none: Option<SocketAddrV4> = None;
    assert_eq!(last(&driver, is_initiation).direct, none);
    device_initiated(&mut driver, &remotes[1], Via::Derp(remotes[1].identity.node()));
    driver.sends_to(&remotes[1]);
    assert_eq!(HEARTBEAT.len(), 68);
    assert_eq!(driver.other_charges, [CostKey::TunnelDataSent]);
}
