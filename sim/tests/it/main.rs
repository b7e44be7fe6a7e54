//! Runs of shipped scenarios.
use std::path::Path;

use sim::scenario::{Overrides, Scenario};

#[test]
fn storm() {
    for (set, preset) in [
        (None, "ARM-1"),
        (None, "ILV-3"),
        (Some("costs.x25519_ms=11.3"), "ARM-1"),
        (Some("costs.x25519_ms=0"), "ARM-1"),
    ] {
        let overrides = Overrides {
            preset: Some(preset.into()),
            set: set.into_iter().map(String::from).chain(["device.tick_ms=1".into()]).collect(),
            ..Overrides::default()
        };
        let path = Path::new("../scenarios/wg_mgr/strangers_at_600_per_second.ron");
        let scenario = Scenario::load(path, &overrides).unwrap_or_else(|e| panic!("{e}"));
        let report = sim::run(&scenario, &mut |_| sim::Flow::Continue).unwrap();
        println!("{preset} {set:?}");
        for (name, value) in &report.metrics {
            println!("  {name} {value}");
        }
        for o in &report.expectations {
            println!("{} {o:?}", o.holds());
        }
        println!("{:x} {} {:?}", report.digest, report.events, report.classes);
        println!("{}", report.trace.first.join("\n"));
    }
}
