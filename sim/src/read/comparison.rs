//! Two scenarios side by side: by how much the second page is faster or slower, as the model
//! predicts it and as it was measured, and whether that many runs can tell.
//!
//! ```text
//!   both fetched with the same seeds ─► predicted difference, interval over the seeds
//!   `measured` of both page times    ─► measured difference, interval over its runs ─► verdict
//!                                                      └─► runs of each that would decide it
//! ```
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::difference::{self, Difference, Runs, interval};
use super::fetch::{Fetch, FetchError};
use super::world::fetch;
use crate::report::metrics::Metric;
use crate::scenario::m3_read::ReadScenario;

/// One of the two scenarios.
#[derive(Clone, Debug, PartialEq)]
pub struct Side {
    /// Its title.
    pub title: String,
    /// Its page time over the seeds, in seconds.
    pub mean_s: f64,
    /// Its measured page times, where the file has them with their spread and number.
    pub measured: Option<Runs>,
}

/// Both, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The first.
    pub first: Side,
    /// The second.
    pub second: Side,
    /// How many seeds both were fetched with.
    pub seeds: usize,
    /// The second less the first as the model has it; nothing for fewer than two seeds.
    pub predicted: Option<Difference>,
    /// The same as it was measured; nothing where one of them was not.
    pub measured: Option<Difference>,
    /// Where the predicted difference would be seen by as many runs as were measured, scattering as
    /// they did.
    pub expected: Option<Difference>,
    /// Runs of each after which the predicted difference would be seen in four cases of five.
    pub runs_needed: Option<f64>,
    /// Whether it was stopped before its last seed.
    pub partial: bool,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Only one of the two was measured, or neither: there is a prediction and nothing to judge it.
    Unmeasured,
    /// The measured interval holds 0: the runs cannot tell the two apart. It holds the prediction
    /// too.
    Undecided,
    /// The measured interval leaves 0 out and holds the prediction.
    Confirmed,
    /// The measured interval leaves the prediction out.
    Contradicted,
}

/// Why two scenarios cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// One of them cannot be carried out.
    #[error("`{0}`: {1}")]
    Fetch(String, FetchError),
    /// One of them does not bring its page.
    #[error("`{0}`: the page does not arrive whole, so it has no page time")]
    NotWhole(String),
    /// One of them draws many fetches.
    #[error("`{0}` is a search: it has no page time")]
    Search(String),
}

impl Verdict {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unmeasured => "unmeasured",
            Self::Undecided => "undecided",
            Self::Confirmed => "confirmed",
            Self::Contradicted => "contradicted",
        }
    }

    const fn meaning(self) -> &'static str {
        match self {
            Self::Unmeasured => "one of the two has no measured page time with its spread",
            Self::Undecided => "the measured interval holds 0, and the prediction too",
            Self::Confirmed => "the measured interval leaves 0 out and holds the prediction",
            Self::Contradicted => "the measured interval leaves the prediction out",
        }
    }
}

/// Compares two scenarios over seeds from 1 on. After each seed `goes_on` is asked whether to.
///
/// # Errors
/// [`CompareError`] when one of them has no page time.
pub fn compare(
    first: &ReadScenario,
    second: &ReadScenario,
    seeds: u64,
    goes_on: &mut dyn FnMut(u64) -> bool,
) -> Result<Comparison, CompareError> {
    let (mut times, mut differences) = ([0.0; 2], Vec::new());
    let mut partial = false;
    for seed in 1..=seeds {
        let both = [page_s(first, seed)?, page_s(second, seed)?];
        times = [times[0] + both[0], times[1] + both[1]];
        differences.push(both[1] - both[0]);
        if seed < seeds && !goes_on(seed) {
            partial = true;
            break;
        }
    }
    let side = |scenario: &ReadScenario, sum: f64| Side {
        title: scenario.title.clone(),
        mean_s: sum / f64::from(u32::try_from(differences.len()).unwrap_or(u32::MAX)),
        measured: runs(scenario),
    };
    let (first, second) = (side(first, times[0]), side(second, times[1]));
    let both = first.measured.zip(second.measured);
    let measured = both.and_then(|(first, second)| difference::published(first, second));
    let predicted = interval(&differences);
    let wide = |(predicted, measured): (Difference, Difference)| {
        let half_width_s = measured.half_width_s.hypot(predicted.half_width_s);
        Difference { half_width_s, ..predicted }
    };
    Ok(Comparison {
        expected: predicted.zip(measured).map(wide),
        runs_needed: both.zip(predicted).and_then(|((first, second), predicted)| {
            difference::runs_needed(first, second, predicted.mean_s)
        }),
        measured,
        seeds: differences.len(),
        first,
        second,
        predicted,
        partial,
    })
}

#[expect(clippy::cast_precision_loss, reason = "a page takes far less than 2^53 ns")]
fn page_s(scenario: &ReadScenario, seed: u64) -> Result<f64, CompareError> {
    let title = || scenario.title.clone();
    if scenario.search_draws.is_some() {
        return Err(CompareError::Search(title()));
    }
    let what = Fetch { seed, ..scenario.fetch.clone() };
    let outcome =
        fetch(&what, &mut |_| true).map_err(|error| CompareError::Fetch(title(), error))?;
    if outcome.is_whole() {
        Ok(outcome.page.as_nanos() as f64 / 1e9)
    } else {
        Err(CompareError::NotWhole(title()))
    }
}

/// The measured page times of a scenario: those of its expectation of `page_s`.
fn runs(scenario: &ReadScenario) -> Option<Runs> {
    let page = scenario.expect.iter().find(|one| one.metric == Metric::PageSeconds.name())?;
    let measured = page.measured.filter(|measured| measured.least < measured.most)?;
    let runs = Runs {
        count: u8::try_from(measured.runs?).ok()?,
        median_s: measured.median,
        least_s: measured.least,
        most_s: measured.most,
    };
    runs.deviation_s().map(|_| runs)
}

impl Comparison {
    /// What it says.
    pub fn verdict(&self) -> Verdict {
        match (self.measured, self.predicted) {
            (None, _) => Verdict::Unmeasured,
            (Some(measured), Some(predicted)) if !measured.contains(predicted.mean_s) => {
                Verdict::Contradicted
            }
            (Some(measured), _) if measured.is_decided() => Verdict::Confirmed,
            (Some(_), _) => Verdict::Undecided,
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |name: &str, text: String| {
            out.write_fmt(format_args!("{name:<11}{text}\n"))
                .expect("a string takes whatever is written to it");
        };
        if self.partial {
            line("PARTIAL", "interrupted before its last seed".to_owned());
        }
        for (name, side) in [("first", &self.first), ("second", &self.second)] {
            line(name, side.title.clone());
            line("", format!("predicted {:.3} s, mean of {} seeds", side.mean_s, self.seeds));
            if let Some(Runs { count, median_s, least_s, most_s }) = side.measured {
                let spread = format!("{least_s:.2} to {most_s:.2}");
                line("", format!("measured  {median_s:.2} s, {spread}, n = {count}"));
            }
        }
        line("", "second less first, intervals of 95 %:".to_owned());
        if let Some(predicted) = self.predicted {
            line("predicted", format!("{predicted} s, over the model's own chance only"));
        }
        if let Some(expected) = self.expected {
            let runs = "of as many runs as were measured, scattering as they did";
            line("expected", format!("{expected} s, {runs}"));
        }
        if let Some(measured) = self.measured {
            line("measured", format!("{measured} s, deviations estimated from least and most"));
        }
        let verdict = self.verdict();
        line("verdict", format!("{}: {}", verdict.name(), verdict.meaning()));
        if let Some(needed) = self.runs_needed {
            line(
                "needed",
                format!("{needed:.0} runs of each see the predicted difference, 4 in 5"),
            );
        }
        out
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let difference = |one: Option<Difference>| {
            one.map(|one| json!({ "mean_s": one.mean_s, "half_width_s": one.half_width_s }))
        };
        let side = |side: &Side| {
            let measured = side.measured.map(|runs| {
                json!({
                    "median_s": runs.median_s,
                    "least_s": runs.least_s,
                    "most_s": runs.most_s,
                    "runs": runs.count,
                })
            });
            json!({ "title": side.title, "predicted_s": side.mean_s, "measured": measured })
        };
        json!({
            "version": 1,
            "first": side(&self.first),
            "second": side(&self.second),
            "seeds": self.seeds,
            "predicted": difference(self.predicted),
            "expected": difference(self.expected),
            "measured": difference(self.measured),
            "verdict": self.verdict().name(),
            "runs_needed": self.runs_needed,
            "partial": self.partial,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(measured: Option<(u8, f64, f64, f64)>) -> Side {
        let measured = measured.map(|(count, median_s, least_s, most_s)| Runs {
            count,
            median_s,
            least_s,
            most_s,
        });
        Side { title: "a page".to_owned(), mean_s: 19.0, measured }
    }

    fn comparison(predicted_s: f64, measured: Option<(f64, f64)>) -> Comparison {
        let difference = |(mean_s, half_width_s)| Difference { mean_s, half_width_s };
        Comparison {
            first: side(None),
            second: side(Some((5, 18.98, 17.83, 20.0))),
            seeds: 8,
            predicted: Some(difference((predicted_s, 0.01))),
            measured: measured.map(difference),
            expected: None,
            runs_needed: None,
            partial: false,
        }
    }

    #[test]
    fn a_verdict_follows_from_the_measured_interval() {
        for (predicted, measured, verdict) in [
            (-0.7, None, Verdict::Unmeasured),
            (-0.7, Some((0.01, 1.68)), Verdict::Undecided),
            (-0.7, Some((-0.9, 0.5)), Verdict::Confirmed),
            (-0.7, Some((0.5, 0.2)), Verdict::Contradicted),
            (-0.7, Some((0.1, 0.2)), Verdict::Contradicted),
        ] {
            assert_eq!(comparison(predicted, measured).verdict(), verdict, "{measured:?}");
        }
    }

    #[test]
    fn both_renderings_name_the_verdict() {
        let one = comparison(-0.7, Some((0.01, 1.68)));
        let text = one.text();
        for part in ["predicted  -0.7000 ± 0.0100 s", "measured   +0.0100 ± 1.6800 s", "undecided:"]
        {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        assert_eq!(one.json()["verdict"], "undecided");
        assert_eq!(one.json()["second"]["measured"]["runs"], 5);
    }
}
