//! The status text of a command: at most 40 bytes are kept whole, its two-digit code and its value
//! are read from them.
//!
//! ```text
//!   0 2 , N O   D A T A :   1 1          code 02, value 11
//! ```
//!
//! Clauses: ER-7, ER-8.

/// Bytes of a status line that are kept: the longest line there is has exactly as many (ER-8).
pub const STATUS_KEPT_MAX: usize = 40;
/// Bytes of a status line that are read: the hardware's length register has eight bits.
pub const STATUS_READ_MAX: u8 = 255;
/// The only line that makes $FFFF mean "nothing yet" (ER-7).
pub const IDLE_LINE: &[u8] = b"02,NO DATA: 11";
/// What [`StatusLine::code`] is when a line does not begin with two digits.
pub const NO_CODE: u8 = 0xFF;

/// The line that came with the last command; empty from the moment the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatusLine {
    kept: [u8; STATUS_KEPT_MAX],
    read: u8,
}

impl StatusLine {
    /// A line of which nothing was read.
    pub const EMPTY: Self = Self { kept: [0; STATUS_KEPT_MAX], read: 0 };

    /// The bytes kept, at most [`STATUS_KEPT_MAX`].
    pub fn text(&self) -> &[u8] {
        self.kept.get(..usize::from(self.read)).unwrap_or(&self.kept)
    }

    /// How many bytes were read, kept or not.
    pub const fn read(&self) -> u8 {
        self.read
    }

    /// The two leading digits as a number 0..=99; [`NO_CODE`] without them.
    pub fn code(&self) -> u8 {
        match self.text() {
            [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] => (tens - b'0') * 10 + (ones - b'0'),
            _ => NO_CODE,
        }
    }

    /// The decimal number behind the last `": "`, if the line ends in one that fits.
    pub fn value(&self) -> Option<u16> {
        let text = self.text();
        let colon = text.windows(2).rposition(|pair| pair == b": ")?;
        let digits = text.get(colon + 2..).filter(|digits| !digits.is_empty())?;
        digits.iter().try_fold(0_u16, |sum, byte| match byte {
            b'0'..=b'9' => sum.checked_mul(10)?.checked_add(u16::from(byte - b'0')),
            _ => None,
        })
    }

    /// Whether this is exactly the idle line: another errno, or a longer line, is not (ER-7).
    pub fn is_idle(&self) -> bool {
        usize::from(self.read) == IDLE_LINE.len() && self.text() == IDLE_LINE
    }

    /// Whether another byte may be read.
    pub(super) const fn takes_more(&self) -> bool {
        self.read < STATUS_READ_MAX
    }

    /// Adds a byte: kept while there is room, counted until the hardware's limit.
    pub(super) fn push(&mut self, byte: u8) {
        if let Some(place) = self.kept.get_mut(usize::from(self.read)) {
            *place = byte;
        }
        self.read = self.read.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &[u8]) -> StatusLine {
        let mut line = StatusLine::EMPTY;
        for &byte in text {
            line.push(byte);
        }
        line
    }

    #[test]
    fn a_line_of_forty_bytes_is_kept_whole_and_the_rest_of_a_longer_one_is_counted() {
        let longest = b"94,CERTIFICATE NAME MISMATCH: 0x00000004";
        assert_eq!((longest.len(), line(longest).text()), (40, longest.as_slice()));
        let longer = line(&[b'x'; 300]);
        assert_eq!((longer.text().len(), longer.read()), (40, 255));
    }

    #[test]
    fn a_code_needs_two_digits() {
        assert_eq!(line(b"00,OK").code(), 0);
        assert_eq!(line(b"94,CERTIFICATE").code(), 94);
        for text in [b"".as_slice(), b"0", b"0x", b"OK", b",0"] {
            assert_eq!(line(text).code(), NO_CODE, "{text:?}");
        }
    }

    #[test]
    fn a_value_is_the_number_behind_the_last_colon() {
        assert_eq!(line(b"14,TLS ALERT RECEIVED: 70").value(), Some(70));
        for text in [b"00,OK".as_slice(), b"x: ", b"x: 4a", b"x: 65536", b"x:5"] {
            assert_eq!(line(text).value(), None, "{text:?}");
        }
    }

    /// Cites ER-7.
    #[test]
    fn only_the_exact_line_is_idle() {
        assert!(line(b"02,NO DATA: 11").is_idle());
        for text in [b"02,NO DATA: 9".as_slice(), b"02,NO DATA: 12", b"02,NO DATA: 111", b""] {
            assert!(!line(text).is_idle(), "{text:?}");
        }
    }
}
