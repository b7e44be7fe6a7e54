//! The network target: what each command is answered with, and what it has to ask the engine for.
//!
//! ```text
//!   command ─► claim sessions ─► parameters right? ─► ours? ─┬─► answered at once
//!                                                            └─► Ask ─► engine ─► Answer ─► block
//! ```
//!
//! The engine is everything behind the Nios: the ESP32 with its TLS, the network, the server. It is
//! the driver's: a checker answers with every choice, a simulator with its own model and in its own
//! time. What an engine step brings beyond what was asked for stays here, and the next READ takes it
//! without asking.
use super::firmware::{Firmware, IdleHeader};
use super::reply::{Block, Pending};
use super::sessions::{OpenRefused, Sessions};
use firmware_core::m3_read::command::{HOST_MAX, PIN_BYTES, TARGET_NETWORK};
use std::collections::VecDeque;

/// What the network target wants from the engine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ask {
    /// A TLS session. Answered by [`Answer::Opened`], [`Answer::Failed`] or [`Answer::Forced`].
    Open {
        /// TCP port.
        port: u16,
        /// 0: built-in certificates, 2: pin.
        trust: u8,
        /// Whether nothing but TLS 1.3 will do.
        tls13_only: bool,
        /// Host name, without the pin.
        host: Vec<u8>,
    },
    /// Plaintext. Answered by [`Answer::Data`], [`Answer::NothingYet`], [`Answer::Ended`],
    /// [`Answer::Failed`] or [`Answer::Forced`].
    Read {
        /// Which session.
        handle: u8,
        /// How much is wanted.
        length: u16,
    },
    /// To send this. Answered by [`Answer::Sent`], [`Answer::Failed`] or [`Answer::Forced`].
    Write {
        /// Which session.
        handle: u8,
        /// What.
        data: Vec<u8>,
    },
    /// That the session be closed. Answered by [`Answer::Sent`] or [`Answer::Forced`].
    Close {
        /// Which session.
        handle: u8,
    },
    /// What works. Answered by [`Answer::Ready`] or [`Answer::Forced`].
    Info,
}

/// What the engine answers. One that does not fit the question ends the command with status 86.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// The session stands, in this TLS version ($0304 is 1.3) with this suite and group.
    Opened {
        /// Protocol version.
        version: u16,
        /// Cipher suite.
        suite: u16,
        /// Key exchange group.
        group: u16,
    },
    /// One engine step of plaintext.
    Data(Vec<u8>),
    /// No plaintext yet.
    NothingYet,
    /// The stream has ended: the session is gone.
    Ended {
        /// Whether the server said so (01) or not (05).
        notified: bool,
    },
    /// The session has died, or could not be opened: this status line.
    Failed(Vec<u8>),
    /// Done; all of it.
    Sent,
    /// Ready bits: 0 module, 1 entropy, 2 trusted time.
    Ready(u8),
    /// A reply of exactly these blocks, whatever the question was.
    Forced(VecDeque<Block>),
}

/// What a command comes to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// This block, now.
    Reply(Block),
    /// That depends on the engine.
    Ask(Ask),
}

/// The network target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Network {
    pub(super) firmware: Firmware,
    pub(super) sessions: Sessions,
    pub(super) pending: Pending,
    /// Address, mask and gateway of each interface.
    pub(super) interfaces: Vec<[u8; 12]>,
}

const OK: &str = "00,OK";
const UNKNOWN: &str = "21,UNKNOWN COMMAND";
const INVALID: &str = "81,INVALID PARAMS";
const OUT_OF_RANGE: &str = "82,PARAMETER(S) OUT OF RANGE";

impl Network {
    /// Takes a command, byte 0 included.
    pub fn parse(&mut self, command: &[u8]) -> Verdict {
        self.pending.forget();
        let [target, number, parameters @ ..] = command else {
            return refuse(INVALID);
        };
        if target & 0x7F != TARGET_NETWORK {
            return refuse(UNKNOWN);
        }
        let tls_only = matches!(number, 0x21 | 0x23 | 0x25);
        if tls_only && !self.firmware.tls {
            return refuse(UNKNOWN);
        }
        if !matches!((number, parameters), (0x25, []) | (0x23, [0xFF])) {
            self.sessions.claim_all();
        }
        match (number, parameters) {
            (0x05, &[interface]) => self.address(interface),
            (0x07 | 0x08, [_, _, _, ..]) => self.open_socket(),
            (0x09, &[handle]) => self.close(handle),
            (0x10, &[handle, low, high]) => self.read(handle, u16::from_le_bytes([low, high])),
            (0x11, [handle, data @ ..]) => self.write(*handle, data),
            (0x21, [low, high, trust, flags, tail @ ..]) => {
                open_tls(u16::from_le_bytes([*low, *high]), *trust, *flags, tail)
            }
            (0x23, [0xFF]) => Verdict::Ask(Ask::Info),
            (0x25, []) => {
                let closed = self.sessions.release();
                reply(vec![closed], OK)
            }
            (0x05 | 0x07 | 0x08 | 0x09 | 0x10 | 0x11 | 0x21 | 0x23 | 0x25, _) => refuse(INVALID),
            _ => refuse(UNKNOWN),
        }
    }

    fn address(&self, interface: u8) -> Verdict {
        match self.interfaces.get(usize::from(interface)) {
            Some(addresses) => reply(addresses.to_vec(), OK),
            None => refuse(OUT_OF_RANGE),
        }
    }

    fn open_socket(&mut self) -> Verdict {
        match self.sessions.open(false) {
            Ok(handle) => reply(vec![handle], OK),
            Err(_) => refuse("85,ERROR OPENING SOCKET"),
        }
    }

    fn close(&mut self, handle: u8) -> Verdict {
        match self.sessions.get_mut(handle) {
            Some(_) => Verdict::Ask(Ask::Close { handle }),
            None => refuse("12,ERROR ON CLOSE: 9"),
        }
    }

    fn read(&mut self, handle: u8, length: u16) -> Verdict {
        let refused =
            length > self.firmware.read_limit || (length == 0 && self.firmware.refuses_empty_read);
        if refused {
            return refuse(OUT_OF_RANGE);
        }
        let Some(session) = self.sessions.get_mut(handle) else {
            return no_count("02,NO DATA: 9");
        };
        if let Some(line) = &session.sticky {
            return Verdict::Reply(Block::whole(vec![0, 0], line.clone()));
        }
        if session.rest.is_empty() {
            return Verdict::Ask(Ask::Read { handle, length });
        }
        let taken = session.rest.len().min(usize::from(length));
        let payload: Vec<u8> = session.rest.drain(..taken).collect();
        Verdict::Reply(self.pending.start_read_reply(&self.firmware, &payload))
    }

    fn write(&mut self, handle: u8, data: &[u8]) -> Verdict {
        match self.sessions.get_mut(handle) {
            Some(_) => Verdict::Ask(Ask::Write { handle, data: data.to_vec() }),
            None => no_count("12,SEND ERROR: 9"),
        }
    }

    /// The block that the engine's answer comes to.
    pub fn answered(&mut self, ask: &Ask, answer: Answer) -> Block {
        match (ask, answer) {
            (_, Answer::Forced(blocks)) => self.pending.force(blocks),
            (Ask::Open { .. }, Answer::Opened { version, suite, group }) => {
                self.opened(version, suite, group)
            }
            (Ask::Open { .. }, Answer::Failed(line)) => Block::whole(Vec::new(), line),
            (&Ask::Read { handle, length }, Answer::Data(step)) => {
                self.read_step(handle, length, &step)
            }
            (Ask::Read { .. }, Answer::NothingYet) => {
                let header = match self.firmware.idle_header {
                    IdleHeader::NoCount => vec![0xFF, 0xFF],
                    IdleHeader::Zero => vec![0, 0],
                };
                Block::whole(header, b"02,NO DATA: 11".to_vec())
            }
            (&Ask::Read { handle, .. }, Answer::Ended { notified }) => {
                self.sessions.close(handle);
                let line = if notified {
                    "01,CONNECTION CLOSED BY HOST"
                } else {
                    "05,TLS CLOSED WITHOUT NOTIFY"
                };
                Block::whole(vec![0, 0], line.into())
            }
            (&Ask::Read { handle, .. }, Answer::Failed(line)) => {
                self.die(handle, &line);
                Block::whole(vec![0, 0], line)
            }
            (Ask::Write { data, .. }, Answer::Sent) => {
                let count = u16::try_from(data.len()).unwrap_or(u16::MAX);
                Block::whole(count.to_le_bytes().to_vec(), OK.into())
            }
            (&Ask::Write { handle, .. }, Answer::Failed(line)) => {
                self.die(handle, &line);
                Block::whole(vec![0xFF, 0xFF], line)
            }
            (&Ask::Close { handle }, Answer::Sent) => {
                self.sessions.close(handle);
                Block::status(OK)
            }
            (Ask::Info, Answer::Ready(bits)) => Block::whole(
                vec![1, 2, 0, 7, bits, 3, 1, 0x35, 1, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
                OK.into(),
            ),
            (_, _) => Block::status("86,INTERNAL ERROR"),
        }
    }

    fn opened(&mut self, version: u16, suite: u16, group: u16) -> Block {
        match self.sessions.open(true) {
            Ok(handle) => {
                let mut data = vec![handle];
                for field in [version, suite, group] {
                    data.extend(field.to_le_bytes());
                }
                data.push(0);
                Block::whole(data, OK.into())
            }
            Err(OpenRefused::NoTlsSession) => Block::status("91,NO FREE TLS SESSION"),
            Err(OpenRefused::NoSocket) => Block::status("85,ERROR OPENING SOCKET"),
        }
    }

    fn read_step(&mut self, handle: u8, length: u16, step: &[u8]) -> Block {
        let (now, later) = step.split_at(step.len().min(usize::from(length)));
        if let Some(session) = self.sessions.get_mut(handle) {
            session.rest.extend(later);
        }
        self.pending.start_read_reply(&self.firmware, now)
    }

    fn die(&mut self, handle: u8, line: &[u8]) {
        if let Some(session) = self.sessions.get_mut(handle) {
            session.sticky = Some(line.to_vec());
        }
    }
}

fn reply(data: Vec<u8>, text: &str) -> Verdict {
    Verdict::Reply(Block::whole(data, text.into()))
}

fn refuse(text: &str) -> Verdict {
    Verdict::Reply(Block::status(text))
}

fn no_count(text: &str) -> Verdict {
    reply(vec![0xFF, 0xFF], text)
}

fn open_tls(port: u16, trust: u8, flags: u8, tail: &[u8]) -> Verdict {
    let host = match trust {
        0 => tail,
        2 => match tail.split_at_checked(usize::from(PIN_BYTES)) {
            Some((_, host)) => host,
            None => return refuse(INVALID),
        },
        _ => return refuse(OUT_OF_RANGE),
    };
    if flags & 0xFE != 0 {
        return refuse(OUT_OF_RANGE);
    }
    if host.is_empty() || host.len() > usize::from(HOST_MAX) || host.contains(&0) {
        return refuse(INVALID);
    }
    Verdict::Ask(Ask::Open { port, trust, tls13_only: flags == 1, host: host.to_vec() })
}
