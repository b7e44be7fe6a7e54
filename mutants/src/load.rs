//! Weaving and building until what is left builds, and finding out whose fault it is when it does not.
//!
//! ```text
//!   weave ─► build ──broken──► an error inside a mutant's text: that one's ─┐
//!     ▲                         no text to blame: halves are built ─────────┤
//!     └──────────────────────── without them ───────────────────────────────┘
//! ```
use std::collections::{BTreeMap, BTreeSet};
use std::io;

use crate::baseline::BaselineError;
use crate::cargo::{self, Built, Complaint, Memory, Program};
use crate::mutant::Mutant;
use crate::subject::{Part, Subject};
use crate::weave::{Fabric, Way, Woven};
use crate::workshop::Workshop;

/// A copy with mutants in it, ready for trials.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The woven texts and where each mutant is in them.
    pub(crate) woven: Woven,
    /// The test programs.
    pub(crate) programs: Vec<Program>,
    /// Those that do not build, with what the compiler says.
    pub(crate) refused: BTreeMap<usize, String>,
}

/// Weaves and builds until what is left builds.
pub(crate) fn load(
    subject: &Subject,
    workshop: &Workshop,
    fabric: &Fabric,
    mutants: &[Mutant],
) -> Result<Loaded, BaselineError> {
    let parts: Vec<&Part> = subject.parts.iter().collect();
    let build = |left_out: &BTreeSet<usize>| -> io::Result<(Woven, Built)> {
        let woven = fabric.weave(mutants, left_out);
        workshop.lay_out(&woven.texts)?;
        let built = cargo::build(subject, &workshop.copy(), &parts, Memory::None)?;
        Ok((woven, built))
    };
    let (mut left_out, mut refused) = (BTreeSet::new(), BTreeMap::new());
    loop {
        let (woven, built) = build(&left_out)?;
        let complaints = match built {
            Built::Programs(programs) => return Ok(Loaded { woven, programs, refused }),
            Built::Broken(complaints) => complaints,
        };
        let first = complaints.first().map(|it| it.message.clone()).unwrap_or_default();
        if woven.ways.is_empty() {
            return Err(BaselineError::Build(first));
        }
        let mut blamed = blame(&woven.ways, &complaints);
        if blamed.is_empty() {
            let all: Vec<usize> = woven.ways.iter().map(|way| way.mutant).collect();
            let builds = |some: &[usize]| -> io::Result<bool> {
                let others = (0..mutants.len()).filter(|index| !some.contains(index)).collect();
                Ok(matches!(build(&others)?.1, Built::Programs(_)))
            };
            if !builds(&[])? {
                return Err(BaselineError::Build(first));
            }
            blamed = halve(&all, &builds)?.into_iter().map(|it| (it, first.clone())).collect();
        }
        left_out.extend(blamed.keys().copied());
        refused.extend(blamed);
    }
}

/// The mutants inside whose texts the compiler found something, with what it says first.
fn blame(ways: &[Way], complaints: &[Complaint]) -> BTreeMap<usize, String> {
    let mut blamed = BTreeMap::new();
    for complaint in complaints {
        let inside = complaint.places.iter().find_map(|(file, place)| {
            let holds = |way: &&Way| {
                way.file == *file && way.range.start <= place.start && place.end <= way.range.end
            };
            ways.iter().filter(holds).min_by_key(|way| way.range.len())
        });
        if let Some(way) = inside {
            blamed.entry(way.mutant).or_insert_with(|| complaint.message.clone());
        }
    }
    blamed
}

/// The smallest groups that do not build, found by building halves: mostly single mutants.
fn halve(
    some: &[usize],
    builds: &impl Fn(&[usize]) -> io::Result<bool>,
) -> io::Result<BTreeSet<usize>> {
    if builds(some)? {
        return Ok(BTreeSet::new());
    }
    if some.len() <= 1 {
        return Ok(some.iter().copied().collect());
    }
    let (left, right) = some.split_at(some.len() / 2);
    let mut found = halve(left, builds)?;
    found.extend(halve(right, builds)?);
    if found.is_empty() {
        // Each half builds without the other: none of them is woven.
        found.extend(some);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(mutant: usize, range: std::ops::Range<usize>) -> Way {
        Way { mutant, number: 1, place: 1, file: "a.rs".into(), range }
    }

    #[test]
    fn an_error_is_the_innermost_mutants_in_whose_text_it_is() {
        let ways = [way(4, 10..90), way(7, 20..30)];
        let complaint = |message: &str, place: std::ops::Range<usize>| Complaint {
            message: message.to_owned(),
            places: vec![("b.rs".into(), 0..1), ("a.rs".into(), place)],
        };
        let blamed = blame(&ways, &[complaint("x", 22..25), complaint("y", 22..40)]);
        assert_eq!(blamed, BTreeMap::from([(4, "y".to_owned()), (7, "x".to_owned())]));
        assert_eq!(blame(&ways, &[complaint("z", 0..5)]), BTreeMap::new());
    }

    #[test]
    fn halves_are_built_until_it_is_known_who_spoils_the_rest() {
        let all: Vec<usize> = (0..9).collect();
        let builds = |some: &[usize]| Ok(!some.contains(&3) && !some.contains(&8));
        assert_eq!(halve(&all, &builds).expect("it builds"), BTreeSet::from([3, 8]));
        let quarrel = |some: &[usize]| Ok(!(some.contains(&3) && some.contains(&8)));
        assert_eq!(halve(&all, &quarrel).expect("it builds"), all.iter().copied().collect());
        assert_eq!(halve(&all, &|_: &[usize]| Ok(true)).expect("it builds"), BTreeSet::new());
    }
}
