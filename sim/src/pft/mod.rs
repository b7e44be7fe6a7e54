//! `.pft`: what happened, as a file that replays.
//!
//! ```text
//!   file header ─ head block ─ records ─ records ─ … ─ end block
//!                 subject, device,  4 KiB each,        count, digest
//!                 schema            CRC each
//!
//!   record:  length uint · kind uint · time since the record before uint, ns · fields
//! ```
//!
//! # The format
//!
//! [`block`] has the bytes of the file and of a block; [`field`] how each type of field is written;
//! [`event`] every kind of record; [`head`] the words that a trace says of itself. The head carries
//! the schema, one kind a line (`62 out.send message:choice(0=ping …) peer:uint …`), so a reader that
//! knows the types of [`field`] can show every record of any version. The time of a block's first record
//! counts from the block's base. Times never go back, and equal ones keep the order of the file.
//! `FORMAT.md` beside this file says the same to whoever writes a second implementation.
//!
//! # What damage does
//!
//! A block is whole or not used. A file cut at any byte is its whole blocks and a gap that says so;
//! a flipped bit costs the block it lies in, which a gap names with the number of records lost. A
//! trace is complete when its end block is there and counts as many records as were read.
//! [`Writer::append`] goes on behind what is whole.
//!
//! # What is in it
//!
//! Packets are not stored as ciphertext but as what was in them: a replay puts them into modelled
//! boxes, so it needs no secret, and no secret is ever written. A pong names the ping that it
//! answers by its number, because the replayed core draws other transaction ids. Addresses and keys
//! are pseudonyms unless asked otherwise ([`redact`]).
pub mod block;
pub mod choice;
pub mod error;
pub mod event;
pub mod field;
pub mod head;
pub mod parts;
pub mod reader;
pub mod redact;
pub mod schema;
pub mod writer;

pub use self::error::PftError;
pub use self::event::Event;
pub use self::head::{Head, TraceSubject};
pub use self::reader::{End, Gap, Item, Reader, Record, Unknown};
pub use self::redact::Redactor;
pub use self::writer::{WriteError, Writer};
