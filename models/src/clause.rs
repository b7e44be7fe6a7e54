//! The clause register: every demand of the two specifications as a typed value with its entry.
//!
//! ```text
//!   "WG-DISCO-1" ──parse──► Clause::WgMgr(Clause::Disco1) ──entry──► Entry ──Display──► page
//!   "WG-DISCO-9" ──parse──► UnknownId { nearest: "WG-DISCO-1" }
//! ```
//!
//! An entry says what must hold, how one sees it, where the edges lie, which defects the shipped
//! firmware has there, and which changes of the code a test has to notice.
use core::fmt;
use core::str::FromStr;

use crate::{m3_read, wg_mgr};

/// A clause of one of the systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Clause {
    /// A clause of the `WireGuard` manager loop.
    WgMgr(wg_mgr::Clause),
    /// A clause of the READ path.
    M3Read(m3_read::Clause),
}

impl Clause {
    /// Every clause: first the manager loop's, then the READ path's, each in the order of its
    /// specification.
    pub fn all() -> impl Iterator<Item = Self> {
        let wg_mgr = wg_mgr::Clause::ALL.iter().copied().map(Self::WgMgr);
        wg_mgr.chain(m3_read::Clause::ALL.iter().copied().map(Self::M3Read))
    }

    /// What the register says of this clause.
    pub const fn entry(self) -> &'static Entry {
        match self {
            Self::WgMgr(clause) => clause.entry(),
            Self::M3Read(clause) => clause.entry(),
        }
    }

    /// The clause's id as its specification writes it.
    pub const fn id(self) -> &'static str {
        self.entry().id
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl FromStr for Clause {
    type Err = UnknownId;

    /// The clause with this id; letter case and surrounding blanks do not matter.
    fn from_str(text: &str) -> Result<Self, UnknownId> {
        Self::all()
            .find(|clause| same_id(clause.id(), text))
            .ok_or_else(|| UnknownId::new("clause", text, Self::all().map(Self::id)))
    }
}

/// What the register says of one clause.
///
/// All texts are ASCII. [`Display`](fmt::Display) renders an entry as a page for the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The id as the specification writes it, such as `WG-DISCO-1` or `S 1.6 M10`.
    pub id: &'static str,
    /// What the clause is about, in a few words.
    pub title: &'static str,
    /// Where its authority comes from.
    pub level: Level,
    /// What must hold, in one sentence that can be tested against.
    pub sentence: &'static str,
    /// Figures and rules that the sentence needs to be complete; mostly none.
    pub details: &'static [&'static str],
    /// How one sees that it holds.
    pub observable: &'static str,
    /// What happens at the edges, and what the clause does not cover.
    pub edges: &'static [&'static str],
    /// Defects of the newest firmware or client in the matter of this clause.
    pub defects: &'static [Defect],
    /// Where it stands: a step of the loop, or a part of the specification.
    pub source: &'static str,
    /// Changes of the code that a test has to notice.
    pub mutations: &'static [Mutation],
}

/// Where the authority of a clause comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// A specification, a design document or a documented repair demands it.
    Shall,
    /// It is announced, or intended and known not to be reached in the cases that the entry names.
    Should,
    /// Nothing states it but the shipped code.
    Observed,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Shall => "shall",
            Self::Should => "should",
            Self::Observed => "observed",
        })
    }
}

/// A defect that the newest firmware or client still has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The id of its [`Pitfall`](crate::pitfall::Pitfall), such as `PF-91`.
    pub pitfall: &'static str,
    /// What is wrong, as far as this clause is concerned.
    pub sentence: &'static str,
}

impl Defect {
    /// The part of a pitfall that belongs to the clause at hand.
    pub(crate) const fn new(pitfall: &'static str, sentence: &'static str) -> Self {
        Self { pitfall, sentence }
    }
}

/// A change of the code that a test has to notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mutation {
    /// Its name within the clause, such as `M3` or `accept-data-more`.
    pub name: &'static str,
    /// What the changed code does.
    pub change: &'static str,
    /// Whether that is worse or better than the shipped code.
    pub effect: Effect,
}

/// What a mutation does to the shipped behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// It breaks the clause.
    Breaks,
    /// It repairs a defect: wrong for a faithful copy of the firmware, right for a corrected one.
    Repairs,
}

impl Mutation {
    /// A change that breaks the clause.
    pub(crate) const fn breaks(name: &'static str, change: &'static str) -> Self {
        Self { name, change, effect: Effect::Breaks }
    }

    /// A change that repairs a defect.
    pub(crate) const fn repairs(name: &'static str, change: &'static str) -> Self {
        Self { name, change, effect: Effect::Repairs }
    }
}

/// An id that no register holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no {what} `{wanted}`; the nearest is `{nearest}`")]
pub struct UnknownId {
    /// What was looked for: a clause or a pitfall.
    pub what: &'static str,
    /// The id as it was given.
    pub wanted: String,
    /// The id of the register that the fewest edits lead to; the first of several.
    pub nearest: &'static str,
}

impl UnknownId {
    /// The error for `wanted`, which is none of `ids`.
    pub(crate) fn new(
        what: &'static str,
        wanted: &str,
        ids: impl Iterator<Item = &'static str>,
    ) -> Self {
        let upper = wanted.trim().to_ascii_uppercase();
        let nearest = ids
            .min_by_key(|id| strsim::osa_distance(&id.to_ascii_uppercase(), &upper))
            .expect("a register is a constant that is not empty");
        Self { what, wanted: wanted.to_owned(), nearest }
    }
}

/// Whether `text`, as a person types it, is `id`.
pub(crate) fn same_id(id: &str, text: &str) -> bool {
    text.trim().eq_ignore_ascii_case(id)
}

/// Declares a system's clause enum from one list, so that variants, order and entries cannot drift
/// apart.
macro_rules! clause_register {
    ($($(#[$doc:meta])+ $variant:ident => $entry:path,)+) => {
        /// A clause of this system, in the order of its specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Clause {
            $($(#[$doc])+ $variant,)+
        }

        impl Clause {
            /// Every clause, in the order of the specification.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// What the register says of this clause.
            pub const fn entry(self) -> &'static $crate::clause::Entry {
                match self {
                    $(Self::$variant => &$entry),+
                }
            }
        }
    };
}
pub(crate) use clause_register;
