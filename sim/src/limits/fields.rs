//! Widths of fields and lengths of tables (CAP-1 to CAP-4, facts f).
use super::{Basis, Limit};

/// The range of the build's setting for peers.
const KCONFIG_PEERS: u64 = 128;
/// Most in the byte that stores the setting for peers.
const SETTINGS_BYTE: u64 = 255;
/// Slots that a byte can name; 255 stands for none.
const BYTE_SLOTS: u64 = 255;
/// Saves before the clock of the peer cache's entries starts again from 0.
const STORE_CLOCK: u64 = 65_535;

pub(super) fn rows(basis: &Basis<'_>) -> Vec<Limit> {
    let config = basis.config;
    let peers = basis.peers();
    vec![
        Limit {
            name: "build_setting_peers",
            unit: "peers",
            need: peers,
            limit: KCONFIG_PEERS,
            source: "Kconfig range 1 to 128 (CAP-1)",
            breaks: "the build refuses the setting",
        },
        Limit {
            name: "settings_byte",
            unit: "peers",
            need: peers,
            limit: SETTINGS_BYTE,
            source: "max_peers is one byte of the settings blob (CAP-1)",
            breaks: "the setting cannot be stored",
        },
        Limit {
            name: "tunnel_index",
            unit: "slots",
            need: config.tunnel_slots.into(),
            limit: BYTE_SLOTS,
            source: "the tunnel's index is one byte, 255 is none (CAP-2)",
            breaks: "the last peer answers DISCO and has no tunnel",
        },
        Limit {
            name: "tunnel_slots",
            unit: "peers",
            need: peers,
            limit: config.tunnel_slots.into(),
            source: "tunnel_slots (CAP-2)",
            breaks: "peers beyond answer DISCO and have no tunnel",
        },
        Limit {
            name: "peer_cache_entries",
            unit: "peers",
            need: peers,
            limit: config.store_entries.into(),
            source: "store_entries (WG-NVS-2)",
            breaks: "the least recently saved peer is forgotten at the next boot",
        },
        Limit {
            name: "peer_cache_clock",
            unit: "saves an ingest",
            need: peers,
            limit: STORE_CLOCK,
            source: "the entries' clock has 16 bits (WG-NVS-2)",
            breaks: "the newest entry looks oldest and is replaced first",
        },
        Limit {
            name: "key_cache",
            unit: "keys",
            need: peers + 1,
            limit: config.key_cache_entries.into(),
            source: "key_cache_entries, one kept for an unknown key (WG-CACHE-1)",
            breaks: "idle peers lose their shared key: 1 X25519 at their next packet",
        },
        Limit {
            name: "update_backlog",
            unit: "updates",
            need: basis.nodes,
            limit: config.update_queue_depth.into(),
            source: "update_queue_depth (CAP-4)",
            breaks: "the control plane waits 100 ms for each further update, then drops it",
        },
    ]
}
