//! Who an expectation may call upon: clauses of the register, or a case, fact or claim by name.
use models::clause::{Clause, UnknownId};

/// Words that begin a citation which is no clause.
pub const OTHERS: [&str; 3] = ["case", "facts", "claim"];

/// Checks a list of citations with commas between.
///
/// # Errors
/// The first one that is neither a clause nor begins with one of [`OTHERS`] and a name.
pub fn check(cites: &str) -> Result<(), UnknownId> {
    cites.split(',').map(str::trim).try_for_each(|cited| {
        let other = cited
            .split_once(' ')
            .is_some_and(|(word, name)| OTHERS.contains(&word) && !name.trim().is_empty());
        if other { Ok(()) } else { cited.parse::<Clause>().map(|_| ()) }
    })
}

/// The clauses among the citations, in their order.
pub fn clauses(cites: &str) -> impl Iterator<Item = Clause> {
    cites.split(',').filter_map(|cited| cited.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_cases_facts_and_claims_may_be_cited_together() {
        assert_eq!(check("WG-DISCO-1, case 02, facts g2, claim 7"), Ok(()));
        let ids: Vec<_> = clauses("case 02, WG-DISCO-1,WG-Q1").map(Clause::id).collect();
        assert_eq!(ids, ["WG-DISCO-1", "WG-Q1"]);
    }

    #[test]
    fn an_unknown_clause_is_answered_with_the_nearest() {
        assert_eq!(check("WG-DISCO-1, WG-DISKO-2").unwrap_err().nearest, "WG-DISCO-2");
        assert!(check("").is_err());
        assert!(check("case ").is_err());
    }
}
