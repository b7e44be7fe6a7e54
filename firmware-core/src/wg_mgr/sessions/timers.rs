//! The tunnel's timers: every 400 ms a look at every slot, with no drain in it.
//!
//! ```text
//!   slot 0, 1, 2 …  ─► current key pair over?     destroyed
//!                   ─► 25 s since we sent?        keepalive, if there is a session to send in
//!                   ─► 5 s since the last one, and
//!                      renewal asked | theirs 155 s old | none and active?   initiation, 2 X
//! ```
//!
//! Nothing bounds how many initiations one look sends, and no timer ends them (WG-HS-2).
//!
//! Clauses: WG-HS-2, WG-HS-3.
use super::super::WgMgr;
use super::super::config::Config;
use super::super::output::{InitiationReason, Note, Outputs};
use super::super::stage::{Look, Stage};
use super::Tunnel;
use crate::time::Instant;
use crate::wake::Wake;

impl<const PEERS: usize, const KEYS: usize, const PROBES: usize> WgMgr<PEERS, KEYS, PROBES> {
    /// Goes on with a look at all slots from the one in `look` on, to the next thing that is due or
    /// to its end.
    pub(in super::super) fn tunnel_timers_on(
        &mut self,
        now: Instant,
        mut look: Look,
    ) -> Option<Outputs> {
        while look.slot < self.sessions.len() {
            if let Some((outputs, next)) = self.look_at(now, look) {
                self.stage = Stage::TunnelTimers(next);
                return Some(Outputs { wake: Some(Wake::now(now)), ..outputs });
            }
            look = look.past();
        }
        self.leave(now);
        None
    }

    /// The first thing that is due in a slot, and where the look goes on: each thing is done at
    /// most once a look, whatever the configuration.
    fn look_at(&mut self, now: Instant, look: Look) -> Option<(Outputs, Look)> {
        let slot = u8::try_from(look.slot).ok()?;
        let config = &self.config;
        let tunnel = self.sessions.get_mut(slot)?;
        let peer = tunnel.peer;
        if config.rules.previous_keypair.is_strict() {
            tunnel.previous.take_if(|pair| pair.is_over(now, config));
        }
        if tunnel.current.take_if(|pair| pair.is_over(now, config)).is_some() {
            return Some((noted(Note::SessionDown(peer)), look));
        }
        if !look.kept_alive
            && keepalive_due(tunnel, now, config)
            && let Some(outputs) = self.keepalive(now, peer)
        {
            return Some((outputs, Look { kept_alive: true, ..look }));
        }
        let config = &self.config;
        let tunnel = self.sessions.get_mut(slot)?;
        let why = initiation_due(tunnel, now, config)?;
        if let Some(limit) = config.initiation_give_up
            && tunnel.unanswered_since.is_some_and(|first| now.since(first) >= limit)
        {
            tunnel.active = false;
            tunnel.renewal_asked = false;
            tunnel.unanswered_since = None;
            tunnel.pending = None;
            return Some((noted(Note::InitiationsGivenUp(peer)), look.past()));
        }
        self.initiate(now, peer, why).map(|outputs| (outputs, look.past()))
    }
}

impl Look {
    /// The next slot.
    fn past(self) -> Self {
        Self { slot: self.slot + 1, kept_alive: false }
    }
}

fn noted(note: Note) -> Outputs {
    let mut outputs = Outputs::none();
    outputs.note(note);
    outputs
}

/// Whether we were silent for long in a session. A previous key pair asks for it too, and has then
/// nothing to send it with.
fn keepalive_due(tunnel: &Tunnel, now: Instant, config: &Config) -> bool {
    let there_is_one = tunnel.current.is_some() || tunnel.previous.is_some();
    there_is_one && tunnel.last_sent.is_none_or(|last| now.since(last) >= config.keepalive)
}

/// Why an initiation is due, if it is.
fn initiation_due(tunnel: &Tunnel, now: Instant, config: &Config) -> Option<InitiationReason> {
    if tunnel.last_initiation.is_some_and(|last| now.since(last) < config.rekey_timeout) {
        return None;
    }
    let theirs_is_old =
        |pair: &super::Keypair| !pair.initiator && pair.is_older(now, config.renew_after());
    match &tunnel.current {
        _ if tunnel.renewal_asked => Some(InitiationReason::Rekey),
        Some(pair) => theirs_is_old(pair).then_some(InitiationReason::Renew),
        None => tunnel.active.then_some(InitiationReason::Retry),
    }
}
