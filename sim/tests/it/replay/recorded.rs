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

/// Pages are cut to their first 3 000 bytes; how they end does not depend on their length.
#[test]
fn every_page_replays() {
    for path in scenarios("m3_read") {
        let subject = load(&path, &["page.body_bytes=3000"]);
        let (trace, _, recorded) = record(&subject, Redactor::new(1));
        let outcome = replay(&trace, &[]);
        let name = path.display();
        assert!(matches!(outcome.verdict, Verdict::Pass), "{name}: {:?}", outcome.verdict);
        assert_eq!(outcome.is_same_digest(), Some(true), "{name}");
        assert_eq!(outcome.steps, recorded.steps);
    }
}
