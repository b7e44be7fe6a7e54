//! The READ client alone, on buses that answer anything.
#![expect(clippy::panic, reason = "a helper fails its test")]

mod any_bus;
mod any_input;
mod bus;
mod clock;
mod config;
mod layout;
mod samples;
