//! Sending from the device, and who has the network stack's lock.
//!
//! Clauses: WG-WDT-1 (waiting for the lock is no occupation of a core), the world's half of WG-HS-4.
use firmware_core::charge::CostKey;
use firmware_core::time::Duration;
use firmware_core::wg_mgr::input::{Control, Input};
use std::net::Ipv4Addr;

use super::World;
use crate::node::tcpip::Outgoing;
use crate::rtos::{Acquired, TaskId};
use crate::trace::{InputKind, What};

impl World<'_> {
    /// An application of the device sends an IP packet.
    pub(super) fn application_sends(&mut self, to: Ipv4Addr, packet: Box<[u8]>) {
        let tcpip = &mut self.device.tcpip;
        tcpip.waiting.push_back(Outgoing { to, packet, since: self.now });
        if tcpip.waiting.len() == 1 {
            self.thread_wants_lock();
        }
    }

    /// The thread has something to send.
    fn thread_wants_lock(&mut self) {
        let task = self.device.tcpip.task;
        if self.acquire(task) {
            let span = self.scenario.costs.of(CostKey::TunnelDataSent);
            let _planned = self.device.rtos.start(task, span, self.now);
        } else {
            let _planned = self.device.rtos.block(task, self.now);
        }
    }

    /// The thread has encrypted its oldest packet.
    pub(super) fn thread_sent(&mut self) {
        let task = self.device.tcpip.task;
        if let Some(outgoing) = self.device.tcpip.waiting.pop_front() {
            self.measure.tunnel.outbound_waits.add(self.now.since(outgoing.since));
            self.trace.record(self.now, What::Input(InputKind::Control));
            let length = u16::try_from(outgoing.packet.len()).unwrap_or(u16::MAX);
            let send = Control::TunnelSend { to: outgoing.to, length };
            let outputs = self.device.manager.core.step(self.now, Input::Control(send));
            self.record_control(&send, &outputs);
            self.outgoing = outgoing.packet;
            let _asked = self.carry_out(outputs.list);
        }
        let _planned = self.device.rtos.block(task, self.now);
        self.release(task);
        if !self.device.tcpip.waiting.is_empty() {
            self.thread_wants_lock();
        }
    }

    /// The manager begins a charge; one that holds the lock may have to wait for it.
    pub(super) fn manager_works(&mut self, key: CostKey, span: Duration) {
        let task = self.device.manager.task;
        if key.holds_network_lock() && self.scenario.config.has_sessions() {
            if !self.acquire(task) {
                self.device.tcpip.manager_waits = Some(span);
                let _planned = self.device.rtos.block(task, self.now);
                return;
            }
            self.device.tcpip.manager_holds = true;
        }
        let _planned = self.device.rtos.start(task, span, self.now);
    }

    /// The manager's charge has elapsed.
    pub(super) fn manager_lets_go(&mut self) {
        if std::mem::take(&mut self.device.tcpip.manager_holds) {
            self.release(self.device.manager.task);
        }
    }

    fn acquire(&mut self, task: TaskId) -> bool {
        let priority = self.device.rtos.priority(task);
        let acquired = self.device.tcpip.lock.acquire(task, priority, self.now);
        match acquired.expect("each task asks once and gives back before it asks again") {
            Acquired::Granted => true,
            Acquired::Waiting { loan, .. } => {
                if let Some(loan) = loan {
                    let _planned = self.device.rtos.lend_priority(loan.to, loan.priority, self.now);
                }
                false
            }
        }
    }

    fn release(&mut self, task: TaskId) {
        let released = self.device.tcpip.lock.release(task, self.now);
        let released = released.expect("only the task that has the lock gives it back");
        let rtos = &mut self.device.rtos;
        if released.repay {
            let _planned = rtos.repay_priority(task, self.now);
        }
        let Some(next) = released.next else { return };
        if let Some(loan) = released.loan {
            let _planned = rtos.lend_priority(loan.to, loan.priority, self.now);
        }
        let work = if next == self.device.tcpip.task {
            self.scenario.costs.of(CostKey::TunnelDataSent)
        } else {
            self.device.tcpip.manager_holds = true;
            self.device.tcpip.manager_waits.take().unwrap_or(Duration::ZERO)
        };
        let _planned = self.device.rtos.start(next, work, self.now);
    }
}
