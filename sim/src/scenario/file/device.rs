//! `device`: the board around the loop: when it starts, its endpoints, its ticks, its other tasks.
use std::net::SocketAddrV4;

use firmware_core::time::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scenario::{DelayRounding, Device};

use super::units::{Count, Millis, MillisOrExact, MillisOrOff};

/// The board around the loop. Every field may be left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Device", deny_unknown_fields, default)]
pub struct DeviceFile {
    /// When the control plane has registered the device and the loop begins. Default 0.
    pub registered_at_ms: Millis,
    /// Its endpoint on the local network, as `"192.168.1.10:41641"`. Default: none.
    #[schemars(with = "Option<String>")]
    pub local_endpoint: Option<SocketAddrV4>,
    /// When STUN has found the public endpoint; the CallMeMaybe broadcast begins then. Default:
    /// never.
    pub stun_at_ms: Option<Millis>,
    /// When relays are connected. Default: none is.
    pub relay_connects_at_ms: Vec<Millis>,
    /// When the control plane's stream begins anew. Default: never.
    pub netmap_again_at_ms: Vec<Millis>,
    /// What it then sends: `full`, everything that it has said before, or `soft`, nothing that is
    /// known already. Default `full`.
    pub netmap_refresh: RefreshFile,
    /// When the loop is told to end. Default: never.
    pub shutdown_at_ms: Option<Millis>,
    /// The operating system's tick, to which delays are rounded, or `exact`. Default 1, as on the
    /// board.
    pub tick_ms: MillisOrExact,
    /// Continuous occupation of a core that resets the device, or `off`. Default: what the
    /// preset's boards had, 30 000 up to KEY-2 and 5 000 from ILV-3 on.
    pub watchdog_ms: Option<MillisOrOff>,
    /// Datagrams that the socket holds before the receive task takes them; above 0. Default 6.
    pub mailbox_depth: Count<65_535>,
    /// Tasks that take time from the loop. Default: none.
    pub tasks: Vec<TaskFile>,
}

/// What the control plane sends when its stream begins anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Refresh", rename_all = "snake_case")]
pub enum RefreshFile {
    /// Every peer once more.
    #[default]
    Full,
    /// Nothing that is known already.
    Soft,
}

/// A periodic task of fixed priority.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Task", deny_unknown_fields)]
pub struct TaskFile {
    /// Its name in reports.
    pub name: String,
    /// The core it is pinned to: 0 or 1.
    pub core: Count<1>,
    /// Its priority, 1 to 24. The loop and the receive task have 7, control plane and relays 5.
    pub priority: Count<24>,
    /// How often it runs.
    pub period_ms: Millis,
    /// How long each time; below the period.
    pub run_ms: Millis,
}

impl DeviceFile {
    /// The file of a device.
    pub fn of(device: &Device) -> Self {
        let tasks = device.tasks.iter().map(|task| TaskFile {
            name: task.name.clone(),
            core: Count::new(task.core.into()),
            priority: Count::new(task.priority.into()),
            period_ms: Millis(task.period),
            run_ms: Millis(task.run),
        });
        let millis = |at: Instant| Millis(at.since(Instant::ZERO));
        Self {
            registered_at_ms: millis(device.registered_at),
            local_endpoint: device.local_endpoint,
            stun_at_ms: device.stun_at.map(millis),
            relay_connects_at_ms: device.relay_connects_at.iter().copied().map(millis).collect(),
            netmap_again_at_ms: device.netmap_again_at.iter().copied().map(millis).collect(),
            // A soft refresh tells of no peers, so nothing of it is left in a device.
            netmap_refresh: RefreshFile::Full,
            shutdown_at_ms: device.shutdown_at.map(millis),
            tick_ms: MillisOrExact(match device.delay {
                DelayRounding::Exact => None,
                DelayRounding::Tick(tick) => Some(tick),
            }),
            watchdog_ms: Some(MillisOrOff(device.watchdog)),
            mailbox_depth: Count::new(device.mailbox_depth.into()),
            tasks: tasks.collect(),
        }
    }
}

impl Default for DeviceFile {
    fn default() -> Self {
        use firmware_core::time::Duration;
        Self {
            registered_at_ms: Millis(Duration::ZERO),
            local_endpoint: None,
            stun_at_ms: None,
            relay_connects_at_ms: Vec::new(),
            netmap_again_at_ms: Vec::new(),
            netmap_refresh: RefreshFile::Full,
            shutdown_at_ms: None,
            tick_ms: MillisOrExact(Some(Duration::MILLISECOND)),
            watchdog_ms: None,
            mailbox_depth: Count::new(6),
            tasks: Vec::new(),
        }
    }
}
