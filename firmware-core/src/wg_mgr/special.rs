//! Who is special, in three different senses that must not be merged.
//!
//! ```text
//!   PRIORITY        one address of the configuration
//!   PINNED          priority, or in the pin table, or the fleet server
//!   HEALTH-TRACKED  in the health registry: each counterpart of a protective stop
//!
//!   probes, pongs, paths ask   PRIORITY or HEALTH   (`is_safety_path`)
//!   the relay asks             PINNED or HEALTH     (`is_safety_relay`)
//!   the full table asks        PINNED               (`is_pinned`)
//! ```
//!
//! Both tables have 16 places and are scanned; what comes when they are full is silently ignored.
//! Nothing ever leaves the health registry.
//!
//! Clauses: CAP-3.
use core::net::Ipv4Addr;

use heapless::Vec;

use super::config::{ActiveClear, Config};

/// Places that each table can have; the configuration chooses how many it uses.
pub const CAPACITY: usize = 16;

/// A counterpart and what its application last said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tracked {
    /// Its address in the tailnet.
    pub address: Ipv4Addr,
    /// Whether it answers.
    pub healthy: bool,
}

/// The pin table, the health registry, and what is known of the priority peer's health.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Special {
    pins: Vec<Ipv4Addr, CAPACITY>,
    tracked: Vec<Tracked, CAPACITY>,
    link_unhealthy: bool,
}

impl Special {
    /// Pins `address`; whether it is pinned now. No address, or one beyond `places`, is not.
    pub fn pin(&mut self, address: Ipv4Addr, places: u16) -> bool {
        if self.pins.contains(&address) {
            return true;
        }
        let room = !address.is_unspecified() && self.pins.len() < places.into();
        room && self.pins.push(address).is_ok()
    }

    /// Frees the place of `address`, if it has one.
    pub fn unpin(&mut self, address: Ipv4Addr) {
        self.pins.retain(|pinned| *pinned != address);
    }

    /// Takes down what an application says of its counterpart, and registers it.
    pub fn hear(&mut self, address: Ipv4Addr, healthy: bool, places: u16) {
        if let Some(known) = self.tracked.iter_mut().find(|it| it.address == address) {
            known.healthy = healthy;
        } else if !address.is_unspecified() && self.tracked.len() < places.into() {
            let entered = self.tracked.push(Tracked { address, healthy });
            debug_assert!(entered.is_ok(), "a configuration has at most the capacity");
        }
    }

    /// Takes down what the application says of all its counterparts together.
    pub fn hear_link(&mut self, healthy: bool) {
        self.link_unhealthy = !healthy;
    }

    /// The health registry, in the order of registration.
    pub fn tracked(&self) -> &[Tracked] {
        &self.tracked
    }

    /// The pin table.
    pub fn pins(&self) -> &[Ipv4Addr] {
        &self.pins
    }

    /// Whether an application says that `address` does not answer.
    pub fn is_unhealthy(&self, config: &Config, address: Ipv4Addr) -> bool {
        self.tracked.iter().any(|it| it.address == address && !it.healthy)
            || (self.link_unhealthy && config.is_priority(address))
    }

    /// Whether `address` is in the health registry.
    pub fn is_tracked(&self, address: Ipv4Addr) -> bool {
        self.tracked.iter().any(|it| it.address == address)
    }

    /// Whether `address` may evict and may not be evicted (WG-ADD-2).
    pub fn is_pinned(&self, config: &Config, address: Ipv4Addr) -> bool {
        config.is_priority(address)
            || config.fleet_server == Some(address)
            || self.pins.contains(&address)
    }

    /// Whether probes, pongs and paths treat `address` as a safety peer.
    pub fn is_safety_path(&self, config: &Config, address: Ipv4Addr) -> bool {
        config.is_priority(address) || self.is_tracked(address)
    }

    /// Whether the relay treats `address` as a safety peer (WG-DERP-1).
    pub fn is_safety_relay(&self, config: &Config, address: Ipv4Addr) -> bool {
        self.is_pinned(config, address) || self.is_tracked(address)
    }

    /// Whether `address` keeps being marked active without a session (WG-HS-1).
    pub fn keeps_active(&self, config: &Config, address: Ipv4Addr) -> bool {
        match config.active_clear {
            ActiveClear::Never => true,
            ActiveClear::ExceptPriority => config.is_priority(address),
            ActiveClear::ExceptHealth => self.is_safety_path(config, address),
            ActiveClear::ExceptPinned => self.is_safety_relay(config, address),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::preset::Preset;
    use super::*;

    fn address(number: u8) -> Ipv4Addr {
        Ipv4Addr::new(100, 64, 0, number)
    }

    /// Cites CAP-3.
    #[test]
    fn the_seventeenth_pin_is_ignored_until_a_place_is_free() {
        let mut special = Special::default();
        assert!(!special.pin(Ipv4Addr::UNSPECIFIED, 16));
        assert!((1..=16).all(|number| special.pin(address(number), 16)));
        assert!(!special.pin(address(17), 16) && special.pin(address(16), 16));
        special.unpin(address(1));
        assert!(special.pin(address(17), 16));
        assert_eq!(special.pins().len(), 16);
    }

    /// Cites CAP-3: the seventeenth counterpart is not tracked, and none of the first is forgotten.
    #[test]
    fn the_health_registry_keeps_its_first_sixteen() {
        let mut special = Special::default();
        (1..=17).for_each(|number| special.hear(address(number), true, 16));
        special.hear(Ipv4Addr::UNSPECIFIED, false, 16);
        assert!(special.is_tracked(address(1)) && !special.is_tracked(address(17)));
        assert_eq!(special.tracked().len(), 16);
    }

    /// Cites CAP-3 and WG-HS-1. The table of the three sets: what each kind of peer is for each
    /// question.
    #[test]
    fn each_question_asks_its_own_set() {
        let mut config = Config { priority_peer: Some(address(1)), ..Preset::Head4.config() };
        config.fleet_server = Some(address(2));
        let mut special = Special::default();
        special.pin(address(3), config.pins);
        special.hear(address(4), true, config.pins);
        let ask = |question: &dyn Fn(Ipv4Addr) -> bool| [1, 2, 3, 4, 5].map(address).map(question);
        let pinned = ask(&|it| special.is_pinned(&config, it));
        let paths = ask(&|it| special.is_safety_path(&config, it));
        let relay = ask(&|it| special.is_safety_relay(&config, it));
        assert_eq!(pinned, [true, true, true, false, false]);
        assert_eq!(paths, [true, false, false, true, false]);
        assert_eq!(relay, [true, true, true, true, false]);
        let cleared = [
            (ActiveClear::Never, [true; 5]),
            (ActiveClear::ExceptPriority, [true, false, false, false, false]),
            (ActiveClear::ExceptHealth, [true, false, false, true, false]),
            (ActiveClear::ExceptPinned, [true, true, true, true, false]),
        ];
        for (active_clear, right) in cleared {
            config.active_clear = active_clear;
            let keeps = [1, 2, 3, 4, 5].map(|it| special.keeps_active(&config, address(it)));
            assert_eq!(keeps, right, "{active_clear:?}");
        }
    }

    /// Cites WG-WAKE-1: the aggregate concerns the priority peer, an entry its own peer.
    #[test]
    fn health_is_told_for_each_counterpart_or_for_all_together() {
        let config = Config { priority_peer: Some(address(1)), ..Preset::Head4.config() };
        let mut special = Special::default();
        special.hear(address(2), false, 16);
        assert!(special.is_unhealthy(&config, address(2)));
        assert!(!special.is_unhealthy(&config, address(1)));
        special.hear(address(2), true, 16);
        special.hear_link(false);
        assert!(!special.is_unhealthy(&config, address(2)));
        assert!(special.is_unhealthy(&config, address(1)));
    }
}
