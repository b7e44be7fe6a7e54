//! The trace of a recording in progress: its writer, the digest of the steps, and the first thing
//! that could not be written.
use firmware_core::time::Instant;

use super::digest::CoreDigest;
use super::{Recorded, Sink};
use crate::pft::{Event, Head, Redactor, WriteError, Writer};

/// A trace that is being written; both cores' recordings keep one.
pub(super) struct Log<'w> {
    writer: Writer<Sink<'w>>,
    digest: CoreDigest,
    /// Nothing is written after it.
    failed: Option<WriteError>,
}

impl<'w> Log<'w> {
    /// A trace with this head.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn begin(
        out: Sink<'w>,
        head: &Head,
        redactor: Redactor,
    ) -> Result<Self, WriteError> {
        let writer = Writer::create(out, head, redactor)?;
        Ok(Self { writer, digest: CoreDigest::default(), failed: None })
    }

    /// Something that is no step of a core.
    pub(super) fn put(&mut self, at: Instant, event: &Event) {
        if self.failed.is_none() {
            self.failed = self.writer.record(at, event).err();
        }
    }

    /// A step: what the core was given, and all that it gave.
    pub(super) fn step(&mut self, at: Instant, input: &Event, outputs: &[Event]) {
        self.digest.step(at, input, outputs);
        for event in std::iter::once(input).chain(outputs) {
            self.put(at, event);
        }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first thing that could not be written.
    pub(super) fn finish(self) -> Result<Recorded, WriteError> {
        if let Some(failed) = self.failed {
            return Err(failed);
        }
        let (records, digest) = (self.writer.records(), self.digest.value());
        self.writer.finish(Some(digest))?;
        Ok(Recorded { records, steps: self.digest.steps(), digest })
    }
}
