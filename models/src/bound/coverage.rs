//! Which budget bounds which road to each expensive operation, per pass, and the roads that have none.
//!
//! ```text
//!   cost key ─► road (where in the pass) ─► budget ─► so many a pass, or nothing
//! ```
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, Flush, OpensExempt};

/// A road to an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Road {
    /// The operation.
    pub key: CostKey,
    /// How the loop comes to it.
    pub road: &'static str,
    /// What bounds it: the field of the configuration, or the table.
    pub budget: Option<Budgeted>,
}

/// A budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budgeted {
    /// The field or table.
    pub by: &'static str,
    /// How many of the operation a pass or tick may do on this road.
    pub most: u64,
}

fn by(by: &'static str, most: impl Into<u64>) -> Budgeted {
    Budgeted { by, most: most.into() }
}

/// Every road to an operation that costs an X25519 or stalls the processor, for this configuration.
pub fn roads(config: &Config) -> Vec<Road> {
    let road = |key, road, budget| Road { key, road, budget };
    let opens = config.opens_per_pass;
    let strict = config.rules.known_key_drain.is_strict();
    let known = match config.opens_exempt {
        OpensExempt::PriorityPeer => opens.map(|most| by("opens_per_pass", most)),
        OpensExempt::KnownKeys if strict => opens.map(|most| by("opens_per_pass", most)),
        OpensExempt::KnownKeys => None,
    };
    let priority = if strict && config.opens_exempt == OpensExempt::KnownKeys {
        opens.map(|most| by("opens_per_pass", most))
    } else {
        None
    };
    let per_open = opens.map(|most| u64::from(most) * 2);
    let adds = config.adds_per_pass.map(|most| most.max(1));
    vec![
        road(
            CostKey::BoxOpenComputed,
            "DISCO packet from an unknown key",
            opens.map(|most| by("opens_per_pass", most)),
        ),
        road(CostKey::BoxOpenComputed, "DISCO packet from a known key", known),
        road(CostKey::BoxOpenComputed, "DISCO packet from the priority peer", priority),
        road(
            CostKey::BoxSealComputed,
            "pong and ping after a ping",
            per_open.map(|most| by("opens_per_pass", most)).filter(|_| strict),
        ),
        road(
            CostKey::BoxSealComputed,
            "pings that a CallMeMaybe asks for",
            opens.map(|most| by("opens_per_pass", u64::from(most) * 9)).filter(|_| strict),
        ),
        road(
            CostKey::BoxSealComputed,
            "CallMeMaybe broadcast",
            config
                .call_me_maybe_sends_per_pass
                .map(|most| by("call_me_maybe_sends_per_pass", most)),
        ),
        road(
            CostKey::BoxSealComputed,
            "CallMeMaybe and ping of an added peer",
            adds.map(|most| by("adds_per_pass", u64::from(most) * 2)),
        ),
        road(
            CostKey::BoxSealComputed,
            "heartbeat pings of the timers",
            config.heartbeats_per_tick.map(|most| by("heartbeats_per_tick", most)),
        ),
        road(
            CostKey::BoxSealComputed,
            "upgrade pings of the timers",
            Some(by("upgrades_per_tick", config.upgrades_per_tick)),
        ),
        road(CostKey::BoxSealComputed, "pings of direct paths that are given up", None),
        road(CostKey::PeerAdd, "peer update", adds.map(|most| by("adds_per_pass", most))),
        road(CostKey::InitiationReceived, "inbound initiation in a tunnel drain", None),
        road(CostKey::ResponseReceived, "inbound response in a tunnel drain", None),
        road(
            CostKey::StoreWrite,
            "flush of the peer cache",
            match config.flush {
                Flush::EachSave => None,
                Flush::Every(_) => Some(by("flush", 1_u8)),
            },
        ),
    ]
}

/// The roads without a budget, in their order.
pub fn without_budget(config: &Config) -> Vec<&'static str> {
    let roads = roads(config).into_iter().filter(|road| road.budget.is_none());
    roads.map(|road| road.road).collect()
}
