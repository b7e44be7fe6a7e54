//! Steps of a pass and their order.
use std::collections::BTreeMap;

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wake::WakeReason;
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate, Via};
use firmware_core::wg_mgr::keys::Entropy;
use firmware_core::wg_mgr::output::{MessageKind, Note, Output, Queue};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::stage::Stage;

use super::driver::{Driver, OUR_ENDPOINT, Remote, at, ms, unknown};

const DIRECT: Via = Via::Direct(OUR_ENDPOINT);

fn crypto(key: CostKey) -> Duration {
    match key {
        CostKey::BoxOpenComputed | CostKey::PeerAdd => ms(30),
        CostKey::TunnelData => Duration::from_micros(300),
        _ => Duration::ZERO,
    }
}

/// The order in which one pass asks its queues.
fn asked(preset: Preset) -> Vec<Queue> {
    let mut driver = Driver::new(preset.config());
    let mut queues = Vec::new();
    let mut input = Input::Wake;
    loop {
        let outputs = driver.core.step(at(0), input);
        match outputs.list.first() {
            Some(Output::Receive(queue)) => queues.push(*queue),
            _ => return queues,
        }
        input = Input::Empty;
    }
}

/// Cites WG-ORD-1 (and what PRE-0 did instead).
#[test]
fn a_pass_asks_the_tunnel_first_and_again_after_disco() {
    let armoured = [Queue::Tunnel, Queue::Updates, Queue::Disco, Queue::Tunnel];
    for preset in [Preset::Arm1, Preset::Key2, Preset::Ilv3, Preset::Head4] {
        assert_eq!(asked(preset), armoured, "{}", preset.name());
    }
    assert_eq!(asked(Preset::Pre0), [Queue::Updates, Queue::Disco, Queue::Tunnel]);
}

/// Cites WG-ORD-1: what waits when a pass begins is served before any open of that pass.
#[test]
fn a_heartbeat_that_waits_at_pass_start_is_served_before_any_open() {
    let mut driver = Driver::with_costs(Preset::Arm1.config(), crypto);
    driver.disco_arrives(at(5), &unknown(1), DIRECT);
    driver.heartbeat_arrives(at(5), 1);
    driver.run_until(at(100));
    assert_eq!(driver.charges[0], (at(10), CostKey::TunnelData));
    assert_eq!(driver.charges[1].1, CostKey::BoxOpenComputed);
}

/// Cites WG-ORD-1 and WG-Q1: not the first of them only.
#[test]
fn every_heartbeat_that_waits_at_pass_start_is_served_before_any_open() {
    let mut driver = Driver::with_costs(Preset::Arm1.config(), crypto);
    driver.disco_arrives(at(5), &unknown(1), DIRECT);
    (1..=3).for_each(|counter| driver.heartbeat_arrives(at(5), counter));
    driver.run_until(at(100));
    let charges: Vec<_> = driver.charges.iter().map(|(_, charge)| *charge).collect();
    let [data, open] = [CostKey::TunnelData, CostKey::BoxOpenComputed];
    assert_eq!(charges, [data, data, data, open]);
}

/// Cites WG-Q2: four opens let a heartbeat wait for four without the drain between, for one with it.
#[test]
fn the_drain_between_opens_bounds_a_heartbeats_wait_by_one_open() {
    let waits: BTreeMap<&str, Duration> = [Preset::Arm1, Preset::Ilv3]
        .into_iter()
        .map(|preset| {
            let mut driver = Driver::with_costs(preset.config(), crypto);
            for id in 0..8 {
                driver.disco_arrives(at(5), &unknown(id), DIRECT);
            }
            driver.heartbeat_arrives(Instant::from_nanos(10_000_001), 1);
            driver.run_until(at(200));
            (preset.name(), driver.served[0].1)
        })
        .collect();
    let just_missed = Duration::from_nanos(1);
    assert_eq!(waits["ARM-1"], ms(120).minus(just_missed));
    assert_eq!(waits["ILV-3"], ms(30).minus(just_missed));
}

/// Cites WG-Q2: the drain also stands between two additions.
#[test]
fn the_drain_between_adds_bounds_a_heartbeats_wait_by_one_add() {
    let mut driver = Driver::with_costs(Preset::Ilv3.config(), crypto);
    for number in 1..=4 {
        driver.add(&Remote::new(number));
    }
    driver.heartbeat_arrives(at(1), 1);
    driver.run_until(at(200));
    assert_eq!(driver.served[0].1, ms(29));
}

/// Cites WG-ORD-1: the delay is fixed, whatever the pass took.
#[test]
fn a_pass_of_four_opens_is_followed_by_the_whole_delay() {
    let mut driver = Driver::with_costs(Preset::Arm1.config(), crypto);
    for id in 0..5 {
        driver.disco_arrives(at(5), &unknown(id), DIRECT);
    }
    driver.run_until(at(145));
    assert_eq!(driver.sleeps, [at(0), at(130), at(170)]);
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 5);
    assert_eq!(driver.charges[4].0, at(140));
}

/// A spent budget is never silent: the sleep says that something may be left.
#[test]
fn the_wake_after_a_spent_budget_says_so() {
    let mut driver = Driver::new(Preset::Arm1.config());
    let mut taken = 0;
    let mut input = Input::Wake;
    let packet = unknown(1);
    let why = loop {
        let outputs = driver.core.step(at(0), input);
        let receive = outputs.list.iter().find_map(|output| match output {
            Output::Receive(queue) => Some(*queue),
            _ => None,
        });
        input = match receive {
            Some(Queue::Disco) => {
                taken += 1;
                let datagram = Datagram { bytes: &packet, via: DIRECT };
                Input::Packet(datagram)
            }
            Some(_) => Input::Empty,
            None => Input::Wake,
        };
        if let Some(wake) = outputs.wake
            && wake.at > at(0)
        {
            break wake.why;
        }
    };
    assert_eq!((taken, why), (4, WakeReason::OpensSpent));
}

/// Cites WG-SHUT-1 and WG-NVS-1: the pass in progress ends first; what is dirty is written.
#[test]
fn shutdown_is_seen_at_the_top_of_a_pass_and_flushes_what_is_dirty() {
    let mut driver = Driver::with_costs(Preset::Ilv3.config(), crypto);
    driver.add(&Remote::new(1));
    driver.run_until(at(1));
    driver.control(Control::Shutdown);
    assert_ne!(driver.core.stage(), Stage::Stopped);
    driver.run_until(at(1_000));
    assert_eq!(driver.core.stage(), Stage::Stopped);
    assert_eq!(driver.count(|note| *note == Note::Stopped), 1);
    assert_eq!(driver.writes.len(), 1);
    assert_eq!(driver.writes[0].1, 4 + 92);
}

/// Cites WG-SHUT-1 and WG-CMM-1 (PF-104): the broadcast happens once in the life of the device,
/// unless the corrected rule says once per start.
#[test]
fn a_restart_repeats_the_broadcast_only_by_the_corrected_rule() {
    for (strict, broadcasts) in [(false, 1), (true, 2)] {
        let mut config = Preset::Ilv3.config();
        if strict {
            config.rules.broadcast_restart = Rule::Strict;
        }
        let mut driver = Driver::new(config);
        driver.add(&Remote::new(1));
        driver.run_until(at(50));
        driver.control(Control::PublicEndpoint(OUR_ENDPOINT));
        driver.run_until(at(100));
        driver.control(Control::Shutdown);
        driver.run_until(at(200));
        driver.control(Control::Restart);
        driver.control(Control::Registered);
        driver.run_until(at(300));
        let sent = driver.sent(MessageKind::CallMeMaybe).len();
        assert_eq!(sent, broadcasts, "strict: {strict}");
    }
}

/// Nothing happens before the control plane has registered the device.
#[test]
fn the_loop_waits_for_registration() {
    let mut core = Driver::new(Preset::Arm1.config()).core;
    let config = core.config().clone();
    *core = super::driver::Core::new(config, core.identity().clone(), Entropy::new([3; 32]))
        .expect("a valid config");
    let outputs = core.step(at(1_000), Input::Wake);
    assert_eq!(outputs.wake.map(|wake| wake.why), Some(WakeReason::Registration));
    assert!(outputs.list.is_empty());
}

/// Cites WG-ORD-1: the delay begins where the pass ends, not on a grid that passes fall into.
#[test]
fn the_delay_begins_where_the_pass_ends() {
    let costs = |key| if key == CostKey::BoxOpenComputed { ms(7) } else { Duration::ZERO };
    let mut driver = Driver::with_costs(Preset::Arm1.config(), costs);
    driver.disco_arrives(at(5), &unknown(1), DIRECT);
    driver.run_until(at(30));
    assert_eq!(driver.sleeps, [at(0), at(17), at(27)]);
}

/// Cites WG-Q2: a heartbeat that comes during the first of two boxes from a known key waits for
/// both; by the corrected rule for the first.
#[test]
fn between_boxes_from_known_keys_nothing_is_drained_unless_corrected() {
    for (rule, waited) in [(Rule::Compat, 59), (Rule::Strict, 29)] {
        let peer = Remote::new(1);
        let mut config = Preset::Ilv3.config();
        config.rules.known_key_drain = rule;
        let mut driver = Driver::new(config);
        driver.add(&peer);
        driver.run_until(at(90));
        driver.costs = |key| if key == CostKey::BoxOpenCached { ms(30) } else { Duration::ZERO };
        for id in 1..=2 {
            driver.disco_arrives(at(95), &peer.ping(&driver.core, id), peer.direct());
        }
        driver.heartbeat_arrives(at(101), 1);
        driver.run_until(at(200));
        assert_eq!(driver.served[0].1, ms(waited), "{rule:?}");
    }
}

/// Cites WG-SHUT-1: whatever is left of a pass still happens.
#[test]
fn a_pass_in_progress_ends_before_the_loop_does() {
    let mut core = Driver::new(Preset::Ilv3.config()).core;
    let update = PeerUpdate::Add(Remote::new(1).record());
    for input in [Input::Wake, Input::Empty, Input::Update(&update)] {
        let _asks = core.step(at(0), input);
    }
    let _nothing = core.step(at(0), Input::Control(Control::Shutdown));
    let mut asked = Vec::new();
    let mut input = Input::Wake;
    while !matches!(core.stage(), Stage::Sleeping { .. } | Stage::Stopped) {
        let outputs = core.step(at(0), input);
        input = match outputs.list.first() {
            Some(Output::Receive(queue)) => {
                asked.push(*queue);
                Input::Empty
            }
            _ => Input::Wake,
        };
    }
    assert_eq!(asked, [Queue::Tunnel, Queue::Updates, Queue::Disco, Queue::Tunnel]);
    assert!(matches!(core.stage(), Stage::Sleeping { .. }));
    let _last = core.step(at(10), Input::Wake);
    assert_eq!(core.stage(), Stage::Stopped);
}
