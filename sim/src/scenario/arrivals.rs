//! Trains of arrivals: from the file's words to instants in nanoseconds.
use firmware_core::time::{Duration, Instant};

use super::check::Check;
use super::error::ScenarioError;
use super::file::floods::ArrivalsFile;
use super::file::units::{Count, Millis};
use super::outline::Step::{self, Field, Item};
use super::{Arrivals, Pattern};

type Window<'a> = (&'a Option<Millis>, &'a Option<Millis>, &'a Option<Count<{ u64::MAX }>>);

/// A train that need not be there.
pub(super) fn optional(
    check: &Check,
    path: &[Step<'_>],
    file: Option<&ArrivalsFile>,
) -> Result<Option<Arrivals>, ScenarioError> {
    file.map(|file| arrivals(check, path, file)).transpose()
}

/// A train, its window and its pattern checked.
pub(super) fn arrivals(
    check: &Check,
    path: &[Step<'_>],
    file: &ArrivalsFile,
) -> Result<Arrivals, ScenarioError> {
    let (pattern, window): (_, Window<'_>) = match file {
        ArrivalsFile::Even { rate_per_s, from_ms, until_ms, count } => {
            let per_kilosecond = rate_per_s.per_kilosecond;
            (Pattern::Even { per_kilosecond }, (from_ms, until_ms, count))
        }
        ArrivalsFile::Poisson { rate_per_s, from_ms, until_ms, count } => {
            let per_kilosecond = rate_per_s.per_kilosecond;
            (Pattern::Poisson { per_kilosecond }, (from_ms, until_ms, count))
        }
        ArrivalsFile::Every { period_ms, from_ms, until_ms, count } => {
            not_zero(check, path, *period_ms)?;
            (Pattern::Every(period_ms.0), (from_ms, until_ms, count))
        }
        ArrivalsFile::Burst { count, from_ms } => {
            let from = from_ms.map_or(Instant::ZERO, Millis::instant);
            let until = from.after(Duration::from_nanos(1)).max(check.end);
            return Ok(Arrivals { pattern: Pattern::Burst, from, until, count: count.get() });
        }
        ArrivalsFile::Recorded { offsets_ms, period_ms, from_ms, until_ms, count } => {
            not_zero(check, path, *period_ms)?;
            offsets(check, path, offsets_ms, *period_ms)?;
            let offsets = offsets_ms.iter().map(|offset| offset.0).collect();
            let pattern = Pattern::Recorded { offsets, period: period_ms.0 };
            (pattern, (from_ms, until_ms, count))
        }
    };
    let (from_ms, until_ms, count) = window;
    let (from, until) = check.window(path, *from_ms, *until_ms)?;
    Ok(Arrivals { pattern, from, until, count: count.map_or(u64::MAX, Count::get) })
}

fn not_zero(check: &Check, path: &[Step<'_>], period: Millis) -> Result<(), ScenarioError> {
    if period.0.is_zero() {
        let path = [path, &[Field("period_ms")]].concat();
        return Err(check.rule(&path, "`period_ms` must be longer than 0 ms"));
    }
    Ok(())
}

fn offsets(
    check: &Check,
    path: &[Step<'_>],
    offsets: &[Millis],
    period: Millis,
) -> Result<(), ScenarioError> {
    let at = |index| [path, &[Field("offsets_ms"), Item(index)]].concat();
    if offsets.is_empty() {
        let path = [path, &[Field("offsets_ms")]].concat();
        return Err(check.rule(&path, "`offsets_ms` must hold at least one offset"));
    }
    for (index, offset) in offsets.iter().enumerate() {
        if offset.0 >= period.0 {
            return Err(check.rule(&at(index), "an offset must lie below `period_ms`"));
        }
        if index > 0 && offset.0 < offsets[index - 1].0 {
            return Err(check.rule(&at(index), "offsets must not descend"));
        }
    }
    Ok(())
}
