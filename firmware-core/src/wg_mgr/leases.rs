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
