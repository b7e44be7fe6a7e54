//! The workloads that are measured, defined once for everything that is measured under them.
pub mod manager;

use firmware_core::time::{Duration, Instant};
use sim::random::Streams;

/// An event of the size that the simulator has in practice: 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A task of a node is called.
    Wake {
        /// The node.
        node: u32,
    },
    /// A packet reaches a node.
    Arrival {
        /// Where it comes from.
        from: u32,
        /// The node.
        node: u32,
        /// Which of its source's packets.
        packet: u64,
        /// Bytes.
        length: u16,
    },
}

const _: () = assert!(size_of::<Event>() == 24);

/// The hold model: as many events pending as ever; whenever one leaves, it is put again after a
/// random delay, exponentially distributed with a mean of one second.
///
/// The delays are drawn beforehand and picked in an order that does not repeat, so what is timed is
/// the queue and not the logarithm. Every implementation asks in the order in which its events
/// leave. Hence those that are right see the same delays, the same instants and the same checksum.
#[derive(Clone, Debug)]
pub struct Hold {
    delays: Vec<Duration>,
    position: u64,
    checksum: u64,
}

impl Hold {
    /// How long an event waits on average.
    pub const MEAN: Duration = Duration::from_millis(1_000);
    /// Drawn delays: 32 KiB of them, which leaves most of a first-level cache to the queue.
    const DELAYS_BITS: u32 = 12;

    /// The workload from its start.
    pub fn new() -> Self {
        let mut stream = Streams::new(42).of("hold model", "delay");
        Self::with_delays(|| stream.exponential(Self::MEAN))
    }

    /// The workload with one and the same delay: all events are due together, again and again.
    pub fn in_step() -> Self {
        Self::with_delays(|| Self::MEAN)
    }

    fn with_delays(delay: impl FnMut() -> Duration) -> Self {
        let delays = std::iter::repeat_with(delay).take(1 << Self::DELAYS_BITS).collect();
        Self { delays, position: 0, checksum: 0 }
    }

    /// The event with this number.
    pub fn event(number: u32) -> Event {
        if number.is_multiple_of(2) {
            Event::Wake { node: number }
        } else {
            Event::Arrival { from: 0, node: number, packet: 0, length: 1_400 }
        }
    }

    /// When an event that is put first is due.
    pub fn first(&mut self) -> Instant {
        Instant::ZERO.after(self.delay())
    }

    /// An event left at `at`: the delay until it is due again.
    #[inline]
    pub fn left(&mut self, at: Instant) -> Duration {
        // Odd and without a pattern in its bits (Steele and Vigna, 2021).
        self.checksum = (self.checksum ^ at.as_nanos()).wrapping_mul(0xd134_2543_de82_ef95);
        self.delay()
    }

    /// What tells apart two sequences of instants at which events left.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    #[inline]
    fn delay(&mut self) -> Duration {
        // A congruential generator of full period (Knuth); its high bits are the random ones.
        self.position = self.position.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        self.delays[(self.position >> (u64::BITS - Self::DELAYS_BITS)) as usize]
    }
}

impl Default for Hold {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum after events left at these nanoseconds.
    fn checksum(instants: [u64; 3]) -> u64 {
        let mut hold = Hold::new();
        for nanos in instants {
            hold.left(Instant::from_nanos(nanos));
        }
        hold.checksum()
    }

    #[test]
    fn the_checksum_tells_sequences_of_instants_apart() {
        assert_eq!(checksum([1, 2, 3]), checksum([1, 2, 3]));
        assert_ne!(checksum([1, 2, 3]), checksum([1, 3, 2]));
        assert_ne!(checksum([1, 2, 3]), checksum([1, 2, 4]));
    }

    #[test]
    fn events_in_step_are_due_together() {
        let mut hold = Hold::in_step();
        assert_eq!(hold.first(), Instant::from_millis(1_000));
        assert_eq!(hold.first(), Instant::from_millis(1_000));
        assert_eq!(hold.left(Instant::from_millis(1_000)), Hold::MEAN);
    }

    #[test]
    fn delays_are_a_second_on_average() {
        let mut hold = Hold::new();
        let total: u64 = (0..40_000).map(|_| hold.first().as_nanos()).sum();
        // Four standard deviations of the 4096 delays that are drawn: 4 s / √4096.
        assert!((total / 40_000).abs_diff(Hold::MEAN.as_nanos()) < 62_500_000, "{total}");
    }
}
