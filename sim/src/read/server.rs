//! The page and the server that sends it: a head of a given size, a body of known bytes in one of
//! three framings, and the CRC of what was sent.
//!
//! ```text
//!   content_length   head with the length, body
//!   chunked          head, then  size CR LF payload CR LF  over and over, then  0 CR LF CR LF
//!   unframed         head without either, body: only the end of the stream tells where it ends
//! ```
use super::crc::Crc;
use firmware_core::time::Duration;
use models::m3_read::responder::script::{BODY_MAX, Page as Stream};

/// A page as a server sends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Page {
    /// Bytes of the body; at most 24 bits count.
    pub body_bytes: u32,
    /// Bytes of the head, the empty line included.
    pub head_bytes: u32,
    /// How the server says where the body ends.
    pub framing: Framing,
    /// Every so many bytes the body holds an empty line, as text has them; 0 is never.
    pub blank_line_every_bytes: u32,
}

/// How a server says where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// By its length in the head.
    ContentLength,
    /// By chunks, of which the last is empty.
    Chunked(ChunkSizes),
    /// Not at all.
    Unframed,
}

/// Chunk sizes that a server uses one after the other, over and over; at least one, none of them 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChunkSizes {
    sizes: [u32; Self::MOST],
    count: usize,
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

/// A silence in the middle of the body, after which the server goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pause {
    /// After how many bytes of the body.
    pub after_bytes: u32,
    /// How long, from the READ that finds nothing.
    pub lasts: Duration,
}

/// A byte that is lost or comes twice somewhere between the server and the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// What happens to it.
    pub how: DamageKind,
    /// Its place in the stream, head and chunk lines included, counted from 0.
    pub at_byte: u32,
}

/// What happens to a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DamageKind {
    /// It is lost.
    Drop,
    /// It comes twice.
    Duplicate,
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
    /// An empty line has two bytes, so they cannot come every byte.
    #[error("blank_line_every_bytes is {0}; it must be 0 or at least 2")]
    BlankLines(u32),
}

/// Chunk sizes that are no list of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChunkSizesError {
    /// None, or too many.
    #[error("there are {0} chunk sizes; give 1 to {most}", most = ChunkSizes::MOST)]
    Count(usize),
    /// A chunk of no bytes ends the body, and one of more than 24 bits cannot be counted.
    #[error("a chunk has {0} bytes; it must have 1 to {BODY_MAX}")]
    Size(u32),
}

/// The shortest head: status, framing and a line to fill it up.
pub const HEAD_LEAST: u32 = 80;
/// The longest head.
pub const HEAD_MOST: u32 = 65_536;

/// A stretch of the stream: bytes that are no body, or a piece of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Head, chunk lines.
    Text(Vec<u8>),
    /// Bytes of the body from the first number on, as many as the second.
    Body(u32, u32),
}

impl ChunkSizes {
    /// Sizes in a list.
    pub const MOST: usize = 8;

    /// This list.
    ///
    /// # Errors
    /// When it is empty or too long, or a size cannot be one.
    pub fn try_new(sizes: &[u32]) -> Result<Self, ChunkSizesError> {
        if sizes.is_empty() || sizes.len() > Self::MOST {
            return Err(ChunkSizesError::Count(sizes.len()));
        }
        if let Some(&size) = sizes.iter().find(|size| !(1..=BODY_MAX).contains(*size)) {
            return Err(ChunkSizesError::Size(size));
        }
        let mut list = [0; Self::MOST];
        list[..sizes.len()].copy_from_slice(sizes);
        Ok(Self { sizes: list, count: sizes.len() })
    }

    fn iter(self) -> impl Iterator<Item = u32> {
        (0..).map(move |at| self.sizes[at % self.count])
    }
}

impl Page {
    /// A page whose head says its length.
    pub const fn with_length(body_bytes: u32, head_bytes: u32) -> Self {
        Self { body_bytes, head_bytes, framing: Framing::ContentLength, blank_line_every_bytes: 0 }
    }

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
        if self.blank_line_every_bytes == 1 {
            return Err(PageError::BlankLines(self.blank_line_every_bytes));
        }
        Ok(())
    }

    /// The byte of the body at this place.
    pub const fn body_byte(self, at: u32) -> u8 {
        let every = self.blank_line_every_bytes;
        if every > 0 && at % every >= every - 2 { b'\n' } else { Stream::byte(at) }
    }

    /// The stream of a server that stops after `body_bytes` of the body, or at its end. One that
    /// stops behind a chunk has sent the line end of that chunk.
    pub fn runs(self, body_bytes: u32) -> Vec<Run> {
        let sent = body_bytes.min(self.body_bytes);
        let mut runs = vec![Run::Text(self.head())];
        match self.framing {
            Framing::ContentLength | Framing::Unframed => runs.push(Run::Body(0, sent)),
            Framing::Chunked(sizes) => self.chunks(sizes, sent, &mut runs),
        }
        runs
    }

    fn chunks(self, sizes: ChunkSizes, sent: u32, runs: &mut Vec<Run>) {
        let (mut at, mut line_end) = (0, "");
        for size in sizes.iter() {
            if at >= sent {
                break;
            }
            let size = size.min(self.body_bytes - at);
            runs.push(Run::Text(format!("{line_end}{size:X}\r\n").into_bytes()));
            runs.push(Run::Body(at, size.min(sent - at)));
            at += size;
            line_end = "\r\n";
        }
        if at == sent {
            let last = if sent == self.body_bytes { "0\r\n\r\n" } else { "" };
            runs.push(Run::Text(format!("{line_end}{last}").into_bytes()));
        }
    }

    /// Everything that the server sends when it stops after `body_bytes` of the body, in order.
    pub fn cut(self, body_bytes: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        for run in self.runs(body_bytes) {
            match run {
                Run::Text(text) => bytes.extend(text),
                Run::Body(from, count) => {
                    bytes.extend((from..from + count).map(|at| self.body_byte(at)));
                }
            }
        }
        bytes
    }

    /// How many bytes of stream the server has sent when it stops after `body_bytes` of the body.
    pub fn stream_bytes(self, body_bytes: u32) -> usize {
        self.runs(body_bytes).iter().map(Run::len).sum()
    }

    fn head(self) -> Vec<u8> {
        let framing = match self.framing {
            Framing::ContentLength => format!("Content-Length: {}\r\n", self.body_bytes),
            Framing::Chunked(_) => "Transfer-Encoding: chunked\r\n".to_owned(),
            Framing::Unframed => String::new(),
        };
        let mut head = format!("HTTP/1.1 200 OK\r\n{framing}X-Filler: ").into_bytes();
        let size = usize::try_from(self.head_bytes).unwrap_or(usize::MAX);
        head.resize(size.saturating_sub(4), b'x');
        head.extend(b"\r\n\r\n");
        head
    }

    /// The CRC-32 of the body.
    pub fn body_crc(self) -> u32 {
        let mut crc = Crc::NEW;
        (0..self.body_bytes).map(|at| self.body_byte(at)).for_each(|byte| crc.take(byte));
        crc.value()
    }
}

impl Run {
    /// Its bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Body(_, count) => usize::try_from(*count).unwrap_or(usize::MAX),
        }
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Damage {
    /// Does it to a stream; one that is shorter stays as it is.
    pub fn apply(self, bytes: &mut Vec<u8>) {
        let at = usize::try_from(self.at_byte).unwrap_or(usize::MAX);
        let Some(&byte) = bytes.get(at) else {
            return;
        };
        match self.how {
            DamageKind::Drop => {
                bytes.remove(at);
            }
            DamageKind::Duplicate => bytes.insert(at, byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunked(sizes: &[u32], body_bytes: u32) -> Page {
        let framing = Framing::Chunked(ChunkSizes::try_new(sizes).expect("these are sizes"));
        Page { framing, ..Page::with_length(body_bytes, 100) }
    }

    #[test]
    fn a_head_has_the_size_that_was_asked_for_and_ends_in_an_empty_line() {
        for head_bytes in [HEAD_LEAST, 6_431] {
            let head = Page::with_length(BODY_MAX, head_bytes).head();
            assert_eq!(u32::try_from(head.len()), Ok(head_bytes));
            assert!(head.ends_with(b"x\r\n\r\n"));
        }
    }

    #[test]
    fn chunks_have_their_size_in_front_and_an_empty_one_at_the_end() {
        let page = chunked(&[3, 0x10], 20);
        let bytes = page.cut(u32::MAX);
        let body: Vec<u8> = (0..20).map(|at| page.body_byte(at)).collect();
        let expected = [
            b"3\r\n".as_slice(),
            &body[..3],
            b"\r\n10\r\n",
            &body[3..19],
            b"\r\n1\r\n",
            &body[19..],
            b"\r\n0\r\n\r\n",
        ];
        assert_eq!(bytes[100..], expected.concat());
        assert_eq!(page.stream_bytes(u32::MAX), bytes.len());
    }

    #[test]
    fn a_server_that_stops_behind_a_chunk_has_ended_its_line() {
        let page = chunked(&[4], 20);
        assert!(page.cut(8).ends_with(&[page.body_byte(7), b'\r', b'\n']));
        assert!(page.cut(7).ends_with(&[page.body_byte(5), page.body_byte(6)]));
    }

    #[test]
    fn empty_lines_come_as_often_as_was_asked_for() {
        let page = Page { blank_line_every_bytes: 4, ..Page::with_length(8, 100) };
        let newlines: Vec<u32> = (0..8).filter(|&at| page.body_byte(at) == b'\n').collect();
        assert_eq!(newlines, [2, 3, 6, 7]);
    }

    #[test]
    fn damage_takes_or_repeats_one_byte_and_leaves_shorter_streams_alone() {
        let damaged = |how, at_byte| {
            let mut bytes = b"8000".to_vec();
            Damage { how, at_byte }.apply(&mut bytes);
            String::from_utf8(bytes).expect("digits")
        };
        assert_eq!(damaged(DamageKind::Drop, 0), "000");
        assert_eq!(damaged(DamageKind::Duplicate, 0), "88000");
        assert_eq!(damaged(DamageKind::Drop, 4), "8000");
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        let page = Page::with_length(0x0100_0000, 1_000);
        assert_eq!(page.check(), Err(PageError::BodyOver24Bits(0x0100_0000)));
        assert_eq!(Page::with_length(1, 79).check(), Err(PageError::Head(79)));
        let page = Page { blank_line_every_bytes: 1, ..Page::with_length(1, 100) };
        assert_eq!(page.check(), Err(PageError::BlankLines(1)));
        assert_eq!(ChunkSizes::try_new(&[]), Err(ChunkSizesError::Count(0)));
        assert_eq!(ChunkSizes::try_new(&[5; 9]), Err(ChunkSizesError::Count(9)));
        assert_eq!(ChunkSizes::try_new(&[5, 0]), Err(ChunkSizesError::Size(0)));
    }
}
