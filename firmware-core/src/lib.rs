//! The firmware cores of Preflash: logic written once, driven three ways.
//!
//! ```text
//!                    now, Input                      Outputs
//!   driver ───────────────────────►  core.step  ───────────────────► driver
//!   (chip, virtual clock, checker)                charge: what this step cost, by name
//!                                                 list:   what takes effect once it has elapsed
//!                                                 wake:   when to call again, and why
//! ```
//!
//! # The calling rule
//!
//! A core owns no clock, no queue, no radio and no heap. The driver calls `step(now, input)`; one
//! call performs **at most one costed operation** and names it in `charge`. The driver lets that
//! much time pass (or knows that it did: on a chip the work was real), then lets the outputs take
//! effect in their order, then calls again: with the answer when a queue was asked for, else when
//! `wake` is due. Between two calls packets may arrive and other tasks may run; inside one they
//! cannot.
//!
//! Cores are deterministic and total: any input in any order gives a defined result, never a
//! panic. They are `Clone + Eq + Hash`, so a checker can store them.
//!
//! # Map
//!
//! [`time`] instants and durations · [`wake`] the next call and its reason · [`charge`] the costed
//! operations · [`recorder`] what a device writes down of its steps · [`wg_mgr`] the manager loop of a Tailscale client with 128 peers ·
//! [`m3_read`] the READ client of a C64 behind five registers.
#![no_std]
#![forbid(unsafe_code)]

pub mod charge;
pub mod m3_read;
pub mod recorder;
pub mod time;
pub mod wake;
pub mod wg_mgr;
