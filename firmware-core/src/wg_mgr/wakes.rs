//! Wakes: a safety peer without a session is pinged first, since a peer that configures its tunnels
//! lazily ignores an initiation out of the blue.
//!
//! ```text
//!   priority peer, fleet server, health registry
//!       └► has a tunnel; no session, or said to be unhealthy; not pinged for 3 s ─► ping, initiation
//! ```
//!
//! Two defects live here (PF-107). A ping that is skipped, because another to the same peer is still
//! pending, does not count as sent: the wake then comes again each second. And a wake gives the
//! direct path up, so an unhealthy peer that is reached directly changes to the relay and back.
//!
//! Runs with DISCO switched off too.
//!
//! Clauses: WG-WAKE-1.
use core::net::Ipv4Addr;

use super::WgMgr;
use super::jobs::Job;
use super::output::InitiationReason;
use super::stage::Scan;
use crate::time::Instant;

/// Candidates beside those of the health registry.
const FIXED_CANDIDATES: usize = 2;

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Wakes the next candidate of this tick that needs it; `false` when none is left.
    pub(super) fn wake_next(&mut self, now: Instant, scan: &mut Scan) -> bool {
        if !self.config.has_sessions() {
            return false;
        }
        while usize::from(scan.wakes) < FIXED_CANDIDATES + self.special.tracked().len() {
            let candidate = self.wake_candidate(scan.wakes.into());
            scan.wakes += 1;
            if let Some(address) = candidate
                && self.wake(now, address)
            {
                return true;
            }
        }
        false
    }

    /// The candidate with this number, if its place is taken and it is not another's too.
    fn wake_candidate(&self, number: usize) -> Option<Ipv4Addr> {
        match number {
            0 => self.config.priority_peer,
            1 => self.config.fleet_server,
            _ => {
                let entry = self.special.tracked().get(number - FIXED_CANDIDATES)?;
                Some(entry.address).filter(|it| !self.config.is_priority(*it))
            }
        }
    }

    /// Wakes the peer with this address if it needs it; its ping and initiation are queued.
    fn wake(&mut self, now: Instant, address: Ipv4Addr) -> bool {
        let Some(peer) = self.peers.by_address(address) else { return false };
        let Some(tunnel) = self.tunnel_of(peer) else { return false };
        let needs_it =
            !tunnel.is_up(&self.config) || self.special.is_unhealthy(&self.config, address);
        let interval = self.config.wake_interval;
        let strict = self.config.rules.wake_retries.is_strict();
        let Some(slot) = self.peers.get_mut(peer) else { return false };
        let woken = slot.last_wake.is_some_and(|last| strict && now.since(last) < interval);
        if !needs_it || woken || now.since(slot.last_ping) < interval {
            return false;
        }
        slot.last_wake = Some(now);
        self.queue_job(Job::Ping { peer, forced: true });
        self.queue_job(Job::Initiate { peer, why: InitiationReason::Wake });
        true
    }
}
