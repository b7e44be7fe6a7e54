//! The DISCO timers: heartbeat pings, upgrade pings, and paths that end.
use std::collections::BTreeMap;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::input::Control;
use firmware_core::wg_mgr::output::{MessageKind, Note, PathLoss};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::timers::jitter;

use super::driver::{Driver, Remote, at, ms};

/// When all peers of [`aligned`] were last pinged.
const PINGED_MS: u64 = 10_000;

/// A loop whose timers run at whole multiples of `tick_ms`.
fn ticking(tick_ms: u64) -> Config {
    Config {
        disco_tick: ms(tick_ms - 1),
        loop_delay: ms(100),
        adds_per_pass: None,
        add_pings_per_second: 0,
        probes: 256,
        key_cache_entries: 264,
        heartbeats_per_tick: None,
        peer_table: 256,
        tunnel_slots: 256,
        ..Preset::Ilv3.config()
    }
}

/// A device whose `peers` were all last pinged at [`PINGED_MS`] and have direct paths since.
fn aligned(config: Config, peers: u8) -> (Driver, Vec<Remote>) {
    let mut driver = Driver::new(config);
    let remotes: Vec<_> = (1..=peers).map(Remote::new).collect();
    for remote in &remotes {
        driver.add(remote);
    }
    driver.run_until(at(PINGED_MS - 50));
    // Each of them pings; having no direct path, each is pinged back in the same pass.
    for remote in &remotes {
        let ping = remote.ping(&driver.core, 1);
        driver.disco_arrives(at(PINGED_MS - 1), &ping, remote.direct());
    }
    driver.run_until(at(PINGED_MS + 10));
    answer(&mut driver, &remotes);
    driver.run_until(at(PINGED_MS + 150));
    let up = driver.core.peers().slots().filter(|(_, peer)| peer.direct.is_some()).count();
    assert_eq!(up, usize::from(peers));
    driver.notes.clear();
    (driver, remotes)
}

/// The pings sent since the last call are answered directly.
fn answer(driver: &mut Driver, remotes: &[Remote]) {
    let sends: Vec<_> = driver.sends.drain(..).collect();
    for (when, send) in sends.iter().filter(|(_, send)| send.kind == MessageKind::Ping) {
        let remote = remotes
            .iter()
            .find(|remote| remote.identity.node() == send.node)
            .expect("a ping to one of them");
        let pong = remote.answers(&driver.core, &send.packet).expect("a ping to it");
        driver.disco_arrives(when.after(ms(20)), &pong, remote.direct());
    }
}

/// Heartbeat pings by the tick they fell due in, counted from the common last ping.
fn due_by_tick(driver: &Driver) -> BTreeMap<u64, usize> {
    let mut ticks = BTreeMap::new();
    for (when, note) in &driver.notes {
        if matches!(note, Note::HeartbeatDue(_)) {
            *ticks.entry(when.as_millis() - PINGED_MS).or_default() += 1;
        }
    }
    ticks
}

/// Case 08, cites WG-HB-1 and WG-PING-1: an offset below the tick changes nothing.
#[test]
fn offsets_below_the_tick_leave_a_hundred_heartbeats_in_one_tick() {
    for heartbeat_jitter in [true, false] {
        let (mut driver, _) = aligned(Config { heartbeat_jitter, ..ticking(1_000) }, 100);
        driver.run_until(at(PINGED_MS + 50_000));
        assert_eq!(due_by_tick(&driver), BTreeMap::from([(31_000, 100)]));
    }
}

/// Case 08, cites WG-HB-1: whatever the phase between the last ping and the tick, the offsets
/// spread over two ticks at most.
#[test]
fn offsets_spread_heartbeats_over_two_ticks_at_most_in_any_phase() {
    for phase in (0..1_000).step_by(37) {
        let due = |slot| 30_000 + jitter(PeerIndex(slot)).as_millis();
        let tick = |slot| (due(slot) + phase) / 1_000 + 1;
        let used: std::collections::BTreeSet<_> = (0..128).map(tick).collect();
        assert!(used.len() <= 2, "phase {phase} ms uses {used:?}");
    }
}

/// Case 08, cites WG-HB-1: eight a tick; 128 peers take 16 ticks.
#[test]
fn the_cap_spreads_aligned_heartbeats_over_eight_a_tick() {
    for (peers, full_ticks, rest) in [(100, 12, 4), (128, 16, 0)] {
        let config = Config { heartbeats_per_tick: Some(8), ..ticking(1_000) };
        let (mut driver, _) = aligned(config, peers);
        driver.run_until(at(PINGED_MS + 50_000));
        let mut right: BTreeMap<u64, usize> =
            (0..full_ticks).map(|tick| (31_000 + 1_000 * tick, 8)).collect();
        if rest > 0 {
            right.insert(31_000 + 1_000 * full_ticks, rest);
        }
        assert_eq!(due_by_tick(&driver), right, "{peers} peers");
    }
}

/// Case 08, cites WG-HB-1: a tick shorter than the offsets makes them work.
#[test]
fn with_a_tick_of_100_ms_the_offsets_spread_the_heartbeats() {
    let (mut driver, _) = aligned(ticking(100), 100);
    driver.run_until(at(PINGED_MS + 50_000));
    let counts: Vec<_> = due_by_tick(&driver).into_iter().collect();
    let right = [11, 9, 11, 10, 9, 11, 10, 9, 10, 10];
    let right: Vec<_> = (30_100..=31_000).step_by(100).zip(right).collect();
    assert_eq!(counts, right);
}

/// How many of `peers` aligned paths run out of trust while every ping is answered.
fn expired(peers: u8) -> usize {
    let config = Config { heartbeats_per_tick: Some(8), ..ticking(1_000) };
    let (mut driver, remotes) = aligned(config, peers);
    for second in 1..=65 {
        driver.run_until(at(PINGED_MS + 1_000 * second + 10));
        answer(&mut driver, &remotes);
    }
    driver.count(|note| matches!(note, Note::PathDown { why: PathLoss::TrustExpired, .. }))
}

/// Case 08, cites WG-HB-1 and WG-LEASE-1: eight a second for thirty seconds.
#[test]
fn two_hundred_and_forty_peers_are_served_within_their_lease_and_one_more_is_not() {
    assert_eq!((expired(240), expired(241)), (0, 1));
}

/// Cites WG-HB-1 and WG-LEASE-1: a cap of 0 lets bulk leases run out.
#[test]
fn without_heartbeats_bulk_leases_expire_after_sixty_seconds() {
    let config = Config { heartbeats_per_tick: Some(0), ..ticking(1_000) };
    let (mut driver, _) = aligned(config, 5);
    driver.run_until(at(PINGED_MS + 62_000));
    assert_eq!(driver.count(|note| matches!(note, Note::HeartbeatDue(_))), 0);
    let expired = Note::PathDown { peer: PeerIndex(0), why: PathLoss::TrustExpired };
    assert_eq!(driver.count(|note| *note == expired), 1);
}

/// Cites WG-HB-1: the priority peer beats every 3 s, outside cap and offset.
#[test]
fn the_priority_peer_beats_every_three_seconds_whatever_the_cap() {
    let config = Config {
        heartbeats_per_tick: Some(0),
        priority_peer: Some(Remote::new(1).address()),
        ..ticking(1_000)
    };
    let (mut driver, remotes) = aligned(config, 3);
    for second in 1..=20 {
        driver.run_until(at(PINGED_MS + 1_000 * second + 10));
        answer(&mut driver, &remotes);
    }
    let beats: Vec<_> = due_by_tick(&driver).into_iter().collect();
    assert_eq!(beats, [(4_000, 1), (8_000, 1), (12_000, 1), (16_000, 1), (20_000, 1)]);
}

/// Cites WG-HB-1: strictly more than the interval, so 30 s exactly is not yet due.
#[test]
fn a_heartbeat_falls_due_after_the_interval_not_at_it() {
    let config = Config { heartbeat_jitter: false, ..ticking(1_000) };
    let (mut driver, _) = aligned(config, 1);
    driver.run_until(at(PINGED_MS + 30_000));
    assert!(due_by_tick(&driver).is_empty());
    driver.run_until(at(PINGED_MS + 31_000));
    assert_eq!(due_by_tick(&driver), BTreeMap::from([(31_000, 1)]));
}

/// Cites WG-LEASE-2: silence of the priority peer for more than 4 s, and of nobody else.
#[test]
fn the_priority_path_is_given_up_after_four_seconds_of_silence() {
    let config = Config { priority_peer: Some(Remote::new(1).address()), ..ticking(1_000) };
    let (mut driver, _) = aligned(config, 2);
    driver.run_until(at(PINGED_MS + 20_000));
    let downs: Vec<_> = driver
        .notes
        .iter()
        .filter_map(|(when, note)| match note {
            Note::PathDown { peer, why } => Some((when.as_millis() - PINGED_MS, peer.0, *why)),
            _ => None,
        })
        .collect();
    assert_eq!(downs, [(5_000, 0, PathLoss::Silent)]);
}

/// By then the bulk peers' searches, which all begin in the same tick, have spread out.
const SETTLED_MS: u64 = 1_000_000;

/// Milliseconds between the upgrade pings of slot 0.
fn priority_upgrade_gaps(peers: u8, rule: Rule) -> Vec<u64> {
    let mut config = Config {
        priority_peer: Some(Remote::new(1).address()),
        add_pings_per_second: 0,
        probes: 256,
        key_cache_entries: 264,
        ..Preset::Ilv3.config()
    };
    config.rules.priority_upgrade = rule;
    let mut driver = Driver::new(config);
    (1..=peers).for_each(|number| driver.add(&Remote::new(number)));
    driver.run_until(at(2_000_000));
    let due = |(when, note): &(Instant, Note)| {
        (*note == Note::UpgradeDue(PeerIndex(0))).then_some(when.as_millis())
    };
    let times: Vec<u64> =
        driver.notes.iter().filter_map(due).filter(|ms| *ms > SETTLED_MS).collect();
    times.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn mean(gaps: &[u64]) -> u64 {
    gaps.iter().sum::<u64>() / u64::try_from(gaps.len()).expect("a few")
}

/// Cites WG-HB-2 (PF-98): with 120 and more peers on relays the promise of 5 s becomes a minute;
/// by the corrected rule it holds. (Below 120 it depends on how the rotation falls: a slow
/// independent model of the same rule gives 5.0 s at 64 peers, 8.6 s at 60, 11.7 s at 118.)
#[test]
fn the_priority_peers_search_for_a_path_starves_among_120_peers_unless_corrected() {
    for (peers, least, most) in [(32, 5_000, 5_300), (64, 5_000, 5_300)] {
        let gap = mean(&priority_upgrade_gaps(peers, Rule::Compat));
        assert!((least..=most).contains(&gap), "{peers} peers: {gap} ms");
    }
    for peers in [120, 128] {
        let gap = mean(&priority_upgrade_gaps(peers, Rule::Compat));
        assert!((58_000..=66_000).contains(&gap), "{peers} peers: {gap} ms");
        let gap = mean(&priority_upgrade_gaps(peers, Rule::Strict));
        assert!((5_000..5_100).contains(&gap), "{peers} peers, corrected: {gap} ms");
    }
}

/// Cites WG-HB-2: nobody is due before the device has been up for a minute.
#[test]
fn no_bulk_peer_is_searched_for_in_the_first_minute() {
    let mut driver = Driver::new(Config { add_pings_per_second: 0, ..Preset::Ilv3.config() });
    (1..=9).for_each(|number| driver.add(&Remote::new(number)));
    driver.run_until(at(60_000));
    assert_eq!(driver.count(|note| matches!(note, Note::UpgradeDue(_))), 0);
    driver.run_until(at(61_000));
    assert_eq!(driver.count(|note| matches!(note, Note::UpgradeDue(_))), 2);
}

/// Cites WG-PROBE-1 (PF-15): swept with the tick's start time, a ping sent during the tick is gone
/// before its pong can come; only one sent in the very instant the tick began survives.
#[test]
fn with_a_stale_sweep_clock_a_heartbeats_pong_finds_no_probe() {
    for (rule, matched) in [(Rule::Compat, 1), (Rule::Strict, 5)] {
        let mut config = Config { heartbeat_jitter: false, ..ticking(1_000) };
        config.rules.sweep_clock = rule;
        let (mut driver, remotes) = aligned(config, 5);
        driver.costs = |_| Duration::from_micros(1);
        driver.run_until(at(PINGED_MS + 31_050));
        answer(&mut driver, &remotes);
        driver.run_until(at(PINGED_MS + 31_250));
        assert_eq!(driver.count(|note| matches!(note, Note::Matched { .. })), matched, "{rule:?}");
    }
}

/// Cites WG-HB-2: two upgrade pings a tick, and the scan begins two slots further each time. After 60
/// scans of 7 slots it begins at slot 1, since 120 = 7 * 17 + 1.
#[test]
fn the_scan_begins_two_slots_further_each_tick() {
    let mut driver = Driver::new(ticking(1_000));
    (1..=7).for_each(|number| driver.add(&Remote::new(number)));
    driver.run_until(at(70_000));
    let due = |(when, note): &(Instant, Note)| match note {
        Note::UpgradeDue(peer) => Some((when.as_millis() / 1_000, peer.0)),
        _ => None,
    };
    let found: Vec<_> = driver.notes.iter().filter_map(due).collect();
    assert_eq!(found, [(61, 1), (61, 2), (62, 3), (62, 4), (63, 5), (63, 6), (64, 0)]);
}

/// Cites WG-HB-2: strictly more than the interval, so 60 s exactly is not yet due.
#[test]
fn an_upgrade_ping_falls_due_after_the_interval_not_at_it() {
    let mut driver = Driver::new(ticking(1_000));
    driver.add(&Remote::new(1));
    for (when, due) in [(60_050, 0), (61_050, 1)] {
        driver.run_until(at(when));
        assert_eq!(driver.count(|note| matches!(note, Note::UpgradeDue(_))), due, "at {when} ms");
    }
}

/// Cites WG-PING-1: an upgrade ping is not forced, so one within five seconds of another is skipped.
#[test]
fn an_upgrade_ping_within_five_seconds_of_another_is_skipped() {
    let peer = Remote::new(1);
    let mut driver = Driver::new(ticking(1_000));
    driver.add(&peer);
    // Having no direct path, it is pinged back at 58 s; the pong never comes.
    driver.disco_arrives(at(57_950), &peer.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(61_050));
    assert_eq!(driver.count(|note| matches!(note, Note::UpgradeDue(_))), 1);
    assert_eq!(driver.count(|note| matches!(note, Note::PingSkipped(_))), 1);
    let times: Vec<_> = driver.sent(MessageKind::Ping).iter().map(|(when, _)| *when).collect();
    assert_eq!(times, [at(58_000)]);
}

/// Cites WG-ALLOW-1: heartbeats go to listed peers only.
#[test]
fn the_timers_ping_nobody_who_is_not_allowed() {
    let (mut driver, remotes) = aligned(ticking(1_000), 2);
    driver.control(Control::AllowList(&[remotes[1].address()]));
    driver.run_until(at(PINGED_MS + 35_000));
    assert_eq!(driver.count(|note| *note == Note::HeartbeatDue(PeerIndex(1))), 1);
    assert_eq!(driver.count(|note| matches!(note, Note::HeartbeatDue(_))), 1);
}
