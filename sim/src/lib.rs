//! Virtual time and the world around the firmware cores.

pub mod counter_findings;
pub mod counter_log;
pub mod rtos;
