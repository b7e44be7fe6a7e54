//! The relay's task on the device and the relays of the tailnet: connections, their retries, two
//! send queues.
//!
//! ```text
//!   frame ─► safety │ normal queue ─► one round a ms ─► its region's relay, else home, else nowhere
//!            home first, then others: a connect blocks the task, nothing is sent or read meanwhile
//!   relay down ─► home's normal queue is lost ─► tried again after 5, 5, 10, 60 s
//! ```
//!
//! What a round costs on core 0 is not modelled; that connecting blocks it is. A relay forwards to
//! peers of its own region only: an initiation for a peer elsewhere goes nowhere (PF-25).
//!
//! Clauses: the driver's half of WG-DERP-1 and WG-REHOME-1.
pub mod reconnect;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::Config;
use firmware_core::wg_mgr::derp::{UNWANTED_KEPT, queues::RelayQueues, queues::Round};

use self::reconnect::Retry;
use crate::packet::FrameKind;
use crate::scenario::RelaySpec;

/// How often the task looks at its queues.
pub const ROUND: Duration = Duration::from_millis(1);

/// A frame that waits for a relay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The peer that it is for.
    pub peer: u16,
    /// What it is.
    pub kind: FrameKind,
    /// Its bytes.
    pub bytes: Box<[u8]>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Tried at `next`, for the time number `attempt`, counted from 0; `None` is never again.
    Down {
        attempt: u32,
        next: Option<Instant>,
    },
    Up {
        unwanted_since: Option<Instant>,
    },
}

#[derive(Clone, Debug)]
struct Relay {
    spec: RelaySpec,
    state: State,
}

/// What the task did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The relay of this region is connected.
    Up(u16),
    /// The relay of this region is not connected any more; so many frames were lost with it.
    Down(u16, usize),
}

/// The relay's task.
#[derive(Clone, Debug)]
pub struct RelayTask {
    /// The send queues.
    pub queues: RelayQueues<Frame>,
    relays: Vec<Relay>,
    hurried: bool,
    /// The connect that blocks the task: which relay, until when.
    connecting: Option<(usize, Instant)>,
    /// The instant of the only wake-up that counts.
    pub wakes_at: Option<Instant>,
}

impl RelayTask {
    /// A task with no connection yet.
    pub fn new(config: &Config, specs: &[RelaySpec]) -> Self {
        let down = State::Down { attempt: 0, next: Some(Instant::ZERO) };
        Self {
            queues: RelayQueues::new(config),
            relays: specs.iter().map(|spec| Relay { spec: spec.clone(), state: down }).collect(),
            hurried: config.priority_peer.is_some(),
            connecting: None,
            wakes_at: None,
        }
    }

    /// Whether a connect blocks the task.
    pub fn is_blocked(&self) -> bool {
        self.connecting.is_some()
    }

    /// Whether the relay of a region is connected.
    pub fn is_up(&self, region: u16) -> bool {
        self.of(region).is_some_and(|relay| matches!(relay.state, State::Up { .. }))
    }

    /// Whether the connection to a region stands still at `now`: nothing is sent or read there.
    pub fn is_stalled(&self, region: u16, now: Instant) -> bool {
        self.of(region).is_some_and(|relay| within(&relay.spec.stalls, now))
    }

    fn of(&self, region: u16) -> Option<&Relay> {
        self.relays.iter().find(|relay| relay.spec.region == region)
    }

    /// Home is to be another relay: the old connection is closed, and what waited for it is lost.
    pub fn rehome(&mut self, from: u16, now: Instant) -> Option<Change> {
        let lost = self.queues.tear_down_home();
        self.close(from, now).map(|region| Change::Down(region, lost))
    }

    fn close(&mut self, region: u16, now: Instant) -> Option<u16> {
        let relay = self.relays.iter_mut().find(|relay| relay.spec.region == region)?;
        let was_up = matches!(relay.state, State::Up { .. });
        relay.state = State::Down { attempt: 0, next: Some(now) };
        was_up.then_some(region)
    }

    /// Looks after the connections: `wanted` has home first. Nothing happens while a connect blocks.
    pub fn look(&mut self, wanted: &[u16], now: Instant) -> Vec<Change> {
        let mut changes = Vec::new();
        if let Some((at, until)) = self.connecting {
            if now < until {
                return changes;
            }
            self.connecting = None;
            changes.extend(self.connected(at, wanted, now));
        }
        self.notice_outages(wanted, now, &mut changes);
        self.reap(wanted, now, &mut changes);
        self.connect_next(wanted, now);
        changes
    }

    /// A connect is over, one way or the other.
    fn connected(&mut self, at: usize, wanted: &[u16], now: Instant) -> Option<Change> {
        let is_home = wanted.first() == Some(&self.relays[at].spec.region);
        let relay = &mut self.relays[at];
        if !within(&relay.spec.outages, now) {
            relay.state = State::Up { unwanted_since: None };
            return Some(Change::Up(relay.spec.region));
        }
        if let State::Down { attempt, .. } = relay.state {
            let shipped = Retry::Shipped { hurried: self.hurried || !is_home };
            let gap = relay.spec.retry.unwrap_or(shipped).gap(attempt);
            let next = gap.map(|gap| now.after(gap));
            relay.state = State::Down { attempt: attempt.saturating_add(1), next };
        }
        None
    }

    fn notice_outages(&mut self, wanted: &[u16], now: Instant, changes: &mut Vec<Change>) {
        for at in 0..self.relays.len() {
            let relay = &mut self.relays[at];
            let region = relay.spec.region;
            if matches!(relay.state, State::Up { .. }) && within(&relay.spec.outages, now) {
                let shipped =
                    Retry::Shipped { hurried: self.hurried || wanted.first() != Some(&region) };
                let gap = relay.spec.retry.unwrap_or(shipped).gap(0);
                relay.state = State::Down { attempt: 1, next: gap.map(|gap| now.after(gap)) };
                let is_home = wanted.first() == Some(&region);
                let lost = if is_home { self.queues.tear_down_home() } else { 0 };
                changes.push(Change::Down(region, lost));
            }
        }
    }

    /// Closes connections that nobody has wanted for half a minute.
    fn reap(&mut self, wanted: &[u16], now: Instant, changes: &mut Vec<Change>) {
        for relay in &mut self.relays {
            let State::Up { unwanted_since } = &mut relay.state else { continue };
            if wanted.contains(&relay.spec.region) {
                *unwanted_since = None;
            } else if now.since(*unwanted_since.get_or_insert(now)) >= UNWANTED_KEPT {
                relay.state = State::Down { attempt: 0, next: Some(now) };
                changes.push(Change::Down(relay.spec.region, 0));
            }
        }
    }

    /// Begins one connect, home before others.
    fn connect_next(&mut self, wanted: &[u16], now: Instant) {
        let due = |relay: &Relay, region: u16| {
            relay.spec.region == region
                && matches!(relay.state, State::Down { next: Some(next), .. } if next <= now)
        };
        let next = wanted
            .iter()
            .find_map(|region| self.relays.iter().position(|relay| due(relay, *region)));
        if let Some(at) = next {
            let spec = &self.relays[at].spec;
            let takes = if within(&spec.outages, now) { spec.gives_up } else { spec.connect };
            self.connecting = Some((at, now.after(takes)));
        }
    }

    /// The frames of one round, safety frames first, and whether more are left. Nothing leaves while
    /// a connect blocks the task or the connection to `home` stands still.
    pub fn round(&mut self, home: u16, now: Instant) -> Vec<Frame> {
        let mut frames = Vec::new();
        if self.is_blocked() || self.is_stalled(home, now) {
            return frames;
        }
        let mut round = Round::default();
        while let Some(frame) = self.queues.take(&mut round) {
            frames.push(frame);
        }
        frames
    }

    /// When the task has something to do next, if nobody calls it before.
    pub fn next_at(&self, wanted: &[u16], now: Instant) -> Instant {
        if let Some((_, until)) = self.connecting {
            return until;
        }
        let mut next = if self.queues.is_empty() { Instant::NEVER } else { now.after(ROUND) };
        for relay in &self.relays {
            let spec = &relay.spec;
            let at = match relay.state {
                State::Down { next: Some(at), .. } if wanted.contains(&spec.region) => at,
                State::Down { .. } => Instant::NEVER,
                State::Up { unwanted_since: Some(since) } => since.after(UNWANTED_KEPT),
                State::Up { unwanted_since: None } => {
                    let begins = spec.outages.iter().map(|(from, _)| *from);
                    begins.filter(|from| *from > now).min().unwrap_or(Instant::NEVER)
                }
            };
            next = next.min(at.max(now.after(Duration::from_nanos(1))));
        }
        next
    }
}

fn within(windows: &[(Instant, Instant)], now: Instant) -> bool {
    windows.iter().any(|(from, until)| (*from..*until).contains(&now))
}

#[cfg(test)]
mod tests {
    use firmware_core::wg_mgr::derp::RelayQueue;
    use firmware_core::wg_mgr::preset::Preset;

    use super::*;

    fn spec(region: u16) -> RelaySpec {
        RelaySpec {
            name: format!("region {region}"),
            region,
            connect: Duration::from_millis(1_000),
            gives_up: Duration::from_millis(20_000),
            outages: Vec::new(),
            stalls: Vec::new(),
            retry: None,
        }
    }

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// Runs the task as the world does; every change with its time.
    fn run(task: &mut RelayTask, wanted: &[u16], until: u64) -> Vec<(u64, Change)> {
        let (mut now, mut changes) = (Instant::ZERO, Vec::new());
        while now < at(until) {
            changes.extend(task.look(wanted, now).into_iter().map(|it| (now.as_millis(), it)));
            now = task.next_at(wanted, now);
        }
        changes
    }

    /// Cites WG-DERP-1 and WG-REHOME-1: home first, one connect at a time.
    #[test]
    fn home_is_connected_first_and_each_connect_blocks_the_task() {
        let mut task = RelayTask::new(&Preset::Head4.config(), &[spec(3), spec(1), spec(2)]);
        let changes = run(&mut task, &[1, 2], 10_000);
        assert_eq!(changes, [(1_000, Change::Up(1)), (2_000, Change::Up(2))]);
    }

    /// Cites WG-DERP-1, WG-REHOME-1 and PF-32.
    #[test]
    fn an_outage_loses_the_normal_queue_and_is_retried_with_the_shipped_gaps() {
        let down = RelaySpec { outages: vec![(at(5_000), at(45_000))], ..spec(1) };
        let config =
            Config { priority_peer: Some(std::net::Ipv4Addr::LOCALHOST), ..Preset::Head4.config() };
        let mut task = RelayTask::new(&config, &[down]);
        assert_eq!(run(&mut task, &[1], 4_000), [(1_000, Change::Up(1))]);
        let frame = |kind| Frame { peer: 0, kind, bytes: Box::default() };
        task.queues.put(RelayQueue::Safety, frame(FrameKind::Stop));
        task.queues.put(RelayQueue::Normal, frame(FrameKind::Disco));
        assert_eq!(task.look(&[1], at(5_000)), [Change::Down(1, 1)]);
        assert_eq!(task.queues.len(RelayQueue::Safety), 1);
        // 20 s in vain from 10 s on; the next, from 35 s on, begins in vain and ends well.
        assert!(task.look(&[1], at(9_999)).is_empty() && !task.is_blocked());
        let next = at(10_000);
        assert!(task.look(&[1], next).is_empty() && task.is_blocked());
        assert!(task.round(1, at(11_000)).is_empty(), "nothing is sent while a connect blocks");
        let next = task.next_at(&[1], next);
        assert_eq!(next, at(30_000));
        assert!(task.look(&[1], next).is_empty());
        assert!(task.look(&[1], at(34_999)).is_empty() && !task.is_blocked());
        assert!(task.look(&[1], at(35_000)).is_empty() && task.is_blocked());
        assert_eq!(task.look(&[1], at(55_000)), [Change::Up(1)]);
        assert_eq!(task.round(1, at(55_000)), [frame(FrameKind::Stop)], "it goes out late");
    }

    /// Cites WG-REHOME-1: by time since it was wanted, not by idleness.
    #[test]
    fn a_connection_that_nobody_wants_is_closed_after_half_a_minute() {
        let mut task = RelayTask::new(&Preset::Head4.config(), &[spec(1), spec(2)]);
        let _both_up = run(&mut task, &[1, 2], 5_000);
        assert!(task.look(&[1], at(6_000)).is_empty() && task.is_up(2));
        assert!(task.look(&[1], at(35_999)).is_empty());
        assert_eq!(task.look(&[1], at(36_000)), [Change::Down(2, 0)]);
    }

    #[test]
    fn a_stalled_connection_sends_nothing_and_keeps_what_waits() {
        let still = RelaySpec { stalls: vec![(at(2_000), at(5_000))], ..spec(1) };
        let mut task = RelayTask::new(&Preset::Head4.config(), &[still]);
        let _up = run(&mut task, &[1], 1_500);
        task.queues.put(
            RelayQueue::Normal,
            Frame { peer: 0, kind: FrameKind::Disco, bytes: Box::default() },
        );
        assert!(task.round(1, at(4_999)).is_empty());
        assert_eq!(task.round(1, at(5_000)).len(), 1);
    }
}
