//! Faults that people reported in public, with their right outcomes.
use crate::m3_read::talk::{
    HOST, SECOND, after, close, connected, forced, open, poll, stream, with_engine,
};
use firmware_core::m3_read::config::Config;
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::output::{CloseOutcome, PollOutcome};
use firmware_core::m3_read::preset::Arm;
use firmware_core::m3_read::registers::Register;
use models::m3_read::responder::firmware::Firmware;
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::pair::Continuation;
use models::m3_read::responder::script::Script;
use models::m3_read::responder::{Input, Responder, Setup};

/// Case 16: one READ over two blocks, and its edges.
#[test]
fn case_16_a_reply_over_one_or_two_blocks_arrives_whole() {
    for (total, accepts) in [(960, 2), (893, 1), (894, 2), (1_472, 2), (1, 1)] {
        let mut pair = connected(Arm::Two);
        pair.engine.reads.push_back(after(0, Answer::Data(stream(0, total))));
        // 5 ms are half a unit of the clock.
        pair.course.continuations.push_back(Continuation::After(1));
        assert_eq!(poll(&mut pair), PollOutcome::Data(total));
        assert_eq!(pair.unread(), stream(0, total), "in order, none twice");
        assert_eq!(pair.log.accepts.len(), accepts);
        assert_eq!(pair.log.violations, [], "no accept with unread bytes");
        assert_eq!(pair.log.reads[4], 5, "the status line once: 00,OK");
        assert_eq!(pair.log.aborts(), [0_u32; 0]);
    }
}

/// Case 17: more is announced behind a first block that was not full.
#[test]
fn case_17_more_after_a_short_first_block_is_a_hole_and_nothing_is_accepted_over_it() {
    for arm in Arm::ALL {
        let mut pair = connected(arm);
        let blocks = forced(&[(b"\x0A\0abc", "", true), (b"defghij", "00,OK", false)]);
        pair.engine.reads.push_back(after(0, blocks));
        assert_eq!(poll(&mut pair), PollOutcome::Hole(Hole::MoreAfterShortBlock));
        assert!(!pair.log.accepts.contains(&State::DataMore));
        let aborts: Vec<u8> = pair
            .log
            .controls
            .iter()
            .map(|(_, value)| *value)
            .filter(|value| value & 4 != 0)
            .collect();
        assert_eq!(aborts, [0x04], "once, and alone");
        assert_eq!(pair.unread(), b"abc");
        assert_eq!(close(&mut pair), CloseOutcome::Closed);
        assert_eq!(pair.log.numbers(), [0x10, 0x09]);
        assert_eq!(pair.log.violations, [], "nothing is written while the abort is pending");
    }
}

/// Case 18: $FFFF is not a length.
#[test]
fn case_18_ffff_is_idle_with_one_exact_line_and_else_not_ours() {
    for (line, outcome) in [
        ("02,NO DATA: 11", PollOutcome::Idle),
        ("02,NO DATA: 9", PollOutcome::NotOurs),
        ("00,OK", PollOutcome::NotOurs),
        ("", PollOutcome::NotOurs),
    ] {
        let mut pair = connected(Arm::One);
        pair.engine.reads.push_back(after(0, forced(&[(&[0xFF, 0xFF], line, false)])));
        assert_eq!(poll(&mut pair), outcome, "{line:?}");
        assert_eq!(pair.reader.ring().filled(), 0);
        if outcome == PollOutcome::NotOurs {
            assert_eq!(poll(&mut pair), PollOutcome::End);
            assert_eq!(close(&mut pair), CloseOutcome::NothingOwned);
        }
        assert_eq!(pair.log.numbers(), [0x10], "no CLOSE and no further READ");
    }
}

/// Case 19: a reply that fills the response RAM. The client of that time asked for 894. Cites ER-5.
#[test]
fn case_19_a_reply_of_895_bytes_ends_and_one_of_896_is_left_after_1024_bytes() {
    let config = Config { request_max: 894, ..Arm::One.config() };
    let firmware = Firmware { tls: true, ..Firmware::STOCK_3_15 };
    let setup = Setup { firmware, ..Setup::m3() };
    for (payload, outcome) in
        [(893, PollOutcome::Data(893)), (894, PollOutcome::Hole(Hole::BlockNeverEnds))]
    {
        let mut pair = with_engine(config, setup.clone(), Script::default());
        assert_eq!(open(&mut pair), Ok(()));
        let before = pair.log.reads[3];
        pair.engine.reads.push_back(after(0, Answer::Data(stream(0, payload))));
        assert_eq!(poll(&mut pair), outcome);
        assert_eq!(pair.unread(), stream(0, payload), "no byte past the header is kept");
        let reads = pair.log.reads[3] - before;
        assert_eq!(reads, if payload == 893 { 895 } else { 896 + 1_024 });
        assert!(reads < 2_000);
        assert_eq!(pair.log.violations, []);
    }
}

/// Case 31: sessions that nobody closes.
#[test]
fn case_31_a_reset_that_closes_nothing_runs_the_socket_pool_dry() {
    for (used_by_firmware, reset_closes, opened) in
        [(3, false, 5), (4, false, 4), (3, true, 10), (4, true, 10)]
    {
        let firmware = Firmware { reset_closes, ..Firmware::MULTI_BLOCK_806 };
        let setup = Setup { firmware, pool: 8, used_by_firmware, ..Setup::m3() };
        let mut responder = Responder::new(setup).expect("the set-up is sound");
        let mut handles = Vec::new();
        for session in 0..10 {
            let (data, line) = command(&mut responder, &[&[0x03, 0x08, 53, 0], HOST].concat());
            match data[..] {
                [handle] => handles.push(handle),
                _ => assert!(line.starts_with("85"), "session {session}: {line}"),
            }
            assert!(responder.sessions().iter().count() <= 1, "one client socket at a time");
            responder.step(Input::ResetC64);
            while responder.work().is_some() {}
        }
        assert_eq!(handles.len(), opened, "{used_by_firmware} used, closes: {reset_closes}");
        let leaked = if reset_closes { 0 } else { opened };
        assert_eq!(responder.sessions().leaked(), leaked);
        refuses_what_is_not_the_programs(&mut responder);
    }
}

/// A READ, WRITE or CLOSE that names a socket of the firmware's own or of an earlier session.
fn refuses_what_is_not_the_programs(responder: &mut Responder) {
    for handle in 0..8 {
        let refused = [
            (vec![0x03, 0x10, handle, 1, 0], "02,NO DATA: 9"),
            (vec![0x03, 0x11, handle, b'x'], "12,SEND ERROR: 9"),
            (vec![0x03, 0x09, handle], "12,ERROR ON CLOSE: 9"),
        ];
        for (bytes, refusal) in refused {
            let (_, line) = command(responder, &bytes);
            assert_eq!(line, refusal);
            assert_eq!(responder.asks(), None, "never carried out");
        }
    }
}

fn command(responder: &mut Responder, bytes: &[u8]) -> (Vec<u8>, String) {
    for &byte in bytes {
        responder.write(Register::Command, byte);
    }
    responder.write(Register::Control, 0x01);
    while responder.work().is_some() {}
    let (mut data, mut line) = (Vec::new(), String::new());
    while responder.read(Register::Control) & 0x80 != 0 {
        data.push(responder.read(Register::Response));
    }
    while responder.read(Register::Control) & 0x40 != 0 {
        line.push(char::from(responder.read(Register::Text)));
    }
    responder.write(Register::Control, 0x02);
    (data, line)
}

/// An accept that is served together with an abort leaves a block that nobody asked for: the next
/// command waits for an idle interface in vain, resets it, and runs.
#[test]
fn the_block_left_by_an_aborted_accept_costs_the_next_command_12_seconds_and_nothing_else() {
    let mut pair = connected(Arm::Two);
    pair.engine.reads.push_back(after(0, Answer::Data(stream(0, 960))));
    // The Nios looks only after the client has given up: it then sees both flags at once.
    pair.course.continuations.push_back(Continuation::After(13 * SECOND));
    assert!(matches!(poll(&mut pair), PollOutcome::TimedOut(_)));
    let started = pair.now();
    assert_eq!(close(&mut pair), CloseOutcome::Closed);
    assert!(pair.now() - started >= 12 * SECOND);
    assert_eq!(pair.log.aborts().len(), 2);
    assert_eq!(pair.log.violations, []);
}
