//! The network stack's thread and its lock: whoever sends or processes a tunnel packet holds the
//! lock meanwhile.
//!
//! ```text
//!   comparator ─► waiting ─► has the lock? ─► encrypted, 1 AEAD ─► sent
//!                               ▲ no: the manager works a handshake under it, 22 to 113 ms
//!   manager ─► charge that holds the lock ─► waits while the thread encrypts
//! ```
//!
//! So a handshake stalls both directions, and every other stall of the manager only the inbound one
//! (facts a4). The lock lends its owner the priority of whoever waits.
use std::collections::VecDeque;
use std::net::Ipv4Addr;

use firmware_core::time::{Duration, Instant};

use crate::rtos::{Lock, LockRule, TaskId};

/// An IP packet that an application sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outgoing {
    /// To this address of the tailnet.
    pub to: Ipv4Addr,
    /// The packet.
    pub packet: Box<[u8]>,
    /// When it was handed over.
    pub since: Instant,
}

/// The thread.
#[derive(Clone, Debug)]
pub struct Tcpip {
    /// Its task.
    pub task: TaskId,
    /// The stack's lock.
    pub lock: Lock,
    /// What waits to be sent.
    pub waiting: VecDeque<Outgoing>,
    /// Work of the manager that begins when it has the lock.
    pub manager_waits: Option<Duration>,
    /// Whether the manager has the lock.
    pub manager_holds: bool,
}

impl Tcpip {
    /// A thread with nothing to send.
    pub fn new(task: TaskId) -> Self {
        Self {
            task,
            lock: Lock::new(LockRule::FREERTOS),
            waiting: VecDeque::new(),
            manager_waits: None,
            manager_holds: false,
        }
    }
}
