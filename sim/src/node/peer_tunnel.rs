//! A peer's half of its tunnel to the device: handshakes in both directions, data, a window against
//! copies. Not the core's own code: every session of a run has two independent ends.
//!
//! ```text
//!   initiation of the device ─► response, next key pair ─► its first data ─► current
//!   own initiation ─► response of the device ─► current, and a keepalive that confirms it
//!   nothing to say, nothing sent: sessions are begun when there is something to send
//! ```
//!
//! As tailscaled does it, with the protocol's times: an initiation again after 5 s, a new one from
//! 120 s on when data is sent, a session over after 180 s. Its clock is that of a computer, so its
//! handshakes are newer than all before even after a restart; it remembers the newest of the device.
//!
//! Left out: keepalives of its own, which it sends only in answer to data.
use firmware_core::time::{Duration, Instant};
use firmware_core::wg_mgr::keys::NodeKey;
use firmware_core::wg_mgr::wire::{
    DATA_MIN, DataSeal, Initiation, InitiationView, Response, ResponseView, SessionKey,
    StaticSecret, Timestamp, TunnelPacket, open_data,
};

use crate::random::Stream;

const REKEY_AFTER: Duration = Duration::from_millis(120_000);
const REJECT_AFTER: Duration = Duration::from_millis(180_000);
const REKEY_TIMEOUT: Duration = Duration::from_millis(5_000);

/// One key pair.
#[derive(Clone, Debug)]
struct Pair {
    key: SessionKey,
    local: u32,
    remote: u32,
    /// Whether this end began it.
    initiator: bool,
    born: Instant,
    sent: u64,
    window: Window,
}

/// Counters seen: the highest and the 128 below it.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    next: u64,
    seen: u128,
}

impl Window {
    /// Whether the counter is new; it then counts as seen.
    fn admits(&mut self, counter: u64) -> bool {
        if counter >= self.next {
            let ahead = u32::try_from(counter - self.next + 1).unwrap_or(u32::MAX);
            self.seen = self.seen.checked_shl(ahead).unwrap_or(0) | 1;
            self.next = counter.saturating_add(1);
            return true;
        }
        let bit =
            u32::try_from(self.next - 1 - counter).ok().and_then(|age| 1_u128.checked_shl(age));
        let Some(bit) = bit.filter(|bit| self.seen & bit == 0) else { return false };
        self.seen |= bit;
        true
    }
}

/// What a packet of the device meant to the peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// A handshake: this response goes back the way it came.
    Answer(Box<[u8]>),
    /// The handshake that was begun is complete: this keepalive confirms it.
    Confirm(Box<[u8]>),
    /// An IP packet, padded.
    Payload(Vec<u8>),
    /// A keepalive, or nothing that this end can use.
    Nothing,
}

/// A peer's tunnel.
#[derive(Clone, Debug)]
pub struct PeerTunnel {
    own: NodeKey,
    device: NodeKey,
    secret: Option<StaticSecret>,
    stream: Stream,
    pending: Option<(u32, [u8; 32], Instant)>,
    current: Option<Pair>,
    previous: Option<Pair>,
    next: Option<Pair>,
    newest: Option<Timestamp>,
}

impl PeerTunnel {
    /// A tunnel without a session. Without a secret nothing ever opens.
    pub fn new(
        own: NodeKey,
        device: NodeKey,
        secret: Option<StaticSecret>,
        stream: Stream,
    ) -> Self {
        Self {
            own,
            device,
            secret,
            stream,
            pending: None,
            current: None,
            previous: None,
            next: None,
            newest: None,
        }
    }

    /// Its computer restarts: everything but the keys is forgotten.
    pub fn restart(&mut self) {
        (self.pending, self.newest) = (None, None);
        (self.current, self.previous, self.next) = (None, None, None);
    }

    /// Whether data can be sent at `now`.
    pub fn is_up(&self, now: Instant) -> bool {
        self.current.as_ref().is_some_and(|pair| now.since(pair.born) < REJECT_AFTER)
    }

    /// Begins a handshake, if the last one was begun long enough ago.
    pub fn initiate(&mut self, now: Instant) -> Option<Box<[u8]>> {
        if self.pending.is_some_and(|(_, _, sent)| now.since(sent) < REKEY_TIMEOUT) {
            return None;
        }
        let secret = self.secret?;
        let (local, ephemeral) = (self.draw_index(), self.stream.bytes());
        self.pending = Some((local, ephemeral, now));
        let initiation = Initiation {
            sender: local,
            ephemeral,
            initiator: self.own,
            timestamp: Timestamp::at(now),
        };
        Some(initiation.encode(self.device, &secret).into())
    }

    /// Whether sending at `now` asks for a handshake: there is no session, or our own is old.
    pub fn wants_handshake(&self, now: Instant) -> bool {
        match &self.current {
            None => true,
            Some(pair) => {
                let age = now.since(pair.born);
                age >= REJECT_AFTER || (pair.initiator && age >= REKEY_AFTER)
            }
        }
    }

    /// A data packet around an IP packet; none without a session.
    pub fn seal(&mut self, now: Instant, payload: &[u8]) -> Option<Box<[u8]>> {
        let pair = self.current.as_mut().filter(|pair| now.since(pair.born) < REJECT_AFTER)?;
        Some(pair.seal(payload))
    }

    /// A packet of the device arrives.
    pub fn receive(&mut self, now: Instant, bytes: &[u8]) -> Received {
        let received = match TunnelPacket::parse(bytes) {
            TunnelPacket::Initiation => self.initiation(now, bytes).map(Received::Answer),
            TunnelPacket::Response => self.response(now, bytes).map(Received::Confirm),
            TunnelPacket::Data { receiver, counter } => self
                .data(now, bytes, receiver, counter)
                .filter(|payload| !payload.is_empty())
                .map(Received::Payload),
            TunnelPacket::Cookie | TunnelPacket::Malformed => None,
        };
        received.unwrap_or(Received::Nothing)
    }

    fn initiation(&mut self, now: Instant, bytes: &[u8]) -> Option<Box<[u8]>> {
        let secret = self.secret?;
        let view = InitiationView::parse(bytes).filter(|view| view.mac1_holds(self.own))?;
        view.initiator(self.own).filter(|from| *from == self.device)?;
        let message = view.open(&secret)?;
        if self.newest.is_some_and(|newest| message.timestamp <= newest) {
            return None;
        }
        self.newest = Some(message.timestamp);
        let (local, ephemeral) = (self.draw_index(), self.stream.bytes());
        let key = SessionKey::derive(&secret, &message.ephemeral, &ephemeral);
        self.next = Some(Pair::new(key, [local, message.sender], false, now));
        let response = Response { sender: local, receiver: message.sender, ephemeral };
        Some(response.encode(self.device, &secret, &message.ephemeral).into())
    }

    fn response(&mut self, now: Instant, bytes: &[u8]) -> Option<Box<[u8]>> {
        let secret = self.secret?;
        let view = ResponseView::parse(bytes).filter(|view| view.mac1_holds(self.own))?;
        let (local, ephemeral, _) = self.pending.filter(|(local, ..)| *local == view.receiver())?;
        let message = view.open(&secret, &ephemeral)?;
        self.pending = None;
        let key = SessionKey::derive(&secret, &ephemeral, &message.ephemeral);
        self.previous = self.current.take();
        let pair = self.current.insert(Pair::new(key, [local, message.sender], true, now));
        Some(pair.seal(&[]))
    }

    fn data(&mut self, now: Instant, bytes: &[u8], receiver: u32, counter: u64) -> Option<Vec<u8>> {
        let is = |pair: &Option<Pair>| pair.as_ref().is_some_and(|pair| pair.local == receiver);
        if is(&self.next) {
            let genuine = self.next.as_ref().is_some_and(|pair| pair.opens(bytes));
            if genuine {
                self.previous = self.current.take();
                self.current = self.next.take();
            }
        }
        let pair = [&mut self.current, &mut self.previous]
            .into_iter()
            .find_map(|place| place.as_mut().filter(|pair| pair.local == receiver))?;
        if now.since(pair.born) >= REJECT_AFTER {
            return None;
        }
        let payload = open_data(bytes, &pair.key, !pair.initiator)?.to_vec();
        pair.window.admits(counter).then_some(payload)
    }

    /// An index of a session; 0 is never given to one.
    fn draw_index(&mut self) -> u32 {
        u32::from_le_bytes(self.stream.bytes()).max(1)
    }
}

impl Pair {
    fn new(key: SessionKey, [local, remote]: [u32; 2], initiator: bool, born: Instant) -> Self {
        Self { key, local, remote, initiator, born, sent: 0, window: Window::default() }
    }

    fn opens(&self, bytes: &[u8]) -> bool {
        open_data(bytes, &self.key, !self.initiator).is_some()
    }

    fn seal(&mut self, payload: &[u8]) -> Box<[u8]> {
        let seal = DataSeal {
            key: self.key,
            from_initiator: self.initiator,
            receiver: self.remote,
            counter: self.sent,
        };
        self.sent += 1;
        let mut packet = vec![0; DataSeal::packet_len(payload.len()).max(DATA_MIN)];
        let written = seal.write(payload, &mut packet);
        packet.truncate(written.expect("the buffer has the packet's own length"));
        packet.into()
    }
}

#[cfg(test)]
mod tests {
    use firmware_core::wg_mgr::config::Crypto;
    use firmware_core::wg_mgr::keys::Identity;
    use proptest::prelude::*;

    use super::*;
    use crate::random::Streams;

    fn pair() -> [PeerTunnel; 2] {
        let identities = [1, 2].map(|it| Identity::from_secrets([it; 32], [it + 10; 32]));
        [0, 1].map(|at: usize| {
            let (own, other) = (&identities[at], identities[1 - at].node());
            let secret = StaticSecret::compute(Crypto::Modelled, own, other);
            let stream = Streams::new(1).of(if at == 0 { "one" } else { "other" }, "tunnel");
            PeerTunnel::new(own.node(), other, secret, stream)
        })
    }

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(1_000 * seconds)
    }

    /// The two ends with a session that the first began at 1 s.
    fn joined() -> [PeerTunnel; 2] {
        let [mut one, mut other] = pair();
        let initiation = one.initiate(at(1)).expect("the first");
        let Received::Answer(response) = other.receive(at(1), &initiation) else {
            panic!("an initiation is answered")
        };
        assert!(!other.is_up(at(1)), "a responder waits for the first data");
        let Received::Confirm(keepalive) = one.receive(at(1), &response) else {
            panic!("a response is confirmed")
        };
        assert_eq!(other.receive(at(1), &keepalive), Received::Nothing);
        [one, other]
    }

    /// Cites WG-HS-2 and WG-HS-3.
    #[test]
    fn a_session_lasts_180_s_and_is_begun_anew_from_120_s_by_its_initiator() {
        let [mut one, mut other] = joined();
        assert!(one.is_up(at(180)) && !one.is_up(at(181)));
        assert!(!one.wants_handshake(at(120)) && one.wants_handshake(at(121)));
        assert!(!other.wants_handshake(at(150)) && other.wants_handshake(at(181)));
        let packet = other.seal(at(2), &[7; 68]).expect("a session");
        assert_eq!(packet.len(), 112);
        let Received::Payload(payload) = one.receive(at(2), &packet) else {
            panic!("data is delivered")
        };
        assert_eq!((&payload[..68], payload.len()), (&[7; 68][..], 80));
        assert_eq!(one.receive(at(2), &packet), Received::Nothing, "a copy");
    }

    /// Cites PF-102: who counts from switching on is not heard until it is later than before.
    #[test]
    fn an_older_timestamp_is_not_answered_unless_the_peer_has_restarted() {
        let [mut one, mut other] = joined();
        one.restart();
        let early = one.initiate(Instant::ZERO).expect("nothing pends");
        assert_eq!(other.receive(at(300), &early), Received::Nothing);
        other.restart();
        assert!(matches!(other.receive(at(301), &early), Received::Answer(_)));
    }

    #[test]
    fn initiations_are_five_seconds_apart() {
        let [mut one, _] = pair();
        assert!(one.initiate(at(1)).is_some() && one.initiate(at(5)).is_none());
        assert!(one.initiate(at(6)).is_some());
    }

    proptest! {
        #[test]
        fn any_bytes_leave_a_session_usable(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let [mut one, mut other] = joined();
            let _whatever = other.receive(at(2), &bytes);
            let packet = one.seal(at(3), b"stop").expect("a session");
            prop_assert!(matches!(other.receive(at(3), &packet), Received::Payload(_)));
        }

        /// Against a set of everything seen.
        #[test]
        fn the_window_admits_each_counter_once(counters in prop::collection::vec(0_u64..150, 0..300)) {
            let mut window = Window::default();
            let mut seen = std::collections::BTreeSet::new();
            for counter in counters {
                let young = counter + 128 >= window.next;
                prop_assert_eq!(window.admits(counter), seen.insert(counter) && young);
            }
        }
    }
}
