//! The worst case by formula.
#![allow(clippy::panic, reason = "a helper of a test that fails says why")]
#![allow(clippy::cast_precision_loss, reason = "seconds for people")]
mod bench;
mod certificate;
mod explored;
mod fault;
mod hand;
mod monotone;
mod paths;
mod question;
mod read;
