//! `peers`: groups of peers that behave alike.
use firmware_core::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::floods::ArrivalsFile;
use super::units::{Count, Millis};

/// Peers of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "PeerGroup", deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a peer's traits are independent")]
pub struct PeerGroupFile {
    /// Its name: streams of chance, reports and `--set peers.NAME.field=…` use it.
    pub name: String,
    /// How many peers; all groups together at most 1024. Default 1.
    #[serde(default = "one_peer")]
    pub count: Count<65_535>,
    /// How they enter the table: `netmap(at_ms: …)` or `cache`. Default: in a netmap when the
    /// device is registered.
    #[serde(default)]
    pub enters: Option<EntryFile>,
    /// How packets travel: `direct` or `derp`. Default `direct`.
    #[serde(default)]
    pub reach: ReachFile,
    /// From a packet leaving the device to an immediate answer arriving. Default 5.
    #[serde(default = "five_millis")]
    pub round_trip_ms: Millis,
    /// The same through the relay. Default: `round_trip_ms` if they are reached only through it,
    /// else 60.
    #[serde(default)]
    pub relay_round_trip_ms: Option<Millis>,
    /// The region of their relay, 1 to 4095. Default 1.
    #[serde(default = "first_region")]
    pub region: Count<4_095>,
    /// What stands between them and the device: `open` or `hard(open_ms: …, closed_ms: …)`. Default
    /// `open`.
    #[serde(default)]
    pub nat: NatFile,
    /// Whether they also answer through the relay what came directly. Default true. Only with
    /// `config: (tunnel: sessions)`, as all that follows about sessions.
    #[serde(default = "super::yes")]
    pub answers_also_by_relay: bool,
    /// Whether they answer handshakes. Default true.
    #[serde(default = "super::yes")]
    pub answers_handshakes: bool,
    /// When each of them begins a handshake. Default: never.
    #[serde(default)]
    pub handshakes: Option<ArrivalsFile>,
    /// The offset of each peer's first handshake after that of the peer before. Default 0.
    #[serde(default = "no_time")]
    pub handshake_stagger_ms: Millis,
    /// When their computers restart and forget their sessions. Default: never.
    #[serde(default)]
    pub restarts_at_ms: Option<Millis>,
    /// Whether the control plane names an endpoint for them. Default: if they are reached directly.
    #[serde(default)]
    pub has_endpoint: Option<bool>,
    /// Whether they answer pings. Default true.
    #[serde(default = "super::yes")]
    pub answers_pings: bool,
    /// When each of them pings the device. Default: never.
    #[serde(default)]
    pub pings: Option<ArrivalsFile>,
    /// The offset of each peer's first ping after that of the peer before. Default 0.
    #[serde(default = "no_time")]
    pub ping_stagger_ms: Millis,
    /// When they send a CallMeMaybe. Default: never.
    #[serde(default)]
    pub call_me_maybe: Option<ArrivalsFile>,
    /// Endpoints that their CallMeMaybe lists, at most 255. Default 1.
    #[serde(default = "one_endpoint")]
    pub call_me_maybe_endpoints: Count<255>,
    /// They answer a CallMeMaybe with one, this long after receiving it. Default: they do not.
    #[serde(default)]
    pub echoes_call_me_maybe_after_ms: Option<Millis>,
    /// When their clients restart with a new DISCO key. Default: never.
    #[serde(default)]
    pub rotates_key_at_ms: Option<Millis>,
    /// When the control plane tells of the new key; not before the rotation. Default: never.
    #[serde(default)]
    pub rotation_patched_at_ms: Option<Millis>,
    /// When the control plane removes them. Default: never.
    #[serde(default)]
    pub removed_at_ms: Option<Millis>,
    /// Whether the first of them is the protective stop's peer; in one group at most. Default
    /// false.
    #[serde(default)]
    pub priority: bool,
    /// Whether they are on the allowlist. Where no group is, the list is empty and everybody is
    /// allowed. Default false.
    #[serde(default)]
    pub on_allowlist: bool,
}

/// How peers enter the table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Entry", deny_unknown_fields, rename_all = "snake_case")]
pub enum EntryFile {
    /// All at once, in a netmap.
    Netmap {
        /// When the netmap arrives.
        at_ms: Millis,
        /// Whether it lists them in a drawn order. Default false.
        #[serde(default)]
        shuffled: bool,
    },
    /// From the peer cache, before the loop begins.
    Cache,
}

/// What stands between a peer and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Nat", deny_unknown_fields, rename_all = "snake_case")]
pub enum NatFile {
    /// Nothing: direct packets pass.
    #[default]
    Open,
    /// Direct packets pass for a while and then do not, over and over.
    Hard {
        /// How long they pass; above 0.
        open_ms: Millis,
        /// How long they do not; above 0.
        closed_ms: Millis,
    },
}

/// How packets travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Reach", rename_all = "snake_case")]
pub enum ReachFile {
    /// Over UDP.
    #[default]
    Direct,
    /// Through the relay.
    Derp,
}

const fn one_peer() -> Count<65_535> {
    Count::new(1)
}

const fn first_region() -> Count<4_095> {
    Count::new(1)
}

const fn one_endpoint() -> Count<255> {
    Count::new(1)
}

const fn five_millis() -> Millis {
    Millis(Duration::from_millis(5))
}

const fn no_time() -> Millis {
    Millis(Duration::ZERO)
}
