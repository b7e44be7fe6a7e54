//! The DISCO timers: once a second, one scan over all peers, with no tunnel drain in it.
//!
//! ```text
//!   safety peers without a session, silent for 3 s ─► pinged, initiation (with sessions)
//!   slot rotation, +1, +2 … ─► direct path expired or silent? ─► given up, initiation, pinged
//!                           ─► no direct path, 60 s (priority 5 s) over? ─► upgrade ping, 2 a tick
//!                           ─► direct path, 30 s and its offset over?    ─► heartbeat, 8 a tick
//!                           ─► bulk, no session, marked active?          ─► not any more
//!   end ─► rotation + 2, pending pings older than 5 s are freed
//! ```
//!
//! The offset of a slot is below one second, so it cannot spread peers over more than two ticks;
//! the cap does.
//!
//! Clauses: WG-HB-1, WG-HB-2, the sweep of WG-PROBE-1. What the scan finds of leases is in
//! [`super::leases`], its wakes in [`super::wakes`].
use super::WgMgr;
use super::config::Config;
use super::jobs::Job;
use super::leases::{demote, path_loss};
use super::output::{InitiationReason, Note, Outputs};
use super::peers::{Peer, PeerIndex};
use super::rules::Rule;
use super::stage::{DrainPoint, Scan, Stage};
use crate::time::{Duration, Instant};
use crate::wake::Wake;

/// When the timers last ran, and where their next scan begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Timers {
    last_tick: Instant,
    rotation: u16,
    last_tunnel_tick: Instant,
}

impl Timers {
    /// Whether a scan is due; it then counts as having begun at `now`.
    pub(super) fn begin(&mut self, config: &Config, now: Instant) -> bool {
        let anything = config.disco_enabled || config.has_sessions();
        let due = anything && now.since(self.last_tick) > config.disco_tick;
        if due {
            self.last_tick = now;
        }
        due
    }

    /// Whether a look at all sessions is due; it then counts as having begun at `now` (WG-HS-2).
    pub(super) fn begin_tunnel(&mut self, config: &Config, now: Instant) -> bool {
        let due = now.since(self.last_tunnel_tick) >= config.tunnel_tick;
        if due {
            self.last_tunnel_tick = now;
        }
        due
    }
}

/// The phase offset of a slot's heartbeat: 0 to 996 ms, all different for slots below 997.
pub fn jitter(peer: PeerIndex) -> Duration {
    Duration::from_millis(u64::from(peer.0) * 271 % 997)
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Goes on with a scan to the next peer for which something is due, or to its end.
    pub(super) fn scan_on(&mut self, now: Instant, mut scan: Scan) -> Option<Outputs> {
        if self.wake_next(now, &mut scan) {
            self.stage = Stage::DiscoTimers(scan);
            return Some(Outputs { wake: Some(Wake::now(now)), ..Outputs::none() });
        }
        if !self.config.disco_enabled {
            self.leave(now);
            return None;
        }
        let count = self.peers.count();
        if self.timers.rotation >= count {
            self.timers.rotation = 0;
        }
        while scan.visited < count {
            let slot =
                (u32::from(self.timers.rotation) + u32::from(scan.visited)) % u32::from(count);
            scan.visited += 1;
            let peer = PeerIndex(u16::try_from(slot).unwrap_or(u16::MAX));
            let (outputs, demoted) = self.examine(peer, &mut scan);
            if !outputs.list.is_empty() {
                let drain = demoted && self.config.rules.lease_demotions.is_strict();
                self.stage = if drain {
                    Stage::TunnelDrain(DrainPoint::AfterDemotion(scan))
                } else {
                    Stage::DiscoTimers(scan)
                };
                return Some(Outputs { wake: Some(Wake::now(now)), ..outputs });
            }
        }
        self.finish(now, scan, count);
        None
    }

    fn finish(&mut self, now: Instant, scan: Scan, count: u16) {
        if count > 0 {
            let moved = u32::from(self.timers.rotation) + u32::from(self.config.upgrades_per_tick);
            self.timers.rotation = u16::try_from(moved % u32::from(count)).unwrap_or(0);
        }
        let rule = self.config.rules.sweep_clock;
        let clock = match rule {
            Rule::Strict => now,
            Rule::Compat => scan.tick,
        };
        self.probes.sweep(clock, self.config.probe_lifetime, rule);
        self.leave(now);
    }

    /// What is due for one peer, its packets queued as jobs; whether its path was given up.
    fn examine(&mut self, index: PeerIndex, scan: &mut Scan) -> (Outputs, bool) {
        let mut outputs = Outputs::none();
        let allowed = self.is_allowed(index);
        let sessions = self.config.has_sessions();
        let Some(peer) = self.peers.get_mut(index).filter(|peer| peer.active) else {
            return (outputs, false);
        };
        let priority = self.special.is_safety_path(&self.config, peer.address);
        let mut jobs = heapless::Vec::<Job, 5>::new();
        let mut queue = |job| jobs.push(job).expect("one a rule, and two more for a demotion");
        let ping = |forced| Job::Ping { peer: index, forced };
        let lost = path_loss(&self.config, peer, scan, priority);
        if let Some(why) = lost {
            demote(&self.config, peer, scan.tick, priority, (index, why), &mut outputs);
            if allowed && sessions {
                queue(Job::Initiate { peer: index, why: InitiationReason::Demoted });
            }
            if allowed {
                queue(ping(true));
            }
        }
        if allowed && upgrade_due(&self.config, peer, scan, priority) {
            peer.last_upgrade = scan.tick;
            outputs.note(Note::UpgradeDue(index));
            queue(ping(false));
        }
        if allowed && heartbeat_due(&self.config, index, peer, scan, priority) {
            outputs.note(Note::HeartbeatDue(index));
            queue(ping(true));
        }
        if allowed && sessions && lost.is_some() {
            queue(Job::ClearActive { peer: index });
        } else if allowed && self.clear_active(index) {
            outputs.note(Note::ActiveCleared(index));
        }
        for job in jobs {
            self.queue_job(job);
        }
        (outputs, lost.is_some())
    }
}

/// Whether an upgrade ping is due and the tick's cap allows it. The cap has no exemption unless the
/// corrected rule gives the priority peer one.
fn upgrade_due(config: &Config, peer: &Peer, scan: &mut Scan, priority: bool) -> bool {
    let interval =
        if priority { config.priority_upgrade_interval } else { config.upgrade_interval };
    let due = peer.direct.is_none()
        && scan.tick.since(peer.last_upgrade) > interval
        && scan.tick > peer.backoff_until;
    let exempt = priority && config.rules.priority_upgrade.is_strict();
    due && (exempt || scan.upgrades.try_spend())
}

/// Whether a heartbeat ping is due and the tick's cap allows it; the priority peer is exempt from
/// cap and offset.
fn heartbeat_due(
    config: &Config,
    index: PeerIndex,
    peer: &Peer,
    scan: &mut Scan,
    priority: bool,
) -> bool {
    let offset = if config.heartbeat_jitter { jitter(index) } else { Duration::ZERO };
    let interval = if priority {
        config.heartbeat_interval.min(config.priority_heartbeat_interval)
    } else {
        config.heartbeat_interval.plus(offset)
    };
    let due = peer.direct.is_some() && scan.tick.since(peer.last_ping) > interval;
    due && (priority || scan.heartbeats.try_spend())
}
