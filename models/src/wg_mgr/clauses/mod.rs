//! The clauses of the `WireGuard` manager loop: one entry each, grouped by what they are about.
//!
//! Words used by the entries:
//!
//! - *X* is one X25519 Diffie-Hellman, the unit of what is slow.
//! - A *tick* is one run of the DISCO timers (step 10 of a pass), about once a second.
//! - The *priority* peer has the one configured priority address; *health-tracked* peers are those
//!   whose health the application watches; *pinned* are the priority peer, the fleet server and
//!   the application's pins. Three sets that overlap and differ: each entry names the one it means.
//! - *Safety* peers are all of these together; *bulk* peers are those that an entry does not
//!   single out.
//! - A *profile* (PRE-0, ARM-1, KEY-2, ILV-3, HEAD-4) is a version of the firmware; without one, an
//!   entry speaks of the newest.

use crate::clause::clause_register;

mod call_me_maybe;
mod capacity;
mod cross_edges;
mod derp;
mod disco;
mod order_and_queues;
mod paths;
mod peers;
mod probes;
mod sessions;
mod store;
mod timers;

pub use cross_edges::{CROSS_EDGES, CrossEdge};

clause_register! {
    /// WG-ORD-1: order of the steps in a pass.
    Ord1 => order_and_queues::ORD_1,
    /// WG-Q1: `WireGuard` queue of 32, always drained to empty.
    Q1 => order_and_queues::Q1,
    /// WG-Q2: `WireGuard` queue drained between heavy items.
    Q2 => order_and_queues::Q2,
    /// WG-DISCO-1: budget for opening boxes.
    Disco1 => disco::DISCO_1,
    /// WG-DISCO-2: admission and dispatch of DISCO packets.
    Disco2 => disco::DISCO_2,
    /// WG-RESCUE-1: rescue of a rotated key.
    Rescue1 => disco::RESCUE_1,
    /// WG-CACHE-1: cache of shared keys.
    Cache1 => disco::CACHE_1,
    /// WG-ADD-1: adds per pass.
    Add1 => peers::ADD_1,
    /// WG-ADD-2: slot, eviction and contents of an added peer.
    Add2 => peers::ADD_2,
    /// WG-ADD-3: a known peer is preserved.
    Add3 => peers::ADD_3,
    /// WG-REM-1: removal of a peer.
    Rem1 => peers::REM_1,
    /// WG-NVS-1: peer cache written at most every 5 s.
    Nvs1 => store::NVS_1,
    /// WG-NVS-2: layout and replacement of the peer cache.
    Nvs2 => store::NVS_2,
    /// WG-NVS-3: peers loaded at start.
    Nvs3 => store::NVS_3,
    /// WG-CMM-1: `CallMeMaybe` broadcast after STUN.
    Cmm1 => call_me_maybe::CMM_1,
    /// WG-CMM-2: `CallMeMaybe` received.
    Cmm2 => call_me_maybe::CMM_2,
    /// WG-HB-1: heartbeat pings: interval, jitter and cap.
    Hb1 => timers::HB_1,
    /// WG-HB-2: upgrade probes.
    Hb2 => timers::HB_2,
    /// WG-LEASE-1: trust lease and demotion.
    Lease1 => timers::LEASE_1,
    /// WG-LEASE-2: pong watchdog.
    Lease2 => timers::LEASE_2,
    /// WG-FLAP-1: back-off of a flapping path.
    Flap1 => timers::FLAP_1,
    /// WG-PATH-1: promotion and the sticky endpoint.
    Path1 => paths::PATH_1,
    /// WG-PATH-2: way out of a packet, and dual path.
    Path2 => paths::PATH_2,
    /// WG-HS-1: bulk peers without a session stop initiating.
    Hs1 => sessions::HS_1,
    /// WG-HS-2: when an initiation is sent.
    Hs2 => sessions::HS_2,
    /// WG-HS-3: life of a session.
    Hs3 => sessions::HS_3,
    /// WG-HS-4: handshakes received.
    Hs4 => sessions::HS_4,
    /// WG-WAKE-1: silent peers are woken, DISCO first.
    Wake1 => timers::WAKE_1,
    /// WG-PING-1: sending a ping.
    Ping1 => probes::PING_1,
    /// WG-PONG-1: answering a ping.
    Pong1 => probes::PONG_1,
    /// WG-PROBE-1: table of pending probes.
    Probe1 => probes::PROBE_1,
    /// WG-PROBE-2: ring of matched transaction ids.
    Probe2 => probes::PROBE_2,
    /// WG-DEDUP-1: copies over two paths.
    Dedup1 => sessions::DEDUP_1,
    /// WG-REPLAY-1: replay window.
    Replay1 => sessions::REPLAY_1,
    /// WG-DERP-1: two send queues.
    Derp1 => derp::DERP_1,
    /// WG-REHOME-1: home region of DERP.
    Rehome1 => derp::REHOME_1,
    /// WG-ALLOW-1: allowlist.
    Allow1 => peers::ALLOW_1,
    /// CAP-1: maximum of peers.
    Cap1 => capacity::CAP_1,
    /// CAP-2: tunnel slots.
    Cap2 => capacity::CAP_2,
    /// CAP-3: pins and health-tracked addresses.
    Cap3 => capacity::CAP_3,
    /// CAP-4: backlog of peer updates.
    Cap4 => capacity::CAP_4,
    /// WG-WDT-1: task watchdog.
    Wdt1 => capacity::WDT_1,
    /// WG-SHUT-1: shutdown.
    Shut1 => capacity::SHUT_1,
    /// WG-RATE-1: every rate limit in one place.
    Rate1 => capacity::RATE_1,
}
