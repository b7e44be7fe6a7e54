//! What is missing when there is no bound, in the words of a report.
use super::data::{Curve, Inputs, Sender, TunnelKind};

/// A fact that would have to be known, or a budget that would have to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fact {
    /// Packets that cost open budget, where there is none (WG-DISCO-1).
    Opens,
    /// Packets that cost none, however many arrive (WG-DISCO-1, PF-91).
    KnownArrivals,
    /// Inbound handshake initiations (WG-HS-4, PF-99).
    Initiations,
    /// Inbound handshake responses.
    Responses,
    /// Other tunnel packets (WG-Q1).
    TunnelPackets,
    /// Peer additions, where there is no budget (WG-ADD-1).
    Adds,
    /// Removals and patches.
    Updates,
    /// Paths given up in one tick (WG-LEASE-1, PF-90).
    Demotions,
    /// The protective stop's own packets.
    Heartbeats,
    /// What other tasks take of the core.
    Tasks,
}

impl Fact {
    /// Every fact, in the order in which a report prefers to name one.
    pub const ALL: [Self; 10] = [
        Self::Opens,
        Self::KnownArrivals,
        Self::Initiations,
        Self::Responses,
        Self::TunnelPackets,
        Self::Adds,
        Self::Updates,
        Self::Demotions,
        Self::Tasks,
        Self::Heartbeats,
    ];

    /// What is missing.
    pub const fn missing(self) -> &'static str {
        match self {
            Self::Opens => "no budget on unknown opens",
            Self::KnownArrivals => "no bound on known-key arrivals",
            Self::Initiations => "no budget on inbound initiations",
            Self::Responses => "no budget on inbound responses",
            Self::TunnelPackets => "no bound on tunnel packets",
            Self::Adds => "no budget on peer additions",
            Self::Updates => "no bound on removals and patches",
            Self::Demotions => "no budget on demotions",
            Self::Heartbeats => "heartbeats alone are too many for the loop",
            Self::Tasks => "no bound on what other tasks take of the core",
        }
    }

    /// What is missing in this question: known keys that come at a known rate lack no bound on
    /// their arrivals but a budget.
    pub(super) fn missing_in(self, inputs: &Inputs) -> &'static str {
        let unlimited = inputs
            .disco
            .iter()
            .any(|stream| stream.sender != Sender::Unknown && stream.curve == Curve::Unlimited);
        match self {
            Self::KnownArrivals if !unlimited => "no budget on known-key opens",
            fact => fact.missing(),
        }
    }

    /// The same question in a world where this road is empty.
    pub(super) fn without(self, inputs: &Inputs) -> Inputs {
        const NEVER: Curve =
            Curve::Limited { burst: 0, period_ns: 0, jitter_ns: 0, total: Some(0) };
        let mut inputs = inputs.clone();
        let exempt = inputs.pass.known_keys_exempt;
        let charged = |sender| match sender {
            Sender::Unknown => true,
            Sender::Known => !exempt,
            Sender::Priority => false,
        };
        let is_tunnel = |fact, kind| match kind {
            TunnelKind::Heartbeat => fact == Self::Heartbeats,
            TunnelKind::Data | TunnelKind::Junk => fact == Self::TunnelPackets,
            TunnelKind::Initiation => fact == Self::Initiations,
            TunnelKind::Response => fact == Self::Responses,
        };
        inputs.tunnel.retain(|stream| !is_tunnel(self, stream.kind));
        match self {
            Self::Opens => inputs.disco.retain(|stream| !charged(stream.sender)),
            Self::KnownArrivals => inputs.disco.retain(|stream| charged(stream.sender)),
            Self::Adds => inputs.updates.adds = NEVER,
            Self::Updates => inputs.updates.others = NEVER,
            Self::Demotions => inputs.peers.direct = 0,
            Self::Tasks => inputs.tasks.clear(),
            Self::Initiations | Self::Responses | Self::TunnelPackets | Self::Heartbeats => {}
        }
        inputs
    }
}

/// Inputs that mean nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InputError {
    /// An operation has no cost.
    #[error("the costs lack `{key}`; each operation of the core needs one")]
    CostMissing {
        /// The operation.
        key: String,
    },
    /// An operation has two.
    #[error("the costs name `{key}` twice; each operation of the core needs one")]
    CostTwice {
        /// The operation.
        key: String,
    },
}
