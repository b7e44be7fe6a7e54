//! Pitfalls: what went wrong in the two systems, or still does, and the clauses it is a matter of.
use core::fmt;

use crate::clause::{Clause, UnknownId, same_id};
use crate::{m3_read, wg_mgr};

/// One thing that went wrong, or still does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitfall {
    /// Its stable id: `PF-01` to `PF-125` of the manager loop, `P-1` to `P-32` of the READ path.
    pub id: &'static str,
    /// Whether it is over.
    pub standing: Standing,
    /// The clauses that it is a matter of; none when it lies outside both specifications.
    pub clauses: &'static [Clause],
    /// Cause and symptom.
    pub sentence: &'static str,
}

/// Whether a pitfall is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// Repaired, or avoided, in the newest firmware or client.
    Repaired,
    /// The newest firmware or client still has it: a faithful copy reproduces it.
    Latent,
    /// It misleads whoever measures or builds a model.
    Trap,
}

impl Pitfall {
    /// A pitfall of a register.
    pub(crate) const fn new(
        id: &'static str,
        standing: Standing,
        clauses: &'static [Clause],
        sentence: &'static str,
    ) -> Self {
        Self { id, standing, clauses, sentence }
    }

    /// Every pitfall: first the manager loop's, then the READ path's, each by number.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        wg_mgr::PITFALLS.into_iter().chain([m3_read::PITFALLS]).flatten()
    }

    /// The pitfall with this id; letter case and surrounding blanks do not matter.
    ///
    /// # Errors
    ///
    /// [`UnknownId`] with the nearest id when there is none.
    pub fn find(id: &str) -> Result<&'static Self, UnknownId> {
        Self::all()
            .find(|pitfall| same_id(pitfall.id, id))
            .ok_or_else(|| UnknownId::new("pitfall", id, Self::all().map(|pitfall| pitfall.id)))
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Repaired => "repaired or avoided in the newest version",
            Self::Latent => "latent in the newest version",
            Self::Trap => "a trap for whoever measures or models",
        })
    }
}
