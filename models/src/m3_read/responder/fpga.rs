//! The register file in the Ultimate's FPGA, bit by bit, with its two sides: the C64's bus and the
//! Nios processor.
//!
//! ```text
//!        C64 bus                     FPGA                          Nios
//!   write $DF1D ──► command queue ─────────────────► length (the pointer, at most 895)
//!   write $DF1C ──► strobes ──► state, flags 2..0 ──► interrupt while a flag is not masked
//!   read  $DF1E ◄── response queue ◄──────────────── data and lengths, then VALIDATE
//!   read  $DF1F ◄── text queue     ◄────────────────
//! ```
//!
//! The two "bytes left" bits are registered: they follow state and pointers one clock of the FPGA
//! later ([`Fpga::clock`]), so a read can fall on the one clock where a block is valid and seems
//! empty.
use super::firmware::{AcceptFlag, CommandReset, FpgaVariant, ReadPastEnd};
use firmware_core::m3_read::handshake::{State, Strobe};
use firmware_core::m3_read::registers::{ID, ID_WITH_INTERRUPT, Register, Status};

/// Bytes of the response queue, and of the command queue.
pub const QUEUE_BYTES: u16 = 896;
/// The last place of either queue, which the pointers do not pass.
const LAST: u16 = QUEUE_BYTES - 1;
/// Bytes of status text at most: its length register has eight bits.
pub const TEXT_MAX: usize = 255;

/// Bits of the Nios' handshake write.
pub mod handshake_out {
    /// Clears `COMMAND_BUSY` and sets the command pointer to the start.
    pub const ACCEPT_COMMAND: u8 = 0x01;
    /// Clears the accept flag.
    pub const ACCEPT_NEXT_DATA: u8 = 0x02;
    /// Clears the abort flag.
    pub const ACCEPT_ABORT: u8 = 0x04;
    /// Shows a block that is the last one.
    pub const VALIDATE_LAST: u8 = 0x10;
    /// Shows a block that another one follows.
    pub const VALIDATE_MORE: u8 = 0x30;
    /// Clears all three flags and forces the idle state.
    pub const RESET: u8 = 0x87;

    pub(super) const VALIDATE: u8 = 0x10;
    pub(super) const MORE: u8 = 0x20;
    pub(super) const FORCE_IDLE: u8 = 0x80;
}

/// The register file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flip-flop of the hardware")]
pub struct Fpga {
    variant: FpgaVariant,
    state: State,
    /// Bits 2..0 of STATUS: abort, accept, command.
    flags: u8,
    error_busy: bool,
    /// Bits 7, 6 and 5 of the last push: freeze, trigger on $FF00, interrupt enable.
    latched: u8,
    interrupt_active: bool,
    command: Vec<u8>,
    /// The command being run, where the push takes it out of the queue.
    pushed: Vec<u8>,
    response: Vec<u8>,
    response_at: u16,
    text: Vec<u8>,
    text_at: u16,
    response_valid: bool,
    text_valid: bool,
}

impl Fpga {
    /// A register file as after an FPGA reset.
    pub fn new(variant: FpgaVariant) -> Self {
        Self {
            variant,
            state: State::Idle,
            flags: 0,
            error_busy: false,
            latched: 0,
            interrupt_active: false,
            command: Vec::new(),
            pushed: Vec::new(),
            response: Vec::new(),
            response_at: 0,
            text: Vec::new(),
            text_at: 0,
            response_valid: false,
            text_valid: false,
        }
    }

    /// One clock of the FPGA: the registered "bytes left" bits catch up.
    pub fn clock(&mut self) {
        let shown = matches!(self.state, State::DataLast | State::DataMore)
            && self.flags & Status::ABORT_PENDING == 0;
        self.response_valid = shown && usize::from(self.response_at) < self.response.len();
        self.text_valid = shown && usize::from(self.text_at) < self.text.len();
    }

    /// What STATUS reads now.
    pub fn status(&self) -> Status {
        let state = match self.state {
            State::Idle => 0x00,
            State::Busy => 0x10,
            State::DataLast => 0x20,
            State::DataMore => 0x30,
        };
        let when = |bit: u8, condition: bool| if condition { bit } else { 0 };
        Status(
            when(Status::DATA_AVAILABLE, self.response_valid)
                | when(Status::TEXT_AVAILABLE, self.text_valid)
                | state
                | when(Status::ERROR, self.error_busy)
                | self.flags,
        )
    }

    /// A read by the C64. Reading a queue moves its pointer even when nothing is left.
    /// While the interface is off, the bus floats: here it reads $FF.
    pub fn read(&mut self, register: Register) -> u8 {
        if !self.variant.enabled {
            return 0xFF;
        }
        match register {
            Register::BusId => 0,
            Register::Control => self.status().0,
            Register::Command if self.interrupt_active => ID_WITH_INTERRUPT,
            Register::Command => ID,
            Register::Response => {
                let shown = self.response_valid;
                let byte = self.response.get(usize::from(self.response_at)).copied();
                if shown || self.variant.read_past_end == ReadPastEnd::Advances {
                    self.response_at = (self.response_at + 1).min(LAST);
                }
                byte.filter(|_| shown).unwrap_or(0)
            }
            Register::Text => {
                let shown = self.text_valid;
                let byte = self.text.get(usize::from(self.text_at)).copied();
                if shown || self.variant.read_past_end == ReadPastEnd::Advances {
                    self.text_at = (self.text_at + 1).min(255);
                }
                byte.filter(|_| shown).unwrap_or(0)
            }
        }
    }

    /// A write by the C64; only $DF1C and $DF1D take one.
    pub fn write(&mut self, register: Register, value: u8) {
        if !self.variant.enabled {
            return;
        }
        match register {
            Register::Control => self.control(value),
            Register::Command => self.append(value),
            Register::BusId | Register::Response | Register::Text => {}
        }
    }

    /// A byte for the command queue. In its last place each byte replaces the one before it.
    fn append(&mut self, value: u8) {
        if self.command.len() < usize::from(QUEUE_BYTES) {
            self.command.push(value);
        } else if let Some(last) = self.command.last_mut() {
            *last = value;
        }
    }

    /// All strobes of one write, in the order in which the hardware evaluates them. Each condition
    /// looks at the state before the write; of two assignments the later one stays.
    fn control(&mut self, value: u8) {
        let before = self.state;
        let has = |strobe: Strobe| value & strobe.bits() != 0;
        if has(Strobe::ClearError) {
            self.error_busy = false;
        }
        if has(Strobe::Push) {
            self.latched = value & 0xE0;
            if before == State::Idle {
                self.state = State::Busy;
                self.flags |= Status::COMMAND_BUSY;
                if self.variant.command_reset == CommandReset::AtPush {
                    self.pushed = core::mem::take(&mut self.command);
                }
            } else {
                self.error_busy = true;
            }
        }
        if has(Strobe::Accept) {
            self.accept(before);
        }
        if has(Strobe::Abort) {
            self.flags |= Status::ABORT_PENDING;
        }
    }

    fn accept(&mut self, before: State) {
        let next = match before {
            State::Idle | State::Busy => return,
            State::DataLast => State::Idle,
            State::DataMore => State::Busy,
        };
        self.state = next;
        self.interrupt_active = false;
        let told = next == State::Busy || self.variant.accept_flag == AcceptFlag::Always;
        self.flags &= !Status::ACCEPT_PENDING;
        if told {
            self.flags |= Status::ACCEPT_PENDING;
        }
    }

    /// Flags 2..0, as the Nios sees them.
    pub fn flags(&self) -> u8 {
        self.flags
    }

    /// The command as the Nios reads it: as many bytes as the pointer counts.
    pub fn command(&self) -> &[u8] {
        let queue = match self.variant.command_reset {
            CommandReset::AtAccept => &self.command,
            CommandReset::AtPush => &self.pushed,
        };
        queue.get(..usize::from(self.variant.command_count_max)).unwrap_or(queue)
    }

    /// The Nios puts a block and its text into the queues and writes their lengths, which sets both
    /// read pointers to the start. More than the queues hold is cut off.
    pub fn load(&mut self, response: &[u8], text: &[u8]) {
        let response = response.get(..usize::from(QUEUE_BYTES)).unwrap_or(response);
        let text = text.get(..TEXT_MAX).unwrap_or(text);
        self.response = response.to_vec();
        self.text = text.to_vec();
        self.rewind();
    }

    /// The Nios writes its handshake register.
    pub fn handshake(&mut self, bits: u8) {
        let cleared = bits
            & (handshake_out::ACCEPT_COMMAND
                | handshake_out::ACCEPT_NEXT_DATA
                | handshake_out::ACCEPT_ABORT);
        self.flags &= !cleared;
        let resets = self.variant.command_reset == CommandReset::AtAccept;
        if resets && bits & handshake_out::ACCEPT_COMMAND != 0 {
            self.command.clear();
        }
        if bits & handshake_out::VALIDATE != 0 {
            let more = bits & handshake_out::MORE != 0;
            self.state = if more { State::DataMore } else { State::DataLast };
            self.interrupt_active = self.latched & 0x20 != 0;
            self.rewind();
        }
        if bits & handshake_out::FORCE_IDLE != 0 {
            self.state = State::Idle;
            self.rewind();
        }
    }

    fn rewind(&mut self) {
        self.response_at = 0;
        self.text_at = 0;
    }

    /// Empties the queues that no access can show any more: the next block is loaded before it is
    /// validated, so their old content has no future. For checkers, which compare states.
    pub fn forget_hidden(&mut self) {
        let shown = matches!(self.state, State::DataLast | State::DataMore);
        if !shown && !self.response_valid && !self.text_valid {
            self.response.clear();
            self.text.clear();
            self.rewind();
        }
    }

    /// A fault: the Nios never learns of the accept, as when its flag is wiped between VALIDATE and
    /// the clearing of the flag for the block before.
    pub fn lose_accept(&mut self) {
        self.flags &= !Status::ACCEPT_PENDING;
    }

    /// The protocol state.
    pub fn state(&self) -> State {
        self.state
    }

    /// Bytes of the response that have been read or passed.
    pub fn response_at(&self) -> u16 {
        self.response_at
    }
}
