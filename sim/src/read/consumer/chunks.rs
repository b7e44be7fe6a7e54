//! The client's parser of chunk lines, state by state as its rig reads it out of memory.
//!
//! ```text
//!   0 size ──not hex──► 1 to the line end ──size > 0──► 2 payload ──all──► 3 to the line end ──► 0
//!     └──line end────────────┴────────────size 0──────► 4 trailers ──empty line──► complete
//! ```
//!
//! The size has 24 bits and stays at $FFFFFF when it would be more. A line without a digit reads as
//! size 0, like the empty chunk: what the published parser does with one is not known, and by its
//! states it can do nothing else. Carriage returns count for nothing.

/// Where the parser is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChunkState {
    /// In the digits of a size.
    #[default]
    Size,
    /// Behind them, until the line ends.
    SizeLine,
    /// In the payload.
    Payload,
    /// Behind it, until the line ends.
    PayloadLine,
    /// Behind the empty chunk, until a line is empty.
    Trailers,
}

impl ChunkState {
    /// The number that the client keeps: `chunk_state`.
    pub const fn number(self) -> u8 {
        match self {
            Self::Size => 0,
            Self::SizeLine => 1,
            Self::Payload => 2,
            Self::PayloadLine => 3,
            Self::Trailers => 4,
        }
    }
}

/// The largest size that the client counts.
const SIZE_MOST: u32 = 0xFF_FFFF;

/// The parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chunks {
    state: ChunkState,
    /// The size so far in a size line, then the payload bytes that are left.
    left: u32,
    line_is_empty: bool,
    complete: bool,
}

impl Chunks {
    /// Before the first size.
    pub const NEW: Self =
        Self { state: ChunkState::Size, left: 0, line_is_empty: true, complete: false };

    /// Takes a byte; whether it is payload.
    pub fn take(&mut self, byte: u8) -> bool {
        match (self.state, byte) {
            (ChunkState::Size | ChunkState::SizeLine, b'\n') => self.sized(),
            (ChunkState::Size, byte) => match char::from(byte).to_digit(16) {
                Some(digit) => self.left = (self.left * 16 + digit).min(SIZE_MOST),
                None => self.state = ChunkState::SizeLine,
            },
            (ChunkState::Payload, _) => {
                self.skip(1);
                return true;
            }
            (ChunkState::PayloadLine, b'\n') => *self = Self::NEW,
            (ChunkState::SizeLine | ChunkState::PayloadLine, _) => {}
            (ChunkState::Trailers, b'\n') => {
                self.complete |= self.line_is_empty;
                self.line_is_empty = true;
            }
            (ChunkState::Trailers, byte) => self.line_is_empty &= byte == b'\r',
        }
        false
    }

    const fn sized(&mut self) {
        let empty = self.left == 0;
        self.state = if empty { ChunkState::Trailers } else { ChunkState::Payload };
    }

    /// How many payload bytes come before anything else.
    pub const fn payload_left(&self) -> u32 {
        match self.state {
            ChunkState::Payload => self.left,
            ChunkState::Size
            | ChunkState::SizeLine
            | ChunkState::PayloadLine
            | ChunkState::Trailers => 0,
        }
    }

    /// Takes `count` payload bytes, at most [`Self::payload_left`], whatever they are.
    pub fn skip(&mut self, count: u32) {
        if self.state == ChunkState::Payload {
            self.left = self.left.saturating_sub(count);
            if self.left == 0 {
                self.state = ChunkState::PayloadLine;
            }
        }
    }

    /// Where it is.
    pub const fn state(&self) -> ChunkState {
        self.state
    }

    /// Whether the empty chunk and an empty line behind it have come.
    pub const fn is_complete(&self) -> bool {
        self.complete
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Payload, and where the parser is at the end.
    fn parsed(text: &[u8]) -> (Vec<u8>, Chunks) {
        let mut chunks = Chunks::NEW;
        let payload = text.iter().copied().filter(|&byte| chunks.take(byte)).collect();
        (payload, chunks)
    }

    #[test]
    fn every_state_is_passed_in_its_order() {
        let text = b"2;x\r\nab\r\n0\r\nT: 1\r\n\r\n";
        let mut chunks = Chunks::NEW;
        let states: Vec<u8> = text
            .iter()
            .map(|&byte| {
                chunks.take(byte);
                chunks.state().number()
            })
            .collect();
        assert_eq!(states[..9], [0, 1, 1, 1, 2, 2, 3, 3, 0]);
        assert_eq!(states[9..], [0, 1, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
        assert!(chunks.is_complete());
    }

    /// P-23: a 16-bit size would wrap to 0, and so would one of more than 24 bits.
    #[test]
    fn sizes_have_24_bits_and_do_not_wrap() {
        assert_eq!(parsed(b"10000\r\n").1.payload_left(), 0x1_0000);
        assert_eq!(parsed(b"10928\r\n").1.payload_left(), 0x1_0928);
        assert_eq!(parsed(b"1000000\r\n").1.payload_left(), SIZE_MOST);
        assert_eq!(parsed(b"FFFFFFFFFFFF\r\n").1.payload_left(), SIZE_MOST);
    }

    /// P-23's cousin: what is left of "8000" without its first digit is a size of 0.
    #[test]
    fn a_size_that_lost_its_first_digit_reads_as_the_last_chunk() {
        let chunks = parsed(b"000\r\n").1;
        assert_eq!((chunks.state(), chunks.is_complete()), (ChunkState::Trailers, false));
        let (payload, chunks) = parsed(b"000\r\neaten as trailers\n\nand never seen");
        assert_eq!((payload.len(), chunks.is_complete()), (0, true));
    }

    #[test]
    fn any_byte_in_any_state_is_taken() {
        for start in [b"".as_slice(), b"5;", b"5\n", b"1\na", b"0\n"] {
            for byte in 0..=u8::MAX {
                let mut chunks = parsed(start).1;
                chunks.take(byte);
                assert!(chunks.state().number() <= 4);
            }
        }
    }
}
