//! The client and the firmware that answers it, together.
#![expect(clippy::panic, reason = "a helper fails its test")]

mod accesses;
mod cases;
mod holes;
mod page;
mod published;
mod responder;
mod talk;
