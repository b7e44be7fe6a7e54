//! What peers send: their own pings and CallMeMaybe, and what the device's packets make them send.
//!
//! ```text
//!   device: ping of an addition, a timer, an answer ─────► pong
//!   device: CallMeMaybe of an addition or the broadcast ─► ping, or an echo that comes back for ever
//!   peer:   ping ─► pong and ping of the device ─────────► pong
//! ```
use firmware_core::time::Duration;
use models::bound::data::{Curve, DiscoKind, DiscoStream, Ground, Sender};

use super::curves::{all_at_once, caused, curve, many, never};
use super::{Jitter, derived, stated};
use crate::scenario::{Entry, PeerGroup, Reach, Scenario};

/// Whether a packet of this group can carry a key that the table does not have, or not yet.
pub(super) fn can_be_unknown(group: &PeerGroup) -> bool {
    matches!(group.enters, Entry::Netmap { .. })
        || group.rotates_key_at.is_some()
        || group.removed_at.is_some()
}

/// The DISCO packets of every group.
pub(super) fn streams(scenario: &Scenario, jitter: Jitter) -> Vec<DiscoStream> {
    let mut streams = Vec::new();
    for group in &scenario.peers {
        let priority = u64::from(group.priority && group.count > 0);
        let bulk = u64::from(group.count) - priority;
        for (sender, members) in [(Sender::Priority, priority), (Sender::Known, bulk)] {
            if members > 0 {
                let part = Part { scenario, group, sender, members, jitter };
                streams.extend(part.streams());
            }
        }
    }
    streams
}

/// Members of a group whose packets the device tells apart from others.
struct Part<'a> {
    scenario: &'a Scenario,
    group: &'a PeerGroup,
    sender: Sender,
    members: u64,
    jitter: Jitter,
}

impl Part<'_> {
    fn streams(&self) -> Vec<DiscoStream> {
        let group = self.group;
        let of = |arrivals: &Option<_>| {
            arrivals.as_ref().map_or(never(), |it| curve(it, self.members, self.late()))
        };
        let calls = of(&group.call_me_maybe);
        let told = self.told();
        let pinged_back = group.answers_pings
            && group.reach == Reach::Direct
            && group.echoes_call_me_maybe.is_none();
        let prompted = if pinged_back { told } else { never() };
        let answered = self.scenario.config.rules.call_me_maybe_echo.is_strict();
        let after_calls =
            if pinged_back && !answered { caused(calls, self.depth(), 1) } else { never() };
        let pings = [
            ("pings", of(&group.pings), stated()),
            ("pings prompted by CallMeMaybe", prompted, because("WG-CMM-1")),
            ("pings prompted by answers", after_calls, because("WG-CMM-2")),
        ];
        let echoes = self.echoes(told, calls, answered);
        let calls = [("CallMeMaybe", calls, stated()), ("echoes", echoes, because("WG-CMM-2"))];
        let endpoints = group.call_me_maybe_endpoints;
        let call = DiscoKind::CallMeMaybe { endpoints };
        let mut streams = Vec::new();
        let pongs = self.pongs(&pings, &calls, endpoints);
        for (name, curve, ground) in pings {
            self.push(&mut streams, name, DiscoKind::Ping, curve, ground);
        }
        for (name, curve, ground) in calls {
            self.push(&mut streams, name, call, curve, ground);
        }
        for (name, curve) in pongs {
            self.push(&mut streams, name, DiscoKind::Pong, curve, because("WG-PING-1"));
        }
        streams
    }

    /// CallMeMaybe that the device tells these peers of its own accord.
    fn told(&self) -> Curve {
        let device = &self.scenario.device;
        let local = device.local_endpoint.is_some();
        let added = matches!(self.group.enters, Entry::Netmap { .. });
        let once = u64::from(added && (local || device.stun_at.is_some()));
        let count = self.members * (once + u64::from(device.stun_at.is_some()));
        if count == 0 { never() } else { all_at_once(count) }
    }

    /// An echo comes back one round trip and its delay after the one before, for ever unless the
    /// device does not answer.
    fn echoes(&self, told: Curve, calls: Curve, answered_by_pings: bool) -> Curve {
        let Some(delay) = self.group.echoes_call_me_maybe else { return never() };
        let first = models::bound::ever(told);
        let all = first.zip(models::bound::ever(calls)).map(|(told, calls)| told + calls);
        match all {
            Some(0) => never(),
            Some(_) if answered_by_pings => told,
            Some(tokens) => {
                let round = self.group.round_trip.plus(delay).as_nanos();
                let once = Curve::Limited {
                    burst: 1,
                    period_ns: round.max(1),
                    jitter_ns: self.late().as_nanos(),
                    total: None,
                };
                many(once, tokens)
            }
            None => Curve::Unlimited,
        }
    }

    fn pongs(
        &self,
        pings: &[(&'static str, Curve, Ground)],
        calls: &[(&'static str, Curve, Ground)],
        endpoints: u8,
    ) -> Vec<(&'static str, Curve)> {
        if !self.group.answers_pings {
            return Vec::new();
        }
        let added = matches!(self.group.enters, Entry::Netmap { .. });
        let mut pongs = vec![
            ("pongs to additions", if added { all_at_once(self.members) } else { never() }),
            ("pongs to timers", self.pongs_to_timers()),
        ];
        pongs.extend(
            pings.iter().map(|(_, curve, _)| ("pongs to answers", caused(*curve, self.depth(), 1))),
        );
        // A CallMeMaybe makes the device ping each place it names, and once more.
        let each = u64::from(endpoints.min(8)) + 1;
        pongs.extend(calls.iter().map(|(_, curve, _)| {
            ("pongs to pings of a CallMeMaybe", caused(*curve, self.depth(), each))
        }));
        pongs
    }

    /// Two ticks' pings may be answered close to each other.
    fn pongs_to_timers(&self) -> Curve {
        let config = &self.scenario.config;
        let period_ns = config.disco_tick.as_nanos();
        if !config.disco_enabled || period_ns == 0 {
            return if config.disco_enabled { Curve::Unlimited } else { never() };
        }
        let jitter_ns = self.late().as_nanos();
        many(Curve::Limited { burst: 2, period_ns, jitter_ns, total: None }, self.members)
    }

    fn push(
        &self,
        streams: &mut Vec<DiscoStream>,
        name: &str,
        kind: DiscoKind,
        curve: Curve,
        ground: Ground,
    ) {
        if curve == never() {
            return;
        }
        let stream = DiscoStream {
            name: format!("{name} of {}", self.group.name),
            sender: self.sender,
            kind,
            keys: Some(self.members),
            curve,
            ground,
        };
        if can_be_unknown(self.group) {
            streams.push(DiscoStream { sender: Sender::Unknown, ..stream.clone() });
        }
        streams.push(stream);
    }

    fn late(&self) -> Duration {
        match self.group.reach {
            Reach::Direct => self.jitter.socket,
            Reach::Derp => self.jitter.relay,
        }
    }

    fn depth(&self) -> u64 {
        self.scenario.config.disco_queue_depth.into()
    }
}

fn because(clause: &str) -> Ground {
    derived(&format!("{clause} and the scenario's peers"))
}
