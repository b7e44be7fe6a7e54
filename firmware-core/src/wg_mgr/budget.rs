//! A budget: how often something may still happen before the pass or tick is over.
//!
//! `spent <= capacity` holds whenever a method returns. A budget without a capacity never runs out:
//! that is the firmware before the armour.

/// Permission to do something a bounded number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Budget {
    capacity: Option<u16>,
    spent: u16,
}

impl Budget {
    /// A full budget; `None` never runs out.
    pub const fn full(capacity: Option<u16>) -> Self {
        Self { capacity, spent: 0 }
    }

    /// Takes one, unless none is left; says whether it did.
    #[must_use]
    pub fn try_spend(&mut self) -> bool {
        let allowed = !self.is_spent();
        if allowed && self.capacity.is_some() {
            self.spent += 1;
        }
        debug_assert!(self.holds());
        allowed
    }

    /// Whether none is left.
    pub const fn is_spent(&self) -> bool {
        match self.capacity {
            Some(capacity) => self.spent >= capacity,
            None => false,
        }
    }

    /// The invariant: no more spent than there was.
    pub const fn holds(&self) -> bool {
        match self.capacity {
            Some(capacity) => self.spent <= capacity,
            None => self.spent == 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Cites WG-DISCO-1, WG-ADD-1, WG-CMM-1 and WG-HB-1, which all count with it.
        #[test]
        fn a_budget_allows_exactly_its_capacity(capacity in 0_u16..100, attempts in 0_usize..300) {
            let mut budget = Budget::full(Some(capacity));
            let allowed = (0..attempts).filter(|_| budget.try_spend()).count();
            prop_assert_eq!(allowed, attempts.min(capacity.into()));
            prop_assert_eq!(budget.is_spent(), attempts >= capacity.into());
        }
    }

    #[test]
    fn a_budget_without_capacity_never_runs_out() {
        let mut budget = Budget::full(None);
        assert!((0..100_000).all(|_| budget.try_spend()));
    }
}
