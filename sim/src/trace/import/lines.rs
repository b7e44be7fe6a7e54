//! A text file line by line, without holding more of it than one buffer.
//!
//! ```text
//!   file ─► buffer of 256 KiB ─► line: number, bytes without CR LF, whether its end was there
//! ```
//!
//! A byte order mark at the beginning is skipped. A line that does not fit the buffer is handed out
//! cut, and marked: nothing that a file holds makes the memory grow.
use std::io::{self, Read};

/// Bytes that are held of a file.
const BUFFER: usize = 256 * 1024;
/// The longest line that is handed out whole.
pub(super) const LINE_MOST: usize = 64 * 1024;
/// The byte order mark of UTF-8.
pub(super) const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// A file's lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// The beginning of a line that is too long.
    kept: Vec<u8>,
    start: usize,
    end: usize,
    number: u64,
    is_at_end: bool,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Its number, from 1 on.
    pub(super) number: u64,
    /// Its bytes, without the line's end.
    pub(super) bytes: &'a [u8],
    /// Whether the line's end was there; only the last line may lack it.
    pub(super) is_whole: bool,
    /// Whether it was longer than the longest line.
    pub(super) is_cut: bool,
}

impl<R: Read> Lines<R> {
    /// The lines of a file that has not been read from.
    pub(super) fn new(source: R) -> Self {
        let buffer = vec![0; BUFFER];
        let kept = Vec::new();
        Self { source, buffer, kept, start: 0, end: 0, number: 0, is_at_end: false }
    }

    /// The next line; `None` at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        if self.number == 0 {
            self.skip_mark()?;
        }
        let mut searched = self.start;
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let end = searched + found;
                let begin = self.start;
                self.start = end + 1;
                return Ok(Some(self.line(begin, end, true)));
            }
            if self.end - self.start > LINE_MOST {
                return self.cut().map(Some);
            }
            searched = self.end - self.start;
            let more = self.fill()?;
            searched += self.start;
            if !more {
                break;
            }
        }
        if self.start == self.end {
            return Ok(None);
        }
        let (begin, end) = (self.start, self.end);
        self.start = end;
        Ok(Some(self.line(begin, end, false)))
    }

    fn line(&mut self, begin: usize, end: usize, is_whole: bool) -> Line<'_> {
        self.number += 1;
        let bytes = &self.buffer[begin..end];
        let bytes = if is_whole { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes };
        Line { number: self.number, bytes, is_whole, is_cut: false }
    }

    /// A line that is too long: its beginning is handed out, the rest is passed over.
    fn cut(&mut self) -> io::Result<Line<'_>> {
        self.kept.clear();
        self.kept.extend_from_slice(&self.buffer[self.start..self.start + LINE_MOST]);
        loop {
            if let Some(found) = memchr::memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.start += found + 1;
                break;
            }
            self.start = self.end;
            if !self.fill()? {
                break;
            }
        }
        self.number += 1;
        Ok(Line { number: self.number, bytes: &self.kept, is_whole: true, is_cut: true })
    }

    /// Reads on; false when nothing came.
    fn fill(&mut self) -> io::Result<bool> {
        if self.is_at_end {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.is_at_end = true;
                    return Ok(false);
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn skip_mark(&mut self) -> io::Result<()> {
        while self.end - self.start < BYTE_ORDER_MARK.len() && self.fill()? {}
        if self.buffer[self.start..self.end].starts_with(&BYTE_ORDER_MARK) {
            self.start += BYTE_ORDER_MARK.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands a file out in pieces of a few bytes.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(out.len());
            out[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn read(file: &[u8], piece: usize) -> Vec<(u64, Vec<u8>, bool, bool)> {
        let mut lines = Lines::new(Pieces(file, piece));
        let mut all = Vec::new();
        while let Some(line) = lines.next().expect("bytes in memory") {
            all.push((line.number, line.bytes.to_vec(), line.is_whole, line.is_cut));
        }
        all
    }

    /// Cites case 23.
    #[test]
    fn marks_and_both_line_ends_leave_the_same_lines() {
        let plain = read(b"a,b\n1,2\n", 1);
        assert_eq!(plain, [(1, b"a,b".to_vec(), true, false), (2, b"1,2".to_vec(), true, false)]);
        for file in ["a,b\r\n1,2\r\n", "\u{feff}a,b\r\n1,2\r\n", "\u{feff}a,b\n1,2\n"] {
            assert_eq!(read(file.as_bytes(), 2), plain);
        }
        assert!(read(b"", 1).is_empty() && read("\u{feff}".as_bytes(), 1).is_empty());
    }

    /// Cites case 21.
    #[test]
    fn a_last_line_without_its_end_is_marked() {
        assert_eq!(read(b"a\nb", 1)[1], (2, b"b".to_vec(), false, false));
    }

    #[test]
    fn a_line_without_end_is_cut_and_the_next_one_is_read() {
        for length in [LINE_MOST, LINE_MOST + 1, BUFFER, 3 * BUFFER + 7] {
            let mut file = vec![b'x'; length];
            file.extend_from_slice(b"\nnext\n");
            let lines = read(&file, 8_192);
            assert_eq!(lines.len(), 2, "{length}");
            assert!(lines[0].1.len() <= length && lines[0].1.len() >= LINE_MOST.min(length));
            assert_eq!(lines[1], (2, b"next".to_vec(), true, false));
        }
    }

    proptest! {
        #[test]
        fn lines_joined_give_the_file_back_whatever_the_pieces(
            file in proptest::collection::vec(prop_oneof![Just(b'\n'), any::<u8>()], 0..400),
            piece in 1..50_usize,
        ) {
            prop_assume!(!file.starts_with(&BYTE_ORDER_MARK));
            let lines = read(&file, piece);
            let expected: Vec<&[u8]> = file.split_inclusive(|byte| *byte == b'\n').collect();
            prop_assert_eq!(lines.len(), expected.len());
            for (line, expected) in lines.iter().zip(expected) {
                let bytes = expected.strip_suffix(b"\n");
                let plain = bytes.map_or(expected, |line| line.strip_suffix(b"\r").unwrap_or(line));
                prop_assert_eq!(&line.1, plain);
                prop_assert_eq!(line.2, bytes.is_some());
            }
        }
    }
}
