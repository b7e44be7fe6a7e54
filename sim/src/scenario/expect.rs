//! The expect block: a figure with its tolerance, or bounds, becomes a range with who says so.
use super::check::Check;
use super::error::{Problem, ScenarioError};
use super::file::expect::{ExpectFile, MeasuredFile};
use super::outline::Step::{Field, Item};
use super::{Expectation, Measured, cites};
use crate::report::metrics::Metric;

/// Every expectation of a file.
pub(super) fn expectations(
    check: &Check,
    files: &[ExpectFile],
) -> Result<Vec<Expectation>, ScenarioError> {
    files.iter().enumerate().map(|(index, file)| expectation(check, index, file)).collect()
}

fn expectation(
    check: &Check,
    index: usize,
    file: &ExpectFile,
) -> Result<Expectation, ScenarioError> {
    let at = |field| [Field("expect"), Item(index), Field(field)];
    if Metric::parse(&file.metric).is_none() {
        let names: Vec<_> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        return Err(check.unknown(&at("metric"), "metric", &file.metric, &names));
    }
    cites::check(&file.cites).map_err(|unknown| {
        let next = "`preflash explain` lists every clause; others are cited as `case 02`, \
                    `facts g2` or `claim 7`";
        let problem = Problem::UnknownName { what: "clause", name: unknown.wanted };
        check.error(&at("cites"), problem, next).with_nearest(Some(unknown.nearest))
    })?;
    let (least, most) = range(file).map_err(|(field, reason)| check.rule(&at(field), reason))?;
    Ok(Expectation {
        metric: file.metric.clone(),
        least,
        most,
        measured: file.measured.as_ref().map(|file| measured(check, index, file)).transpose()?,
        cites: file.cites.clone(),
        line: check.line(&at("metric")),
    })
}

/// A measurement whose figures ascend.
fn measured(check: &Check, index: usize, file: &MeasuredFile) -> Result<Measured, ScenarioError> {
    let median = file.median;
    let (least, most) = (file.least.unwrap_or(median), file.most.unwrap_or(median));
    let ascends = least <= median && median <= most && least.is_finite() && most.is_finite();
    if !ascends {
        let path = [Field("expect"), Item(index), Field("measured"), Field("median")];
        return Err(check.rule(&path, "give finite figures with least <= median <= most"));
    }
    Ok(Measured { median, least, most, runs: file.runs.map(super::file::units::Count::get) })
}

/// The range that is right; otherwise the field at fault and the reason.
fn range(file: &ExpectFile) -> Result<(f64, f64), (&'static str, &'static str)> {
    let figures = [
        ("value", file.value),
        ("tolerance_percent", file.tolerance_percent),
        ("tolerance", file.tolerance),
        ("at_least", file.at_least),
        ("at_most", file.at_most),
    ];
    for (field, figure) in figures {
        if figure.is_some_and(|figure| !figure.is_finite()) {
            return Err((field, "a figure must be finite"));
        }
        if field.starts_with("tolerance") && figure.is_some_and(|figure| figure < 0.0) {
            return Err((field, "a tolerance cannot be negative"));
        }
    }
    match (file.value, file.at_least, file.at_most) {
        (Some(_), Some(_), _) => Err(("at_least", "give a value or bounds, not both")),
        (Some(_), _, Some(_)) => Err(("at_most", "give a value or bounds, not both")),
        (None, None, None) => {
            Err(("metric", "nothing is expected: give `value`, `at_least` or `at_most`"))
        }
        (None, Some(least), Some(most)) if least > most => {
            Err(("at_most", "`at_most` lies below `at_least`"))
        }
        (None, least, most) => match (file.tolerance_percent, file.tolerance) {
            (None, None) => Ok((least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY))),
            (Some(_), _) => Err(("tolerance_percent", "a tolerance belongs to a `value`")),
            (None, Some(_)) => Err(("tolerance", "a tolerance belongs to a `value`")),
        },
        (Some(value), None, None) => {
            let off = match (file.tolerance_percent, file.tolerance) {
                (Some(_), Some(_)) => return Err(("tolerance", "give one tolerance, not two")),
                (Some(percent), None) => value.abs() * percent / 100.0,
                (None, tolerance) => tolerance.unwrap_or(0.0),
            };
            Ok((value - off, value + off))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> ExpectFile {
        ExpectFile {
            metric: "disco_shed".to_owned(),
            value: None,
            tolerance_percent: None,
            tolerance: None,
            at_least: None,
            at_most: None,
            measured: None,
            cites: "case 02".to_owned(),
        }
    }

    #[test]
    fn a_value_has_a_range_around_it() {
        let percent = ExpectFile { value: Some(200.0), tolerance_percent: Some(1.0), ..file() };
        assert_eq!(range(&percent), Ok((198.0, 202.0)));
        let absolute = ExpectFile { value: Some(-4.0), tolerance: Some(0.5), ..file() };
        assert_eq!(range(&absolute), Ok((-4.5, -3.5)));
        let exact = ExpectFile { value: Some(0.0), ..file() };
        assert_eq!(range(&exact), Ok((0.0, 0.0)));
    }

    #[test]
    fn bounds_may_be_open_at_one_end() {
        assert_eq!(
            range(&ExpectFile { at_most: Some(3.0), ..file() }),
            Ok((f64::NEG_INFINITY, 3.0))
        );
        assert_eq!(range(&ExpectFile { at_least: Some(3.0), ..file() }), Ok((3.0, f64::INFINITY)));
    }

    #[test]
    fn what_expects_nothing_or_two_things_is_refused() {
        let field = |file: ExpectFile| range(&file).unwrap_err().0;
        assert_eq!(field(file()), "metric");
        assert_eq!(field(ExpectFile { value: Some(1.0), at_most: Some(2.0), ..file() }), "at_most");
        assert_eq!(
            field(ExpectFile { at_least: Some(2.0), at_most: Some(1.0), ..file() }),
            "at_most"
        );
        assert_eq!(
            field(ExpectFile { at_most: Some(1.0), tolerance: Some(1.0), ..file() }),
            "tolerance"
        );
        assert_eq!(field(ExpectFile { value: Some(f64::NAN), ..file() }), "value");
    }
}
