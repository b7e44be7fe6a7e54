//! Virtual time and the world around the firmware cores.

pub mod event_queue;
pub mod random;
