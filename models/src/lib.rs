//! What must hold of the firmware cores.
//!
//! ```text
//!   clause    what a specification demands, as typed entries ──┐ named by
//!   pitfall   what went wrong or still does, and against which ┤
//!   property  rules over runs, each for one clause ◄───────────┘
//!      │
//!      └──► Monitor: observations in their order ──► Holds · Violated { since, at } · Unreached
//! ```
//!
//! [`demands`] lists the rules that the models have for each clause.
//! [`bound`] bounds the worst case of both by formula, and checks such bounds.
//! [`wg_mgr`] and [`m3_read`] hold the registers of the two systems; neither knows the other.
//! [`m3_read::responder`] is the firmware at the other end of the READ client's bus.
//! Renaming a clause is a compile error wherever it is used, since a [`clause::Clause`] is an enum
//! and its id only its text.

pub mod bound;
pub mod checker;
pub mod clause;
pub mod demands;
pub mod m3_read;
pub mod machine;
pub mod page;
pub mod pitfall;
pub mod property;
pub mod provenance;
pub mod wg_mgr;
