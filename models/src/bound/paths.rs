//! Budget coverage: every road to an operation that costs, and the budget that bounds it.
//!
//! ```text
//!   CostKey ──roads_to──► Road … ──limit(config)──► Limit: 4 a pass │ 8 a tick │ 1 a peer and tick │ none
//! ```
//!
//! The table is declared here and held against the core by a test that drives it down each road. An
//! operation without a road does not compile: [`roads_to`] matches on [`CostKey`] without a
//! catch-all. Roads that the firmware has and this core does not are in [`Outside`].
use firmware_core::charge::CostKey;
use firmware_core::wg_mgr::config::{Config, Flush, OpensExempt};

use crate::wg_mgr::Clause;

/// A road to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Path {
    /// A box from a key that is no active peer's.
    UnknownOpen,
    /// A box from a bulk peer's key.
    KnownOpen,
    /// A box from the priority peer's key; what follows from it goes the same road.
    PriorityOpen,
    /// A packet from an unknown key that is refused before any cryptography.
    UnknownRefusal,
    /// A packet from a bulk peer's key that is.
    KnownRefusal,
    /// The pong to a bulk peer's ping.
    Pong,
    /// The ping to a bulk peer that has just pinged and has no direct path.
    PingBack,
    /// The pong and the ping to a rotated peer that has just been rescued.
    RescueAnswers,
    /// The answer to a bulk peer's CallMeMaybe.
    CallAnswer,
    /// The pings to the places that it names, and one more.
    CallPings,
    /// A peer entered.
    Add,
    /// An addition that refreshes a peer, or is refused.
    Refresh,
    /// A removal or a patch.
    Patch,
    /// The CallMeMaybe to a peer just entered.
    AddCall,
    /// The ping to a peer just entered.
    AddPing,
    /// A CallMeMaybe of the broadcast.
    Broadcast,
    /// A ping in search of a direct path.
    UpgradePing,
    /// The heartbeat ping of a bulk peer.
    HeartbeatPing,
    /// The heartbeat ping of the priority peer.
    PriorityPing,
    /// The ping of a peer whose direct path is given up.
    LostPathPing,
    /// An established tunnel packet.
    TunnelData,
    /// A tunnel packet that is malformed, or a copy.
    TunnelRefusal,
    /// An inbound handshake initiation.
    Initiation,
    /// An inbound handshake response.
    Response,
    /// An initiation that is opened and then refused.
    InitiationRefusal,
    /// The handshake that a demotion begins.
    DemotionHandshake,
    /// The handshakes that the tunnel's own timers begin.
    TimerHandshake,
    /// The handshake that a wake begins.
    WakeHandshake,
    /// The handshake that a pong begins: its endpoint is new, or it came through the relay.
    PongHandshake,
    /// The handshake that entering the priority peer begins.
    AddHandshake,
    /// A keepalive of the tunnel's timers, or behind a response.
    Keepalive,
    /// The write of the peer cache in its step of a pass.
    FlushStep,
    /// The write of the peer cache behind each change.
    FlushEachSave,
}

/// A road of the firmware that this core does not have, and so no operation of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outside {
    /// A build option replaces the UDP path by a ring of 16 that is drained to its end in each pass.
    ZeroCopyRing,
}

/// The priority peer, the fleet server and the health registry's sixteen (WG-WAKE-1).
const WAKES_PER_TICK: u64 = 18;

/// How often something can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Not at all with this configuration.
    Never,
    /// At most so often in a pass.
    Pass(u64),
    /// At most so often in a second.
    Second(u64),
    /// At most so often in a tick of the DISCO timers.
    Tick(u64),
    /// At most once for each peer in the table, in a tick: a bound, but not a budget.
    PeerAndTick,
    /// At most so often for each packet that causes it, on which there is none itself.
    Each(u64),
    /// Until a time in a pass is over, looked at between packets.
    TimeInPass,
    /// As often as it is asked for.
    None,
}

impl Limit {
    /// Whether a budget stands on the road.
    pub const fn is_budget(self) -> bool {
        match self {
            Self::Never | Self::Pass(_) | Self::Second(_) | Self::Tick(_) | Self::TimeInPass => {
                true
            }
            Self::PeerAndTick | Self::Each(_) | Self::None => false,
        }
    }

    /// The words in reports.
    pub fn words(self) -> String {
        match self {
            Self::Never => "never".to_owned(),
            Self::Pass(most) => format!("{most} a pass"),
            Self::Second(most) => format!("{most} a second"),
            Self::Tick(most) => format!("{most} a tick"),
            Self::PeerAndTick => "none, 1 a peer".to_owned(),
            Self::Each(most) => format!("none, {most} each"),
            Self::TimeInPass => "time a pass".to_owned(),
            Self::None => "none".to_owned(),
        }
    }
}

/// The roads to an operation.
pub const fn roads_to(key: CostKey) -> &'static [Path] {
    use Path as P;
    match key {
        CostKey::BoxOpenComputed | CostKey::BoxOpenCached => {
            &[P::UnknownOpen, P::KnownOpen, P::PriorityOpen]
        }
        CostKey::BoxSealComputed | CostKey::BoxSealCached => &[
            P::Pong,
            P::PingBack,
            P::RescueAnswers,
            P::CallAnswer,
            P::CallPings,
            P::AddCall,
            P::AddPing,
            P::Broadcast,
            P::UpgradePing,
            P::HeartbeatPing,
            P::PriorityPing,
            P::LostPathPing,
        ],
        CostKey::DiscoReject => &[P::UnknownRefusal, P::KnownRefusal],
        CostKey::PeerAdd => &[P::Add],
        CostKey::PeerUpdate => &[P::Refresh, P::Patch],
        CostKey::TunnelData => &[P::TunnelData],
        CostKey::TunnelReject => &[P::TunnelRefusal],
        CostKey::InitiationReceived => &[P::Initiation],
        CostKey::ResponseReceived => &[P::Response],
        CostKey::InitiationSent => &[
            P::DemotionHandshake,
            P::TimerHandshake,
            P::WakeHandshake,
            P::PongHandshake,
            P::AddHandshake,
        ],
        CostKey::InitiationRefused => &[P::InitiationRefusal],
        CostKey::TunnelDataSent => &[P::Keepalive],
        CostKey::StoreWrite => &[P::FlushStep, P::FlushEachSave],
    }
}

/// Whether an operation takes milliseconds: a Diffie-Hellman or a write of flash.
pub const fn is_expensive(key: CostKey) -> bool {
    key.x25519_count() > 0 || matches!(key, CostKey::StoreWrite)
}

impl Path {
    /// Every road.
    pub const ALL: [Self; 33] = [
        Self::UnknownOpen,
        Self::KnownOpen,
        Self::PriorityOpen,
        Self::UnknownRefusal,
        Self::KnownRefusal,
        Self::Pong,
        Self::PingBack,
        Self::RescueAnswers,
        Self::CallAnswer,
        Self::CallPings,
        Self::Add,
        Self::Refresh,
        Self::Patch,
        Self::AddCall,
        Self::AddPing,
        Self::Broadcast,
        Self::UpgradePing,
        Self::HeartbeatPing,
        Self::PriorityPing,
        Self::LostPathPing,
        Self::TunnelData,
        Self::TunnelRefusal,
        Self::Initiation,
        Self::Response,
        Self::InitiationRefusal,
        Self::DemotionHandshake,
        Self::TimerHandshake,
        Self::WakeHandshake,
        Self::PongHandshake,
        Self::AddHandshake,
        Self::Keepalive,
        Self::FlushStep,
        Self::FlushEachSave,
    ];

    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownOpen => "box from an unknown key",
            Self::KnownOpen => "box from a bulk peer's key",
            Self::PriorityOpen => "box from the priority peer, its answers",
            Self::UnknownRefusal => "refused packet from an unknown key",
            Self::KnownRefusal => "refused packet from a bulk peer's key",
            Self::Pong => "pong to a bulk peer",
            Self::PingBack => "ping to a bulk peer that pinged",
            Self::RescueAnswers => "pong and ping to a rescued peer",
            Self::CallAnswer => "answer to a bulk peer's CallMeMaybe",
            Self::CallPings => "pings to the places it names",
            Self::Add => "peer entered",
            Self::Refresh => "peer refreshed or refused",
            Self::Patch => "peer removed or patched",
            Self::AddCall => "CallMeMaybe to a peer entered",
            Self::AddPing => "ping to a peer entered",
            Self::Broadcast => "CallMeMaybe after STUN",
            Self::UpgradePing => "ping in search of a path",
            Self::HeartbeatPing => "heartbeat ping of a bulk peer",
            Self::PriorityPing => "heartbeat ping of the priority peer",
            Self::LostPathPing => "ping after a demotion",
            Self::TunnelData => "tunnel data",
            Self::TunnelRefusal => "refused tunnel packet",
            Self::Initiation => "inbound initiation",
            Self::Response => "inbound response",
            Self::InitiationRefusal => "inbound initiation, refused once opened",
            Self::DemotionHandshake => "handshake after a demotion",
            Self::TimerHandshake => "handshake of the tunnel's timers",
            Self::WakeHandshake => "handshake of a wake",
            Self::PongHandshake => "handshake after a pong",
            Self::AddHandshake => "handshake with a peer entered",
            Self::Keepalive => "keepalive",
            Self::FlushStep => "write of the peer cache",
            Self::FlushEachSave => "write behind each change",
        }
    }

    /// The clause that speaks of its budget, or of the lack of one.
    pub const fn clause(self) -> Clause {
        match self {
            Self::UnknownOpen
            | Self::KnownOpen
            | Self::PriorityOpen
            | Self::UnknownRefusal
            | Self::KnownRefusal => Clause::Disco1,
            Self::Pong | Self::PingBack => Clause::Pong1,
            Self::RescueAnswers => Clause::Rescue1,
            Self::CallAnswer | Self::CallPings => Clause::Cmm2,
            Self::Add | Self::Refresh | Self::AddCall => Clause::Add1,
            Self::Patch => Clause::Rem1,
            Self::AddPing => Clause::Rate1,
            Self::Broadcast => Clause::Cmm1,
            Self::UpgradePing => Clause::Hb2,
            Self::HeartbeatPing | Self::PriorityPing => Clause::Hb1,
            Self::LostPathPing | Self::DemotionHandshake => Clause::Lease1,
            Self::TunnelData | Self::TunnelRefusal => Clause::Q1,
            Self::Initiation | Self::Response | Self::InitiationRefusal => Clause::Hs4,
            Self::TimerHandshake => Clause::Hs2,
            Self::WakeHandshake => Clause::Wake1,
            Self::PongHandshake => Clause::Path1,
            Self::AddHandshake => Clause::Add2,
            Self::Keepalive => Clause::Hs3,
            Self::FlushStep | Self::FlushEachSave => Clause::Nvs1,
        }
    }

    /// What bounds it in this configuration.
    pub fn limit(self, config: &Config) -> Limit {
        let pass = |most: Option<u16>| most.map_or(Limit::None, |most| Limit::Pass(most.into()));
        let each_save = config.flush == Flush::EachSave;
        let bulk_is_charged = config.opens_exempt == OpensExempt::PriorityPeer;
        let opened = pass(config.opens_per_pass);
        let timed = |limit| match (limit, config.disco_time_per_pass) {
            (Limit::None, Some(_)) => Limit::TimeInPass,
            (limit, _) => limit,
        };
        // The corrected rule charges a known key whose shared secret is not there yet.
        let first_contact_is_charged = config.rules.known_key_drain.is_strict() && !bulk_is_charged;
        let first_contact = first_contact_is_charged.then(|| timed(opened));
        let known = timed(if bulk_is_charged { opened } else { Limit::None });
        // An add budget of 0 still lets one through.
        let added = pass(config.adds_per_pass.map(|most| most.max(1)));
        let of_sessions = |limit| if config.has_sessions() { limit } else { Limit::Never };
        let demoted =
            config.demotions_per_tick.map_or(Limit::PeerAndTick, |most| Limit::Tick(most.into()));
        match self {
            Self::UnknownOpen | Self::UnknownRefusal => timed(opened),
            Self::KnownOpen => first_contact.unwrap_or(known),
            Self::KnownRefusal => known,
            Self::PriorityOpen => first_contact.unwrap_or(timed(Limit::None)),
            Self::CallAnswer if config.rules.call_me_maybe_echo.is_strict() => Limit::Never,
            Self::Pong | Self::PingBack | Self::CallAnswer => follows(known, 1),
            Self::RescueAnswers => follows(timed(opened), 2),
            Self::CallPings => follows(known, 9),
            Self::Add | Self::Refresh | Self::AddCall => added,
            Self::AddPing => Limit::Second(config.add_pings_per_second.into()),
            Self::Broadcast => pass(config.call_me_maybe_sends_per_pass),
            Self::UpgradePing => Limit::Tick(config.upgrades_per_tick.into()),
            Self::HeartbeatPing => config
                .heartbeats_per_tick
                .map_or(Limit::PeerAndTick, |most| Limit::Tick(most.into())),
            Self::PriorityPing => Limit::Tick(1),
            Self::LostPathPing => demoted,
            Self::DemotionHandshake => of_sessions(demoted),
            Self::TimerHandshake | Self::Keepalive => of_sessions(Limit::PeerAndTick),
            Self::WakeHandshake => of_sessions(Limit::Tick(WAKES_PER_TICK)),
            Self::PongHandshake => of_sessions(follows(known, 1)),
            Self::AddHandshake => of_sessions(added),
            Self::Initiation | Self::InitiationRefusal if config.has_sessions() => {
                pass(config.initiations_per_pass)
            }
            Self::InitiationRefusal => Limit::Never,
            Self::Patch
            | Self::TunnelData
            | Self::TunnelRefusal
            | Self::Initiation
            | Self::Response => Limit::None,
            Self::FlushStep => {
                if each_save {
                    Limit::Never
                } else {
                    Limit::Pass(1)
                }
            }
            Self::FlushEachSave => {
                if each_save {
                    Limit::None
                } else {
                    Limit::Never
                }
            }
        }
    }
}

/// What follows from a packet is bounded as the packet is.
const fn follows(packet: Limit, each: u64) -> Limit {
    match packet {
        Limit::Pass(most) => Limit::Pass(most.saturating_mul(each)),
        Limit::Never => Limit::Never,
        Limit::TimeInPass => Limit::TimeInPass,
        Limit::Second(_) | Limit::Tick(_) | Limit::PeerAndTick | Limit::Each(_) | Limit::None => {
            Limit::Each(each)
        }
    }
}

impl Outside {
    /// Every one.
    pub const ALL: [Self; 1] = [Self::ZeroCopyRing];

    /// The words in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ZeroCopyRing => "zero-copy ring",
        }
    }

    /// Why it is not in the table, and what it would cost; no version has a budget on it.
    pub const fn what(self) -> &'static str {
        match self {
            Self::ZeroCopyRing => {
                "a build option, in no shipped build: up to 16 boxes a pass and all that arrive \
                 meanwhile, one X25519 each, no budget (PF-109)"
            }
        }
    }
}
