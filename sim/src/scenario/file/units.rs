//! Quantities as a scenario writes them: decimal figures whose unit stands in the field's name, and
//! the words that stand for "no limit" or "never".
//!
//! Each type takes its figure as text, exactly as written, so an error can quote it and a time
//! becomes whole nanoseconds without a detour. A figure out of its range never leaves this module.
use std::borrow::Cow;

use firmware_core::time::{Duration, Instant};
use ron::value::RawValue;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest time that a file may name: 365 days in milliseconds.
pub const MILLIS_MOST: u64 = 365 * 24 * 3_600 * 1_000;
/// The fastest train of arrivals, per second.
pub const PER_SECOND_MOST: u64 = 1_000_000;

/// A time in milliseconds, decimals allowed, kept as whole nanoseconds; at most 365 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Millis(pub Duration);

/// A rate in arrivals per second, kept in thousandths; above 0, at most a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerSecond {
    /// Arrivals in a thousand seconds.
    pub per_kilosecond: u64,
}

/// A share in percent from 0 to 100, kept in thousandths of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Percent {
    /// Thousandths of a percent: 100 000 are the whole.
    pub thousandths: u64,
}

/// A whole number from 0 to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count<const MOST: u64>(u64);

/// A count per pass, second or tick, or the word `unlimited`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit(pub Option<u16>);

/// A time in milliseconds, or the word `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MillisOrOff(pub Option<Duration>);

/// A time in milliseconds, or the word `each_save`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MillisOrEachSave(pub Option<Duration>);

/// A time in milliseconds, or the word `exact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MillisOrExact(pub Option<Duration>);

/// Six bytes in hexadecimal, blanks between them allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SixBytes(pub [u8; 6]);

impl Millis {
    /// The instant this long after switching on.
    pub const fn instant(self) -> Instant {
        Instant::ZERO.after(self.0)
    }
}

impl<const MOST: u64> Count<MOST> {
    /// This number.
    ///
    /// # Panics
    /// When it is above `MOST`.
    pub const fn new(number: u64) -> Self {
        assert!(number <= MOST);
        Self(number)
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number, where `MOST` fits 16 bits.
    ///
    /// # Panics
    /// When it does not fit, which `MOST` rules out.
    pub fn to_u16(self) -> u16 {
        u16::try_from(self.0).expect("used where MOST fits 16 bits")
    }

    /// The number, where `MOST` fits 8 bits.
    ///
    /// # Panics
    /// When it does not fit, which `MOST` rules out.
    pub fn to_u8(self) -> u8 {
        u8::try_from(self.0).expect("used where MOST fits 8 bits")
    }
}

/// Decimal places that matter: a figure is cut behind them.
const PLACES_MOST: usize = 24;

/// A decimal figure as written, in steps of `10^-places` of its unit, rounded to the nearest.
///
/// # Errors
/// A sentence that quotes the figure and says what it should be.
fn decimal(written: &str, unit: &str, places: u32, most: u64) -> Result<u64, String> {
    let refused = |why: &str| Err(format!("`{written}` {why}; it must lie in 0..={most} {unit}"));
    let Some((is_negative, steps)) = steps(written, places) else {
        return refused("is not a decimal number");
    };
    let most_steps = u128::from(most) * 10_u128.pow(places);
    match steps {
        Some(0) => Ok(0),
        _ if is_negative => refused("is negative"),
        Some(steps) if steps <= most_steps => {
            Ok(u64::try_from(steps).expect("every range of this module fits 64 bits"))
        }
        _ => refused("is too large"),
    }
}

/// Sign and size of a decimal number in steps of `10^-places`; no size when it is beyond all
/// ranges, nothing when it is no decimal number.
fn steps(written: &str, places: u32) -> Option<(bool, Option<u128>)> {
    let plain = written.replace('_', "");
    let (is_negative, unsigned) = match plain.strip_prefix(['-', '+']) {
        Some(rest) => (plain.starts_with('-'), rest),
        None => (false, plain.as_str()),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|sign| sign.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(PLACES_MOST)];
    let digits = format!("{whole}{fraction}");
    let Ok(number) = format!("0{}", digits.trim_start_matches('0')).parse::<u128>() else {
        return Some((is_negative, None));
    };
    let shift = i64::from(exponent) + i64::from(places) - i64::try_from(fraction.len()).ok()?;
    let power = u32::try_from(shift.unsigned_abs()).ok().and_then(|by| 10_u128.checked_pow(by));
    let size = match (shift < 0, power) {
        _ if number == 0 => Some(0),
        (false, power) => power.and_then(|power| number.checked_mul(power)),
        (true, Some(power)) => Some(number / power + u128::from(number % power >= power / 2)),
        (true, None) => Some(0),
    };
    Some((is_negative, size))
}

fn millis(written: &str) -> Result<Duration, String> {
    decimal(written, "ms", 6, MILLIS_MOST).map(Duration::from_nanos)
}

fn whole(written: &str, most: u64) -> Result<u64, String> {
    let plain: String = written.chars().filter(|sign| *sign != '_').collect();
    let range = format!("it must be a whole number in 0..={most}");
    if plain.starts_with('-') {
        return Err(format!("`{written}` is negative; {range}"));
    }
    let digits = !plain.is_empty() && plain.bytes().all(|digit| digit.is_ascii_digit());
    match plain.parse::<u64>() {
        Ok(number) if number <= most => Ok(number),
        _ if digits => Err(format!("`{written}` is too large; {range}")),
        _ => Err(format!("`{written}` is not a whole number; {range}")),
    }
}

fn short(written: &str) -> Result<u16, String> {
    whole(written, u16::MAX.into())
        .map(|number| u16::try_from(number).expect("`whole` keeps to its range"))
}

/// A figure, or a word that stands for its absence.
fn figure_or<T>(
    written: &str,
    word: &str,
    figure: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, String> {
    if written.trim_matches('"') == word {
        return Ok(None);
    }
    figure(written).map(Some).map_err(|reason| format!("{reason}, or the word `{word}`"))
}

fn six_bytes(written: &str) -> Result<[u8; 6], String> {
    let digits: String = written.chars().filter(|sign| !matches!(sign, '"' | ' ')).collect();
    let mut bytes = [0; 6];
    let pairs = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| !pair.starts_with('+'))?;
        u8::from_str_radix(pair, 16).ok()
    });
    let all: Option<Vec<u8>> = pairs.collect();
    match all {
        Some(found) if found.len() == bytes.len() && digits.len() == 2 * bytes.len() => {
            bytes.copy_from_slice(&found);
            Ok(bytes)
        }
        _ => {
            Err(format!("{written} is not six bytes in hexadecimal, such as \"54 53 f0 9f 92 ac\""))
        }
    }
}

fn in_millis(span: Duration) -> f64 {
    as_float(span.as_nanos()) / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "for descriptions; what is read is exact")]
fn as_float(number: u64) -> f64 {
    number as f64
}

/// How a type of this module is read, written and described.
trait Quantity: Sized {
    /// From the figure or word as written; the error says what it should have been.
    fn read(written: &str) -> Result<Self, String>;
    /// To a figure or word.
    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error>;
    /// The figures and words that are valid.
    fn schema() -> Schema;
}

macro_rules! serde_by_quantity {
    ([$($generic:tt)*] $type:ty) => {
        impl<'de, $($generic)*> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let raw = <&RawValue>::deserialize(deserializer)?;
                Self::read(raw.trim().get_ron()).map_err(D::Error::custom)
            }
        }

        impl<$($generic)*> Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                self.write(serializer)
            }
        }

        impl<$($generic)*> JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                Self::schema()
            }
        }
    };
}

serde_by_quantity!([] Millis);
serde_by_quantity!([] PerSecond);
serde_by_quantity!([] Percent);
serde_by_quantity!([const MOST: u64] Count<MOST>);
serde_by_quantity!([] Limit);
serde_by_quantity!([] MillisOrOff);
serde_by_quantity!([] MillisOrEachSave);
serde_by_quantity!([] MillisOrExact);
serde_by_quantity!([] SixBytes);

impl Quantity for Millis {
    fn read(written: &str) -> Result<Self, String> {
        millis(written).map(Self)
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(in_millis(self.0))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": MILLIS_MOST })
    }
}

impl Quantity for PerSecond {
    fn read(written: &str) -> Result<Self, String> {
        match decimal(written, "per second", 3, PER_SECOND_MOST)? {
            0 => Err(format!("`{written}` is no rate; the least is 0.001 per second")),
            per_kilosecond => Ok(Self { per_kilosecond }),
        }
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(as_float(self.per_kilosecond) / 1e3)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0.001, "maximum": PER_SECOND_MOST })
    }
}

impl Quantity for Percent {
    fn read(written: &str) -> Result<Self, String> {
        decimal(written, "%", 3, 100).map(|thousandths| Self { thousandths })
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(as_float(self.thousandths) / 1e3)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "number", "minimum": 0, "maximum": 100 })
    }
}

impl<const MOST: u64> Quantity for Count<MOST> {
    fn read(written: &str) -> Result<Self, String> {
        whole(written, MOST).map(Self)
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(self.0)
    }

    fn schema() -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": MOST })
    }
}

impl Quantity for Limit {
    fn read(written: &str) -> Result<Self, String> {
        figure_or(written, "unlimited", short).map(Self)
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(number) => to.serialize_u16(number),
            None => to.serialize_str("unlimited"),
        }
    }

    fn schema() -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "integer", "minimum": 0, "maximum": u16::MAX },
                { "const": "unlimited" },
            ]
        })
    }
}

/// A time with a word for its absence.
macro_rules! millis_or {
    ($type:ty, $word:literal) => {
        impl Quantity for $type {
            fn read(written: &str) -> Result<Self, String> {
                figure_or(written, $word, millis).map(Self)
            }

            fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    Some(span) => to.serialize_f64(in_millis(span)),
                    None => to.serialize_str($word),
                }
            }

            fn schema() -> Schema {
                json_schema!({
                    "anyOf": [
                        { "type": "number", "minimum": 0, "maximum": MILLIS_MOST },
                        { "const": $word },
                    ]
                })
            }
        }
    };
}

millis_or!(MillisOrOff, "off");
millis_or!(MillisOrEachSave, "each_save");
millis_or!(MillisOrExact, "exact");

impl Quantity for SixBytes {
    fn read(written: &str) -> Result<Self, String> {
        six_bytes(written).map(Self)
    }

    fn write<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0.map(|byte| format!("{byte:02x}")).join(" "))
    }

    fn schema() -> Schema {
        json_schema!({ "type": "string", "pattern": "^([0-9a-fA-F]{2} ?){6}$" })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_time_in_milliseconds_becomes_exact_nanoseconds() {
        for (written, nanos) in [
            ("28.3", 28_300_000),
            ("11.3", 11_300_000),
            ("0.005", 5_000),
            ("1.6667", 1_666_700),
            ("+1_000", 1_000_000_000),
            (".5", 500_000),
            ("5.", 5_000_000),
            ("1e3", 1_000_000_000),
            ("25E-4", 2_500),
            ("0.0000004", 0),
            ("0.0000005", 1),
            ("-0.0", 0),
            ("31536000000", 31_536_000_000_000_000),
            ("0e999999999", 0),
        ] {
            assert_eq!(millis(written), Ok(Duration::from_nanos(nanos)), "{written}");
        }
    }

    #[test]
    fn figures_that_are_none_negative_or_too_large_are_told_apart() {
        for (written, why) in [
            ("NaN", "is not a decimal number"),
            ("inf", "is not a decimal number"),
            ("0x10", "is not a decimal number"),
            ("1.2.3", "is not a decimal number"),
            (".", "is not a decimal number"),
            ("", "is not a decimal number"),
            ("--1", "is not a decimal number"),
            ("-0.001", "is negative"),
            ("-1e300", "is negative"),
            ("31536000000.000001", "is too large"),
            ("1e300", "is too large"),
            ("999999999999999999999999999999999999999999", "is too large"),
        ] {
            let reason = millis(written).unwrap_err();
            assert!(reason.starts_with(&format!("`{written}` {why};")), "{reason}");
        }
    }

    #[test]
    fn words_stand_for_the_absence_of_a_figure_with_or_without_quotes() {
        assert_eq!(Limit::read("unlimited"), Ok(Limit(None)));
        assert_eq!(Limit::read("\"unlimited\""), Ok(Limit(None)));
        assert_eq!(Limit::read("0"), Ok(Limit(Some(0))));
        let reason = "`4.5` is not a whole number; it must be a whole number in 0..=65535, \
                      or the word `unlimited`";
        assert_eq!(Limit::read("4.5"), Err(reason.to_owned()));
        assert_eq!(MillisOrOff::read("off"), Ok(MillisOrOff(None)));
    }

    #[test]
    fn six_bytes_are_read_with_and_without_blanks() {
        let bytes = SixBytes([0x54, 0x53, 0xf0, 0x9f, 0x92, 0xac]);
        assert_eq!(SixBytes::read("\"5453F09F92AC\""), Ok(bytes));
        assert_eq!(SixBytes::read("\"54 53 f0 9f 92 ac\""), Ok(bytes));
        assert!(SixBytes::read("\"54 53 f0 9f 92\"").is_err());
        assert!(SixBytes::read("\"54 53 f0 9f 92 a\"").is_err());
        assert!(SixBytes::read("\"+4 53 f0 9f 92 ac\"").is_err());
    }

    proptest! {
        #[test]
        fn every_whole_nanosecond_survives_being_written_as_milliseconds(
            nanos in 0..=MILLIS_MOST * 1_000_000,
        ) {
            let written = format!("{}.{:06}", nanos / 1_000_000, nanos % 1_000_000);
            prop_assert_eq!(millis(&written), Ok(Duration::from_nanos(nanos)));
        }

        #[test]
        fn any_text_is_a_quantity_or_an_error(text in r"[-+0-9eE._a-z]{0,50}") {
            let _ = (millis(&text), whole(&text, 7), six_bytes(&text), Limit::read(&text));
        }
    }
}
