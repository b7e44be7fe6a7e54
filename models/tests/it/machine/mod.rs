//! The abstract machines: what our checker and Spin say of them, and what ties them to the cores.
mod budget_loop;
mod drawings;
mod read;
mod spin;

use firmware_core::m3_read::preset::Arm;
use firmware_core::wg_mgr::preset::Preset;
use models::checker::{Limits, Verdict, check};
use models::m3_read::machine::{self as read_machine, Planted};
use models::machine::explored::Explored;
use models::machine::{Claims, Machine};
use models::wg_mgr::machine::{self as wg_machine, Traffic};

use crate::once::Once;

/// Every machine that has a file.
fn machines() -> Vec<Machine> {
    let planted = Planted::ALL.map(|it| read_machine::machine(Arm::Two, Some(it)));
    let arms = Arm::ALL.map(|arm| read_machine::machine(arm, None));
    let presets = Preset::ALL
        .into_iter()
        .flat_map(|preset| Traffic::ALL.map(|traffic| wg_machine::machine(preset, traffic)));
    arms.into_iter().chain(planted).chain(presets).collect()
}

/// What an engine says: distinct states, and the claims that are broken, by number.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    states: u32,
    broken: Vec<usize>,
}

/// What a machine is, without its name: some versions have the same one.
fn body(machine: &Machine) -> String {
    let text = machine.promela();
    text.split_once("*/").map_or_else(String::new, |(_, body)| body.to_owned())
}

/// What our checker says of a machine, or said of its like.
fn ours(machine: &Machine) -> Said {
    static SAID: Once<String, Said> = Once::new();
    (*SAID.get(body(machine), || checked(machine))).clone()
}

fn checked(machine: &Machine) -> Said {
    let report = check(&Explored::events(machine), Limits::NONE).expect("claims can be judged");
    assert_eq!(report.stopped, None, "{}", machine.name);
    let mut broken = Vec::new();
    for (number, claim) in machine.claims.iter().enumerate() {
        let violated = match claim.claims {
            Claims::On { .. } => {
                matches!(report.verdict(claim.name), Some(Verdict::Violated(_)))
            }
            Claims::Leads { .. } => {
                let model = Explored::leads(machine, number);
                check(&model, Limits::NONE).expect("one claim").violated().is_some()
            }
        };
        if violated {
            broken.push(number);
        }
    }
    Said { states: report.states, broken }
}

/// The names of the claims that our checker finds broken.
fn broken(machine: &Machine) -> Vec<&'static str> {
    ours(machine).broken.into_iter().map(|number| machine.claims[number].name).collect()
}
