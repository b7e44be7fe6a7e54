//! Which rules demand a clause: every property of the closed systems and every claim of the machines,
//! as typed values.
//!
//! ```text
//!   m3_read: arm × bounds ──┐
//!   wg_mgr: scene ──────────┼── properties ──┐
//!   machines: arm, preset ──┴── claims ──────┴──► Demand { clause, kind, name }, each once
//! ```
//!
//! Asking the models and not their sources keeps a rule that no model has any more from counting.
use std::collections::BTreeSet;

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;

use crate::checker::Model;
use crate::clause::Clause;
use crate::m3_read::system::{Bounds, System as Read};
use crate::wg_mgr::machine::Traffic;
use crate::wg_mgr::system::{Scene, System as Manager};
use crate::{m3_read, wg_mgr};

/// A rule that a clause demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Demand {
    /// The clause.
    pub clause: Clause,
    /// Where the rule is judged.
    pub kind: Kind,
    /// The rule as a sentence.
    pub name: &'static str,
}

/// Where a rule is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// In every run of a closed system.
    Property,
    /// In every state of a machine.
    Claim,
}

/// Every rule of every model, sorted by clause; one that several models have stands here once.
pub fn all() -> BTreeSet<Demand> {
    let mut found = BTreeSet::new();
    for arm in Arm::ALL {
        for bounds in [Bounds::ONE_READ, Bounds::HOSTILE, Bounds::TWO_READS, Bounds::STILL] {
            let system = Read::new(arm, bounds).expect("every arm has a closed system");
            add(&mut found, &system);
        }
    }
    for scene in Scene::every() {
        let system = Manager::new(Preset::Head4, true, scene).expect("the scaled preset is sound");
        add(&mut found, &system);
    }
    let read = Arm::ALL.into_iter().map(|arm| m3_read::machine::machine(arm, None));
    let loops = Preset::ALL.into_iter().flat_map(|preset| {
        Traffic::ALL.into_iter().map(move |traffic| wg_mgr::machine::machine(preset, traffic))
    });
    for machine in read.chain(loops) {
        let demands = machine.claims.iter().map(|claim| Demand {
            clause: claim.clause,
            kind: Kind::Claim,
            name: claim.name,
        });
        found.extend(demands);
    }
    found
}

fn add(found: &mut BTreeSet<Demand>, model: &impl Model) {
    let properties = model.properties();
    found.extend(properties.iter().map(|property| Demand {
        clause: property.clause,
        kind: Kind::Property,
        name: property.name,
    }));
}
