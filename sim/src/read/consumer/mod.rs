//! The client's HTTP consumer: takes the ring byte by byte, finds the body's framing and counts
//! what belongs to the body.
//!
//! ```text
//!   head: lines ──empty line──► Content-Length ──► so many bytes ──────────► complete
//!                          ├──► chunked ──► [`chunks`] ──empty chunk, line──► complete
//!                          └──► neither ──► bytes until the stream ends: [`verdict`] decides
//! ```
pub mod chunks;
pub mod verdict;

use super::crc::Crc;
use chunks::{ChunkState, Chunks};

/// What the head says of the body's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The head is unfinished.
    Head,
    /// So many bytes.
    ContentLength(u32),
    /// Chunks.
    Chunked,
    /// Nothing: only the end of the stream tells.
    Unframed,
}

/// What became of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is the body's, and the sink has it.
    Body,
    /// It belongs to head or framing, or lies behind the body.
    Other,
    /// It is the body's, and the sink has no room.
    Refused,
}

/// The consumer.
#[derive(Clone, Debug)]
pub struct Consumer {
    framing: Framing,
    line: Vec<u8>,
    status: Option<u16>,
    length: Option<u32>,
    is_chunked: bool,
    chunks: Chunks,
    taken: u32,
    sink_bytes: u32,
    refused: bool,
    crc: Crc,
    past_end: u32,
}

/// Bytes of a header line that are looked at.
const LINE_MOST: usize = 64;

impl Default for Consumer {
    fn default() -> Self {
        Self::with_sink(u32::MAX)
    }
}

impl Framing {
    /// Its number in reports: 0 head unfinished, 1 Content-Length, 2 chunked, 3 neither.
    pub const fn number(self) -> u8 {
        match self {
            Self::Head => 0,
            Self::ContentLength(_) => 1,
            Self::Chunked => 2,
            Self::Unframed => 3,
        }
    }
}

impl Consumer {
    /// A consumer whose sink has room for so many bytes of body.
    pub const fn with_sink(sink_bytes: u32) -> Self {
        Self {
            framing: Framing::Head,
            line: Vec::new(),
            status: None,
            length: None,
            is_chunked: false,
            chunks: Chunks::NEW,
            taken: 0,
            sink_bytes,
            refused: false,
            crc: Crc::NEW,
            past_end: 0,
        }
    }

    /// Takes a byte.
    pub fn take(&mut self, byte: u8) -> Taken {
        match self.framing {
            Framing::Head => {
                self.head(byte);
                Taken::Other
            }
            _ if self.is_complete() => {
                self.past_end = self.past_end.saturating_add(1);
                Taken::Other
            }
            Framing::ContentLength(_) | Framing::Unframed => self.body(byte),
            Framing::Chunked if self.chunks.take(byte) => self.body(byte),
            Framing::Chunked => Taken::Other,
        }
    }

    fn body(&mut self, byte: u8) -> Taken {
        if self.refused || self.taken >= self.sink_bytes {
            self.refused = true;
            return Taken::Refused;
        }
        self.taken += 1;
        self.crc.take(byte);
        Taken::Body
    }

    fn head(&mut self, byte: u8) {
        match byte {
            b'\r' => {}
            b'\n' if self.line.is_empty() => self.framing = self.framed(),
            b'\n' => {
                let line = String::from_utf8_lossy(&self.line).to_ascii_lowercase();
                if let Some(status) = line.strip_prefix("http/1.1 ") {
                    self.status = status.get(..3).and_then(|digits| digits.parse().ok());
                } else if let Some(length) = line.strip_prefix("content-length:") {
                    self.length = length.trim().parse().ok();
                } else if let Some(coding) = line.strip_prefix("transfer-encoding:") {
                    self.is_chunked = coding.trim() == "chunked";
                }
                self.line.clear();
            }
            _ if self.line.len() < LINE_MOST => self.line.push(byte),
            _ => {}
        }
    }

    /// Chunks win over a length, as HTTP has it.
    fn framed(&self) -> Framing {
        match self.length {
            _ if self.is_chunked => Framing::Chunked,
            Some(length) => Framing::ContentLength(length),
            None => Framing::Unframed,
        }
    }

    /// What the head says.
    pub const fn framing(&self) -> Framing {
        self.framing
    }

    /// The status of the response, once its line has come.
    pub const fn status(&self) -> Option<u16> {
        self.status
    }

    /// Whether the framing itself says that the body is complete.
    pub fn is_complete(&self) -> bool {
        match self.framing {
            Framing::Head | Framing::Unframed => false,
            Framing::ContentLength(length) => self.taken == length,
            Framing::Chunked => self.chunks.is_complete(),
        }
    }

    /// Where the chunk parser is, for a chunked body.
    pub fn chunk_state(&self) -> Option<ChunkState> {
        (self.framing == Framing::Chunked).then(|| self.chunks.state())
    }

    /// How many of the next bytes belong to the body whatever they are; [`Self::skip`] takes them.
    pub fn certain(&self) -> u32 {
        let by_framing = match self.framing {
            Framing::Head => 0,
            Framing::ContentLength(length) => length - self.taken,
            Framing::Unframed => u32::MAX,
            Framing::Chunked => self.chunks.payload_left(),
        };
        by_framing.min(self.sink_bytes - self.taken)
    }

    /// Takes `count` bytes of body, at most [`Self::certain`], without looking at them: the CRC
    /// does not cover them.
    pub fn skip(&mut self, count: u32) {
        let count = count.min(self.certain());
        if self.framing == Framing::Chunked {
            self.chunks.skip(count);
        }
        self.taken += count;
    }

    /// Bytes of body consumed.
    pub const fn taken(&self) -> u32 {
        self.taken
    }

    /// Bytes that came behind a complete body.
    pub const fn past_end(&self) -> u32 {
        self.past_end
    }

    /// Whether the sink had no room for a byte.
    pub const fn is_refused(&self) -> bool {
        self.refused
    }

    /// The CRC-32 of the body consumed.
    pub const fn crc(&self) -> u32 {
        self.crc.value()
    }
}

#[cfg(test)]
impl Consumer {
    /// One that has taken a text.
    fn after(text: &[u8]) -> Self {
        let mut consumer = Self::default();
        for &byte in text {
            consumer.take(byte);
        }
        consumer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_complete_with_exactly_its_length() {
        let head = b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 3\r\n\r\n";
        assert_eq!(Consumer::after(head).framing(), Framing::ContentLength(3));
        assert_eq!(Consumer::after(head).status(), Some(200));
        let part = Consumer::after(&[head, b"ab".as_slice()].concat());
        assert_eq!((part.is_complete(), part.certain()), (false, 1));
        let whole = Consumer::after(&[head, b"abc".as_slice()].concat());
        assert_eq!((whole.is_complete(), whole.crc()), (true, 0x3524_41C2));
        let more = Consumer::after(&[head, b"abcd".as_slice()].concat());
        assert_eq!((more.is_complete(), more.past_end()), (true, 1));
    }

    #[test]
    fn without_a_length_nothing_is_complete() {
        assert_eq!(Consumer::after(b"HTTP/1.1 200 OK\r\n").framing(), Framing::Head);
        for head in [b"HTTP/1.1 200 OK\r\n\r\nabc".as_slice(), b"Content-Length: soon\r\n\r\nabc"] {
            let consumer = Consumer::after(head);
            assert_eq!((consumer.framing(), consumer.is_complete()), (Framing::Unframed, false));
            assert_eq!(consumer.taken(), 3);
        }
    }

    /// Cites client rules.
    #[test]
    fn chunks_win_over_a_length() {
        let both = b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
        let consumer = Consumer::after(both);
        assert_eq!((consumer.framing(), consumer.is_complete()), (Framing::Chunked, true));
        assert_eq!((consumer.taken(), consumer.past_end()), (2, 0));
    }

    /// Cites client rules.
    #[test]
    fn a_sink_that_is_full_refuses_the_next_byte_and_every_one_behind_it() {
        let mut consumer = Consumer::with_sink(2);
        for &byte in b"Content-Length: 3\r\n\r\nab" {
            consumer.take(byte);
        }
        assert!(!consumer.is_refused());
        assert_eq!((consumer.take(b'c'), consumer.take(b'd')), (Taken::Refused, Taken::Refused));
        assert!(consumer.is_refused() && !consumer.is_complete());
    }

    #[test]
    fn bytes_that_are_certain_may_be_skipped() {
        let mut consumer = Consumer::after(b"Transfer-Encoding: chunked\r\n\r\n10\r\nab");
        assert_eq!(consumer.certain(), 14);
        consumer.skip(20);
        assert_eq!((consumer.taken(), consumer.certain()), (16, 0));
        for &byte in b"\r\n0\r\n\r\n" {
            consumer.take(byte);
        }
        assert!(consumer.is_complete());
    }
}
