//! Every planted fault gives a counterexample, and without one there is none.
//!
//! The switch is the process's: everything happens in one test, one fault after the other.
use std::fmt::Write as _;

use firmware_core::m3_read::preset::Arm;
use firmware_core::planted::{FAULTS, plant};
use planted_models::checker::{Limits, check};
use planted_models::m3_read::system::{Bounds, System};

const NO_FAULT: usize = usize::MAX;
const WITHOUT_FAULTS: Bounds = Bounds { faults: 0, ..Bounds::ONE_READ };
/// As pinned for the core itself.
const ARM_1_STATES: u32 = 36_010;

/// What was found of a fault: steps to the violation, the rule and its clause.
fn found(number: usize) -> Option<(usize, &'static str, &'static str)> {
    let systems = [
        (Arm::One, WITHOUT_FAULTS),
        (Arm::Two, WITHOUT_FAULTS),
        (Arm::Two, Bounds { faults: 0, ..Bounds::TWO_READS }),
        (Arm::One, Bounds::ONE_READ),
    ];
    systems.into_iter().find_map(|(arm, bounds)| {
        plant(NO_FAULT);
        let model = System::new(arm, bounds).expect("the scaled configuration is accepted");
        plant(number);
        let limits = Limits::NONE.threads(2).states(1_000_000).until_violated();
        let report = check(&model, limits).expect("the properties can be judged together");
        plant(NO_FAULT);
        let (found, path) = report.violated()?;
        Some((path.steps.len(), found.name, found.clause.id()))
    })
}

#[test]
fn every_planted_fault_gives_a_counterexample() {
    let mut table = String::new();
    for (number, fault) in FAULTS.iter().enumerate() {
        let row = match found(number) {
            Some((steps, rule, clause)) => format!("{steps:>3} steps  {clause:<12} {rule}"),
            None => "no counterexample".into(),
        };
        writeln!(table, "{:<28} {:<12} {row}", fault.name, fault.clause)
            .expect("a string takes everything");
    }
    assert!(FAULTS.len() >= 20 && !table.contains("no counterexample"), "{table}");
    insta::assert_snapshot!("planted_faults", table);

    // Without a fault the copy is the core itself: the same verdicts on the same states.
    let model = System::new(Arm::One, WITHOUT_FAULTS).expect("the configuration is accepted");
    let sound = check(&model, Limits::NONE.threads(2)).expect("the properties can be judged");
    assert!(sound.holds());
    assert_eq!(sound.states, ARM_1_STATES);
}
