//! Presets and the bounds of a configuration.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::config::Config;
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
