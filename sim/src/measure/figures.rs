//! From counts to the report's figures.
use std::collections::BTreeMap;

use firmware_core::time::Duration;
use firmware_core::wg_mgr::output::{MessageKind, Queue, Refusal};
use firmware_core::wg_mgr::wire::PacketClass;

use super::Measure;
use crate::report::ClassRow;

/// The figures of a report by their stable names.
pub type Figures = BTreeMap<&'static str, f64>;

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

    /// Heartbeats that were sent and neither served nor lost: they were in a queue at the end.
    pub fn heartbeats_waiting(&self) -> u64 {
        let beats = &self.heartbeats;
        beats.sent.saturating_sub(beats.served + beats.lost)
    }

    /// Boxes that the manager tried to open.
    pub fn opened(&self) -> u64 {
        self.opened_known + self.opened_unknown
    }

    fn refusals(&self, refusal: Refusal) -> f64 {
        count(self.refused.get(&refusal).copied().unwrap_or(0))
    }

    /// Every figure that has a ground.
    pub fn figures(&self, end: Final) -> Figures {
        let mut figures = Figures::new();
        self.loop_figures(&mut figures, end);
        self.disco_figures(&mut figures, end);
        self.heartbeat_figures(&mut figures);
        self.path_figures(&mut figures);
        self.peer_figures(&mut figures, end);
        self.store_figures(&mut figures, end);
        figures
    }

    fn loop_figures(&self, figures: &mut Figures, end: Final) {
        let busy =
            |core: usize| ratio(end.busy[core].as_nanos().into(), end.elapsed.as_nanos().into());
        figures.insert("virtual_s", ratio(end.elapsed.as_nanos().into(), 1_000_000_000));
        figures.insert("passes", count(self.passes.count));
        figures.insert("loop_pass_ms_max", millis(self.passes.longest));
        figures.insert("core0_busy_ratio", busy(0));
        figures.insert("core1_busy_ratio", busy(1));
        figures.insert("low_task_gap_ms_max", millis(end.low_task_gap));
        figures.insert("watchdog_resets", count(self.resets));
        figures.insert("invariants_broken", count(self.invariants_broken));
    }

    fn disco_figures(&self, figures: &mut Figures, end: Final) {
        let (received, shed) = self.classes.get(&PacketClass::Disco).copied().unwrap_or_default();
        figures.insert("disco_received", count(received));
        figures.insert("disco_shed", count(shed));
        if received > 0 {
            figures.insert("disco_shed_percent", 100.0 * ratio(shed.into(), received.into()));
        }
        figures.insert("disco_opened_unknown", count(self.opened_unknown));
        figures.insert("disco_opened_known", count(self.opened_known));
        let seconds = u128::from(end.elapsed.as_nanos());
        let opens = u128::from(self.opened_unknown) * 1_000_000_000;
        figures.insert("disco_opens_per_s", ratio(opens, seconds));
        figures.insert("disco_forged", count(self.forged));
        figures.insert("disco_rescued", count(self.notes.rescued));
        figures.insert("mailbox_shed", count(self.mailbox_shed));
        let (tunnel, _) = self.classes.get(&PacketClass::Tunnel).copied().unwrap_or_default();
        figures.insert("wg_rx_received", count(tunnel));
        let shed = |queue| count(self.queue_shed.get(&queue).copied().unwrap_or(0));
        figures.insert("wg_rx_shed", shed(Queue::Tunnel));
        figures.insert("tunnel_copies", self.refusals(Refusal::TunnelCopy));
        figures.insert("tunnel_malformed", self.refusals(Refusal::TunnelMalformed));
        figures.insert("cached_keys", size(end.cached_keys));
    }

    fn heartbeat_figures(&self, figures: &mut Figures) {
        let beats = &self.heartbeats;
        figures.insert("heartbeats_sent", count(beats.sent));
        figures.insert("heartbeats_served", count(beats.served));
        figures.insert("heartbeat_lost", count(beats.lost));
        if !beats.waits.is_empty() {
            figures.insert("heartbeat_wait_ms_p50", beats.waits.percentile_ms(50.0));
            figures.insert("heartbeat_wait_ms_p99", beats.waits.percentile_ms(99.0));
            figures.insert("heartbeat_wait_ms_mean", beats.waits.mean_ms());
            figures.insert("heartbeat_wait_ms_max", beats.waits.longest_ms());
        }
        if let Some(widest) = beats.gaps.widest {
            figures.insert("heartbeat_gap_ms_max", millis(widest));
        }
    }

    fn path_figures(&self, figures: &mut Figures) {
        let notes = &self.notes;
        let sent = |kind| count(self.sent.get(&kind).copied().unwrap_or(0));
        figures.insert("pings_sent", sent(MessageKind::Ping));
        figures.insert("pings_skipped", count(notes.skipped));
        figures.insert("pings_untracked", count(notes.untracked));
        figures.insert("probes_peak", size(self.probes_peak));
        figures.insert("pongs_sent", sent(MessageKind::Pong));
        let unmatched = [Refusal::PongUnmatched, Refusal::PongDuplicate, Refusal::PongOrphaned];
        figures.insert("pongs_matched", count(self.round_trips.len()));
        figures.insert("pongs_unmatched", unmatched.map(|it| self.refusals(it)).iter().sum());
        if !self.round_trips.is_empty() {
            figures.insert("pong_rtt_ms_p50", self.round_trips.percentile_ms(50.0));
            figures.insert("pong_rtt_ms_max", self.round_trips.longest_ms());
        }
        figures.insert("call_me_maybe_sent", sent(MessageKind::CallMeMaybe));
        figures.insert("call_me_maybe_received", count(self.call_me_maybe_received));
        figures.insert("paths_up", count(notes.paths_up));
        figures.insert("paths_lost_trust", count(notes.lost_trust));
        figures.insert("paths_lost_silent", count(notes.lost_silent));
        figures.insert("heartbeat_pings", count(notes.heartbeats.total));
        figures.insert("heartbeat_pings_per_tick_max", count(notes.heartbeats.most));
        figures.insert("upgrade_pings", count(notes.upgrades));
        if let Some(widest) = self.upgrades.widest {
            figures.insert("priority_upgrade_gap_ms_max", millis(widest));
        }
        let (pongs, shed) = self.priority_pongs;
        if self.priority.is_some() {
            figures.insert("priority_pongs_sent_to_us", count(pongs));
            figures.insert("priority_pongs_shed", count(shed));
            figures.insert("priority_pongs_shed_ratio", ratio(shed.into(), pongs.into()));
        }
        if let Some(first) = self.first_false_demotion {
            figures.insert("first_false_demotion_ms", ratio(first.as_nanos().into(), 1_000_000));
        }
    }

    fn peer_figures(&self, figures: &mut Figures, end: Final) {
        figures.insert("peers_added", count(self.peers.added.total));
        let refused = [Refusal::TableFull, Refusal::NotAllowed];
        figures.insert("peers_refused", refused.map(|it| self.refusals(it)).iter().sum());
        figures.insert("peers_active", size(end.peers_active));
        figures.insert("peers_with_tunnel", size(end.peers_with_tunnel));
        figures.insert("adds_per_pass_max", count(self.peers.added.most));
        figures.insert("updates_dropped", count(self.updates_dropped));
        if let (Some(first), Some(last)) = (self.peers.first_added, self.peers.last_added) {
            figures.insert("ingest_ms", millis(last.since(first)));
        }
    }

    fn store_figures(&self, figures: &mut Figures, end: Final) {
        figures.insert("nvs_writes", count(self.writes.count));
        figures.insert("nvs_bytes", count(self.writes.bytes));
        figures.insert("flash_stall_ms", millis(end.flash_stall));
        if let Some(first) = self.writes.gaps.first {
            figures.insert("nvs_first_write_ms", ratio(first.as_nanos().into(), 1_000_000));
        }
        if let Some(narrowest) = self.writes.gaps.narrowest {
            figures.insert("nvs_gap_ms_min", millis(narrowest));
        }
    }
}
