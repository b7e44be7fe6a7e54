//! The waits of the READ client, arm by arm.
use std::fmt::Write as _;

use firmware_core::m3_read::preset::Arm;
use models::bound::read::{Machine, Request, Wait};
use serde_json::{Value, json};
use sim::bound::machine;
use sim::read::parameters::Parameters;
use sim::scenario::m3_read::ReadScenario;

use super::BoundArgs;
use super::print;
use super::text::ms;
use crate::args::Format;
use crate::exit::Exit;
use crate::refusal::{Plain, Refusal};

/// The published bench, with the arm that was asked for or with each.
pub(super) fn model(args: &BoundArgs) -> Result<Exit, Refusal> {
    if !args.set.is_empty() {
        let next = "name a scenario of the READ path instead of the model: it has the parameters";
        return Err(Plain::refuse("the model m3_read has no fields to set", next));
    }
    let arms = match args.preset.as_deref() {
        None => Arm::ALL.to_vec(),
        Some(name) => {
            let arm = Arm::ALL.into_iter().find(|arm| arm.name() == name);
            let refused = || Plain::refuse(format!("there is no arm `{name}`"), "arms: F, 1, 2");
            vec![arm.ok_or_else(refused)?]
        }
    };
    show(args, &arms, machine(&Parameters::BENCH))
}

/// A scenario's arm on its machine.
pub(super) fn scenario(args: &BoundArgs, scenario: &ReadScenario) -> Result<Exit, Refusal> {
    show(args, &[scenario.arm], machine(&scenario.fetch.parameters))
}

/// Every wait of the client has a deadline, so all of this is bounded.
fn show(args: &BoundArgs, arms: &[Arm], machine: Machine) -> Result<Exit, Refusal> {
    if args.certificate.is_some() {
        let next = "the sums are printed, and each term has its clause";
        return Err(Plain::refuse("certificates are of the manager loop's waits", next));
    }
    print(&match args.format {
        Format::Text => text(arms, machine),
        Format::Json => json(arms, machine),
    })?;
    Ok(Exit::Holds)
}

fn text(arms: &[Arm], machine: Machine) -> String {
    let mut text = format!(
        "bound      the waits of the READ client, its deadline clock running\n\
         machine    access {}, fence {}, clock unit {}\n",
        ms(machine.access_ns),
        ms(machine.fence_ns),
        ms(machine.unit_ns)
    );
    let mut line = |row: String| writeln!(text, "{row}").expect("a string takes everything");
    for arm in arms {
        let config = arm.config();
        line(format!("\narm {}", arm.name()));
        for wait in Wait::ALL.into_iter().filter(|wait| wait.exists(&config)) {
            let most = ms(wait.most_ns(&config, machine));
            line(format!("  {:<42} {most:>15}  {}", wait.name(), wait.clause()));
        }
        for request in Request::ALL {
            let most = ms(request.most_ns(&config, machine));
            let count = request.waits(&config).len();
            let what = format!("whole {}, {count} waits and its accesses", request.name());
            line(format!("  {what:<42} {most:>15}"));
        }
    }
    text
}

fn json(arms: &[Arm], machine: Machine) -> String {
    let arm = |arm: &Arm| {
        let config = arm.config();
        let waits = Wait::ALL.into_iter().filter(|wait| wait.exists(&config));
        let waits: Vec<Value> = waits
            .map(|wait| {
                let most = wait.most_ns(&config, machine);
                json!({ "wait": wait.name(), "clause": wait.clause(), "most_ns": most })
            })
            .collect();
        let requests = Request::ALL.map(|request| {
            let waits: Vec<_> = request.waits(&config).into_iter().map(Wait::name).collect();
            let most = request.most_ns(&config, machine);
            json!({ "request": request.name(), "most_ns": most, "waits": waits })
        });
        json!({ "arm": arm.name(), "waits": waits, "requests": requests })
    };
    let arms: Vec<Value> = arms.iter().map(arm).collect();
    let value = json!({ "subject": "m3_read", "bounded": true, "arms": arms });
    serde_json::to_string_pretty(&value).expect("plain data is always JSON") + "\n"
}
