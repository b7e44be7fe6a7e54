//! The protective stop's protocol: a remote with two loops of wire, and the machine that it stops.
//!
//! ```text
//!   remote (chip)                                                   machine
//!   loops ─► verdict ─► BOND, OK or STOP, 5 a second ───────────►  accept? ─► bond, owner, gesture
//!   1500 ms without a reply: bond again  ◄──── the same message back ──┘        │
//!                                               2000 ms without one accepted ─► STOP
//! ```
//!
//! Both ends are stepped by the caller's time and own no socket: the same two ends run in tests
//! against a wire of fixed delay, and in the world over a tunnel through the device.
//!
//! Sources: facts h1 (remote), h2 (machine), d5 (message); thresholds of facts h3.
pub mod machine;
pub mod remote;
#[cfg(test)]
mod thresholds;
pub mod wire;
