//! What an event or a completion sets off.
use firmware_core::time::Duration;
use firmware_core::wg_mgr::input::{Control, PeerUpdate};
use firmware_core::wg_mgr::wire::Endpoints;

use super::World;
use super::event::Event;
use super::peers::PUBLIC_ENDPOINT;
use crate::rtos::TaskId;
use crate::scenario::FaultPoint;
use crate::trace::What;

impl World<'_> {
    /// A background task becomes ready, and will again.
    fn background_runs(&mut self, task: usize) {
        let spec = &self.scenario.device.tasks[task];
        let id = self.device.background[task];
        let _planned = self.device.rtos.start(id, spec.run, self.now);
        self.events.push(self.now.after(spec.period), Event::Background { task });
    }

    /// Looks whether a watched task has starved; if not, looks again when it next could have.
    fn watchdog_looks(&mut self) {
        self.starved = self.device.rtos.starved(self.now);
        if self.starved.is_some() {
            self.measure.reset();
            self.trace.record(self.now, What::WatchdogReset);
        } else if let Some(at) = self.device.rtos.watchdog_deadline(self.now) {
            self.events.push(at.max(self.now.after(Duration::from_nanos(1))), Event::Watchdog);
        }
    }

    /// A task's work is done.
    pub(super) fn completed(&mut self, task: TaskId) {
        if task == self.device.manager.task {
            self.manager_runs();
        } else if task == self.device.socket.task || task == self.device.relay.task {
            self.received(task);
        } else if task == self.device.tcpip.task {
            self.thread_sent();
        } else {
            let _planned = self.device.rtos.block(task, self.now);
        }
    }

    /// An event's time has come.
    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Wake => self.wake(),
            Event::Flood { flood, index } => self.flood_arrives(flood, index),
            Event::Heartbeat { stream, counter } => self.heartbeat_arrives(stream, counter),
            Event::Copy { stream, counter } => self.copy_arrives(stream, counter),
            Event::FromPeer { peer, way, packet } => self.peer_packet_arrives(peer, way, *packet),
            Event::ToPeer { peer, way, bytes } => self.peer_hears(peer, way, &bytes),
            Event::Given { event } => self.given_arrives(&event),
            Event::PeerPings { peer } => {
                let ping = self.peers[usize::from(peer)].ping(self.now);
                self.peer_sends(peer, self.peers[usize::from(peer)].way, ping);
                self.next_ping_of(peer);
            }
            Event::PeerCalls { peer } => {
                let call = self.peers[usize::from(peer)].call_me_maybe();
                self.peer_sends(peer, self.peers[usize::from(peer)].way, call);
                self.next_call_of(peer);
            }
            Event::PeerAnswers { peer, way, heard } => self.peer_answers(peer, way, &heard),
            Event::PeerInitiates { peer } => {
                self.peer_initiates(peer);
                self.next_handshake_of(peer);
            }
            Event::Restart { group } => self.restart_peers(group),
            Event::Relay => self.relay_runs(),
            Event::StopTick => self.stop_ticks(),
            Event::StopLook => self.stop_looks(),
            Event::Registered => self.registered(),
            Event::Stun => self.control(Control::PublicEndpoint(PUBLIC_ENDPOINT)),
            Event::RelayConnected => self.control(Control::RelayConnected),
            Event::Shutdown => self.control(Control::Shutdown),
            Event::Netmap { group } => self.netmap_arrives(group),
            Event::NetmapAgain => self.netmap_arrives_again(),
            Event::Remove { group } => self.tell_of(group, |peer| PeerUpdate::Remove(peer.node())),
            Event::Patch { group } => self.tell_of(group, |peer| PeerUpdate::Patch {
                node: peer.node(),
                disco: Some(peer.tell()),
                region: 0,
                endpoints: Endpoints::new(),
            }),
            Event::Rotate { group } => self.rotate(group),
            Event::UpdatePatience => self.lose_patience(),
            Event::Background { task } => self.background_runs(task),
            Event::Watchdog => self.watchdog_looks(),
            Event::AllowListFault => {
                let busy = self.faults.strikes(FaultPoint::AllowListBusy, self.now);
                self.control(Control::AllowListBusy(busy));
            }
        }
    }
}
