//! The protocol state in STATUS, the four strobes of CONTROL, and which strobe the client may write
//! on which sample of STATUS.
//!
//! ```text
//!              push                validate            accept
//!     Idle ───────────► Busy ───────────────► DataLast ───────► Idle
//!                         ▲ └───────────────► DataMore ───┐
//!                         └──────────── accept ───────────┘
//! ```
//!
//! An abort changes no state by itself: it raises bit 2, and the firmware resets to Idle once the
//! running command has returned. Until then nothing may be written.
//!
//! Clauses: App. A, ER-5.
use super::registers::Status;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The protocol state, bits 5 and 4 of STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum State {
    /// 00: a command may be pushed.
    Idle,
    /// 01: a command runs, or the next block is being made.
    Busy,
    /// 10: the last block of a reply is there, with the status text.
    DataLast,
    /// 11: a block is there and another follows once it is accepted.
    DataMore,
}

impl State {
    /// Every state, by its two bits.
    pub const ALL: [Self; 4] = [Self::Idle, Self::Busy, Self::DataLast, Self::DataMore];
}

/// A bit of CONTROL that makes something happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum Strobe {
    /// Runs the command in the queue; refused with bit 3 unless the state is idle.
    Push,
    /// Gives the block back: Idle after the last one, else the next block is made.
    Accept,
    /// Asks the firmware to drop the reply; served after the running command has returned.
    Abort,
    /// Clears the refusal bit.
    ClearError,
}

impl Strobe {
    /// Every strobe, by ascending bit.
    pub const ALL: [Self; 4] = [Self::Push, Self::Accept, Self::Abort, Self::ClearError];

    /// The byte that writes this strobe alone.
    pub const fn bits(self) -> u8 {
        match self {
            Self::Push => 0x01,
            Self::Accept => 0x02,
            Self::Abort => 0x04,
            Self::ClearError => 0x08,
        }
    }
}

/// The first control write after power-on: abort and clear-error in one (ER-2). The only write that
/// holds two strobes, and the only one made without a sample that shows bit 2 clear.
pub const STARTUP_STROBES: u8 = Strobe::Abort.bits() | Strobe::ClearError.bits();

/// Whether the client may write a strobe, given its last sample of STATUS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// It may.
    Granted,
    /// Only to fetch the one continuation that the header still owes.
    ForContinuation,
    /// Never: the sample shows bytes that the accept would hide.
    UnreadBytes,
    /// Never: an abort is pending.
    AbortPending,
}

/// Whether `strobe` may be written after `sample`.
///
/// Pushing in another state than Idle is permitted here: the hardware refuses it and says so, which
/// is how a command after an abort that did not reset the state ends.
pub const fn permission(sample: Status, strobe: Strobe) -> Permission {
    if sample.abort_pending() {
        return Permission::AbortPending;
    }
    match (strobe, sample.state()) {
        (Strobe::Accept, _) if sample.data_available() => Permission::UnreadBytes,
        (Strobe::Accept, State::DataMore) => Permission::ForContinuation,
        (Strobe::Accept, State::Idle | State::Busy | State::DataLast)
        | (Strobe::Push | Strobe::Abort | Strobe::ClearError, _) => Permission::Granted,
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::fmt::Write as _;
    use std::string::String;

    /// Cites App. A, ER-5.
    #[test]
    fn the_whole_matrix_of_samples_and_strobes_is_as_reviewed() {
        let mut matrix = String::new();
        for (bits, state) in (0_u8..).zip(State::ALL) {
            for (queue, data) in [("read", 0), ("unread", Status::DATA_AVAILABLE)] {
                for (abort, flag) in [("clear", 0), ("pending", Status::ABORT_PENDING)] {
                    for strobe in Strobe::ALL {
                        let sample = Status(bits << 4 | data | flag);
                        let cell = permission(sample, strobe);
                        writeln!(
                            matrix,
                            "{:<9} {queue:<7} abort {abort:<8} x {:<10} -> {cell:?}",
                            std::format!("{state:?}"),
                            std::format!("{strobe:?}"),
                        )
                        .expect("writing to a string cannot fail");
                    }
                }
            }
        }
        insta::assert_snapshot!("handshake_matrix", matrix);
    }

    /// Cites App. A.
    #[test]
    fn no_byte_holds_a_push_and_an_abort() {
        let together = Strobe::Push.bits() | Strobe::Abort.bits();
        for bits in Strobe::ALL.map(Strobe::bits).into_iter().chain([STARTUP_STROBES]) {
            assert_ne!(bits & together, together, "App. A");
        }
    }
}
