//! Direct paths: how one comes up, whether another replaces it, and when none is looked for.
//!
//! ```text
//!   direct pong ─► trusted ─► safety peer, direct already, from elsewhere, not LAN for WAN?
//!                                 │ yes: a candidate, the path stays (sticky)
//!                                 └ no ─► its source is the path
//!                                           ├ session up, packets go elsewhere ─► there, initiation
//!                                           └ none, never tried ─► one initiation, not repeated
//!   relayed pong ─► safety peer without a session, 5 s since the last ─► initiation
//!
//!   up ── less than 15 s ──► down:  no attempt for 10, 20, 40, 60 s …;  up for longer: forgiven
//! ```
//!
//! Which peers a relayed pong starts a handshake for is not said by the sources; they speak of a
//! safety peer, and so does this.
//!
//! Clauses: WG-PATH-1, WG-FLAP-1, the throttle of WG-RATE-1 on relayed pongs.
use core::net::SocketAddrV4;

use super::WgMgr;
use super::config::Config;
use super::jobs::Job;
use super::output::{InitiationReason, Note, Outputs};
use super::peers::{Peer, PeerIndex};
use crate::time::{Duration, Instant};

/// The unit that back-offs are doublings of.
const BACKOFF_UNIT: Duration = Duration::from_millis(5_000);
/// The longest back-off.
const BACKOFF_MOST: Duration = Duration::from_millis(60_000);
/// Doublings at most.
const DOUBLINGS_MOST: u8 = 4;
/// Flaps are counted up to here.
const FLAPS_MOST: u8 = 8;

/// A path was given up: if it had not lasted, it flaps, and this long none is looked for.
pub(super) fn back_off(config: &Config, peer: &mut Peer, tick: Instant) -> Option<Duration> {
    let window = config.flap_window?;
    if peer.promoted.is_none_or(|promoted| tick.since(promoted) >= window) {
        return None;
    }
    peer.flaps = peer.flaps.saturating_add(1).min(FLAPS_MOST);
    let span = BACKOFF_UNIT.times(1 << peer.flaps.min(DOUBLINGS_MOST)).min(BACKOFF_MOST);
    peer.backoff_until = tick.after(span);
    Some(span)
}

/// Whether `other` is on the local network and `path` is not.
fn is_upgrade(path: SocketAddrV4, other: SocketAddrV4) -> bool {
    other.ip().is_private() && !path.ip().is_private()
}

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// A pong came directly from `source`.
    pub(super) fn direct_pong(
        &mut self,
        now: Instant,
        index: PeerIndex,
        source: SocketAddrV4,
        outputs: &mut Outputs,
    ) {
        let config = &self.config;
        let Some(peer) = self.peers.get_mut(index) else { return };
        let safety = self.special.is_safety_path(config, peer.address);
        peer.trust_until = now.after(config.trust);
        peer.last_direct_pong = Some(now);
        let lasted = |promoted: Instant, window| now.since(promoted) > window;
        if let (Some(promoted), Some(window)) = (peer.promoted, config.flap_window)
            && peer.direct.is_some()
            && lasted(promoted, window)
        {
            peer.flaps = 0;
        }
        let kept = peer.direct.filter(|path| {
            config.sticky_path && safety && *path != source && !is_upgrade(*path, source)
        });
        if kept.is_some() {
            peer.learn(source);
            outputs.note(Note::PathKept(index));
            return;
        }
        if peer.direct.replace(source).is_none() {
            peer.promoted = Some(now);
            outputs.note(Note::PathUp(index));
        }
        self.adopt(index, source);
    }

    /// The tunnel follows the path: a session moves there with a fresh handshake, and a peer without
    /// one gets a single initiation in its slot's life.
    fn adopt(&mut self, index: PeerIndex, source: SocketAddrV4) {
        let Some(tunnel) = self.tunnel_of(index) else { return };
        let (up, moves) = (tunnel.is_up(&self.config), tunnel.endpoint != Some(source));
        let Some(peer) = self.peers.get_mut(index) else { return };
        let why = match (up, moves) {
            (true, true) => InitiationReason::PathChanged,
            (false, _) if !peer.tried_initiation => InitiationReason::FirstPath,
            (true, false) | (false, _) => return,
        };
        peer.tried_initiation |= why == InitiationReason::FirstPath;
        self.queue_job(Job::Initiate { peer: index, why });
    }

    /// A pong came through the relay: the peer is awake, so a safety peer without a session is sent
    /// an initiation, at most every five seconds.
    pub(super) fn relayed_pong(&mut self, now: Instant, index: PeerIndex) {
        let interval = self.config.relay_pong_interval;
        let without_session =
            self.tunnel_of(index).is_some_and(|tunnel| !tunnel.is_up(&self.config));
        let Some(peer) = self.peers.get_mut(index) else { return };
        let soon = |last: Instant| now.since(last) <= interval;
        if without_session
            && peer.direct.is_none()
            && self.special.is_safety_path(&self.config, peer.address)
            && !peer.last_relay_initiation.is_some_and(soon)
        {
            peer.last_relay_initiation = Some(now);
            let why = InitiationReason::RelayPong;
            self.queue_job(Job::Initiate { peer: index, why });
        }
    }
}
