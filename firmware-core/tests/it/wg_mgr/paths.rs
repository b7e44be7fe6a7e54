//! Direct paths: which one is used, what a change costs, and when none is looked for.
use std::net::{Ipv4Addr, SocketAddrV4};

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::{ActiveClear, Config};
use firmware_core::wg_mgr::input::{Control, PeerUpdate, Via};
use firmware_core::wg_mgr::output::{InitiationReason, MessageKind, Note};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;

use super::driver::{Driver, Remote, answer_pings, at, ms, reach, slot_of, with_sessions};
use super::handshakes::{device, quiet, quiet_for};
use super::tunnel_end::{End, HEARTBEAT, device_responds, is_initiation, last};

const OTHER: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(198, 51, 100, 7), 7_777);
const LAN: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::new(192, 168, 1, 9), 41_641);

const FIRST: PeerIndex = PeerIndex(0);

fn path(driver: &Driver) -> Option<SocketAddrV4> {
    driver.core.peers().get(FIRST).expect("it was added").direct
}

fn endpoint(driver: &Driver) -> Option<SocketAddrV4> {
    driver.core.tunnel_of(FIRST).expect("it has a tunnel").endpoint
}

/// The next ping that the device sends is answered from `source`.
fn pong_from(driver: &mut Driver, remote: &Remote, source: SocketAddrV4) {
    driver.sends.clear();
    let before = driver.now;
    while driver.sent(MessageKind::Ping).is_empty() {
        driver.run_until(driver.now.after(ms(100)));
        assert!(driver.now.since(before) < ms(40_000), "no ping for 40 s");
    }
    let packet = driver.sent(MessageKind::Ping)[0].1.packet.clone();
    let pong = remote.answers(&driver.core, &packet).expect("a ping to it");
    driver.disco_arrives(driver.now, &pong, Via::Direct(source));
    driver.run_until(driver.now.after(ms(20)));
}

/// The path after a pong from elsewhere.
fn path_after(config: Config, first: SocketAddrV4, then: SocketAddrV4) -> (Driver, Remote) {
    let remote = Remote::new(1);
    let mut driver = device(config, core::slice::from_ref(&remote));
    driver.disco_arrives(driver.now, &remote.ping(&driver.core, 1), Via::Direct(first));
    pong_from(&mut driver, &remote, first);
    assert_eq!(path(&driver), Some(first));
    pong_from(&mut driver, &remote, then);
    (driver, remote)
}

/// Cites WG-PATH-1 (M1): a safety peer keeps its path and remembers the other as a candidate; a bulk
/// peer changes, and so did everybody before ILV-3.
#[test]
fn a_safety_peers_path_is_kept_and_a_bulk_peers_follows_each_pong() {
    let remote = Remote::new(1);
    let wan = remote.endpoint();
    let older = Config { sticky_path: false, probe_dedup: None, ..quiet_for(&remote) };
    let sticky = Config { probe_dedup: None, ..quiet_for(&remote) };
    for (config, kept) in [(sticky, true), (older, false), (quiet(), false)] {
        let (driver, _) = path_after(config, wan, OTHER);
        assert_eq!(path(&driver), Some(if kept { wan } else { OTHER }));
        let noted = driver.count(|note| *note == Note::PathKept(FIRST));
        assert_eq!(noted, usize::from(kept));
        let peer = driver.core.peers().get(FIRST).expect("it was added");
        assert!(!kept || peer.endpoints.contains(&OTHER));
    }
    let sticky = Preset::ALL.map(|preset| preset.config().sticky_path);
    assert_eq!(sticky, [false, false, false, true, true]);
}

/// Cites WG-PATH-1: from outside to the local network a safety peer's path does change; not back.
#[test]
fn a_safety_peers_path_moves_to_the_local_network_and_not_back() {
    let remote = Remote::new(1);
    let config = Config { probe_dedup: None, ..quiet_for(&remote) };
    let (driver, _) = path_after(config.clone(), remote.endpoint(), LAN);
    assert_eq!(path(&driver), Some(LAN));
    let (driver, _) = path_after(config, LAN, remote.endpoint());
    assert_eq!(path(&driver), Some(LAN));
}

/// Cites WG-PATH-1: with a session, a change of path costs one handshake, and no change none.
#[test]
fn a_change_of_path_costs_one_handshake_in_a_session() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    device_responds(&mut driver, &remote, remote.direct());
    reach(&mut driver, core::slice::from_ref(&remote));
    assert!(driver.initiated().is_empty(), "packets go there already");
    pong_from(&mut driver, &remote, remote.endpoint());
    assert!(driver.initiated().is_empty());
    pong_from(&mut driver, &remote, OTHER);
    let (_, why) = driver.initiated()[0];
    assert_eq!((why, driver.initiated().len()), (InitiationReason::PathChanged, 1));
    assert_eq!(last(&driver, is_initiation).direct, Some(OTHER));
    assert_eq!(endpoint(&driver), Some(OTHER));
}

/// Cites WG-PATH-1 (M3, PF-38): without a session, one initiation in a slot's life, not repeated.
#[test]
fn a_peer_reached_for_the_first_time_gets_one_initiation() {
    let remote = Remote::new(1);
    let config = Config { active_clear: ActiveClear::Never, ..quiet() };
    let mut driver = device(config, core::slice::from_ref(&remote));
    reach(&mut driver, core::slice::from_ref(&remote));
    driver.run_until(at(30_000));
    let why: Vec<_> = driver.initiated().iter().map(|(_, why)| *why).collect();
    assert_eq!(why, [InitiationReason::FirstPath]);
    assert_eq!(last(&driver, is_initiation).direct, Some(remote.endpoint()));
    assert!(!driver.core.tunnel_of(FIRST).expect("it has a tunnel").active);
    pong_from(&mut driver, &remote, OTHER);
    assert_eq!(driver.initiated().len(), 1);
}

/// Cites WG-ADD-2 (PF-101): a slot's next owner inherits that it was tried, unless corrected.
#[test]
fn the_slots_next_owner_gets_no_first_initiation_unless_corrected() {
    for (rule, initiations) in [(Rule::Compat, 1), (Rule::Strict, 2)] {
        let (old, new) = (Remote::new(1), Remote::new(2));
        let mut config = quiet();
        config.rules.slot_reuse = rule;
        let mut driver = device(config, core::slice::from_ref(&old));
        reach(&mut driver, core::slice::from_ref(&old));
        driver.updates.push_back(PeerUpdate::Remove(old.identity.node()));
        driver.add(&new);
        driver.run_until(at(5_000));
        reach(&mut driver, core::slice::from_ref(&new));
        assert_eq!(slot_of(&driver.core, new.identity.node()), FIRST);
        assert_eq!(driver.initiated().len(), initiations, "{rule:?}");
    }
}

/// Cites WG-REM-1 (PF-101): a late pong to a removed peer moves the tunnel of whoever has its
/// tunnel slot now, unless the number was taken back.
#[test]
fn a_late_pong_moves_another_peers_tunnel_unless_corrected() {
    for (rule, moved) in [(Rule::Compat, true), (Rule::Strict, false)] {
        let [old, new] = [1, 2].map(Remote::new);
        let mut config = Config { add_pings_per_second: 5, tunnel_slots: 1, ..quiet() };
        config.rules.stale_tunnel_index = rule;
        let mut driver = device(config, &[old.clone(), new.clone()]);
        let ping = driver.sent(MessageKind::Ping)[0].1.packet.clone();
        let pong = old.answers(&driver.core, &ping).expect("the first ping is for it");
        // The removed peer stays below the end of the table; its tunnel slot goes to the other.
        driver.updates.push_back(PeerUpdate::Remove(old.identity.node()));
        driver.add(&new);
        driver.run_until(at(100));
        let slot = slot_of(&driver.core, new.identity.node());
        assert_ne!(slot, FIRST);
        device_responds(&mut driver, &new, Via::Derp(new.identity.node()));
        driver.disco_arrives(driver.now, &pong, old.direct());
        driver.run_until(driver.now.after(ms(20)));
        let tunnel = driver.core.tunnel_of(slot).expect("it has a tunnel");
        assert_eq!(tunnel.endpoint == Some(old.endpoint()), moved, "{rule:?}");
    }
}

/// Cites WG-PATH-1: an authentic direct packet moves the live endpoint, one through the relay does
/// not; neither is a direct path in the sense of a lease.
#[test]
fn an_authentic_direct_packet_moves_the_live_endpoint() {
    let remote = Remote::new(1);
    let mut driver = device(quiet(), core::slice::from_ref(&remote));
    let mut end = device_responds(&mut driver, &remote, Via::Derp(remote.identity.node()));
    assert_eq!((endpoint(&driver), path(&driver)), (None, None));
    driver.tunnel_comes(driver.now, &end.says(&HEARTBEAT), Via::Direct(OTHER));
    driver.run_until(driver.now.after(ms(20)));
    assert_eq!((endpoint(&driver), path(&driver)), (Some(OTHER), None));
    assert_eq!(driver.count(|note| *note == Note::Roamed(FIRST)), 1);
    driver.tunnel_comes(driver.now, &end.says(&HEARTBEAT), end.relayed());
    driver.run_until(driver.now.after(ms(20)));
    assert_eq!(endpoint(&driver), Some(OTHER));
}

/// Cites WG-PATH-1 (M4) and WG-RATE-1: a pong through the relay is no path.
#[test]
fn a_relayed_pong_brings_no_path_up() {
    let remote = Remote::new(1);
    let config = Config { add_pings_per_second: 5, ..quiet() };
    let mut driver = device(config, core::slice::from_ref(&remote));
    answer_pings(&mut driver, core::slice::from_ref(&remote), false);
    driver.run_until(at(200));
    assert_eq!(driver.count(|note| matches!(note, Note::Matched { direct: false, .. })), 1);
    assert_eq!(path(&driver), None);
    assert!(driver.initiated().is_empty(), "a bulk peer is not tried for it");
}

/// Cites WG-ADD-2 (M3, PF-22): before ILV-3 a new peer's first endpoint was used unproven.
#[test]
fn a_netmap_endpoint_is_live_at_once_in_the_older_versions_only() {
    for preset in Preset::ALL {
        let mut remote = Remote::new(1);
        remote.endpoints.push(OTHER).expect("room for one");
        let driver = device(with_sessions(preset.config()), core::slice::from_ref(&remote));
        let live = matches!(preset, Preset::Pre0 | Preset::Arm1 | Preset::Key2);
        assert_eq!(endpoint(&driver), live.then_some(OTHER), "{}", preset.name());
    }
}

/// A priority peer whose path comes up each time it is looked for and lasts `lasts`; the spans
/// between one loss and the next attempt's success, and the back-offs that were noted.
fn flapping(config: Config, flaps: usize) -> Vec<Duration> {
    let remote = Remote::new(1);
    let mut driver = device(config, core::slice::from_ref(&remote));
    reach(&mut driver, core::slice::from_ref(&remote));
    let mut spans = Vec::new();
    for _ in 0..6_000 {
        driver.run_until(driver.now.after(ms(100)));
        // It answers only while it has no path: each path is dead as soon as it is up.
        if path(&driver).is_none() {
            answer_pings(&mut driver, core::slice::from_ref(&remote), true);
        } else {
            driver.sends.clear();
        }
        spans = driver
            .notes
            .iter()
            .filter_map(|(_, note)| match note {
                Note::BackedOff { span, .. } => Some(*span),
                _ => None,
            })
            .collect();
        if spans.len() >= flaps {
            break;
        }
    }
    spans
}

/// Cites WG-FLAP-1: 10, 20, 40, then 60 s, from HEAD-4 on, for safety peers only.
#[test]
fn a_flapping_path_is_looked_for_after_10_20_40_and_60_s() {
    let remote = Remote::new(1);
    let spans = flapping(quiet_for(&remote), 6);
    assert_eq!(spans, [10, 20, 40, 60, 60, 60].map(|seconds| ms(seconds * 1_000)));
    let never = Config { flap_window: None, ..quiet_for(&remote) };
    assert!(flapping(never, 1).is_empty());
    let bulk = Config { trust: ms(3_000), upgrade_interval: ms(5_000), ..quiet() };
    assert!(flapping(bulk, 1).is_empty());
    let windows = Preset::ALL.map(|preset| preset.config().flap_window.is_some());
    assert_eq!(windows, [false, false, false, false, true]);
}

/// Cites WG-FLAP-1: no upgrade ping while it backs off; a path that lasts is forgiven.
#[test]
fn a_path_that_lasts_is_forgiven_its_flaps() {
    let remote = Remote::new(1);
    let mut driver = device(quiet_for(&remote), core::slice::from_ref(&remote));
    reach(&mut driver, core::slice::from_ref(&remote));
    let flaps = |driver: &Driver| driver.core.peers().get(FIRST).expect("it is there").flaps;
    while flaps(&driver) == 0 {
        driver.run_until(driver.now.after(ms(100)));
        assert!(driver.now < at(10_000));
    }
    let down = driver.now;
    driver.notes.clear();
    let upgrade = |driver: &Driver| {
        let due = |(when, note): &(Instant, Note)| match note {
            Note::UpgradeDue(_) => Some(*when),
            _ => None,
        };
        driver.notes.iter().find_map(due)
    };
    while upgrade(&driver).is_none() {
        driver.run_until(driver.now.after(ms(100)));
        assert!(driver.now < at(30_000));
    }
    let waited = upgrade(&driver).expect("it fell due").since(down);
    assert!((9_800..=11_100).contains(&waited.as_millis()), "{waited:?}");
    // From here on it answers; 15 s later the count is gone.
    let up = driver.now;
    while driver.now.since(up) < ms(17_000) {
        answer_pings(&mut driver, core::slice::from_ref(&remote), true);
        driver.run_until(driver.now.after(ms(500)));
        assert!(flaps(&driver) <= 1);
        let promoted = driver.core.peers().get(FIRST).and_then(|peer| peer.promoted);
        let age = driver.now.since(promoted.expect("it was promoted"));
        assert!(age <= ms(15_000) || age > ms(19_000) || flaps(&driver) <= 1);
    }
    driver.run_until(driver.now.after(ms(100)));
    assert_eq!(flaps(&driver), 0);
}

/// Cites WG-FLAP-1: the end of a path after 15 s is no flap.
#[test]
fn a_path_that_lasted_15_s_does_not_flap() {
    let remote = Remote::new(1);
    let mut driver = device(quiet_for(&remote), core::slice::from_ref(&remote));
    reach(&mut driver, core::slice::from_ref(&remote));
    while driver.now < at(16_000) {
        answer_pings(&mut driver, core::slice::from_ref(&remote), true);
        driver.run_until(driver.now.after(ms(500)));
    }
    driver.run_until(at(30_000));
    assert!(driver.count(|note| matches!(note, Note::PathDown { .. })) == 1);
    assert_eq!(driver.count(|note| matches!(note, Note::BackedOff { .. })), 0);
}

/// Cites WG-RATE-1 (PF-37): a relayed pong of a safety peer without a session begins a handshake,
/// at most every five seconds; with a session, or for others, none.
#[test]
fn relayed_pongs_begin_a_handshake_at_most_every_5_s() {
    let remote = Remote::new(1);
    // It is woken every three seconds and answers each of those pings through the relay.
    let config = Config { wake_interval: ms(3_000), ..quiet() };
    let mut driver = device(config, core::slice::from_ref(&remote));
    driver.control(Control::Health { address: remote.address(), healthy: true });
    while driver.now < at(21_000) {
        driver.run_until(driver.now.after(ms(100)));
        answer_pings(&mut driver, core::slice::from_ref(&remote), false);
    }
    let pongs = driver.count(|note| matches!(note, Note::Matched { direct: false, .. }));
    assert!(pongs >= 5, "{pongs}");
    let times: Vec<_> = driver
        .initiated()
        .into_iter()
        .filter(|(_, why)| *why == InitiationReason::RelayPong)
        .map(|(when, _)| when)
        .collect();
    assert!(times.len() >= 3, "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1].since(pair[0]) > ms(5_000)), "{times:?}");
    let end = End::new(&remote, &driver.core);
    device_responds(&mut driver, &remote, end.relayed());
    driver.notes.clear();
    while driver.now < at(40_000) {
        driver.run_until(driver.now.after(ms(100)));
        answer_pings(&mut driver, core::slice::from_ref(&remote), false);
    }
    assert!(driver.initiated().is_empty());
}
