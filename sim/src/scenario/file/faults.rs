//! `faults`: named points at which a run goes wrong, when and how often.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Millis, Percent};

/// A fault point in use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Fault", deny_unknown_fields)]
pub struct FaultFile {
    /// What goes wrong; `--set faults.POINT.field=…` uses it.
    pub point: FaultPointFile,
    /// From when on. Default 0.
    #[serde(default)]
    pub from_ms: Option<Millis>,
    /// Until when. Default: the end of the run.
    #[serde(default)]
    pub until_ms: Option<Millis>,
    /// In which share of the cases. Default 100.
    #[serde(default = "always")]
    pub share_percent: Percent,
}

/// Where a run can be made to go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "FaultPoint", rename_all = "snake_case")]
pub enum FaultPointFile {
    /// A datagram to the device is lost.
    InboundLoss,
    /// A packet of the device is lost.
    OutboundLoss,
    /// A write of the peer cache fails.
    StoreWrite,
    /// Another task holds the allowlist's lock for longer than the check waits.
    AllowListBusy,
    /// The receive task finds no memory for a packet.
    ReceiveMemory,
}

const fn always() -> Percent {
    Percent { thousandths: 100_000 }
}
