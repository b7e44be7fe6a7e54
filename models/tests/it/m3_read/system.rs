//! The closed system of the READ client: verdicts and pinned numbers of states.
use firmware_core::m3_read::preset::Arm;
use models::checker::{Limits, Verdict, check};
use models::m3_read::system::{Bounds, System};

#[test]
fn look() {
    for (arm, bounds) in [
        (Arm::One, Bounds::ONE_READ),
        (Arm::Two, Bounds::ONE_READ),
        (Arm::One, Bounds::HOSTILE),
        (Arm::Two, Bounds::STILL),
    ] {
        let model = System::new(arm, bounds).unwrap();
        let report = check(&model, Limits::NONE.states(2_000_000)).unwrap();
        println!(
            "{} offers {} states {} transitions {} depth {} ends {} bytes {} {:?}",
            arm.name(),
            model.offers().len(),
            report.states,
            report.transitions,
            report.depth,
            report.ends,
            report.bytes,
            report.stopped
        );
        for found in &report.found {
            println!("  {:<12} {:<8} {}", found.verdict.name(), found.clause.id(), found.name);
            if let Verdict::Violated(path) = &found.verdict {
                println!("{}", path.render(&model));
            }
        }
    }
}
