//! Virtual time, the world around the firmware cores, and what comes out of it.
//!
//! ```text
//!  scenario ──► World ──► core (firmware-core) ──► trace ──► report
//! ```
pub mod cost;
pub mod random;
pub mod report;
pub mod scenario;
