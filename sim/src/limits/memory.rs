//! PSRAM and internal RAM (facts f).
use super::{Basis, Limit, store};

/// PSRAM of the board.
const PSRAM: u64 = 8 * 1_024 * 1_024;
/// Internal RAM left free at the low point of a day: the lowest that was measured.
const INTERNAL_FREE: u64 = 28 * 1_024;
/// Internal RAM kept for DMA.
const INTERNAL_RESERVED: u64 = 32_768;

const PEER: u64 = 304;
const TUNNEL_PEER: u64 = 904;
const TUNNEL_DEVICE: u64 = 200;
const CACHED_KEY: u64 = 72;
const UPDATE: u64 = 208;
const ALLOWLIST: u64 = 2 + 28 * 512;
/// One for HTTP/2, one for JSON.
const CONTROL_BUFFERS: u64 = 2 * 512 * 1_024;
const PROBE: u64 = 40;
const DEDUP_ENTRY: u64 = 16;
/// The largest buffer that a received packet takes.
const RECEIVED: u64 = 1_564;
const QUEUED_PACKET: u64 = 48;
const QUEUED_POINTER: u64 = 4;
const QUEUED_FRAME: u64 = 44;
const STUN_DEPTH: u64 = 4;
const COMMAND_DEPTH: u64 = 4;

/// Storage of the queues that the manager takes part in.
fn queues(basis: &Basis<'_>) -> u64 {
    let config = basis.config;
    let packets = u64::from(config.tunnel_queue_depth) + u64::from(config.disco_queue_depth);
    QUEUED_PACKET * (packets + STUN_DEPTH)
        + QUEUED_POINTER * (u64::from(config.update_queue_depth) + COMMAND_DEPTH)
        + QUEUED_FRAME
            * (u64::from(config.relay_queue_depth) + u64::from(config.relay_safety_depth))
}

fn psram(basis: &Basis<'_>) -> u64 {
    let config = basis.config;
    PEER * basis.peers()
        + TUNNEL_PEER * u64::from(config.tunnel_slots)
        + TUNNEL_DEVICE
        + CACHED_KEY * u64::from(config.key_cache_entries)
        + store::blob(config.store_entries)
        + ALLOWLIST
        + UPDATE * u64::from(config.update_queue_depth)
        + CONTROL_BUFFERS
}

pub(super) fn rows(basis: &Basis<'_>) -> Vec<Limit> {
    let config = basis.config;
    let packets = u64::from(config.tunnel_queue_depth) + u64::from(config.disco_queue_depth);
    let tables = PROBE * u64::from(config.probes) + DEDUP_ENTRY * u64::from(config.dedup_ring);
    vec![
        Limit {
            name: "psram",
            unit: "B",
            need: psram(basis),
            limit: PSRAM,
            source: "8 MiB octal PSRAM; tables, update items, caches and 1 MiB of buffers",
            breaks: "the tunnel's table falls back to internal RAM",
        },
        Limit {
            name: "internal_queues",
            unit: "B",
            need: queues(basis),
            limit: INTERNAL_FREE,
            source: "28 KiB of internal RAM were free at the low point of soak runs",
            breaks: "a queue cannot be created and the manager does not start",
        },
        Limit {
            name: "internal_tables",
            unit: "B",
            need: tables,
            limit: INTERNAL_FREE,
            source: "probes and remembered packets are static; 28 KiB free in soak runs",
            breaks: "the image does not link, or the heap shrinks by as much",
        },
        Limit {
            name: "internal_received",
            unit: "B",
            need: RECEIVED * packets,
            limit: INTERNAL_FREE,
            source: "full queues of packets of 1564 B; blocks up to 2048 B prefer internal RAM",
            breaks: "packets go to PSRAM, and are dropped when the policy forbids it",
        },
        Limit {
            name: "internal_if_psram_fails",
            unit: "B",
            need: TUNNEL_PEER * u64::from(config.tunnel_slots) + TUNNEL_DEVICE,
            limit: INTERNAL_FREE + INTERNAL_RESERVED,
            source: "the tunnel's table when PSRAM cannot be had; 64 peers wedged a board so",
            breaks: "the network stack finds no memory and the board wedges within 10 s",
        },
    ]
}
