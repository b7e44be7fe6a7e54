//! The two figures that cannot be counted or measured by themselves, found from page times: what
//! the stopwatch saw besides the fetch, and what the consumer does with each byte.
//!
//! ```text
//!   page time = everything else + besides + bytes × consume / clock
//!                                 └── on one page both are the same in every arm: only their sum shows
//! ```
//!
//! So one page leaves a line of pairs, each as good as the other, and a second figure is needed
//! from elsewhere: a second page, or a count. What each choice predicts of pages it has not seen is
//! the blind test.
use super::fetch::{Fetch, FetchError};
use super::parameters::Parameters;
use super::world::fetch;

/// A page time that was measured, and the fetch that should take as long.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The fetch.
    pub fetch: Fetch,
    /// Seconds.
    pub seconds: f64,
}

/// How far the prediction of a page time is off, as a share of what was measured.
///
/// # Errors
/// As [`fetch`].
pub fn off(seen: &Seen, besides_ms: u64, consume: u64) -> Result<f64, FetchError> {
    Ok(seconds(&seen.fetch, besides_ms, consume)? / seen.seconds - 1.0)
}

/// `besides_ms` that brings the page times nearest to these, with `consume` cycles a byte: by least
/// squares of what they are off by, each as a share of its own time. 0 where none would.
///
/// # Errors
/// As [`fetch`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is rounded and ≥ 0"
)]
pub fn besides_ms(seen: &[Seen], consume: u64) -> Result<u64, FetchError> {
    let (mut missing, mut weights) = (0.0, 0.0);
    for one in seen {
        let weight = one.seconds.powi(-2);
        missing += weight * (one.seconds - seconds(&one.fetch, 0, consume)?);
        weights += weight;
    }
    Ok(if weights > 0.0 { (missing / weights * 1e3).round().max(0.0) as u64 } else { 0 })
}

#[expect(clippy::cast_precision_loss, reason = "a page takes far less than 2^53 ns")]
fn seconds(what: &Fetch, besides_ms: u64, consume: u64) -> Result<f64, FetchError> {
    let parameters = Parameters { besides_ms, consume_cycles_per_byte: consume, ..what.parameters };
    let outcome = fetch(&Fetch { parameters, ..what.clone() }, &mut |_| true)?;
    Ok(outcome.page.as_nanos() as f64 / 1e9)
}
