//! What must hold of the manager loop of a Tailscale client with 128 peers: its clauses, the edges
//! that cut across them, and its pitfalls.
mod clauses;
pub mod costs;
pub mod machine;
mod pitfalls;
pub mod system;

pub use clauses::{CROSS_EDGES, Clause, CrossEdge};
pub use pitfalls::PITFALLS;
