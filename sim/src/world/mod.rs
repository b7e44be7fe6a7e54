//! The world of one run: virtual time, the device, everybody around it.
//!
//! ```text
//!   event queue ─┐                 ┌─ arrival ─► mailbox ─► receive task ─► queues
//!                ├─ whichever is ──┼─ wake-up, completion ─► manager ─► steps
//!   RTOS ────────┘   earlier       ├─ packet to a peer ─► answer ─► arrival
//!                                  ├─ relay's round, protective stop ─► network stack ─► links
//!                                  └─ netmap, rotation, fault, watchdog
//! ```
//!
//! At one instant, events come before completions, and events among themselves in the order they
//! were put.
mod arrivals;
mod device;
mod dispatch;
mod event;
mod peers;
mod recording;
mod relay;
mod steps;
mod stop;
mod tcpip;
mod traffic;
mod tunnel;

use std::collections::BTreeMap;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::input::{Control, Input};
use firmware_core::wg_mgr::keys::NodeKey;

use self::arrivals::Given;
pub use self::arrivals::Scan;
use self::device::Device;
pub use self::device::{SetUpError, entropy};
use self::event::Event;
use self::stop::Stop;
use crate::event_queue::EventQueue;
use crate::fault::Faults;
use crate::link::Links;
use crate::measure::{Final, Measure, TunnelEnd};
use crate::node::flood::FloodSource;
use crate::node::heartbeat::HeartbeatSource;
use crate::node::peer::Peer;
use crate::random::{Stream, Streams};
use crate::record::Recording;
use crate::report::Report;
use crate::rtos::{CoreId, Starved};
use crate::scenario::Scenario;
use crate::trace::{InputKind, Trace, What};

/// One run in progress.
pub struct World<'s> {
    scenario: &'s Scenario,
    now: Instant,
    events: EventQueue<Event>,
    taken: u64,
    device: Device,
    peers: Vec<Peer>,
    by_node: BTreeMap<NodeKey, u16>,
    rotations: Stream,
    floods: Vec<FloodSource>,
    heartbeats: Vec<HeartbeatSource>,
    stop: Option<Stop>,
    /// The region that the relay's task last took for home.
    relay_home: u16,
    /// The IP packet that the network stack is sending.
    outgoing: Box<[u8]>,
    links: Links,
    faults: Faults,
    trace: Trace,
    measure: Measure,
    starved: Option<Starved>,
    broken_invariant: Option<&'static str>,
    scratch: Vec<u8>,
    /// Packets that have reached the device.
    arrived: u64,
    recording: Option<Box<Recording<'s>>>,
    /// Where arrivals come from, when they are a trace's.
    given: Option<Box<Given>>,
}

impl<'s> World<'s> {
    /// The world at its beginning.
    ///
    /// # Errors
    /// [`SetUpError`] when the device cannot be set up as the scenario asks.
    pub fn new(scenario: &'s Scenario) -> Result<Self, SetUpError> {
        let streams = Streams::new(scenario.seed);
        let device = Device::new(scenario, streams)?;
        let mut world = Self {
            scenario,
            now: Instant::ZERO,
            events: event::queue(scenario, streams),
            taken: 0,
            device,
            peers: Vec::new(),
            by_node: BTreeMap::new(),
            rotations: streams.of("peers", "rotation"),
            floods: scenario.floods.iter().map(|flood| FloodSource::new(flood, streams)).collect(),
            heartbeats: scenario
                .heartbeats
                .iter()
                .map(|heartbeats| HeartbeatSource::new(heartbeats, streams))
                .collect(),
            stop: Stop::new(scenario),
            relay_home: 0,
            outgoing: Box::default(),
            links: Links::new(&scenario.links, streams),
            faults: Faults::new(&scenario.faults, streams),
            trace: Trace::default(),
            measure: Measure::default(),
            starved: None,
            broken_invariant: None,
            scratch: Vec::new(),
            arrived: 0,
            recording: None,
            given: None,
        };
        world.populate(streams)?;
        world.schedule_beginning();
        Ok(world)
    }

    /// Lets the world go on for up to `steps` events or completions; whether anything is left.
    pub fn advance(&mut self, steps: u32) -> bool {
        for _ in 0..steps {
            let event = self.events.next_at();
            let completion = self.device.rtos.next_completion();
            let due = completion.map_or(Instant::NEVER, |completion| completion.at);
            let at = event.unwrap_or(Instant::NEVER).min(due);
            if at >= self.end() || self.starved.is_some() {
                self.now = self.now.max(if self.starved.is_some() { self.now } else { self.end() });
                return false;
            }
            self.now = at;
            self.taken += 1;
            if event.is_some_and(|event| event <= due) {
                if let Some((_, event)) = self.events.pop() {
                    self.handle(event);
                }
            } else if let Some(completion) = completion
                && let Some(task) = self.device.rtos.complete(completion, at)
            {
                self.completed(task);
            }
        }
        true
    }

    /// When the run ends.
    fn end(&self) -> Instant {
        Instant::ZERO.after(self.scenario.duration)
    }

    /// How far the run has come.
    pub fn elapsed(&self) -> Duration {
        self.now.since(Instant::ZERO)
    }

    /// Events and completions so far.
    pub fn events(&self) -> u64 {
        self.taken
    }

    /// Boxes that the manager tried to open so far.
    pub fn opened(&self) -> u64 {
        self.measure.opened()
    }

    /// The first invariant of the core that did not hold, if any.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        self.broken_invariant
    }

    /// The task that starved, if the watchdog has ended the run.
    pub fn starved(&self) -> Option<&Starved> {
        self.starved.as_ref()
    }

    /// Puts everything that the run has shown so far into its report.
    pub fn report_into(&self, report: &mut Report) {
        let rtos = &self.device.rtos;
        let busy = CoreId::ALL.map(|core| rtos.usage(core, self.now).busy);
        let core = &self.device.manager.core;
        let peers = core.peers().slots().filter(|(_, peer)| peer.active);
        let end = Final {
            elapsed: self.elapsed(),
            busy,
            low_task_gap: rtos.longest_without_idle(CoreId::One, self.now),
            flash_stall: rtos.flash().stalled(),
            peers_active: core.peers().active(),
            peers_with_tunnel: peers.filter(|(_, peer)| peer.tunnel_slot.is_some()).count(),
            cached_keys: core.cached_keys(),
            tunnel: self.tunnel_end(),
        };
        self.measure.put_into(report, end);
        report.classes = self.measure.class_rows();
        report.faults = self.faults.rows();
        report.trace = self.trace.excerpt();
        report.digest = self.trace.digest();
        report.events = self.taken;
    }

    /// What sessions, paths and the protective stop came to, where sessions are modelled.
    fn tunnel_end(&self) -> Option<TunnelEnd> {
        if !self.scenario.config.has_sessions() {
            return None;
        }
        let core = &self.device.manager.core;
        let active = || core.peers().slots().filter(|(_, peer)| peer.active);
        Some(TunnelEnd {
            sessions: active().filter(|(index, _)| core.session_is_up(*index)).count(),
            direct: active().filter(|(_, peer)| peer.direct.is_some()).count(),
            lock: self.device.tcpip.lock.usage(self.now),
            links: self.links.counts(),
            stop: self.stop.as_ref().map(|stop| (stop.remote.counts(), stop.machine.counts())),
        })
    }

    /// Tells the manager something between two of its steps.
    fn control(&mut self, control: Control<'_>) {
        self.trace.record(self.now, What::Input(InputKind::Control));
        let outputs = self.device.manager.core.step(self.now, Input::Control(control));
        self.note_given_control(&control, &outputs);
        self.record_control(&control, &outputs);
        if let Some(wake) = outputs.wake
            && self.device.manager.charge.is_none()
        {
            self.sleep_until(wake);
        }
    }
}
