//! What a configuration needs of each limited thing, how much there is, and what breaks first.
//!
//! ```text
//!   Config, costs, board ─► rows(peers) ─┬─ the scenario's own table
//!                                        └─ 16, 128, 256 peers ─► margins beside it ─► one table
//! ```
//!
//! Nothing is run: every need is arithmetic over the configuration. Sizes of the firmware's objects
//! are those of its declarations on a 32-bit chip (facts f), and not of this program's own types.
//!
//! Clauses: CAP-1 to CAP-4, WG-NVS-2, WG-HB-1, WG-HB-2, WG-PROBE-1, WG-CACHE-1, WG-LEASE-1,
//! WG-WDT-1.
mod fields;
mod memory;
mod store;
mod time;

use firmware_core::wg_mgr::config::Config;

use crate::cost::{CostRow, CostTable};
use crate::scenario::Scenario;

/// Peer counts for which margins are shown beside the scenario's own.
pub const SHOWN: [u16; 3] = [16, 128, 256];

/// One limited thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Its stable name.
    pub name: &'static str,
    /// What both figures count.
    pub unit: &'static str,
    /// What the configuration needs.
    pub need: u64,
    /// What there is.
    pub limit: u64,
    /// Where the limit comes from.
    pub source: &'static str,
    /// What happens beyond it.
    pub breaks: &'static str,
}

impl Limit {
    /// What is left; negative when there is too little.
    pub fn margin(&self) -> i64 {
        let signed = |figure: u64| i64::try_from(figure).unwrap_or(i64::MAX);
        signed(self.limit).saturating_sub(signed(self.need))
    }

    /// The part of the limit that is needed, in thousandths.
    pub fn used(&self) -> u64 {
        let used = u128::from(self.need) * 1_000 / u128::from(self.limit.max(1));
        u64::try_from(used).unwrap_or(u64::MAX)
    }
}

/// A limit, and its margin with other peer counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitRow {
    /// With the scenario's own configuration.
    pub own: Limit,
    /// The margins with [`SHOWN`] peers.
    pub margins: [i64; SHOWN.len()],
}

/// What limits are computed from.
#[derive(Clone, Copy, Debug)]
struct Basis<'a> {
    config: &'a Config,
    /// One X25519, in microseconds.
    x25519_us: u64,
    /// The watchdog's limit, in milliseconds; none is no limit.
    watchdog_ms: Option<u64>,
    /// Nodes that the control plane names.
    nodes: u64,
}

impl Basis<'_> {
    fn peers(&self) -> u64 {
        self.config.peer_table.into()
    }

    fn rows(&self) -> Vec<Limit> {
        let parts = [fields::rows(self), memory::rows(self), store::rows(self), time::rows(self)];
        parts.into_iter().flatten().collect()
    }
}

/// Every limit of a scenario's configuration.
pub fn of(scenario: &Scenario) -> Vec<LimitRow> {
    let nodes = scenario.peers.iter().map(|group| u64::from(group.count)).sum();
    let watchdog = scenario.device.watchdog.map(|span| span.as_nanos() / 1_000_000);
    table(&scenario.config, &scenario.costs, watchdog, nodes)
}

/// The same from its parts: `nodes` are what the control plane names, the peers at least.
pub fn table(
    config: &Config,
    costs: &CostTable,
    watchdog_ms: Option<u64>,
    nodes: u64,
) -> Vec<LimitRow> {
    let x25519_us = costs.figure(CostRow::X25519).as_nanos() / 1_000;
    let rows = |config: &Config, nodes| Basis { config, x25519_us, watchdog_ms, nodes }.rows();
    let own = rows(config, nodes.max(config.peer_table.into()));
    let others = SHOWN.map(|peers| rows(&with_peers(config, peers), nodes.max(peers.into())));
    own.into_iter()
        .enumerate()
        .map(|(at, own)| LimitRow { own, margins: others.each_ref().map(|rows| rows[at].margin()) })
        .collect()
}

/// The configuration with tables for so many peers.
fn with_peers(config: &Config, peers: u16) -> Config {
    Config { peer_table: peers, tunnel_slots: peers, store_entries: peers, ..config.clone() }
}

/// The row of which the largest part is used: what breaks first as peers are added.
pub fn tightest(rows: &[LimitRow]) -> Option<&LimitRow> {
    rows.iter().max_by_key(|row| row.own.used())
}
