//! Reading a validated reply: header and payload of a READ or the bytes of another command, then
//! whatever is left, the status text, and the accept that gives it all back.
//!
//! ```text
//!   look ─► first ─► header ─► payload ─► [block end ─► accept, continuation ─► payload]
//!             │         │         └────────────┐
//!             └─────────┴──────► drain ◄───────┘ ─► [state] ─► text ─► accept
//! ```
//!
//! Each arrow rests on one sample of STATUS. The text is read before the accept, because the accept
//! hides both queues; and a sample that shows unread bytes never leads to an accept.
//!
//! Clauses: ER-5, ER-8, ER-12.
use super::{Access, Config, Exchange, KEPT_MAX, Move, Phase, Reason, Strobe, Strobing};
use crate::m3_read::copy::{BlockEnd, DRAIN_MAX, Hole};
use crate::m3_read::handshake::State;
use crate::m3_read::header::Header;
use crate::m3_read::registers::Register;

/// What a sample of STATUS is to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Test {
    /// Whether the push was refused.
    Look,
    /// Whether there is a reply at all (ER-12).
    First,
    /// Whether there is a (further) header byte.
    HeaderByte,
    /// Whether there is a payload byte that is owed.
    Payload,
    /// What follows a block that ended with bytes owed.
    BlockEnd,
    /// Whether a byte is left.
    Drain,
    /// Whether more is announced although everything has come.
    MoreLeft,
    /// Whether there is a byte of status text; if not, whether to accept.
    TextByte,
}

/// Which queue is being read, and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fetch {
    /// A header byte.
    Header,
    /// A payload byte.
    Payload,
    /// A byte that is not for the ring.
    Left,
    /// A byte of status text.
    Text,
}

impl Exchange {
    pub(super) fn sample(&mut self, test: Test) -> Move {
        self.phase = Phase::Sampling(test);
        Move::Access(Access::Read(Register::Control))
    }

    fn fetch(&mut self, fetch: Fetch) -> Move {
        self.phase = Phase::Fetching(fetch);
        Move::Access(Access::Read(match fetch {
            Fetch::Header | Fetch::Payload | Fetch::Left => Register::Response,
            Fetch::Text => Register::Text,
        }))
    }

    pub(super) fn sampled(&mut self, test: Test, config: &Config) -> Move {
        let data = self.seen.data_available();
        match test {
            Test::Look => self.look(config),
            Test::First if data => self.sample(Test::HeaderByte),
            Test::HeaderByte if data => self.fetch(Fetch::Header),
            Test::Payload | Test::BlockEnd if data => self.fetch(Fetch::Payload),
            Test::Payload => self.sample(Test::BlockEnd),
            Test::BlockEnd => match self.transfer.end_block(config, self.seen.state()) {
                BlockEnd::TakeContinuation if self.seen.abort_pending() => {
                    self.abandon(Reason::Foreign, config)
                }
                BlockEnd::TakeContinuation => {
                    Move::Access(self.strobe(Strobe::Accept, Strobing::AcceptBlock))
                }
                BlockEnd::Holed => self.sample(Test::Drain),
            },
            Test::First | Test::HeaderByte => self.sample(Test::Drain),
            Test::Drain | Test::MoreLeft if data => self.drain(config),
            Test::Drain => self.drained(),
            Test::MoreLeft if self.seen.state() == State::DataMore => {
                self.holed(Hole::UnowedMore, config)
            }
            Test::MoreLeft => self.sample(Test::TextByte),
            Test::TextByte => self.text_or_accept(config),
        }
    }

    fn look(&mut self, config: &Config) -> Move {
        if self.seen.abort_pending() {
            return self.abandon(Reason::Foreign, config);
        }
        if self.seen.error() {
            return Move::Access(self.strobe(Strobe::ClearError, Strobing::ClearRejected));
        }
        let reads = self.is_read();
        self.sample(if reads { Test::First } else { Test::Drain })
    }

    fn drain(&mut self, config: &Config) -> Move {
        if self.drained < DRAIN_MAX {
            return self.fetch(Fetch::Left);
        }
        self.holed(Hole::BlockNeverEnds, config)
    }

    /// The block is read to its end.
    fn drained(&mut self) -> Move {
        if self.is_read() && self.drained > 0 {
            self.transfer.note(Hole::BytesPastHeader);
        }
        // Only a reply with a count has a state worth a sample of its own.
        match self.transfer.header() {
            Header::Data(_) => self.sample(Test::MoreLeft),
            Header::Absent | Header::Half(_) | Header::NoCount | Header::End => {
                self.sample(Test::TextByte)
            }
        }
    }

    fn text_or_accept(&mut self, config: &Config) -> Move {
        if self.seen.abort_pending() {
            return self.abandon(Reason::Foreign, config);
        }
        if self.seen.text_available() && self.line.takes_more() {
            return self.fetch(Fetch::Text);
        }
        if self.seen.data_available() {
            return self.holed(Hole::BytesAfterEnd, config);
        }
        match self.seen.state() {
            State::DataMore => self.holed(Hole::UnowedMore, config),
            State::Idle | State::Busy | State::DataLast => {
                Move::Access(self.strobe(Strobe::Accept, Strobing::AcceptLast))
            }
        }
    }

    fn holed(&mut self, hole: Hole, config: &Config) -> Move {
        self.transfer.note(hole);
        self.abandon(Reason::Holed, config)
    }

    pub(super) fn fetched(&mut self, fetch: Fetch, byte: u8) -> Move {
        match fetch {
            Fetch::Header => {
                self.transfer.take_header(byte);
                let next = self.after_header();
                self.sample(next)
            }
            Fetch::Payload => {
                self.transfer.take_payload();
                let next = if self.transfer.owed() > 0 { Test::Payload } else { Test::Drain };
                self.phase = Phase::Sampling(next);
                Move::Store(byte, Access::Read(Register::Control))
            }
            Fetch::Left => {
                if let Some(place) = self.kept.get_mut(usize::from(self.drained)) {
                    *place = byte;
                }
                self.drained += 1;
                self.sample(Test::Drain)
            }
            Fetch::Text => {
                self.line.push(byte);
                self.sample(Test::TextByte)
            }
        }
    }

    fn after_header(&self) -> Test {
        if self.transfer.awaits_header() {
            Test::HeaderByte
        } else if self.transfer.owed() > 0 {
            Test::Payload
        } else {
            Test::Drain
        }
    }

    fn is_read(&self) -> bool {
        self.command.is_some_and(|command| command.read_length().is_some())
    }
}

const _: () = assert!(KEPT_MAX <= DRAIN_MAX as usize, "what is kept is part of what is drained");
