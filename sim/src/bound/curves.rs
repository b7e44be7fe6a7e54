//! Trains of arrivals as curves: at most how many can come in a window, however it is placed.
use firmware_core::time::Duration;
use models::bound::data::Curve;

use crate::scenario::{Arrivals, Pattern};

/// Nanoseconds in the thousand seconds that rates are given for.
const KILOSECOND_NANOS: u64 = 1_000_000_000_000;

/// Nothing ever.
pub(super) const fn never() -> Curve {
    Curve::Limited { burst: 0, period_ns: 0, jitter_ns: 0, total: Some(0) }
}

/// So many, all of which may come at one instant.
pub(super) const fn all_at_once(count: u64) -> Curve {
    Curve::Limited { burst: count, period_ns: 0, jitter_ns: 0, total: Some(count) }
}

/// The curve of `members` equal trains, whatever their phases.
pub(super) fn curve(arrivals: &Arrivals, members: u64, jitter: Duration) -> Curve {
    let total = (arrivals.count < u64::MAX).then(|| arrivals.count.saturating_mul(members));
    let (burst, period_ns) = match &arrivals.pattern {
        Pattern::Even { per_kilosecond: 0 } | Pattern::Poisson { per_kilosecond: 0 } => {
            return never();
        }
        Pattern::Even { per_kilosecond } => (1, KILOSECOND_NANOS / per_kilosecond),
        // There is no shortest distance and no largest burst, only unlikely ones.
        Pattern::Poisson { .. } => {
            return total.map_or(Curve::Unlimited, all_at_once);
        }
        Pattern::Every(period) => (1, period.as_nanos()),
        Pattern::Burst => return all_at_once(total.unwrap_or(0)),
        Pattern::Recorded { offsets, period } => {
            let round = offsets.len() as u64;
            (round, period.as_nanos().checked_div(round).unwrap_or(0))
        }
    };
    let single = Curve::Limited { burst, period_ns, jitter_ns: jitter.as_nanos(), total: None };
    match many(single, members) {
        Curve::Limited { burst, period_ns, jitter_ns, .. } => {
            Curve::Limited { burst, period_ns, jitter_ns, total }
        }
        Curve::Unlimited => Curve::Unlimited,
    }
}

/// `times` as many arrivals.
pub(super) fn many(curve: Curve, times: u64) -> Curve {
    match curve {
        Curve::Unlimited => Curve::Unlimited,
        _ if times == 0 => never(),
        Curve::Limited { burst, period_ns, jitter_ns, total } => Curve::Limited {
            burst: burst.saturating_mul(times),
            // Rounded down: the more often. Never again stays so.
            period_ns: if period_ns == 0 { 0 } else { (period_ns / times).max(1) },
            jitter_ns,
            total: total.map(|total| total.saturating_mul(times)),
        },
    }
}

/// The curve of what each of these arrivals causes later: those that wait in a queue of this depth
/// may cause theirs together.
pub(super) fn caused(curve: Curve, depth: u64, each: u64) -> Curve {
    let later = match curve {
        Curve::Unlimited => Curve::Unlimited,
        Curve::Limited { burst, period_ns, jitter_ns, total } => {
            let burst = burst.saturating_add(depth).saturating_add(1);
            Curve::Limited { burst, period_ns, jitter_ns, total }
        }
    };
    if curve == never() { curve } else { many(later, each) }
}
