//! The allowlist: an empty one allows everybody, another only those it names and the fleet server.
//!
//! The check takes a lock for 5 ms at most; when another task holds it longer, everybody is
//! allowed. The driver says when that is so.
//!
//! Clauses: WG-ALLOW-1.
use core::net::Ipv4Addr;

use heapless::Vec;

/// Addresses that the list has room for; the 513th is dropped.
pub const CAPACITY: usize = 512;

/// The allowlist and the state of its lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AllowList {
    addresses: Vec<Ipv4Addr, CAPACITY>,
    busy: bool,
}

impl AllowList {
    /// Replaces the list; it acts from the next check on and removes nobody. Returns how many
    /// addresses did not fit.
    pub fn replace(&mut self, addresses: &[Ipv4Addr]) -> usize {
        let kept = addresses.len().min(CAPACITY);
        self.addresses = addresses.iter().take(kept).copied().collect();
        addresses.len() - kept
    }

    /// Whether another task holds the lock for longer than the check waits.
    pub fn set_busy(&mut self, busy: bool) {
        self.busy = busy;
    }

    /// Whether `address` may be talked to. `fleet` always may.
    pub fn allows(&self, address: Ipv4Addr, fleet: Option<Ipv4Addr>) -> bool {
        self.addresses.is_empty()
            || self.busy
            || fleet == Some(address)
            || self.addresses.contains(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 1);
    const B: Ipv4Addr = Ipv4Addr::new(100, 64, 0, 2);

    /// Cites WG-ALLOW-1.
    #[test]
    fn an_empty_list_allows_all_and_another_only_its_members_and_the_fleet_server() {
        let mut list = AllowList::default();
        assert!(list.allows(A, None));
        assert_eq!(list.replace(&[B]), 0);
        assert!(!list.allows(A, None) && list.allows(B, None) && list.allows(A, Some(A)));
    }

    /// Cites WG-ALLOW-1 and WG-DISCO-2: the check fails open.
    #[test]
    fn a_held_lock_lets_everybody_through() {
        let mut list = AllowList::default();
        list.replace(&[B]);
        list.set_busy(true);
        assert!(list.allows(A, None));
    }

    /// Cites WG-ALLOW-1.
    #[test]
    fn the_address_after_the_last_place_is_dropped() {
        let mut list = AllowList::default();
        let addresses: [Ipv4Addr; CAPACITY + 1] =
            core::array::from_fn(|i| Ipv4Addr::from(u32::try_from(i).expect("513 addresses")));
        assert_eq!(list.replace(&addresses), 1);
        assert!(!list.allows(addresses[CAPACITY], None));
    }
}
