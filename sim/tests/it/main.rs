//! The simulator as a whole: shipped scenarios, public cases, determinism, and rules about the
//! tree.
#![allow(clippy::float_cmp, reason = "counts in a report are whole numbers")]
#![allow(clippy::panic, reason = "a helper of a test that fails says why")]
mod bound;
mod cases;
mod determinism;
mod export;
mod faults;
mod golden;
mod http;
mod import;
mod limits;
mod pft;
mod read;
mod replay;
mod report;
mod scenario;
mod sessions;
mod shipped;
mod tidy;
