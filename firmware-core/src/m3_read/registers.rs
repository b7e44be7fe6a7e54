//! The five registers of the Ultimate's command interface as the C64 sees them: address, bits, and
//! who reads and who writes each.
//!
//! ```text
//!   $DF1B  read   software-IEC bus id
//!   $DF1C  read   STATUS      7 data  6 text  5:4 state  3 error  2 abort  1 accept  0 busy
//!          write  CONTROL                               3 clear  2 abort  1 accept  0 push
//!   $DF1D  read   ID ($C9, or $49 while the interrupt is active)
//!          write  next byte of the command
//!   $DF1E  read   next byte of the response
//!   $DF1F  read   next byte of the status text
//! ```
//!
//! A read of $DF1E or $DF1F moves that queue's pointer even when the queue is empty.
use super::handshake::State;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// One of the five addresses the client uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Register {
    /// $DF1B: read-only, the drive number of the software IEC device (0..31).
    BusId,
    /// $DF1C: STATUS when read, CONTROL when written.
    Control,
    /// $DF1D: ID when read, the command queue when written.
    Command,
    /// $DF1E: read-only, the response queue.
    Response,
    /// $DF1F: read-only, the status text queue.
    Text,
}

impl Register {
    /// Every register, by ascending address.
    pub const ALL: [Self; 5] =
        [Self::BusId, Self::Control, Self::Command, Self::Response, Self::Text];

    /// The register's address in the C64's I/O page.
    pub const fn address(self) -> u16 {
        match self {
            Self::BusId => 0xDF1B,
            Self::Control => 0xDF1C,
            Self::Command => 0xDF1D,
            Self::Response => 0xDF1E,
            Self::Text => 0xDF1F,
        }
    }

    /// Whether a write to it has an effect.
    pub const fn takes_writes(self) -> bool {
        match self {
            Self::Control | Self::Command => true,
            Self::BusId | Self::Response | Self::Text => false,
        }
    }
}

/// What $DF1D reads while no interrupt of the interface is active.
pub const ID: u8 = 0xC9;
/// What $DF1D reads while one is: bit 7 is inverted.
pub const ID_WITH_INTERRUPT: u8 = 0x49;

/// Whether the byte read from $DF1D is the command interface's own (ER-2, presence check).
pub const fn is_present(id: u8) -> bool {
    matches!(id, ID | ID_WITH_INTERRUPT)
}

/// One reading of $DF1C. Every decision of the client rests on exactly one such sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Status(pub u8);

impl Status {
    /// Bit 7: bytes are left in the response queue.
    pub const DATA_AVAILABLE: u8 = 0x80;
    /// Bit 6: bytes are left in the status text queue.
    pub const TEXT_AVAILABLE: u8 = 0x40;
    /// Bits 5 and 4: the protocol state.
    pub const STATE: u8 = 0x30;
    /// Bit 5 alone: a reply block is validated.
    pub const REPLY_VALID: u8 = 0x20;
    /// Bit 3: a push arrived while the state was not idle. Sticky; not a "command failed" report.
    pub const ERROR: u8 = 0x08;
    /// Bit 2: an abort was written that the firmware has not served.
    pub const ABORT_PENDING: u8 = 0x04;
    /// Bit 1: an accept on a Data More block that the firmware has not taken.
    pub const ACCEPT_PENDING: u8 = 0x02;
    /// Bit 0: a new command that the firmware has not accepted.
    pub const COMMAND_BUSY: u8 = 0x01;

    /// Whether the response queue holds an unread byte.
    pub const fn data_available(self) -> bool {
        self.0 & Self::DATA_AVAILABLE != 0
    }

    /// Whether the status text queue holds an unread byte.
    pub const fn text_available(self) -> bool {
        self.0 & Self::TEXT_AVAILABLE != 0
    }

    /// The protocol state in bits 5 and 4.
    pub const fn state(self) -> State {
        match (self.0 & Self::STATE) >> 4 {
            0 => State::Idle,
            1 => State::Busy,
            2 => State::DataLast,
            _ => State::DataMore,
        }
    }

    /// Whether a push was refused since the bit was last cleared.
    pub const fn error(self) -> bool {
        self.0 & Self::ERROR != 0
    }

    /// Whether an abort is waiting to be served: nothing may be written then.
    pub const fn abort_pending(self) -> bool {
        self.0 & Self::ABORT_PENDING != 0
    }

    /// Whether a reply block is validated.
    pub const fn reply_valid(self) -> bool {
        self.0 & Self::REPLY_VALID != 0
    }

    /// Whether a command may begin: idle, no abort and no command pending.
    pub const fn idle(self) -> bool {
        self.0 & (Self::STATE | Self::ABORT_PENDING | Self::COMMAND_BUSY) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registers_lie_side_by_side_and_two_of_them_take_writes() {
        let addresses = Register::ALL.map(Register::address);
        assert_eq!(addresses, [0xDF1B, 0xDF1C, 0xDF1D, 0xDF1E, 0xDF1F]);
        let written = Register::ALL.map(Register::takes_writes);
        assert_eq!(written, [false, true, true, false, false]);
    }

    #[test]
    fn the_identifier_is_known_with_and_without_an_interrupt() {
        let known = (0..=u8::MAX).filter(|&id| is_present(id)).count();
        assert!(is_present(0xC9) && is_present(0x49));
        assert_eq!(known, 2);
    }

    #[test]
    fn a_sample_is_idle_only_without_state_abort_and_busy_bits() {
        for bits in 0..=u8::MAX {
            let blocked = bits & 0b0011_0101 != 0;
            assert_eq!(Status(bits).idle(), !blocked, "{bits:#010b}");
        }
    }
}
