//! The simulator as a whole: shipped scenarios, public cases, determinism, and rules about the tree.
#![allow(clippy::float_cmp, reason = "counts in a report are whole numbers")]
#![allow(clippy::panic, reason = "a helper of a test that fails says why")]
mod cases;
mod determinism;
mod faults;
mod golden;
mod sessions;
mod tidy;
