//! The figures of facts f and f1, at 16, 128 and 256 peers.
use std::path::Path;

use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::preset::Preset;

use sim::cost::{Column, CostTable};
use sim::limits::{LimitRow, table, tightest};

fn costs(table: &str) -> CostTable {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios/costs").join(table);
    CostTable::load(&path, Column::Typical).expect("shipped")
}

fn head4() -> Vec<LimitRow> {
    table(&Preset::Head4.config(), &costs("o3.ron"), Some(5_000), 343)
}

fn row<'a>(rows: &'a [LimitRow], name: &str) -> &'a LimitRow {
    rows.iter().find(|row| row.own.name == name).expect("a row of this name")
}

/// Cites CAP-1, CAP-2 and facts f.
#[test]
fn fields_and_tables_have_their_published_widths() {
    let rows = head4();
    for (name, limit, margins) in [
        ("build_setting_peers", 128, [112, 0, -128]),
        ("settings_byte", 255, [239, 127, -1]),
        ("tunnel_index", 255, [239, 127, -1]),
        ("peer_cache_clock", 65_535, [65_519, 65_407, 65_279]),
        ("key_cache", 132, [115, 3, -125]),
        ("update_backlog", 400, [57, 57, 57]),
    ] {
        let found = row(&rows, name);
        assert_eq!((found.own.limit, found.margins), (limit, margins), "{name}");
    }
}

/// Cites WG-HB-1, WG-HB-2, WG-PROBE-1 and facts b4.
#[test]
fn the_timers_are_enough_for_240_direct_and_120_relayed_peers() {
    let rows = head4();
    for (name, limit, margins) in [
        ("heartbeat_capacity", 240, [224, 112, -16]),
        ("lease_capacity", 480, [464, 352, 224]),
        ("upgrade_capacity", 120, [104, -8, -136]),
    ] {
        let found = row(&rows, name);
        assert_eq!((found.own.limit, found.margins), (limit, margins), "{name}");
    }
    // Facts: about 60 probes of 64 at a sustained load.
    let probes = row(&rows, "probes");
    assert_eq!((probes.own.need, probes.own.limit), (61, 64));
}

/// Cites WG-NVS-2 and facts f1.
#[test]
fn the_peer_cache_of_128_cannot_be_rewritten_in_24_kib() {
    let rows = head4();
    let small = row(&rows, "nvs_24_kib_cache");
    assert_eq!(small.own.need, 23_560);
    assert_eq!(small.margins, [20_160 - 2_952, 20_160 - 23_560, 20_160 - 47_112]);
    let large = row(&rows, "nvs_64_kib_cache");
    assert_eq!(large.margins, [60_480 - 2_952, 60_480 - 23_560, 60_480 - 47_112]);
    let all = row(&rows, "nvs_64_kib_all");
    assert_eq!(all.own.need, 52_236 + 460 + 1_570);
    assert!(all.margins[1] > 0 && all.margins[2] < 0);
}

/// Cites WG-LEASE-1, WG-WDT-1 and facts h3.
#[test]
fn a_burst_of_handshakes_takes_two_x25519_a_peer() {
    for (costs_of, at_128, most) in
        [("og.ron", 7_245, 17), ("o2.ron", 3_968, 32), ("o3.ron", 2_893, 44)]
    {
        let rows = table(&Preset::Head4.config(), &costs(costs_of), Some(5_000), 128);
        let stop = row(&rows, "handshake_burst_1000x1");
        assert_eq!(stop.own.need, at_128, "{costs_of}");
        let fits = |peers| {
            let config = Config { peer_table: peers, ..Preset::Head4.config() };
            let rows = table(&config, &costs(costs_of), Some(5_000), 1);
            row(&rows, "handshake_burst_1000x1").own.margin() >= 0
        };
        assert!(fits(most) && !fits(most + 1), "{costs_of}");
        let capped = Config { demotions_per_tick: Some(most), ..Preset::Head4.config() };
        let capped = table(&capped, &costs(costs_of), Some(5_000), 128);
        assert!(row(&capped, "handshake_burst_1000x1").margins.iter().all(|margin| *margin >= 0));
        let watchdog = row(&rows, "handshake_burst_watchdog").own.margin();
        assert_eq!(watchdog < 0, costs_of == "og.ron");
    }
}

/// Cites facts f.
#[test]
fn memory_is_what_the_declarations_add_up_to() {
    let rows = head4();
    let psram = 38_912 + 115_912 + 9_504 + 11_780 + 14_338 + 83_200 + 1_048_576;
    assert_eq!(row(&rows, "psram").own.need, psram);
    assert_eq!(row(&rows, "internal_queues").own.need, 4_960);
    assert_eq!(row(&rows, "internal_tables").own.need, 2_560 + 1_024);
    assert_eq!(row(&rows, "internal_received").own.need, 62_560);
    // Facts: 128 peers instead of 16 cost about 135 KB.
    let [few, shipped, _] = row(&rows, "psram").margins;
    assert_eq!(few - shipped, 112 * (304 + 904 + 92));
    // Facts: 64 tunnel peers in internal RAM wedged a board; 16 did not.
    let config = Config { tunnel_slots: 64, ..Preset::Head4.config() };
    let wedged = table(&config, &costs("og.ron"), None, 64);
    assert_eq!(row(&wedged, "internal_if_psram_fails").own.need, 57_856 + 200);
    assert!(row(&wedged, "internal_if_psram_fails").margins[0] > 0);
}

/// Every preset has the same rows, and the tightest is the one with the largest used part.
#[test]
fn every_preset_has_a_tightest_limit() {
    for preset in Preset::ALL {
        let rows = table(&preset.config(), &costs("o2.ron"), Some(30_000), 100);
        let most = rows.iter().map(|row| row.own.used()).max();
        assert_eq!(tightest(&rows).map(|row| row.own.used()), most);
        assert_eq!(rows.len(), head4().len());
    }
}
