//! The peer table: paced additions, slots, eviction, removal, limits.
use std::net::Ipv4Addr;

use firmware_core::charge::CostKey;
use firmware_core::time::Instant;
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::keys::{DiscoKey, NodeKey};
use firmware_core::wg_mgr::output::{MessageKind, Note, Refusal};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::wire::Endpoints;

use super::driver::{Driver, Remote, at, slot_of};

fn added(driver: &Driver) -> Vec<(Instant, u16)> {
    let added = |(when, note): &(Instant, Note)| match note {
        Note::Added { peer, .. } => Some((*when, peer.0)),
        _ => None,
    };
    driver.notes.iter().filter_map(added).collect()
}

fn filled(config: Config, peers: u8) -> Driver {
    let mut driver = Driver::new(config);
    for number in 1..=peers {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(995));
    driver
}

/// Cites WG-ADD-1: N additions take N/4 passes, rounded up.
#[test]
fn ten_additions_take_three_passes() {
    let driver = filled(Preset::Ilv3.config(), 10);
    let times: Vec<_> = added(&driver).iter().map(|(when, _)| when.as_millis()).collect();
    assert_eq!(times, [0, 0, 0, 0, 10, 10, 10, 10, 20, 20]);
}

/// Cites WG-ADD-1: the count is looked at after the addition, so a limit of 0 still lets one through;
/// without a limit one pass takes all.
#[test]
fn a_limit_of_none_adds_one_a_pass_and_no_limit_adds_all_at_once() {
    for (limit, right) in [(Some(0), vec![0, 10, 20]), (None, vec![0, 0, 0])] {
        let config = Config { adds_per_pass: limit, ..Preset::Ilv3.config() };
        let times: Vec<_> = added(&filled(config, 3)).iter().map(|it| it.0.as_millis()).collect();
        assert_eq!(times, right);
    }
}

/// Cites WG-ADD-1: refused and repeated additions count too; removals and patches do not.
#[test]
fn refused_additions_cost_budget_and_removals_do_not() {
    let config = Config { peer_table: 1, ..Preset::Ilv3.config() };
    let mut driver = filled(config, 1);
    for _ in 0..20 {
        driver.updates.push_back(PeerUpdate::Remove(NodeKey([99; 32])));
    }
    for number in 2..=9 {
        driver.add(&Remote::new(number));
    }
    driver.charges.clear();
    driver.run_until(at(1_000));
    assert_eq!(driver.charged(CostKey::PeerUpdate), 24);
    driver.run_until(at(1_010));
    assert_eq!(driver.charged(CostKey::PeerUpdate), 28);
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TableFull)), 8);
}

/// Cites WG-ADD-2 and WG-ALLOW-1: the allowlist comes first, and even the priority peer must be on
/// it; only the fleet server need not.
#[test]
fn the_allowlist_decides_before_anything_else() {
    let (priority, fleet, listed) = (Remote::new(1), Remote::new(2), Remote::new(3));
    let config = Config {
        priority_peer: Some(priority.address()),
        fleet_server: Some(fleet.address()),
        ..Preset::Ilv3.config()
    };
    let mut driver = Driver::new(config);
    driver.control(Control::AllowList(&[listed.address()]));
    for peer in [&priority, &fleet, &listed] {
        driver.add(peer);
    }
    driver.run_until(at(50));
    assert_eq!(driver.core.peers().active(), 2);
    assert_eq!(driver.core.peers().by_node(priority.identity.node()), None);
}

/// Cites WG-ADD-2: the lowest free slot.
#[test]
fn a_new_peer_takes_the_lowest_free_slot() {
    let mut driver = filled(Preset::Ilv3.config(), 5);
    for number in [4, 2] {
        driver.updates.push_back(PeerUpdate::Remove(Remote::new(number).identity.node()));
    }
    driver.add(&Remote::new(9));
    driver.run_until(at(1_010));
    assert_eq!(slot_of(&driver.core, Remote::new(9).identity.node()).0, 1);
}

/// Cites WG-ADD-2: only a pinned newcomer evicts, and the victim is whoever was heard longest ago,
/// the lowest slot among equals, never a pinned one.
#[test]
fn a_pinned_peer_evicts_the_one_heard_longest_ago() {
    let (priority, fleet) = (Remote::new(50), Remote::new(1));
    let config = Config {
        peer_table: 3,
        priority_peer: Some(priority.address()),
        fleet_server: Some(fleet.address()),
        ..Preset::Ilv3.config()
    };
    let mut driver = filled(config, 3);
    let ping = driver
        .sends
        .iter()
        .find(|(_, send)| send.kind == MessageKind::Ping && send.peer.0 == 1)
        .map(|(_, send)| send.packet.clone())
        .expect("the second peer was pinged");
    let second = Remote::new(2);
    let pong = second.answers(&driver.core, &ping).expect("a ping to it");
    driver.disco_arrives(at(996), &pong, second.direct());
    driver.run_until(at(1_005));
    driver.add(&Remote::new(51));
    driver.add(&priority);
    driver.run_until(at(1_025));
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TableFull)), 1);
    assert_eq!(slot_of(&driver.core, priority.identity.node()).0, 2);
    assert!(driver.core.peers().by_node(fleet.identity.node()).is_some());
    assert!(driver.core.peers().by_node(second.identity.node()).is_some());
}

/// Cites WG-ADD-2: a peer that the application wants evicts like a pinned one.
#[test]
fn a_wanted_peer_finds_a_place_in_a_full_table() {
    let config = Config { peer_table: 2, ..Preset::Ilv3.config() };
    let mut driver = filled(config, 2);
    let mut record = Remote::new(9).record();
    record.wanted = true;
    driver.updates.push_back(PeerUpdate::Add(record));
    driver.run_until(at(1_010));
    assert_eq!(slot_of(&driver.core, Remote::new(9).identity.node()).0, 0);
}

/// Cites WG-ADD-2 and CAP-1: slots beyond the setting stay free while a pinned newcomer evicts,
/// unless corrected.
#[test]
fn a_pinned_newcomer_ignores_free_slots_beyond_the_setting_unless_corrected() {
    for (rule, slot) in [(Rule::Compat, 0), (Rule::Strict, 2)] {
        let priority = Remote::new(50);
        let mut config = Config {
            settings_max_peers: 2,
            priority_peer: Some(priority.address()),
            ..Preset::Ilv3.config()
        };
        config.rules.pinned_free_slots = rule;
        let mut driver = filled(config, 2);
        driver.add(&priority);
        driver.run_until(at(1_010));
        assert_eq!(slot_of(&driver.core, priority.identity.node()).0, slot, "{rule:?}");
    }
}

/// Cites CAP-1: the setting bounds; 0 and the table's size do not; a lower one evicts nobody.
#[test]
fn only_the_setting_bounds_the_table_and_lowering_it_evicts_nobody() {
    for (setting, right) in [(0, 12), (8, 8), (128, 12)] {
        let config =
            Config { peer_table: 12, settings_max_peers: setting, ..Preset::Ilv3.config() };
        assert_eq!(filled(config, 20).core.peers().active(), right, "setting {setting}");
    }
    let mut driver = filled(Preset::Ilv3.config(), 10);
    driver.control(Control::SettingsMaxPeers(4));
    driver.add(&Remote::new(11));
    driver.run_until(at(1_010));
    assert_eq!(driver.core.peers().active(), 10);
}

/// Cites CAP-1 (PF-104): what the application asks for bounds nothing, unless corrected.
#[test]
fn the_requested_maximum_is_inert_unless_corrected() {
    for (rule, right) in [(Rule::Compat, 10), (Rule::Strict, 4)] {
        let mut config = Config { requested_max_peers: 4, ..Preset::Ilv3.config() };
        config.rules.requested_max_peers = rule;
        assert_eq!(filled(config, 10).core.peers().active(), right, "{rule:?}");
    }
}

/// Case 15, cites CAP-2 and WG-REM-1: peers beyond the tunnel's own table answer pings and have no
/// tunnel; a removed one gives its place there back.
#[test]
fn peers_beyond_the_tunnels_table_have_no_tunnel_and_are_tried_again() {
    let config = Config { peer_table: 64, tunnel_slots: 16, ..Preset::Ilv3.config() };
    let mut driver = filled(config, 40);
    let with_tunnel = |driver: &Driver| {
        driver.core.peers().slots().filter(|it| it.1.tunnel_slot.is_some()).count()
    };
    assert_eq!((driver.core.peers().active(), with_tunnel(&driver)), (40, 16));
    driver.updates.push_back(PeerUpdate::Remove(Remote::new(3).identity.node()));
    driver.add(&Remote::new(40));
    driver.run_until(at(1_010));
    let last = slot_of(&driver.core, Remote::new(40).identity.node());
    assert_eq!(driver.core.peers().get(last).and_then(|peer| peer.tunnel_slot), Some(2));
}

/// Cites WG-ADD-2: a node key with a worthless static secret is entered without a tunnel.
#[test]
fn a_node_key_of_low_order_gets_no_tunnel() {
    let mut record = Remote::new(1).record();
    record.node = NodeKey([0; 32]);
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.updates.push_back(PeerUpdate::Add(record));
    driver.run_until(at(5));
    let peer = driver.core.peers().slots().next().expect("it was entered").1;
    assert!(peer.active && peer.tunnel_slot.is_none());
}

/// Cites WG-ADD-3 and WG-ADD-2 (M6): a whole netmap once more changes no path; before the armour it
/// reset them.
#[test]
fn a_repeated_addition_keeps_the_path_from_arm_1_on() {
    for (preserve, kept) in [(true, true), (false, false)] {
        let peer = Remote::new(1);
        let config = Config { preserve_on_readd: preserve, ..Preset::Ilv3.config() };
        let mut driver = filled(config, 1);
        let ping = driver.sent(MessageKind::Ping)[0].1.packet.clone();
        let pong = peer.answers(&driver.core, &ping).expect("a ping to it");
        driver.disco_arrives(at(996), &pong, peer.direct());
        driver.run_until(at(1_005));
        driver.add(&peer);
        driver.run_until(at(1_025));
        let slot = slot_of(&driver.core, peer.identity.node());
        assert_eq!(driver.core.peers().get(slot).and_then(|it| it.direct).is_some(), kept);
        assert_eq!(driver.sent(MessageKind::Ping).len(), 1);
    }
}

/// Cites WG-ADD-2: silence about region and endpoints changes neither, news does.
#[test]
fn an_update_that_says_nothing_of_region_or_endpoints_changes_neither() {
    let mut peer = Remote::new(1);
    peer.endpoints = std::iter::once(peer.endpoint()).collect();
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.add(&peer);
    driver.run_until(at(5));
    let mut silent = peer.record();
    silent.region = 0;
    silent.endpoints.clear();
    silent.disco = DiscoKey([8; 32]);
    driver.updates.push_back(PeerUpdate::Add(silent));
    driver.run_until(at(15));
    let stored = driver.core.peers().slots().next().expect("it was entered").1.clone();
    assert_eq!((stored.region, stored.endpoints.len()), (1, 1));
    assert_eq!(stored.disco, DiscoKey([8; 32]));
}

/// Cites WG-REHOME-1 (M3): region 0 is no region, and says nothing of home.
#[test]
fn a_patch_that_says_nothing_changes_nothing() {
    let mut peer = Remote::new(1);
    peer.endpoints = std::iter::once(peer.endpoint()).collect();
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.add(&peer);
    driver.run_until(at(5));
    let before = driver.core.peers().slots().next().expect("it was entered").1.clone();
    driver.updates.push_back(PeerUpdate::Patch {
        node: peer.identity.node(),
        disco: None,
        region: 0,
        endpoints: Endpoints::new(),
    });
    driver.run_until(at(15));
    let after = driver.core.peers().slots().next().expect("it is still there").1.clone();
    assert_eq!((before.region, after), (1, before.clone()));
}

/// Cites WG-ADD-2 (PF-101): a reused slot keeps the last owner's endpoints, unless corrected.
#[test]
fn a_reused_slot_inherits_endpoints_unless_corrected() {
    for (rule, inherited) in [(Rule::Compat, 1), (Rule::Strict, 0)] {
        let mut old = Remote::new(1);
        old.endpoints = std::iter::once(old.endpoint()).collect();
        let mut config = Preset::Ilv3.config();
        config.rules.slot_reuse = rule;
        let mut driver = Driver::new(config);
        driver.add(&old);
        driver.updates.push_back(PeerUpdate::Remove(old.identity.node()));
        driver.add(&Remote::new(2));
        driver.run_until(at(15));
        let new = driver.core.peers().slots().next().expect("it was entered").1;
        assert_eq!(new.endpoints.len(), inherited, "{rule:?}");
    }
}

/// Cites WG-REM-1: the table shrinks past trailing free slots and no further.
#[test]
fn a_removal_shrinks_the_table_past_trailing_free_slots() {
    let mut driver = filled(Preset::Ilv3.config(), 5);
    for (number, count) in [(4, 5), (5, 3), (1, 3)] {
        driver.updates.push_back(PeerUpdate::Remove(Remote::new(number).identity.node()));
        let now = driver.now;
        driver.run_until(now.after(super::driver::ms(10)));
        assert_eq!(driver.core.peers().count(), count, "after removing {number}");
    }
    assert_eq!(driver.core.peers().active(), 2);
}

/// Cites WG-REM-1: a removed peer's key is unknown to the budget from then on.
#[test]
fn packets_of_a_removed_peer_are_from_an_unknown_key() {
    let peer = Remote::new(1);
    let mut driver = filled(Preset::Ilv3.config(), 2);
    driver.updates.push_back(PeerUpdate::Remove(peer.identity.node()));
    driver.disco_arrives(at(1_001), &peer.ping(&driver.core, 1), peer.direct());
    driver.run_until(at(1_010));
    assert_eq!(driver.count(|note| *note == Note::Opened { known: false, genuine: true }), 1);
}

/// A patch changes what it names, and the cache remembers it.
#[test]
fn a_patch_changes_the_disco_key_of_a_peer_and_refuses_a_stranger() {
    let mut driver = filled(Preset::Ilv3.config(), 1);
    for node in [Remote::new(1).identity.node(), NodeKey([77; 32])] {
        driver.updates.push_back(PeerUpdate::Patch {
            node,
            disco: Some(DiscoKey([8; 32])),
            region: 7,
            endpoints: Endpoints::new(),
        });
    }
    driver.run_until(at(1_010));
    let peer = driver.core.peers().slots().next().expect("one peer").1;
    assert_eq!((peer.disco, peer.region), (DiscoKey([8; 32]), 7));
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::NoSuchPeer)), 1);
}

/// Two peers may share an address; the lower slot answers for it.
#[test]
fn a_node_that_changed_its_key_has_a_second_slot() {
    let (old, mut new) = (Remote::new(1).record(), Remote::new(2).record());
    new.address = Ipv4Addr::new(100, 64, 1, 1);
    let mut driver = Driver::new(Preset::Ilv3.config());
    driver.updates.push_back(PeerUpdate::Add(old));
    driver.updates.push_back(PeerUpdate::Add(new));
    driver.run_until(at(5));
    assert_eq!(driver.core.peers().active(), 2);
    let lower = driver.core.peers().by_address_any(Ipv4Addr::new(100, 64, 1, 1));
    assert_eq!(lower.map(|slot| slot.0), Some(0));
}

/// Cites WG-ADD-3: a whole netmap once more enters nobody into the tunnel's table again.
#[test]
fn a_repeated_addition_keeps_the_tunnel_slot() {
    let mut driver = filled(Preset::Ilv3.config(), 2);
    driver.add(&Remote::new(1));
    driver.run_until(at(1_010));
    let slots: Vec<_> = driver.core.peers().slots().map(|(_, peer)| peer.tunnel_slot).collect();
    assert_eq!(slots, [Some(0), Some(1)]);
}

/// Cites CAP-3 (M3): the counterpart's new address is pinned, the old one unpinned unless shared.
#[test]
fn a_counterparts_new_address_is_pinned_and_its_old_one_unpinned_unless_shared() {
    let [old, new] = [1, 2].map(|number| Remote::new(number).address());
    for (shared, right) in [(false, vec![new]), (true, vec![old, new])] {
        let mut driver = Driver::new(Preset::Head4.config());
        driver.control(Control::Pin(old));
        driver.control(Control::PeerChanged { old, new, shared });
        assert_eq!(driver.core.special().pins(), right);
        driver.control(Control::Unpin(new));
        assert!(!driver.core.special().pins().contains(&new));
    }
    assert_eq!(Preset::ALL.map(|preset| preset.config().pins), [8, 8, 8, 16, 16]);
}

/// Cites CAP-3 (M4): pinned peers are not evicted, tracked ones are; at most eighteen can be pinned,
/// so a full table always has a victim.
#[test]
fn a_tracked_peer_is_evicted_and_a_pinned_one_is_not() {
    let config = Config { peer_table: 20, tunnel_slots: 20, ..Preset::Head4.config() };
    let config = Config {
        priority_peer: Some(Remote::new(30).address()),
        fleet_server: Some(Remote::new(18).address()),
        ..config
    };
    let mut driver = Driver::new(config);
    // Slots 0 to 15 are pinned, 16 is tracked, 17 the fleet server's, 18 and 19 nobody's.
    (1..=17).for_each(|number| driver.control(Control::Pin(Remote::new(number).address())));
    driver.control(Control::Health { address: Remote::new(17).address(), healthy: true });
    (1..=20).for_each(|number| driver.add(&Remote::new(number)));
    driver.add(&Remote::new(30));
    driver.run_until(at(200));
    assert_eq!(driver.core.special().pins().len(), 16);
    let slot = slot_of(&driver.core, Remote::new(30).identity.node());
    assert_eq!(slot.0, 16, "the lowest that is not pinned, tracked or not");
}

/// Cites CAP-3 and WG-ADD-2: what the application wants is pinned once the table is full, and so
/// keeps its place.
#[test]
fn a_wanted_peer_is_pinned_when_the_table_is_full() {
    let config = Config { peer_table: 2, pins: 1, ..Preset::Head4.config() };
    let mut driver = filled(config, 2);
    let wanted = |number: u8| {
        let mut record = Remote::new(number).record();
        record.wanted = true;
        PeerUpdate::Add(record)
    };
    driver.updates.push_back(wanted(3));
    driver.run_until(at(1_100));
    assert_eq!(driver.core.special().pins(), [Remote::new(3).address()]);
    // The second finds no place for its pin and is refused like any other.
    driver.updates.push_back(wanted(4));
    driver.run_until(at(1_200));
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TableFull)), 1);
    assert!(driver.core.peers().by_node(Remote::new(3).identity.node()).is_some());
}

/// Cites CAP-4: refused additions drain at 4 in 10 ms, 400 a second; real ones at 4 in 10 ms and
/// their work: 128 of a netmap of 343 take 32 passes, the other 215 another 54.
#[test]
fn a_netmap_of_343_drains_at_four_additions_a_pass() {
    let mut driver = Driver::new(Config { add_pings_per_second: 0, ..Preset::Head4.config() });
    let record = |number: u16| {
        let mut record = Remote::new(1).record();
        let [high, low] = number.to_be_bytes();
        record.address = Ipv4Addr::new(100, 66, high, low);
        record.node = NodeKey([7; 32]);
        (record.node.0[0], record.node.0[1]) = (low, high);
        record.disco = DiscoKey(record.node.0);
        PeerUpdate::Add(record)
    };
    driver.updates.extend((0..343).map(record));
    driver.costs =
        |key| if key == CostKey::PeerAdd { super::driver::ms(20) } else { super::driver::ms(0) };
    let drained = |driver: &Driver| 343 - driver.updates.len();
    driver.run_until(at(32 * (4 * 20 + 10) - 5));
    assert_eq!(drained(&driver), 128);
    assert_eq!(driver.charged(CostKey::PeerAdd), 128);
    let before = driver.now;
    driver.run_until(before.after(super::driver::ms(10 * 53)));
    assert_eq!(drained(&driver), 128 + 53 * 4);
    driver.run_until(before.after(super::driver::ms(10 * 54)));
    assert_eq!(drained(&driver), 343);
    assert_eq!(driver.count(|note| *note == Note::Refused(Refusal::TableFull)), 215);
    assert_eq!(driver.core.config().update_queue_depth, 400);
}
