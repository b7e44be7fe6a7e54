//! Mutants: one fault after another is put into a copy of a crate, and its tests have to notice.
//!
//! ```text
//!  catalogue/wg_mgr/disco.ron ──► Catalogue      id, clause, anchor, replacement, killers
//!                                     │
//!  workspace ──copy──► Workshop ──baseline green?── no ─► nothing is judged
//!                         │ yes, and it took this long
//!                         ▼
//!          anchor ─► replacement ─► build ─► named killers ─► all tests ─► anchor again
//!                                     │            │              │
//!                                  unviable     killed     killed by others, or survived
//! ```
//!
//! # What a verdict rests on
//!
//! An anchor that does not match exactly once is not applied and never counts; neither does a
//! mutant that does not compile. The named killers run alone first, which is both quick and a check
//! that the entry names them rightly. Test programs are run directly, not through cargo, so that
//! one that hangs can be ended. Documentation tests are not run.
//!
//! The crate under test is named by a [`Subject`](trial::Subject); nothing here knows the firmware.
//!
//! # Map
//!
//! [`catalogue`] the faults · [`trial`] the copy and one fault in it · [`process`] commands with a
//! time limit · [`outcome`] what a trial can say · [`report`] lines, the table per clause, exit
//! codes.

pub mod catalogue;
pub mod outcome;
pub mod process;
pub mod report;
pub mod trial;
