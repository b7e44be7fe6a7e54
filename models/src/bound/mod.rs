//! The worst case by formula: how long a heartbeat can wait in the manager's queue, and how long
//! the READ client can wait for anything.
//!
//! ```text
//!   Inputs ──► demand: what fits between two drains ──► wait: busy window ──► Claim ──► Certificate
//!                └ a road without a limit                 └ more arrives than is served      │
//!                        └──────────► fact: the smallest that is missing           certificate: checks it
//! ```
//!
//! [`analyse`] makes a claim from [`data::Inputs`]; [`certificate::verify`] checks one and shares
//! nothing with its maker but the data. [`paths`] lists every road to an expensive operation and
//! the budget on it. [`read`] bounds the waits of the READ client.
//!
//! # What the bound is about
//!
//! The wait is counted from a packet's entry into the tunnel's queue to the step that takes it, from
//! the first pass on. Every operation takes its worst cost. Free steps take no time; the radio, the
//! network stack and the receive task before the queue are outside, except that the receive task may
//! push arrivals together by as much as it can be late itself (the jitter of a curve). Interrupts
//! and caches are in the cost table or nowhere.
//!
//! # Why no library
//!
//! `response-time-analysis` 0.3.2 is documented and sound, but its analyses (fixed priority, EDF,
//! FIFO, ROS 2) order jobs by priority and let a processor run on: none has a loop that sleeps
//! after its work, nor budgets per pass, and those two make up the whole bound here.
pub mod certificate;
pub mod data;
mod demand;
mod fact;
mod flood;
mod pass;
pub mod paths;
pub mod read;
mod verdict;
mod wait;

pub use demand::ever;
pub use fact::{Fact, InputError};
pub use flood::Flood;
pub use verdict::{Verdict, analyse, certify};
