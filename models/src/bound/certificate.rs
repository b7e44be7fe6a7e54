//! A bound with everything it rests on, and a check of it that shares no code with its maker: no
//! configuration, no search for a fixed point, only sums and one inequality.
//!
//! ```text
//!   each term:  its cost is the worst of the cost table
//!   each run:   base + (burst + ceil(length / period)) * each <= length      so it ends by `length`
//!   bound  =    the longest segment + what stands ahead + the heartbeat itself
//! ```
use std::fmt;

use firmware_core::charge::CostKey;
use serde::{Deserialize, Serialize};

use super::Curve;
use crate::wg_mgr::costs;

/// So many operations of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The operation's cost key, or what else takes time.
    pub what: String,
    /// How many.
    pub count: u64,
    /// Microseconds each.
    pub each_us: u64,
}

/// Packets that no budget bounds, as a busy window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What has no budget.
    pub what: String,
    /// Microseconds each.
    pub each_us: u64,
    /// How they arrive.
    pub curve: Curve,
    /// By when all that have arrived are served, from the beginning of the segment.
    pub length_us: u64,
}

/// What happens between two looks at the tunnel queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// From where to where.
    pub name: String,
    /// What is bounded by budgets and tables.
    pub terms: Vec<Term>,
    /// What is not.
    pub run: Option<Run>,
    /// The segment's length, in microseconds.
    pub total_us: u64,
}

/// What stands before the heartbeat in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ahead {
    /// Packets.
    pub packets: u64,
    /// The longest operation among them.
    pub what: String,
    /// Microseconds each.
    pub each_us: u64,
}

/// A bound and its proof.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// Version of this format: 1.
    pub version: u32,
    /// What is bounded.
    pub question: String,
    /// Of which configuration.
    pub of: String,
    /// Whether the tunnel queue is drained between adds and opens.
    pub interleaved: bool,
    /// Whether initiations may stand ahead.
    pub initiations: bool,
    /// The bound, in microseconds.
    pub bound_us: u64,
    /// The longest segment.
    pub longest_us: u64,
    /// Every segment of a pass.
    pub segments: Vec<Segment>,
    /// What stands ahead.
    pub ahead: Ahead,
    /// The heartbeat itself.
    pub own_us: u64,
    /// What nobody has measured.
    pub assumed: Vec<String>,
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rejected {
    /// It is of another version.
    Version(u32),
    /// A term's cost is not the worst of the table.
    Cost(String),
    /// A segment's terms and run do not add up to its length.
    Sum(String),
    /// A run does not end within the length it claims.
    Run(String),
    /// The longest segment is not the longest.
    Longest,
    /// There is no segment.
    Empty,
    /// What stands ahead is not the longest that may.
    Ahead,
    /// The parts do not add up to the bound.
    Bound,
    /// A number is too large to be a time.
    Overflow,
}

impl fmt::Display for Rejected {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Version(found) => write!(out, "version {found}; this check reads 1"),
            Self::Cost(what) => write!(out, "`{what}` does not cost what the table says"),
            Self::Sum(name) => write!(out, "the parts of `{name}` do not add up"),
            Self::Run(name) => write!(out, "the run in `{name}` does not end when it says"),
            Self::Longest => out.write_str("the longest segment is another"),
            Self::Empty => out.write_str("there is no segment"),
            Self::Ahead => out.write_str("what stands ahead is not the longest that may"),
            Self::Bound => out.write_str("the parts do not add up to the bound"),
            Self::Overflow => out.write_str("a number is too large to be a time"),
        }
    }
}

impl std::error::Error for Rejected {}

/// Whether the certificate proves its bound.
///
/// # Errors
/// The first thing that is wrong.
pub fn verify(certificate: &Certificate) -> Result<(), Rejected> {
    if certificate.version != 1 {
        return Err(Rejected::Version(certificate.version));
    }
    let mut longest = None;
    for segment in &certificate.segments {
        verify_segment(segment)?;
        longest = longest.max(Some(segment.total_us));
    }
    match longest {
        None => return Err(Rejected::Empty),
        Some(longest) if longest != certificate.longest_us => return Err(Rejected::Longest),
        Some(_) => {}
    }
    let ahead = &certificate.ahead;
    let key =
        if certificate.initiations { CostKey::InitiationReceived } else { CostKey::TunnelData };
    if ahead.each_us != costs::interval(key).1 || ahead.what != format!("{key:?}") {
        return Err(Rejected::Ahead);
    }
    if certificate.own_us != costs::interval(CostKey::TunnelData).1 {
        return Err(Rejected::Cost("TunnelData".into()));
    }
    let queue = ahead.packets.checked_mul(ahead.each_us).ok_or(Rejected::Overflow)?;
    let sum = certificate.longest_us.checked_add(queue);
    let sum = sum.and_then(|sum| sum.checked_add(certificate.own_us)).ok_or(Rejected::Overflow)?;
    if sum == certificate.bound_us { Ok(()) } else { Err(Rejected::Bound) }
}

fn verify_segment(segment: &Segment) -> Result<(), Rejected> {
    let mut base: u64 = 0;
    for term in &segment.terms {
        let key = CostKey::ALL.into_iter().find(|key| format!("{key:?}") == term.what);
        if key.is_some_and(|key| costs::interval(key).1 != term.each_us) {
            return Err(Rejected::Cost(term.what.clone()));
        }
        let product = term.count.checked_mul(term.each_us).ok_or(Rejected::Overflow)?;
        base = base.checked_add(product).ok_or(Rejected::Overflow)?;
    }
    let Some(run) = &segment.run else {
        return if base == segment.total_us {
            Ok(())
        } else {
            Err(Rejected::Sum(segment.name.clone()))
        };
    };
    if run.length_us != segment.total_us {
        return Err(Rejected::Sum(segment.name.clone()));
    }
    let later = match run.curve.period_us {
        0 => 0,
        period => run.length_us / period + u64::from(!run.length_us.is_multiple_of(period)),
    };
    let count = run.curve.burst.checked_add(later).ok_or(Rejected::Overflow)?;
    let work = count.checked_mul(run.each_us).and_then(|work| work.checked_add(base));
    if work.ok_or(Rejected::Overflow)? <= run.length_us {
        Ok(())
    } else {
        Err(Rejected::Run(segment.name.clone()))
    }
}
