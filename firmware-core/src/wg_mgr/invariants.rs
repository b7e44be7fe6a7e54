//! What always holds of a manager between two steps. The core asserts it in debug builds, the
//! simulator and the checker ask for it after each step.
use super::WgMgr;
use super::budget::Budget;
use super::stage::{DrainPoint, Stage};

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// The first invariant that does not hold, as a sentence; `None` when all do.
    pub fn broken_invariant(&self) -> Option<&'static str> {
        let rules = [
            (self.budgets_hold(), "no more is spent than a budget had"),
            (
                self.peers.count() <= self.config.peer_table,
                "no peer is beyond the configured table",
            ),
            (
                self.cache.len() <= self.config.key_cache_entries.into(),
                "no more shared keys are kept than configured",
            ),
            (
                self.probes.pending().count() <= self.config.probes.into(),
                "no more pings are pending than configured",
            ),
            (
                self.store.len() <= self.config.store_entries.into(),
                "no more peers are cached than configured",
            ),
            (!self.asked || self.jobs.is_empty(), "no queue is asked while jobs wait"),
            (
                !self.rests() || self.tunnels_hold(),
                "at a pass's end every tunnel belongs to the active peer that names its slot",
            ),
        ];
        rules.into_iter().find(|(holds, _)| !holds).map(|(_, sentence)| sentence)
    }

    fn budgets_hold(&self) -> bool {
        match self.stage {
            Stage::PeerUpdates { adds } | Stage::TunnelDrain(DrainPoint::AfterAdd { adds }) => {
                adds.holds()
            }
            Stage::Disco(pass) | Stage::TunnelDrain(DrainPoint::AfterOpen(pass)) => {
                pass.opens.holds()
            }
            Stage::Broadcast { sends } => sends.holds(),
            Stage::DiscoTimers(scan) | Stage::TunnelDrain(DrainPoint::AfterDemotion(scan)) => {
                [scan.upgrades, scan.heartbeats, scan.demotions].iter().all(Budget::holds)
            }
            Stage::Starting
            | Stage::TunnelDrain(DrainPoint::PassStart | DrainPoint::PassEnd)
            | Stage::StoreFlush
            | Stage::TunnelTimers(_)
            | Stage::HomeCheck
            | Stage::Sleeping { .. }
            | Stage::Stopped => true,
        }
    }

    /// Whether the pass is over. What takes a look at every tunnel is asked then only: the rest is
    /// asked after each of a million steps a minute.
    fn rests(&self) -> bool {
        matches!(self.stage, Stage::Sleeping { .. } | Stage::Stopped)
    }

    fn tunnels_hold(&self) -> bool {
        self.sessions.iter().all(|(slot, tunnel)| {
            self.peers.get(tunnel.peer).is_some_and(|peer| {
                peer.active && peer.node == tunnel.node && peer.tunnel_slot == Some(slot)
            })
        })
    }
}
