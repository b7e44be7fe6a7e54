//! Relays: home and wanted regions, and the two send queues.
use std::collections::BTreeMap;

use firmware_core::time::Duration;
use firmware_core::wg_mgr::config::{Config, RelayQueueing};
use firmware_core::wg_mgr::derp::queues::{Queued, RelayQueues, Round};
use firmware_core::wg_mgr::derp::{RelayQueue, UNWANTED_KEPT, retry_gap};
use firmware_core::wg_mgr::input::{Control, PeerUpdate, Via};
use firmware_core::wg_mgr::output::{MessageKind, Note, TunnelMessage};
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::Endpoints;

use super::driver::{Driver, Remote, at, ms};
use super::handshakes::{device, quiet, quiet_for};
use super::tunnel_end::{device_responds, is_initiation, is_response, last};

/// A frame of case 29: a heartbeat or a DISCO answer, and when it was put.
type Frame = (char, u64);

/// Case 29: 15 heartbeats every 200 ms and 100 DISCO answers every 30 ms, and nothing is sent.
fn case_29(queueing: RelayQueueing) -> (RelayQueues<Frame>, BTreeMap<char, usize>) {
    let config = Config { relay_queueing: queueing, ..Preset::Head4.config() };
    let mut queues = RelayQueues::new(&config);
    let mut lost = BTreeMap::new();
    let heartbeats = (0..15).map(|number| (number * 200, RelayQueue::Safety, 'h'));
    let disco = (0..100).map(|number| (number * 30, RelayQueue::Normal, 'd'));
    let mut arrivals: Vec<_> = heartbeats.chain(disco).collect();
    arrivals.sort_by_key(|(when, _, kind)| (*when, *kind == 'd'));
    for (when, queue, kind) in arrivals {
        if let Queued::Evicted((kind, _)) | Queued::Dropped((kind, _)) =
            queues.put(queue, (kind, when))
        {
            *lost.entry(kind).or_default() += 1;
        }
    }
    (queues, lost)
}

/// Everything that is left, in the order of sending, round after round.
fn drained(queues: &mut RelayQueues<Frame>) -> Vec<Frame> {
    let mut all = Vec::new();
    while !queues.is_empty() {
        let mut round = Round::default();
        all.extend(std::iter::from_fn(|| queues.take(&mut round)));
    }
    all
}

fn times(frames: &[Frame], wanted: char) -> Vec<u64> {
    frames.iter().filter(|(kind, _)| *kind == wanted).map(|(_, when)| *when).collect()
}

/// Case 29, cites WG-DERP-1 (M1): in one queue DISCO pushes the heartbeats out; in two it cannot.
#[test]
fn two_queues_keep_the_heartbeats_that_one_queue_loses() {
    let (mut shared, lost) = case_29(RelayQueueing::Shared);
    assert_eq!((lost[&'h'], lost[&'d']), (13, 86));
    let frames = drained(&mut shared);
    assert_eq!(times(&frames, 'h'), [2_600, 2_800]);
    assert_eq!(times(&frames, 'd').len(), 14);
    let (mut two, lost) = case_29(RelayQueueing::Two);
    assert_eq!((lost[&'h'], lost[&'d']), (3, 84));
    assert_eq!((two.len(RelayQueue::Safety), two.len(RelayQueue::Normal)), (12, 16));
    let frames = drained(&mut two);
    assert_eq!(times(&frames, 'h'), (3..15).map(|it| it * 200).collect::<Vec<_>>());
    assert_eq!(times(&frames, 'd').len(), 16);
    assert!(frames[..12].iter().all(|(kind, _)| *kind == 'h'), "safety goes first");
    for kind in ['h', 'd'] {
        assert!(times(&frames, kind).is_sorted());
    }
    assert_eq!(Preset::Ilv3.config().relay_queueing, RelayQueueing::Shared);
    assert_eq!(Preset::Head4.config().relay_queueing, RelayQueueing::Two);
}

/// Cites WG-DERP-1 (M2, M3): at most twelve safety frames a round, then eight normal ones.
#[test]
fn a_round_sends_twelve_safety_frames_and_then_eight_normal_ones() {
    let config = Config { relay_safety_depth: 20, ..Preset::Head4.config() };
    let mut queues = RelayQueues::new(&config);
    for number in 0..16 {
        assert_eq!(queues.put(RelayQueue::Normal, ('n', number)), Queued::Waits);
        assert_eq!(queues.put(RelayQueue::Safety, ('s', number)), Queued::Waits);
    }
    assert_eq!(queues.put(RelayQueue::Normal, ('n', 16)), Queued::Evicted(('n', 0)));
    let mut round = Round::default();
    let sent: Vec<_> = std::iter::from_fn(|| queues.take(&mut round)).collect();
    let (safety, normal) = sent.split_at(12);
    assert_eq!(safety, (0..12).map(|it| ('s', it)).collect::<Vec<_>>());
    assert_eq!(normal, (1..9).map(|it| ('n', it)).collect::<Vec<_>>());
    assert_eq!((queues.len(RelayQueue::Safety), queues.len(RelayQueue::Normal)), (4, 8));
}

/// Cites WG-DERP-1 (M4, PF-108): the home's teardown loses the normal queue; safety frames go out
/// late unless corrected.
#[test]
fn a_teardown_loses_normal_frames_and_keeps_stale_safety_frames_unless_corrected() {
    for (rule, left) in [(Rule::Compat, 1), (Rule::Strict, 0)] {
        let mut config = Preset::Head4.config();
        config.rules.relay_safety_queue = rule;
        let mut queues = RelayQueues::new(&config);
        let _waits = queues.put(RelayQueue::Normal, ('n', 0));
        let _waits = queues.put(RelayQueue::Safety, ('s', 0));
        assert_eq!(queues.tear_down_home(), 2 - left, "{rule:?}");
        assert_eq!((queues.len(RelayQueue::Safety), queues.len(RelayQueue::Normal)), (left, 0));
    }
}

/// Cites WG-DERP-1: a queue without a place drops the newcomer after its tries.
#[test]
fn a_queue_without_places_drops_the_newcomer() {
    let config = Config { relay_queue_depth: 0, ..Preset::Head4.config() };
    let mut queues = RelayQueues::new(&config);
    assert_eq!(queues.put(RelayQueue::Normal, ('n', 0)), Queued::Dropped(('n', 0)));
    assert!(queues.is_empty());
}

/// Cites WG-DERP-1 (M5): handshakes to anybody and all frames to safety peers; by the corrected rule
/// DISCO frames not.
#[test]
fn handshakes_and_frames_to_safety_peers_ride_in_the_safety_queue() {
    let remotes = [1, 2, 3].map(Remote::new);
    for rule in [Rule::Compat, Rule::Strict] {
        let mut config = Config { add_pings_per_second: 5, ..quiet_for(&remotes[0]) };
        config.rules.relay_safety_queue = rule;
        let mut driver = device(config, &remotes);
        driver.control(Control::Health { address: remotes[1].address(), healthy: true });
        let pings: Vec<_> = driver
            .sent(MessageKind::Ping)
            .iter()
            .map(|(_, send)| (send.peer.0, send.queue))
            .collect();
        let disco = if rule.is_strict() { RelayQueue::Normal } else { RelayQueue::Safety };
        assert!(pings.contains(&(0, disco)) && pings.contains(&(2, RelayQueue::Normal)));
        assert_eq!(last(&driver, is_initiation).queue, RelayQueue::Safety);
        for (remote, queue) in
            [(&remotes[1], RelayQueue::Safety), (&remotes[2], RelayQueue::Normal)]
        {
            device_responds(&mut driver, remote, Via::Derp(remote.identity.node()));
            assert_eq!(last(&driver, is_response).queue, RelayQueue::Safety);
            driver.sends_to(remote);
            let data = last(&driver, |message| matches!(message, TunnelMessage::Data(_)));
            assert_eq!(data.queue, queue);
        }
    }
    let shared = Config { relay_queueing: RelayQueueing::Shared, ..quiet_for(&remotes[0]) };
    let driver = device(shared, &remotes);
    assert_eq!(last(&driver, is_initiation).queue, RelayQueue::Normal);
}

fn in_region(remote: &Remote, region: u16) -> PeerRecord {
    PeerRecord { region, ..remote.record() }
}

fn patch(remote: &Remote, region: u16) -> PeerUpdate {
    let endpoints = Endpoints::new();
    PeerUpdate::Patch { node: remote.identity.node(), disco: None, region, endpoints }
}

fn regions(driver: &Driver) -> Vec<u16> {
    driver.rehomes.iter().map(|(_, region)| *region).collect()
}

/// Cites WG-REHOME-1 (M1): home follows the priority peer, at once; not a bulk peer, not region 0.
#[test]
fn home_follows_the_priority_peer_and_nobody_else() {
    let remotes = [1, 2].map(Remote::new);
    let mut driver = Driver::new(Config { home_region: 4, ..quiet_for(&remotes[0]) });
    driver.updates.push_back(PeerUpdate::Add(in_region(&remotes[1], 9)));
    driver.run_until(at(5_000));
    assert!(regions(&driver).is_empty());
    driver.updates.push_back(PeerUpdate::Add(in_region(&remotes[0], 7)));
    driver.run_until(at(5_020));
    assert_eq!((regions(&driver), driver.core.relays().home()), (vec![7], 7));
    driver.updates.push_back(patch(&remotes[0], 0));
    driver.run_until(at(10_000));
    assert_eq!(regions(&driver), [7]);
    driver.updates.push_back(patch(&remotes[0], 8));
    driver.run_until(at(10_020));
    assert_eq!(regions(&driver), [7, 8]);
}

/// Cites WG-REHOME-1 (M4): what moved home elsewhere is put right within three seconds.
#[test]
fn the_periodic_check_brings_home_back() {
    let remote = Remote::new(1);
    let config = Config { fleet_server: Some(remote.address()), ..quiet() };
    let mut driver = Driver::new(config);
    driver.updates.push_back(PeerUpdate::Add(in_region(&remote, 7)));
    driver.run_until(at(4_000));
    driver.control(Control::RelayHome(3));
    driver.run_until(at(7_500));
    assert_eq!(regions(&driver), [7, 7]);
    let back = driver.rehomes[1].0;
    assert!(back > at(6_000) && back <= at(7_030), "{back:?}");
}

/// Cites WG-REHOME-1: an override wins for the connection, whatever is learned meanwhile.
#[test]
fn an_override_wins_and_can_be_lifted() {
    let remote = Remote::new(1);
    let mut driver = Driver::new(quiet_for(&remote));
    driver.control(Control::RelayOverride(12));
    driver.updates.push_back(PeerUpdate::Add(in_region(&remote, 7)));
    driver.run_until(at(4_000));
    assert_eq!(driver.core.relays().home(), 12);
    assert!(regions(&driver).iter().all(|region| *region == 12));
    driver.control(Control::RelayOverride(4_096));
    assert_eq!(driver.core.relays().home(), 7);
}

/// Cites WG-REHOME-1: without a priority peer, two pinned peers of different regions make the home
/// oscillate, since each is followed when its region is learned.
#[test]
fn two_pinned_peers_of_different_regions_make_home_oscillate() {
    let remotes = [1, 2].map(Remote::new);
    let mut driver = Driver::new(quiet());
    for remote in &remotes {
        driver.control(Control::Pin(remote.address()));
    }
    for _ in 0..3 {
        for (remote, region) in remotes.iter().zip([5, 6]) {
            driver.updates.push_back(PeerUpdate::Add(in_region(remote, region)));
        }
    }
    driver.run_until(at(20_000));
    assert_eq!(regions(&driver), [5, 6, 5, 6, 5, 6]);
}

/// Cites WG-REHOME-1: home and one per other region of a safety peer, six in all; beyond them a
/// warning, and frames go through home.
#[test]
fn six_relays_are_wanted_at_most_and_the_rest_goes_through_home() {
    let remotes: Vec<_> = (1..=8).map(Remote::new).collect();
    let mut driver = Driver::new(Config { home_region: 20, ..quiet() });
    for (remote, region) in remotes.iter().zip([21, 22, 21, 23, 24, 25, 26, 27]) {
        if remote.number != 8 {
            driver.control(Control::Health { address: remote.address(), healthy: true });
        }
        driver.updates.push_back(PeerUpdate::Add(in_region(remote, region)));
    }
    driver.run_until(at(100));
    let (wanted, full) = driver.core.wanted_relays();
    assert_eq!((wanted.as_slice(), full), (&[20, 21, 22, 23, 24, 25][..], true));
    for region in [20, 21] {
        driver.control(Control::RelayUp(region));
    }
    let route =
        |driver: &Driver, number: usize| driver.core.relay_route(remotes[number].identity.node());
    assert_eq!(
        [route(&driver, 0), route(&driver, 1), route(&driver, 6)],
        [Some(21), Some(20), Some(20)]
    );
    driver.control(Control::RelayDown(20));
    assert_eq!([route(&driver, 0), route(&driver, 1)], [Some(21), None]);
    let one = Driver::new(Config { home_region: 20, relay_connections: 1, ..quiet() });
    assert_eq!(one.core.wanted_relays().0.as_slice(), [20]);
    let connections = Preset::ALL.map(|preset| preset.config().relay_connections);
    assert_eq!(connections, [1, 1, 1, 6, 6]);
}

/// Cites WG-REHOME-1: the warning comes once, when a pinned peer's region makes the pool too small.
#[test]
fn a_full_pool_is_reported_once() {
    let remotes: Vec<_> = (1..=4).map(Remote::new).collect();
    let config = Config { home_region: 1, relay_connections: 2, ..quiet() };
    let mut driver = Driver::new(config);
    for (remote, region) in remotes.iter().zip([1, 2, 3, 4]) {
        driver.control(Control::Pin(remote.address()));
        driver.updates.push_back(PeerUpdate::Add(in_region(remote, region)));
    }
    driver.run_until(at(100));
    assert_eq!(driver.count(|note| *note == Note::RelayPoolFull), 1);
}

/// Case 12, cites WG-REHOME-1 (PF-32): attempts go on for ever, so an outage of any length ends; in
/// a hurry after 5, 5, 10 and then every 60 s, else every 60 s.
#[test]
fn a_relay_is_tried_for_ever() {
    let gaps: Vec<_> = (0..6).map(|attempt| retry_gap(attempt, true).as_millis()).collect();
    assert_eq!(gaps, [5_000, 5_000, 10_000, 60_000, 60_000, 60_000]);
    assert!((0..6).all(|attempt| retry_gap(attempt, false) == ms(60_000)));
    let connected_after = |outage: Duration, hurried| {
        let mut now = Duration::ZERO;
        (0..).find_map(|attempt| {
            now = now.plus(retry_gap(attempt, hurried));
            (now >= outage).then_some(now)
        })
    };
    assert_eq!(connected_after(ms(10_000), true), Some(ms(10_000)));
    assert_eq!(connected_after(ms(200_000), true), Some(ms(200_000)));
    assert_eq!(connected_after(ms(200_001), true), Some(ms(260_000)));
    assert_eq!(connected_after(ms(10_000), false), Some(ms(60_000)));
    assert_eq!(UNWANTED_KEPT, ms(30_000));
}
