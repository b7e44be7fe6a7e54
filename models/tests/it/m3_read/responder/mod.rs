//! The firmware that answers, without the client.
mod blocks;
mod matrix;
mod network;
mod registers;
mod task;

use firmware_core::m3_read::registers::{Register, Status};
use models::m3_read::responder::firmware::Firmware;
use models::m3_read::responder::network::{Answer, Ask};
use models::m3_read::responder::task::Work;
use models::m3_read::responder::{Responder, Setup};

/// A responder with this firmware.
fn running(firmware: Firmware) -> Responder {
    Responder::new(Setup { firmware, ..Setup::m3() }).expect("the firmware is sound")
}

fn control(responder: &mut Responder, value: u8) {
    responder.write(Register::Control, value);
}

fn status(responder: &mut Responder) -> Status {
    Status(responder.read(Register::Control))
}

/// Lets the Nios work until it rests or waits for the engine, and says what it did.
fn let_work(responder: &mut Responder) -> Vec<Work> {
    core::iter::from_fn(|| responder.work()).collect()
}

/// Writes the bytes of a command and pushes it.
fn push(responder: &mut Responder, command: &[u8]) {
    for &byte in command {
        responder.write(Register::Command, byte);
    }
    control(responder, 0x01);
}

/// Reads the response queue while it says that bytes are left, at most `most` of them.
fn response(responder: &mut Responder, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < most && status(responder).data_available() {
        bytes.push(responder.read(Register::Response));
    }
    bytes
}

/// Reads the status text.
fn text(responder: &mut Responder) -> String {
    let mut line = String::new();
    while status(responder).text_available() {
        line.push(char::from(responder.read(Register::Text)));
    }
    line
}

/// Runs a command to its reply, with this answer should the engine be asked, and takes the reply.
fn reply(responder: &mut Responder, command: &[u8], answer: Answer) -> (Vec<u8>, String) {
    push(responder, command);
    let_work(responder);
    if responder.asks().is_some() {
        assert!(responder.answer(answer));
        let_work(responder);
    }
    let reply = (response(responder, 2_000), text(responder));
    control(responder, 0x02);
    reply
}

/// Opens a TLS session.
fn open(responder: &mut Responder) -> (Vec<u8>, String) {
    let opened = Answer::Opened { version: 0x0304, suite: 0x1301, group: 0x001D };
    reply(responder, b"\x03\x21\xBB\x01\0\x01example.org", opened)
}

/// What the engine is being asked to send.
fn asked_to_send(responder: &Responder) -> usize {
    match responder.asks() {
        Some(Ask::Write { data, .. }) => data.len(),
        other => panic!("a WRITE asks to send: {other:?}"),
    }
}
