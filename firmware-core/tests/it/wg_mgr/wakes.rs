//! Wakes of safety peers: a ping, and an initiation.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::input::{Control, Via};
use firmware_core::wg_mgr::output::{InitiationReason, MessageKind, Note};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::Message;

use super::driver::{Driver, Remote, answer_pings, at, ms, reach, with_sessions};
use super::handshakes::device;
use super::tunnel_end::device_responds;

/// The newest firmware with sessions; its timers run each second.
fn waking() -> Config {
    let config = Config { disco_tick: ms(999), add_pings_per_second: 0, ..Preset::Head4.config() };
    with_sessions(config)
}

fn waking_for(remote: &Remote) -> Config {
    Config { priority_peer: Some(remote.address()), ..waking() }
}

/// When each wake happened, in whole milliseconds.
fn wakes(driver: &Driver) -> Vec<u64> {
    let woken = driver.initiated().into_iter().filter(|(_, why)| *why == InitiationReason::Wake);
    woken.map(|(when, _)| when.as_millis()).collect()
}

/// Cites WG-WAKE-1 and WG-HS-2: without a session, a ping and an initiation through the relay every three
/// seconds, since the last ping.
#[test]
fn a_safety_peer_without_a_session_is_woken_every_3_s() {
    let remote = Remote::new(1);
    let mut driver = device(waking_for(&remote), core::slice::from_ref(&remote));
    driver.sends.clear();
    driver.run_until(at(20_000));
    assert_eq!(wakes(&driver), [3_000, 6_000, 9_000, 12_000, 15_000, 18_000]);
    let pinged: Vec<_> =
        driver.sent(MessageKind::Ping).iter().map(|(when, _)| when.as_millis()).collect();
    assert!(wakes(&driver).iter().all(|when| pinged.contains(when)), "{pinged:?}");
}

/// Cites WG-WAKE-1: the fleet server and every tracked peer too; nobody else.
#[test]
fn fleet_server_and_tracked_peers_are_woken_and_bulk_peers_are_not() {
    let remotes = [1, 2, 3].map(Remote::new);
    let config = Config { fleet_server: Some(remotes[0].address()), ..waking() };
    let mut driver = device(config, &remotes);
    driver.control(Control::Health { address: remotes[1].address(), healthy: true });
    driver.run_until(at(10_000));
    let woken = |slot| {
        driver.count(|note| {
            let why = InitiationReason::Wake;
            *note == Note::Initiated { peer: PeerIndex(slot), why }
        })
    };
    assert!(woken(0) >= 2 && woken(1) >= 2);
    assert_eq!(woken(2), 0);
}

/// Cites WG-WAKE-1 (M1, PF-23): a session that the application finds dead is begun anew.
#[test]
fn an_unhealthy_peer_is_woken_although_it_has_a_session() {
    let remote = Remote::new(1);
    let mut driver = device(waking_for(&remote), core::slice::from_ref(&remote));
    device_responds(&mut driver, &remote, Via::Derp(remote.identity.node()));
    driver.notes.clear();
    driver.run_until(at(10_000));
    assert!(wakes(&driver).is_empty());
    driver.control(Control::Health { address: remote.address(), healthy: false });
    driver.run_until(at(16_000));
    assert!(wakes(&driver).len() >= 2);
    driver.control(Control::Health { address: remote.address(), healthy: true });
    driver.notes.clear();
    driver.run_until(at(22_000));
    assert!(wakes(&driver).is_empty());
    driver.control(Control::LinkHealth(false));
    driver.run_until(at(28_000));
    assert!(wakes(&driver).len() >= 2);
}

/// Cites WG-WAKE-1 (M3): runs with DISCO switched off.
#[test]
fn wakes_happen_with_disco_off() {
    let remote = Remote::new(1);
    let config = Config { disco_enabled: false, ..waking_for(&remote) };
    let mut driver = device(config, core::slice::from_ref(&remote));
    driver.run_until(at(10_000));
    assert!(wakes(&driver).len() >= 3);
    assert_eq!(driver.count(|note| matches!(note, Note::UpgradeDue(_))), 0);
}

/// Cites WG-WAKE-1 (PF-107): while a ping of a CallMeMaybe is pending, the wake's own is skipped and
/// does not count, so it comes again each second; by the corrected rule it keeps its interval.
#[test]
fn a_wake_whose_ping_is_skipped_comes_again_each_second_unless_corrected() {
    for (rule, most_often) in [(Rule::Compat, 1_000), (Rule::Strict, 3_000)] {
        let remote = Remote::new(1);
        let mut config = waking_for(&remote);
        config.rules.wake_retries = rule;
        config.rules.call_me_maybe_echo = Rule::Strict;
        let mut driver = device(config, core::slice::from_ref(&remote));
        driver.control(Control::LocalEndpoint(super::driver::OUR_ENDPOINT));
        // One CallMeMaybe a second: each makes a ping that leaves the time of the last one alone.
        for second in 1..=20 {
            let endpoints = [remote.endpoint()].into_iter().collect();
            let packet = remote.seals(&driver.core, &Message::CallMeMaybe { endpoints });
            driver.disco_arrives(at(second * 1_000 - 100), &packet, remote.direct());
        }
        driver.run_until(at(20_500));
        let wakes = wakes(&driver);
        let gaps: Vec<_> = wakes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(gaps.iter().min(), Some(&most_often), "{rule:?} {wakes:?}");
        assert!(driver.count(|note| matches!(note, Note::PingSkipped(_))) > 0);
    }
}

/// Cites WG-WAKE-1 (PF-107): unhealthy and reached directly, the tunnel goes to the relay and back,
/// two handshakes every three seconds; by the corrected rule it stays and costs one.
#[test]
fn an_unhealthy_peer_that_is_reached_directly_flips_unless_corrected() {
    for (rule, relayed, changes) in [(Rule::Compat, true, true), (Rule::Strict, false, false)] {
        let remote = Remote::new(1);
        let mut config = waking_for(&remote);
        config.rules.wake_retries = rule;
        let mut driver = device(config, core::slice::from_ref(&remote));
        device_responds(&mut driver, &remote, remote.direct());
        reach(&mut driver, core::slice::from_ref(&remote));
        driver.control(Control::Health { address: remote.address(), healthy: false });
        driver.notes.clear();
        driver.transmits.clear();
        while driver.now < at(13_000) {
            driver.run_until(driver.now.after(ms(100)));
            answer_pings(&mut driver, core::slice::from_ref(&remote), true);
        }
        let why = |wanted| driver.initiated().iter().filter(|(_, why)| *why == wanted).count();
        let woken = why(InitiationReason::Wake);
        assert!((3..=5).contains(&woken), "{woken}");
        let back = why(InitiationReason::PathChanged);
        assert_eq!(back > 0, changes, "{rule:?}");
        assert!(!changes || back + 1 >= woken);
        let first =
            driver.transmits.iter().find(|(_, it)| super::tunnel_end::is_initiation(&it.message));
        assert_eq!(first.map(|(_, it)| it.direct.is_none()), Some(relayed));
    }
}

/// Cites WG-HS-2: an answer that takes longer than the wake's three seconds is always too late.
#[test]
fn a_round_trip_longer_than_the_wake_never_completes() {
    for (takes_ms, session) in [(2_500, true), (3_500, false)] {
        let remote = Remote::new(1);
        let mut driver = device(waking_for(&remote), core::slice::from_ref(&remote));
        let mut end = super::tunnel_end::End::new(&remote, &driver.core);
        let mut seen = 0;
        while driver.now < at(60_000) {
            for (when, transmit) in driver.transmits_since(seen) {
                if let Some(answer) = end.answers(&super::tunnel_end::bytes(&transmit)) {
                    let arrives: Instant = when.after(ms(takes_ms));
                    driver.tunnel_comes(arrives, &answer, end.relayed());
                }
            }
            seen = driver.transmits.len();
            driver.run_until(driver.now.after(ms(100)));
        }
        assert_eq!(driver.core.session_is_up(PeerIndex(0)), session, "{takes_ms} ms");
    }
}
