//! What the HTTP layer decides on: the client's half of five tests that reach into it.
use crate::m3_read::talk::{after, close, connected, poll, stream};
use firmware_core::m3_read::output::{CloseOutcome, Ending, PollOutcome};
use firmware_core::m3_read::ownership::Connection;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;

/// Cites S 1.5, S:2012.
#[test]
fn http_content_length_end_to_end() {
    for (arm, request, reads) in [(Arm::F, 893_u16, 3), (Arm::One, 893, 3), (Arm::Two, 1_472, 3)] {
        let mut pair = connected(arm);
        // Three engine steps; what does not fit a request waits in the firmware for the next one.
        let steps = [(0, 893), (893, 893), (1_786, 214)];
        pair.engine.reads.extend(steps.map(|(at, n)| after(0, Answer::Data(stream(at, n)))));
        let mut body = Vec::new();
        while poll(&mut pair) != PollOutcome::Idle {
            body.extend(pair.consume());
        }
        assert_eq!(body, stream(0, 2_000), "arm {}", arm.name());
        assert_eq!(pair.log.commands.len(), reads + 1);
        for command in &pair.log.commands {
            assert_eq!(command[3..], request.to_le_bytes());
        }
    }
}

/// An unframed body is complete after 01 and not after 05: the client keeps the two apart.
#[test]
fn http_05_unframed_is_short() {
    let endings = [true, false].map(|notified| {
        let mut pair = connected(Arm::Two);
        pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 100))));
        pair.engine.reads.push_back(after(0, Answer::Ended { notified }));
        assert_eq!(poll(&mut pair), PollOutcome::Data(100));
        poll(&mut pair);
        assert_eq!(pair.reader.connection(), Connection::Closed);
        pair.reader.ending()
    });
    assert_eq!(endings, [Some(Ending::Clean), Some(Ending::WithoutNotify)]);
}

/// A body that stalls leaves the client connected and without an ending: nothing says it is whole.
#[test]
fn http_unframed_stall_is_short() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 100))));
    assert_eq!(poll(&mut pair), PollOutcome::Data(100));
    let tail = pair.reader.ring().tail();
    while pair.now() < 6_000 {
        assert_eq!(poll(&mut pair), PollOutcome::Idle);
    }
    assert_eq!(pair.reader.ring().tail(), tail, "60 s without a byte");
    assert_eq!((pair.reader.connection(), pair.reader.ending()), (Connection::Connected, None));
}

/// A consumer whose sink refuses a write stops taking bytes: the client fills its ring, asks for no
/// byte more than fits, and closes when it is told to.
#[test]
fn http_sink_refusal_stops() {
    for size in [2_000, 100] {
        let mut pair = connected(Arm::One);
        pair.engine.reads.push_back(after(0, Answer::Data(stream(0, size))));
        assert_eq!(poll(&mut pair), PollOutcome::Data(size.min(893)));
        assert_eq!(close(&mut pair), CloseOutcome::Closed);
        assert_eq!(pair.log.numbers(), [0x10, 0x09], "it stops early");
        assert_eq!(pair.unread(), stream(0, size.min(893)));
    }
}

/// A body too big for its sink: the ring runs full, no register is touched, and no byte is dropped.
#[test]
fn refused_body_skips_the_viewer() {
    let mut pair = connected(Arm::Two);
    for step in 0..5 {
        pair.engine.reads.push_back(after(0, Answer::Data(stream(step * 960, 960))));
    }
    let polled: Vec<PollOutcome> = (0..6).map(|_| poll(&mut pair)).collect();
    let (full, rest) = (PollOutcome::Full, PollOutcome::Data(4_095 - 4 * 960));
    assert_eq!(polled[..4], [PollOutcome::Data(960); 4]);
    assert_eq!(polled[4..], [rest, full]);
    assert_eq!(pair.log.numbers(), [0x10; 5], "FULL sends no READ");
    assert_eq!(pair.consume(), stream(0, 4_095));
    assert_eq!(poll(&mut pair), PollOutcome::Data(5 * 960 - 4_095));
    assert_eq!(pair.consume(), stream(4_095, 5 * 960 - 4_095));
}
