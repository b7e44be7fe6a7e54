//! The words of a scenario's `config` block: each enum of the core's tunables as files write it.
use firmware_core::wg_mgr::config::{
    ActiveClear, Crypto, OpensExempt, PassOrder, RelayQueueing, Tunnel,
};
use firmware_core::wg_mgr::rules::Rule;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// In which order a pass serves its queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "PassOrder", rename_all = "snake_case")]
pub enum PassOrderFile {
    /// Tunnel packets first and once more at the end.
    TunnelFirst,
    /// Tunnel packets after updates and DISCO.
    TunnelLast,
}

/// Whose packets do not count against the open budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "OpensExempt", rename_all = "snake_case")]
pub enum OpensExemptFile {
    /// Those with the priority peer's key.
    PriorityPeer,
    /// Those with the key of any active peer.
    KnownKeys,
}

/// How boxes are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Crypto", rename_all = "snake_case")]
pub enum CryptoFile {
    /// As on the wire.
    Real,
    /// The same verdicts from comparing keys.
    Modelled,
}

/// Where the tunnel's sessions are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Tunnel", rename_all = "snake_case")]
pub enum TunnelFile {
    /// In an outer tunnel: packets are charged and handed on.
    HandedOn,
    /// In the core.
    Sessions,
}

/// Who keeps being marked active without a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "ActiveClear", rename_all = "snake_case")]
pub enum ActiveClearFile {
    /// Everybody.
    Never,
    /// The priority peer.
    ExceptPriority,
    /// And peers in the health registry.
    ExceptHealth,
    /// And pinned peers.
    ExceptPinned,
}

/// How frames wait for the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "RelayQueueing", rename_all = "snake_case")]
pub enum RelayQueueingFile {
    /// In one queue.
    Shared,
    /// Safety frames and handshakes in a queue of their own.
    Two,
}

/// The reading of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "Rule", rename_all = "snake_case")]
pub enum RuleFile {
    /// What the shipped firmware does.
    Compat,
    /// What it should do.
    Strict,
}

impl RuleFile {
    pub(super) const fn of(rule: Rule) -> Self {
        match rule {
            Rule::Compat => Self::Compat,
            Rule::Strict => Self::Strict,
        }
    }

    pub(super) const fn rule(self) -> Rule {
        match self {
            Self::Compat => Rule::Compat,
            Self::Strict => Rule::Strict,
        }
    }
}

impl PassOrderFile {
    pub(super) const fn of(order: PassOrder) -> Self {
        match order {
            PassOrder::TunnelFirst => Self::TunnelFirst,
            PassOrder::TunnelLast => Self::TunnelLast,
        }
    }

    pub(super) const fn order(self) -> PassOrder {
        match self {
            Self::TunnelFirst => PassOrder::TunnelFirst,
            Self::TunnelLast => PassOrder::TunnelLast,
        }
    }
}

impl OpensExemptFile {
    pub(super) const fn of(exempt: OpensExempt) -> Self {
        match exempt {
            OpensExempt::PriorityPeer => Self::PriorityPeer,
            OpensExempt::KnownKeys => Self::KnownKeys,
        }
    }

    pub(super) const fn exempt(self) -> OpensExempt {
        match self {
            Self::PriorityPeer => OpensExempt::PriorityPeer,
            Self::KnownKeys => OpensExempt::KnownKeys,
        }
    }
}

impl TunnelFile {
    pub(super) const fn of(tunnel: Tunnel) -> Self {
        match tunnel {
            Tunnel::HandedOn => Self::HandedOn,
            Tunnel::Sessions => Self::Sessions,
        }
    }

    pub(super) const fn tunnel(self) -> Tunnel {
        match self {
            Self::HandedOn => Tunnel::HandedOn,
            Self::Sessions => Tunnel::Sessions,
        }
    }
}

impl ActiveClearFile {
    pub(super) const fn of(clear: ActiveClear) -> Self {
        match clear {
            ActiveClear::Never => Self::Never,
            ActiveClear::ExceptPriority => Self::ExceptPriority,
            ActiveClear::ExceptHealth => Self::ExceptHealth,
            ActiveClear::ExceptPinned => Self::ExceptPinned,
        }
    }

    pub(super) const fn clear(self) -> ActiveClear {
        match self {
            Self::Never => ActiveClear::Never,
            Self::ExceptPriority => ActiveClear::ExceptPriority,
            Self::ExceptHealth => ActiveClear::ExceptHealth,
            Self::ExceptPinned => ActiveClear::ExceptPinned,
        }
    }
}

impl RelayQueueingFile {
    pub(super) const fn of(queueing: RelayQueueing) -> Self {
        match queueing {
            RelayQueueing::Shared => Self::Shared,
            RelayQueueing::Two => Self::Two,
        }
    }

    pub(super) const fn queueing(self) -> RelayQueueing {
        match self {
            Self::Shared => RelayQueueing::Shared,
            Self::Two => RelayQueueing::Two,
        }
    }
}

impl CryptoFile {
    pub(super) const fn of(crypto: Crypto) -> Self {
        match crypto {
            Crypto::Real => Self::Real,
            Crypto::Modelled => Self::Modelled,
        }
    }

    pub(super) const fn crypto(self) -> Crypto {
        match self {
            Self::Real => Crypto::Real,
            Self::Modelled => Crypto::Modelled,
        }
    }
}
