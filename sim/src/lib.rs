//! Virtual time and the world around the firmware cores.

pub mod rtos;
