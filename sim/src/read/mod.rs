//! The READ path under virtual time: the client's core on a C64, the responder on the Nios, the TLS
//! engine behind it and the server's page, each with its own clock and its own costs.
//!
//! ```text
//!   M3Read ──access──► C64: cycles ──► Responder: Nios ──Ask──► Engine: ESP32, records ◄── Server
//!      │ ring                                                                              │
//!      └──► Consumer: HTTP, CRC ──────────────── compared with ────────────────────────────┘
//! ```
//!
//! Every register access of a page is one step of the core and one of the register file; nothing is
//! estimated by multiplying.
//!
//! | module | what it answers |
//! |---|---|
//! | [`Fetch`], [`fetch()`] | what is fetched and what goes wrong; what came of it |
//! | [`reply`], [`server`], [`consumer`] | blocks by hand; framings; what HTTP calls complete |
//! | [`search`] | which of the things that may go wrong end like the open finding |
//! | [`comparison`], [`fit`] | whether measured runs tell two arms apart; what page times can fix |
mod bus;
pub mod c64;
pub mod comparison;
pub mod consumer;
mod crc;
pub mod delay;
pub mod difference;
pub mod engine;
mod fetch;
pub mod fit;
pub mod outcome;
pub mod parameters;
pub mod read_end;
pub mod reply;
mod report;
pub mod search;
pub mod server;
mod world;

pub use bus::{BusError, Late};
pub use fetch::{Fetch, FetchError};
pub use outcome::Outcome;
pub use report::{run, run_recorded};
pub use world::{Watch, fetch, fetch_watched};
