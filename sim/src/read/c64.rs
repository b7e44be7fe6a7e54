//! The C64's time: processor cycles at turbo speed, the 1 MHz bus that every I/O access waits for,
//! and the clock of the CIA, which neither turbo nor the video chip touches.
//!
//! ```text
//!   cycles   |....|....|....|....|     47 per bus cycle with turbo, 1 without
//!   bus      ^    ^    ^    ^          an access ends at the next bus cycle
//!   wall     bus cycles / (1 - bad lines) / PHI2
//! ```
use super::parameters::Parameters;
use firmware_core::time::{Duration, Instant};

/// Bus cycles between two counts of the client's deadline clock.
const UNIT_CYCLES: u64 = 10_227;
const MILLION: u64 = 1_000_000;

/// A rule that the machine's figures break: the name of the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must lie in {least}..={most}")]
pub struct BadMachine {
    /// The parameter.
    pub field: &'static str,
    /// The least that is possible.
    pub least: u64,
    /// The most.
    pub most: u64,
}

impl BadMachine {
    /// The rule, without the parameter's name.
    pub fn why(&self) -> String {
        format!("must lie in {}..={}", self.least, self.most)
    }
}

/// The processor and its clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct C64 {
    phi2_hz: u64,
    turbo_percent: u64,
    /// Millionths of the time that the processor has.
    free_ppm: u64,
    access_cycles: u64,
    fence_cycles: u64,
    cycles: u64,
}

impl C64 {
    /// A machine that has just been switched on.
    ///
    /// # Errors
    /// The first parameter that no machine can have.
    pub fn new(parameters: &Parameters) -> Result<Self, BadMachine> {
        let within = |field, value, least, most| {
            let sound = (least..=most).contains(&value);
            if sound { Ok(value) } else { Err(BadMachine { field, least, most }) }
        };
        let bad_lines = within("bad_lines_ppm", parameters.bad_lines_ppm, 0, MILLION / 2)?;
        Ok(Self {
            phi2_hz: within("phi2_hz", parameters.phi2_hz, 900_000, 1_100_000)?,
            turbo_percent: within("turbo_percent", parameters.turbo_percent, 100, 10_000)?,
            free_ppm: MILLION - bad_lines,
            access_cycles: within("access_cycles", parameters.access_cycles, 1, 1_000)?,
            fence_cycles: within("fence_cycles", parameters.fence_cycles, 0, 1_000_000)?,
            cycles: 0,
        })
    }

    /// Processor cycles since the start.
    pub const fn cycles(&self) -> u64 {
        self.cycles
    }

    /// One register access: the loop around it, then the wait for the bus.
    pub const fn access(&mut self) {
        let ready = self.cycles + self.access_cycles;
        let bus_cycle = (ready * 100).div_ceil(self.turbo_percent);
        self.cycles = (bus_cycle * self.turbo_percent).div_ceil(100);
    }

    /// One fence.
    pub const fn fence(&mut self) {
        self.cycles += self.fence_cycles;
    }

    /// Work on the processor.
    pub const fn work(&mut self, cycles: u64) {
        self.cycles += cycles;
    }

    /// A wait in which the processor stands still: DMA, or a pause.
    pub fn stand(&mut self, span: Duration) {
        self.cycles = self.cycles_at(self.now().after(span));
    }

    /// What the deadline clock reads: it counts down from $FFFF.
    pub fn deadline_clock(&self) -> u16 {
        let bus_cycles = u128::from(self.cycles * 100 / self.turbo_percent) * u128::from(MILLION);
        let units = bus_cycles / u128::from(self.free_ppm * UNIT_CYCLES);
        let [low, high, ..] = units.to_le_bytes();
        !u16::from_le_bytes([low, high])
    }

    /// The time on the wall.
    pub fn now(&self) -> Instant {
        let numerator = u128::from(self.cycles) * 100 * 1_000_000_000 * u128::from(MILLION);
        let nanos = numerator / self.cycles_per_second_scaled();
        Instant::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// The first cycle at which the wall shows `at` or later.
    pub fn cycles_at(&self, at: Instant) -> u64 {
        let numerator = u128::from(at.as_nanos()) * self.cycles_per_second_scaled();
        let cycles = numerator.div_ceil(100 * 1_000_000_000 * u128::from(MILLION));
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// Cycles that the processor has in a second, times 10^8.
    fn cycles_per_second_scaled(&self) -> u128 {
        u128::from(self.phi2_hz) * u128::from(self.turbo_percent) * u128::from(self.free_ppm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(parameters: Parameters) -> C64 {
        C64::new(&parameters).expect("the machine exists")
    }

    #[test]
    fn with_turbo_an_access_takes_one_bus_cycle_and_without_it_the_loop_s_own() {
        let mut turbo = machine(Parameters::BENCH);
        turbo.access();
        turbo.access();
        assert_eq!(turbo.cycles(), 2 * 47);
        let mut plain = machine(Parameters { turbo_percent: 100, ..Parameters::BENCH });
        plain.access();
        plain.access();
        assert_eq!(plain.cycles(), 2 * 20);
    }

    /// 5 474 cycles at 48.07 MHz, of which the video chip takes 6.69 %.
    #[test]
    fn a_fence_takes_122_microseconds_with_turbo_and_5_7_milliseconds_without() {
        let mut turbo = machine(Parameters::BENCH);
        turbo.fence();
        assert_eq!(turbo.now().as_nanos() / 100, 1_220);
        let mut plain = machine(Parameters { turbo_percent: 100, ..Parameters::BENCH });
        plain.fence();
        assert_eq!(plain.now().as_nanos() / 100_000, 57, "5.735 ms");
    }

    /// M3-086, M3-087: 10.0 ms on NTSC, 10.38 ms on PAL, at any speed. Cites ER-1 Clock.
    #[test]
    fn the_deadline_clock_runs_by_the_bus_whatever_the_processor_does() {
        for (phi2_hz, unit_us) in [(1_022_727, 10_000), (985_248, 10_381)] {
            for turbo_percent in [100, 4_700, 6_303] {
                let mut c64 = machine(Parameters { phi2_hz, turbo_percent, ..Parameters::BENCH });
                c64.stand(Duration::from_micros(unit_us * 1_000));
                let counted = 0xFFFF - c64.deadline_clock();
                assert!((999..=1_000).contains(&counted), "{counted} at {turbo_percent}");
            }
        }
    }

    #[test]
    fn an_instant_becomes_the_first_cycle_that_reaches_it() {
        let mut c64 = machine(Parameters::BENCH);
        for nanos in [0, 1, 999, 1_000_000_007, 210_130_000_000] {
            let at = Instant::from_nanos(nanos);
            c64.cycles = c64.cycles_at(at);
            assert!(c64.now().as_nanos() + 23 > nanos && c64.now() <= at.after(CYCLE));
        }
    }

    /// One cycle at 44.9 MHz, rounded up.
    const CYCLE: Duration = Duration::from_nanos(23);
}
