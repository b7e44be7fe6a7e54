//! The waveforms of the five registers, read by the parser of the vcd crate.
use std::io::BufReader;

use firmware_core::m3_read::registers::Register;
use sim::pft::{Event, TraceSubject};
use sim::trace::export::Format;
use vcd::{Command, Value};

use super::{good, trace};

/// A push, a poll of STATUS until the reply is valid, one byte of it. Addresses of facts a.2.
fn accesses() -> Vec<(u64, Register, Option<u8>, u8)> {
    vec![
        (10, Register::Command, Some(0x03), 0),
        (20, Register::Control, Some(0x01), 0),
        (30, Register::Control, None, 0x10),
        (40, Register::Control, None, 0x10),
        (50, Register::Control, None, 0xA0),
        (60, Register::Response, None, 0xC9),
    ]
}

fn page() -> Vec<u8> {
    let mut records = Vec::new();
    for (at, register, written, read) in accesses() {
        if let Some(value) = written {
            records.push((at, Event::M3Write { register, value }));
            records.push((at, Event::M3Written {}));
        } else {
            records.push((at - 1, Event::M3Read { register }));
            records.push((at, Event::M3Byte { value: read }));
        }
    }
    trace(TraceSubject::M3Read, &records)
}

fn byte(value: &vcd::Vector) -> Option<u64> {
    value.iter().try_fold(0, |number, bit| match bit {
        Value::V0 => Some(number << 1),
        Value::V1 => Some(number << 1 | 1),
        Value::X | Value::Z => None,
    })
}

/// Every access at its time, with its register and value; equal bytes in a row are told apart by the
/// count.
#[test]
fn a_parser_finds_every_access_again() {
    let (file, exported) = good(Format::Waveform, &page());
    assert_eq!(exported.left_out.get("m3.written"), Some(&2));
    let mut parser = vcd::Parser::new(BufReader::new(&file[..]));
    let header = parser.parse_header().expect("a header");
    assert_eq!(header.timescale, Some((1, vcd::TimescaleUnit::NS)));
    let mut wires = Vec::new();
    for register in Register::ALL {
        for kind in ["read", "write"] {
            let name = format!("{:04X}_{kind}", register.address());
            let wire = header.find_var(&["uci", &name]).expect("every register has both").code;
            wires.push((wire, register, kind));
        }
    }
    let count = header.find_var(&["uci", "access"]).expect("the count").code;
    let (mut at, mut found, mut counts) = (0, Vec::new(), Vec::new());
    for command in parser {
        match command.expect("well-formed") {
            Command::Timestamp(nanos) => at = nanos,
            Command::ChangeVector(wire, value) if wire == count => {
                counts.push(byte(&value).expect("a number"));
            }
            Command::ChangeVector(wire, value) => {
                let (_, register, kind) =
                    wires.iter().find(|(known, ..)| *known == wire).expect("a register");
                if let Some(value) = byte(&value) {
                    found.push((at / 1_000, *register, *kind, value));
                }
            }
            _ => {}
        }
    }
    let expected: Vec<_> = accesses()
        .into_iter()
        .map(|(at, register, written, read)| match written {
            Some(value) => (at, register, "write", u64::from(value)),
            None => (at, register, "read", u64::from(read)),
        })
        .collect();
    assert_eq!(found, expected);
    assert_eq!(counts, [0, 1, 2, 3, 4, 5, 6]);
}

/// How many accesses a file says there were: the last value of its count, and every step up to it.
pub(super) fn accesses_of(file: &[u8]) -> usize {
    let mut parser = vcd::Parser::new(BufReader::new(file));
    let header = parser.parse_header().expect("a header");
    let count = header.find_var(&["uci", "access"]).expect("the count").code;
    let mut last = 0;
    let mut changes = 0;
    for command in parser {
        match command.expect("well-formed") {
            Command::ChangeVector(wire, value) if wire == count => {
                let value = byte(&value).expect("a number");
                assert!(value == 0 || value == last + 1, "{value} behind {last}");
                last = value;
            }
            Command::ChangeVector(..) => changes += 1,
            _ => {}
        }
    }
    let wires = 2 * Register::ALL.len();
    assert_eq!(changes, usize::try_from(last).expect("it fits") + wires, "wires start unknown");
    changes - wires
}
