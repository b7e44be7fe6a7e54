//! Reading a trace: one block in memory at a time, and damage becomes a gap.
//!
//! ```text
//!   block whole? ── yes ─► its records
//!       │ no
//!       ├─ the file ends in it ───────────────► gap "cut", done
//!       ├─ header whole, payload not ─────────► gap "damaged" with the records lost, next block
//!       └─ no header ─► look for the next one ─► gap "damaged", then that block
//!   no block left, and the last was no end block ─► gap "unfinished"
//! ```
use std::io::Read;
use std::ops::Range;

use firmware_core::time::Instant;

use super::block::{
    BLOCK_HEADER, BlockHeader, BlockKind, FILE_HEADER, MAGIC, SYNC, VERSION, file_header,
};
use super::choice::GapReason;
use super::error::PftError;
use super::event::Event;
use super::field::{Broken, Cursor};
use super::head::Head;

/// What the next step through a trace finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A record.
    Record(Record),
    /// Records are missing.
    Gap(Gap),
    /// A record of a kind that this version does not know.
    Unknown(Unknown),
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its number in the file, from 0.
    pub index: u64,
    /// When it happened.
    pub at: Instant,
    /// What happened.
    pub event: Event,
}

/// Records are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Why.
    pub reason: GapReason,
    /// How many, where that is known.
    pub lost: Option<u64>,
    /// The number of the next record as far as it is known.
    pub before: u64,
    /// The time of the last record before it.
    pub at: Instant,
    /// The bytes of the file that are no use; empty for a gap that was written as a record.
    pub bytes: Range<u64>,
}

/// A record of a kind that this version does not know; the schema in the head describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Its number in the file, from 0.
    pub index: u64,
    /// When it happened.
    pub at: Instant,
    /// The number of its kind.
    pub number: u64,
    /// Its fields.
    pub bytes: Vec<u8>,
}

/// What the end block says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Records of the trace.
    pub records: u64,
    /// The run's digest.
    pub digest: Option<u128>,
}

/// A trace being read. It is an iterator; after an error it ends.
#[derive(Debug)]
pub struct Reader<R> {
    window: Window<R>,
    head: Option<Head>,
    end: Option<End>,
    /// The payload of the present block, how much of it is read, and where its header began.
    payload: Vec<u8>,
    taken: usize,
    block_at: u64,
    left: u32,
    next: u64,
    at: Instant,
    /// Behind the last block that counts, and what came before it.
    whole: (u64, u64, Instant),
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Blocks,
    Done,
}

impl<R: Read> Reader<R> {
    /// Begins to read. Of a file cut within its head, only the gap is left.
    ///
    /// # Errors
    /// When the file cannot be read, is no trace, or is one of another version.
    pub fn open(source: R) -> Result<Self, PftError> {
        let mut reader = Self {
            window: Window::new(source),
            head: None,
            end: None,
            payload: Vec::new(),
            taken: 0,
            block_at: 0,
            left: 0,
            next: 0,
            at: Instant::ZERO,
            whole: (0, 0, Instant::ZERO),
            state: State::Blocks,
        };
        let found = reader.window.peek(FILE_HEADER)?;
        if found.len() < FILE_HEADER {
            let is_cut = file_header().starts_with(found);
            return if is_cut { Ok(reader) } else { Err(PftError::NotATrace) };
        }
        if !found.starts_with(&MAGIC)
            || super::block::word(found, 12) != crc32fast::hash(&found[..12])
        {
            return Err(PftError::NotATrace);
        }
        let version = u16::from_le_bytes([found[8], found[9]]);
        if version != VERSION {
            return Err(PftError::Version { found: version, known: VERSION });
        }
        reader.window.skip(FILE_HEADER);
        reader.whole.0 = FILE_HEADER as u64;
        reader.read_head()?;
        Ok(reader)
    }

    fn read_head(&mut self) -> Result<(), PftError> {
        let header = self.window.peek(BLOCK_HEADER)?.first_chunk().and_then(BlockHeader::of);
        let Some(header) = header.filter(|header| header.kind == BlockKind::Head) else {
            return Ok(());
        };
        let length = BLOCK_HEADER + to_usize(header.length);
        let block = self.window.peek(length)?;
        if block.len() < length || crc32fast::hash(&block[BLOCK_HEADER..]) != header.crc {
            return Ok(());
        }
        let head = Head::of(&block[BLOCK_HEADER..]);
        self.head = Some(head.map_err(|why| PftError::Head(why.to_string()))?);
        self.window.skip(length);
        self.whole.0 = self.window.offset;
        Ok(())
    }

    /// What the trace is of; `None` when its head did not survive.
    pub const fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    /// What the end block says, once it has been reached.
    pub const fn end(&self) -> Option<End> {
        self.end
    }

    /// Behind which byte a writer may go on, with which record number, and from what time on.
    pub(super) const fn whole(&self) -> (u64, u64, Instant) {
        self.whole
    }

    fn step(&mut self) -> Result<Option<Item>, PftError> {
        loop {
            if self.left > 0 {
                return self.record().map(Some);
            }
            if self.state == State::Done {
                return Ok(None);
            }
            if self.taken < self.payload.len() {
                let why = Broken::Left(self.payload.len() - self.taken);
                return Err(PftError::Record { index: self.next, block_at: self.block_at, why });
            }
            if let Some(gap) = self.block()? {
                return Ok(Some(Item::Gap(gap)));
            }
        }
    }

    /// Goes to the next block; a gap where there is none.
    fn block(&mut self) -> Result<Option<Gap>, PftError> {
        let begin = self.window.offset;
        let bytes = self.window.peek(BLOCK_HEADER)?;
        if bytes.is_empty() {
            self.state = State::Done;
            let finished = self.end.is_some();
            let reason = if begin == 0 { GapReason::Cut } else { GapReason::Unfinished };
            return Ok((!finished).then(|| self.gap(reason, None, begin)));
        }
        let Some(header) = bytes.first_chunk().and_then(BlockHeader::of) else {
            return self.look_for_a_block().map(Some);
        };
        let length = BLOCK_HEADER + to_usize(header.length);
        let block = self.window.peek(length)?;
        if block.len() < length {
            self.state = State::Done;
            self.window.skip_all();
            return Ok(Some(self.gap(GapReason::Cut, None, begin)));
        }
        if crc32fast::hash(&block[BLOCK_HEADER..]) != header.crc {
            self.window.skip(length);
            self.end = None;
            let lost = header.first.saturating_sub(self.next) + u64::from(header.count);
            self.next = self.next.max(header.first + u64::from(header.count));
            return Ok(Some(self.gap(GapReason::Damaged, Some(lost), begin)));
        }
        if header.first > self.next {
            let lost = header.first - self.next;
            self.next = header.first;
            return Ok(Some(self.gap(GapReason::Damaged, Some(lost), begin)));
        }
        self.enter(header, length, begin)?;
        Ok(None)
    }

    fn enter(&mut self, header: BlockHeader, length: usize, begin: u64) -> Result<(), PftError> {
        if header.first < self.next {
            let (said, expected) = (header.first, self.next);
            return Err(PftError::Count { block_at: begin, said, expected });
        }
        let mut payload = std::mem::take(&mut self.payload);
        payload.clear();
        payload.extend_from_slice(&self.window.peek(length)?[BLOCK_HEADER..]);
        self.window.skip(length);
        (self.payload, self.taken, self.block_at) = (payload, 0, begin);
        match header.kind {
            BlockKind::Records => {
                if header.base < self.at {
                    let (index, from, to) = (self.next, self.at, header.base);
                    return Err(PftError::Backwards { index, from, to });
                }
                (self.at, self.left, self.end) = (header.base, header.count, None);
            }
            BlockKind::End => {
                self.taken = self.payload.len();
                self.end = Some(end(&self.payload, begin, self.next)?);
            }
            BlockKind::Head => self.taken = self.payload.len(),
        }
        Ok(())
    }

    fn record(&mut self) -> Result<Item, PftError> {
        let (index, block_at) = (self.next, self.block_at);
        let broken = |why| PftError::Record { index, block_at, why };
        let mut cursor = Cursor::new(&self.payload[self.taken..]);
        let length = cursor.uint().map_err(broken)?;
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let mut body = Cursor::new(cursor.bytes(length, "record").map_err(broken)?);
        self.taken = self.payload.len() - cursor.rest().len();
        let number = body.uint().map_err(broken)?;
        let delta = body.uint().map_err(broken)?;
        let nanos = self.at.as_nanos().checked_add(delta);
        let nanos = nanos.ok_or_else(|| broken(Broken::value("what lies past 2^64 ns", "time")))?;
        self.at = Instant::from_nanos(nanos);
        let event = Event::take(number, body.rest()).map_err(broken)?;
        self.left -= 1;
        self.next += 1;
        if self.left == 0 {
            self.whole = (self.window.offset, self.next, self.at);
        }
        let at = self.at;
        Ok(match event {
            Some(Event::Gap { reason, lost }) => {
                let here = self.window.offset;
                Item::Gap(Gap { reason, lost, before: index + 1, at, bytes: here..here })
            }
            Some(event) => Item::Record(Record { index, at, event }),
            None => Item::Unknown(Unknown { index, at, number, bytes: body.rest().to_vec() }),
        })
    }

    /// Something that is no block: looks for the next.
    fn look_for_a_block(&mut self) -> Result<Gap, PftError> {
        let begin = self.window.offset;
        let bytes = self.window.peek(BLOCK_HEADER)?;
        // A header that the end of the file has cut is no damage.
        let is_cut = bytes.len() < BLOCK_HEADER
            && (bytes.starts_with(&SYNC) || SYNC.starts_with(bytes) || begin == 0);
        if is_cut {
            self.state = State::Done;
            self.window.skip_all();
            return Ok(self.gap(GapReason::Cut, None, begin));
        }
        self.window.skip(1);
        self.end = None;
        loop {
            let bytes = self.window.peek(BLOCK_HEADER)?;
            if bytes.len() < BLOCK_HEADER {
                self.window.skip_all();
                self.state = State::Done;
                return Ok(self.gap(GapReason::Damaged, None, begin));
            }
            if let Some(header) = bytes.first_chunk().and_then(BlockHeader::of) {
                let lost = header.first.saturating_sub(self.next);
                self.next = self.next.max(header.first);
                return Ok(self.gap(GapReason::Damaged, Some(lost), begin));
            }
            self.window.skip_to(SYNC[0]);
        }
    }

    fn gap(&self, reason: GapReason, lost: Option<u64>, begin: u64) -> Gap {
        Gap { reason, lost, before: self.next, at: self.at, bytes: begin..self.window.offset }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Item, PftError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if step.is_err() {
            (self.left, self.state) = (0, State::Done);
            (self.payload, self.taken) = (Vec::new(), 0);
        }
        step.transpose()
    }
}

fn end(payload: &[u8], block_at: u64, expected: u64) -> Result<End, PftError> {
    let broken = |why| PftError::Record { index: expected, block_at, why };
    let mut cursor = Cursor::new(payload);
    let said = cursor.uint().map_err(broken)?;
    let has_digest = cursor.uint().map_err(broken)? != 0;
    let digest = cursor.bytes(16, "digest").map_err(broken)?;
    let digest = digest.first_chunk().map(|bytes| u128::from_le_bytes(*bytes));
    if said != expected {
        return Err(PftError::Count { block_at, said, expected });
    }
    Ok(End { records: said, digest: digest.filter(|_| has_digest) })
}

fn to_usize(length: u32) -> usize {
    usize::try_from(length).expect("a payload is at most 1 MiB")
}

/// What of the file is in memory: a block, and what was read along with it.
#[derive(Debug)]
struct Window<R> {
    source: R,
    bytes: Vec<u8>,
    start: usize,
    /// Where in the file `start` is.
    offset: u64,
    ended: bool,
}

/// How much is read at once.
const CHUNK: usize = 64 * 1024;

impl<R: Read> Window<R> {
    const fn new(source: R) -> Self {
        Self { source, bytes: Vec::new(), start: 0, offset: 0, ended: false }
    }

    /// The next `count` bytes, or as many as there are.
    fn peek(&mut self, count: usize) -> Result<&[u8], PftError> {
        while self.bytes.len() - self.start < count && !self.ended {
            self.bytes.drain(..self.start);
            self.start = 0;
            let have = self.bytes.len();
            self.bytes.resize(have + CHUNK, 0);
            let read = match self.source.read(&mut self.bytes[have..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => 0,
                Err(error) => {
                    self.bytes.truncate(have);
                    return Err(error.into());
                }
                Ok(0) => {
                    self.ended = true;
                    0
                }
                Ok(read) => read,
            };
            self.bytes.truncate(have + read);
        }
        let until = self.bytes.len().min(self.start + count);
        Ok(&self.bytes[self.start..until])
    }

    fn skip(&mut self, count: usize) {
        let count = count.min(self.bytes.len() - self.start);
        self.start += count;
        self.offset += count as u64;
    }

    /// To the end of what is in memory; called when the file has ended.
    fn skip_all(&mut self) {
        self.skip(usize::MAX);
    }

    /// Past one byte, and on to the next that is `sign` in what is in memory.
    fn skip_to(&mut self, sign: u8) {
        let rest = &self.bytes[self.start..];
        let found = rest.iter().skip(1).position(|byte| *byte == sign);
        self.skip(found.map_or(rest.len(), |at| at + 1));
    }
}
