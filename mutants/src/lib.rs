//! Mutants: faults woven into one copy of a crate behind a switch; its tests have to notice each.
//!
//! ```text
//!  catalogue/wg_mgr/disco.ron ──► Catalogue ──┐      id, clause, anchor, replacement, killers
//!  sources ──► operators ──► generated ───────┤
//!                                             ▼
//!  workspace ──copy──► weave ──► one build ──► baseline, twice ── not green ─► nothing is judged
//!                        ▲          │                │ each test: places reached, steps
//!                        └─ without ┘ what           ▼
//!                           does not compile   trials: tests that reach the place, mutant on
//!                                                    │
//!              killed · collateral · survived · timed out · crashed · equivalent · flaky
//! ```
//!
//! # What a verdict rests on
//!
//! A mutant is *killed* when a test fails whose comment cites the mutant's clause, and fails again.
//! An anchor that does not match exactly once is not applied and never counts; neither does a mutant
//! that does not compile. Limits are counts of steps, so the verdict is the same on every machine.
//! Test programs are run directly, one or a few tests in a process. Documentation tests are not run.
//!
//! Only [`shipped`] and [`clauses`] know the firmware; everything else is about any
//! [`Subject`](subject::Subject).
//!
//! # Map
//!
//! [`catalogue`] and [`operators`] make mutants, [`gather`] places them, [`select`] chooses ·
//! [`source`], [`weave`], [`switch`] the woven text · [`workshop`], [`cargo`] the copy and its build ·
//! [`suite`], [`baseline`], [`long`], [`trial`], [`alone`], [`run`] the tests · [`outcome`], [`report`], [`matrix`],
//! [`json`] what comes out · [`cites`], [`clauses`] which test cites which clause · [`command`] the
//! flags · [`pool`], [`process`] plumbing.

pub mod alone;
pub mod baseline;
pub mod cargo;
pub mod catalogue;
pub mod cites;
pub mod clauses;
pub mod command;
pub mod gather;
pub mod json;
mod load;
pub mod long;
pub mod matrix;
pub mod mutant;
pub mod operators;
pub mod outcome;
pub mod pool;
pub mod process;
pub mod report;
pub mod run;
pub mod select;
pub mod shipped;
pub mod source;
pub mod subject;
pub mod suite;
pub mod switch;
pub mod trial;
pub mod weave;
pub mod workshop;
