//! The shortest way to each fault that a person thought of, written down from the clause that it
//! breaks; no counterexample of the checker may be longer.
//!
//! A READ is made of the same pieces every time, so the steps are written in these:
//!
//! ```text
//!   poll, clock            the wait for an idle interface begins
//!   8 access, clock        idle; 5 bytes of the command; clear error; push; the next wait begins
//!   nios, reply, 2 nios    the Nios takes the command, the engine answers, the block is shown
//!   7 access               valid; not refused; not empty; two header bytes, a sample before each
//!   2 access a byte        of payload, and of status text
//! ```
use firmware_core::m3_read::preset::Arm;
use firmware_core::planted::FAULTS;
use planted_models::checker::{Model, Replayed, replay};
use planted_models::m3_read::system::Bounds;
use planted_models::wg_mgr::system::Scene;

use crate::found::{Shortest, WITHOUT_FAULTS, found, manager, read, with};

/// Where a fault is shown.
enum On {
    /// The client of this arm before a firmware without faults.
    Sound(Arm),
    /// The same before one that shows a reply nobody asked for.
    Stray(Arm),
    /// The manager in this scene.
    Manager(fn() -> Scene),
}

/// A READ is pushed, and its first wait begins.
const PUSHED: &str = "poll; clock 1; 8 access; clock 1; ";
/// A CLOSE is pushed, and its wait begins.
const CLOSE_PUSHED: &str = "close; clock 1; 6 access; clock 1; ";
/// The wait in hand, of three units, is over at the end of this, and the abort is written.
const GIVEN_UP: &str = "access; clock 2; access; clock 1; access; ";
/// A continuation is accepted: 4 bytes of the block, the sample that finds no more, the one that finds
/// that more follows, and the accept.
const CONTINUED: &str = "7 access; 8 access; 2 access; access; ";

/// A READ whose reply is shown.
fn shown(reply: &str) -> String {
    format!("{PUSHED}nios; reply {reply}; 2 nios; ")
}

/// What is read of a reply without payload and with a line of so many bytes: the header, the sample
/// that finds nothing else, the line, the sample behind it, and the accept.
fn no_payload(line: usize) -> String {
    format!("7 access; access; {} access; access; access", 2 * line)
}

/// What is read of a reply with so many bytes, the line `00,OK`, and no more announced.
fn payload(bytes: usize) -> String {
    format!("7 access; {} access; 2 access; 10 access; access; access", 2 * bytes)
}

/// Fault, system and steps.
fn hand_made() -> Vec<(&'static str, On, String)> {
    let mut all = of_one_block();
    all.extend(of_two_blocks());
    all.extend(of_ends());
    all.extend(of_waits());
    all.extend(of_the_manager());
    all
}

/// READs of the client of one block.
fn of_one_block() -> Vec<(&'static str, On, String)> {
    let one = |fault, steps| (fault, On::Sound(Arm::One), steps);
    let empty_more = shown("1 announced, sent 0, more announced");
    let more = shown("1 announced, sent 1, more announced");
    vec![
        // One byte, all that is announced; the state says that more follows; accepted all the same.
        one("accept-data-more", format!("{more}7 access; 2 access; 2 access; access")),
        // The reply is given up at once, and its abort is not served.
        one(
            "post-abort-from-abort-only",
            format!("{more}7 access; 2 access; 2 access; access; clock 1; access; clock 1"),
        ),
        // A block without its byte, more announced: given up, and the abort is served.
        one(
            "short-not-8f",
            format!("{empty_more}7 access; 2 access; 2 access; access; clock 1; nios; access"),
        ),
        one("header-over-request-taken", shown("5 announced, sent 4") + "7 access"),
        // A byte is missing, or one too many: read to the end, and reported as data.
        one("bad-gate-removed", shown("1 announced, sent 0") + "2 access; " + &payload(0)),
        one("tail-dropped-in-silence", shown("1 announced, sent 2") + "2 access; " + &payload(1)),
        one("last-byte-left", shown("2 announced, sent 1") + &payload(1)),
        one("every-second-place", shown("2 bytes") + "7 access; 4 access"),
        one("length-high-byte-first", "poll; clock 1; 8 access".into()),
        one("handle-off-by-one", "close; clock 1; 6 access".into()),
        one("abort-with-push", "close; clock 1; 6 access".into()),
        // A reply nobody asked for comes between the last byte of a command and its push.
        (
            "rejected-as-reply",
            On::Stray(Arm::One),
            "poll; clock 1; 7 access; stray; access; clock 1; 7 access; 2 access".into(),
        ),
        (
            "close-no-retry",
            On::Stray(Arm::One),
            "close; clock 1; 5 access; stray; access; clock 1; 3 access".into(),
        ),
    ]
}

/// READs that continue.
fn of_two_blocks() -> Vec<(&'static str, On, String)> {
    let two = |fault, steps| (fault, On::Sound(Arm::Two), steps);
    let five = shown("5 bytes");
    vec![
        two("request-893", "poll; clock 1; 8 access".into()),
        // No accept: the rest is looked for, the reply given up, and the abort served.
        two(
            "more-never-taken",
            format!("{five}7 access; 8 access; 2 access; 2 access; access; clock 1; nios; access"),
        ),
        two(
            "more-after-short-block",
            shown("1 announced, sent 0, more announced") + "7 access; 2 access",
        ),
        // After the accept the continuation is read at once: none is there, and no line.
        two("more-no-wait", format!("{five}{CONTINUED}2 access; 2 access; access; access")),
        // The accept's own wait is a unit shorter, because a unit has gone since the push.
        two("more-bound-short", format!("{five}{CONTINUED}clock 1; access; clock 2; access")),
        // It never comes: given up, and the abort served.
        two(
            "more-lost-not-89",
            format!("{five}{CONTINUED}clock 1; {GIVEN_UP}clock 1; 3 nios; access"),
        ),
    ]
}

/// Ends of a stream.
fn of_ends() -> Vec<(&'static str, On, String)> {
    let one = |fault, steps| (fault, On::Sound(Arm::One), steps);
    // `01,CONNECTION CLOSED: 104...` and its like are 28 bytes.
    let gone = |line: &str| shown(line) + &no_payload(28);
    vec![
        one("close-after-gone", gone("closed, 01") + "; close; clock 1; 6 access"),
        one("05-as-owned", gone("closed, 05")),
        one("sticky-as-gone", shown("$0000 and 00") + &no_payload(5)),
        one("dead-read-no-code", shown("$0000 and 00") + &no_payload(5)),
        // `02,NO DATA: 9` and `02,NO DATA: 12`.
        one("ffff-9-as-idle", shown("not ours, errno 9") + &no_payload(13)),
        one("idle-11-unchecked", shown("not ours, errno 12") + &no_payload(14)),
        // Valid, not refused, empty; nothing left; `82`; accept.
        one("empty-reply-as-eof", shown("no header, 82") + "3 access; access; 4 access; 2 access"),
        one("accept-before-status", shown("nothing yet") + "7 access; 2 access; access"),
    ]
}

/// Waits and aborts.
fn of_waits() -> Vec<(&'static str, On, String)> {
    let one = |fault, steps| (fault, On::Sound(Arm::One), steps);
    let units = |count: usize| "access; clock 1; ".repeat(count);
    vec![
        // Given up, served late, and then anything: the connection is still open.
        one(
            "aborted-read-kept",
            format!("{PUSHED}{GIVEN_UP}clock 1; nios; reply 1 bytes; 3 nios; access; close"),
        ),
        // The same of a CLOSE, which has then completed.
        one(
            "aborted-close-kept",
            format!("{CLOSE_PUSHED}{GIVEN_UP}clock 1; nios; closed; 3 nios; access"),
        ),
        // Nobody serves the abort, then somebody does, and the client closes.
        one(
            "wedge-not-latched",
            format!(
                "{PUSHED}{GIVEN_UP}clock 1; access; clock 1; nios; reply 1 bytes; 3 nios; \
                 close; clock 1; 2 access"
            ),
        ),
        one("wait-a-unit-short", format!("{CLOSE_PUSHED}access; clock 2; access")),
        // Three units and four more, two of them at once.
        one("wait-four-units-long", format!("{CLOSE_PUSHED}access; clock 2; {}access", units(5))),
        // Two units are gone when the wait begins; 28 are the most of any request.
        one("wait-without-end", format!("{CLOSE_PUSHED}access; clock 2; {}", units(25))),
    ]
}

/// What the manager's loop does.
fn of_the_manager() -> Vec<(&'static str, On, String)> {
    // Awake; no tunnel packet, no update; the first box: a slot is then free for a third. Behind each box
    // its pong is sealed, and one more step finds nothing else to send.
    let opens = "Known; Known; 4 step; Known; 6 step";
    // Removed and another added in the next pass, then the pong to what was asked of the first.
    let reuse = "CallMeMaybe; 3 step; Remove; Add; 6 step; Pong; 11 step";
    vec![
        ("known-key-no-drain", On::Manager(Scene::drain), opens.into()),
        ("drain-never-between-opens", On::Manager(Scene::drain), opens.into()),
        ("echo-answered", On::Manager(Scene::echo), "CallMeMaybe; 5 step".into()),
        ("pong-of-any-owner", On::Manager(Scene::reuse), reuse.into()),
        ("generation-kept", On::Manager(Scene::reuse), reuse.into()),
    ]
}

/// The steps as words: `8 access` is eight of them.
fn words(steps: &str) -> Vec<String> {
    let word = |step: &str| match step.split_once(' ') {
        Some((count, word)) if count.parse::<usize>().is_ok() => {
            vec![word.to_owned(); count.parse().unwrap_or_default()]
        }
        _ => vec![step.to_owned()],
    };
    steps.split(';').map(str::trim).filter(|step| !step.is_empty()).flat_map(word).collect()
}

/// Follows the steps; they break the rule that the checker found broken.
#[track_caller]
fn shows<M: Model>(fault: &str, number: usize, make: impl Fn() -> M, steps: &[String]) {
    let Shortest { rule, clause, .. } = found()[number].expect("it was found");
    with(number, &make, |model| {
        let replayed = replay(model, steps).map_err(|error| format!("{fault}: {error}"));
        let Replayed { path, broken } = replayed.expect("the steps can be made");
        let shown = broken.iter().any(|(name, _)| *name == rule);
        assert!(shown, "{fault}: {rule} ({clause}) is not broken\n{}", path.render(model));
    });
    // Without the fault the same steps break nothing, as far as they can be made.
    with(usize::MAX, make, |model| {
        if let Ok(replayed) = replay(model, steps) {
            let broken = replayed.broken.iter().any(|(name, _)| *name == rule);
            assert!(!broken, "{fault}: {rule} is broken without it");
        }
    });
}

/// Cites ER-1, ER-1 N-1, ER-5, ER-7, ER-9, ER-11, ER-12, S 1.6, S 1.6 M10, App. A, WG-DISCO-1, WG-Q2,
/// WG-CMM-2 and WG-REM-1.
#[test]
fn no_counterexample_is_longer_than_the_one_that_a_person_made() {
    let hand_made = hand_made();
    for (number, fault) in FAULTS.iter().enumerate() {
        let mut of_fault = hand_made.iter().filter(|(name, ..)| *name == fault.name);
        let (name, on, steps) = of_fault.next().expect("each fault has been thought about");
        let steps = words(steps);
        match on {
            On::Sound(arm) => shows(name, number, || read(*arm, WITHOUT_FAULTS), &steps),
            On::Stray(arm) => shows(name, number, || read(*arm, Bounds::ONE_READ), &steps),
            On::Manager(scene) => shows(name, number, || manager(scene()), &steps),
        }
        let found = found()[number].expect("it was found").steps;
        assert!(found <= steps.len(), "{name}: found {found} steps, by hand {}", steps.len());
    }
}
