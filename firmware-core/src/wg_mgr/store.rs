//! The peer cache: what the device remembers of its peers over a restart.
//!
//! ```text
//!   save ─► table in memory, dirty ─► first pass with 5 s since the last write ─► flash
//!
//!   blob: count u16, clock u16, then 92 bytes an entry, little-endian
//!         0 address 4 | 4 node key 32 | 36 DISCO key 32 | 68 region 2 | 70 two times
//!         { address 4, port 2 } | 82 endpoint count 1 | 83 name 7 | 90 last use 2
//! ```
//!
//! Clauses: WG-NVS-1, WG-NVS-2, WG-NVS-3.
use core::fmt;
use core::net::{Ipv4Addr, SocketAddrV4};

use heapless::Vec;

use super::config::Flush;
use super::keys::{DiscoKey, NodeKey};
use super::peers::{HostName, PeerRecord};
use super::rules::Rule;
use super::wire::Endpoints;
use crate::time::Instant;

/// Bytes before the first entry.
pub const HEADER_LEN: usize = 4;
/// Bytes of an entry.
pub const ENTRY_LEN: usize = 92;
const ENDPOINTS_KEPT: usize = 2;

/// What is kept of one peer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredPeer {
    address: Ipv4Addr,
    node: NodeKey,
    disco: DiscoKey,
    region: u16,
    endpoints: Vec<SocketAddrV4, ENDPOINTS_KEPT>,
    name: HostName,
    used: u16,
}

/// A cache of at most `ENTRIES` peers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store<const ENTRIES: usize> {
    entries: Vec<StoredPeer, ENTRIES>,
    limit: u16,
    clock: u16,
    dirty: bool,
    last_flush: Instant,
}

/// Why a blob was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlobError {
    /// It ends before its header does.
    NoHeader,
    /// It names more entries than the compiled table holds; the firmware then starts empty.
    TooManyEntries {
        /// Entries that it names.
        count: u16,
        /// Entries that there is room for.
        limit: u16,
    },
    /// It ends within an entry.
    Truncated {
        /// The entry, from 0.
        entry: u16,
    },
}

impl fmt::Display for BlobError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHeader => write!(out, "the peer cache is shorter than its header of 4 bytes"),
            Self::TooManyEntries { count, limit } => {
                write!(out, "the peer cache names {count} peers, but there is room for {limit}")
            }
            Self::Truncated { entry } => write!(out, "the peer cache ends within entry {entry}"),
        }
    }
}

impl core::error::Error for BlobError {}

impl<const ENTRIES: usize> Store<ENTRIES> {
    /// An empty cache of `limit` entries, at most `ENTRIES`.
    pub fn new(limit: u16) -> Self {
        let limit = limit.min(u16::try_from(ENTRIES).unwrap_or(u16::MAX));
        Self { entries: Vec::new(), limit, clock: 0, dirty: false, last_flush: Instant::ZERO }
    }

    /// Whether memory is ahead of flash.
    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// Peers kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no peer is kept.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Length of the blob in bytes.
    pub fn blob_len(&self) -> usize {
        HEADER_LEN + ENTRY_LEN * self.entries.len()
    }

    /// Remembers a peer, in memory only (WG-NVS-1). It replaces the entry with the same address or
    /// node key; in a full cache, the one used longest ago that is not `protected`.
    pub fn save(&mut self, peer: &PeerRecord, protected: Option<Ipv4Addr>, wrap: Rule) {
        if wrap.is_strict() && self.clock == u16::MAX {
            self.renumber();
        }
        self.clock = self.clock.wrapping_add(1);
        self.dirty = true;
        let entry = StoredPeer::of(peer, self.clock);
        let same = |kept: &StoredPeer| kept.address == entry.address || kept.node == entry.node;
        let index = if let Some(index) = self.entries.iter().position(same) {
            index
        } else if self.entries.len() < self.limit.into() && self.entries.push(entry.clone()).is_ok()
        {
            return;
        } else {
            self.victim(protected)
        };
        if let Some(slot) = self.entries.get_mut(index) {
            *slot = entry;
        }
    }

    /// The entry used longest ago, except a protected one; the first when all are protected.
    fn victim(&self, protected: Option<Ipv4Addr>) -> usize {
        let candidates = self.entries.iter().enumerate();
        candidates
            .filter(|(_, entry)| Some(entry.address) != protected)
            .min_by_key(|(_, entry)| entry.used)
            .map_or(0, |(index, _)| index)
    }

    /// Gives the entries the use counts 1, 2, … in their present order.
    fn renumber(&mut self) {
        let ranks: Vec<u16, ENTRIES> =
            self.entries.iter().map(|entry| self.rank(entry.used)).collect();
        for (entry, rank) in self.entries.iter_mut().zip(&ranks) {
            entry.used = *rank;
        }
        self.clock = u16::try_from(self.entries.len()).unwrap_or(u16::MAX);
    }

    fn rank(&self, used: u16) -> u16 {
        let older = self.entries.iter().filter(|entry| entry.used < used).count();
        u16::try_from(older + 1).unwrap_or(u16::MAX)
    }

    /// Whether enough time has passed since the last write (WG-NVS-1). Time counts from switching
    /// on, so the first dirty pass after the interval does not wait.
    pub fn flush_due(&self, now: Instant, flush: Flush) -> bool {
        match flush {
            Flush::EachSave => true,
            Flush::Every(interval) => now.since(self.last_flush) >= interval,
        }
    }

    /// The blob is about to be written: the cache counts as clean from here on, before the write
    /// and whether or not it succeeds.
    pub fn mark_flushed(&mut self, now: Instant) {
        self.last_flush = now;
        self.dirty = false;
    }

    /// A write failed. The firmware forgets it; the corrected rule keeps the cache dirty.
    pub fn write_failed(&mut self, rule: Rule) {
        self.dirty |= rule.is_strict();
    }

    /// Writes the blob into `into` and returns its length; `None` when `into` is too short.
    pub fn encode(&self, into: &mut [u8]) -> Option<usize> {
        let length = self.blob_len();
        let (header, rest) = into.get_mut(..length)?.split_first_chunk_mut::<HEADER_LEN>()?;
        let count = u16::try_from(self.entries.len()).ok()?;
        header[..2].copy_from_slice(&count.to_le_bytes());
        header[2..].copy_from_slice(&self.clock.to_le_bytes());
        for (entry, bytes) in self.entries.iter().zip(rest.chunks_exact_mut(ENTRY_LEN)) {
            entry.write(bytes);
        }
        Some(length)
    }

    /// Reads a blob. What follows its last entry is ignored.
    ///
    /// # Errors
    /// [`BlobError`]; the cache is then to start empty.
    pub fn decode(blob: &[u8], limit: u16) -> Result<Self, BlobError> {
        let mut store = Self::new(limit);
        let (header, rest) = blob.split_first_chunk::<HEADER_LEN>().ok_or(BlobError::NoHeader)?;
        let count = u16::from_le_bytes([header[0], header[1]]);
        if count > store.limit {
            return Err(BlobError::TooManyEntries { count, limit: store.limit });
        }
        store.clock = u16::from_le_bytes([header[2], header[3]]);
        let mut bytes = rest.chunks_exact(ENTRY_LEN);
        for entry in 0..count {
            let bytes = bytes.next().ok_or(BlobError::Truncated { entry })?;
            let stored = StoredPeer::read(bytes);
            store.entries.push(stored).expect("the limit is at most the capacity");
        }
        Ok(store)
    }

    /// The peers to start with (WG-NVS-3); entries without an address are skipped.
    pub fn records(&self) -> impl Iterator<Item = PeerRecord> {
        self.entries.iter().filter(|entry| entry.has_address()).map(StoredPeer::record)
    }
}

impl StoredPeer {
    fn has_address(&self) -> bool {
        !self.address.is_unspecified()
    }

    fn of(peer: &PeerRecord, used: u16) -> Self {
        let kept = peer.endpoints.iter().filter(|endpoint| !endpoint.ip().is_unspecified());
        Self {
            address: peer.address,
            node: peer.node,
            disco: peer.disco,
            region: peer.region,
            endpoints: kept.take(ENDPOINTS_KEPT).copied().collect(),
            name: peer.name,
            used,
        }
    }

    fn record(&self) -> PeerRecord {
        PeerRecord {
            address: self.address,
            node: self.node,
            disco: self.disco,
            region: self.region,
            endpoints: self.endpoints.iter().copied().collect(),
            name: self.name,
            wanted: false,
        }
    }

    /// Addresses are stored as little-endian numbers, as the firmware's host order is.
    fn write(&self, bytes: &mut [u8]) {
        bytes[..4].copy_from_slice(&u32::from(self.address).to_le_bytes());
        bytes[4..36].copy_from_slice(&self.node.0);
        bytes[36..68].copy_from_slice(&self.disco.0);
        bytes[68..70].copy_from_slice(&self.region.to_le_bytes());
        bytes[70..82].fill(0);
        for (endpoint, at) in self.endpoints.iter().zip([70, 76]) {
            bytes[at..at + 4].copy_from_slice(&u32::from(*endpoint.ip()).to_le_bytes());
            bytes[at + 4..at + 6].copy_from_slice(&endpoint.port().to_le_bytes());
        }
        bytes[82] = u8::try_from(self.endpoints.len()).unwrap_or(u8::MAX);
        bytes[83..89].copy_from_slice(self.name.as_bytes());
        bytes[89] = 0;
        bytes[90..92].copy_from_slice(&self.used.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let address =
            |at: usize| Ipv4Addr::from(u32::from(word(at + 2)) << 16 | u32::from(word(at)));
        let key = |at: usize| core::array::from_fn(|i| bytes[at + i]);
        let endpoints: Endpoints = [70, 76]
            .into_iter()
            .take(bytes[82].into())
            .map(|at| SocketAddrV4::new(address(at), word(at + 4)))
            .collect();
        Self {
            address: address(0),
            node: NodeKey(key(4)),
            disco: DiscoKey(key(36)),
            region: word(68),
            endpoints: endpoints.into_iter().collect(),
            name: HostName::from_bytes(&bytes[83..89]),
            used: word(90),
        }
    }
}
