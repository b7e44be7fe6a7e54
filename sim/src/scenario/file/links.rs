//! `links`: what happens to packets between the device and its peers on their way.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Millis, Percent};

/// An impairment of some packets for some time. Several may be in force at once: delays add up, and
/// each has its own chance. A blackhole is a loss of 100 percent, and one way with a `direction`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Link", deny_unknown_fields)]
pub struct LinkFile {
    /// Its name: streams of chance and `--set links.NAME.field=…` use it.
    pub name: String,
    /// The group of peers whose packets it concerns. Default: all of them.
    #[serde(default)]
    pub peers: Option<String>,
    /// The way on which it acts: `direct`, `derp` or `both`. Default `both`.
    #[serde(default)]
    pub way: WayFile,
    /// Whether it acts on packets `to_device`, `from_device` or `both`. Default `both`.
    #[serde(default)]
    pub direction: DirectionFile,
    /// From when on. Default 0.
    #[serde(default)]
    pub from_ms: Option<Millis>,
    /// Until when. Default: the end of the run.
    #[serde(default)]
    pub until_ms: Option<Millis>,
    /// What it adds to the time of every packet. Default 0.
    #[serde(default)]
    pub delay_ms: Option<Millis>,
    /// What it adds at most beyond that, evenly drawn for each packet. Default 0.
    #[serde(default)]
    pub jitter_ms: Option<Millis>,
    /// Share of packets that are lost. Default 0.
    #[serde(default)]
    pub loss_percent: Option<Percent>,
    /// Share of packets that arrive twice. Default 0.
    #[serde(default)]
    pub duplicate_percent: Option<Percent>,
    /// Share of packets that are held back by `reorder_by_ms`, so that later ones overtake them.
    /// Default 0.
    #[serde(default)]
    pub reorder_percent: Option<Percent>,
    /// How long those are held back. Default 0.
    #[serde(default)]
    pub reorder_by_ms: Option<Millis>,
    /// Share of packets of which one bit is flipped. Default 0.
    #[serde(default)]
    pub corrupt_percent: Option<Percent>,
}

/// The ways between the device and a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Way", rename_all = "snake_case")]
pub enum WayFile {
    /// Over UDP.
    Direct,
    /// Through the relay.
    Derp,
    /// Either.
    #[default]
    Both,
}

/// Where packets go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Direction", rename_all = "snake_case")]
pub enum DirectionFile {
    /// To the device.
    ToDevice,
    /// Away from the device.
    FromDevice,
    /// Either.
    #[default]
    Both,
}
