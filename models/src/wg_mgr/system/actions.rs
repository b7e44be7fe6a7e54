//! What can happen: something arrives, or the manager is called with what is due.
use std::sync::Arc;

use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, ConfigError};
use firmware_core::wg_mgr::input::{Control, Datagram, Input, PeerUpdate};
use firmware_core::wg_mgr::keys::{Entropy, Identity};
use firmware_core::wg_mgr::output::{MessageKind, Note, Output, Outputs, PathLoss, Queue};
use firmware_core::wg_mgr::peers::PeerIndex;
use firmware_core::wg_mgr::wire::{Message, TransactionId};

use super::scene::{Arrival, Scene, Timing};
use super::state::{Due, Packet, Queues, State, World};
use super::{Manager, QUEUE, at, remote};
use crate::checker::codec::Shared;
use crate::wg_mgr::costs;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Something arrives; whether it was shed because its queue was full.
    Arrives(Arrival, bool),
    /// The manager is called; whether its operation takes its best time instead of its worst.
    Step {
        /// Best time.
        fast: bool,
    },
}

/// An action and what it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Happened {
    /// The action.
    pub act: Act,
    /// The operation that was performed.
    pub charge: Option<CostKey>,
    /// How long the heartbeat that was decrypted had waited, in microseconds.
    pub wait_us: Option<u64>,
    /// A CallMeMaybe was sent while one was being served.
    pub echoed: bool,
    /// A pong was credited: whether to the node that sent it.
    pub credited: Option<bool>,
    /// The priority peer's path was given up for silence.
    pub given_up: bool,
}

impl Happened {
    fn of(act: Act) -> Self {
        Self { act, charge: None, wait_us: None, echoed: false, credited: None, given_up: false }
    }

    pub(super) fn word(self) -> String {
        match self.act {
            Act::Arrives(kind, _) => format!("{kind:?}"),
            Act::Step { fast: true } => "fast".into(),
            Act::Step { fast: false } => "step".into(),
        }
    }

    pub(super) fn say(self) -> String {
        match self.act {
            Act::Arrives(kind, true) => format!("{kind:?} arrives and is shed: its queue is full"),
            Act::Arrives(kind, false) => format!("{kind:?} arrives"),
            Act::Step { fast } => {
                let pace = if fast { " at its best" } else { "" };
                match self.charge {
                    Some(key) => format!("manager steps: {key:?}{pace}"),
                    None => "manager steps".into(),
                }
            }
        }
    }
}

/// The manager with its first two peers entered, the priority peer reached directly, asleep.
pub(super) fn begin(config: Config, scene: &Scene) -> Result<State, ConfigError> {
    let identity = Identity::from_secrets([1; 32], [2; 32]);
    let mut manager = Manager::new(config, identity, Entropy::new([3; 32]))?;
    let local = core::net::SocketAddrV4::new(core::net::Ipv4Addr::new(192, 168, 1, 2), 51_820);
    let _ = manager.step(at(0), Input::Control(Control::LocalEndpoint(local)));
    let _ = manager.step(at(0), Input::Control(Control::Registered));
    let updates = (0..2).map(|number| PeerUpdate::Add(remote::record(number))).collect();
    let queues = Queues { updates, ..Queues::default() };
    let world = World::begin(0, Due::Wake(0), &Scene { passes: u8::MAX, ..scene.clone() });
    let mut state = State { manager: Shared::new(manager), queues: Shared::new(queues), world };
    let mut sleeps = 0;
    while sleeps < 6 {
        state = step(&state, false).1;
        let mut queues = state.queues.get().clone();
        let device = state.manager.get().identity().disco();
        // The peers answer at once in the first passes, so that the way to them is known.
        for (transaction, number) in core::mem::take(&mut queues.pings) {
            if sleeps < 3 && queues.disco.len() < QUEUE {
                queues.disco.push(pong(number, device, transaction));
            }
        }
        state.queues = Shared::new(queues);
        sleeps += u8::from(is_asleep(&state));
    }
    let queues = Queues { pings: Vec::new(), ..state.queues.get().clone() };
    state.queues = Shared::new(queues);
    state.world = World::begin(state.world.now_us, state.world.due, scene);
    Ok(state)
}

fn is_asleep(state: &State) -> bool {
    matches!(state.manager.get().stage(), firmware_core::wg_mgr::stage::Stage::Sleeping { .. })
}

pub(super) fn act(scene: &Scene, state: &State, each: &mut impl FnMut(Happened, State)) {
    let asleep = is_asleep(state);
    if asleep && state.world.passes == 0 {
        return;
    }
    if !scene.asleep_only || asleep {
        for kind in Arrival::ALL {
            if state.world.left(kind) > 0
                && let Some((happened, next)) = arrive(state, kind)
            {
                each(happened, next);
            }
        }
    }
    let (happened, next) = step(state, false);
    let both = happened.charge.is_some_and(|key| {
        let (best, worst) = costs::interval(key);
        best != worst
    });
    each(happened, next);
    if scene.timing == Timing::Interval && both {
        let (happened, next) = step(state, true);
        each(happened, next);
    }
}

/// Something arrives; nothing when it cannot.
fn arrive(state: &State, kind: Arrival) -> Option<(Happened, State)> {
    let mut next = state.clone();
    let left = &mut next.world.budgets[kind.index()];
    *left -= 1;
    let id = *left;
    let mut queues = state.queues.get().clone();
    let manager = state.manager.get();
    let shed = match kind {
        Arrival::Pong => {
            if queues.pings.is_empty() {
                return None;
            }
            let (transaction, number) = queues.pings.remove(0);
            let device = manager.identity().disco();
            let shed = offer(manager, &mut queues, pong(number, device, transaction));
            if shed && number == 0 {
                next.world.pong_shed_us = Some(state.world.now_us);
            }
            shed
        }
        Arrival::Heartbeat | Arrival::Initiation => {
            let heartbeat = kind == Arrival::Heartbeat;
            let bytes = if heartbeat { remote::heartbeat(id) } else { remote::initiation() };
            let arrived_us = if heartbeat { state.world.now_us } else { 0 };
            let packet = Packet { arrived_us, ..packet(kind, bytes, 0) };
            push_within(&mut queues.tunnel, packet)
        }
        Arrival::Add => push_within(&mut queues.updates, PeerUpdate::Add(remote::record(2 + id))),
        Arrival::Remove => {
            push_within(&mut queues.updates, PeerUpdate::Remove(remote::identity(1).node()))
        }
        Arrival::ClockStep => {
            next.world.now_us += 1_000_000;
            false
        }
        Arrival::Stranger
        | Arrival::Known
        | Arrival::Priority
        | Arrival::Forged
        | Arrival::Rotated
        | Arrival::CallMeMaybe => offer(manager, &mut queues, disco(manager, kind, id)),
    };
    next.queues = Shared::new(queues);
    Some((Happened::of(Act::Arrives(kind, shed)), next))
}

/// Puts something into a queue of fixed depth; whether it was shed.
fn push_within<T>(queue: &mut Vec<T>, value: T) -> bool {
    let full = queue.len() >= QUEUE;
    if !full {
        queue.push(value);
    }
    full
}

fn packet(kind: Arrival, bytes: Vec<u8>, number: u8) -> Packet {
    let via = remote::via(number);
    Packet { kind, bytes: Arc::new(bytes), via, arrived_us: 0, from: number }
}

/// A DISCO packet of this kind, the one with this number.
fn disco(manager: &Manager, kind: Arrival, id: u8) -> Packet {
    let device = manager.identity().disco();
    let (sender, number, names) = match kind {
        Arrival::Stranger => (remote::identity(32 + id), 32 + id, false),
        Arrival::Priority => (remote::identity(0), 0, true),
        Arrival::Rotated => (remote::restarted(1), 1, true),
        _ => (remote::identity(1), 1, true),
    };
    let bytes = match kind {
        Arrival::CallMeMaybe => {
            let endpoints = core::iter::once(remote::endpoint(1)).collect();
            remote::seals(&sender, device, &Message::CallMeMaybe { endpoints })
        }
        Arrival::Forged => remote::spoilt(remote::ping(&sender, device, id, names)),
        _ => remote::ping(&sender, device, 64 + id, names),
    };
    packet(kind, bytes, number)
}

fn pong(number: u8, device: firmware_core::wg_mgr::keys::DiscoKey, id: TransactionId) -> Packet {
    let message = Message::Pong { transaction: id, seen_from: None };
    Packet {
        kind: Arrival::Pong,
        bytes: Arc::new(remote::seals(&remote::identity(number), device, &message)),
        via: remote::via(number),
        arrived_us: 0,
        from: number,
    }
}

/// Puts a packet into the DISCO queue; whether it was shed. Some slots may be kept for packets whose
/// header holds the priority peer's key.
fn offer(manager: &Manager, queues: &mut Queues, packet: Packet) -> bool {
    let config = manager.config();
    let depth = usize::from(config.disco_queue_depth);
    let kept = usize::from(config.disco_queue_priority_slots);
    let room = if packet.from == 0 { depth } else { depth - kept };
    let full = queues.disco.len() >= room;
    if !full {
        queues.disco.push(packet);
    }
    full
}

/// Calls the manager with what is due.
fn step(state: &State, fast: bool) -> (Happened, State) {
    let mut manager = state.manager.get().clone();
    let mut queues = state.queues.get().clone();
    let mut next = state.clone();
    let world = &mut next.world;
    let mut happened = Happened::of(Act::Step { fast });
    let mut heartbeat = None;
    let mut sender = None;
    let outputs = match world.due {
        Due::Wake(wake) => {
            world.now_us = world.now_us.max(wake);
            if is_asleep(state) {
                world.passes = world.passes.saturating_sub(1);
            }
            manager.step(at(world.now_us), Input::Wake)
        }
        Due::Answer(Queue::Updates) if !queues.updates.is_empty() => {
            let update = queues.updates.remove(0);
            manager.step(at(world.now_us), Input::Update(&update))
        }
        Due::Answer(Queue::Disco) if !queues.disco.is_empty() => {
            let packet = queues.disco.remove(0);
            sender = Some((packet.kind, packet.from));
            let datagram = Datagram { bytes: &packet.bytes, via: packet.via };
            manager.step(at(world.now_us), Input::Packet(datagram))
        }
        Due::Answer(Queue::Tunnel) if !queues.tunnel.is_empty() => {
            let packet = queues.tunnel.remove(0);
            heartbeat = (packet.kind == Arrival::Heartbeat).then_some(packet.arrived_us);
            let datagram = Datagram { bytes: &packet.bytes, via: packet.via };
            manager.step(at(world.now_us), Input::Packet(datagram))
        }
        Due::Answer(queue) => {
            if queue == Queue::Tunnel {
                world.opens = 0;
            }
            manager.step(at(world.now_us), Input::Empty)
        }
    };
    happened.charge = outputs.charge;
    if let Some(key) = outputs.charge {
        let (best, worst) = costs::interval(key);
        world.now_us += if fast { best } else { worst };
        if matches!(key, CostKey::BoxOpenComputed | CostKey::BoxOpenCached) {
            world.opens = world.opens.saturating_add(1);
            world.serving_call_me_maybe = sender.is_some_and(|it| it.0 == Arrival::CallMeMaybe);
        }
        if key == CostKey::TunnelData {
            happened.wait_us = heartbeat.map(|arrived| world.now_us - arrived);
        }
    }
    take_effect(&outputs, &manager, sender, &mut queues, world, &mut happened);
    next.manager = Shared::new(manager);
    next.queues = Shared::new(queues);
    (happened, next)
}

fn take_effect(
    outputs: &Outputs,
    manager: &Manager,
    sender: Option<(Arrival, u8)>,
    queues: &mut Queues,
    world: &mut World,
    happened: &mut Happened,
) {
    if let Some(wake) = outputs.wake {
        world.due = Due::Wake(world.now_us.max(wake.at.as_nanos() / 1_000));
    }
    for output in &outputs.list {
        match output {
            Output::Receive(queue) => {
                world.due = Due::Answer(*queue);
                world.serving_call_me_maybe = false;
            }
            Output::Send(send) if send.kind == MessageKind::CallMeMaybe => {
                happened.echoed = world.serving_call_me_maybe;
            }
            Output::Send(send) if send.kind == MessageKind::Ping => {
                note_ping(manager, send.peer, queues);
            }
            Output::Note(Note::Matched { peer, .. }) => {
                let owner = manager.peers().get(*peer).map(|slot| slot.node);
                let from = sender.map(|(_, number)| remote::identity(number).node());
                happened.credited = Some(owner == from);
            }
            Output::Note(Note::PathDown { peer, why: PathLoss::Silent }) => {
                happened.given_up = number_of(manager, *peer) == Some(0);
            }
            Output::Send(_)
            | Output::ToTunnel(_)
            | Output::Transmit(_)
            | Output::Deliver { .. }
            | Output::Rehome { .. }
            | Output::WriteStore { .. }
            | Output::Note(_) => {}
        }
    }
}

/// Which node has a slot.
fn number_of(manager: &Manager, peer: PeerIndex) -> Option<u8> {
    let node = manager.peers().get(peer)?.node;
    (0..4).find(|&number| remote::identity(number).node() == node)
}

/// Remembers the ping that was just sent, so that it can be answered; the newest four.
fn note_ping(manager: &Manager, peer: PeerIndex, queues: &mut Queues) {
    let Some(number) = number_of(manager, peer) else { return };
    let newest = manager.probes().pending().filter(|probe| probe.peer == peer);
    if let Some(probe) = newest.max_by_key(|probe| (probe.sent, probe.transaction.0))
        && !queues.pings.iter().any(|(known, _)| *known == probe.transaction)
    {
        if queues.pings.len() == 4 {
            queues.pings.remove(0);
        }
        queues.pings.push((probe.transaction, number));
    }
}
