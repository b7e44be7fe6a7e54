//! Whether the HTTP layer calls a body complete: the carry that `http_recv_body` returns.
//!
//! ```text
//!   complete by its framing                          clear, at once
//!   sink full · connection broken                    set
//!   closed with notification · a minute of silence   the framing decides
//!   closed without notification                      the framing decides; unframed is set
//!
//!   the framing decides:  head unfinished  set       Content-Length  clear if all have come
//!                         chunked          set       neither         clear after a notification
//! ```
use super::{Consumer, Framing};
use firmware_core::m3_read::output::Ending;

/// Why the layer stopped reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The framing says that the body is complete.
    Complete,
    /// The sink refused a byte.
    SinkRefused,
    /// The connection is broken, or never stood.
    Broken,
    /// The stream has ended.
    Closed(Ending),
    /// A minute without a byte.
    Quiet,
}

/// The carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carry {
    /// C = 0: the body is complete.
    Clear,
    /// C = 1: it is not.
    Set,
}

impl Carry {
    /// The bit.
    pub const fn bit(self) -> u8 {
        match self {
            Self::Clear => 0,
            Self::Set => 1,
        }
    }
}

/// The carry after `stop`.
pub fn carry(consumer: &Consumer, stop: Stop) -> Carry {
    let complete = match stop {
        Stop::Complete => true,
        Stop::SinkRefused | Stop::Broken => false,
        Stop::Closed(ending) => framing_decides(consumer, ending == Ending::Clean),
        Stop::Quiet => framing_decides(consumer, false),
    };
    if complete { Carry::Clear } else { Carry::Set }
}

/// A chunked body that is complete never gets here: [`Stop::Complete`] came first.
fn framing_decides(consumer: &Consumer, after_notification: bool) -> bool {
    match consumer.framing() {
        Framing::Head | Framing::Chunked => false,
        Framing::ContentLength(length) => consumer.taken() == length,
        Framing::Unframed => after_notification,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table: four framings, one of them complete or not, by four ends. Cites S 1.6, client
    /// rules.
    #[test]
    fn the_framing_decides_as_the_clause_says() {
        let ends = [
            Stop::Closed(Ending::Clean),
            Stop::Closed(Ending::WithoutNotify),
            Stop::Quiet,
            Stop::Broken,
        ];
        let rows: [(&[u8], [u8; 4]); 6] = [
            (b"HTTP/1.1 200 OK\r\n", [1, 1, 1, 1]),
            (b"Content-Length: 3\r\n\r\nab", [1, 1, 1, 1]),
            (b"Content-Length: 3\r\n\r\nabc", [0, 0, 0, 1]),
            (b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", [1, 1, 1, 1]),
            (b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n", [1, 1, 1, 1]),
            (b"\r\nabc", [0, 1, 1, 1]),
        ];
        for (text, bits) in rows {
            let consumer = Consumer::after(text);
            assert_eq!(ends.map(|stop| carry(&consumer, stop).bit()), bits, "{consumer:?}");
        }
    }

    /// Cites client rules.
    #[test]
    fn a_body_that_its_framing_calls_complete_is_and_a_refused_one_is_not() {
        let consumer = Consumer::after(b"Content-Length: 0\r\n\r\n");
        assert!(consumer.is_complete());
        assert_eq!(carry(&consumer, Stop::Complete), Carry::Clear);
        assert_eq!(carry(&consumer, Stop::SinkRefused), Carry::Set);
    }
}
