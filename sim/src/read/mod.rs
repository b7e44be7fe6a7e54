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
mod bus;
pub mod c64;
pub mod consumer;
mod crc;
pub mod delay;
pub mod difference;
pub mod engine;
pub mod outcome;
pub mod parameters;
mod report;
pub mod server;
#[cfg(test)]
mod tests;
mod world;

pub use bus::{BusError, Late};
pub use outcome::Outcome;
pub use report::{run, run_recorded};
pub use world::{Fetch, FetchError, Watch, fetch, fetch_watched};
