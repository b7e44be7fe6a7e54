//! The command task: its order inside one item, and the windows that order leaves open.
use super::{control, let_work, open, push, response, running, status, text};
use firmware_core::m3_read::registers::{Register, Status};
use models::m3_read::responder::firmware::{AbortedAccept, Firmware};
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::task::Work;
use models::m3_read::responder::{Input, Output, Responder};

/// A responder with an open session that shows the first of two blocks.
fn between_blocks(firmware: Firmware) -> Responder {
    let mut responder = running(firmware);
    open(&mut responder);
    push(&mut responder, &[0x03, 0x10, 0, 0xC0, 0x05]);
    let_work(&mut responder);
    assert!(responder.answer(Answer::Data(vec![b'x'; 960])));
    let_work(&mut responder);
    assert_eq!(response(&mut responder, 2_000).len(), 895);
    assert_eq!(status(&mut responder), Status(0x30), "no status text between blocks");
    assert_eq!(responder.blocks_left(), 1);
    responder
}

#[test]
fn busy_falls_before_the_reply_is_valid() {
    let mut responder = running(Firmware::M3);
    push(&mut responder, &[0x03, 0x25]);
    let seen: Vec<(Work, u8)> = core::iter::from_fn(|| {
        let work = responder.work()?;
        Some((work, status(&mut responder).0))
    })
    .collect();
    let expected = [
        (Work::Interrupt(0x01), 0x11),
        (Work::Parsed { number: 0x25, asks: false }, 0x11),
        (Work::CommandTaken, 0x10),
        (Work::Shown { bytes: 1 }, 0xE0),
    ];
    assert_eq!(seen, expected);
}

/// Cites S 1.1 ABORT.
#[test]
fn an_abort_is_served_only_once_the_running_command_has_replied() {
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    push(&mut responder, &[0x03, 0x10, 0, 0xC0, 0x05]);
    let_work(&mut responder);
    control(&mut responder, 0x04);
    assert_eq!(let_work(&mut responder), [Work::Interrupt(0x04)]);
    assert_eq!(status(&mut responder), Status(0x15), "the command runs on");
    assert!(responder.answer(Answer::Data(vec![b'x'; 10])));
    let works = let_work(&mut responder);
    assert_eq!(works, [Work::CommandTaken, Work::Shown { bytes: 12 }, Work::Reset]);
    assert_eq!(status(&mut responder), Status(0));
}

/// Cites S 1.1 ABORT: the reset drops the pending reply.
#[test]
fn an_abort_forgets_the_blocks_that_were_not_taken() {
    let mut responder = between_blocks(Firmware::M3);
    control(&mut responder, 0x04);
    let_work(&mut responder);
    assert_eq!(responder.blocks_left(), 0);
    assert_eq!(status(&mut responder), Status(0));
}

/// Cites ER-5.
#[test]
fn the_next_block_is_visible_while_its_accept_flag_is_still_up() {
    let mut responder = between_blocks(Firmware::M3);
    control(&mut responder, 0x02);
    assert_eq!(responder.work(), Some(Work::Interrupt(0x02)));
    assert_eq!(responder.work(), Some(Work::NextBlock { bytes: 67 }));
    assert_eq!(status(&mut responder), Status(0xE0 | Status::ACCEPT_PENDING));
    assert_eq!(responder.work(), Some(Work::AcceptTaken));
    assert_eq!(status(&mut responder), Status(0xE0));
    assert_eq!((response(&mut responder, 99).len(), text(&mut responder)), (67, "00,OK".into()));
}

/// A block that is accepted inside that window is accepted for nobody.
#[test]
fn an_accept_in_that_window_is_wiped_and_the_state_stays_busy() {
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    push(&mut responder, &[0x03, 0x10, 0, 0xC0, 0x05]);
    let_work(&mut responder);
    let block = |more| {
        models::m3_read::responder::reply::Block::try_new(b"x".to_vec(), Vec::new(), more)
            .expect("it fits")
    };
    assert!(responder.answer(Answer::Forced([block(true), block(true), block(false)].into())));
    let_work(&mut responder);
    control(&mut responder, 0x02);
    assert_eq!(responder.work(), Some(Work::Interrupt(0x02)));
    assert_eq!(responder.work(), Some(Work::NextBlock { bytes: 1 }));
    control(&mut responder, 0x02);
    let_work(&mut responder);
    assert_eq!(status(&mut responder), Status(0x10), "busy, for ever");
    assert_eq!(responder.work(), None);
}

/// The documented limitation of #806. Cites S 1.1 ABORT.
#[test]
fn an_accept_and_an_abort_in_one_interrupt_publish_an_empty_block_on_that_firmware() {
    for (aborted_accept, after) in
        [(AbortedAccept::Answered, Status(0x60)), (AbortedAccept::Dropped, Status(0))]
    {
        let mut responder = between_blocks(Firmware { aborted_accept, ..Firmware::M3 });
        control(&mut responder, 0x02);
        control(&mut responder, 0x04);
        assert_eq!(responder.work(), Some(Work::Interrupt(0x06)));
        assert_eq!(responder.work(), Some(Work::Reset));
        let_work(&mut responder);
        assert_eq!(status(&mut responder), after);
        let line = text(&mut responder);
        assert_eq!(line == "03,MORE DATA NOT SUPPORTED", after == Status(0x60), "{line}");
    }
}

#[test]
fn a_core_that_reports_every_accept_gets_an_answer_to_the_last_one_too() {
    let mut responder = running(Firmware::OLD_CORE);
    push(&mut responder, &[0x03, 0x05, 0]);
    let_work(&mut responder);
    control(&mut responder, 0x02);
    assert_eq!(status(&mut responder), Status(Status::ACCEPT_PENDING));
    let_work(&mut responder);
    assert_eq!(text(&mut responder), "03,MORE DATA NOT SUPPORTED");
}

#[test]
fn bit_7_of_the_target_asks_for_no_reply() {
    let mut responder = running(Firmware::M3);
    push(&mut responder, &[0x83, 0x25]);
    assert_eq!(let_work(&mut responder).last(), Some(&Work::Shown { bytes: 0 }));
    assert_eq!(status(&mut responder), Status(0));
}

#[test]
fn a_push_without_a_command_gets_an_empty_reply() {
    let mut responder = running(Firmware::M3);
    push(&mut responder, &[]);
    let_work(&mut responder);
    assert_eq!(status(&mut responder), Status(0x20));
}

/// Command bytes that go out before an abort is served lose their beginning to its reset: here the
/// low byte of port 443 becomes the target, and its bit 7 asks for no reply.
#[test]
fn a_reset_in_the_middle_of_a_command_makes_a_later_byte_its_first() {
    let mut responder = running(Firmware::M3);
    control(&mut responder, 0x04);
    responder.write(Register::Command, 0x03);
    responder.write(Register::Command, 0x21);
    let_work(&mut responder);
    push(&mut responder, b"\xBB\x01\0\x01example.org");
    let_work(&mut responder);
    assert_eq!(status(&mut responder), Status(0), "silence");
}

#[test]
fn an_answer_that_nobody_asked_for_changes_nothing() {
    let mut responder = running(Firmware::M3);
    let before = responder.clone();
    assert_eq!(responder.step(Input::Answer(Answer::Sent)), Output::Unexpected);
    assert_eq!(responder.step(Input::Nios), Output::Waits);
    assert_eq!(responder, before);
}

#[test]
fn the_step_function_does_what_the_methods_do() {
    let mut responder = running(Firmware::M3);
    for byte in [0x03, 0x23, 0xFF] {
        assert_eq!(responder.step(Input::Write(Register::Command, byte)), Output::Taken);
    }
    responder.step(Input::Write(Register::Control, 0x01));
    assert_eq!(responder.step(Input::Nios), Output::Worked(Work::Interrupt(0x01)));
    let parsed = Work::Parsed { number: 0x23, asks: true };
    assert_eq!(responder.step(Input::Nios), Output::Worked(parsed));
    assert_eq!(responder.step(Input::Nios), Output::Waits);
    assert_eq!(responder.step(Input::Answer(Answer::Ready(3))), Output::Worked(Work::Answered));
    responder.step(Input::Nios);
    responder.step(Input::Nios);
    assert_eq!(responder.step(Input::Read(Register::Control)), Output::Byte(0xE0));
    assert_eq!(responder.step(Input::ResetC64), Output::Taken);
    assert_eq!(responder.step(Input::Nios), Output::Worked(Work::Reset));
}
