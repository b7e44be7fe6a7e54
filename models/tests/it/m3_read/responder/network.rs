//! The network target: parameters, sessions, claims, and what stays in the firmware.
use super::{let_work, open, push, reply, running};
use models::m3_read::responder::Responder;
use models::m3_read::responder::firmware::{Firmware, IdleHeader};
use models::m3_read::responder::network::{Answer, Ask};

fn line(responder: &mut Responder, command: &[u8]) -> String {
    reply(responder, command, Answer::Sent).1
}

fn read(responder: &mut Responder, length: u16, answer: Answer) -> (Vec<u8>, String) {
    let [low, high] = length.to_le_bytes();
    reply(responder, &[0x03, 0x10, 0, low, high], answer)
}

#[test]
fn a_session_is_described_in_eight_bytes() {
    let mut responder = running(Firmware::M3);
    let described = vec![0, 0x04, 0x03, 0x01, 0x13, 0x1D, 0x00, 0];
    assert_eq!(open(&mut responder), (described, "00,OK".into()));
}

/// Cites S:2012-2013, S 1.7, S 1.1 tail grammar.
#[test]
fn parameters_that_do_not_fit_are_refused_with_81_or_82() {
    let invalid = "81,INVALID PARAMS";
    let range = "82,PARAMETER(S) OUT OF RANGE";
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    let refused: [(&[u8], &str); 15] = [
        (&[0x03], invalid),
        (&[0x03, 0x09], invalid),
        (&[0x03, 0x09, 0, 0], invalid),
        (&[0x03, 0x10, 0, 1], invalid),
        (&[0x03, 0x10, 0, 0, 0], range),
        (&[0x03, 0x10, 0, 0xC1, 0x05], range),
        (&[0x03, 0x05, 1], range),
        (b"\x03\x21\xBB\x01\0\x02a", range),
        (b"\x03\x21\xBB\x01\x01\x01a", range),
        (b"\x03\x21\xBB\x01\0\x01", invalid),
        (b"\x03\x21\xBB\x01\0\x01a\0", invalid),
        (b"\x03\x21\xBB\x01\x02\x01too short for a pin", invalid),
        (&[0x03, 0x23], invalid),
        (&[0x03, 0x77], "21,UNKNOWN COMMAND"),
        (&[0x04, 0x10, 0, 1, 0], "21,UNKNOWN COMMAND"),
    ];
    for (command, refusal) in refused {
        let answer = reply(&mut responder, command, Answer::Sent);
        assert_eq!(answer, (Vec::new(), refusal.into()), "{command:02X?}");
    }
    let too_long = [b"\x03\x21\xBB\x01\0\x01".as_slice(), &[b'a'; 254]].concat();
    assert_eq!(line(&mut responder, &too_long), invalid);
}

/// Cites ER-7: the line alone tells "nothing yet" from "not yours".
#[test]
fn a_read_that_is_not_ours_has_its_own_line() {
    let mut responder = running(Firmware::M3);
    let no_count = vec![0xFF, 0xFF];
    let not_ours = read(&mut responder, 10, Answer::NothingYet);
    assert_eq!(not_ours, (no_count.clone(), "02,NO DATA: 9".into()));
    open(&mut responder);
    let nothing_yet = read(&mut responder, 10, Answer::NothingYet);
    assert_eq!(nothing_yet, (no_count, "02,NO DATA: 11".into()));
}

/// Cites ER-22.
#[test]
fn firmware_without_tls_does_not_know_its_commands() {
    let mut responder = running(Firmware::STOCK_3_15);
    for command in [b"\x03\x21\xBB\x01\0\x01a".as_slice(), &[0x03, 0x23, 0xFF], &[0x03, 0x25]] {
        assert_eq!(line(&mut responder, command), "21,UNKNOWN COMMAND");
    }
}

/// Cites S 1.8, ER-4.
#[test]
fn release_closes_only_what_no_command_has_claimed() {
    let released_after = |between: &[&[u8]]| {
        let mut responder = running(Firmware::M3);
        open(&mut responder);
        for command in between {
            reply(&mut responder, command, Answer::Ready(7));
        }
        reply(&mut responder, &[0x03, 0x25], Answer::Sent).0
    };
    assert_eq!(released_after(&[]), [1]);
    assert_eq!(released_after(&[&[0x03, 0x23, 0xFF]]), [1], "INFO FF does not claim");
    assert_eq!(released_after(&[&[0x03, 0x23, 0xFF, 0]]), [0], "a longer INFO does");
    assert_eq!(released_after(&[&[0x03, 0x25, 0]]), [0], "so does a longer RELEASE");
    assert_eq!(released_after(&[&[0x03, 0x05, 0]]), [0], "and any other network command");
}

/// Cites S 1.1 open.
#[test]
fn a_third_tls_session_finds_no_room() {
    let mut responder = running(Firmware::M3);
    assert_eq!(open(&mut responder).0.first(), Some(&0));
    assert_eq!(open(&mut responder).0.first(), Some(&1));
    let (data, line) = open(&mut responder);
    assert!(data.is_empty() && line.starts_with("91"), "{line}");
}

/// Cites S 1.6.
#[test]
fn the_ends_01_and_05_free_the_number_and_others_stick_until_it_is_closed() {
    for notified in [true, false] {
        let mut responder = running(Firmware::M3);
        open(&mut responder);
        let (header, line) = read(&mut responder, 893, Answer::Ended { notified });
        let code = if notified { "01" } else { "05" };
        assert_eq!((header, &line[..2]), (vec![0, 0], code));
        let (header, line) = read(&mut responder, 893, Answer::NothingYet);
        assert_eq!((header, line.as_str()), (vec![0xFF, 0xFF], "02,NO DATA: 9"));
    }
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    let dead = b"14,TLS ALERT RECEIVED: 20".to_vec();
    for answer in [Answer::Failed(dead), Answer::NothingYet] {
        let (header, line) = read(&mut responder, 893, answer);
        assert_eq!((header, line.as_str()), (vec![0, 0], "14,TLS ALERT RECEIVED: 20"));
    }
    assert_eq!(line(&mut responder, &[0x03, 0x09, 0]), "00,OK");
    assert_eq!(line(&mut responder, &[0x03, 0x09, 0]), "12,ERROR ON CLOSE: 9");
}

/// Cites S 1.5.
#[test]
fn what_a_step_brings_beyond_the_request_is_served_without_asking_again() {
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    let step: Vec<u8> = (0..960_u16).map(|at| (at % 251).to_le_bytes()[0]).collect();
    let (first, _) = read(&mut responder, 893, Answer::Data(step.clone()));
    assert_eq!((first.len(), &first[2..]), (895, &step[..893]));
    push(&mut responder, &[0x03, 0x10, 0, 0x7D, 0x03]);
    let_work(&mut responder);
    assert_eq!(responder.asks(), None, "no round trip for the 67 bytes that are left");
    let rest = super::response(&mut responder, 2_000);
    assert_eq!(rest, [&[67, 0], &step[893..]].concat());
}

/// Cites case 18.
#[test]
fn a_read_that_found_nothing_has_the_header_of_minus_one() {
    for (idle_header, header) in [(IdleHeader::NoCount, [0xFF; 2]), (IdleHeader::Zero, [0; 2])] {
        let mut responder = running(Firmware { idle_header, ..Firmware::M3 });
        open(&mut responder);
        let nothing = read(&mut responder, 893, Answer::NothingYet);
        assert_eq!(nothing, (header.to_vec(), "02,NO DATA: 11".into()));
    }
}

#[test]
fn a_write_names_a_session_of_ours_and_is_answered_in_full() {
    let mut responder = running(Firmware::M3);
    open(&mut responder);
    push(&mut responder, b"\x03\x11\0hello");
    let_work(&mut responder);
    let asked = Ask::Write { handle: 0, data: b"hello".to_vec() };
    assert_eq!(responder.asks(), Some(&asked));
    assert!(responder.answer(Answer::Sent));
    let_work(&mut responder);
    assert_eq!(super::response(&mut responder, 9), [5, 0]);
    super::control(&mut responder, 0x02);
    let foreign = reply(&mut responder, b"\x03\x11\x07hello", Answer::Sent);
    assert_eq!(foreign, (vec![0xFF, 0xFF], "12,SEND ERROR: 9".into()));
}

#[test]
fn an_answer_to_another_question_is_an_internal_error() {
    let mut responder = running(Firmware::M3);
    let (data, line) = reply(&mut responder, &[0x03, 0x23, 0xFF], Answer::NothingYet);
    assert_eq!((data, line.as_str()), (Vec::new(), "86,INTERNAL ERROR"));
}
