//! What a run is measured by: counts and waits, taken down as they happen, turned into the
//! report's figures at the end.
//!
//! A figure without ground (nobody waited, nothing was written) is left out.
mod figures;
mod tunnel;
mod waits;

use std::collections::BTreeMap;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::output::{MessageKind, Note, PathLoss, Queue, Refusal, Send};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::wire::PacketClass;

pub use self::figures::Final;
pub use self::tunnel::{TunnelCounts, TunnelEnd};
use self::waits::Waits;
use crate::node::peer::Content;
use crate::packet::{FrameKind, Packet, Source};

/// Counts and waits of one run.
#[derive(Debug, Default)]
pub struct Measure {
    classes: BTreeMap<PacketClass, (u64, u64)>,
    mailbox_shed: u64,
    queue_shed: BTreeMap<Queue, u64>,
    heartbeats: HeartbeatCounts,
    opened_unknown: u64,
    opened_known: u64,
    forged: u64,
    refused: BTreeMap<Refusal, u64>,
    notes: NoteCounts,
    sent: BTreeMap<MessageKind, u64>,
    call_me_maybe_received: u64,
    round_trips: Waits,
    /// The slot of the protective stop's peer.
    priority: Option<PeerIndex>,
    priority_pongs: (u64, u64),
    first_false_demotion: Option<Instant>,
    upgrades: Gaps,
    passes: Passes,
    peers: PeerCounts,
    probes_peak: usize,
    writes: Writes,
    updates_dropped: u64,
    resets: u64,
    invariants_broken: u64,
    /// Sessions, paths, relays and the protective stop.
    pub tunnel: TunnelCounts,
}

#[derive(Debug, Default)]
struct HeartbeatCounts {
    sent: u64,
    served: u64,
    lost: u64,
    waits: Waits,
    gaps: Gaps,
}

#[derive(Debug, Default)]
struct NoteCounts {
    rescued: u64,
    skipped: u64,
    untracked: u64,
    paths_up: u64,
    lost_trust: u64,
    lost_silent: u64,
    heartbeats: PerPass,
    upgrades: u64,
}

#[derive(Debug, Default)]
struct PeerCounts {
    added: PerPass,
    first_added: Option<Instant>,
    last_added: Option<Instant>,
}

/// How often something happened, in all and at most within one pass.
#[derive(Debug, Default)]
struct PerPass {
    total: u64,
    pass: u64,
    most: u64,
}

impl PerPass {
    fn count(&mut self) {
        self.total += 1;
        self.pass += 1;
        self.most = self.most.max(self.pass);
    }
}

/// Instants of something that repeats: the widest and narrowest distance between two.
#[derive(Debug, Default)]
struct Gaps {
    first: Option<Instant>,
    last: Option<Instant>,
    times: u64,
    widest: Option<Duration>,
    narrowest: Option<Duration>,
}

impl Gaps {
    /// The mean distance.
    fn mean(&self) -> Option<Duration> {
        let (first, last) = self.first.zip(self.last)?;
        let nanos = last.since(first).as_nanos().checked_div(self.times.saturating_sub(1))?;
        Some(Duration::from_nanos(nanos))
    }

    fn at(&mut self, now: Instant) {
        self.times += 1;
        self.first.get_or_insert(now);
        if let Some(last) = self.last.replace(now) {
            let gap = now.since(last);
            self.widest = self.widest.max(Some(gap));
            self.narrowest = Some(self.narrowest.map_or(gap, |least| least.min(gap)));
        }
    }
}

#[derive(Debug, Default)]
struct Passes {
    count: u64,
    began: Option<Instant>,
    longest: Duration,
}

#[derive(Debug, Default)]
struct Writes {
    bytes: u64,
    count: u64,
    gaps: Gaps,
}

impl Measure {
    /// The stop's peer is in this slot.
    pub fn priority_is(&mut self, peer: Option<PeerIndex>) {
        self.priority = peer;
    }

    /// A heartbeat was sent to the device.
    pub fn heartbeat_sent(&mut self) {
        self.heartbeats.sent += 1;
    }

    /// A datagram reached a receive task.
    pub fn classified(&mut self, packet: &Packet, priority: bool) {
        self.classes.entry(packet.class).or_default().0 += 1;
        if priority_pong(packet, priority) {
            self.priority_pongs.0 += 1;
        }
    }

    /// A datagram was dropped because the socket's mailbox was full.
    pub fn mailbox_full(&mut self, packet: &Packet) {
        self.mailbox_shed += 1;
        self.lost(packet);
    }

    /// A packet was dropped because a queue of the manager was full.
    pub fn queue_full(&mut self, queue: Queue, packet: &Packet, priority: bool) {
        *self.queue_shed.entry(queue).or_default() += 1;
        self.classes.entry(packet.class).or_default().1 += 1;
        if priority_pong(packet, priority) {
            self.priority_pongs.1 += 1;
        }
        self.lost(packet);
    }

    /// A packet was dropped, wherever.
    pub fn lost(&mut self, packet: &Packet) {
        let stop = Source::is_stop(packet.source);
        if stop || matches!(packet.source, Source::Heartbeat { copy: false, .. }) {
            self.heartbeats.lost += 1;
        }
    }

    /// A peer's packet was lost before it reached the device.
    pub fn lost_on_the_way(&mut self, content: Content) {
        self.heartbeats.lost += u64::from(content.is_stop());
    }

    /// The other end of the protective stop had no session to send in.
    pub fn heartbeat_not_sent(&mut self) {
        self.heartbeats.lost += 1;
    }

    /// A frame was pushed out of a send queue of the relay, or found no place there.
    pub fn evicted(&mut self, kind: FrameKind) {
        self.tunnel.evicted(kind);
    }

    /// The remote has read a reply.
    pub fn stop_round_trip(&mut self, span: Duration) {
        self.tunnel.stop_round_trip(span);
    }

    /// The manager took a packet out of a queue.
    pub fn taken(&mut self, packet: &Packet, now: Instant) {
        match packet.source {
            Source::Heartbeat { copy: false, .. }
            | Source::Tunnel { kind: FrameKind::Stop, .. } => {
                self.heartbeats.served += 1;
                self.heartbeats.waits.add(now.since(packet.arrived));
                self.heartbeats.gaps.at(now);
            }
            Source::Peer { kind: MessageKind::CallMeMaybe, .. } => {
                self.call_me_maybe_received += 1;
            }
            Source::Heartbeat { .. }
            | Source::Tunnel { .. }
            | Source::Peer { .. }
            | Source::Flood { .. } => {}
        }
    }

    /// The manager reported something.
    pub fn note(&mut self, note: Note, now: Instant) {
        self.tunnel.note(note, now);
        let notes = &mut self.notes;
        match note {
            Note::Opened { known, genuine } => {
                *(if known { &mut self.opened_known } else { &mut self.opened_unknown }) += 1;
                self.forged += u64::from(!genuine);
            }
            Note::Refused(refusal) => *self.refused.entry(refusal).or_default() += 1,
            Note::Rescued(_) => notes.rescued += 1,
            Note::Matched { round_trip, .. } => self.round_trips.add(round_trip),
            Note::PathUp(_) => notes.paths_up += 1,
            Note::PathDown { peer, why } => match why {
                PathLoss::TrustExpired => notes.lost_trust += 1,
                PathLoss::Silent => {
                    notes.lost_silent += 1;
                    if self.priority == Some(peer) {
                        self.first_false_demotion.get_or_insert(now);
                    }
                }
            },
            Note::PingSkipped(_) => notes.skipped += 1,
            Note::PingUntracked(_) => notes.untracked += 1,
            Note::HeartbeatDue(_) => notes.heartbeats.count(),
            Note::UpgradeDue(peer) => {
                notes.upgrades += 1;
                if self.priority == Some(peer) {
                    self.upgrades.at(now);
                }
            }
            Note::Added { .. } => {
                self.peers.added.count();
                self.peers.first_added.get_or_insert(now);
                self.peers.last_added = Some(now);
            }
            Note::Refreshed(_)
            | Note::Removed(_)
            | Note::Stopped
            | Note::Initiated { .. }
            | Note::SessionUp { .. }
            | Note::SessionDown(_)
            | Note::ActiveCleared(_)
            | Note::InitiationsGivenUp(_)
            | Note::Roamed(_)
            | Note::PathKept(_)
            | Note::BackedOff { .. }
            | Note::RelayPoolFull => {}
        }
    }

    /// The manager sent a packet; this many pings are pending.
    pub fn sent(&mut self, send: &Send, pending: usize) {
        *self.sent.entry(send.kind).or_default() += 1;
        self.probes_peak = self.probes_peak.max(pending);
    }

    /// The manager wrote the peer cache.
    pub fn written(&mut self, bytes: u32, now: Instant) {
        self.writes.count += 1;
        self.writes.bytes += u64::from(bytes);
        self.writes.gaps.at(now);
    }

    /// A pass begins.
    pub fn pass_begins(&mut self, now: Instant) {
        self.passes.began.get_or_insert(now);
    }

    /// The pass is over.
    pub fn pass_ends(&mut self, now: Instant) {
        if let Some(began) = self.passes.began.take() {
            self.passes.count += 1;
            self.passes.longest = self.passes.longest.max(now.since(began));
        }
        self.notes.heartbeats.pass = 0;
        self.peers.added.pass = 0;
        self.tunnel.pass_ends();
    }

    /// The control plane gave up on an update.
    pub fn update_dropped(&mut self) {
        self.updates_dropped += 1;
    }

    /// The watchdog reset the device.
    pub fn reset(&mut self) {
        self.resets += 1;
    }

    /// An invariant of the core did not hold after a step.
    pub fn invariant_broken(&mut self) {
        self.invariants_broken += 1;
    }
}

fn priority_pong(packet: &Packet, priority: bool) -> bool {
    priority && matches!(packet.source, Source::Peer { kind: MessageKind::Pong, .. })
}
