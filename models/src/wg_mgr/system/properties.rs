//! What must hold of every run of the manager's closed system. Those that the shipped firmware breaks
//! are here as its clauses have them: a counterexample is what is to be found.
use super::actions::{Act, Happened};
use super::scene::{Arrival, Scene};
use super::state::State;
use super::{DEAD_AFTER_US, OPENS};
use crate::clause::Clause;
use crate::property::{Property, Rule};
use crate::wg_mgr::Clause as Id;

/// What the rules see of a transition.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    happened: Option<Happened>,
    opens: u8,
    now_us: u64,
    pong_shed_us: Option<u64>,
    broken: bool,
    pong_waits: bool,
    peers: usize,
}

impl Seen {
    pub(super) fn of(happened: Option<Happened>, after: &State) -> Self {
        Self {
            happened,
            opens: after.world.opens,
            now_us: after.world.now_us,
            pong_shed_us: after.world.pong_shed_us,
            pong_waits: after
                .queues
                .get()
                .disco
                .iter()
                .any(|packet| packet.kind == Arrival::Pong && packet.from == 0),
            broken: after.manager.get().broken_invariant().is_some(),
            peers: after.manager.get().peers().active(),
        }
    }

    /// How long the heartbeat had waited that was decrypted in this transition.
    pub fn wait_us(&self) -> Option<u64> {
        self.happened?.wait_us
    }

    fn did(&self, wanted: impl Fn(Happened) -> bool) -> bool {
        self.happened.is_some_and(wanted)
    }
}

fn always(
    name: &'static str,
    clause: Id,
    premise: Option<&'static str>,
    holds: fn(&Seen) -> bool,
) -> Property<Seen> {
    Property { name, clause: Clause::WgMgr(clause), rule: Rule::Always { holds, premise } }
}

fn sometimes(name: &'static str, clause: Id, holds: fn(&Seen) -> bool) -> Property<Seen> {
    Property { name, clause: Clause::WgMgr(clause), rule: Rule::Sometimes { holds } }
}

/// No more opens between two drains than the budget of a pass.
pub const DRAINED: &str = "no more boxes are opened between two drains than a pass may open";
/// A CallMeMaybe is not answered with one.
pub const NOT_ECHOED: &str = "a CallMeMaybe is not answered with one";
/// A pong is credited to the peer that sent it.
pub const CREDITED: &str = "a pong is credited to the peer that sent it";
/// The priority peer is not given up because its answers were shed.
pub const KEPT: &str = "the priority peer is not given up because its answers were shed";

/// The rules whose occasion the scene gives.
pub(super) fn properties(scene: &Scene) -> Vec<Property<Seen>> {
    let has = |kind| scene.budget(kind) > 0;
    let mut all = vec![
        always("what always holds of the manager holds", Id::Ord1, None, |seen| !seen.broken),
        always("the table holds no more peers than it has slots", Id::Cap1, None, |seen| {
            seen.peers <= 4
        }),
    ];
    if has(Arrival::Known) || has(Arrival::Priority) || has(Arrival::Stranger) {
        all.push(sometimes("a box is opened", Id::Disco1, |seen| seen.opens > 0));
        all.push(always(DRAINED, Id::Disco1, Some("a box is opened"), |seen| {
            u16::from(seen.opens) <= OPENS
        }));
    }
    if has(Arrival::Heartbeat) {
        all.push(sometimes("a heartbeat is served", Id::Q1, |seen| seen.wait_us().is_some()));
    }
    if has(Arrival::CallMeMaybe) {
        all.push(sometimes("a CallMeMaybe arrives", Id::Cmm2, |seen| {
            seen.did(|it| it.act == Act::Arrives(Arrival::CallMeMaybe, false))
        }));
        all.push(always(NOT_ECHOED, Id::Cmm2, Some("a CallMeMaybe arrives"), |seen| {
            !seen.did(|it| it.echoed)
        }));
    }
    if has(Arrival::Pong) {
        all.push(sometimes("a pong is credited", Id::Probe1, |seen| {
            seen.did(|it| it.credited.is_some())
        }));
        all.push(always(CREDITED, Id::Rem1, Some("a pong is credited"), |seen| {
            !seen.did(|it| it.credited == Some(false))
        }));
        all.push(always(KEPT, Id::Lease2, Some("a pong is credited"), |seen| {
            let since = seen.pong_shed_us.map(|shed| seen.now_us - shed);
            !seen.did(|it| it.given_up)
                || seen.pong_waits
                || since.is_none_or(|since| since > DEAD_AFTER_US)
        }));
    }
    all
}
