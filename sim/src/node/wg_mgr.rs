//! The manager's task: the core, its queues, and what it does with the time between steps.
//!
//! ```text
//!   woken ─► has its CPU ─► step ─► step ─► … ─┬─ a charge ─► busy that long ─► effects ─► step
//!                                              └─ a sleep  ─► blocked until the tick
//! ```
use firmware_core::charge::CostKey;
use firmware_core::time::Instant;
use firmware_core::wg_mgr::WgMgr;
use firmware_core::wg_mgr::output::{OUTPUTS_MAX, Output};

use super::control_plane::ControlPlane;
use crate::packet::Packet;
use crate::rtos::{BoundedQueue, TaskId};
use crate::scenario::PEERS_MOST;

/// The core with room for the largest scenario.
pub type Core = WgMgr<{ PEERS_MOST as usize }>;

/// The manager's task.
pub struct Manager {
    /// The core.
    pub core: Box<Core>,
    /// Its task.
    pub task: TaskId,
    /// Tunnel packets.
    pub tunnel: BoundedQueue<Packet>,
    /// DISCO packets.
    pub disco: BoundedQueue<Packet>,
    /// Peer updates, and the control plane that fills them.
    pub updates: ControlPlane,
    /// What takes effect when the present charge has elapsed.
    pub pending: heapless::Vec<Output, OUTPUTS_MAX>,
    /// The present charge.
    pub charge: Option<CostKey>,
    /// The instant of the only wake-up that counts.
    pub wakes_at: Option<Instant>,
}
