//! The scenario file: the RON shape, its version and its defaults, before any rule across fields.
//!
//! ```text
//!  ( version: 1, title, seed, duration_ms, preset, ──► this file
//!    config: (…)      config.rs    tunables that differ from the preset's
//!    costs:  (…)      costs.rs     table, column, single figures
//!    device: (…)      device.rs    the board around the loop
//!    peers:  […]      peers.rs     the tailnet
//!    floods: […]      floods.rs    packets from nobody, arrivals of anything
//!    heartbeats: […]  floods.rs    the protective stop
//!    protective_stop: (…)  stop.rs its two ends, over the tunnel
//!    relays: […]      relays.rs    connections, outages, stalls
//!    links:  […]      links.rs     what happens to packets on their way
//!    faults: […]      faults.rs    what goes wrong
//!    expect: […] )    expect.rs    what the run must show
//! ```
//!
//! Every struct refuses unknown fields, and every quantity has its unit in its name ([`units`]).
//! What these types accept is described by `preflash schema scenario`, which is derived from them:
//! RON's `( … )` is an object there, and a word with fields such as `even(rate_per_s: 40)` is an
//! object with that word as its only key.
pub mod config;
pub mod config_words;
pub mod cost_table;
pub mod costs;
pub mod device;
pub mod expect;
pub mod faults;
pub mod floods;
pub mod links;
pub mod peers;
pub mod relays;
pub mod stop;
pub mod units;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::config::ConfigFile;
use self::costs::CostsFile;
use self::device::DeviceFile;
use self::expect::ExpectFile;
use self::faults::FaultFile;
use self::floods::{FloodFile, HeartbeatsFile};
use self::links::LinkFile;
use self::peers::PeerGroupFile;
use self::relays::RelayFile;
use self::stop::StopFile;
use self::units::Millis;

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// A scenario as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Scenario", deny_unknown_fields)]
pub struct ScenarioFile {
    /// The format's version: 1.
    pub version: u32,
    /// What the run is about, in one line.
    pub title: String,
    /// Where every named stream of chance begins. Default 1.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Virtual time that the run lasts, in milliseconds; above 0.
    pub duration_ms: Millis,
    /// Whether events at the same instant leave in a drawn order instead of the order they were
    /// put. Default false.
    #[serde(default)]
    pub shuffled_ties: bool,
    /// The firmware version that the configuration begins as: PRE-0, ARM-1, KEY-2, ILV-3 or HEAD-4.
    pub preset: String,
    /// Tunables that differ from the preset's. Default: none.
    #[serde(default)]
    pub config: ConfigFile,
    /// What each operation takes.
    pub costs: CostsFile,
    /// The board around the loop. Default: registered at 0, 1 ms ticks, no background task.
    #[serde(default)]
    pub device: DeviceFile,
    /// The peers of the tailnet, in groups. Default: none.
    #[serde(default)]
    pub peers: Vec<PeerGroupFile>,
    /// Packets that come from nobody in the tailnet. Default: none.
    #[serde(default)]
    pub floods: Vec<FloodFile>,
    /// The protective stop's inbound packets. Default: none.
    #[serde(default)]
    pub heartbeats: Vec<HeartbeatsFile>,
    /// The protective stop, through a session of the tunnel. Default: there is none.
    #[serde(default)]
    pub protective_stop: Option<StopFile>,
    /// The relays of the tailnet. Default: one, in region 1.
    #[serde(default)]
    pub relays: Vec<RelayFile>,
    /// What happens to packets on their way. Default: they only take their time.
    #[serde(default)]
    pub links: Vec<LinkFile>,
    /// What goes wrong. Default: nothing.
    #[serde(default)]
    pub faults: Vec<FaultFile>,
    /// What the run must show. Default: nothing is judged.
    #[serde(default)]
    pub expect: Vec<ExpectFile>,
}

const fn default_seed() -> u64 {
    1
}

const fn yes() -> bool {
    true
}
