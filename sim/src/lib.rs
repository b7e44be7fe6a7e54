//! Virtual time, the world around the firmware cores, and what comes out of it.
//!
//! ```text
//!  scenario ──► World ──► core (firmware-core) ──► trace ──► report
//! ```
pub mod arrivals;
pub mod bound;
pub mod cost;
pub mod counter_findings;
pub mod counter_log;
pub mod event_queue;
pub mod fault;
pub mod limits;
pub mod link;
pub mod measure;
pub mod node;
pub mod packet;
pub mod pft;
pub mod random;
pub mod read;
pub mod record;
pub mod replay;
pub mod report;
pub mod rtos;
pub mod run;
pub mod scenario;
pub mod trace;
pub mod world;

pub use run::{Flow, Progress, RunError, run, run_recorded, run_subject};
