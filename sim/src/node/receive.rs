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

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddrV4};

    use firmware_core::time::{Duration, Instant};
    use firmware_core::wg_mgr::input::Via;
    use firmware_core::wg_mgr::wire::PacketClass;

    use super::*;
    use crate::packet::Source;
    use crate::rtos::{CoreId, Priority, Rtos, TaskSpec};

    fn packet(number: u64) -> Packet {
        Packet {
            number,
            source: Source::Heartbeat { stream: 0, counter: number, copy: false },
            sealed: Box::default(),
            via: Via::Direct(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 41_641)),
            class: PacketClass::Dropped,
            arrived: Instant::ZERO.after(Duration::from_millis(number)),
        }
    }

    /// Cites WG-Q1: the producer drops what finds no room, and the order of arrival is kept.
    #[test]
    fn a_full_mailbox_sheds_what_arrives_and_the_oldest_is_taken_first() {
        let priority = Priority::new(18).expect("1 to 24");
        let spec = TaskSpec { name: "ml_net_io", core: CoreId::Zero, priority };
        let task = Rtos::new().register(spec).expect("there is room");
        let mut receiver = Receiver::new(task, 6);
        for number in 0..6 {
            assert_eq!(receiver.offer(packet(number)), Ok(()));
        }
        assert_eq!(receiver.offer(packet(6)), Err(packet(6)));
        let taken: Vec<u64> = std::iter::from_fn(|| receiver.take()).map(|it| it.number).collect();
        assert_eq!((taken, receiver.has_more()), (vec![0, 1, 2, 3, 4, 5], false));
    }
}
