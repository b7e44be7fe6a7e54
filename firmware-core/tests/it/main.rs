//! Public behaviour of the cores, one module per module of the core.
mod m3_read;
mod recorder;
mod wg_mgr;
