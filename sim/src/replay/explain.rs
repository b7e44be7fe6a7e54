//! Why a replay diverges: the smallest change of configuration under which it goes on.
//!
//! ```text
//!   each tunable × (values of every preset · the other switch · neighbours · round figures ·
//!                   what the difference itself says) ─► the same replay ─► how far does it get?
//!   none gets to the end? ─► pairs that begin with the best single ones
//! ```
//!
//! Where the head of the trace names another value than the one in use, that value is tried as well;
//! a dump of a device has no such head, so the search does not depend on it. Candidates that get
//! equally far are put in the order: fewer changes, nearer to the present value, order of the
//! tunables.
use std::path::Path;

use models::clause::Clause;
use serde_json::Value;

use super::ReplayError;
use super::compare::{Divergence, Verdict, compare};
use super::setup::{Asked, Setting, Setup};
use crate::pft::Event;
use crate::scenario::schema;

/// Records behind the difference that a candidate must get past at first.
const TAIL: u64 = 4_000;
/// Single changes that pairs begin with.
const FIRSTS: usize = 4;
/// Explanations that are given at most.
const GIVEN: usize = 5;
/// Times that constants of firmware tend to have, in milliseconds.
const ROUND_MS: [u64; 24] = [
    1, 2, 5, 10, 15, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 8_000,
    10_000, 15_000, 20_000, 30_000, 60_000, 120_000,
];
/// Counts that they tend to have.
const ROUND_COUNTS: [u64; 19] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32, 48, 64, 100, 128, 256];

/// What would remove a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The changes, as `--set` takes them; or one that names a preset.
    pub changes: Vec<String>,
    /// The record up to which the replay then agrees.
    pub reached: u64,
    /// Whether that is the end of the trace, or of what was searched.
    pub is_whole: bool,
    /// The clauses that the documentation of these tunables names.
    pub clauses: Vec<Clause>,
}

/// What is searched, and how far.
pub struct Search<'a> {
    /// The trace.
    pub path: &'a Path,
    /// What the replay that diverged was asked for.
    pub asked: &'a Asked,
    /// Whether values that the head of the trace names are tried as well. A search without them
    /// still tries every preset, switch and neighbour.
    pub knows_head: bool,
    /// Records that may be replayed in all.
    pub budget: u64,
    /// Whether to go on; asked between candidates.
    pub goes_on: &'a mut dyn FnMut() -> bool,
}

/// A change that was tried.
#[derive(Clone, Debug)]
struct Tried {
    candidate: Candidate,
    reached: u64,
    is_whole: bool,
}

#[derive(Clone, Debug)]
struct Candidate {
    changes: Vec<Change>,
    distance: u64,
    place: usize,
}

/// One change.
#[derive(Clone, Debug, PartialEq)]
enum Change {
    Preset(&'static str),
    Set { key: String, value: String },
}

impl Change {
    fn text(&self) -> String {
        match self {
            Self::Preset(name) => format!("preset={name}"),
            Self::Set { key, value } => format!("{key}={value}"),
        }
    }
}

/// Searches for what would remove a difference; the best first.
///
/// # Errors
/// When the trace cannot be read again.
pub fn explain(
    search: &mut Search<'_>,
    divergence: &Divergence,
) -> Result<Vec<Explanation>, ReplayError> {
    let setup = search.setup(&[])?;
    let candidates = candidates(search, &setup, divergence)?;
    let until = divergence.index + TAIL;
    let mut tried = search.try_all(&candidates, until)?;
    tried.retain(|it| it.reached >= divergence.index);
    sort(&mut tried);
    if !tried.first().is_some_and(|best| best.is_whole) {
        let pairs = pairs(&tried, &candidates);
        let mut both = search.try_all(&pairs, until)?;
        let best_single = tried.first().map_or(divergence.index, |best| best.reached);
        both.retain(|it| it.reached > best_single);
        tried.append(&mut both);
        sort(&mut tried);
    }
    let mut last = Vec::new();
    for first in tried.into_iter().take(2 * GIVEN) {
        let whole = if first.is_whole {
            search.try_all(std::slice::from_ref(&first.candidate), u64::MAX)?
        } else {
            Vec::new()
        };
        last.push(whole.into_iter().next().unwrap_or(first));
    }
    sort(&mut last);
    last.truncate(GIVEN);
    Ok(last.into_iter().map(explanation).collect())
}

fn sort(tried: &mut [Tried]) {
    tried.sort_by_key(|it| {
        let candidate = &it.candidate;
        let reached = std::cmp::Reverse((it.is_whole, it.reached));
        (reached, candidate.changes.len(), candidate.distance, candidate.place)
    });
}

impl Search<'_> {
    fn setup(&self, changes: &[Change]) -> Result<Setup, ReplayError> {
        let mut asked = self.asked.clone();
        for change in changes {
            match change {
                Change::Preset(name) => asked.overrides.preset = Some((*name).to_owned()),
                Change::Set { key, value } => {
                    asked.overrides.set.push(format!("{key}={value}"));
                }
            }
        }
        let reader = super::open(self.path)?;
        let head = reader.head().ok_or(ReplayError::NoHead)?;
        Setup::of(head, self.path, &asked)
    }

    fn try_all(&mut self, candidates: &[Candidate], until: u64) -> Result<Vec<Tried>, ReplayError> {
        let mut all = Vec::new();
        for candidate in candidates {
            if self.budget == 0 || !(self.goes_on)() {
                break;
            }
            // A value that the core does not take explains nothing.
            let Ok(mut player) = self.setup(&candidate.changes).and_then(|it| it.player()) else {
                continue;
            };
            let mut reader = super::open(self.path)?;
            let outcome = compare(&mut reader, player.as_mut(), until)?;
            self.budget = self.budget.saturating_sub(outcome.records);
            all.push(Tried {
                candidate: candidate.clone(),
                reached: outcome.reached,
                is_whole: !matches!(outcome.verdict, Verdict::Fail(_)),
            });
        }
        Ok(all)
    }
}

fn explanation(tried: Tried) -> Explanation {
    let keys = tried.candidate.changes.iter().filter_map(|change| match change {
        Change::Set { key, .. } => Some(key.as_str()),
        Change::Preset(_) => None,
    });
    let mut clauses = Vec::new();
    for clause in keys.flat_map(clauses_of) {
        if !clauses.contains(&clause) {
            clauses.push(clause);
        }
    }
    Explanation {
        changes: tried.candidate.changes.iter().map(Change::text).collect(),
        reached: tried.reached,
        is_whole: tried.is_whole,
        clauses,
    }
}

/// The clauses that a tunable's own documentation names.
fn clauses_of(key: &str) -> Vec<Clause> {
    let fields = schema::fields().iter().chain(schema::read_fields());
    let meaning = fields.filter(|field| field.path == key).map(|field| field.meaning.as_str());
    let words = meaning
        .flat_map(|text| text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '-')));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// Every change that is tried by itself.
fn candidates(
    search: &Search<'_>,
    setup: &Setup,
    divergence: &Divergence,
) -> Result<Vec<Candidate>, ReplayError> {
    let recorded = if search.knows_head {
        let reader = super::open(search.path)?;
        let head = reader.head().ok_or(ReplayError::NoHead)?;
        Setup::of(head, search.path, &Asked::default())?.settings()
    } else {
        Vec::new()
    };
    let presets = setup.presets();
    let shift = shift_ns(divergence);
    let mut candidates = Vec::new();
    for (place, setting) in setup.settings().iter().enumerate() {
        let named = presets.iter().flat_map(|(_, settings)| settings).chain(&recorded);
        let named = named.filter(|other| other.key == setting.key).map(|other| &other.value);
        let mut values: Vec<Value> = Vec::new();
        for value in named.cloned().chain(neighbours(setting, shift)) {
            if value != setting.value && !value.is_null() && !values.contains(&value) {
                values.push(value);
            }
        }
        candidates.extend(values.into_iter().map(|value| Candidate {
            distance: distance(&setting.value, &value),
            changes: vec![Change::Set { key: setting.key.clone(), value: written(&value) }],
            place,
        }));
    }
    candidates.extend(presets.iter().map(|(name, _)| Candidate {
        changes: vec![Change::Preset(name)],
        // A whole version is a bigger change than any single value.
        distance: u64::MAX,
        place: 0,
    }));
    Ok(candidates)
}

/// A value as an override writes it.
fn written(value: &Value) -> String {
    match value {
        Value::String(word) => word.clone(),
        other => other.to_string(),
    }
}

/// By how many nanoseconds the expected wake-up is later than the one that came.
fn shift_ns(divergence: &Divergence) -> i128 {
    match (&divergence.expected, &divergence.got) {
        (Some(Event::OutWake { at: expected, .. }), Some(Event::OutWake { at: got, .. })) => {
            i128::from(expected.as_nanos()) - i128::from(got.as_nanos())
        }
        _ => 0,
    }
}

/// Values that a tunable could have instead.
fn neighbours(setting: &Setting, shift_ns: i128) -> Vec<Value> {
    let is_time = setting.key.ends_with("_ms");
    match &setting.value {
        Value::Bool(value) => vec![Value::Bool(!value)],
        Value::String(word) => match word.as_str() {
            "compat" => vec![Value::from("strict")],
            "strict" => vec![Value::from("compat")],
            "One" => vec![Value::from("Two")],
            "Two" => vec![Value::from("One")],
            "off" | "each_save" => ROUND_MS.map(Value::from).to_vec(),
            "unlimited" => ROUND_COUNTS.map(Value::from).to_vec(),
            _ => Vec::new(),
        },
        Value::Number(number) if is_time => {
            let now = number.as_f64().unwrap_or_default();
            times(now, shift_ns)
        }
        Value::Number(number) => counts(number.as_u64().unwrap_or_default()),
        Value::Null | Value::Array(_) | Value::Object(_) => Vec::new(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "differences of wake-ups are far below 2^53 ns")]
fn times(now: f64, shift_ns: i128) -> Vec<Value> {
    let mut values = vec![now / 2.0, now * 2.0, now * 1.5, now + 1.0, now - 1.0];
    if shift_ns != 0 {
        values.push(now + shift_ns as f64 / 1e6);
    }
    values.retain(|value| *value > 0.0);
    let mut values: Vec<_> = values.into_iter().map(Value::from).collect();
    values.extend(ROUND_MS.map(|round| Value::from(f64::from(u32::try_from(round).unwrap_or(0)))));
    values.extend(["off", "each_save"].map(Value::from));
    values
}

fn counts(now: u64) -> Vec<Value> {
    let near = [now + 1, now.saturating_sub(1), now + 2, now.saturating_sub(2), now * 2, now / 2];
    let mut values: Vec<_> = near.into_iter().chain(ROUND_COUNTS).map(Value::from).collect();
    values.push(Value::from("unlimited"));
    values
}

/// How far a value is from the present one, in thousandths of it; a switch is 0 away.
fn distance(from: &Value, to: &Value) -> u64 {
    match (from.as_f64(), to.as_f64()) {
        (Some(from), Some(to)) => relative(from, to),
        (None, None) => 0,
        // From a figure to "unlimited" or "off", or back.
        _ => 1_000_000,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float to integer cast saturates, and the difference is not negative"
)]
fn relative(from: f64, to: f64) -> u64 {
    ((from - to).abs() / from.abs().max(1.0) * 1_000.0) as u64
}

/// The best single changes, each with every other one.
fn pairs(tried: &[Tried], candidates: &[Candidate]) -> Vec<Candidate> {
    let mut pairs = Vec::new();
    for first in tried.iter().take(FIRSTS).map(|tried| &tried.candidate) {
        for second in candidates {
            let same_key = match (&first.changes[0], &second.changes[0]) {
                (Change::Set { key: one, .. }, Change::Set { key: other, .. }) => one == other,
                _ => true,
            };
            if !same_key {
                pairs.push(Candidate {
                    changes: [first.changes.clone(), second.changes.clone()].concat(),
                    distance: first.distance.saturating_add(second.distance),
                    place: first.place,
                });
            }
        }
    }
    pairs
}
