//! The closed system of the manager.
mod system;
