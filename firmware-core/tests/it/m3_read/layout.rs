//! The bytes of each command as they go over the bus.
use super::bus::{Honest, SERVER, connected, run};
use firmware_core::m3_read::M3Read;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::input::{OpenRequest, Request, Trust};
use firmware_core::m3_read::output::{CloseOutcome, Done, PollOutcome, WriteOutcome};
use firmware_core::m3_read::preset::Arm;

#[track_caller]
fn opening(request: OpenRequest) -> (Option<Done>, Vec<Vec<u8>>) {
    let mut reader = M3Read::new(Arm::Two.config()).expect("the arm is sound");
    let mut bus = Honest::default();
    let done = run(&mut reader, &mut bus, Request::Open(request), 10_000);
    (done, bus.pushed)
}

/// Cites S 1.7, ER-4, S 1.1 open.
#[test]
fn open_sends_port_trust_flags_and_then_the_callers_bytes() {
    let (done, pushed) = opening(SERVER);
    assert_eq!(done, Some(Done::Open(Ok(()))));
    assert_eq!(pushed[0], [0x03, 0x23, 0xFF], "INFO has exactly three bytes");
    // The honest bus is given the offset as the caller's byte.
    let host: Vec<u8> = (0..11).collect();
    assert_eq!(pushed[1], [&[0x03, 0x21, 0xBB, 0x01, 0, 1], host.as_slice()].concat());
}

#[test]
fn a_pin_stands_before_the_host_and_needs_no_trusted_time() {
    let request = OpenRequest { trust: Trust::Pin, tls13_only: false, ..SERVER };
    let (_, pushed) = opening(request);
    assert_eq!(pushed[1].len(), 6 + 32 + 11);
    assert_eq!(pushed[1][4..6], [2, 0]);
}

/// Cites S 1.1 tail grammar.
#[test]
fn a_host_name_of_no_byte_or_of_254_is_refused_without_a_command() {
    for host_bytes in [0, 254] {
        let (done, pushed) = opening(OpenRequest { host_bytes, ..SERVER });
        assert_eq!(done, Some(Done::Open(Err(ErrorCode::ConnectFailed))));
        assert_eq!(pushed, Vec::<Vec<u8>>::new());
    }
    let (done, pushed) = opening(OpenRequest { host_bytes: 253, ..SERVER });
    assert_eq!((done, pushed[1].len()), (Some(Done::Open(Ok(()))), 6 + 253));
}

/// Cites S 0.
#[test]
fn read_write_and_close_name_the_handle() {
    let mut reader = connected(Arm::Two.config());
    let mut bus = Honest::default();
    let polled = run(&mut reader, &mut bus, Request::Poll, 1_000);
    assert_eq!(polled, Some(Done::Poll(PollOutcome::Idle)));
    let written = run(&mut reader, &mut bus, Request::Write { length: 2 }, 1_000);
    assert_eq!(written, Some(Done::Write(WriteOutcome::Sent)));
    let closed = run(&mut reader, &mut bus, Request::Close, 1_000);
    assert_eq!(closed, Some(Done::Close(CloseOutcome::Closed)));
    let read: &[u8] = &[0x03, 0x10, 7, 0xC0, 0x05];
    assert_eq!(bus.pushed, [read, read, &[0x03, 0x11, 7, 0, 1], &[0x03, 0x09, 7]]);
}

#[test]
fn nothing_to_send_sends_no_write() {
    let mut reader = connected(Arm::One.config());
    let mut bus = Honest::default();
    let written = run(&mut reader, &mut bus, Request::Write { length: 0 }, 1_000);
    assert_eq!(written, Some(Done::Write(WriteOutcome::Sent)));
    assert_eq!(bus.pushed, [[0x03, 0x10, 7, 0x7D, 0x03]], "only what is pending is read");
}

/// Cites client rules.
#[test]
fn the_first_interface_with_an_address_is_taken() {
    let mut reader = M3Read::new(Arm::One.config()).expect("the arm is sound");
    let mut bus = Honest::default();
    let done = run(&mut reader, &mut bus, Request::Address, 1_000);
    assert_eq!(done, Some(Done::Address(Ok([192, 0, 2, 9]))));
    assert_eq!(bus.pushed, [[0x03, 0x05, 0]]);
}
