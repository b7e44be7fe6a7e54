//! The device: two cores, the manager's task and the receive tasks, set up as a scenario asks.
use std::net::Ipv4Addr;

use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::config::{Config, ConfigError};
use firmware_core::wg_mgr::keys::{Entropy, Identity};
use firmware_core::wg_mgr::store::BlobError;
use thiserror::Error;

use crate::node::control_plane::ControlPlane;
use crate::node::peer::tailnet_address;
use crate::node::receive::Receiver;
use crate::node::relay::RelayTask;
use crate::node::tcpip::Tcpip;
use crate::node::wg_mgr::{Core, Manager};
use crate::packet::Packet;
use crate::random::Streams;
use crate::rtos::{
    BoundedQueue, CoreId, DropRule, Priority, RegisterError, ReservedExceedDepth, Rtos, TaskId,
    TaskSpec, WatchdogSpec,
};
use crate::scenario::{RelaySpec, Scenario};

/// Why the device of a valid scenario cannot be set up.
#[derive(Debug, Error)]
pub enum SetUpError {
    /// The core refuses its configuration.
    #[error("the configuration is not valid: {0}")]
    Config(ConfigError),
    /// A background task cannot be set up.
    #[error("a background task cannot be set up: {0}")]
    Task(RegisterError),
    /// The device has two cores.
    #[error("there is no core {core}; the device has 0 and 1")]
    NoSuchCore {
        /// The core asked for.
        core: u8,
    },
    /// The operating system has priorities 1 to 24.
    #[error("there is no priority {priority}; tasks have 1 to 24")]
    NoSuchPriority {
        /// The priority asked for.
        priority: u8,
    },
    /// More slots are reserved than a queue has.
    #[error("the DISCO queue cannot be set up: {0}")]
    Queue(ReservedExceedDepth),
    /// The peer cache does not hold the cached peers.
    #[error("the cached peers cannot be preloaded: {0}")]
    Blob(BlobError),
}

/// The manager and the receive task.
const LOOP_PRIORITY: u8 = 7;
/// The network stack's thread; unpinned on the device, here on core 0.
const STACK_PRIORITY: u8 = 18;
/// The relay's task.
const RELAY_PRIORITY: u8 = 5;
/// The relay's connection holds frames back instead of losing them.
const RELAY_BACKLOG: usize = usize::MAX;

/// The device.
pub struct Device {
    /// Its two cores.
    pub rtos: Rtos,
    /// The manager's task.
    pub manager: Manager,
    /// The task that reads the UDP socket.
    pub socket: Receiver,
    /// The task that reads the relay.
    pub relay: Receiver,
    /// The network stack's thread.
    pub tcpip: Tcpip,
    /// The relay's connections and send queues.
    pub relay_task: RelayTask,
    /// Tasks that take time from the others.
    pub background: Vec<TaskId>,
}

impl Device {
    /// The device of a scenario.
    pub(super) fn new(scenario: &Scenario, streams: Streams) -> Result<Self, SetUpError> {
        let mut rtos = Rtos::new();
        let mut register = |name: &str, core: u8, priority: u8| {
            let core = CoreId::from_number(core).ok_or(SetUpError::NoSuchCore { core })?;
            let priority =
                Priority::new(priority).ok_or(SetUpError::NoSuchPriority { priority })?;
            rtos.register(TaskSpec { name, core, priority }).map_err(SetUpError::Task)
        };
        let socket = register("ml_net_io", 0, LOOP_PRIORITY)?;
        let manager = register("ml_wg_mgr", 1, LOOP_PRIORITY)?;
        let relay = register("ml_derp_tx", 0, RELAY_PRIORITY)?;
        let tcpip = register("tcpip", 0, STACK_PRIORITY)?;
        let tasks = &scenario.device.tasks;
        let background = tasks
            .iter()
            .map(|task| register(&task.name, task.core, task.priority))
            .collect::<Result<_, _>>()?;
        if let Some(timeout) = scenario.device.watchdog {
            rtos.watch(WatchdogSpec::of_idle(timeout));
        }
        let manager = new_manager(scenario, streams, manager)?;
        Ok(Self {
            rtos,
            tcpip: Tcpip::new(tcpip),
            relay_task: RelayTask::new(manager.core.config(), &relays(scenario)),
            manager,
            socket: Receiver::new(socket, scenario.device.mailbox_depth.into()),
            relay: Receiver::new(relay, RELAY_BACKLOG),
            background,
        })
    }
}

/// The relays of a scenario; one of region 1 where it names none.
fn relays(scenario: &Scenario) -> Vec<RelaySpec> {
    let default = RelaySpec {
        name: "relay".to_owned(),
        region: 1,
        connect: Duration::from_millis(1_000),
        gives_up: Duration::from_millis(20_000),
        outages: Vec::new(),
        stalls: Vec::new(),
        retry: None,
    };
    if scenario.relays.is_empty() { vec![default] } else { scenario.relays.clone() }
}

/// Who the device is, and where it draws chance from.
fn keys(streams: Streams) -> (Identity, Entropy) {
    let mut chance = streams.of("device", "keys");
    let identity = Identity::from_secrets(chance.bytes(), chance.bytes());
    (identity, Entropy::new(chance.bytes()))
}

/// Where the device of a run with this seed draws chance from: a replay draws the same session
/// indices.
pub fn entropy(seed: u64) -> Entropy {
    keys(Streams::new(seed)).1
}

fn new_manager(scenario: &Scenario, streams: Streams, task: TaskId) -> Result<Manager, SetUpError> {
    let (identity, entropy) = keys(streams);
    let config = Config {
        priority_peer: priority_peer(scenario).or(scenario.config.priority_peer),
        ..scenario.config.clone()
    };
    let queues = queues(&config)?;
    let [tunnel, disco] = queues;
    Ok(Manager {
        updates: ControlPlane::new(config.update_queue_depth),
        core: Box::new(Core::new(config, identity, entropy).map_err(SetUpError::Config)?),
        task,
        tunnel,
        disco,
        pending: heapless::Vec::new(),
        charge: None,
        wakes_at: Some(Instant::NEVER),
    })
}

/// The address of the protective stop's peer: the first of the group that is said to be its.
fn priority_peer(scenario: &Scenario) -> Option<Ipv4Addr> {
    let group = scenario.peers.iter().position(|group| group.priority)?;
    let before: u16 = scenario.peers[..group].iter().map(|group| group.count).sum();
    Some(tailnet_address(before))
}

fn queues(config: &Config) -> Result<[BoundedQueue<Packet>; 2], SetUpError> {
    let tunnel = BoundedQueue::new(config.tunnel_queue_depth.into(), DropRule::Newest);
    let disco = BoundedQueue::new(config.disco_queue_depth.into(), DropRule::Newest)
        .reserving(config.disco_queue_priority_slots.into())
        .map_err(SetUpError::Queue)?;
    Ok([tunnel, disco])
}
