//! The peer cache: when it goes to flash, what the blob holds, what a boot makes of it.
use std::net::Ipv4Addr;

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::config::{Config, Flush};
use firmware_core::wg_mgr::input::{Control, Input, PeerUpdate};
use firmware_core::wg_mgr::keys::{DiscoKey, Entropy};
use firmware_core::wg_mgr::output::Note;
use firmware_core::wg_mgr::peers::PeerRecord;
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::rules::Rule;
use firmware_core::wg_mgr::store::{BlobError, Store};
use firmware_core::wg_mgr::wire::Endpoints;
use proptest::prelude::*;

use super::driver::{Core, Driver, Remote, at, ms};

/// Case 13's input: 100 peers at 6 s, 100 ms each, a flush that takes no time.
fn case_13(flush: Flush, entries: u16, flush_cost: fn(CostKey) -> Duration) -> Driver {
    let config = Config { flush, store_entries: entries, ..Preset::Arm1.config() };
    let mut driver = Driver::with_costs(config, flush_cost);
    driver.run_until(at(5_999));
    for number in 1..=100 {
        driver.add(&Remote::new(number));
    }
    driver.run_until(at(60_000));
    driver
}

fn adds_only(key: CostKey) -> Duration {
    if key == CostKey::PeerAdd { ms(100) } else { Duration::ZERO }
}

const DEBOUNCED: Flush = Flush::Every(Duration::from_millis(5_000));

/// Case 13, cites WG-NVS-1: the whole growing table after each addition.
#[test]
fn written_after_each_addition_a_hundred_peers_cost_465_000_bytes() {
    for (entries, bytes) in [(128, 465_000), (64, 403_728)] {
        let driver = case_13(Flush::EachSave, entries, adds_only);
        assert_eq!(driver.writes.len(), 100);
        assert_eq!(driver.writes.iter().map(|(_, bytes)| bytes).sum::<u32>(), bytes);
    }
}

/// Case 13, cites WG-NVS-1: the first write is not delayed, the others are 5 s apart, and in the
/// end nothing is dirty.
#[test]
fn debounced_a_hundred_peers_cost_three_writes() {
    let driver = case_13(DEBOUNCED, 128, adds_only);
    let writes: Vec<_> =
        driver.writes.iter().map(|(when, bytes)| (when.as_millis(), *bytes)).collect();
    let right = [(6_400, 372), (11_730, 5_156), (16_730, 9_204)];
    assert_eq!(writes.len(), right.len());
    for ((when, bytes), (right_when, right_bytes)) in writes.iter().zip(right) {
        assert!(when.abs_diff(right_when) <= 20, "{when} is not {right_when} ms");
        assert_eq!(*bytes, right_bytes);
    }
    assert!(!driver.core.store().is_dirty());
}

/// Cites WG-NVS-1: it is a throttle, not a trailing debounce: steady change does not put it off.
#[test]
fn steady_change_is_written_every_five_seconds() {
    let mut driver = Driver::new(Preset::Arm1.config());
    driver.add(&Remote::new(1));
    for second in 1..=20_u8 {
        driver.updates.push_back(PeerUpdate::Patch {
            node: Remote::new(1).identity.node(),
            disco: Some(DiscoKey([second; 32])),
            region: 0,
            endpoints: Endpoints::new(),
        });
        driver.run_until(at(1_000 * u64::from(second)));
    }
    let times: Vec<_> = driver.writes.iter().map(|(when, _)| when.as_millis()).collect();
    assert_eq!(times, [5_000, 10_000, 15_000, 20_000]);
    assert_eq!(driver.charged(CostKey::StoreWrite), times.len(), "each is paid for");
}

/// Cites WG-NVS-1 (PF-103): a failed flush is forgotten, unless corrected.
#[test]
fn a_failed_write_is_repeated_only_by_the_corrected_rule() {
    for (rule, writes) in [(Rule::Compat, 1), (Rule::Strict, 2)] {
        let mut config = Preset::Ilv3.config();
        config.rules.failed_flush = rule;
        let mut driver = Driver::new(config);
        driver.add(&Remote::new(1));
        driver.run_until(at(6_000));
        driver.control(Control::StoreWriteFailed);
        driver.run_until(at(20_000));
        assert_eq!(driver.writes.len(), writes, "{rule:?}");
    }
}

fn stored(remotes: &[Remote], limit: u16) -> Store<256> {
    let mut store = Store::new(limit);
    for remote in remotes {
        store.save(&remote.record(), None, Rule::Compat);
    }
    store
}

fn blob(store: &Store<256>) -> Vec<u8> {
    let mut bytes = vec![0xaa; store.blob_len()];
    assert_eq!(store.encode(&mut bytes), Some(store.blob_len()));
    bytes
}

/// Cites WG-NVS-2: every field at its place, in little-endian order.
#[test]
fn the_blob_is_the_firmwares_to_the_byte() {
    let mut remote = Remote::new(7);
    remote.endpoints = ["203.0.113.7:258", "198.51.100.2:3", "198.51.100.3:4"]
        .iter()
        .map(|text| text.parse().expect("an endpoint"))
        .collect();
    let bytes = blob(&stored(std::slice::from_ref(&remote), 128));
    assert_eq!(bytes.len(), 4 + 92);
    assert_eq!(bytes[..4], [1, 0, 1, 0]);
    let entry = &bytes[4..];
    assert_eq!(entry[..4], [7, 1, 64, 100]);
    assert_eq!(entry[4..36], remote.identity.node().0);
    assert_eq!(entry[36..68], remote.identity.disco().0);
    assert_eq!(entry[68..70], [1, 0]);
    assert_eq!(entry[70..76], [7, 113, 0, 203, 2, 1]);
    assert_eq!(entry[76..82], [2, 100, 51, 198, 3, 0]);
    assert_eq!(entry[82], 2);
    assert_eq!(&entry[83..90], b"remote\0");
    assert_eq!(entry[90..], [1, 0]);
}

/// Cites WG-NVS-2: the sizes of facts f1.
#[test]
fn a_blob_of_n_peers_has_four_and_ninety_two_n_bytes() {
    for (peers, bytes) in [(16, 1_476), (64, 5_892), (128, 11_780)] {
        let remotes: Vec<_> = (1..=peers).map(Remote::new).collect();
        assert_eq!(stored(&remotes, 128).blob_len(), bytes);
    }
}

/// Cites WG-NVS-2.
#[test]
fn a_blob_comes_back_whole() {
    let remotes: Vec<_> = (1..=9).map(Remote::new).collect();
    let bytes = blob(&stored(&remotes, 128));
    let again = Store::<256>::decode(&bytes, 128).expect("a whole blob");
    assert_eq!(blob(&again), bytes);
    let nodes: Vec<_> = again.records().map(|record| record.node).collect();
    assert!(nodes.into_iter().eq(remotes.iter().map(|remote| remote.identity.node())));
}

/// Cites WG-NVS-2: a table compiled smaller starts empty; a blob that ends early names its entry.
#[test]
fn a_blob_that_does_not_fit_or_ends_early_is_refused() {
    let remotes: Vec<_> = (1..=3).map(Remote::new).collect();
    let bytes = blob(&stored(&remotes, 128));
    let decode = |bytes: &[u8], limit| Store::<256>::decode(bytes, limit).err();
    assert_eq!(decode(&bytes, 2), Some(BlobError::TooManyEntries { count: 3, limit: 2 }));
    assert_eq!(decode(&bytes[..4 + 92 + 91], 128), Some(BlobError::Truncated { entry: 1 }));
    assert_eq!(decode(&bytes[..3], 128), Some(BlobError::NoHeader));
}

/// Cites WG-NVS-2: the same address or the same node key is the same entry.
#[test]
fn two_peers_that_share_an_address_share_an_entry() {
    let (first, second) = (Remote::new(1).record(), Remote::new(2).record());
    let moved = PeerRecord { address: first.address, ..second.clone() };
    let mut store = Store::<256>::new(128);
    for peer in [&first, &moved, &second] {
        store.save(peer, None, Rule::Compat);
    }
    assert_eq!(store.len(), 1);
    assert_eq!(store.records().next().map(|record| record.node), Some(second.node));
}

/// Cites WG-NVS-2: in a full cache the entry used longest ago goes, but not the protected one.
#[test]
fn a_full_cache_drops_the_entry_used_longest_ago_but_not_the_protected_one() {
    let peers: Vec<_> = (1..=4).map(|number| Remote::new(number).record()).collect();
    for (protected, dropped) in [(None, 0), (Some(peers[0].address), 1)] {
        let mut store = Store::<256>::new(3);
        for peer in &peers {
            store.save(peer, protected, Rule::Compat);
        }
        let kept: Vec<_> = store.records().map(|record| record.node).collect();
        assert_eq!(kept.len(), 3);
        assert!(!kept.contains(&peers[dropped].node) && kept.contains(&peers[3].node));
    }
}

/// Cites WG-NVS-2 (PF-103): at the wrap the newest entry looks the oldest, unless corrected.
#[test]
fn when_the_use_counter_wraps_the_newest_entry_is_dropped_unless_corrected() {
    let peers: Vec<_> = (1..=3).map(|number| Remote::new(number).record()).collect();
    for (rule, dropped) in [(Rule::Compat, 1), (Rule::Strict, 0)] {
        let mut store = Store::<256>::new(2);
        store.save(&peers[0], None, rule);
        for _ in 0..65_534 {
            store.save(&peers[0], None, rule);
        }
        store.save(&peers[1], None, rule); // the counter wraps to 0 here
        store.save(&peers[2], None, rule);
        let kept: Vec<_> = store.records().map(|record| record.node).collect();
        assert!(!kept.contains(&peers[dropped].node), "{rule:?}");
    }
}

fn booted(config: Config, cached: &[Remote]) -> Driver {
    let blob = blob(&stored(cached, 128));
    let mut driver = Driver::new(config.clone());
    let identity = driver.core.identity().clone();
    *driver.core = Core::new(config, identity, Entropy::new([4; 32])).expect("a valid config");
    driver.core.preload(&blob).expect("a whole blob");
    driver.control(Control::Registered);
    driver
}

/// Cites WG-NVS-3: active at once, without a tunnel, known to the budget, and nothing cached: the
/// first contact of each costs X25519 outside every budget (PF-91).
#[test]
fn cached_peers_are_known_at_boot_but_their_secrets_are_not() {
    let cached: Vec<_> = (1..=20).map(Remote::new).collect();
    let mut driver = booted(Preset::Ilv3.config(), &cached);
    assert_eq!(driver.core.peers().active(), 20);
    assert!(driver.core.peers().slots().all(|(_, peer)| peer.tunnel_slot.is_none()));
    for peer in &cached {
        driver.disco_arrives(at(5), &peer.ping(&driver.core, 1), peer.direct());
    }
    driver.run_until(at(15));
    assert_eq!(driver.charged(CostKey::BoxOpenComputed), 20);
}

/// Cites WG-NVS-3 (PF-104): peers that no netmap names block newcomers, unless corrected.
#[test]
fn stale_cached_peers_block_a_newcomer_unless_corrected() {
    for (rule, entered) in [(Rule::Compat, false), (Rule::Strict, true)] {
        let mut config = Config { peer_table: 3, ..Preset::Ilv3.config() };
        config.rules.preloaded_peers = rule;
        let cached: Vec<_> = (1..=3).map(Remote::new).collect();
        let mut driver = booted(config, &cached);
        driver.add(&Remote::new(9));
        driver.run_until(at(15));
        let found = driver.core.peers().by_node(Remote::new(9).identity.node());
        assert_eq!(found.is_some(), entered, "{rule:?}");
    }
}

/// A netmap that names a cached peer gives it its tunnel, without a second slot.
#[test]
fn a_cached_peer_that_the_netmap_names_gets_its_tunnel() {
    let peer = Remote::new(1);
    let mut driver = booted(Preset::Ilv3.config(), std::slice::from_ref(&peer));
    driver.add(&peer);
    driver.run_until(at(15));
    let slots: Vec<_> = driver.core.peers().slots().map(|(_, it)| it.tunnel_slot).collect();
    assert_eq!(slots, [Some(0)]);
    assert_eq!(driver.count(|note| matches!(note, Note::Refreshed(_))), 1);
}

proptest! {
    /// Cites WG-NVS-2: any bytes give a cache or an error.
    #[test]
    fn any_blob_is_read_or_refused(blob in prop::collection::vec(any::<u8>(), 0..2_000)) {
        if let Ok(store) = Store::<32>::decode(&blob, 32) {
            let mut again = vec![0; store.blob_len()];
            prop_assert_eq!(store.encode(&mut again), Some(store.blob_len()));
            let second = Store::<32>::decode(&again, 32);
            prop_assert_eq!(second, Ok(store));
        }
    }
}

/// Cites WG-NVS-3: the device's own type takes the blob of 128 peers.
#[test]
fn the_devices_manager_starts_from_a_full_cache() {
    let remotes: Vec<_> = (1..=128).map(Remote::new).collect();
    let bytes = blob(&stored(&remotes, 128));
    let identity = Remote::new(200).identity;
    let mut core =
        WgMgr::<128>::new(Preset::Ilv3.config(), identity, Entropy::new([1; 32])).expect("valid");
    assert_eq!(core.preload(&bytes), Ok(()));
    assert_eq!(core.peers().active(), 128);
    let outputs = core.step(Instant::ZERO, Input::Wake);
    assert!(outputs.charge.is_none());
}

/// Cites WG-NVS-3: an entry without an address is nobody.
#[test]
fn a_cached_entry_without_an_address_is_skipped() {
    let second = Remote::new(2).record();
    let nobody = PeerRecord { address: Ipv4Addr::UNSPECIFIED, ..Remote::new(1).record() };
    let mut store = Store::<256>::new(128);
    for peer in [&nobody, &second] {
        store.save(peer, None, Rule::Compat);
    }
    let nodes: Vec<_> = store.records().map(|record| record.node).collect();
    assert_eq!((store.len(), nodes), (2, vec![second.node]));
}
