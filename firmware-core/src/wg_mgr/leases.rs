//! Leases of direct paths: how they end, and what that costs.
//!
//! ```text
//!   direct pong ─► trusted for 60 s ─► over ────────────┐
//!   safety peer, silent for 4 s ────────────────────────┴► path given up ─► initiation, 2 X ─► ping
//! ```
//!
//! Peers whose leases end together are given up in one tick, two X25519 each, with nothing drained
//! between: 128 of them take 256 X25519 (PF-90). A cap on them is a what-if; safety peers are exempt
//! from it, and a bulk peer beyond it keeps its dead path until a later tick.
//!
//! Any pong feeds the watchdog of a safety peer, a relayed one too: a direct path that is dead in one
//! direction is then only noticed by its lease (PF-106).
//!
//! Clauses: WG-LEASE-1, WG-LEASE-2, and the arming half of WG-FLAP-1.
use super::config::Config;
use super::output::{Note, Outputs, PathLoss};
use super::paths::back_off;
use super::peers::{Peer, PeerIndex};
use super::stage::Scan;
use crate::time::Instant;

/// Why the direct path is to be given up, if it is. A peer that never answered is not called
/// silent.
pub(super) fn path_loss(
    config: &Config,
    peer: &Peer,
    scan: &mut Scan,
    safety: bool,
) -> Option<PathLoss> {
    peer.direct?;
    let heard = if config.rules.masked_path.is_strict() {
        peer.last_direct_pong
    } else {
        Some(peer.last_pong).filter(|last| *last != Instant::ZERO)
    };
    let silent = safety
        && heard.is_some_and(|last| {
            config.path_dead_after.is_some_and(|most| scan.tick.since(last) > most)
        });
    let why = match (scan.tick > peer.trust_until, silent) {
        (true, _) => PathLoss::TrustExpired,
        (false, true) => PathLoss::Silent,
        (false, false) => return None,
    };
    (safety || scan.demotions.try_spend()).then_some(why)
}

/// Gives the direct path up. A safety peer's that had not lasted long backs off (WG-FLAP-1).
pub(super) fn demote(
    config: &Config,
    peer: &mut Peer,
    tick: Instant,
    safety: bool,
    (index, why): (PeerIndex, PathLoss),
    outputs: &mut Outputs,
) {
    peer.direct = None;
    outputs.note(Note::PathDown { peer: index, why });
    if safety && let Some(span) = back_off(config, peer, tick) {
        outputs.note(Note::BackedOff { peer: index, span });
    }
}

#[cfg(test)]
mod tests {
    use core::net::{Ipv4Addr, SocketAddrV4};

    use super::*;
    use crate::wg_mgr::budget::Budget;
    use crate::wg_mgr::preset::Preset;

    const TRUSTED_UNTIL: u64 = 70_000;

    /// What becomes of a path in a tick at `now_ms`; the last pong came at 10 000 ms.
    fn loss(now_ms: u64, safety: bool) -> Option<PathLoss> {
        let config = Preset::Head4.config();
        let pong = Instant::from_millis(10_000);
        let peer = Peer {
            direct: Some(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 41_641)),
            trust_until: Instant::from_millis(TRUSTED_UNTIL),
            last_pong: pong,
            last_direct_pong: Some(pong),
            ..Peer::vacant()
        };
        let unlimited = Budget::full(None);
        let mut scan = Scan {
            tick: Instant::from_millis(now_ms),
            visited: 0,
            upgrades: unlimited,
            heartbeats: unlimited,
            demotions: unlimited,
            wakes: 0,
        };
        path_loss(&config, &peer, &mut scan, safety)
    }

    /// Cites WG-LEASE-2: more than 4000 ms, so 4000 ms exactly is not silence yet.
    #[test]
    fn a_safety_peer_is_silent_after_more_than_4_s_wg_lease_2() {
        assert_eq!(loss(14_000, true), None);
        assert_eq!(loss(14_001, true), Some(PathLoss::Silent));
        assert_eq!(loss(14_001, false), None);
    }

    /// Cites WG-LEASE-1: 60 s after the last direct pong the path is still trusted, later not.
    #[test]
    fn a_lease_is_over_after_more_than_60_s_wg_lease_1() {
        assert_eq!(loss(TRUSTED_UNTIL, false), None);
        assert_eq!(loss(TRUSTED_UNTIL + 1, false), Some(PathLoss::TrustExpired));
    }
}
