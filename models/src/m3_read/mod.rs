//! What must hold of a Commodore 64 that reads TLS plaintext through five registers: clauses and
//! pitfalls, the firmware that answers it, and every reply that it could give.
mod clauses;
pub mod holes;
pub mod machine;
mod pitfalls;
pub mod responder;
pub mod system;

pub use clauses::Clause;
pub use pitfalls::PITFALLS;
