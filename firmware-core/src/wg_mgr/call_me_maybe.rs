//! CallMeMaybe: the broadcast after STUN, and where the device says it can be reached.
//!
//! ```text
//!   public endpoint known ─► walk the table upward, two sends a pass, peers without a direct path
//!                            └ index past the last peer ─► done, once in the life of the device
//! ```
//!
//! Clauses: WG-CMM-1. What an inbound one causes (WG-CMM-2) is in [`super::disco`].
use core::net::SocketAddrV4;

use super::peers::{PeerIndex, PeerTable};
use super::wire::Endpoints;

/// How far the broadcast has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Broadcast {
    next: u16,
    done: bool,
}

impl Broadcast {
    /// The next peer to send to, going on from the last; the broadcast is over once the table's end
    /// is reached. Inactive and directly reached peers are passed over for free.
    pub fn advance<const PEERS: usize>(&mut self, peers: &PeerTable<PEERS>) -> Option<PeerIndex> {
        let count = peers.count();
        while !self.done && self.next < count {
            let index = PeerIndex(self.next);
            self.next += 1;
            self.done = self.next >= count;
            if peers.get(index).is_some_and(|peer| peer.active && peer.direct.is_none()) {
                return Some(index);
            }
        }
        None
    }

    /// Whether it is over.
    pub fn is_done(&self) -> bool {
        self.done
    }
}

/// Where the device can be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct OwnEndpoints {
    /// On the local network.
    pub local: Option<SocketAddrV4>,
    /// As STUN saw it.
    pub public: Option<SocketAddrV4>,
}

impl OwnEndpoints {
    /// What a CallMeMaybe of ours lists: local first, then public.
    pub fn list(&self) -> Endpoints {
        [self.local, self.public].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;

    use super::super::keys::{DiscoKey, NodeKey};
    use super::super::peers::{HostName, PeerRecord, Placed};
    use super::super::preset::Preset;
    use super::*;

    fn table(peers: u8) -> PeerTable<8> {
        let mut table = PeerTable::default();
        for i in 1..=peers {
            let record = PeerRecord {
                address: Ipv4Addr::new(100, 64, 0, i),
                node: NodeKey([i; 32]),
                disco: DiscoKey([i; 32]),
                region: 1,
                endpoints: Endpoints::new(),
                name: HostName::new("node"),
                wanted: false,
            };
            let placed = table.place(&Preset::Arm1.config(), &record, |_| false);
            assert!(matches!(placed, Placed::New { .. }));
        }
        table
    }

    /// Cites WG-CMM-1.
    #[test]
    fn the_broadcast_visits_each_peer_without_a_direct_path_once() {
        let mut peers = table(5);
        peers.remove(&Preset::Arm1.config(), NodeKey([2; 32]));
        peers.get_mut(PeerIndex(3)).expect("five peers").direct =
            Some(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1));
        let mut broadcast = Broadcast::default();
        let visited: heapless::Vec<u16, 8> =
            core::iter::from_fn(|| broadcast.advance(&peers)).map(|index| index.0).collect();
        assert_eq!(visited, [0, 2, 4]);
        assert!(broadcast.is_done());
        assert_eq!(broadcast.advance(&table(8)), None);
    }

    /// Cites WG-CMM-1: with nobody there it waits for somebody.
    #[test]
    fn an_empty_table_does_not_end_the_broadcast() {
        let mut broadcast = Broadcast::default();
        assert_eq!(broadcast.advance(&table(0)), None);
        assert!(!broadcast.is_done());
        assert_eq!(broadcast.advance(&table(1)), Some(PeerIndex(0)));
    }
}
