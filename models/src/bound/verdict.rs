//! Bounded or not, and if not, the smallest fact that is missing.
use super::data::{Certificate, Claim, FORMAT, Inputs};
use super::fact::{Fact, InputError};
use super::wait::{self, Found, Obstacle};

/// What a bound says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No heartbeat waits longer, and none is shed.
    Bounded(Claim),
    /// There is no such bound.
    NotBounded {
        /// What would have to be known or budgeted, each in a few words: one fact where one
        /// suffices.
        missing: Vec<String>,
        /// Why, in a sentence.
        why: String,
        /// What would hold if the premises were founded, or no packet were shed.
        only_if: Option<Claim>,
    },
}

impl Verdict {
    /// Whether there is a bound.
    pub const fn is_bounded(&self) -> bool {
        matches!(self, Self::Bounded(_))
    }

    /// The claim, founded or not.
    pub const fn claim(&self) -> Option<&Claim> {
        match self {
            Self::Bounded(claim) => Some(claim),
            Self::NotBounded { only_if, .. } => only_if.as_ref(),
        }
    }
}

/// Bounds the heartbeat's wait.
///
/// # Errors
/// [`InputError`] when a cost is missing or doubled.
pub fn analyse(inputs: &Inputs) -> Result<Verdict, InputError> {
    Ok(match wait::claim(inputs)? {
        Ok(Found { claim, .. }) if sheds(inputs, &claim) => {
            let (backlog, depth) = (claim.busy.backlog, inputs.pass.tunnel_depth);
            let missing = smallest(inputs)?;
            let missing = if missing.is_empty() {
                vec![format!("no room for {backlog} packets in the tunnel's queue")]
            } else {
                missing
            };
            let why = format!(
                "heartbeats can be shed: up to {backlog} packets wait where {depth} have room"
            );
            Verdict::NotBounded { missing, why, only_if: Some(claim) }
        }
        Ok(Found { claim, unfounded }) if !unfounded.is_empty() => Verdict::NotBounded {
            missing: unfounded,
            why: "the wait rests on figures that are assumed".to_owned(),
            only_if: Some(claim),
        },
        Ok(Found { claim, .. }) => Verdict::Bounded(claim),
        Err(obstacle) => {
            let missing = smallest(inputs)?;
            let why = match obstacle {
                Obstacle::Unlimited(fact) => {
                    format!("{}: a gap between two drains has no end", fact.missing())
                }
                Obstacle::Overload => "work arrives faster than it is done".to_owned(),
            };
            Verdict::NotBounded { missing, why, only_if: None }
        }
    })
}

fn sheds(inputs: &Inputs, claim: &Claim) -> bool {
    claim.busy.backlog > inputs.pass.tunnel_depth
}

/// Whether every heartbeat is served within some time.
fn holds(inputs: &Inputs) -> Result<bool, InputError> {
    Ok(wait::claim(inputs)?.is_ok_and(|found| !sheds(inputs, &found.claim)))
}

/// The fewest facts whose roads, were they empty, would leave a bound: one if one suffices, else as
/// many as it takes in the order of [`Fact::ALL`], less those that are not needed.
fn smallest(inputs: &Inputs) -> Result<Vec<String>, InputError> {
    for fact in Fact::ALL {
        if holds(&fact.without(inputs))? {
            return Ok(vec![fact.missing_in(inputs).to_owned()]);
        }
    }
    let mut needed = Vec::new();
    let mut rest = inputs.clone();
    for fact in Fact::ALL {
        rest = fact.without(&rest);
        needed.push(fact);
        if holds(&rest)? {
            break;
        }
    }
    if !holds(&rest)? {
        return Ok(Vec::new());
    }
    for fact in Fact::ALL {
        let without: Vec<_> = needed.iter().copied().filter(|other| *other != fact).collect();
        let fewer = without.iter().fold(inputs.clone(), |inputs, fact| fact.without(&inputs));
        if without.len() < needed.len() && holds(&fewer)? {
            needed = without;
        }
    }
    Ok(needed.into_iter().map(|fact| fact.missing_in(inputs).to_owned()).collect())
}

/// The claim with everything that it rests on, for [`super::certificate::verify`].
pub fn certify(inputs: &Inputs, claim: &Claim) -> Certificate {
    let (inputs, claim) = (inputs.clone(), claim.clone());
    let text = serde_json::to_string(&(FORMAT, &inputs, &claim));
    let text = text.expect("plain data with names for keys is always JSON");
    let digest = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    Certificate { format: FORMAT, inputs, claim, digest: format!("{digest:016x}") }
}
