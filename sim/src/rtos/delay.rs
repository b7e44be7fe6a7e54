//! How long a task really sleeps: exactly as asked, or to a boundary of the RTOS tick.
//!
//! ```text
//!   ticks     |0        |1        |2        |3
//!   now            ^ 0.4
//!   1 tick         └────►|                        0.6 tick: the rest of the current one
//!   2 ticks        └──────────────►|              wakes at floor(now) + 2
//! ```
//!
//! `vTaskDelay(n)` wakes the task at the `n`-th tick interrupt after the call. The tick that has
//! already begun counts as the first, so a task sleeps between `n - 1` and `n` ticks, and exactly
//! `n` when it calls on a boundary. Firmware turns a span into ticks by dividing and rounding
//! down; a span below one tick is zero ticks, and `vTaskDelay(0)` does not sleep at all: it only
//! lets ready tasks of the same priority run. Then the wake-up instant is `now` itself, and a
//! caller that wants the yield blocks and starts the task at `now`, which puts it last among its
//! equals.
use firmware_core::time::{Duration, Instant};

/// The period of the RTOS tick interrupt: never zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tick(Duration);

impl Tick {
    /// A tick of 1 ms: `CONFIG_FREERTOS_HZ` is 1000 on the modelled device.
    pub const MILLISECOND: Self = Self(Duration::MILLISECOND);

    /// A tick of this period; `None` when it is zero.
    pub const fn new(period: Duration) -> Option<Self> {
        if period.is_zero() { None } else { Some(Self(period)) }
    }

    /// The time from one tick interrupt to the next.
    pub const fn period(self) -> Duration {
        self.0
    }
}

/// How a delay that a task asks for becomes an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Delay {
    /// The task wakes the whole span later, as the public cases count it.
    Exact,
    /// The task wakes at a tick boundary, as `FreeRTOS` does it. Boundaries are whole multiples of
    /// the tick since switching on.
    Ticks {
        /// The device's tick.
        tick: Tick,
    },
}

/// When a task that asks at `now` to sleep for `span` becomes ready again.
///
/// By ticks this is never later than exactly, and up to one tick earlier plus what `span` has
/// beyond whole ticks; a span below one tick gives `now`. Past the end of time it is
/// [`Instant::NEVER`].
pub fn delay_until(now: Instant, span: Duration, delay: Delay) -> Instant {
    match delay {
        Delay::Exact => now.after(span),
        Delay::Ticks { tick } => {
            let period = tick.period().as_nanos();
            match span.as_nanos() / period {
                0 => now,
                ticks => (now.as_nanos() / period)
                    .checked_add(ticks)
                    .and_then(|boundary| boundary.checked_mul(period))
                    .map_or(Instant::NEVER, Instant::from_nanos),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BY_TICKS: Delay = Delay::Ticks { tick: Tick::MILLISECOND };

    fn micros(micros: u64) -> Instant {
        Instant::ZERO.after(Duration::from_micros(micros))
    }

    /// Cites WG-ORD-1: the loop sleeps 10 ms, by ticks.
    #[test]
    fn ten_ticks_from_between_two_boundaries_are_less_than_ten_milliseconds() {
        let ten = Duration::from_millis(10);
        assert_eq!(delay_until(micros(5_400), ten, BY_TICKS), micros(15_000));
        assert_eq!(delay_until(micros(5_400), ten, Delay::Exact), micros(15_400));
    }

    #[test]
    fn ten_ticks_from_a_boundary_are_ten_milliseconds() {
        assert_eq!(delay_until(micros(5_000), Duration::from_millis(10), BY_TICKS), micros(15_000));
    }

    #[test]
    fn a_span_below_one_tick_does_not_sleep() {
        assert_eq!(delay_until(micros(5_400), Duration::from_micros(999), BY_TICKS), micros(5_400));
        assert_eq!(delay_until(micros(5_400), Duration::ZERO, Delay::Exact), micros(5_400));
    }

    #[test]
    fn spans_are_cut_down_to_whole_ticks() {
        assert_eq!(
            delay_until(micros(5_400), Duration::from_micros(2_900), BY_TICKS),
            micros(7_000)
        );
    }

    #[test]
    fn a_delay_past_the_end_of_time_never_ends() {
        let span = Duration::from_nanos(u64::MAX);
        assert_eq!(delay_until(micros(5_400), span, BY_TICKS), Instant::NEVER);
        assert_eq!(delay_until(micros(5_400), span, Delay::Exact), Instant::NEVER);
    }

    #[test]
    fn a_tick_has_a_length() {
        assert_eq!(Tick::new(Duration::ZERO), None);
        assert_eq!(Tick::new(Duration::from_millis(10)).map(Tick::period), {
            Some(Duration::from_millis(10))
        });
    }

    proptest! {
        #[test]
        fn a_delay_of_n_ticks_ends_on_a_boundary_between_n_minus_1_and_n_ticks_later(
            now in 0..u64::MAX / 4,
            ticks in 1..1_000_000_u64,
            period in 1..10_000_000_u64,
        ) {
            let tick = Tick::new(Duration::from_nanos(period)).expect("not zero");
            let (now, span) = (Instant::from_nanos(now), Duration::from_nanos(period * ticks));
            let wake = delay_until(now, span, Delay::Ticks { tick });
            prop_assert_eq!(wake.as_nanos() % period, 0);
            prop_assert!(wake.since(now) <= span);
            prop_assert!(wake.since(now) > Duration::from_nanos(period * (ticks - 1)));
        }
    }
}
