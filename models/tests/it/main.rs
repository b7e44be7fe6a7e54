//! What the registers hold, from outside: one binary, a file per module.
mod clauses;
mod pitfalls;
