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
//! Two things look beyond single runs: the [`checker`] visits every state of a closed system
//! ([`m3_read::system`], [`wg_mgr::system`]) within declared bounds, and [`bound`] proves a worst case
//! by formula. What is observed is at most what is explored, and that at most what is proved; a test
//! holds each pair. [`promela`] hands the same systems to Spin for a second opinion.
//!
//! [`wg_mgr`] and [`m3_read`] hold the registers of the two systems; neither knows the other.
//! [`m3_read::responder`] is the firmware at the other end of the READ client's bus.
//! Renaming a clause is a compile error wherever it is used, since a [`clause::Clause`] is an enum
//! and its id only its text.

pub mod bound;
pub mod checker;
pub mod clause;
pub mod m3_read;
pub mod page;
pub mod pitfall;
pub mod promela;
pub mod property;
pub mod wg_mgr;
