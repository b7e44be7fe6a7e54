//! What must hold of the firmware cores, and the models of the world around them.
#![forbid(unsafe_code)]

pub mod m3_read;
