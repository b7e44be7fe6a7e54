//! Figures of sessions, paths, relays and the protective stop; a run without sessions has none.
use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::output::{InitiationReason, Note};

use super::PerPass;
use super::figures::{millis, ratio};
use super::waits::Waits;
use crate::link;
use crate::node::pstop::{machine, remote};
use crate::packet::FrameKind;
use crate::report::Report;
use crate::report::metrics::Metric;
use crate::rtos::LockUsage;

/// Counts of sessions, paths and relays.
#[derive(Debug, Default)]
pub struct TunnelCounts {
    /// How long packets of applications waited until they were encrypted.
    pub outbound_waits: Waits,
    /// Relays that were connected.
    pub relay_connects: u64,
    /// Frames lost with the connection to the home relay.
    pub relay_torn_down: u64,
    /// Frames without a relay that reaches their peer.
    pub relay_unroutable: u64,
    evicted: u64,
    evicted_stop: u64,
    initiated: u64,
    retried: u64,
    last_initiated: Option<Instant>,
    received: u64,
    sessions_up: u64,
    sessions_down: u64,
    cleared: u64,
    given_up: u64,
    backed_off: u64,
    kept: u64,
    demotions: PerPass,
    x25519: u64,
    handshake_time: Duration,
    burst: Duration,
    longest_burst: Duration,
    stop_round_trips: Waits,
}

/// What is only known when the run is over.
#[derive(Clone, Copy, Debug, Default)]
pub struct TunnelEnd {
    /// Sessions that stand.
    pub sessions: usize,
    /// Peers with a direct path.
    pub direct: usize,
    /// How the network stack's lock was used.
    pub lock: LockUsage,
    /// What links did.
    pub links: link::Counts,
    /// Both ends of the protective stop, if there is one.
    pub stop: Option<(remote::Counts, machine::Counts)>,
}

impl TunnelCounts {
    /// The manager began a charge.
    pub fn charged(&mut self, key: CostKey, span: Duration) {
        self.x25519 += key.x25519_count();
        match key {
            CostKey::InitiationSent => {
                self.burst = self.burst.plus(span);
                self.longest_burst = self.longest_burst.max(self.burst);
                self.handshake_time = self.handshake_time.plus(span);
            }
            CostKey::InitiationReceived
            | CostKey::InitiationRefused
            | CostKey::ResponseReceived => {
                self.received += u64::from(key == CostKey::InitiationReceived);
                self.handshake_time = self.handshake_time.plus(span);
            }
            CostKey::DiscoReject
            | CostKey::BoxOpenComputed
            | CostKey::BoxOpenCached
            | CostKey::BoxSealComputed
            | CostKey::BoxSealCached
            | CostKey::PeerAdd
            | CostKey::PeerUpdate
            | CostKey::TunnelData
            | CostKey::TunnelReject
            | CostKey::StoreWrite
            | CostKey::TunnelDataSent => {}
        }
    }

    /// The manager looks into the tunnel queue: what was sent before is no part of a later call.
    pub fn drained(&mut self) {
        self.burst = Duration::ZERO;
    }

    /// A pass is over.
    pub fn pass_ends(&mut self) {
        self.demotions.pass = 0;
    }

    /// A frame made room for another one, or found none.
    pub fn evicted(&mut self, kind: FrameKind) {
        self.evicted += 1;
        self.evicted_stop += u64::from(kind == FrameKind::Stop);
    }

    /// The remote has read a reply.
    pub fn stop_round_trip(&mut self, span: Duration) {
        self.stop_round_trips.add(span);
    }

    /// The manager reported something of a session or a path.
    pub fn note(&mut self, note: Note, now: Instant) {
        match note {
            Note::Initiated { why, .. } => {
                self.initiated += 1;
                self.retried += u64::from(why == InitiationReason::Retry);
                self.last_initiated = Some(now);
            }
            Note::SessionUp { .. } => self.sessions_up += 1,
            Note::SessionDown(_) => self.sessions_down += 1,
            Note::ActiveCleared(_) => self.cleared += 1,
            Note::InitiationsGivenUp(_) => self.given_up += 1,
            Note::BackedOff { .. } => self.backed_off += 1,
            Note::PathKept(_) => self.kept += 1,
            Note::PathDown { .. } => self.demotions.count(),
            _ => {}
        }
    }

    /// Puts every figure into a report.
    pub fn put_into(&self, report: &mut Report, end: &TunnelEnd) {
        let count = |number: u64| ratio(number.into(), 1);
        let size = |number: usize| ratio(number as u128, 1);
        report.put(Metric::HandshakesSent, count(self.initiated));
        report.put(Metric::HandshakesRetried, count(self.retried));
        report.put(Metric::HandshakesReceived, count(self.received));
        if let Some(last) = self.last_initiated {
            report.put(Metric::HandshakeLastMs, ratio(last.as_nanos().into(), 1_000_000));
        }
        report.put(Metric::HandshakeBurstMsMax, millis(self.longest_burst));
        report.put(Metric::HandshakeMs, millis(self.handshake_time));
        report.put(Metric::X25519Total, count(self.x25519));
        report.put(Metric::SessionsUp, count(self.sessions_up));
        report.put(Metric::SessionsDown, count(self.sessions_down));
        report.put(Metric::SessionsActive, size(end.sessions));
        report.put(Metric::PeersDirect, size(end.direct));
        report.put(Metric::ActiveCleared, count(self.cleared));
        report.put(Metric::HandshakesGivenUp, count(self.given_up));
        report.put(Metric::Demotions, count(self.demotions.total));
        report.put(Metric::DemotionsPerPassMax, count(self.demotions.most));
        report.put(Metric::PathBackoffs, count(self.backed_off));
        report.put(Metric::PathsKept, count(self.kept));
        report.put(Metric::NetworkLockMsMax, millis(end.lock.longest_hold));
        if !self.outbound_waits.is_empty() {
            report.put(Metric::OutboundWaitMsMax, self.outbound_waits.longest_ms());
        }
        report.put(Metric::RelayConnects, count(self.relay_connects));
        report.put(Metric::RelayEvicted, count(self.evicted));
        report.put(Metric::RelayEvictedStop, count(self.evicted_stop));
        report.put(Metric::RelayTornDown, count(self.relay_torn_down));
        report.put(Metric::RelayUnroutable, count(self.relay_unroutable));
        if end.links.passed > 0 {
            report.put(Metric::LinkLost, count(end.links.lost));
            report.put(Metric::LinkDuplicated, count(end.links.duplicated));
            report.put(Metric::LinkReordered, count(end.links.reordered));
            report.put(Metric::LinkCorrupted, count(end.links.corrupted));
        }
        if let Some((remote, machine)) = end.stop {
            self.put_stop(report, remote, machine);
        }
    }

    fn put_stop(&self, report: &mut Report, remote: remote::Counts, machine: machine::Counts) {
        let count = |number: u64| ratio(number.into(), 1);
        report.put(Metric::StopSent, count(remote.sent));
        report.put(Metric::StopReplies, count(remote.replies));
        if remote.sent > 0 {
            let lost = remote.sent.saturating_sub(remote.replies);
            let percent = 100.0 * ratio(lost.into(), remote.sent.into());
            report.put(Metric::StopReplyLossPercent, percent);
        }
        report.put(Metric::StopAccepted, count(machine.accepted));
        report.put(Metric::StopRejected, count(machine.rejected));
        report.put(Metric::Bonds, count(remote.bonds));
        report.put(Metric::Rebonds, count(remote.rebonds));
        report.put(Metric::MachineTimeouts, count(machine.timeouts));
        report.put(Metric::Stops, count(machine.stops));
        if !self.stop_round_trips.is_empty() {
            report.put(Metric::StopRttMsP50, self.stop_round_trips.percentile_ms(50.0));
            report.put(Metric::StopRttMsMax, self.stop_round_trips.longest_ms());
        }
    }
}
