//! What must hold of the firmware cores.
