//! Public behaviour of the cores, one module per module of the core.
mod wg_mgr;
