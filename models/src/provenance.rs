//! How a figure is known: the word that stands beside every input of a report or a certificate.
use serde::{Deserialize, Serialize};

/// How a figure is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// Read off a board.
    Measured,
    /// Said by a document, without a measurement.
    Quoted,
    /// Computed from other figures or from the code.
    Derived,
    /// Nobody knows: a parameter, or part of a question.
    Assumed,
}

impl Provenance {
    /// The word in cost tables, certificates and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Quoted => "quoted",
            Self::Derived => "derived",
            Self::Assumed => "assumed",
        }
    }
}
