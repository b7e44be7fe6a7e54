//! The READ machine.
use super::{broken, machines, ours};

#[test]
fn show() {
    for machine in machines() {
        if machine.name.starts_with("m3") {
            println!("{} {:?} {:?}", machine.name, ours(&machine).states, broken(&machine));
        }
    }
}
