//! `relays`: the relays of the tailnet, one for each region.
use firmware_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Count, Millis};

/// A relay. Only `config: (tunnel: sessions)` has a use for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Relay", deny_unknown_fields)]
pub struct RelayFile {
    /// Its name; `--set relays.NAME.field=…` uses it.
    pub name: String,
    /// Its region, 1 to 4095; the first relay's is the device's home. Default 1.
    #[serde(default = "first_region")]
    pub region: Count<4_095>,
    /// How long a connect takes, during which the relay's task does nothing else. Default 1000.
    #[serde(default = "a_second")]
    pub connect_ms: Millis,
    /// How long a connect takes that fails. Default 20000.
    #[serde(default = "twenty_seconds")]
    pub connect_fails_ms: Millis,
    /// When it is out of reach: a connection ends, and connects fail. Default: never.
    #[serde(default)]
    pub outages: Vec<WindowFile>,
    /// When the connection stands still: nothing is sent or read, and it stays. Default: never.
    #[serde(default)]
    pub stalls: Vec<WindowFile>,
    /// When a failed connect is tried again. Default `shipped`.
    #[serde(default)]
    pub retry: RetryFile,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Window", deny_unknown_fields)]
pub struct WindowFile {
    /// From when on.
    pub from_ms: Millis,
    /// Until when; later than `from_ms`.
    pub until_ms: Millis,
}

/// When a failed connect is tried again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Retry", deny_unknown_fields, rename_all = "snake_case")]
pub enum RetryFile {
    /// After 5, 5, 10 and then 60 s for ever; without a priority peer after 60 s each.
    #[default]
    Shipped,
    /// So many attempts and none after that.
    Attempts {
        /// How many; above 0.
        most: Count<65_535>,
        /// How far apart.
        spacing_ms: Millis,
    },
    /// For ever, each gap twice the one before.
    Backoff {
        /// The first gap.
        first_ms: Millis,
        /// The longest gap.
        most_ms: Millis,
    },
}

const fn first_region() -> Count<4_095> {
    Count::new(1)
}

const fn a_second() -> Millis {
    Millis(Duration::from_millis(1_000))
}

const fn twenty_seconds() -> Millis {
    Millis(Duration::from_millis(20_000))
}
