//! Writing a trace: records gather into blocks, and a block is written whole.
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use firmware_core::time::Instant;

use super::block::{BlockHeader, BlockKind, file_header};
use super::choice::GapReason;
use super::error::PftError;
use super::event::Event;
use super::field::put_uint;
use super::head::Head;
use super::reader::{Item, Reader};
use super::redact::Redactor;

/// Bytes of payload after which a block is written: what a cut can cost at most.
pub const BLOCK_BYTES: usize = 4_096;

/// Why a record cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The file cannot be written.
    #[error("the trace cannot be written: {0}")]
    Io(#[from] io::Error),
    /// A record earlier than the one before it.
    #[error("record {index} would go back in time by {by_ns} ns")]
    Backwards {
        /// Its number, from 0.
        index: u64,
        /// How far.
        by_ns: u64,
    },
    /// The head or a record is longer than a block can be.
    #[error("record {index} is too long for a block")]
    TooLong {
        /// Its number, from 0.
        index: u64,
    },
    /// The file to append to is no trace that can be read.
    #[error("the trace cannot be taken up again: {0}")]
    Append(#[from] PftError),
}

/// A trace being written.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    redactor: Redactor,
    block: Vec<u8>,
    record: Vec<u8>,
    count: u32,
    next: u64,
    base: Instant,
    last: Instant,
}

impl<W: Write> Writer<W> {
    /// Begins a trace. Addresses and keys are replaced as `redactor` says.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(mut out: W, head: &Head, mut redactor: Redactor) -> Result<Self, WriteError> {
        let mut head = head.clone();
        head.set("redacted", if redactor.is_on() { "yes" } else { "no" });
        let title = head.get("title").map(|title| redactor.text(title));
        if let Some(title) = title {
            head.set("title", &title);
        }
        out.write_all(&file_header())?;
        let mut writer = Self {
            out,
            redactor,
            block: head.bytes(),
            record: Vec::new(),
            count: 0,
            next: 0,
            base: Instant::ZERO,
            last: Instant::ZERO,
        };
        if writer.block.len() > super::block::PAYLOAD_MOST {
            return Err(WriteError::TooLong { index: 0 });
        }
        writer.put_block(BlockKind::Head)?;
        Ok(writer)
    }

    /// Adds a record; its number.
    ///
    /// # Errors
    /// When it is earlier than the last one, too long, or cannot be written.
    pub fn record(&mut self, at: Instant, event: &Event) -> Result<u64, WriteError> {
        if at < self.last {
            let by_ns = self.last.since(at).as_nanos();
            return Err(WriteError::Backwards { index: self.next, by_ns });
        }
        if self.count == 0 {
            self.base = at;
            self.last = at;
        }
        self.record.clear();
        put_uint(&mut self.record, event.number());
        put_uint(&mut self.record, at.since(self.last).as_nanos());
        if self.redactor.is_on() {
            let mut event = event.clone();
            event.redact(&mut self.redactor);
            event.put(&mut self.record);
        } else {
            event.put(&mut self.record);
        }
        if self.record.len() + 10 > super::block::PAYLOAD_MOST - BLOCK_BYTES {
            return Err(WriteError::TooLong { index: self.next });
        }
        put_uint(&mut self.block, self.record.len() as u64);
        self.block.extend_from_slice(&self.record);
        self.last = at;
        self.count += 1;
        self.next += 1;
        if self.block.len() >= BLOCK_BYTES {
            self.put_block(BlockKind::Records)?;
        }
        Ok(self.next - 1)
    }

    /// How many records there are so far.
    pub const fn records(&self) -> u64 {
        self.next
    }

    /// The pseudonyms in use, for what does not stand in records.
    pub const fn redactor(&mut self) -> &mut Redactor {
        &mut self.redactor
    }

    /// Writes the records that have gathered, so that nothing is lost if there are no more.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        if self.count > 0 {
            self.put_block(BlockKind::Records)?;
        }
        Ok(self.out.flush()?)
    }

    /// Ends the trace: only one that was ended counts as complete. The digest is the run's, if it
    /// has one.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self, digest: Option<u128>) -> Result<W, WriteError> {
        self.flush()?;
        put_uint(&mut self.block, self.next);
        self.block.push(u8::from(digest.is_some()));
        self.block.extend_from_slice(&digest.unwrap_or_default().to_le_bytes());
        self.base = self.last;
        self.put_block(BlockKind::End)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn put_block(&mut self, kind: BlockKind) -> Result<(), WriteError> {
        let header = BlockHeader {
            kind,
            length: u32::try_from(self.block.len()).expect("a block is at most 1 MiB"),
            crc: crc32fast::hash(&self.block),
            first: self.next - u64::from(self.count),
            base: self.base,
            count: self.count,
        };
        self.out.write_all(&header.bytes())?;
        self.out.write_all(&self.block)?;
        self.block.clear();
        self.count = 0;
        Ok(())
    }
}

impl Writer<File> {
    /// Takes up a trace again: what is whole stays, a torn end is cut off and becomes a gap. The
    /// redactor must be the one it was begun with, or pseudonyms change.
    ///
    /// # Errors
    /// When the file is no trace, or cannot be read or written.
    pub fn append(path: &Path, redactor: Redactor) -> Result<Self, WriteError> {
        let mut reader = Reader::open(File::open(path)?)?;
        for item in reader.by_ref() {
            let _: Item = item?;
        }
        if reader.head().is_none() {
            return Err(PftError::Head("the file ends before it".to_owned()).into());
        }
        let (end, next, last) = reader.whole();
        let complete = reader.end().is_some();
        let mut out = OpenOptions::new().write(true).open(path)?;
        out.set_len(end)?;
        out.seek(SeekFrom::Start(end))?;
        let (block, record) = (Vec::new(), Vec::new());
        let mut writer = Self { out, redactor, block, record, count: 0, next, base: last, last };
        if !complete {
            writer.record(last, &Event::Gap { reason: GapReason::Resumed, lost: None })?;
        }
        Ok(writer)
    }
}
