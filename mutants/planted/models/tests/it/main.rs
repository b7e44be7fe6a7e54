//! Faults planted in the cores: what the checker finds of each, and how short that is.
mod found;
mod hand_made;
