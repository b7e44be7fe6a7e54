//! `protective_stop`: a remote and a machine, one of them on the device, the other on a peer.
use firmware_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Count, Millis};

/// The protective stop over the tunnel. It needs `config: (tunnel: sessions)`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ProtectiveStop", deny_unknown_fields)]
pub struct StopFile {
    /// The group of peers whose first member is the other end.
    pub peer: String,
    /// What the device is: `remote` or `machine`. Default `remote`.
    #[serde(default)]
    pub device: StopEndFile,
    /// How often the remote sends: at `every_tick`, 10 a second, or `governed` by the machine.
    /// Default: as the preset's boards did, every tick up to ARM-1 and governed from KEY-2 on.
    #[serde(default)]
    pub cadence: Option<CadenceFile>,
    /// The machine's heartbeat time; above 0. Default: 1000 up to ARM-1, 400 from KEY-2 on.
    #[serde(default)]
    pub heartbeat_ms: Option<Millis>,
    /// Heartbeat times of silence that are a STOP; above 0. Default: 1 up to ARM-1, 3 with KEY-2,
    /// 5 from ILV-3 on.
    #[serde(default)]
    pub max_missed: Option<Count<65_535>>,
    /// When the remote is switched on. Default 0.
    #[serde(default = "at_once")]
    pub starts_at_ms: Millis,
    /// When its loops are closed; before that it says STOP. Default: never, as on a bench.
    #[serde(default)]
    pub loops_close_at_ms: Option<Millis>,
}

/// The ends of the protective stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "StopEnd", rename_all = "snake_case")]
pub enum StopEndFile {
    /// The one with the loops.
    #[default]
    Remote,
    /// The one that stops.
    Machine,
}

/// How often a remote sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Cadence", rename_all = "snake_case")]
pub enum CadenceFile {
    /// At each tick of 100 ms.
    EveryTick,
    /// Every half of the machine's heartbeat time.
    Governed,
}

const fn at_once() -> Millis {
    Millis(Duration::ZERO)
}
