//! The trace format: what is written is read, and no damage passes unnoticed.
mod damage;
mod fixture;
mod format;
