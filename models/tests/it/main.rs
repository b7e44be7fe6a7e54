//! What the registers hold and how properties are judged, from outside: one binary, a file per
//! module.
mod clauses;
mod pitfalls;
mod property;
