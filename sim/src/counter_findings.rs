//! What a recorded counter file proves: stalls with bounds, rates, and tests that did nothing.
//!
//! ```text
//!   sent     6680   6730  6741        6741        6741  6752
//!   t_s      101    106   111   122   …           264   269
//!   sends     │ yes  │ yes │     none              │ yes │
//!                    └─ the last one          the next one ─┘
//!            no send for at least 111..264, at most 106..269
//!                              └ the phase "loss10" begins here: it did not cause this
//! ```
//!
//! Between two samples anything may have happened, so a stall has two lengths: what it lasted at
//! least, from the first sample that shows it to the last, and what it lasted at most, from the
//! sample before to the sample after. Whether a phase can have caused it is judged by the earlier
//! and the later bound of its beginning, never by the phase in which most of it lies.
//!
//! # Why rates are taken by the recorder's clock
//!
//! Both clocks are read in whole seconds, so the length of one step is off by up to a second on
//! each: a step of 5 s may well be 6 s by the device's uptime, and its rate looks 17 % low.
//! That is [`Clocks::Rounding`], no dropped tick; only a difference of 2 s or more shows that the
//! clocks ran apart. Rates are therefore counts over the recorder's seconds, and over a long range
//! the rounding vanishes.
//!
//! # Why unmoved counters end the argument
//!
//! A test phase impairs the network with rules that count the packets they match. When none of
//! these counters moved, no packet met the impairment: however well the device did, the phase says
//! nothing about it ([`Exercise::NotExercised`]).
use std::fmt;

use crate::counter_log::{CounterLog, Phase, Sample};

/// A number of events over a number of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// The events.
    pub events: u64,
    /// The seconds, at least one.
    pub over_s: u64,
}

/// The time between two samples that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// The earlier sample.
    pub from: Sample,
    /// The later sample.
    pub to: Sample,
}

/// How the two clocks of a step compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clocks {
    /// Both show the same number of seconds.
    Agree,
    /// They differ by 1 s, which rounding to whole seconds explains.
    Rounding,
    /// They differ by more: the device or the recorder stood still, or a clock was set.
    Apart,
}

/// When something began: after one sample and not later than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Onset {
    /// The second after which it began; `None` when it had begun before the recording.
    pub after_s: Option<u64>,
    /// The second by which it had begun.
    pub by_s: u64,
}

/// A stretch in which the device sent nothing, or far too little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stall {
    /// When it began.
    pub onset: Onset,
    /// The first sample that belongs to it, in seconds.
    pub from_s: u64,
    /// The last sample that belongs to it, in seconds.
    pub to_s: u64,
    /// The sample that shows its end, in seconds; `None` when the recording ends first.
    pub over_by_s: Option<u64>,
    /// What was sent between the first sample and the last.
    pub sends: u64,
    /// The rebonds counted at the first sample and at the last.
    pub rebonds: (u64, u64),
}

/// How long before a phase something began: the phase did not cause it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lead<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// It began at least so many seconds before the phase.
    pub at_least_s: u64,
    /// It began at most so many seconds before; `None` when it was there before the recording.
    pub at_most_s: Option<u64>,
}

/// Whether the impairment of a phase met any traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exercise {
    /// The rules matched packets.
    Exercised {
        /// How many, over all rules.
        matched: u64,
    },
    /// No rule matched a packet: the phase shows nothing.
    NotExercised,
}

/// What the counters say about one phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseFinding<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// What was sent between its first sample and its last; `None` with fewer than two.
    pub sends: Option<Rate>,
    /// Whether it tested anything.
    pub exercise: Exercise,
}

impl Rate {
    /// Hundredths of an event per second, rounded to the nearest.
    pub fn hundredths_per_s(self) -> u64 {
        let (events, over_s) = (u128::from(self.events), u128::from(self.over_s.max(1)));
        u64::try_from((events * 100 + over_s / 2) / over_s).unwrap_or(u64::MAX)
    }

    /// Whether this is less than a tenth of `nominal`.
    pub fn is_below_a_tenth_of(self, nominal: Self) -> bool {
        let product = |events: u64, over_s: u64| u128::from(events) * u128::from(over_s);
        // Ten times a product of two u64 may not fit, a tenth of the other side always does.
        product(self.events, nominal.over_s) < product(nominal.events, self.over_s).div_ceil(10)
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hundredths = self.hundredths_per_s();
        write!(out, "{}.{:02}/s", hundredths / 100, hundredths % 100)
    }
}

impl Step {
    /// What was sent in it.
    pub const fn sends(&self) -> u64 {
        self.to.sent - self.from.sent
    }

    /// The rate of sending by the recorder's clock.
    pub const fn by_time(&self) -> Rate {
        Rate { events: self.sends(), over_s: self.to.t_s - self.from.t_s }
    }

    /// The rate of sending by the device's clock; `None` when its uptime did not move.
    pub fn by_uptime(&self) -> Option<Rate> {
        let over_s = self.to.uptime_s - self.from.uptime_s;
        (over_s > 0).then_some(Rate { events: self.sends(), over_s })
    }

    /// How the two clocks compare.
    pub const fn clocks(&self) -> Clocks {
        let (time, uptime) = (self.to.t_s - self.from.t_s, self.to.uptime_s - self.from.uptime_s);
        match time.abs_diff(uptime) {
            0 => Clocks::Agree,
            1 => Clocks::Rounding,
            _ => Clocks::Apart,
        }
    }
}

impl CounterLog {
    /// The steps from sample to sample.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        self.samples().windows(2).filter_map(|pair| match *pair {
            [from, to] => Some(Step { from, to }),
            _ => None,
        })
    }

    /// The rate of sending from the first sample at or after `from_s` to the last at or before
    /// `to_s`, by the recorder's clock; `None` with fewer than two samples between.
    pub fn rate(&self, from_s: u64, to_s: u64) -> Option<Rate> {
        let within = |sample: &&Sample| (from_s..=to_s).contains(&sample.t_s);
        let from = self.samples().iter().find(within)?;
        let to = self.samples().iter().rfind(within)?;
        (from.t_s < to.t_s).then(|| Step { from: *from, to: *to }.by_time())
    }

    /// The longest time without a single send; `None` when every step has one.
    pub fn longest_silence(&self) -> Option<Stall> {
        let silences = self.stretches(|step| step.sends() == 0);
        silences.into_iter().rev().max_by_key(Stall::at_least_s)
    }

    /// The stretches of steps that each sent less than a tenth of `nominal`.
    pub fn stalls(&self, nominal: Rate) -> Vec<Stall> {
        self.stretches(|step| step.by_time().is_below_a_tenth_of(nominal))
    }

    /// The steps in which the two clocks differ by more than rounding explains.
    pub fn clock_faults(&self) -> Vec<Step> {
        self.steps().filter(|step| step.clocks() == Clocks::Apart).collect()
    }

    /// What the counters say about `phase`.
    pub fn finding<'a>(&self, phase: &'a Phase) -> PhaseFinding<'a> {
        let sends = self.rate(phase.start_s, phase.end_s);
        PhaseFinding { phase, sends, exercise: phase.exercise() }
    }

    /// The longest runs of steps that all are `stalled`.
    fn stretches(&self, stalled: impl Fn(&Step) -> bool) -> Vec<Stall> {
        let mut stretches: Vec<Stall> = Vec::new();
        let mut before: Option<Step> = None;
        let mut open = false;
        for step in self.steps() {
            let goes_on = stalled(&step);
            match stretches.last_mut().filter(|_| open) {
                Some(stall) if goes_on => stall.extend(&step),
                Some(stall) => stall.over_by_s = Some(step.to.t_s),
                None if goes_on => stretches.push(Stall::begin(before, &step)),
                None => {}
            }
            open = goes_on;
            before = Some(step);
        }
        stretches
    }
}

impl Stall {
    /// A stall that shows first in `step`, after the step `before` in which all was well. With
    /// sends in its first step it may have begun anywhere inside that.
    fn begin(before: Option<Step>, step: &Step) -> Self {
        let by_s = if step.sends() == 0 { step.from.t_s } else { step.to.t_s };
        Self {
            onset: Onset { after_s: before.map(|before| before.from.t_s), by_s },
            from_s: step.from.t_s,
            to_s: step.to.t_s,
            over_by_s: None,
            sends: step.sends(),
            rebonds: (step.from.rebonds, step.to.rebonds),
        }
    }

    fn extend(&mut self, step: &Step) {
        self.to_s = step.to.t_s;
        self.sends += step.sends();
        self.rebonds.1 = step.to.rebonds;
    }

    /// The seconds that it lasted at least.
    pub const fn at_least_s(&self) -> u64 {
        self.to_s - self.from_s
    }

    /// The seconds that it lasted at most; `None` when it reaches an end of the recording.
    pub fn at_most_s(&self) -> Option<u64> {
        Some(self.over_by_s? - self.onset.after_s?)
    }

    /// The phases that lie in the stall but began after it had: none of them caused it.
    pub fn ahead_of<'a>(&self, phases: &'a [Phase]) -> Vec<Lead<'a>> {
        let Onset { after_s, by_s } = self.onset;
        let met = |phase: &&Phase| by_s < phase.start_s && phase.start_s < self.to_s;
        let lead = |phase: &'a Phase| Lead {
            phase,
            at_least_s: phase.start_s - by_s,
            at_most_s: after_s.map(|after_s| phase.start_s - after_s),
        };
        phases.iter().filter(met).map(lead).collect()
    }
}

impl Onset {
    /// The phase in which it surely began; `None` when it may have been another, or none.
    pub fn phase<'a>(&self, phases: &'a [Phase]) -> Option<&'a Phase> {
        let after_s = self.after_s?;
        phases.iter().find(|phase| phase.start_s <= after_s && self.by_s < phase.end_s)
    }
}

impl Phase {
    /// Whether the rules of the phase matched any packet.
    pub fn exercise(&self) -> Exercise {
        let moved = self.before.iter().zip(&self.after).map(|(before, after)| after - before);
        match moved.fold(0, u64::saturating_add) {
            0 => Exercise::NotExercised,
            matched => Exercise::Exercised { matched },
        }
    }
}

impl fmt::Display for Stall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from_s, to_s, sends, .. } = self;
        let what = if *sends == 0 { "no send".to_owned() } else { format!("{sends} sends") };
        write!(out, "{what} for at least {} s ({from_s} s to {to_s} s)", self.at_least_s())?;
        match (self.at_most_s(), self.onset.after_s, self.over_by_s) {
            (Some(most), Some(after), Some(over)) => {
                write!(out, " and at most {most} s ({after} s to {over} s)")
            }
            _ => write!(out, ", and it reaches an end of the recording"),
        }
    }
}

impl fmt::Display for PhaseFinding<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: ", self.phase.name)?;
        match self.exercise {
            Exercise::Exercised { matched } => write!(out, "exercised, {matched} packets matched")?,
            Exercise::NotExercised => write!(out, "not exercised, no rule matched a packet")?,
        }
        match self.sends {
            Some(sends) => write!(out, "; {} sends in {} s, {sends}", sends.events, sends.over_s),
            None => write!(out, "; too few samples for a rate"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of case 28, a selection from a published recording, times made relative.
    const COUNTERS: &str = "t_s,uptime_s,sent,replies,rebonds
0,611,5668,5667,0
15,626,5820,5819,0
20,632,5870,5869,0
101,713,6680,6679,0
106,718,6730,6725,0
111,723,6741,6725,1
122,733,6741,6725,1
264,875,6741,6725,1
269,880,6752,6735,1
299,910,7057,7027,1
305,916,7059,7027,2
310,921,7059,7027,2
315,926,7062,7029,2
320,931,7112,7079,2
487,1099,8787,8754,2
786,1397,11776,11743,2
816,1427,12071,12037,2
1054,1665,14452,14418,2
";

    const PHASES: &str = "phase,start_s,end_s,before,after
baseline,0,122,52 108,1306 2562
loss10,122,304,1306 2562,1473 4182
delay150,305,487,1474 4182,1692 6199
blackhole,487,791,1692 6199,1692 6199
restore,816,1059,1983 6817,4797 12143
";

    fn counters() -> CounterLog {
        CounterLog::parse(COUNTERS.as_bytes()).expect("the rows of the case are good")
    }

    fn phases() -> Vec<Phase> {
        Phase::parse_all(PHASES.as_bytes()).expect("the phases of the case are good")
    }

    fn named<'a>(phases: &'a [Phase], name: &str) -> &'a Phase {
        phases.iter().find(|phase| phase.name == name).expect("one of the five")
    }

    fn log(rows: &str) -> CounterLog {
        let file = format!("t_s,uptime_s,sent,replies,rebonds\n{rows}");
        CounterLog::parse(file.as_bytes()).expect("a good file")
    }

    /// Cites case 28.
    #[test]
    fn the_longest_time_without_a_send_is_153_to_163_seconds() {
        let silence = counters().longest_silence().expect("it stood still");
        assert_eq!((silence.at_least_s(), silence.at_most_s()), (153, Some(163)));
        assert_eq!((silence.from_s, silence.to_s), (111, 264));
        assert_eq!(silence.onset, Onset { after_s: Some(106), by_s: 111 });
        assert_eq!(
            silence.to_string(),
            "no send for at least 153 s (111 s to 264 s) and at most 163 s (106 s to 269 s)"
        );
    }

    /// Cites case 28.
    #[test]
    fn the_stall_is_not_put_down_to_the_loss_phase_that_begins_11_to_16_seconds_later() {
        let (silence, phases) = (counters().longest_silence().expect("it stood still"), phases());
        assert_eq!(silence.onset.phase(&phases), Some(named(&phases, "baseline")));
        let phase = named(&phases, "loss10");
        let lead = Lead { phase, at_least_s: 11, at_most_s: Some(16) };
        assert_eq!(silence.ahead_of(&phases), [lead]);
    }

    /// Cites case 28.
    #[test]
    fn the_second_stall_sends_5_in_16_seconds_and_comes_with_the_second_rebond() {
        let log = counters();
        let nominal = log.rate(0, 101).expect("two samples and more");
        let stalls = log.stalls(nominal);
        let [first, second] = stalls[..] else { panic!("two stalls, not {stalls:?}") };
        assert_eq!(Some(first), log.longest_silence());
        assert_eq!((second.from_s, second.over_by_s), (299, Some(320)));
        assert_eq!((second.sends, second.at_least_s()), (5, 16));
        assert_eq!(second.rebonds, (1, 2));
        // It shows at 305 s at the latest, and there the delay phase has begun.
        assert_eq!(second.onset.phase(&phases()), None);
        assert!(second.to_string().starts_with("5 sends for at least 16 s (299 s to 315 s)"));
    }

    /// Cites case 28.
    #[test]
    fn the_baseline_rate_is_10_02_per_second() {
        let rate = counters().rate(0, 101).expect("two samples and more");
        assert_eq!(rate, Rate { events: 1_012, over_s: 101 });
        assert_eq!(rate.to_string(), "10.02/s");
    }

    /// Cites case 28.
    #[test]
    fn rounded_uptime_is_not_reported_as_dropped_ticks() {
        let log = counters();
        let step = log.steps().find(|step| step.from.t_s == 15).expect("a row of the case");
        assert_eq!(step.by_time().to_string(), "10.00/s");
        assert_eq!(step.by_uptime().map(|rate| rate.to_string()).as_deref(), Some("8.33/s"));
        assert_eq!(step.clocks(), Clocks::Rounding);
        assert_eq!(log.clock_faults(), []);
        let nominal = log.rate(0, 101).expect("two samples and more");
        assert!(log.stalls(nominal).iter().all(|stall| stall.from_s > 20));
    }

    /// Cites case 28.
    #[test]
    fn the_black_hole_was_not_exercised() {
        let (log, phases) = (counters(), phases());
        let finding = log.finding(named(&phases, "blackhole"));
        assert_eq!(finding.exercise, Exercise::NotExercised);
        assert_eq!(finding.sends, Some(Rate { events: 2_989, over_s: 299 }));
        assert_eq!(
            finding.to_string(),
            "blackhole: not exercised, no rule matched a packet; 2989 sends in 299 s, 10.00/s"
        );
    }

    #[test]
    fn a_phase_whose_rules_matched_packets_was_exercised() {
        let (log, phases) = (counters(), phases());
        let finding = log.finding(named(&phases, "loss10"));
        assert_eq!(finding.exercise, Exercise::Exercised { matched: 167 + 1_620 });
        let short = Phase { start_s: 21, end_s: 100, ..named(&phases, "loss10").clone() };
        assert_eq!(
            log.finding(&short).to_string(),
            "loss10: exercised, 1787 packets matched; too few samples for a rate"
        );
    }

    #[test]
    fn one_rule_that_moved_is_enough_to_call_a_phase_exercised() {
        let phase = |after: [u64; 2]| Phase {
            before: vec![7, 9],
            after: after.to_vec(),
            ..named(&phases(), "blackhole").clone()
        };
        assert_eq!(phase([7, 10]).exercise(), Exercise::Exercised { matched: 1 });
        assert_eq!(phase([7, 9]).exercise(), Exercise::NotExercised);
    }

    #[test]
    fn a_stall_at_an_end_of_the_recording_has_no_upper_bound() {
        let both = log("10,10,5,5,0\n20,20,5,5,0\n").longest_silence().expect("no send at all");
        assert_eq!((both.at_least_s(), both.at_most_s()), (10, None));
        assert_eq!(both.onset, Onset { after_s: None, by_s: 10 });
        assert_eq!(both.onset.phase(&phases()), None);
        let lead = |stall: &Stall| stall.ahead_of(&phases()).first().map(|lead| lead.at_most_s);
        let early = log("10,10,5,5,0\n200,200,5,5,0\n").longest_silence().expect("no send");
        assert_eq!(lead(&early), Some(None));
        let late = log("0,0,5,5,0\n5,5,9,9,0\n9,9,9,9,0\n").longest_silence().expect("at its end");
        assert_eq!((late.onset.after_s, late.over_by_s), (Some(0), None));
        let text = "no send for at least 4 s (5 s to 9 s), and it reaches an end of the recording";
        assert_eq!(late.to_string(), text);
    }

    #[test]
    fn rebonds_and_sends_are_counted_to_the_end_of_a_stall() {
        let log = log("0,0,0,0,0\n5,5,50,50,0\n10,10,51,50,1\n15,15,53,50,2\n20,20,103,99,2\n");
        let stalls = log.stalls(Rate { events: 10, over_s: 1 });
        let [stall] = stalls[..] else { panic!("one stall, not {stalls:?}") };
        assert_eq!((stall.from_s, stall.to_s, stall.over_by_s), (5, 15, Some(20)));
        assert_eq!((stall.sends, stall.rebonds), (3, (0, 2)));
        assert_eq!(stall.onset, Onset { after_s: Some(0), by_s: 10 });
    }

    #[test]
    fn of_two_equal_silences_the_earlier_is_named_and_without_one_there_is_none() {
        let twice = log("0,0,0,0,0\n5,5,0,0,0\n10,10,9,9,0\n15,15,9,9,0\n");
        assert_eq!(twice.longest_silence().map(|silence| silence.from_s), Some(0));
        assert_eq!(log("0,0,0,0,0\n5,5,1,0,0\n").longest_silence(), None);
        assert_eq!(log("0,0,0,0,0\n").longest_silence(), None);
    }

    #[test]
    fn clocks_that_run_2_seconds_apart_are_reported() {
        let log = log("0,0,0,0,0\n5,5,50,50,0\n10,8,100,100,0\n15,8,150,150,0\n");
        let faults: Vec<u64> = log.clock_faults().iter().map(|step| step.from.t_s).collect();
        assert_eq!(faults, [5, 10]);
        let last = log.steps().last().expect("three steps");
        assert_eq!(last.by_uptime(), None);
    }

    #[test]
    fn a_tenth_of_the_nominal_rate_is_not_below_a_tenth() {
        let nominal = Rate { events: 1_012, over_s: 101 };
        let rate = |events, over_s| Rate { events, over_s };
        assert!(!rate(1_012, 1_010).is_below_a_tenth_of(nominal));
        assert!(rate(1_011, 1_010).is_below_a_tenth_of(nominal));
        assert!(rate(1, 1).is_below_a_tenth_of(nominal), "1 is less than 1.00198");
        assert!(!rate(u64::MAX, 1).is_below_a_tenth_of(rate(u64::MAX, 1)));
        assert!(rate(0, 1).is_below_a_tenth_of(nominal));
        assert!(!rate(0, 1).is_below_a_tenth_of(rate(0, 1)));
    }
}
