//! The runner against a crate in which every outcome occurs, and the shipped catalogue against the
//! core, the clause register and the tests that it names.
mod fixture;
mod shipped;
