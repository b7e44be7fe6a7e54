//! Recorded outputs against replayed ones, step by step, up to the first difference.
use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use firmware_core::charge::CostKey;
use firmware_core::time::{Duration, Instant};
use models::clause::Clause;

use super::clauses;
use super::player::{Player, Stepped, Unknown};
use crate::pft::field::millis;
use crate::pft::{Event, Gap, Item, PftError, Reader, Record};
use crate::record::digest::CoreDigest;

/// Records shown before a difference, and in all.
const BEFORE: usize = 6;
const AROUND: usize = 10;
/// Gaps that are kept; more are only counted.
const GAPS_KEPT: usize = 16;

/// What a replay came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the core did what the trace says.
    pub verdict: Verdict,
    /// Steps that were replayed.
    pub steps: u64,
    /// Records that were read.
    pub records: u64,
    /// The number of the record up to which everything is equal.
    pub reached: u64,
    /// The digest of the replayed steps.
    pub digest: u128,
    /// The digest that the trace says its steps had.
    pub recorded: Option<u128>,
    /// The first gaps of the trace, as far as it was read.
    pub gaps: Vec<Gap>,
    /// Records of a kind that this version does not know.
    pub unknown_kinds: u64,
    /// How long charges took in the trace.
    pub charges: BTreeMap<CostKey, Taken>,
}

/// How long a charge took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// How often it was made.
    pub count: u64,
    /// The least time to the next step: what it costs, and whatever came between.
    pub least: Duration,
    /// The record of the charge that took it.
    pub index: u64,
}

/// The three values of a verdict.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every step gave what the trace says.
    Pass,
    /// One did not.
    Fail(Box<Divergence>),
    /// The trace does not say enough.
    CannotTell(CannotTell),
}

/// The first difference.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The number of the record at which they differ.
    pub index: u64,
    /// When.
    pub at: Instant,
    /// The input of that step.
    pub input: Event,
    /// What the trace says; `None` when the core gave more than it says.
    pub expected: Option<Event>,
    /// What the core gave; `None` when it gave less.
    pub got: Option<Event>,
    /// The records around, as lines; the one at which they differ is marked.
    pub around: Vec<String>,
    /// The clauses concerned, those of the expected output first.
    pub clauses: Vec<Clause>,
}

/// Why a verdict is not possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CannotTell {
    /// From which record on.
    pub from: u64,
    /// Why.
    pub why: String,
    /// What to log the next time.
    pub log_next: String,
}

impl Outcome {
    /// Whether the digest in the trace is that of the replayed steps; `None` where the trace has
    /// none or the replay did not reach its end.
    pub fn is_same_digest(&self) -> Option<bool> {
        let whole = matches!(self.verdict, Verdict::Pass);
        self.recorded.filter(|_| whole).map(|recorded| recorded == self.digest)
    }
}

/// A step whose recorded outputs are still being read.
struct Open {
    input: Record,
    outputs: Vec<Record>,
}

struct Comparison<'p> {
    player: &'p mut dyn Player,
    digest: CoreDigest,
    before: VecDeque<Record>,
    open: Option<Open>,
    reached: u64,
    charges: BTreeMap<CostKey, Taken>,
    /// The charge that is being worked off, since when, and its record.
    charged: Option<(CostKey, Instant, u64)>,
}

/// Replays a trace up to its end, to the first difference, to a gap, or to record `until`.
///
/// # Errors
/// When the trace cannot be read or its writer broke the format.
pub fn compare<R: Read>(
    reader: &mut Reader<R>,
    player: &mut dyn Player,
    until: u64,
) -> Result<Outcome, PftError> {
    let mut comparison = Comparison {
        player,
        digest: CoreDigest::default(),
        before: VecDeque::with_capacity(AROUND),
        open: None,
        reached: 0,
        charges: BTreeMap::new(),
        charged: None,
    };
    let (mut gaps, mut unknown_kinds, mut records) = (Vec::new(), 0, 0);
    let mut verdict = None;
    while verdict.is_none() {
        match reader.next().transpose()? {
            Some(Item::Record(record)) => {
                let is_last = record.index >= until;
                records = record.index + 1;
                verdict = comparison.record(record);
                if is_last && verdict.is_none() {
                    verdict = Some(Verdict::Pass);
                }
            }
            Some(Item::Unknown(unknown)) => {
                unknown_kinds += 1;
                records = unknown.index + 1;
            }
            Some(Item::Gap(gap)) => {
                verdict = comparison.gap(&gap);
                if gaps.len() < GAPS_KEPT {
                    gaps.push(gap);
                }
            }
            None => verdict = Some(comparison.end()),
        }
    }
    let mut verdict = verdict.expect("the loop ends with one");
    if let Verdict::Fail(divergence) = &mut verdict {
        finish_around(reader, divergence);
    }
    Ok(Outcome {
        verdict,
        steps: comparison.digest.steps(),
        records,
        reached: comparison.reached,
        digest: comparison.digest.value(),
        recorded: reader.end().and_then(|end| end.digest),
        gaps,
        unknown_kinds,
        charges: comparison.charges,
    })
}

impl Comparison<'_> {
    fn record(&mut self, record: Record) -> Option<Verdict> {
        if record.event.is_output() {
            if let Event::OutCharge { key } = record.event {
                self.charged = Some((key, record.at, record.index));
            }
            if let Some(open) = &mut self.open {
                open.outputs.push(record);
            }
            return None;
        }
        let mut verdict = self.close(true);
        if let Some(Verdict::Fail(divergence)) = &mut verdict {
            divergence.around.push(line(&record, false));
        }
        if verdict.is_some() {
            return verdict;
        }
        self.reached = record.index;
        if record.event.is_input() {
            self.elapsed(&record);
            self.open = Some(Open { input: record, outputs: Vec::new() });
        } else {
            self.player.around(&record.event);
            self.remember(record);
        }
        None
    }

    /// A step that nothing but time brings ends the charge before it.
    fn elapsed(&mut self, input: &Record) {
        let by_time = matches!(
            input.event,
            Event::InWake {} | Event::InEmpty {} | Event::InPacket { .. } | Event::InAdd { .. }
        );
        if by_time && let Some((key, since, index)) = self.charged.take() {
            let least = input.at.since(since);
            let taken = self.charges.entry(key).or_insert(Taken { count: 0, least, index });
            taken.count += 1;
            if least < taken.least {
                (taken.least, taken.index) = (least, index);
            }
        }
    }

    /// The outputs of the open step are complete, as far as the trace goes: steps the core.
    fn close(&mut self, is_whole: bool) -> Option<Verdict> {
        let Open { input, outputs } = self.open.take()?;
        let stepped = self.player.step(input.at, &input.event);
        if !stepped.outputs.is_empty() || stepped.unknown.is_none() {
            self.digest.step(input.at, &input.event, &stepped.outputs);
        }
        let verdict = judge(&input, &outputs, &stepped, is_whole);
        let last = outputs.last().unwrap_or(&input).index;
        self.remember(input);
        for output in outputs {
            self.remember(output);
        }
        match verdict {
            None => {
                self.reached = last;
                None
            }
            Some(Verdict::Fail(mut divergence)) => {
                self.reached = divergence.index.saturating_sub(1);
                let index = divergence.index;
                let lines = self.before.iter().map(|record| line(record, record.index == index));
                divergence.around = lines.collect();
                Some(Verdict::Fail(divergence))
            }
            other => other,
        }
    }

    fn remember(&mut self, record: Record) {
        if self.before.len() == AROUND {
            self.before.pop_front();
        }
        self.before.push_back(record);
    }

    fn gap(&mut self, gap: &Gap) -> Option<Verdict> {
        let verdict = self.close(false);
        if verdict.is_some() {
            return verdict;
        }
        let lost = gap.lost.map_or("an unknown number of".to_owned(), |lost| lost.to_string());
        let mut why = String::new();
        crate::pft::field::Field::show(&gap.reason, &mut why);
        Some(Verdict::CannotTell(CannotTell {
            from: gap.before,
            why: format!("{lost} records are missing ({why}); up to there every step is equal"),
            log_next: "every input of the core, without a gap".to_owned(),
        }))
    }

    fn end(&mut self) -> Verdict {
        if let Some(verdict) = self.close(true) {
            return verdict;
        }
        if self.digest.steps() > 0 {
            return Verdict::Pass;
        }
        Verdict::CannotTell(CannotTell {
            from: 0,
            why: "the trace holds no step of a core".to_owned(),
            log_next: "the core's inputs and outputs: `run --trace`, or the recorder on the device"
                .to_owned(),
        })
    }
}

/// Holds what a step gave against what the trace says. Of a step that the trace breaks off in, only
/// what is there counts.
fn judge(input: &Record, outputs: &[Record], stepped: &Stepped, is_whole: bool) -> Option<Verdict> {
    let (index, expected, got) = difference(outputs, stepped, is_whole)
        .map_or_else(|| (None, None, None), |(place, got)| (Some(place), outputs.get(place), got));
    let unknown = stepped.unknown.as_ref();
    match (index, unknown) {
        (None, Some(Unknown { what, log_next })) if stepped.outputs.is_empty() => {
            Some(cannot_tell(input, what, log_next))
        }
        (None, _) => None,
        (Some(_), Some(Unknown { what, log_next })) => Some(cannot_tell(input, what, log_next)),
        (Some(_), None) => {
            let index = expected
                .map_or_else(|| outputs.last().unwrap_or(input).index, |expected| expected.index);
            let expected = expected.map(|record| record.event.clone());
            Some(Verdict::Fail(Box::new(Divergence {
                index,
                at: input.at,
                clauses: clauses::of(&input.event, expected.as_ref(), got.as_ref()),
                input: input.event.clone(),
                expected,
                got,
                around: Vec::new(),
            })))
        }
    }
}

fn cannot_tell(input: &Record, what: &str, log_next: &str) -> Verdict {
    Verdict::CannotTell(CannotTell {
        from: input.index,
        why: format!("the trace does not say {what}"),
        log_next: log_next.to_owned(),
    })
}

/// The place of the first output that differs, and what the core gave there.
fn difference(
    outputs: &[Record],
    stepped: &Stepped,
    is_whole: bool,
) -> Option<(usize, Option<Event>)> {
    for (place, record) in outputs.iter().enumerate() {
        if let Event::OutFingerprint { value } = record.event {
            let got = Event::OutFingerprint { value: stepped.fingerprint };
            return (value != stepped.fingerprint).then_some((place, Some(got)));
        }
        let got = stepped.outputs.get(place);
        if got != Some(&record.event) {
            return Some((place, got.cloned()));
        }
    }
    let more = stepped.outputs.get(outputs.len()).filter(|_| is_whole);
    more.map(|more| (outputs.len(), Some(more.clone())))
}

/// A record as a line of text.
pub fn line(record: &Record, is_marked: bool) -> String {
    let mark = if is_marked { '>' } else { ' ' };
    let at = millis(record.at.as_nanos());
    format!("{mark} #{:<8} {at:>18}  {}", record.index, record.event.line())
}

/// Adds the records behind the difference, and cuts those before it.
fn finish_around<R: Read>(reader: &mut Reader<R>, divergence: &mut Divergence) {
    let marked = divergence.around.iter().position(|line| line.starts_with('>'));
    if let Some(marked) = marked {
        divergence.around.drain(..marked.saturating_sub(BEFORE));
    }
    divergence.around.truncate(AROUND);
    while divergence.around.len() < AROUND {
        match reader.next() {
            Some(Ok(Item::Record(record))) => divergence.around.push(line(&record, false)),
            _ => break,
        }
    }
}
