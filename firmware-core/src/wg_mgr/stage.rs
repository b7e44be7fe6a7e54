//! The steps of a pass and their order.
//!
//! ```text
//!  ┌► TunnelDrain ─► PeerUpdates ─► StoreFlush ─► Broadcast ─► Disco ─► TunnelDrain ┐
//!  │   (skipped by     ▲    └ after each add ─► TunnelDrain    ▲  └ after each ─► TunnelDrain
//!  │  TunnelLast)      └───────────────────────┘ (WG-Q2)       └─ unknown open ──┘ (WG-Q2)
//!  └ Sleeping ◄─ HomeCheck ◄─ DiscoTimers ◄─ TunnelTimers ◄─────────────────────────┘
//!   loop delay   (sessions)                   (sessions)
//! ```
//!
//! A step's budget lives in its stage, so it cannot outlive it.
//!
//! Clauses: WG-ORD-1, WG-Q2 (where the drains are), WG-SHUT-1 (shutdown is seen at the top only).
use super::budget::Budget;
use super::config::{Config, PassOrder};
use crate::time::Instant;

/// Where the loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Not begun: the control plane has not registered the device. Left by `Registered`.
    Starting,
    /// Tunnel packets are taken until there are none.
    TunnelDrain(DrainPoint),
    /// Peer updates are taken until there are none, or the add budget is spent.
    PeerUpdates {
        /// Adds that this pass may still do.
        adds: Budget,
    },
    /// The peer cache is written if that is due.
    StoreFlush,
    /// The CallMeMaybe broadcast goes on.
    Broadcast {
        /// Sends that this pass may still do.
        sends: Budget,
    },
    /// DISCO packets are taken until there are none, or the open budget is spent.
    Disco(DiscoPass),
    /// The tunnel's timers, if they are due: one look at every slot.
    TunnelTimers(Look),
    /// The DISCO timers, if they are due: the wakes, then one scan over all peers.
    DiscoTimers(Scan),
    /// The check of the home region, if it is due.
    HomeCheck,
    /// The pass is over.
    Sleeping {
        /// When the next begins.
        until: Instant,
    },
    /// Shut down. Left by `Restart`.
    Stopped,
}

/// Which drain of the pass this is; it knows where to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrainPoint {
    /// The first thing in a pass.
    PassStart,
    /// Between two peer updates.
    AfterAdd {
        /// Adds that this pass may still do.
        adds: Budget,
    },
    /// Between two DISCO packets.
    AfterOpen(DiscoPass),
    /// After DISCO.
    PassEnd,
    /// Between two demotions, by the corrected rule (PF-90).
    AfterDemotion(Scan),
}

/// The DISCO step of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DiscoPass {
    /// Packets from unknown keys that may still be taken.
    pub opens: Budget,
    /// When the step began.
    pub since: Instant,
}

/// One look at every tunnel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Look {
    /// The slot that it has come to.
    pub slot: u16,
    /// Whether that one has had its keepalive.
    pub kept_alive: bool,
}

/// One scan of the DISCO timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scan {
    /// The clock when the scan began; all due times are held against it.
    pub tick: Instant,
    /// Slots visited so far.
    pub visited: u16,
    /// Upgrade pings that this tick may still send.
    pub upgrades: Budget,
    /// Bulk heartbeat pings that this tick may still send.
    pub heartbeats: Budget,
    /// Bulk peers whose direct path this tick may still give up.
    pub demotions: Budget,
    /// Candidates for a wake that have been looked at.
    pub wakes: u8,
}

impl Stage {
    /// The first stage of a pass.
    pub fn first(config: &Config) -> Self {
        match config.order {
            PassOrder::TunnelFirst => Self::TunnelDrain(DrainPoint::PassStart),
            PassOrder::TunnelLast => Self::updates(config),
        }
    }

    /// The stage after this one when there is nothing left to do in it.
    #[must_use]
    pub fn next(self, config: &Config, now: Instant) -> Self {
        match self {
            Self::Starting | Self::Sleeping { .. } => Self::first(config),
            Self::TunnelDrain(DrainPoint::PassStart) => Self::updates(config),
            Self::TunnelDrain(DrainPoint::AfterAdd { adds }) => Self::after_add(adds),
            Self::TunnelDrain(DrainPoint::AfterOpen(pass)) => Self::Disco(pass),
            Self::TunnelDrain(DrainPoint::AfterDemotion(scan)) => Self::DiscoTimers(scan),
            Self::TunnelDrain(DrainPoint::PassEnd) if config.has_sessions() => {
                Self::TunnelTimers(Look::default())
            }
            Self::TunnelDrain(DrainPoint::PassEnd) | Self::TunnelTimers(_) => {
                Self::DiscoTimers(Scan {
                    tick: now,
                    visited: 0,
                    upgrades: Budget::full(Some(config.upgrades_per_tick)),
                    heartbeats: Budget::full(config.heartbeats_per_tick),
                    demotions: Budget::full(config.demotions_per_tick),
                    wakes: 0,
                })
            }
            Self::PeerUpdates { .. } => Self::StoreFlush,
            Self::StoreFlush => {
                Self::Broadcast { sends: Budget::full(config.call_me_maybe_sends_per_pass) }
            }
            Self::Broadcast { .. } => {
                Self::Disco(DiscoPass { opens: Budget::full(config.opens_per_pass), since: now })
            }
            Self::Disco(_) => Self::TunnelDrain(DrainPoint::PassEnd),
            Self::DiscoTimers(_) if config.has_sessions() => Self::HomeCheck,
            Self::DiscoTimers(_) | Self::HomeCheck => {
                Self::Sleeping { until: now.after(config.loop_delay) }
            }
            Self::Stopped => Self::Stopped,
        }
    }

    /// Where updates go on after an add. Whether the budget is spent is asked here, after the add,
    /// so that a budget of 0 still lets one through (WG-ADD-1).
    pub fn after_add(adds: Budget) -> Self {
        if adds.is_spent() { Self::StoreFlush } else { Self::PeerUpdates { adds } }
    }

    fn updates(config: &Config) -> Self {
        Self::PeerUpdates { adds: Budget::full(config.adds_per_pass) }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use std::fmt::Write as _;
    use std::string::String;

    use super::super::config::Tunnel;
    use super::super::preset::Preset;
    use super::*;

    fn name(stage: Stage) -> &'static str {
        match stage {
            Stage::Starting => "Starting",
            Stage::TunnelDrain(DrainPoint::PassStart) => "TunnelDrain(PassStart)",
            Stage::TunnelDrain(DrainPoint::AfterAdd { .. }) => "TunnelDrain(AfterAdd)",
            Stage::TunnelDrain(DrainPoint::AfterOpen(_)) => "TunnelDrain(AfterOpen)",
            Stage::TunnelDrain(DrainPoint::PassEnd) => "TunnelDrain(PassEnd)",
            Stage::TunnelDrain(DrainPoint::AfterDemotion(_)) => "TunnelDrain(AfterDemotion)",
            Stage::PeerUpdates { .. } => "PeerUpdates",
            Stage::StoreFlush => "StoreFlush",
            Stage::Broadcast { .. } => "Broadcast",
            Stage::Disco(_) => "Disco",
            Stage::TunnelTimers(_) => "TunnelTimers",
            Stage::DiscoTimers(_) => "DiscoTimers",
            Stage::HomeCheck => "HomeCheck",
            Stage::Sleeping { .. } => "Sleeping",
            Stage::Stopped => "Stopped",
        }
    }

    fn spent() -> Budget {
        Budget::full(Some(0))
    }

    /// Cites WG-ORD-1 and WG-Q2: the whole successor table, for both orders and with sessions.
    #[test]
    fn every_stage_has_the_successor_that_the_clauses_name() {
        let now = Instant::ZERO;
        let open = Budget::full(Some(1));
        let pass = DiscoPass { opens: open, since: now };
        let scan = Scan {
            tick: now,
            visited: 0,
            upgrades: open,
            heartbeats: open,
            demotions: open,
            wakes: 0,
        };
        let stages = [
            Stage::Starting,
            Stage::TunnelDrain(DrainPoint::PassStart),
            Stage::PeerUpdates { adds: open },
            Stage::TunnelDrain(DrainPoint::AfterAdd { adds: open }),
            Stage::TunnelDrain(DrainPoint::AfterAdd { adds: spent() }),
            Stage::StoreFlush,
            Stage::Broadcast { sends: open },
            Stage::Disco(pass),
            Stage::TunnelDrain(DrainPoint::AfterOpen(pass)),
            Stage::TunnelDrain(DrainPoint::PassEnd),
            Stage::TunnelTimers(Look::default()),
            Stage::DiscoTimers(scan),
            Stage::TunnelDrain(DrainPoint::AfterDemotion(scan)),
            Stage::HomeCheck,
            Stage::Sleeping { until: now },
            Stage::Stopped,
        ];
        let mut table = String::new();
        for stage in stages {
            let next = |preset: Preset| name(stage.next(&preset.config(), now));
            let (first, last) = (next(Preset::Ilv3), next(Preset::Pre0));
            let sessions = Config { tunnel: Tunnel::Sessions, ..Preset::Ilv3.config() };
            let here = name(stage.next(&sessions, now));
            let row = std::format!(
                "{:<26} -> {first:<24} (TunnelLast: {last}; Sessions: {here})",
                name(stage)
            );
            writeln!(table, "{}", row.trim_end()).expect("a string takes everything");
        }
        insta::assert_snapshot!(table);
    }
}
