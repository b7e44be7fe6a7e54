//! The codes that the client leaves for its caller, with the events that set each of them.
//!
//! They are unrelated to the two-digit codes of the firmware's status lines.
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// The last error: what the screen shows as `$8x`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum ErrorCode {
    /// $00: nothing went wrong; also left by an idle READ and by the ends 01 and 05.
    #[default]
    Ok,
    /// $81: no command interface, or INFO gave no capability record.
    NotPresent,
    /// $82: the push of `GET_IPADDR` was refused.
    CommandFailed,
    /// $83: every network interface has the address 0.0.0.0.
    NoAddress,
    /// $84: `OPEN_TLS` not pushed, a host name refused locally, a session other than TLS 1.3, or an
    /// older session that could not be closed.
    ConnectFailed,
    /// $85: the push of WRITE was refused.
    SendFailed,
    /// $86: the push of READ was refused.
    ReadFailed,
    /// $87: WRITE was answered with $FFFF or with fewer bytes than it was given.
    ShortWrite,
    /// $88: the reply of `OPEN_TLS` names no session in the one documented shape.
    NoSocket,
    /// $89: no reply or no continuation in time, or the interface is wedged.
    WaitTimeout,
    /// $8B: a READ reply in no documented shape.
    BadReadHeader,
    /// $8D: `OPEN_TLS` was refused with a status line.
    OpenRefused,
    /// $8E: the firmware does not know the TLS commands (status 21).
    CommandUnknown,
    /// $8F: a block ended before the bytes that its header promised.
    ShortRead,
    /// $90: the stream is lost: a sticky end, or a handle that is not ours.
    StreamLost,
}

impl ErrorCode {
    /// Every code, ascending.
    pub const ALL: [Self; 15] = [
        Self::Ok,
        Self::NotPresent,
        Self::CommandFailed,
        Self::NoAddress,
        Self::ConnectFailed,
        Self::SendFailed,
        Self::ReadFailed,
        Self::ShortWrite,
        Self::NoSocket,
        Self::WaitTimeout,
        Self::BadReadHeader,
        Self::OpenRefused,
        Self::CommandUnknown,
        Self::ShortRead,
        Self::StreamLost,
    ];

    /// What sets it, in one sentence.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Ok => "Nothing went wrong; also left by an idle READ and by the ends 01 and 05.",
            Self::NotPresent => "No command interface, or INFO gave no capability record.",
            Self::CommandFailed => "The push of GET_IPADDR was refused.",
            Self::NoAddress => "Every network interface has the address 0.0.0.0.",
            Self::ConnectFailed => {
                "OPEN_TLS was not pushed, host or version refused, or an older session open."
            }
            Self::SendFailed => "The push of WRITE was refused.",
            Self::ReadFailed => "The push of READ was refused.",
            Self::ShortWrite => {
                "WRITE was answered with $FFFF or with fewer bytes than it was given."
            }
            Self::NoSocket => "The reply of OPEN_TLS names no session in the one documented shape.",
            Self::WaitTimeout => "No reply or no continuation in time, or the interface is wedged.",
            Self::BadReadHeader => "A READ reply in no documented shape.",
            Self::OpenRefused => "OPEN_TLS was refused with a status line.",
            Self::CommandUnknown => "The firmware does not know the TLS commands: status 21.",
            Self::ShortRead => "A block ended before the bytes that its header promised.",
            Self::StreamLost => "The stream is lost: a sticky end, or a handle that is not ours.",
        }
    }

    /// The byte that the client stores.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Ok => 0x00,
            Self::NotPresent => 0x81,
            Self::CommandFailed => 0x82,
            Self::NoAddress => 0x83,
            Self::ConnectFailed => 0x84,
            Self::SendFailed => 0x85,
            Self::ReadFailed => 0x86,
            Self::ShortWrite => 0x87,
            Self::NoSocket => 0x88,
            Self::WaitTimeout => 0x89,
            Self::BadReadHeader => 0x8B,
            Self::OpenRefused => 0x8D,
            Self::CommandUnknown => 0x8E,
            Self::ShortRead => 0x8F,
            Self::StreamLost => 0x90,
        }
    }
}

/// What the screen adds to a refused Open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub enum OpenHint {
    /// Nothing.
    #[default]
    None,
    /// The server answered with an alert that means it does not do TLS 1.3.
    NoTls13,
    /// A session was made with another version than TLS 1.3, and released.
    NotTls13,
    /// The reply was in no documented shape, and whatever it opened was released.
    Malformed,
    /// An older session is still open.
    Held,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_ascend_and_every_meaning_is_a_sentence() {
        assert!(ErrorCode::ALL.windows(2).all(|pair| pair[0].byte() < pair[1].byte()));
        assert!(ErrorCode::ALL.iter().all(|code| code.meaning().ends_with('.')));
    }
}
