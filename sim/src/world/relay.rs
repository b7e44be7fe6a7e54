//! The relay's task in the world: its wake-ups, what it tells the manager, where its frames go.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::derp::{RelayQueue, queues::Queued};
use firmware_core::wg_mgr::input::Control;

use super::World;
use super::event::Event;
use crate::cost::CostRow;
use crate::node::relay::{Change, Frame, ROUND};
use crate::rtos::TaskState;
use crate::scenario::Way;

impl World<'_> {
    /// A frame waits for the relay; another one may be lost for it.
    pub(super) fn relay_takes(&mut self, queue: RelayQueue, frame: Frame) {
        match self.device.relay_task.queues.put(queue, frame) {
            Queued::Waits => {}
            Queued::Evicted(frame) | Queued::Dropped(frame) => self.measure.evicted(frame.kind),
        }
        self.relay_wakes_at(self.now.after(ROUND));
    }

    /// The home relay becomes another one.
    pub(super) fn relay_rehomes(&mut self) {
        let old = std::mem::replace(&mut self.relay_home, self.device.manager.core.relays().home());
        if let Some(change) = self.device.relay_task.rehome(old, self.now) {
            self.relay_changed(change);
        }
        self.relay_wakes_at(self.now.after(ROUND));
    }

    fn relay_wakes_at(&mut self, at: Instant) {
        let task = &mut self.device.relay_task;
        if at != Instant::NEVER && task.wakes_at.is_none_or(|planned| at < planned) {
            task.wakes_at = Some(at);
            self.events.push(at, Event::Relay);
        }
    }

    /// The relay's task runs, if this is the wake-up that counts.
    pub(super) fn relay_runs(&mut self) {
        if self.device.relay_task.wakes_at != Some(self.now) {
            return;
        }
        self.device.relay_task.wakes_at = None;
        let (wanted, _) = self.device.manager.core.wanted_relays();
        for change in self.device.relay_task.look(&wanted, self.now) {
            self.relay_changed(change);
        }
        self.relay_home = self.device.manager.core.relays().home();
        for frame in self.device.relay_task.round(self.relay_home, self.now) {
            self.relay_sends(&frame);
        }
        self.relay_reads_on();
        let next = self.device.relay_task.next_at(&wanted, self.now);
        self.relay_wakes_at(next);
    }

    fn relay_changed(&mut self, change: Change) {
        match change {
            Change::Up(region) => {
                self.measure.tunnel.relay_connects += 1;
                self.control(Control::RelayConnected);
                self.control(Control::RelayUp(region));
            }
            Change::Down(region, lost) => {
                self.measure.tunnel.relay_torn_down += lost as u64;
                self.control(Control::RelayDown(region));
            }
        }
    }

    /// A frame leaves through the relay of its peer's region, or home; that forwards it only to
    /// peers of its own region.
    fn relay_sends(&mut self, frame: &Frame) {
        let peer = &self.peers[usize::from(frame.peer)];
        let route = self.device.manager.core.relay_route(peer.node());
        if route == Some(self.scenario.peers[peer.group].region) {
            self.departs(frame.peer, Way::Relay, &frame.bytes);
        } else {
            self.measure.tunnel.relay_unroutable += 1;
        }
    }

    /// Whether frames of a peer arrive at all: its relay or the device's home is connected.
    pub(super) fn relay_hears(&self, number: u16) -> bool {
        let region = self.scenario.peers[self.peers[usize::from(number)].group].region;
        let task = &self.device.relay_task;
        task.is_up(self.relay_home) || task.is_up(region)
    }

    /// Whether frames that have arrived must wait before they are read.
    pub(super) fn relay_is_held(&self) -> bool {
        let task = &self.device.relay_task;
        self.scenario.config.has_sessions()
            && (task.is_blocked() || task.is_stalled(self.relay_home, self.now))
    }

    /// Reading goes on where it was held.
    fn relay_reads_on(&mut self) {
        let receiver = &self.device.relay;
        let idle = self.device.rtos.state(receiver.task) == TaskState::Blocked;
        if idle && receiver.has_more() && !self.relay_is_held() {
            let work = self.scenario.costs.figure(CostRow::RelayFrame);
            let _planned = self.device.rtos.start(receiver.task, work, self.now);
        }
    }

    /// The device is registered: it knows its home, and the relay's task begins.
    pub(super) fn relay_begins(&mut self) {
        if !self.scenario.config.has_sessions() {
            return;
        }
        if self.scenario.config.home_region == 0 {
            let first = self.scenario.relays.first().map_or(1, |relay| relay.region);
            self.control(Control::RelayHome(first));
        }
        self.relay_home = self.device.manager.core.relays().home();
        self.relay_wakes_at(self.now.after(ROUND));
    }
}
