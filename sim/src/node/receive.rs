//! The receive task on core 0: takes datagrams from a mailbox one by one and sorts them into the
//! manager's queues. The relay's reader is the same task with another priority and cost.
//!
//! ```text
//!   arrival ─► mailbox (6) ─► task: cost per datagram ─► classify ─► tunnel queue │ DISCO queue
//!                 └ full: shed                                          └ full: newest shed
//! ```
use std::collections::VecDeque;

use crate::packet::Packet;
use crate::rtos::TaskId;

/// A receive task and its mailbox.
#[derive(Clone, Debug)]
pub struct Receiver {
    /// The task.
    pub task: TaskId,
    depth: usize,
    mailbox: VecDeque<Packet>,
}

impl Receiver {
    /// A task with an empty mailbox of this depth.
    pub fn new(task: TaskId, depth: usize) -> Self {
        Self { task, depth, mailbox: VecDeque::with_capacity(depth.min(64)) }
    }

    /// A datagram arrives.
    ///
    /// # Errors
    /// The datagram itself, when the mailbox is full.
    pub fn offer(&mut self, packet: Packet) -> Result<(), Packet> {
        if self.mailbox.len() >= self.depth {
            return Err(packet);
        }
        self.mailbox.push_back(packet);
        Ok(())
    }

    /// Takes the oldest datagram.
    pub fn take(&mut self) -> Option<Packet> {
        self.mailbox.pop_front()
    }

    /// Whether a datagram waits.
    pub fn has_more(&self) -> bool {
        !self.mailbox.is_empty()
    }
}
