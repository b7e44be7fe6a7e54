//! From counts to the report's figures.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::output::{MessageKind, Queue, Refusal};
use firmware_core::wg_mgr::wire::PacketClass;

use super::{Measure, TunnelEnd};
use crate::report::metrics::Metric;
use crate::report::{ClassRow, Report};

/// What is only known when the run is over.
#[derive(Clone, Copy, Debug)]
pub struct Final {
    /// Virtual time that passed.
    pub elapsed: Duration,
    /// Time that each core was busy.
    pub busy: [Duration; 2],
    /// The longest stretch in which nothing less urgent than the manager ran on its core.
    pub low_task_gap: Duration,
    /// Time that flash writes stalled the cores.
    pub flash_stall: Duration,
    /// Peers in the table.
    pub peers_active: usize,
    /// Peers with a tunnel.
    pub peers_with_tunnel: usize,
    /// Shared keys in the cache.
    pub cached_keys: usize,
    /// Sessions, paths, relays and the protective stop, where sessions are modelled.
    pub tunnel: Option<TunnelEnd>,
}

/// A quotient for people; 0 of nothing.
#[expect(clippy::cast_precision_loss, reason = "figures for people need 15 digits at most")]
pub(super) fn ratio(numerator: u128, denominator: u128) -> f64 {
    if denominator == 0 { 0.0 } else { numerator as f64 / denominator as f64 }
}

pub(super) fn millis(span: Duration) -> f64 {
    ratio(span.as_nanos().into(), 1_000_000)
}

fn count(number: u64) -> f64 {
    ratio(number.into(), 1)
}

fn size(number: usize) -> f64 {
    ratio(number as u128, 1)
}

impl Measure {
    /// Datagrams by class.
    pub fn class_rows(&self) -> Vec<ClassRow> {
        let name = |class: &PacketClass| match class {
            PacketClass::Stun => "STUN",
            PacketClass::Disco => "DISCO",
            PacketClass::Tunnel => "WireGuard",
            PacketClass::Dropped => "dropped",
        };
        let row = |(class, (arrived, shed)): (&PacketClass, &(u64, u64))| ClassRow {
            class: name(class),
            arrived: *arrived,
            shed: *shed,
        };
        self.classes.iter().map(row).collect()
    }

    /// Boxes that the manager tried to open.
    pub fn opened(&self) -> u64 {
        self.opened_known + self.opened_unknown
    }

    fn refusals(&self, refusal: Refusal) -> f64 {
        count(self.refused.get(&refusal).copied().unwrap_or(0))
    }

    /// Puts every figure that has a ground into a report.
    pub fn put_into(&self, report: &mut Report, end: Final) {
        self.loop_figures(report, end);
        self.disco_figures(report, end);
        self.heartbeat_figures(report);
        self.path_figures(report);
        self.peer_figures(report, end);
        self.store_figures(report, end);
        if let Some(end) = &end.tunnel {
            self.tunnel.put_into(report, end);
            if let Some(mean) = self.upgrades.mean() {
                report.put(Metric::PriorityUpgradeGapMsMean, millis(mean));
            }
        }
    }

    fn loop_figures(&self, report: &mut Report, end: Final) {
        let busy =
            |core: usize| ratio(end.busy[core].as_nanos().into(), end.elapsed.as_nanos().into());
        report.put(Metric::VirtualSeconds, ratio(end.elapsed.as_nanos().into(), 1_000_000_000));
        report.put(Metric::Passes, count(self.passes.count));
        report.put(Metric::LoopPassMsMax, millis(self.passes.longest));
        report.put(Metric::Core0BusyRatio, busy(0));
        report.put(Metric::Core1BusyRatio, busy(1));
        report.put(Metric::LowTaskGapMsMax, millis(end.low_task_gap));
        report.put(Metric::WatchdogResets, count(self.resets));
        report.put(Metric::InvariantsBroken, count(self.invariants_broken));
    }

    fn disco_figures(&self, report: &mut Report, end: Final) {
        let (received, shed) = self.classes.get(&PacketClass::Disco).copied().unwrap_or_default();
        report.put(Metric::DiscoReceived, count(received));
        report.put(Metric::DiscoShed, count(shed));
        if received > 0 {
            report.put(Metric::DiscoShedPercent, 100.0 * ratio(shed.into(), received.into()));
        }
        report.put(Metric::DiscoOpenedUnknown, count(self.opened_unknown));
        report.put(Metric::DiscoOpenedKnown, count(self.opened_known));
        let seconds = u128::from(end.elapsed.as_nanos());
        let opens = u128::from(self.opened_unknown) * 1_000_000_000;
        report.put(Metric::DiscoOpensPerSecond, ratio(opens, seconds));
        report.put(Metric::DiscoForged, count(self.forged));
        report.put(Metric::DiscoRescued, count(self.notes.rescued));
        report.put(Metric::MailboxShed, count(self.mailbox_shed));
        let (tunnel, _) = self.classes.get(&PacketClass::Tunnel).copied().unwrap_or_default();
        report.put(Metric::TunnelReceived, count(tunnel));
        let shed = |queue| count(self.queue_shed.get(&queue).copied().unwrap_or(0));
        report.put(Metric::TunnelShed, shed(Queue::Tunnel));
        report.put(Metric::TunnelCopies, self.refusals(Refusal::TunnelCopy));
        report.put(Metric::TunnelMalformed, self.refusals(Refusal::TunnelMalformed));
        report.put(Metric::CachedKeys, size(end.cached_keys));
    }

    fn heartbeat_figures(&self, report: &mut Report) {
        let beats = &self.heartbeats;
        report.put(Metric::HeartbeatsSent, count(beats.sent));
        report.put(Metric::HeartbeatsServed, count(beats.served));
        report.put(Metric::HeartbeatLost, count(beats.lost));
        if !beats.waits.is_empty() {
            report.put(Metric::HeartbeatWaitMsP50, beats.waits.percentile_ms(50.0));
            report.put(Metric::HeartbeatWaitMsP99, beats.waits.percentile_ms(99.0));
            report.put(Metric::HeartbeatWaitMsMean, beats.waits.mean_ms());
            report.put(Metric::HeartbeatWaitMsMax, beats.waits.longest_ms());
        }
        if let Some(widest) = beats.gaps.widest {
            report.put(Metric::HeartbeatGapMsMax, millis(widest));
        }
    }

    fn path_figures(&self, report: &mut Report) {
        let notes = &self.notes;
        let sent = |kind| count(self.sent.get(&kind).copied().unwrap_or(0));
        report.put(Metric::PingsSent, sent(MessageKind::Ping));
        report.put(Metric::PingsSkipped, count(notes.skipped));
        report.put(Metric::PingsUntracked, count(notes.untracked));
        report.put(Metric::ProbesPeak, size(self.probes_peak));
        report.put(Metric::PongsSent, sent(MessageKind::Pong));
        let unmatched = [Refusal::PongUnmatched, Refusal::PongDuplicate, Refusal::PongOrphaned];
        report.put(Metric::PongsMatched, count(self.round_trips.len()));
        report.put(Metric::PongsUnmatched, unmatched.map(|it| self.refusals(it)).iter().sum());
        if !self.round_trips.is_empty() {
            report.put(Metric::PongRttMsP50, self.round_trips.percentile_ms(50.0));
            report.put(Metric::PongRttMsMax, self.round_trips.longest_ms());
        }
        report.put(Metric::CallMeMaybeSent, sent(MessageKind::CallMeMaybe));
        report.put(Metric::CallMeMaybeReceived, count(self.call_me_maybe_received));
        report.put(Metric::PathsUp, count(notes.paths_up));
        report.put(Metric::PathsLostTrust, count(notes.lost_trust));
        report.put(Metric::PathsLostSilent, count(notes.lost_silent));
        report.put(Metric::HeartbeatPings, count(notes.heartbeats.total));
        report.put(Metric::HeartbeatPingsPerTickMax, count(notes.heartbeats.most));
        report.put(Metric::UpgradePings, count(notes.upgrades));
        if let Some(widest) = self.upgrades.widest {
            report.put(Metric::PriorityUpgradeGapMsMax, millis(widest));
        }
        let (pongs, shed) = self.priority_pongs;
        if self.priority.is_some() {
            report.put(Metric::PriorityPongsSentToUs, count(pongs));
            report.put(Metric::PriorityPongsShed, count(shed));
            report.put(Metric::PriorityPongsShedRatio, ratio(shed.into(), pongs.into()));
        }
        if let Some(first) = self.first_false_demotion {
            report.put(Metric::FirstFalseDemotionMs, ratio(first.as_nanos().into(), 1_000_000));
        }
    }

    fn peer_figures(&self, report: &mut Report, end: Final) {
        report.put(Metric::PeersAdded, count(self.peers.added.total));
        let refused = [Refusal::TableFull, Refusal::NotAllowed];
        report.put(Metric::PeersRefused, refused.map(|it| self.refusals(it)).iter().sum());
        report.put(Metric::PeersActive, size(end.peers_active));
        report.put(Metric::PeersWithTunnel, size(end.peers_with_tunnel));
        report.put(Metric::AddsPerPassMax, count(self.peers.added.most));
        report.put(Metric::UpdatesDropped, count(self.updates_dropped));
        if let (Some(first), Some(last)) = (self.peers.first_added, self.peers.last_added) {
            report.put(Metric::IngestMs, millis(last.since(first)));
        }
    }

    fn store_figures(&self, report: &mut Report, end: Final) {
        report.put(Metric::NvsWrites, count(self.writes.count));
        report.put(Metric::NvsBytes, count(self.writes.bytes));
        report.put(Metric::FlashStallMs, millis(end.flash_stall));
        if let Some(first) = self.writes.gaps.first {
            report.put(Metric::NvsFirstWriteMs, ratio(first.as_nanos().into(), 1_000_000));
        }
        if let Some(narrowest) = self.writes.gaps.narrowest {
            report.put(Metric::NvsGapMsMin, millis(narrowest));
        }
    }
}
