//! The client and the firmware that answers it, together.
mod holes;
