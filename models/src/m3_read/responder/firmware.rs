//! Which firmware answers: block sizes, limits and quirks as switches, and the versions that had
//! them.
//!
//! ```text
//!                      old core   3.15     #806     M3         Python model
//!   first block         894        894      893      893        893
//!   continuation        none       none     895      895        895
//!   READ takes up to    894        894      1472     1472       1472
//!   accept flag         always     11 only  11 only  11 only    11 only
//!   TLS commands        no         no       no       yes        yes
//! ```
use firmware_core::m3_read::config::{CONTINUATION_MAX, FIRST_BLOCK_MAX, REQUEST_MAX};

/// What sets the accept flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcceptFlag {
    /// Only an accept on a Data More block: the last accept is pure hardware.
    OnDataMore,
    /// Every accept, the last one too: cores before firmware change 1860356a.
    Always,
}

/// What a read of an exhausted queue does to its pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadPastEnd {
    /// Moves it on, as the hardware does.
    Advances,
    /// Leaves it, as the published Python model does.
    Stays,
}

/// The header of a READ that found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdleHeader {
    /// $FFFF, the -1 of the failed receive: every published version.
    NoCount,
    /// $0000: what a firmware would send that reported a length instead.
    Zero,
}

/// What empties the command queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CommandReset {
    /// The Nios, once it has run the command: bytes written between push and then are lost.
    AtAccept,
    /// The push, as in the published Python model.
    AtPush,
}

/// What becomes of an accept that the Nios sees in the same interrupt as an abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AbortedAccept {
    /// Nothing: the abort leaves the interface idle.
    Dropped,
    /// After the abort it is still served: there is nothing pending any more, so an empty last block
    /// with status 03 is published. The documented limitation of #806.
    Answered,
}

/// Differences between register files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FpgaVariant {
    /// Whether the interface is switched on; while it is not, nothing drives the bus.
    pub enabled: bool,
    /// What sets the accept flag.
    pub accept_flag: AcceptFlag,
    /// What reading past the end of a queue does.
    pub read_past_end: ReadPastEnd,
    /// Bytes of a command that are counted at most. The pointer stops on the last place and is the
    /// length, so hardware counts 895 and a 896th byte is lost without a word.
    pub command_count_max: u16,
    /// What empties the command queue.
    pub command_reset: CommandReset,
}

/// The firmware and the register file it runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Firmware {
    /// The register file.
    pub fpga: FpgaVariant,
    /// Payload bytes of a first block at most.
    pub first_block_bytes: u16,
    /// Payload bytes of each further block at most; 0 when a reply has only one.
    pub continuation_bytes: u16,
    /// The most that a READ may ask for.
    pub read_limit: u16,
    /// Whether a READ of 0 bytes is refused.
    pub refuses_empty_read: bool,
    /// Whether it knows `OPEN_TLS`, INFO and RELEASE.
    pub tls: bool,
    /// The header of a READ that found nothing.
    pub idle_header: IdleHeader,
    /// What becomes of an accept that is served together with an abort.
    pub aborted_accept: AbortedAccept,
    /// Whether a reset of the C64 closes the sockets that its program had opened.
    pub reset_closes: bool,
}

/// A rule that a [`Firmware`] breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FirmwareError {
    /// A first block of no payload.
    FirstBlockEmpty,
    /// A first block that does not fit the response queue together with its header: payload bytes.
    FirstBlockOverQueue(u16),
    /// A continuation that fills the response queue, or more: payload bytes. (A first block that
    /// fills it is allowed: firmware 3.15 had it.)
    ContinuationNeverEnds(u16),
    /// A READ may ask for more than the blocks of one reply hold.
    LimitOverBlocks(u16),
}

impl core::fmt::Display for FirmwareError {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::FirstBlockEmpty => write!(out, "first_block_bytes is 0"),
            Self::FirstBlockOverQueue(bytes) => {
                write!(out, "first_block_bytes is {bytes}; with a header 894 fit")
            }
            Self::ContinuationNeverEnds(bytes) => {
                write!(out, "continuation_bytes is {bytes}; a block of 896 never ends")
            }
            Self::LimitOverBlocks(bytes) => {
                write!(out, "read_limit is {bytes}, more than one reply holds")
            }
        }
    }
}

impl core::error::Error for FirmwareError {}

const HARDWARE: FpgaVariant = FpgaVariant {
    enabled: true,
    accept_flag: AcceptFlag::OnDataMore,
    read_past_end: ReadPastEnd::Advances,
    command_count_max: 895,
    command_reset: CommandReset::AtAccept,
};

impl Firmware {
    /// Firmware 3.15 as released: one block, which 894 bytes fill to the last byte of the RAM.
    pub const STOCK_3_15: Self = Self {
        fpga: HARDWARE,
        first_block_bytes: 894,
        continuation_bytes: 0,
        read_limit: 894,
        refuses_empty_read: false,
        tls: false,
        idle_header: IdleHeader::NoCount,
        aborted_accept: AbortedAccept::Dropped,
        reset_closes: false,
    };

    /// The same on a register file that reports every accept (before change 1860356a).
    pub const OLD_CORE: Self = Self {
        fpga: FpgaVariant { accept_flag: AcceptFlag::Always, ..HARDWARE },
        ..Self::STOCK_3_15
    };

    /// Replies over several blocks, with the limitation that its pull request documents.
    pub const MULTI_BLOCK_806: Self = Self {
        first_block_bytes: FIRST_BLOCK_MAX,
        continuation_bytes: CONTINUATION_MAX,
        read_limit: REQUEST_MAX,
        aborted_accept: AbortedAccept::Answered,
        ..Self::STOCK_3_15
    };

    /// The TLS firmware that the measurements were made on (3a1ff9ff).
    pub const M3: Self =
        Self { refuses_empty_read: true, tls: true, reset_closes: true, ..Self::MULTI_BLOCK_806 };

    /// M3 as the published Python model behaves where it differs from the hardware.
    pub const PYTHON_MODEL: Self = Self {
        fpga: FpgaVariant {
            read_past_end: ReadPastEnd::Stays,
            command_reset: CommandReset::AtPush,
            ..HARDWARE
        },
        ..Self::M3
    };

    /// Whether the sizes fit each other and the queues.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check(&self) -> Result<(), FirmwareError> {
        if self.first_block_bytes == 0 {
            return Err(FirmwareError::FirstBlockEmpty);
        }
        if self.first_block_bytes > 894 {
            return Err(FirmwareError::FirstBlockOverQueue(self.first_block_bytes));
        }
        if self.continuation_bytes > CONTINUATION_MAX {
            return Err(FirmwareError::ContinuationNeverEnds(self.continuation_bytes));
        }
        if self.continuation_bytes == 0 && self.read_limit > self.first_block_bytes {
            return Err(FirmwareError::LimitOverBlocks(self.read_limit));
        }
        Ok(())
    }
}
