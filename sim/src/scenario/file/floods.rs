//! `floods` and `heartbeats`: what arrives, and the trains in which anything arrives.
use firmware_core::wg_mgr::wire::MAGIC;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::units::{Count, Millis, PerSecond, SixBytes};

/// Packets from nobody in the tailnet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Flood", deny_unknown_fields)]
pub struct FloodFile {
    /// Its name: streams of chance, reports and `--set floods.NAME.field=…` use it.
    pub name: String,
    /// When they arrive.
    pub arrivals: ArrivalsFile,
    /// Their first six bytes, in hexadecimal. Default: those of DISCO.
    #[serde(default = "disco_magic")]
    pub magic_hex: SixBytes,
    /// Whose key they carry, and what is in the box. Default `random_box(bytes: 40)`.
    #[serde(default = "forty_random_bytes")]
    pub content: ContentFile,
}

/// What a flood's packets are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Content", deny_unknown_fields, rename_all = "snake_case")]
pub enum ContentFile {
    /// A fresh random key each, and random bytes for a box: nothing opens.
    RandomBox {
        /// Bytes after the nonce.
        bytes: Count<1_400>,
    },
    /// A well-formed ping from a fresh key each, naming a node that is no peer.
    SealedPing,
    /// The key of the first peer of the first group in clear, and a random box: a spoof.
    KnownKey {
        /// Bytes after the nonce.
        bytes: Count<1_400>,
    },
}

/// Inbound tunnel packets of the protective stop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Heartbeats", deny_unknown_fields)]
pub struct HeartbeatsFile {
    /// Its name.
    pub name: String,
    /// When they arrive.
    pub arrivals: ArrivalsFile,
    /// A second copy comes through the relay, this much later. Default: none does.
    #[serde(default)]
    pub copy_after_ms: Option<Millis>,
}

/// When something arrives. Everywhere: `from_ms` defaults to 0, `until_ms` to the end of the run,
/// `count` to no bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Arrivals", deny_unknown_fields, rename_all = "snake_case")]
pub enum ArrivalsFile {
    /// Evenly spaced.
    Even {
        /// Arrivals per second.
        rate_per_s: PerSecond,
        /// Not before this.
        #[serde(default)]
        from_ms: Option<Millis>,
        /// Not at or after this.
        #[serde(default)]
        until_ms: Option<Millis>,
        /// How many at most.
        #[serde(default)]
        count: Option<Count<{ u64::MAX }>>,
    },
    /// At random, with exponential distances.
    Poisson {
        /// Arrivals per second on average.
        rate_per_s: PerSecond,
        /// Not before this.
        #[serde(default)]
        from_ms: Option<Millis>,
        /// Not at or after this.
        #[serde(default)]
        until_ms: Option<Millis>,
        /// How many at most.
        #[serde(default)]
        count: Option<Count<{ u64::MAX }>>,
    },
    /// At a fixed distance.
    Every {
        /// The distance; above 0.
        period_ms: Millis,
        /// The first one.
        #[serde(default)]
        from_ms: Option<Millis>,
        /// Not at or after this.
        #[serde(default)]
        until_ms: Option<Millis>,
        /// How many at most.
        #[serde(default)]
        count: Option<Count<{ u64::MAX }>>,
    },
    /// All at once.
    Burst {
        /// How many.
        count: Count<{ u64::MAX }>,
        /// When.
        #[serde(default)]
        from_ms: Option<Millis>,
    },
    /// At these offsets, over and over.
    Recorded {
        /// Offsets within one round, none before the one ahead of it, all below the period.
        offsets_ms: Vec<Millis>,
        /// Length of a round.
        period_ms: Millis,
        /// The start of the first round.
        #[serde(default)]
        from_ms: Option<Millis>,
        /// Not at or after this.
        #[serde(default)]
        until_ms: Option<Millis>,
        /// How many at most.
        #[serde(default)]
        count: Option<Count<{ u64::MAX }>>,
    },
}

const fn disco_magic() -> SixBytes {
    SixBytes(MAGIC)
}

const fn forty_random_bytes() -> ContentFile {
    ContentFile::RandomBox { bytes: Count::new(40) }
}
