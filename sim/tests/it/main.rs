//! The simulator as a whole: shipped scenarios, determinism, public cases.
mod golden;
