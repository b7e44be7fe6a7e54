//! The client and the firmware that answers it, together.
#![expect(clippy::panic, reason = "a helper fails its test")]

mod aborts;
mod accesses;
mod cases;
mod connection;
mod holes;
mod page;
mod published;
mod resets;
mod responder;
pub(crate) mod system;
mod talk;
