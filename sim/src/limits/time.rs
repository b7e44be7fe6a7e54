//! What the loop's time is enough for: heartbeats, probes, upgrade pings, a burst of handshakes.
use firmware_core::time::Duration;

use super::{Basis, Limit};

/// X25519 operations of an initiation.
const INITIATION: u64 = 2;
/// Stall of inbound packets that a link of 10 Hz and 1000x1 bears (facts h3).
const STALL_OLD_LINK_MS: u64 = 1_000;
/// The same of a link of 5 Hz and 400x5: the remote's own watchdog.
const STALL_LINK_MS: u64 = 1_500;
/// Heartbeats a second on the older link.
const HEARTBEATS_PER_S: u64 = 10;
/// Wake-ups of safety peers that probes are kept for, per tick.
const WAKES: u64 = 1;

fn ticks(span: Duration, tick: Duration) -> u64 {
    span.as_nanos() / tick.as_nanos().max(1)
}

/// The longest call that demotes every peer at once, or as many as are allowed.
fn burst_ms(basis: &Basis<'_>) -> u64 {
    let at_once = basis.demotions();
    (basis.x25519_us * INITIATION * at_once).div_ceil(1_000)
}

impl Basis<'_> {
    /// Peers that may be demoted in one call.
    fn demotions(&self) -> u64 {
        self.config.demotions_per_tick.map_or(self.peers(), |cap| self.peers().min(cap.into()))
    }
}

pub(super) fn rows(basis: &Basis<'_>) -> Vec<Limit> {
    let mut rows = timers(basis);
    rows.extend(bursts(basis));
    rows
}

fn timers(basis: &Basis<'_>) -> Vec<Limit> {
    let config = basis.config;
    let peers = basis.peers();
    let per_tick = config.heartbeats_per_tick.map_or(u64::MAX, u64::from);
    let capacity = |span| per_tick.saturating_mul(ticks(span, config.disco_tick));
    let upgrades = u64::from(config.upgrades_per_tick);
    // A probe lives its time and up to one tick more: half a tick on average.
    let half_ticks = 2 * ticks(config.probe_lifetime, config.disco_tick) + 1;
    let sent = per_tick.min(peers).saturating_add(upgrades.min(peers) + WAKES);
    vec![
        Limit {
            name: "heartbeat_capacity",
            unit: "direct peers",
            need: peers,
            limit: capacity(config.heartbeat_interval),
            source: "heartbeats_per_tick times heartbeat_interval (WG-HB-1)",
            breaks: "pings come later than their interval; leases end at the next row",
        },
        Limit {
            name: "lease_capacity",
            unit: "direct peers",
            need: peers,
            limit: capacity(config.trust),
            source: "heartbeats_per_tick times trust (WG-HB-1, WG-LEASE-1)",
            breaks: "direct paths are given up because their ping's turn never comes in time",
        },
        Limit {
            name: "upgrade_capacity",
            unit: "relayed peers",
            need: peers,
            limit: upgrades.saturating_mul(ticks(config.upgrade_interval, config.disco_tick)),
            source: "upgrades_per_tick times upgrade_interval (WG-HB-2)",
            breaks: "the priority peer's search for a direct path waits for its turn, 60 s and more",
        },
        Limit {
            name: "probes",
            unit: "probes",
            need: (sent * half_ticks).div_ceil(2),
            limit: config.probes.into(),
            source: "heartbeats, upgrades and one wake a tick, 5.5 s each (WG-PROBE-1)",
            breaks: "pings go out untracked and their pongs renew nothing",
        },
    ]
}

fn bursts(basis: &Basis<'_>) -> Vec<Limit> {
    let burst = burst_ms(basis);
    let rows = [
        (
            "handshake_burst_1000x1",
            STALL_OLD_LINK_MS,
            "every lease ends at once, 2 X25519 each (WG-LEASE-1); 10 Hz, 1000x1 (facts h3)",
            "the machine stops: heartbeats or replies wait too long",
        ),
        (
            "handshake_burst_400x5",
            STALL_LINK_MS,
            "the same; 5 Hz, 400x5: the remote's own 1500 ms (facts h3)",
            "the remote bonds anew, is refused, and the machine stops",
        ),
    ];
    let mut limits: Vec<_> = rows
        .into_iter()
        .map(|(name, limit, source, breaks)| Limit {
            name,
            unit: "ms",
            need: burst,
            limit,
            source,
            breaks,
        })
        .collect();
    limits.push(Limit {
        name: "handshake_burst_watchdog",
        unit: "ms",
        need: burst,
        limit: basis.watchdog_ms.unwrap_or(u64::MAX / 1_000),
        source: "the task watchdog's limit for core 1 (WG-WDT-1)",
        breaks: "the board resets",
    });
    limits.push(Limit {
        name: "handshake_burst_queue",
        unit: "heartbeats",
        need: (burst * HEARTBEATS_PER_S).div_ceil(1_000),
        limit: basis.config.tunnel_queue_depth.into(),
        source: "tunnel_queue_depth at 10 heartbeats a second (WG-Q1)",
        breaks: "the newest heartbeats are dropped",
    });
    limits
}
