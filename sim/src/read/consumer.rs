//! The client's HTTP consumer: takes the ring byte by byte, finds the body's length and judges
//! whether the body is complete.
//!
//! ```text
//!   head: lines ──empty line──► body ──as many as Content-Length says──► complete
//! ```
use super::crc::Crc;

/// Where the consumer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Head,
    Body,
}

/// How much of the body has come, by its framing (c.4: "framing decides").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The head is unfinished.
    Head,
    /// Every byte that Content-Length promised was consumed.
    Complete,
    /// Bytes are owed.
    Owing(u32),
    /// The head names no length: only the end of the stream tells.
    Unframed,
}

/// The consumer.
#[derive(Clone, Debug)]
pub struct Consumer {
    at: At,
    line: Vec<u8>,
    length: Option<u32>,
    taken: u32,
    crc: Crc,
    past_end: u32,
}

/// Bytes of a header line that are looked at.
const LINE_MOST: usize = 64;

impl Default for Consumer {
    fn default() -> Self {
        let (line, crc) = (Vec::new(), Crc::NEW);
        Self { at: At::Head, line, length: None, taken: 0, crc, past_end: 0 }
    }
}

impl Consumer {
    /// Takes a byte; whether it belongs to the body.
    pub fn take(&mut self, byte: u8) -> bool {
        match self.at {
            At::Head => {
                self.head(byte);
                false
            }
            At::Body if self.length.is_some_and(|length| self.taken >= length) => {
                self.past_end += 1;
                false
            }
            At::Body => {
                self.taken += 1;
                self.crc.take(byte);
                true
            }
        }
    }

    fn head(&mut self, byte: u8) {
        match byte {
            b'\r' => {}
            b'\n' if self.line.is_empty() => self.at = At::Body,
            b'\n' => {
                let line = String::from_utf8_lossy(&self.line).to_ascii_lowercase();
                if let Some(length) = line.strip_prefix("content-length:") {
                    self.length = length.trim().parse().ok();
                }
                self.line.clear();
            }
            _ if self.line.len() < LINE_MOST => self.line.push(byte),
            _ => {}
        }
    }

    /// What the framing says.
    pub fn framing(&self) -> Framing {
        match (self.at, self.length) {
            (At::Head, _) => Framing::Head,
            (At::Body, None) => Framing::Unframed,
            (At::Body, Some(length)) if self.taken == length => Framing::Complete,
            (At::Body, Some(length)) => Framing::Owing(length - self.taken),
        }
    }

    /// Bytes of body consumed.
    pub const fn taken(&self) -> u32 {
        self.taken
    }

    /// Bytes that came behind a complete body.
    pub const fn past_end(&self) -> u32 {
        self.past_end
    }

    /// The CRC-32 of the body consumed.
    pub const fn crc(&self) -> u32 {
        self.crc.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &[u8]) -> Consumer {
        let mut consumer = Consumer::default();
        for &byte in text {
            consumer.take(byte);
        }
        consumer
    }

    #[test]
    fn a_body_is_complete_with_exactly_its_length() {
        let head = b"HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 3\r\n\r\n";
        assert_eq!(after(head).framing(), Framing::Owing(3));
        assert_eq!(after(&[head, b"ab".as_slice()].concat()).framing(), Framing::Owing(1));
        let whole = after(&[head, b"abc".as_slice()].concat());
        assert_eq!((whole.framing(), whole.crc()), (Framing::Complete, 0x3524_41C2));
        let more = after(&[head, b"abcd".as_slice()].concat());
        assert_eq!((more.framing(), more.past_end()), (Framing::Complete, 1));
    }

    #[test]
    fn without_a_length_nothing_is_complete() {
        assert_eq!(after(b"HTTP/1.1 200 OK\r\n").framing(), Framing::Head);
        assert_eq!(after(b"HTTP/1.1 200 OK\r\n\r\nabc").framing(), Framing::Unframed);
        assert_eq!(after(b"Content-Length: soon\r\n\r\n").framing(), Framing::Unframed);
    }
}
