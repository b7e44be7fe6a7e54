//! The cost table against what charges took in the trace.
//!
//! A charge takes at least its cost; other tasks may come between. So a table that says more than
//! the least that was seen is wrong, and one that says less is right only if every such charge was
//! interrupted.
use firmware_core::charge::CostKey;
use firmware_core::time::Duration;

use super::compare::Outcome;
use super::setup::Setup;
use crate::cost::CostRow;
use crate::pft::field::{Field, millis};

/// A charge whose figure is not what the trace shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostConflict {
    /// The charge.
    pub key: CostKey,
    /// How often the trace has it.
    pub count: u64,
    /// The least that it took there.
    pub least: Duration,
    /// The record of the charge that took it.
    pub index: u64,
    /// What the table says.
    pub table: Duration,
    /// The change of the table that would fit, as `--set` takes it.
    pub change: String,
}

impl CostConflict {
    /// Whether the table cannot be right: a charge took less than it says.
    pub fn is_certain(&self) -> bool {
        self.least < self.table
    }
}

/// Every charge of the trace whose figure in the table is another.
pub fn cost_conflicts(setup: &Setup, outcome: &Outcome) -> Vec<CostConflict> {
    let Setup::WgMgr(scenario) = setup else { return Vec::new() };
    let costs = &scenario.costs;
    let conflicts = outcome.charges.iter().filter_map(|(key, taken)| {
        let table = costs.of(*key);
        (taken.least != table).then(|| CostConflict {
            key: *key,
            count: taken.count,
            least: taken.least,
            index: taken.index,
            table,
            change: change(*key, taken.least, |row| costs.figure(row)),
        })
    });
    conflicts.collect()
}

/// The row that would have to change: the X25519 where the charge has one.
fn change(key: CostKey, least: Duration, figure: impl Fn(CostRow) -> Duration) -> String {
    let beside = CostRow::beside_x25519(key);
    let (row, span) = match (key.x25519_count(), beside) {
        (0, Some(row)) => (row, least),
        (count, beside) => {
            let rest = least.minus(beside.map_or(Duration::ZERO, figure));
            (CostRow::X25519, Duration::from_nanos(rest.as_nanos() / count.max(1)))
        }
    };
    format!("costs.{}={}", row.name(), millis(span.as_nanos()).trim_end_matches("ms"))
}

/// The charge's name in traces.
pub(super) fn name(key: CostKey) -> String {
    let mut name = String::new();
    key.show(&mut name);
    name
}
