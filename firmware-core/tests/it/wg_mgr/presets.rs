//! Presets and the bounds of a configuration.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::config::{Config, Flush};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::{FIRMWARE_TABLES_BYTES, WgMgr};

/// Cites WG-Q1, WG-PROBE-1 and WG-CACHE-1, whose figures differ from version to version: the table
/// of facts h4, as far as this core has the rows.
#[test]
fn presets_differ_as_the_firmware_versions_did() {
    let [pre, arm, key, ilv, head] = Preset::ALL.map(Preset::config);
    assert_eq!((pre.tunnel_queue_depth, arm.tunnel_queue_depth), (8, 32));
    assert_eq!((pre.opens_per_pass, arm.opens_per_pass), (None, Some(4)));
    assert_eq!((pre.adds_per_pass, arm.adds_per_pass), (None, Some(4)));
    assert_eq!((pre.store_entries, arm.store_entries), (64, 128));
    assert_eq!((pre.dedup_ring, pre.probes, arm.dedup_ring, arm.probes), (16, 32, 64, 64));
    assert_eq!((pre.key_cache_entries, arm.key_cache_entries), (0, 132));
    assert_eq!((pre.peer_table, arm.peer_table), (16, 128));
    assert_ne!(arm.opens_exempt, key.opens_exempt);
    assert_eq!([arm.interleave, key.interleave, ilv.interleave], [false, false, true]);
    assert_eq!((ilv.probe_dedup, head.probe_dedup), (None, Some(Duration::from_millis(2_000))));
}

/// Cites WG-RATE-1, WG-HB-1, WG-HB-2, WG-PING-1, WG-PROBE-1, WG-LEASE-2, WG-HS-2, WG-HS-3,
/// WG-NVS-1, WG-WAKE-1, WG-FLAP-1 and WG-REHOME-1: the intervals of the firmware's headers.
#[test]
fn intervals_are_those_of_the_firmwares_headers() {
    let [arm, key, head] = [Preset::Arm1, Preset::Key2, Preset::Head4].map(Preset::config);
    for (name, interval, ms) in [
        ("loop delay", arm.loop_delay, 10),
        ("tick", arm.disco_tick, 1_000),
        ("heartbeat", arm.heartbeat_interval, 30_000),
        ("heartbeat, priority", arm.priority_heartbeat_interval, 3_000),
        ("upgrade", arm.upgrade_interval, 60_000),
        ("upgrade, priority", arm.priority_upgrade_interval, 5_000),
        ("trust", arm.trust, 60_000),
        ("ping", arm.ping_interval, 5_000),
        ("life of a probe", arm.probe_lifetime, 5_000),
        ("look at all sessions", arm.tunnel_tick, 400),
        ("rekey", arm.rekey_after, 120_000),
        ("reject", arm.reject_after, 180_000),
        ("initiation", arm.rekey_timeout, 5_000),
        ("keepalive", arm.keepalive, 25_000),
        ("wake", arm.wake_interval, 3_000),
        ("pong over a relay", arm.relay_pong_interval, 5_000),
        ("home region", arm.rehome_interval, 3_000),
    ] {
        assert_eq!(interval, Duration::from_millis(ms), "{name}");
    }
    assert_eq!(arm.flush, Flush::Every(Duration::from_millis(5_000)));
    assert_eq!(arm.path_dead_after, Some(Duration::from_millis(8_000)));
    assert_eq!(key.path_dead_after, Some(Duration::from_millis(4_000)));
    assert_eq!(head.flap_window, Some(Duration::from_millis(15_000)));
}

/// Cites WG-Q1, WG-RATE-1, WG-HB-2, WG-DERP-1, CAP-1 and WG-DISCO-1: depths, caps and tables.
#[test]
fn depths_and_caps_are_those_of_the_firmwares_headers() {
    let [pre, arm, ilv] = [Preset::Pre0, Preset::Arm1, Preset::Ilv3].map(Preset::config);
    assert_eq!((arm.disco_queue_depth, arm.disco_queue_priority_slots), (8, 0));
    assert_eq!((arm.update_queue_depth, arm.add_pings_per_second), (400, 5));
    assert_eq!((pre.tunnel_slots, arm.tunnel_slots), (16, 128));
    assert_eq!((arm.settings_max_peers, arm.requested_max_peers), (0, 32));
    assert_eq!((arm.upgrades_per_tick, arm.heartbeats_per_tick), (2, Some(8)));
    assert_eq!((arm.call_me_maybe_sends_per_pass, arm.call_me_maybe_spacing), (Some(2), None));
    assert_eq!((arm.replay_window, arm.home_region), (32, 0));
    assert_eq!((arm.pins, ilv.pins), (8, 16));
    assert_eq!((arm.relay_connections, ilv.relay_connections), (1, 6));
    assert_eq!((arm.relay_queue_depth, arm.relay_safety_depth), (16, 12));
}

#[test]
fn every_preset_is_valid_and_found_by_its_name() {
    for preset in Preset::ALL {
        assert_eq!(preset.config().check(WgMgr::<128>::CAPACITIES), Ok(()));
        assert_eq!(Preset::from_name(preset.name()), Some(preset));
    }
    assert_eq!(Preset::from_name("ARM-2"), None);
}

#[test]
fn a_config_beyond_the_types_room_is_refused_by_field() {
    let config = Config { peer_table: 129, ..Preset::Arm1.config() };
    let error = config.check(WgMgr::<128>::CAPACITIES).expect_err("one peer too many");
    assert_eq!((error.field, error.found, error.most), ("peer_table", 129, 128));
    assert_eq!(error.to_string(), "`peer_table` is 129, but must lie in 1..=128");
    let config = Config { loop_delay: Duration::ZERO, ..Preset::Arm1.config() };
    let error = config.check(WgMgr::<128>::CAPACITIES).expect_err("a loop without a delay");
    assert_eq!(error.field, "loop_delay");
}

/// The manager of the device, to the byte on a 64-bit host, beside what the firmware's own tables
/// take on the chip.
#[test]
fn the_devices_manager_is_smaller_than_the_firmwares_tables() {
    assert_eq!(size_of::<WgMgr<128>>(), 128_632);
    assert_eq!(FIRMWARE_TABLES_BYTES, 194_030);
    const { assert!(size_of::<WgMgr<128>>() < FIRMWARE_TABLES_BYTES) }
}
