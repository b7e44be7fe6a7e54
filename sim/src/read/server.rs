//! The page and the server that sends it: a head of a given size, a body of known bytes, and the
//! CRC of what was sent.
use super::crc::Crc;
use models::m3_read::responder::script::{BODY_MAX, Page as Stream};

/// A page as a server sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// Bytes of the body; at most 24 bits count.
    pub body_bytes: u32,
    /// Bytes of the head, the empty line included.
    pub head_bytes: u32,
}

/// What the server does once it has sent what it sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Nothing: the connection stays open.
    Silent,
    /// It closes with a notification.
    Notified,
    /// It closes without one.
    WithoutNotify,
}

/// A page that cannot be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// More body than the client can count.
    #[error("body_bytes is {0}; the client counts up to {BODY_MAX}")]
    BodyOver24Bits(u32),
    /// A head too short for its lines, or too long to be one.
    #[error("head_bytes is {0}; it must lie in {HEAD_LEAST}..={HEAD_MOST}")]
    Head(u32),
}

/// The shortest head: status, length and a line to fill it up.
pub const HEAD_LEAST: u32 = 80;
/// The longest head.
pub const HEAD_MOST: u32 = 65_536;

impl Page {
    /// Whether it can be sent.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub const fn check(self) -> Result<(), PageError> {
        if self.body_bytes > BODY_MAX {
            return Err(PageError::BodyOver24Bits(self.body_bytes));
        }
        if self.head_bytes < HEAD_LEAST || self.head_bytes > HEAD_MOST {
            return Err(PageError::Head(self.head_bytes));
        }
        Ok(())
    }

    /// Everything that the server sends, in order.
    pub fn bytes(self) -> Vec<u8> {
        let mut bytes = self.head();
        bytes.extend((0..self.body_bytes).map(Stream::byte));
        bytes
    }

    fn head(self) -> Vec<u8> {
        let start = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX-Filler: ", self.body_bytes);
        let mut head = start.into_bytes();
        let size = usize::try_from(self.head_bytes).unwrap_or(usize::MAX);
        head.resize(size.saturating_sub(4), b'x');
        head.extend(b"\r\n\r\n");
        head
    }

    /// What the server sends when it stops after `body_bytes` of the body.
    pub fn cut(self, body_bytes: u32) -> Vec<u8> {
        let mut bytes = self.bytes();
        let length = u64::from(self.head_bytes) + u64::from(body_bytes);
        bytes.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        bytes
    }

    /// The CRC-32 of the body.
    pub fn body_crc(self) -> u32 {
        let mut crc = Crc::NEW;
        (0..self.body_bytes).map(Stream::byte).for_each(|byte| crc.take(byte));
        crc.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_has_the_size_that_was_asked_for_and_ends_in_an_empty_line() {
        for head_bytes in [HEAD_LEAST, 6_431] {
            let page = Page { body_bytes: BODY_MAX, head_bytes };
            let head = page.head();
            assert_eq!(u32::try_from(head.len()), Ok(head_bytes));
            assert!(head.ends_with(b"x\r\n\r\n"));
        }
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let page = Page { body_bytes: 0x0100_0000, head_bytes: 1_000 };
        assert_eq!(page.check(), Err(PageError::BodyOver24Bits(0x0100_0000)));
        let page = Page { body_bytes: 1, head_bytes: 79 };
        assert_eq!(page.check(), Err(PageError::Head(79)));
    }
}
