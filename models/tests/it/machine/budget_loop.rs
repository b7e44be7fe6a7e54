//! The budget loop: verdicts for each preset, and the core held against the machine.
use firmware_core::wg_mgr::preset::Preset;
use models::wg_mgr::machine::{Traffic, machine};

use super::broken;

#[test]
fn show() {
    for preset in Preset::ALL {
        for traffic in Traffic::ALL {
            let machine = machine(preset, traffic);
            println!("{} {:?} {:?}", machine.name, super::ours(&machine).states, broken(&machine));
        }
    }
}
