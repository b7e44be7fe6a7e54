//! The closed system of the manager.
pub(crate) mod system;
