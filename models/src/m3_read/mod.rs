//! What must hold of a Commodore 64 that reads TLS plaintext through five registers, and of the
//! firmware that answers it: clauses and pitfalls.
mod clauses;
mod pitfalls;

pub use clauses::Clause;
pub use pitfalls::PITFALLS;
