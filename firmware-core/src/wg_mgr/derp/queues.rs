//! The relay's two send queues: safety frames are sent first and are never pushed out by others.
//!
//! ```text
//!   frame ─► handshake, or to a safety peer? ── yes ─► safety, 12 ──┐ first, at most 12 a round
//!                     └ no ─────────────────────────► normal, 16 ──┴► then at most 8 a round
//!   full ─► the oldest of that queue makes room, three times at most; else the newcomer is dropped
//! ```
//!
//! A core owns no queue: the relay task does. This is the structure and its rules, for a driver to
//! hold. On a chip other tasks may take the place that was just freed, which is why the firmware
//! tries more than once; here the first try succeeds unless a queue has no place at all.
//!
//! Clauses: WG-DERP-1.
use heapless::Deque;

use super::{NORMAL_DEPTH_MAX, SAFETY_DEPTH_MAX};
use crate::wg_mgr::config::{Config, RelayQueueing};

/// Safety frames sent per round of the relay task.
pub const SAFETY_PER_ROUND: u16 = 12;
/// Normal frames sent per round of the relay task.
pub const NORMAL_PER_ROUND: u16 = 8;
/// Attempts to make room for a frame.
pub const TRIES: u16 = 3;

/// Which queue a frame waits in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelayQueue {
    /// Emptied first.
    Safety,
    /// Everything else.
    Normal,
}

/// What became of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Queued<Frame> {
    /// It waits.
    Waits,
    /// It waits in the place of the oldest frame, which is lost.
    Evicted(Frame),
    /// It is lost itself.
    Dropped(Frame),
}

/// The frames that wait for a relay.
#[derive(Clone, Debug)]
pub struct RelayQueues<Frame> {
    safety: Deque<Frame, SAFETY_DEPTH_MAX>,
    normal: Deque<Frame, NORMAL_DEPTH_MAX>,
    safety_depth: usize,
    normal_depth: usize,
    shared: bool,
    strict_teardown: bool,
}

/// What one round of the relay task may still send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Round {
    safety: u16,
    normal: u16,
}

impl Default for Round {
    fn default() -> Self {
        Self { safety: SAFETY_PER_ROUND, normal: NORMAL_PER_ROUND }
    }
}

impl<Frame> RelayQueues<Frame> {
    /// Empty queues of the depths that `config` names, or one queue for all.
    pub fn new(config: &Config) -> Self {
        Self {
            safety: Deque::new(),
            normal: Deque::new(),
            safety_depth: SAFETY_DEPTH_MAX.min(config.relay_safety_depth.into()),
            normal_depth: NORMAL_DEPTH_MAX.min(config.relay_queue_depth.into()),
            shared: config.relay_queueing == RelayQueueing::Shared,
            strict_teardown: config.rules.relay_safety_queue.is_strict(),
        }
    }

    /// Puts a frame into a queue; with one queue for all, into that.
    pub fn put(&mut self, queue: RelayQueue, frame: Frame) -> Queued<Frame> {
        if queue == RelayQueue::Safety && !self.shared {
            put(&mut self.safety, self.safety_depth, frame)
        } else {
            put(&mut self.normal, self.normal_depth, frame)
        }
    }

    /// The next frame to send in this round, safety frames first; `None` ends the round.
    pub fn take(&mut self, round: &mut Round) -> Option<Frame> {
        if let Some(left) = round.safety.checked_sub(1)
            && let Some(frame) = self.safety.pop_front()
        {
            round.safety = left;
            return Some(frame);
        }
        round.normal = round.normal.checked_sub(1)?;
        self.normal.pop_front()
    }

    /// The home relay is torn down: what waits in the normal queue is lost, and how many frames
    /// that were. The safety queue is not touched, so its frames go out late, in order, unless the
    /// corrected rule drops them too (PF-108).
    pub fn tear_down_home(&mut self) -> usize {
        let mut lost = self.normal.len();
        self.normal.clear();
        if self.strict_teardown {
            lost += self.safety.len();
            self.safety.clear();
        }
        lost
    }

    /// Frames that wait in a queue.
    pub fn len(&self, queue: RelayQueue) -> usize {
        match queue {
            RelayQueue::Safety => self.safety.len(),
            RelayQueue::Normal => self.normal.len(),
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.safety.is_empty() && self.normal.is_empty()
    }
}

fn put<Frame, const N: usize>(
    queue: &mut Deque<Frame, N>,
    depth: usize,
    mut frame: Frame,
) -> Queued<Frame> {
    let mut evicted = None;
    for _ in 0..TRIES {
        if queue.len() < depth {
            match queue.push_back(frame) {
                Ok(()) => return evicted.map_or(Queued::Waits, Queued::Evicted),
                Err(refused) => frame = refused,
            }
        }
        evicted = queue.pop_front().or(evicted);
    }
    Queued::Dropped(frame)
}
