//! A reset of the C64 after any access: the next program finds an interface it can start on.
use crate::m3_read::talk::{after, connected, poll, restarted, start_up, stream};
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::input::Request;
use firmware_core::m3_read::output::PollOutcome;
use firmware_core::m3_read::preset::Arm;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::Pair;
use models::m3_read::responder::script::Script;

const PAYLOAD: u16 = 899;

/// A READ of two blocks, cut off after so many accesses; whether it had ended by then.
fn cut_off(pair: &mut Pair<Script>, accesses: u64) -> bool {
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, PAYLOAD))));
    pair.run_within(Request::Poll, accesses).is_ok()
}

/// Cites ER-2.
#[test]
fn a_reset_after_any_access_of_a_read_leaves_an_interface_that_starts() {
    let mut accesses = 0;
    loop {
        let mut pair = connected(Arm::Two);
        let ended = cut_off(&mut pair, accesses);
        pair.responder.reset_c64();
        pair.pass(0);
        restarted(&mut pair);
        assert_eq!(start_up(&mut pair), Ok(()), "after {accesses} accesses");
        assert_eq!(pair.responder.fpga().state(), State::Idle);
        assert_eq!(pair.responder.sessions().iter().count(), 0);
        assert_eq!(pair.log.violations, []);
        if ended {
            break;
        }
        // Every access at both ends and around the continuation, every 13th in the payload.
        let in_payload = (40..1_780).contains(&accesses);
        accesses += if in_payload { 13 } else { 1 };
    }
    assert!(accesses > u64::from(2 * PAYLOAD), "the whole READ was covered");
}

/// The same without the reset reaching the Ultimate: the client alone starts anew, and its first
/// abort clears what was left.
#[test]
fn a_program_that_starts_anew_in_the_middle_of_a_read_starts_too() {
    for accesses in [0, 3, 8, 9, 10, 12, 20, 500, 1_800, 1_810, 1_815] {
        let mut pair = connected(Arm::Two);
        cut_off(&mut pair, accesses);
        restarted(&mut pair);
        assert_eq!(start_up(&mut pair), Ok(()), "after {accesses} accesses");
        assert_eq!(poll(&mut pair), PollOutcome::End);
    }
}
