//! The register file: what each strobe does in each state, and where the pointers stop.
use super::{control, let_work, open, push, reply, response, running, status};
use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::registers::{ID, ID_WITH_INTERRUPT, Register, Status};
use models::m3_read::responder::firmware::{Firmware, FpgaVariant, ReadPastEnd};
use models::m3_read::responder::network::Answer;
use models::m3_read::responder::reply::Block;
use models::m3_read::responder::task::Work;
use models::m3_read::responder::{Fault, Responder};

/// A responder that shows a block of these bytes.
fn showing(firmware: Firmware, data: &[u8], line: &str, more: bool) -> Responder {
    let mut responder = running(firmware);
    let block = Block::try_new(data.to_vec(), line.into(), more).expect("it fits");
    responder.suffer(Fault::StrayReply(block));
    responder
}

/// Cites App. A.
#[test]
fn a_push_is_refused_by_the_state_alone_and_the_refusal_sticks() {
    let mut responder = showing(Firmware::M3, b"x", "00,OK", false);
    control(&mut responder, 0x01);
    assert!(status(&mut responder).error());
    assert_eq!(let_work(&mut responder), [], "nothing runs");
    control(&mut responder, 0x04);
    let_work(&mut responder);
    assert!(status(&mut responder).error(), "the firmware's reset does not clear it");
    responder.reset_c64();
    let_work(&mut responder);
    assert!(status(&mut responder).error(), "nor does a reset of the C64");
    control(&mut responder, 0x08);
    assert_eq!(status(&mut responder), Status(0));
}

#[test]
fn clearing_the_error_and_pushing_in_one_write_leaves_it_set_while_not_idle() {
    let mut responder = showing(Firmware::M3, b"x", "00,OK", false);
    control(&mut responder, 0x09);
    assert!(status(&mut responder).error());
}

#[test]
fn a_push_and_an_accept_in_one_write_refuse_the_push_and_free_the_interface() {
    let mut responder = showing(Firmware::M3, b"x", "00,OK", false);
    control(&mut responder, 0x03);
    assert_eq!(status(&mut responder), Status(Status::ERROR));
}

#[test]
fn the_last_accept_is_pure_hardware() {
    let mut responder = showing(Firmware::M3, b"x", "00,OK", false);
    control(&mut responder, 0x02);
    assert_eq!(status(&mut responder), Status(0), "idle at once");
    assert_eq!(let_work(&mut responder), [], "the Nios never learns of it");
}

#[test]
fn an_accept_without_a_block_is_ignored() {
    let mut responder = running(Firmware::M3);
    control(&mut responder, 0x02);
    assert_eq!(status(&mut responder), Status(0));
    push(&mut responder, &[0x03, 0x25]);
    control(&mut responder, 0x02);
    assert_eq!(status(&mut responder), Status(0x11));
}

/// Cites ER-5.
#[test]
fn an_accept_on_data_more_makes_the_interface_busy_until_the_next_block() {
    let mut responder = showing(Firmware::M3, b"abc", "", true);
    control(&mut responder, 0x02);
    assert_eq!(status(&mut responder), Status(0x10 | Status::ACCEPT_PENDING));
    assert_eq!(responder.read(Register::Response), 0, "the queue is hidden");
}

/// Cites S 1.1 ABORT.
#[test]
fn an_abort_hides_both_queues_and_leaves_the_state() {
    let mut responder = showing(Firmware::M3, b"abc", "00,OK", false);
    assert_eq!(status(&mut responder), Status(0xE0));
    control(&mut responder, 0x04);
    assert_eq!(status(&mut responder), Status(0x24));
    assert_eq!(responder.read(Register::Text), 0);
    let_work(&mut responder);
    assert_eq!(status(&mut responder), Status(0));
}

/// Cites case 19, ER-5.
#[test]
fn a_block_of_895_bytes_ends_and_one_of_896_never_does() {
    for (bytes, read) in [(895, 895), (896, 2_000)] {
        let data: Vec<u8> = (0..bytes).map(|at: u16| (at % 251).to_le_bytes()[0]).collect();
        let mut responder = showing(Firmware::STOCK_3_15, &data, "00,OK", false);
        let taken = response(&mut responder, 2_000);
        assert_eq!(taken.len(), read);
        assert_eq!(taken[..data.len()], data);
        let last = data.last().expect("the block is not empty");
        assert!(taken[data.len()..].iter().all(|byte| byte == last), "the last byte again");
    }
}

#[test]
fn reading_an_exhausted_queue_gives_0_and_moves_the_pointer_on() {
    let mut hardware = showing(Firmware::M3, b"ab", "", false);
    let bytes: Vec<u8> = (0..4).map(|_| hardware.read(Register::Response)).collect();
    assert_eq!((bytes, hardware.fpga().response_at()), (b"ab\0\0".to_vec(), 4));

    assert_eq!(Firmware::PYTHON_MODEL.fpga.read_past_end, ReadPastEnd::Stays);
    let mut model = showing(Firmware::PYTHON_MODEL, b"ab", "", false);
    let bytes: Vec<u8> = (0..4).map(|_| model.read(Register::Response)).collect();
    assert_eq!((bytes, model.fpga().response_at()), (b"ab\0\0".to_vec(), 2));
}

/// Cites ER-5.
#[test]
fn a_new_block_sets_both_pointers_to_the_start() {
    let mut responder = running(Firmware::M3);
    for _ in 0..5 {
        responder.read(Register::Response);
        responder.read(Register::Text);
    }
    let record = reply(&mut responder, &[0x03, 0x25], Answer::Sent);
    assert_eq!(record, (vec![0], "00,OK".into()));
}

#[test]
fn a_status_line_has_at_most_255_bytes() {
    let line = "x".repeat(255);
    let mut responder = showing(Firmware::M3, b"", &line, false);
    assert_eq!(super::text(&mut responder), line);
    assert!(Block::try_new(Vec::new(), vec![b'x'; 256], false).is_err());
}

/// Cites ER-5: which is why the client looks again before it reads.
#[test]
fn a_look_on_the_clock_of_validation_sees_a_valid_block_without_bytes() {
    let mut responder = showing(Firmware::M3, b"abc", "00,OK", false);
    assert_eq!(responder.read_on_the_same_clock(Register::Control), 0x20);
    assert_eq!(responder.read(Register::Control), 0xE0);
}

#[test]
fn the_identifier_tells_of_an_interrupt_that_the_push_asked_for() {
    let mut responder = running(Firmware::M3);
    for byte in [0x03, 0x25] {
        responder.write(Register::Command, byte);
    }
    control(&mut responder, 0x21);
    assert_eq!(responder.read(Register::Command), ID);
    let_work(&mut responder);
    assert_eq!(responder.read(Register::Command), ID_WITH_INTERRUPT);
    control(&mut responder, 0x02);
    assert_eq!(responder.read(Register::Command), ID);
}

#[test]
fn only_control_and_command_take_writes_and_the_bus_id_is_that_of_no_drive() {
    let mut responder = running(Firmware::M3);
    let before = responder.clone();
    for register in [Register::BusId, Register::Response, Register::Text] {
        responder.write(register, 0xFF);
    }
    assert_eq!(responder, before);
    assert_eq!(responder.read(Register::BusId), 0);
}

#[test]
fn an_interface_that_is_off_answers_nothing_and_takes_nothing() {
    let off = FpgaVariant { enabled: false, ..Firmware::M3.fpga };
    let mut responder = running(Firmware { fpga: off, ..Firmware::M3 });
    push(&mut responder, &[0x03, 0x25]);
    assert_eq!(Register::ALL.map(|register| responder.read(register)), [0xFF; 5]);
    assert_eq!(responder.fpga().state(), State::Idle);
}

/// A 896th byte goes to the last place and is not counted: 893 bytes of a WRITE are 892, and nothing
/// says so.
#[test]
fn a_command_is_counted_up_to_895_bytes() {
    let all = FpgaVariant { command_count_max: 896, ..Firmware::M3.fpga };
    let counting_all = Firmware { fpga: all, ..Firmware::M3 };
    for (firmware, payload, sent) in [
        (Firmware::M3, 892, 892),
        (Firmware::M3, 893, 892),
        (Firmware::M3, 900, 892),
        (counting_all, 893, 893),
    ] {
        let mut responder = running(firmware);
        open(&mut responder);
        let command = [&[0x03, 0x11, 0], vec![b'x'; payload].as_slice()].concat();
        push(&mut responder, &command);
        let_work(&mut responder);
        assert_eq!(super::asked_to_send(&responder), sent, "of {payload}");
    }
}

/// The pointer goes back to the start when the command is taken, not when it is pushed.
#[test]
fn bytes_written_behind_a_push_are_lost_on_hardware_and_kept_by_the_python_model() {
    for (firmware, line) in [(Firmware::M3, "81,INVALID PARAMS"), (Firmware::PYTHON_MODEL, "00,OK")]
    {
        let mut responder = running(firmware);
        push(&mut responder, &[0x03, 0x05, 0x00]);
        let_work_until_parsed(&mut responder);
        responder.write(Register::Command, 0x03);
        let_work(&mut responder);
        control(&mut responder, 0x02);
        // The rest of a RELEASE, whose first byte was written too early.
        assert_eq!(reply(&mut responder, &[0x25], Answer::Sent).1, line);
    }
}

fn let_work_until_parsed(responder: &mut Responder) {
    while let Some(work) = responder.work() {
        if matches!(work, Work::Parsed { .. }) {
            return;
        }
    }
}
