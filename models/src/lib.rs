//! What must hold of the firmware cores.
//!
//! [`wg_mgr`] and [`m3_read`] hold the registers of the two systems; neither knows the other.
//! Renaming a clause is a compile error wherever it is used, since a [`clause::Clause`] is an enum
//! and its id only its text.

pub mod clause;
pub mod m3_read;
pub mod page;
pub mod pitfall;
pub mod wg_mgr;
