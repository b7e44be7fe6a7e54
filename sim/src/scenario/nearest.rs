//! The nearest valid name to one that is not, units set aside: `duration_s` means `duration_ms`.

/// Unit endings that a field's name may carry, longest first where one ends another.
const UNITS: [&str; 14] = [
    "_per_second",
    "_per_s",
    "_per_minute",
    "_per_min",
    "_hz",
    "_percent",
    "_seconds",
    "_ms",
    "_us",
    "_ns",
    "_min",
    "_s",
    "_bytes",
    "_hex",
];

/// Nobody meant a name with something longer, in bytes.
const WANTED_MOST: usize = 200;

/// The name without its unit.
fn stem(name: &str) -> &str {
    UNITS.iter().find_map(|unit| name.strip_suffix(unit)).unwrap_or(name)
}

/// Whether two names differ in their unit alone.
pub(crate) fn same_but_for_the_unit(one: &str, other: &str) -> bool {
    one != other && stem(one) == stem(other)
}

/// The candidate that a writer of `wanted` most likely meant; `None` when nothing resembles it.
///
/// The same name with another unit wins, then the fewest edits, letter case set aside, as long as
/// fewer than two thirds of the longer name change; of equals the first. Nothing is near to a text
/// of more than 200 bytes.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if wanted.len() > WANTED_MOST {
        return None;
    }
    let wanted = wanted.to_lowercase();
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        if same_but_for_the_unit(&candidate, &wanted) {
            return Some(0);
        }
        let edits = strsim::osa_distance(&candidate, &wanted);
        let longer = candidate.chars().count().max(wanted.chars().count());
        (3 * edits < 2 * longer).then_some(edits + 1)
    };
    candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(candidate)?, candidate)))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_unit_wins_over_fewer_edits() {
        assert_eq!(
            nearest("duration_s", ["duration", "durations", "duration_ms"]),
            Some("duration")
        );
        assert_eq!(nearest("duration_s", ["durations", "duration_ms"]), Some("duration_ms"));
        assert_eq!(nearest("rate_per_minute", ["rates", "rate_per_s"]), Some("rate_per_s"));
    }

    #[test]
    fn fewest_edits_win_and_letter_case_does_not_count() {
        assert_eq!(nearest("arm-1", ["PRE-0", "ARM-1", "KEY-2"]), Some("ARM-1"));
        assert_eq!(nearest("ARM-l", ["PRE-0", "ARM-1", "KEY-2"]), Some("ARM-1"));
    }

    #[test]
    fn nothing_is_nearest_to_what_resembles_nothing() {
        assert_eq!(nearest("zzzzzz", ["title", "seed"]), None);
        assert_eq!(nearest("", []), None);
    }
}
