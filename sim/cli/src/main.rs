//! The preflash command line.
fn main() {}
