//! The command task on the Nios: one queue of flag bytes, and inside each byte a fixed order of
//! small steps between which the C64 may do anything.
//!
//! ```text
//!   interrupt ─► [ flags ] ─► 1 abort:    forget the reply, reset
//!                             2 accepted: next block, VALIDATE, then clear the accept flag
//!                             3 command:  read ─► run (may ask the engine) ─► clear busy ─► VALIDATE
//! ```
//!
//! What follows from the order, and clients have to live with: busy falls before the reply is valid;
//! an abort waits for the running command; a block is visible while the accept flag that asked for it
//! is still up.
use super::firmware::AbortedAccept;
use super::fpga::{Fpga, handshake_out};
use super::network::{Answer, Ask, Network, Verdict};
use super::reply::Block;
use firmware_core::m3_read::registers::Status;
use std::collections::VecDeque;

/// Flag bytes that the queue holds; a full queue loses the newcomer.
const QUEUE_MAX: usize = 16;

/// One small step of the task, named for whoever gives it a duration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// The interrupt posted these flags and masked them.
    Interrupt(u8),
    /// The reply was forgotten and the interface reset.
    Reset,
    /// The next block was made and validated.
    NextBlock {
        /// Its bytes.
        bytes: u16,
    },
    /// The accept flag was cleared.
    AcceptTaken,
    /// A command was read and parsed.
    Parsed {
        /// Its number (byte 1), or 0 when it had none.
        number: u8,
        /// Whether it waits for the engine now.
        asks: bool,
    },
    /// The engine's answer was made into a block.
    Answered,
    /// The busy flag was cleared and the command queue emptied.
    CommandTaken,
    /// The reply was copied and validated.
    Shown {
        /// Its bytes.
        bytes: u16,
    },
}

/// What the task is about to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Next {
    Rest,
    Abort,
    MoreData,
    TakeAccept,
    ReadCommand,
    AwaitEngine(Ask),
    TakeCommand(Block),
    Show(Block),
}

/// The task and its queue.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    queue: VecDeque<u8>,
    mask: u8,
    /// Flags of the byte in hand that have not been handled.
    flags: u8,
    no_reply: bool,
    next: Next,
}

impl Task {
    pub(super) fn new() -> Self {
        Self { queue: VecDeque::new(), mask: 0, flags: 0, no_reply: false, next: Next::Rest }
    }

    /// What the task waits for, while it waits for the engine.
    pub(super) fn asks(&self) -> Option<&Ask> {
        match &self.next {
            Next::AwaitEngine(ask) => Some(ask),
            Next::Rest
            | Next::Abort
            | Next::MoreData
            | Next::TakeAccept
            | Next::ReadCommand
            | Next::TakeCommand(_)
            | Next::Show(_) => None,
        }
    }

    /// Posts an abort from outside, as a reset of the C64 does.
    pub(super) fn post_abort(&mut self) {
        self.post(Status::ABORT_PENDING);
    }

    fn post(&mut self, flags: u8) {
        if self.queue.len() < QUEUE_MAX {
            self.queue.push_back(flags);
        }
    }

    /// Does the next small step; `None` while there is nothing to do but wait.
    pub(super) fn step(&mut self, fpga: &mut Fpga, network: &mut Network) -> Option<Work> {
        let raised = fpga.flags() & !self.mask;
        if raised != 0 {
            self.mask |= raised;
            self.post(raised);
            return Some(Work::Interrupt(raised));
        }
        if self.next == Next::Rest {
            if self.flags == 0 {
                self.flags = self.queue.pop_front()?;
            }
            self.next = self.first_of();
        }
        match core::mem::replace(&mut self.next, Next::Rest) {
            Next::Rest => None,
            Next::Abort => Some(self.abort(fpga, network)),
            Next::MoreData => {
                let block = network.pending.get_more_data();
                let bytes = show(fpga, &block);
                self.next = Next::TakeAccept;
                Some(Work::NextBlock { bytes })
            }
            Next::TakeAccept => {
                fpga.handshake(handshake_out::ACCEPT_NEXT_DATA);
                self.handled(Status::ACCEPT_PENDING);
                Some(Work::AcceptTaken)
            }
            Next::ReadCommand => Some(self.read_command(fpga, network)),
            Next::AwaitEngine(ask) => {
                self.next = Next::AwaitEngine(ask);
                None
            }
            Next::TakeCommand(block) => {
                fpga.handshake(handshake_out::ACCEPT_COMMAND);
                self.next = Next::Show(block);
                Some(Work::CommandTaken)
            }
            Next::Show(block) => {
                let bytes = if self.no_reply {
                    fpga.handshake(handshake_out::RESET);
                    0
                } else {
                    show(fpga, &block)
                };
                self.handled(Status::COMMAND_BUSY);
                Some(Work::Shown { bytes })
            }
        }
    }

    fn first_of(&self) -> Next {
        let has = |flag: u8| self.flags & flag != 0;
        if has(Status::ABORT_PENDING) {
            Next::Abort
        } else if has(Status::ACCEPT_PENDING) {
            Next::MoreData
        } else {
            Next::ReadCommand
        }
    }

    fn abort(&mut self, fpga: &mut Fpga, network: &mut Network) -> Work {
        network.pending.forget();
        fpga.handshake(handshake_out::RESET);
        self.handled(Status::ABORT_PENDING);
        if network.firmware.aborted_accept == AbortedAccept::Dropped {
            self.handled(Status::ACCEPT_PENDING);
        }
        Work::Reset
    }

    fn read_command(&mut self, fpga: &mut Fpga, network: &mut Network) -> Work {
        let command = fpga.command();
        let number = command.get(1).copied().unwrap_or(0);
        self.no_reply = command.first().is_some_and(|target| target & 0x80 != 0);
        let (next, asks) = if command.is_empty() {
            (Next::TakeCommand(Block::whole(Vec::new(), Vec::new())), false)
        } else {
            match network.parse(command) {
                Verdict::Reply(block) => (Next::TakeCommand(block), false),
                Verdict::Ask(ask) => (Next::AwaitEngine(ask), true),
            }
        };
        self.next = next;
        Work::Parsed { number, asks }
    }

    /// Takes the engine's answer; whether the task was waiting for one.
    pub(super) fn answer(&mut self, network: &mut Network, answer: Answer) -> bool {
        match core::mem::replace(&mut self.next, Next::Rest) {
            Next::AwaitEngine(ask) => {
                self.next = Next::TakeCommand(network.answered(&ask, answer));
                true
            }
            other => {
                self.next = other;
                false
            }
        }
    }

    fn handled(&mut self, flag: u8) {
        self.flags &= !flag;
        self.mask &= !flag;
    }
}

/// Puts a block into the queues and validates it.
pub(super) fn show(fpga: &mut Fpga, block: &Block) -> u16 {
    fpga.load(block.data(), block.text());
    fpga.handshake(if block.more() {
        handshake_out::VALIDATE_MORE
    } else {
        handshake_out::VALIDATE_LAST
    });
    u16::try_from(block.data().len()).unwrap_or(u16::MAX)
}
