//! The key pair of one session, and its life: in use, renewed, refused.
//!
//! ```text
//!   age   0 ────────────── 120 s ────────── 150 s ──── 155 s ──────── 180 s
//!         our session       sending         receiving   their session  refused in both
//!                           asks for a      asks for    gets an        directions, destroyed
//!                           renewal         a renewal   initiation     at the next look
//! ```
//!
//! Clauses: WG-HS-3.
use super::super::config::Config;
use super::super::replay::ReplayWindow;
use super::super::wire::{DataSeal, SessionKey};
use crate::time::{Duration, Instant};

/// Packets after which a session is renewed.
pub const REKEY_AFTER_MESSAGES: u64 = 1 << 60;
/// Packets after which nothing more is sent or received in a session.
pub const REJECT_AFTER_MESSAGES: u64 = u64::MAX - (1 << 13);

/// One session's key pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Keypair {
    /// The session's index here.
    pub local: u32,
    /// The session's index at the peer.
    pub remote: u32,
    /// When it was made.
    pub created: Instant,
    /// Whether we started the handshake.
    pub initiator: bool,
    key: SessionKey,
    sent: u64,
    window: ReplayWindow,
}

impl Keypair {
    /// A fresh key pair.
    pub(super) fn new(
        key: SessionKey,
        [local, remote]: [u32; 2],
        initiator: bool,
        now: Instant,
        config: &Config,
    ) -> Self {
        let window = ReplayWindow::with(config.replay_window, config.replay_accepts_zero);
        Self { local, remote, created: now, initiator, key, sent: 0, window }
    }

    /// The session's key.
    pub fn key(&self) -> &SessionKey {
        &self.key
    }

    /// Packets sent in this session: the next one's counter.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Whether it is at least `span` old.
    pub(super) fn is_older(&self, now: Instant, span: Duration) -> bool {
        now.since(self.created) >= span
    }

    /// Whether nothing may be sent or received any more.
    pub(super) fn is_over(&self, now: Instant, config: &Config) -> bool {
        self.is_older(now, config.reject_after) || self.sent >= REJECT_AFTER_MESSAGES
    }

    /// What seals the next packet.
    pub(super) fn next_seal(&mut self) -> DataSeal {
        let counter = self.sent;
        self.sent = self.sent.saturating_add(1);
        DataSeal { key: self.key, from_initiator: self.initiator, receiver: self.remote, counter }
    }

    /// Whether having sent asks for a renewal.
    pub(super) fn renews_on_send(&self, now: Instant, config: &Config) -> bool {
        self.sent >= REKEY_AFTER_MESSAGES
            || (self.initiator && self.is_older(now, config.rekey_after))
    }

    /// Whether having received asks for a renewal.
    pub(super) fn renews_on_receive(&self, now: Instant, config: &Config) -> bool {
        self.initiator && self.is_older(now, config.rekey_on_receive())
    }

    /// Whether a genuine packet with this counter may be delivered (WG-REPLAY-1).
    pub(super) fn accepts(&mut self, counter: u64) -> bool {
        self.window.accept(counter)
    }
}
