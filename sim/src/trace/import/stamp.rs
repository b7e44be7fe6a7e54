//! The stamps of a log line: the host's in front of it, the device's inside.
//!
//! ```text
//!   2026-07-21 20:03:11.123 I (1000) wg: …     date and time         20:03:11.123 -> I (1000) …
//!   [1784664191.123] I (1000) wg: …            seconds               20:03:11.123 > I (1000) …
//!   I (1000) wg: …      ms since boot          I (20:03:11.123) …    the device's own time of day
//! ```
use super::template::whole;

const SECOND: u64 = 1_000_000_000;
const DAY: u64 = 86_400 * SECOND;

/// A host's stamp in front of a line, and what follows it.
///
/// Nanoseconds since 1970 when there is a date, since midnight when there is only a time, and as
/// written when it is a number of seconds.
pub(super) fn host(text: &[u8]) -> Option<(u64, &[u8])> {
    let bracketed = text.strip_prefix(b"[");
    let inner = bracketed.unwrap_or(text).trim_ascii_start();
    if !inner.first()?.is_ascii_digit() {
        return None;
    }
    let (stamp, rest) = date_and_time(inner).or_else(|| seconds(inner))?;
    let rest = match bracketed {
        Some(_) => rest.strip_prefix(b"]")?,
        None => rest,
    };
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"->").or_else(|| rest.strip_prefix(b">")).unwrap_or(rest);
    Some((stamp, rest.trim_ascii_start()))
}

fn date_and_time(text: &[u8]) -> Option<(u64, &[u8])> {
    let (date, rest) = match date(text) {
        Some((days, rest)) => {
            let rest = rest.strip_prefix(b"T").or_else(|| rest.strip_prefix(b" "))?;
            (days.checked_mul(DAY)?, rest)
        }
        None => (0, text),
    };
    let (time, rest) = time_of_day(rest)?;
    Some((date.checked_add(time)?, rest.strip_prefix(b"Z").unwrap_or(rest)))
}

/// `2026-07-21` as days since 1970.
fn date(text: &[u8]) -> Option<(u64, &[u8])> {
    let (year, rest) = digits(text, 4)?;
    let (month, rest) = digits(rest.strip_prefix(b"-")?, 2)?;
    let (day, rest) = digits(rest.strip_prefix(b"-")?, 2)?;
    if year < 1970 || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years are counted from March on, so that the leap day is the last one of a year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day - 1;
    Some((days - 719_468, rest))
}

/// `20:03:11.123` as nanoseconds since midnight; a comma may stand for the point.
pub(super) fn time_of_day(text: &[u8]) -> Option<(u64, &[u8])> {
    let (hour, rest) = digits(text, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(b":")?, 2)?;
    let (second, rest) = digits(rest.strip_prefix(b":")?, 2)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (nanos, rest) = fraction(rest);
    Some(((hour * 3_600 + minute * 60 + second) * SECOND + nanos, rest))
}

/// `1784664191.123` as nanoseconds; without a fraction it is no stamp but any number.
fn seconds(text: &[u8]) -> Option<(u64, &[u8])> {
    let (seconds, rest) = whole(text)?;
    if !rest.starts_with(b".") {
        return None;
    }
    let (nanos, rest) = fraction(rest);
    Some((seconds.checked_mul(SECOND)?.checked_add(nanos)?, rest))
}

fn fraction(text: &[u8]) -> (u64, &[u8]) {
    let Some(rest) = text.strip_prefix(b".").or_else(|| text.strip_prefix(b",")) else {
        return (0, text);
    };
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut place = SECOND;
    let mut nanos = 0;
    for byte in &rest[..length] {
        place /= 10;
        nanos += u64::from(byte - b'0') * place;
    }
    (nanos, &rest[length..])
}

fn digits(text: &[u8], count: usize) -> Option<(u64, &[u8])> {
    let (number, rest) = text.split_at_checked(count)?;
    let (number, left) = whole(number)?;
    left.is_empty().then_some((number, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_host(text: &str, nanos: u64) {
        assert_eq!(host(text.as_bytes()), Some((nanos, &b"I (1000) wg: x"[..])), "{text}");
    }

    #[test]
    fn every_usual_stamp_of_a_host_is_read() {
        let time = (20 * 3_600 + 3 * 60 + 11) * SECOND + 123_000_000;
        // 20 655 days from 1970-01-01 to 2026-07-21: 56 years, 14 leap days, 201 days.
        let date = (56 * 365 + 14 + 201) * DAY;
        assert_host("2026-07-21 20:03:11.123 I (1000) wg: x", date + time);
        assert_host("2026-07-21T20:03:11.123Z I (1000) wg: x", date + time);
        assert_host("2026-07-21T20:03:11,123 I (1000) wg: x", date + time);
        assert_host("[2026-07-21 20:03:11.123] I (1000) wg: x", date + time);
        assert_host("20:03:11.123 -> I (1000) wg: x", time);
        assert_host("20:03:11.123 > I (1000) wg: x", time);
        assert_host("20:03:11 I (1000) wg: x", time - 123_000_000);
        assert_host("[   12.345] I (1000) wg: x", 12 * SECOND + 345_000_000);
        assert_host("1784664191.123456 I (1000) wg: x", 1_784_664_191 * SECOND + 123_456_000);
    }

    #[test]
    fn a_leap_day_has_its_number() {
        let days = |text: &str| date(text.as_bytes()).map(|(days, _)| days);
        assert_eq!(days("1970-01-01"), Some(0));
        assert_eq!(days("2024-02-29"), Some(19_782));
        assert_eq!(days("2024-03-01"), Some(19_783));
        assert_eq!(days("2024-13-01"), None);
    }

    #[test]
    fn a_line_without_a_stamp_has_none() {
        for text in ["I (1000) wg: x", "", "[", "90) wg: rx", "6 peer 7", "25:00:00 x", "[12.5 I"] {
            assert_eq!(host(text.as_bytes()), None, "{text}");
        }
    }
}
