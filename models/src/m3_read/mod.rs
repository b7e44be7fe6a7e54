//! The world around the READ client: the firmware that answers it, and every reply it could give.

pub mod holes;
pub mod responder;
