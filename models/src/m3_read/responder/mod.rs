//! The firmware that answers the client, as a step function: the register file, the command task and
//! the network target, with the engine behind them left to the driver.
//!
//! ```text
//!   C64 access ──► Fpga ──flags──► Task ──command──► Network ──Ask──► driver (engine)
//!       ◄── byte ───┘   ◄─blocks────┘   ◄──block──────┘     ◄─Answer───┘
//! ```
//!
//! A simulator gives each [`Work`] and each [`Ask`] a duration, a checker interleaves them with the
//! client's accesses in every order; the logic is this one. Like a core it is deterministic and
//! total: any input at any time gives a defined result.
pub mod firmware;
pub mod fpga;
pub mod network;
pub mod pair;
pub mod reply;
pub mod script;
pub mod sessions;
pub mod task;

use firmware::{Firmware, FirmwareError};
use firmware_core::m3_read::registers::Register;
use fpga::Fpga;
use network::{Answer, Ask, Network};
use reply::{Block, Pending};
use sessions::{POOL_MAX, Sessions};
use task::{Task, Work};

/// What the responder starts with.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// The firmware and its register file.
    pub firmware: Firmware,
    /// Sockets in all, 1..=16.
    pub pool: u8,
    /// Sockets that the firmware uses itself, fewer than `pool`.
    pub used_by_firmware: u8,
    /// Address, mask and gateway of each network interface.
    pub interfaces: Vec<[u8; 12]>,
}

/// A rule that a [`Setup`] breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetupError {
    /// The firmware's sizes.
    Firmware(FirmwareError),
    /// No socket, or more than there can be.
    Pool(u8),
    /// The firmware uses every socket there is.
    AllUsed(u8),
}

impl core::fmt::Display for SetupError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Firmware(broken) => write!(out, "firmware.{broken}"),
            Self::Pool(pool) => write!(out, "pool is {pool}; there are 1..={POOL_MAX} sockets"),
            Self::AllUsed(used) => write!(out, "used_by_firmware is {used}: no socket is left"),
        }
    }
}

impl core::error::Error for SetupError {}

impl Setup {
    /// The measured firmware with sixteen sockets of its own to give, and one interface that has an
    /// address.
    pub fn m3() -> Self {
        Self {
            firmware: Firmware::M3,
            pool: POOL_MAX,
            used_by_firmware: 0,
            interfaces: vec![[192, 0, 2, 64, 255, 255, 255, 0, 192, 0, 2, 1]],
        }
    }
}

/// What reaches the responder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The C64 reads a register.
    Read(Register),
    /// The C64 writes a register.
    Write(Register, u8),
    /// The Nios gets time for one small step.
    Nios,
    /// The engine answers.
    Answer(Answer),
    /// The C64 is reset, the Ultimate is not.
    ResetC64,
    /// Something goes wrong in the firmware.
    Fault(Fault),
}

/// What can go wrong in the firmware, at any moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The accept that is pending never reaches the Nios: the state stays busy.
    AcceptLost,
    /// The Nios resets the interface on its own: the block that is shown vanishes.
    Reset,
    /// A reply that nobody asked for is shown, as a late one of an earlier program is.
    StrayReply(Block),
}

/// What an input leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// The byte on the bus.
    Byte(u8),
    /// Taken.
    Taken,
    /// The Nios did this.
    Worked(Work),
    /// The Nios has nothing to do, or waits for the engine.
    Waits,
    /// An answer to a question that nobody asked; nothing changed.
    Unexpected,
}

/// The firmware that answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Responder {
    fpga: Fpga,
    task: Task,
    network: Network,
}

impl Responder {
    /// A responder that has just been switched on.
    ///
    /// # Errors
    /// The first rule that `setup` breaks.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        setup.firmware.check().map_err(SetupError::Firmware)?;
        if setup.pool == 0 || setup.pool > POOL_MAX {
            return Err(SetupError::Pool(setup.pool));
        }
        if setup.used_by_firmware >= setup.pool {
            return Err(SetupError::AllUsed(setup.used_by_firmware));
        }
        Ok(Self {
            fpga: Fpga::new(setup.firmware.fpga),
            task: Task::new(),
            network: Network {
                firmware: setup.firmware,
                sessions: Sessions::new(setup.pool, setup.used_by_firmware),
                pending: Pending::default(),
                interfaces: setup.interfaces,
            },
        })
    }

    /// Takes one input.
    pub fn step(&mut self, input: Input) -> Output {
        match input {
            Input::Read(register) => Output::Byte(self.read(register)),
            Input::Write(register, value) => {
                self.write(register, value);
                Output::Taken
            }
            Input::Nios => self.work().map_or(Output::Waits, Output::Worked),
            Input::Answer(answer) => {
                if self.answer(answer) {
                    Output::Worked(Work::Answered)
                } else {
                    Output::Unexpected
                }
            }
            Input::ResetC64 => {
                self.reset_c64();
                Output::Taken
            }
            Input::Fault(fault) => {
                self.suffer(fault);
                Output::Taken
            }
        }
    }

    /// A read by the C64, on a later clock of the FPGA than whatever came before.
    pub fn read(&mut self, register: Register) -> u8 {
        self.fpga.clock();
        self.fpga.read(register)
    }

    /// A read by the C64 on the very clock of the FPGA on which the last change was made.
    pub fn read_on_the_same_clock(&mut self, register: Register) -> u8 {
        self.fpga.read(register)
    }

    /// Makes equal what no access can tell apart: a clock of the FPGA passes, and queues that are not
    /// shown are empty.
    pub fn settle(&mut self) {
        self.fpga.clock();
        self.fpga.forget_hidden();
    }

    /// A write by the C64.
    pub fn write(&mut self, register: Register, value: u8) {
        self.fpga.clock();
        self.fpga.write(register, value);
    }

    /// One small step of the Nios; `None` while it has nothing to do, or waits for the engine.
    pub fn work(&mut self) -> Option<Work> {
        self.task.step(&mut self.fpga, &mut self.network)
    }

    /// What the Nios waits for from the engine.
    pub fn asks(&self) -> Option<&Ask> {
        self.task.asks()
    }

    /// The engine's answer; whether it was waited for.
    pub fn answer(&mut self, answer: Answer) -> bool {
        self.task.answer(&mut self.network, answer)
    }

    /// A reset of the C64: an abort through the task's own queue, the pending reply forgotten, and
    /// sockets closed where the firmware does that. The error bit survives.
    pub fn reset_c64(&mut self) {
        self.network.pending.forget();
        self.network.sessions.reset(self.network.firmware.reset_closes);
        self.task.post_abort();
    }

    /// Lets something go wrong.
    pub fn suffer(&mut self, fault: Fault) {
        match fault {
            Fault::AcceptLost => self.fpga.lose_accept(),
            Fault::Reset => {
                self.network.pending.forget();
                self.fpga.handshake(fpga::handshake_out::RESET);
            }
            Fault::StrayReply(block) => {
                task::show(&mut self.fpga, &block);
            }
        }
    }

    /// The register file.
    pub fn fpga(&self) -> &Fpga {
        &self.fpga
    }

    /// The session table.
    pub fn sessions(&self) -> &Sessions {
        &self.network.sessions
    }

    /// Blocks of the current reply that have not been shown.
    pub fn blocks_left(&self) -> usize {
        self.network.pending.blocks_left()
    }
}
