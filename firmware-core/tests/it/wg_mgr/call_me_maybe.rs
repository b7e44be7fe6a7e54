//! CallMeMaybe: broadcast, answers, and what two such devices do to each other.
use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::input::{Control, Via};
use firmware_core::wg_mgr::output::{MessageKind, Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::{Endpoints, Message};

use super::driver::{Driver, OUR_ENDPOINT, Remote, at, ms};

fn call_me_maybe(endpoints: u8) -> Message {
    let endpoints: Endpoints = (1..=endpoints)
        .map(|i| format!("198.51.100.{i}:41641").parse().expect("an endpoint"))
        .collect();
    Message::CallMeMaybe { endpoints }
}

/// Cites WG-CMM-1: two a pass, each peer once, only after STUN.
#[test]
fn the_broadcast_sends_two_a_pass_and_to_each_peer_once() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    for number in 1..=9 {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(95));
    assert!(driver.sent(MessageKind::CallMeMaybe).is_empty());
    driver.control(Control::PublicEndpoint(OUR_ENDPOINT));
    driver.run_until(at(1_000));
    let sent = driver.sent(MessageKind::CallMeMaybe);
    let times: Vec<_> = sent.iter().map(|(when, _)| when.as_millis()).collect();
    assert_eq!(times, [100, 100, 110, 110, 120, 120, 130, 130, 140]);
    let slots: Vec<_> = sent.iter().map(|(_, send)| send.peer.0).collect();
    assert_eq!(slots, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
    assert!(sent.iter().all(|(_, send)| send.relay && send.direct.is_empty()));
}

/// Cites WG-CMM-1: before the armour all at once; with a cap of 0 never.
#[test]
fn without_a_cap_the_broadcast_is_one_burst_and_with_none_it_never_ends() {
    for (cap, right) in [(None, 5), (Some(0), 0)] {
        let config = Config { call_me_maybe_sends_per_pass: cap, ..Preset::Ilv3.config() };
        let mut driver = Driver::new(config);
        for number in 1..=5 {
            driver.add(&Remote::new(number));
        }
        driver.run_until(at(95));
        driver.control(Control::PublicEndpoint(OUR_ENDPOINT));
        driver.run_until(at(105));
        assert_eq!(driver.sent(MessageKind::CallMeMaybe).len(), right);
    }
}

/// Cites WG-CMM-2: the answer first, then a ping to each place named, then one to everywhere.
#[test]
fn an_inbound_call_me_maybe_is_answered_and_each_place_it_names_is_pinged() {
    let peer = Remote::new(1);
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.control(Control::LocalEndpoint(OUR_ENDPOINT));
    driver.add(&peer);
    driver.run_until(at(95));
    driver.sends.clear();
    let packet = peer.seals(&driver.core, &call_me_maybe(8));
    driver.disco_arrives(at(96), &packet, Via::Derp(peer.identity.node()));
    driver.run_until(at(105));
    let kinds: Vec<_> = driver.sends.iter().map(|(_, send)| send.kind).collect();
    assert_eq!(kinds[0], MessageKind::CallMeMaybe);
    assert_eq!(kinds[1..], [MessageKind::Ping; 9]);
    let transactions: std::collections::BTreeSet<_> =
        driver.sends[1..].iter().map(|(_, send)| send.packet.to_vec()).collect();
    assert_eq!(transactions.len(), 9);
}

/// Cites WG-CMM-2: unknown keys are not served.
#[test]
fn a_call_me_maybe_from_an_unknown_key_goes_no_further() {
    let mut driver = Driver::new(Preset::Ilv3.config());
    let packet = Remote::new(9).seals(&driver.core, &call_me_maybe(3));
    driver.disco_arrives(at(5), &packet, Via::Direct(OUR_ENDPOINT));
    driver.run_until(at(20));
    assert!(driver.sends.is_empty());
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::UnknownSender)), 1);
}

/// Case 07, cites WG-CMM-2: bursts of one peer are 2.5 s apart, other peers do not matter, and a
/// burst exactly 2.5 s after the last is allowed.
#[test]
fn bursts_are_spaced_per_peer() {
    let peers = [Remote::new(1), Remote::new(2)];
    let mut config = Config {
        call_me_maybe_spacing: Some(ms(2_500)),
        loop_delay: ms(1),
        ..Preset::Ilv3.config()
    };
    config.rules.call_me_maybe_echo = Rule::Strict;
    let mut driver = Driver::new(config);
    for peer in &peers {
        driver.add(peer);
    }
    driver.run_until(at(100));
    driver.sends.clear();
    for (peer, first) in peers.iter().zip([1_000, 1_050]) {
        let packet = peer.seals(&driver.core, &call_me_maybe(3));
        for number in 0..100 {
            let via = Via::Derp(peer.identity.node());
            driver.disco_arrives(at(first + 100 * number), &packet, via);
        }
    }
    driver.run_until(at(12_000));
    for (peer, first) in peers.iter().zip([0, 50]) {
        let mut bursts: Vec<_> = driver
            .sends
            .iter()
            .filter(|(_, send)| send.node == peer.identity.node())
            .map(|(when, _)| when.as_millis() - 1_000)
            .collect();
        assert_eq!(bursts.len(), 4 * 4);
        bursts.dedup();
        assert_eq!(bursts, [first, first + 2_500, first + 5_000, first + 7_500]);
    }
    assert!(driver.sent(MessageKind::CallMeMaybe).is_empty());
}

/// Two devices without a direct path between them; only CallMeMaybe crosses the relay, 40 ms each
/// way, and every box costs 28 ms. Returns how many were sent in all, and the second's pings within a second.
fn case_06(echo: bool, spacing: Option<Duration>) -> (usize, usize) {
    const RELAY: Duration = Duration::from_millis(40);
    let mut config =
        Config { call_me_maybe_spacing: spacing, loop_delay: ms(1), ..Preset::Ilv3.config() };
    config.rules.call_me_maybe_echo = if echo { Rule::Compat } else { Rule::Strict };
    let costs = |key| match key {
        CostKey::BoxOpenComputed
        | CostKey::BoxOpenCached
        | CostKey::BoxSealComputed
        | CostKey::BoxSealCached => ms(28),
        _ => Duration::ZERO,
    };
    let mut first = Side::new(config.clone(), costs, 1);
    let mut second = Side::new(config, costs, 2);
    let start = at(1_000);
    first.driver.run_until(start);
    first.driver.control(Control::PublicEndpoint(OUR_ENDPOINT));
    second.driver.control(Control::LocalEndpoint(OUR_ENDPOINT));
    let (mut sent, mut end) = (0, start);
    while end < start.after(ms(150_000)) {
        end = end.after(ms(1));
        sent += exchange(&mut first, &mut second, end, RELAY);
        sent += exchange(&mut second, &mut first, end, RELAY);
    }
    let pings = second.driver.sent(MessageKind::Ping);
    (sent, pings.iter().filter(|(when, _)| *when < start.after(ms(1_000))).count())
}

/// One of two devices that know each other. What the other sends is sealed anew with the keys of
/// this side's partner, so that each needs to know one peer only.
struct Side {
    driver: Driver,
    partner: Remote,
}

impl Side {
    fn new(config: Config, costs: fn(CostKey) -> Duration, number: u8) -> Self {
        let mut driver = Driver::new(config);
        let partner = Remote::new(number);
        driver.add(&partner);
        driver.run_until(at(900));
        driver.sends.clear();
        driver.costs = costs;
        Self { driver, partner }
    }

    fn via(&self) -> Via {
        Via::Derp(self.partner.identity.node())
    }
}

/// Lets `from` run, and hands each CallMeMaybe it has sent since to `to` as its partner's.
fn exchange(from: &mut Side, to: &mut Side, end: Instant, relay: Duration) -> usize {
    let before = from.driver.sends.len();
    from.driver.run_until(end);
    let sent: Vec<_> = from.driver.sends[before..]
        .iter()
        .filter(|(_, send)| send.kind == MessageKind::CallMeMaybe)
        .map(|(when, _)| *when)
        .collect();
    for when in &sent {
        let packet = to.partner.seals(&to.driver.core, &call_me_maybe(3));
        to.driver.disco_arrives(when.after(relay), &packet, to.via());
    }
    sent.len()
}

/// Case 06, cites WG-CMM-2 (PF-97): with the echo one CallMeMaybe every 96 ms, for ever.
#[test]
fn two_devices_echo_call_me_maybe_for_ever_unless_corrected() {
    let (sent, _) = case_06(true, None);
    assert!((1_546..=1_578).contains(&sent), "{sent} is not 1562 within 1 %");
    assert_eq!(case_06(true, Some(ms(2_500))).0, 2);
    assert_eq!(case_06(false, None), (1, 4));
}

/// Cites WG-CMM-2: the ping to a place that it names goes there, and not through the relay.
#[test]
fn a_place_that_a_call_me_maybe_names_is_pinged_there_only() {
    let peer = Remote::new(1);
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.add(&peer);
    driver.run_until(at(95));
    driver.sends.clear();
    let packet = peer.seals(&driver.core, &call_me_maybe(2));
    driver.disco_arrives(at(96), &packet, Via::Derp(peer.identity.node()));
    driver.run_until(at(105));
    let pings = driver.sent(MessageKind::Ping);
    let ways: Vec<_> = pings.iter().map(|(_, send)| (send.direct.to_vec(), send.relay)).collect();
    let place = |i| vec![format!("198.51.100.{i}:41641").parse().expect("an endpoint")];
    assert_eq!(ways, [(place(1), false), (place(2), false), (vec![], true)]);
}
