//! How many accesses a READ takes, and that no delay between client and firmware changes what it
//! brings.
use crate::m3_read::talk::{after, connected, poll, stream};
use firmware_core::m3_read::output::PollOutcome;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::{Continuation, Timing};

/// Accesses of one READ: writes of $DF1D and $DF1C, reads of $DF1C, $DF1E and $DF1F.
fn accesses(arm: Arm, answer: Answer) -> [u64; 5] {
    let mut pair = connected(arm);
    pair.engine.reads.push_back(after(0, answer));
    poll(&mut pair);
    let log = &pair.log;
    [log.writes[2], log.writes[1], log.reads[1], log.reads[3], log.reads[4]]
}

/// The published count, for k polls while waiting, n payload bytes and t bytes of status text:
/// 8 + k + n + t looks at STATUS for data in one block, 10 + k + n + t + k2 in two, 7 + k + t without.
#[test]
fn a_read_takes_as_many_accesses_as_the_published_client() {
    let (k, k2) = (1, 1);
    for arm in Arm::ALL {
        for n in [1_u16, 64, 893] {
            let one_block = accesses(arm, Answer::Data(stream(0, n)));
            let (n, t) = (u64::from(n), 5);
            assert_eq!(one_block, [5, 3, 8 + k + n + t, 2 + n, t], "arm {}", arm.name());
        }
        assert_eq!(accesses(arm, Answer::NothingYet), [5, 3, 7 + k + 14, 2, 14]);
    }
    for n in [894_u16, 960, 1_472] {
        let two_blocks = accesses(Arm::Two, Answer::Data(stream(0, n)));
        let (n, t) = (u64::from(n), 5);
        assert_eq!(two_blocks, [5, 4, 10 + k + n + t + k2, 2 + n, t]);
    }
}

/// The published two-sample race: a client that ends a block on one sample and takes the state from
/// another loses the continuation when it is validated between the two. Here no delay does that.
#[test]
fn every_delay_of_the_nios_gives_the_same_body() {
    for looks_on_the_same_clock in [false, true] {
        for accesses_per_work in 0..=24 {
            let mut pair = connected(Arm::Two);
            pair.timing = Timing { accesses_per_work, looks_on_the_same_clock, ..Timing::PROMPT };
            for (at, bytes) in [(0, 960), (960, 893), (1_853, 894), (2_747, 64)] {
                pair.engine.reads.push_back(after(0, Answer::Data(stream(at, bytes))));
                let polled = poll(&mut pair);
                assert_eq!(polled, PollOutcome::Data(bytes), "{:?}", pair.timing);
            }
            assert_eq!(pair.unread(), stream(0, 2_811), "{:?}", pair.timing);
            assert_eq!(pair.log.violations, []);
        }
    }
}

#[test]
fn every_latency_of_a_continuation_within_the_bound_gives_the_same_body() {
    for units in (0..1_200).step_by(97) {
        let mut pair = connected(Arm::Two);
        pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 960))));
        pair.course.continuations.push_back(Continuation::After(units));
        assert_eq!(poll(&mut pair), PollOutcome::Data(960), "after {units} units");
        assert_eq!(pair.unread(), stream(0, 960));
    }
}

/// A request is never more than the ring has room for, across the wrap too. Cites client rules.
#[test]
fn a_read_asks_for_what_fits_the_ring_and_no_more() {
    for (filled, asked) in [(0, 1_472), (2_623, 1_472), (2_624, 1_471), (4_094, 1), (4_095, 0)] {
        for start in [0, 4_000] {
            let mut pair = connected(Arm::Two);
            fill(&mut pair, start);
            pair.consume();
            fill(&mut pair, filled);
            let before = pair.log.commands.len();
            pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 1_472))));
            let polled = poll(&mut pair);
            if asked == 0 {
                assert_eq!(polled, PollOutcome::Full);
                assert_eq!(pair.log.commands.len(), before);
                continue;
            }
            let length = pair.log.commands[before][3..].to_vec();
            assert_eq!(length, u16::to_le_bytes(asked), "{filled} in the ring");
            assert_eq!(polled, PollOutcome::Data(asked));
            assert_eq!(pair.unread()[usize::from(filled)..], stream(0, asked));
        }
    }
}

fn fill(
    pair: &mut models::m3_read::responder::pair::Pair<models::m3_read::responder::script::Script>,
    bytes: u16,
) {
    for at in (0..bytes).step_by(893) {
        let step = (bytes - at).min(893);
        pair.engine.reads.push_back(after(0, Answer::Data(stream(at, step))));
        assert_eq!(poll(pair), PollOutcome::Data(step));
    }
}
