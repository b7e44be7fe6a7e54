//! A recorded run of every shipped scenario replays without a difference.
use sim::pft::Redactor;
use sim::replay::Verdict;

use super::{load, record, replay, scenarios};

/// Virtual time that each run is cut to: what repeats after that repeats.
const CUT: &str = "duration_ms=12000";

#[test]
fn every_manager_scenario_replays_with_pseudonyms_and_without() {
    for path in scenarios("wg_mgr") {
        let subject = load(&path, &[CUT]);
        let plain = sim::run_subject(&subject, &mut |_| sim::Flow::Continue).expect("it runs");
        for redactor in [Redactor::new(0x5eed), Redactor::off()] {
            let (trace, report, recorded) = record(&subject, redactor);
            assert_eq!(report.digest, plain.digest, "{}: recording changed it", path.display());
            let outcome = replay(&trace, &[]);
            let name = path.display();
            assert!(matches!(outcome.verdict, Verdict::Pass), "{name}: {:?}", outcome.verdict);
            assert_eq!(outcome.is_same_digest(), Some(true), "{name}");
            assert_eq!((outcome.steps, outcome.digest), (recorded.steps, recorded.digest));
            assert!(outcome.steps > 50, "{name}: {} steps", outcome.steps);
        }
    }
}

/// Pages are cut to their first 3 000 bytes, the late continuation is the first one, and where the
/// client does little but poll it polls at 1 MHz: what repeats after that repeats.
#[test]
fn every_page_replays() {
    for path in scenarios("m3_read") {
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name in UTF-8");
        if name == "finding_searched" {
            // A search looks at bytes and steps no client.
            continue;
        }
        let mut set = vec!["page.body_bytes=3000"];
        if name.starts_with("continuation") && !name.ends_with("never_comes") {
            set.push("late.continuation=1");
        }
        if ["continuation", "idle_storm", "open_takes"].iter().any(|it| name.starts_with(it)) {
            set.push("parameters.turbo_percent=100");
        }
        let (trace, _, recorded) = record(&load(&path, &set), Redactor::new(1));
        let outcome = replay(&trace, &[]);
        assert!(matches!(outcome.verdict, Verdict::Pass), "{name}: {:?}", outcome.verdict);
        assert_eq!(outcome.is_same_digest(), Some(true), "{name}");
        assert_eq!(outcome.steps, recorded.steps);
        assert!(outcome.steps > 500, "{name}: {} steps", outcome.steps);
    }
}
