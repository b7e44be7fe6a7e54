//! When a relay that is down is tried again: the firmware's rule, and two others that projects on
//! the same chip have shipped.
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::derp;

/// When the next attempt comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// The firmware's: after 5, 5, 10 and then 60 s for ever; 60 s each without a priority peer
    /// (WG-REHOME-1).
    Shipped {
        /// Whether there is a priority peer, or the connection is an additional one.
        hurried: bool,
    },
    /// So many attempts, evenly spaced, and none after that.
    Attempts {
        /// How many.
        most: u32,
        /// How far apart.
        spacing: Duration,
    },
    /// For ever, each gap twice the one before up to a most.
    Backoff {
        /// The first gap.
        first: Duration,
        /// The longest.
        most: Duration,
    },
}

impl Retry {
    /// The gap after attempt number `attempt`, counted from 0, has failed; `None` is the end.
    pub fn gap(self, attempt: u32) -> Option<Duration> {
        match self {
            Self::Shipped { hurried } => Some(derp::retry_gap(attempt, hurried)),
            Self::Attempts { most, spacing } => (attempt + 1 < most).then_some(spacing),
            Self::Backoff { first, most } => {
                let doubled = first.times(1_u64.checked_shl(attempt).unwrap_or(u64::MAX));
                Some(doubled.min(most))
            }
        }
    }
}

/// Memory that attempts need, and that failed ones may lose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// What there is; 0 is no limit.
    pub heap: u64,
    /// What an attempt needs, and a failed one does not give back.
    pub leak: u64,
}

/// What became of a connection that was to be made from time 0 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// When it was tried.
    pub attempts: Vec<Instant>,
    /// When it came to stand, if it did.
    pub connected: Option<Instant>,
    /// When an attempt failed for memory, if one did.
    pub out_of_memory: Option<Instant>,
}

/// Tries a relay that is out of reach until `back`; failing takes no time. Ends with a connection,
/// with the rule's own end, without memory, or at `until`.
pub fn course(retry: Retry, memory: Memory, back: Instant, until: Instant) -> Course {
    let mut course = Course { attempts: Vec::new(), connected: None, out_of_memory: None };
    let (mut now, mut lost) = (Instant::ZERO, 0_u64);
    for attempt in 0.. {
        if now >= until {
            break;
        }
        course.attempts.push(now);
        let needed = lost.saturating_add(memory.leak);
        if memory.heap > 0 && needed > memory.heap {
            course.out_of_memory = Some(now);
            break;
        }
        if now >= back {
            course.connected = Some(now);
            break;
        }
        lost = needed;
        let Some(gap) = retry.gap(attempt) else { break };
        now = now.after(gap);
    }
    course
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cites WG-REHOME-1.
    #[test]
    fn the_shipped_gaps_are_5_5_10_and_then_60_seconds() {
        let until = Instant::from_millis(200_000);
        let tries = |hurried| {
            let shipped = Retry::Shipped { hurried };
            let course = course(shipped, Memory::default(), Instant::NEVER, until);
            course.attempts.iter().map(|at| at.as_millis() / 1_000).collect::<Vec<_>>()
        };
        assert_eq!(tries(true), [0, 5, 10, 20, 80, 140]);
        assert_eq!(tries(false), [0, 60, 120, 180]);
    }
}
