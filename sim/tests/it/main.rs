//! The simulator as a whole: shipped scenarios, public cases, determinism, and rules about the tree.
mod cases;
mod determinism;
mod golden;
mod tidy;
