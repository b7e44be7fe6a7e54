//! The same question with a road flooded that it leaves empty: what the bound takes for granted.
use super::data::{
    Curve, DiscoKind, DiscoStream, Ground, Inputs, Provenance, Sender, TunnelKind, TunnelStream,
};

/// A road that anybody, or anybody who has listened, can flood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flood {
    /// DISCO packets under fresh keys.
    UnknownKeys,
    /// DISCO packets with a known peer's key in their header, which is cleartext on the wire.
    KnownKeys,
    /// Handshake initiations.
    Initiations,
}

impl Flood {
    /// Every flood.
    pub const ALL: [Self; 3] = [Self::UnknownKeys, Self::KnownKeys, Self::Initiations];

    /// What arrives, in the words of a report.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownKeys => "unknown-key arrivals",
            Self::KnownKeys => "known-key arrivals",
            Self::Initiations => "inbound initiations",
        }
    }

    /// The same as one word.
    pub const fn key(self) -> &'static str {
        match self {
            Self::UnknownKeys => "unknown_keys",
            Self::KnownKeys => "known_keys",
            Self::Initiations => "initiations",
        }
    }

    /// Whether the question has none of these packets.
    pub fn is_absent(self, inputs: &Inputs) -> bool {
        let mut disco = inputs.disco.iter().map(|stream| stream.sender);
        match self {
            Self::UnknownKeys => disco.all(|sender| sender != Sender::Unknown),
            Self::KnownKeys => disco.all(|sender| sender == Sender::Unknown),
            Self::Initiations => {
                inputs.tunnel.iter().all(|stream| stream.kind != TunnelKind::Initiation)
            }
        }
    }

    /// The same question with any number of these packets beside its own.
    #[must_use]
    pub fn over(self, inputs: &Inputs) -> Inputs {
        let mut inputs = inputs.clone();
        let ground =
            Ground { label: Provenance::Assumed, stated: true, source: "a flood".to_owned() };
        let name = format!("any {}", self.name());
        let sender = match self {
            Self::UnknownKeys => Sender::Unknown,
            Self::KnownKeys => Sender::Known,
            Self::Initiations => {
                let (kind, curve) = (TunnelKind::Initiation, Curve::Unlimited);
                inputs.tunnel.push(TunnelStream { name, kind, curve, ground });
                return inputs;
            }
        };
        let (kind, keys, curve) = (DiscoKind::Nothing, None, Curve::Unlimited);
        inputs.disco.push(DiscoStream { name, sender, kind, keys, curve, ground });
        inputs
    }
}
