//! A slot: one event of a recorder, or a part of one.
use crate::time::{Duration, Instant};

/// Bytes of a slot.
pub const SLOT_LEN: usize = 16;
/// Bytes of its content.
pub(super) const CONTENT: usize = 10;

/// The kinds of slot.
pub mod kind {
    /// Nothing.
    pub const EMPTY: u8 = 0;
    /// The slot before goes on.
    pub const MORE: u8 = 1;
    /// The time in nanoseconds, as 8 bytes; the next slot counts from it.
    pub const TIME: u8 = 2;
    /// So many steps are missing here, as 4 bytes.
    pub const GAP: u8 = 3;
    /// A peer that was in flash; laid out as [`ADD`].
    pub const PRELOAD: u8 = 4;
    /// Detail: bit 0 wanted, bits 1 to 4 the number of endpoints. Node, DISCO key (pseudonyms of 4
    /// bytes), region (2). More: address (4) and name (6); then one endpoint (address 4, port 2)
    /// each.
    pub const ADD: u8 = 5;
    /// Node.
    pub const REMOVE: u8 = 6;
    /// Detail: bit 0 whether there is a DISCO key, bits 1 to 4 the number of endpoints. Node, DISCO
    /// key, region. More: one endpoint each.
    pub const PATCH: u8 = 7;
    /// Woken.
    pub const WAKE: u8 = 10;
    /// The queue is empty.
    pub const NOTHING: u8 = 11;
    /// A ping. Detail: whether it names its node. Sender, node. More: the way.
    pub const PING: u8 = 12;
    /// A pong. Sender, number of the tracked ping that it answers, all ones for none. More: the way.
    pub const PONG: u8 = 13;
    /// A CallMeMaybe. Detail: number of endpoints. Sender. More: the way; then one endpoint each.
    pub const CALL_ME_MAYBE: u8 = 14;
    /// No message in a box that opens. Detail: its type, 255 when it is too short. Sender. More: way.
    pub const UNREADABLE: u8 = 15;
    /// A box that does not open. Sender, bytes of the box (2). More: the way.
    pub const FORGED: u8 = 16;
    /// A box whose content is not known. Laid out as [`FORGED`].
    pub const UNOPENED: u8 = 17;
    /// Anything else. Detail: its first byte. Bytes 4 to 13. More: the way, with bytes 14, 15 and
    /// the length (2) behind it; detail bit 1 of the way: bytes 1 to 3 are not all zeros.
    pub const BYTES: u8 = 18;
    /// Registered by the control plane.
    pub const REGISTERED: u8 = 20;
    /// To be shut down.
    pub const SHUTDOWN: u8 = 21;
    /// Started again.
    pub const RESTART: u8 = 22;
    /// The local endpoint.
    pub const LOCAL_ENDPOINT: u8 = 23;
    /// The public endpoint.
    pub const PUBLIC_ENDPOINT: u8 = 24;
    /// A relay was connected.
    pub const RELAY_CONNECTED: u8 = 25;
    /// An allowlist. Detail: its length, at most 64, or 255 for a longer one, which is not kept.
    /// More: two addresses each.
    pub const ALLOW_LIST: u8 = 26;
    /// Detail: whether the allowlist's lock is held.
    pub const ALLOW_LIST_BUSY: u8 = 27;
    /// Detail: the stored limit on peers.
    pub const SETTINGS_MAX_PEERS: u8 = 28;
    /// The write of the peer cache failed.
    pub const STORE_WRITE_FAILED: u8 = 29;
    /// An application sends: address (4), length (2).
    pub const TUNNEL_SEND: u8 = 30;
    /// Detail: whether the peer is pinned or unpinned. Address.
    pub const PIN: u8 = 31;
    /// Detail: whether somebody else has the old address too. Old address, new address.
    pub const PEER_CHANGED: u8 = 32;
    /// Detail: whether the counterpart answers. Address.
    pub const HEALTH: u8 = 33;
    /// Detail: whether any counterpart answers.
    pub const LINK_HEALTH: u8 = 34;
    /// Detail: whether there is one. Address.
    pub const PRIORITY_PEER: u8 = 35;
    /// Detail: whether the relay is connected. Region (2).
    pub const RELAY: u8 = 36;
    /// Region.
    pub const RELAY_HOME: u8 = 37;
    /// Region.
    pub const RELAY_OVERRIDE: u8 = 38;
    /// When, in nanoseconds (8).
    pub const BOOTED_AT: u8 = 39;
    /// The outputs of the step. Detail: the charge's number plus 1, 0 for none. Fingerprint (4).
    pub const OUTPUTS: u8 = 40;
}

/// One slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    delta: u32,
    kind: u8,
    detail: u8,
    content: [u8; CONTENT],
}

impl Slot {
    /// A place that holds nothing.
    pub(super) const EMPTY: Self =
        Self { delta: 0, kind: kind::EMPTY, detail: 0, content: [0; CONTENT] };

    pub(super) fn new(kind: u8, detail: u8, content: &[u8]) -> Self {
        let mut slot = Self { kind, detail, ..Self::EMPTY };
        for (to, from) in slot.content.iter_mut().zip(content) {
            *to = *from;
        }
        slot
    }

    pub(super) fn gap(lost: u32) -> Self {
        Self::new(kind::GAP, 0, &lost.to_le_bytes())
    }

    pub(super) fn time(at: Instant) -> Self {
        Self::new(kind::TIME, 0, &at.as_nanos().to_le_bytes())
    }

    pub(super) const fn after(self, delta: u32) -> Self {
        Self { delta, ..self }
    }

    /// Whether a step begins here: an input, not a part of one and not its outputs.
    pub(super) const fn begins(&self) -> bool {
        !matches!(self.kind, kind::MORE | kind::OUTPUTS | kind::EMPTY | kind::TIME | kind::GAP)
    }

    /// Its kind.
    pub const fn kind(&self) -> u8 {
        self.kind
    }

    /// What the kind says of it.
    pub const fn detail(&self) -> u8 {
        self.detail
    }

    /// Its content.
    pub const fn content(&self) -> &[u8; 10] {
        &self.content
    }

    /// Its time, when the slot before it was at `last`.
    pub const fn from(&self, last: Instant) -> Instant {
        last.after(Duration::from_nanos(self.delta as u64))
    }

    /// Of a time: the time.
    pub fn absolute(&self) -> Instant {
        let nanos = self.content.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        Instant::from_nanos(nanos)
    }

    /// The first four bytes of the content as a number.
    pub fn number(&self) -> u32 {
        let [a, b, c, d, ..] = self.content;
        u32::from_le_bytes([a, b, c, d])
    }

    /// The slot as a dump has it.
    pub fn bytes(&self) -> [u8; SLOT_LEN] {
        let mut bytes = [0; SLOT_LEN];
        (bytes[0], bytes[1]) = (self.kind, self.detail);
        bytes[2..6].copy_from_slice(&self.delta.to_le_bytes());
        bytes[6..].copy_from_slice(&self.content);
        bytes
    }

    /// The slot of a dump.
    pub fn of(bytes: &[u8; SLOT_LEN]) -> Self {
        let [kind, detail, a, b, c, d, content @ ..] = *bytes;
        Self { delta: u32::from_le_bytes([a, b, c, d]), kind, detail, content }
    }
}
