//! The manager's budget loop as a machine: the stages of a pass, the queues it serves, and what each
//! preset bounds.
//!
//! ```text
//!   asleep ─► pass_start ─► updates ◄─► after_add     tunnel, DISCO and update queues of 2,
//!     ▲                       ▼                       filled by the environment at any time
//!   timers ◄─ pass_end ◄─ disco ◄─► after_open
//!                           ▲
//!             store_flush ─► broadcast
//! ```
//!
//! Which stage follows which is asked of the core, [`Stage::next`] and [`Stage::after_add`], for every
//! preset with its own [`Config`]; so is where a pass begins, what counts against the open budget,
//! whether drains lie between items, and when flash is written. A changed core changes the machine,
//! its text for Spin and its numbers of states. A test drives the core itself and holds each change
//! of stage against the machine's.
//!
//! # Inside the bounds
//!
//! Queues of two; DISCO packets from unknown keys, and in [`Traffic::KnownKeys`] from known ones;
//! additions, and in [`Traffic::Removals`] removals; three peers to be told of our endpoints; a
//! shutdown at any time. The DISCO timers and the flush are due or not, as it pleases.
//!
//! # Outside
//!
//! Time and cost; what is in a packet; jobs that follow from one (they are done before anything else
//! is taken); peers, probes and keys; forged frames; the priority peer; the time limit of the DISCO
//! step. Budgets count what the core counts, up to one above the clauses' limits.
use firmware_core::time::Instant;
use firmware_core::wg_mgr::budget::Budget;
use firmware_core::wg_mgr::config::{Config, Flush, OpensExempt};
use firmware_core::wg_mgr::preset::Preset;
use firmware_core::wg_mgr::stage::{DiscoPass, DrainPoint, Scan, Stage};

use super::Clause as Id;
use crate::clause::Clause;
use crate::machine::{Expression, Machine, Variable, all, any, between, is, not, of};

/// What comes beside packets for the tunnel, DISCO packets from unknown keys, and additions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traffic {
    /// Nothing.
    Strangers,
    /// DISCO packets from known keys.
    KnownKeys,
    /// Removals of peers.
    Removals,
}

impl Traffic {
    /// Every one.
    pub const ALL: [Self; 3] = [Self::Strangers, Self::KnownKeys, Self::Removals];

    /// Its name in the name of a machine.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strangers => "strangers",
            Self::KnownKeys => "known_keys",
            Self::Removals => "removals",
        }
    }
}

/// Where the loop is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Place {
    /// Between two passes.
    Asleep,
    /// Drains the tunnel queue first.
    PassStart,
    /// Takes updates.
    Updates,
    /// Drains the tunnel queue after an addition.
    AfterAdd,
    /// Writes flash, if that is due.
    StoreFlush,
    /// Sends the broadcast.
    Broadcast,
    /// Takes DISCO packets.
    Disco,
    /// Drains the tunnel queue after an open.
    AfterOpen,
    /// Drains the tunnel queue last.
    PassEnd,
    /// Scans the timers.
    Timers,
    /// Shut down.
    Stopped,
}

const PLACES: &[&str] = &[
    "asleep",
    "pass_start",
    "updates",
    "after_add",
    "store_flush",
    "broadcast",
    "disco",
    "after_open",
    "pass_end",
    "timers",
    "stopped",
];

impl From<Place> for u8 {
    fn from(place: Place) -> Self {
        place as Self
    }
}

impl Place {
    /// Every place.
    pub const ALL: [Self; 11] = [
        Self::Asleep,
        Self::PassStart,
        Self::Updates,
        Self::AfterAdd,
        Self::StoreFlush,
        Self::Broadcast,
        Self::Disco,
        Self::AfterOpen,
        Self::PassEnd,
        Self::Timers,
        Self::Stopped,
    ];

    /// Where a core in this stage is.
    pub const fn of(stage: Stage) -> Self {
        match stage {
            Stage::Starting | Stage::Sleeping { .. } => Self::Asleep,
            Stage::TunnelDrain(DrainPoint::PassStart) => Self::PassStart,
            Stage::TunnelDrain(DrainPoint::AfterAdd { .. }) => Self::AfterAdd,
            Stage::TunnelDrain(DrainPoint::AfterOpen(_)) => Self::AfterOpen,
            Stage::TunnelDrain(DrainPoint::PassEnd) => Self::PassEnd,
            Stage::PeerUpdates { .. } => Self::Updates,
            Stage::StoreFlush => Self::StoreFlush,
            Stage::Broadcast { .. } => Self::Broadcast,
            Stage::Disco(_) => Self::Disco,
            // What only a manager with sessions of its own comes to is a part of its timers here.
            Stage::DiscoTimers(_)
            | Stage::TunnelTimers(_)
            | Stage::HomeCheck
            | Stage::TunnelDrain(DrainPoint::AfterDemotion(_)) => Self::Timers,
            Stage::Stopped => Self::Stopped,
        }
    }

    /// A core's stage at this place, with a budget that is spent or not.
    fn stage(self, spent: bool) -> Stage {
        let now = Instant::ZERO;
        let budget = Budget::full(Some(u16::from(!spent)));
        let pass = DiscoPass { opens: budget, since: now };
        match self {
            Self::Asleep => Stage::Sleeping { until: now },
            Self::PassStart => Stage::TunnelDrain(DrainPoint::PassStart),
            Self::Updates => Stage::PeerUpdates { adds: budget },
            Self::AfterAdd => Stage::TunnelDrain(DrainPoint::AfterAdd { adds: budget }),
            Self::StoreFlush => Stage::StoreFlush,
            Self::Broadcast => Stage::Broadcast { sends: budget },
            Self::Disco => Stage::Disco(pass),
            Self::AfterOpen => Stage::TunnelDrain(DrainPoint::AfterOpen(pass)),
            Self::PassEnd => Stage::TunnelDrain(DrainPoint::PassEnd),
            Self::Timers => Stage::DiscoTimers(Scan {
                tick: now,
                visited: 0,
                upgrades: budget,
                heartbeats: budget,
                demotions: budget,
                wakes: 0,
            }),
            Self::Stopped => Stage::Stopped,
        }
    }

    /// The place after this one, as the core has it.
    fn next(self, config: &Config, spent: bool) -> Self {
        Self::of(self.stage(spent).next(config, Instant::ZERO))
    }
}

/// Opens a pass that WG-DISCO-1 allows.
const OPENS: u8 = 4;
/// Additions a pass that WG-ADD-1 allows.
const ADDS: u8 = 4;
/// CallMeMaybe sends a pass that WG-CMM-1 allows.
const SENDS: u8 = 2;
/// Places in each queue.
const QUEUE: u8 = 2;
/// Peers that the broadcast has to tell.
const PEERS: u8 = 3;

const PACKETS: &[&str] = &["none", "unknown", "known"];
const UPDATES: &[&str] = &["none", "add", "remove"];
const FIRST_KIND: u8 = 1;
const SECOND_KIND: u8 = 2;

/// A queue of two, by what is in it.
#[derive(Clone, Copy)]
struct Queue {
    head: Variable,
    tail: Variable,
}

impl Queue {
    fn pop(self) -> Vec<(Variable, Expression)> {
        vec![(self.head, of(self.tail)), (self.tail, 0.into())]
    }
}

struct Parts {
    config: Config,
    place: Variable,
    tunnel: Variable,
    disco: Queue,
    updates: Queue,
    opened: Variable,
    added: Variable,
    sent: Variable,
    untold: Variable,
    dirty: Variable,
    drained: Variable,
    flushed: Variable,
    opened_since: Variable,
    added_since: Variable,
    shutdown: Variable,
}

/// The machine of a preset under this traffic.
pub fn machine(preset: Preset, traffic: Traffic) -> Machine {
    let plain = preset.name().to_lowercase().replace('-', "_");
    let mut machine = Machine::new(
        format!("wg_mgr_{plain}_{}", traffic.name()),
        &[
            "The budget loop of the manager: stages of a pass, queues of two, budgets and drains.",
            "`opened`, `added`, `sent` count in this pass; `drained`: the tunnel queue was seen",
            "empty in it; `..._since`: an item was served and the queue not drained since.",
        ],
    );
    let parts = Parts {
        config: preset.config(),
        place: machine.named("place", PLACES, Place::Asleep.into()),
        tunnel: machine.number("tunnel", QUEUE),
        disco: Queue {
            head: machine.named("disco", PACKETS, 0),
            tail: machine.named("disco_next", PACKETS, 0),
        },
        updates: Queue {
            head: machine.named("update", UPDATES, 0),
            tail: machine.named("update_next", UPDATES, 0),
        },
        opened: machine.number("opened", OPENS + 1),
        added: machine.number("added", ADDS + 1),
        sent: machine.number("sent", SENDS + 1),
        untold: machine.declare("untold", crate::machine::Values::UpTo(PEERS), PEERS),
        dirty: machine.number("dirty", 1),
        drained: machine.number("drained", 1),
        flushed: machine.number("flushed", 1),
        opened_since: machine.number("opened_since", 1),
        added_since: machine.number("added_since", 1),
        shutdown: machine.number("shutdown", 1),
    };
    pass(&mut machine, &parts);
    drains(&mut machine, &parts);
    take_updates(&mut machine, &parts);
    store_and_broadcast(&mut machine, &parts);
    take_disco(&mut machine, &parts);
    environment(&mut machine, &parts, traffic);
    claims(&mut machine, &parts);
    machine
}

impl Parts {
    /// The loop is at a place and may go on there: what must be saved at once is saved first.
    fn at(&self, place: Place) -> Expression {
        match self.config.flush {
            Flush::EachSave => all([is(self.place, place), is(self.dirty, 0)]),
            Flush::Every(_) => is(self.place, place),
        }
    }

    fn to(&self, place: Place) -> (Variable, Expression) {
        (self.place, u8::from(place).into())
    }

    /// Counts, up to one above what a clause allows.
    fn count(counter: Variable, limit: u8) -> (Variable, Expression) {
        (counter, of(counter).plus(1).at_most(limit + 1))
    }

    /// Whether a budget allows one more; `None` always does.
    fn allows(budget: Option<u16>, counter: Variable, limit: u8) -> Expression {
        match budget {
            None => Expression::All(Vec::new()),
            Some(most) => {
                let most = u8::try_from(most).unwrap_or(u8::MAX).min(limit + 1);
                of(counter).less(most)
            }
        }
    }

    fn adds_left(&self) -> Expression {
        Self::allows(self.config.adds_per_pass, self.added, ADDS)
    }

    fn opens_left(&self) -> Expression {
        Self::allows(self.config.opens_per_pass, self.opened, OPENS)
    }

    fn clear(variables: &[Variable]) -> Vec<(Variable, Expression)> {
        variables.iter().map(|&variable| (variable, 0.into())).collect()
    }
}

/// Where a pass begins and ends.
fn pass(machine: &mut Machine, parts: &Parts) {
    let mut begin = Parts::clear(&[
        parts.opened,
        parts.added,
        parts.sent,
        parts.drained,
        parts.flushed,
        parts.opened_since,
        parts.added_since,
    ]);
    begin.push(parts.to(Place::of(Stage::first(&parts.config))));
    let wakes = |shutdown: u8| all([parts.at(Place::Asleep), is(parts.shutdown, shutdown)]);
    machine.rule("wake", &[], wakes(0), begin);
    machine.rule("stop", &[], wakes(1), vec![parts.to(Place::Stopped)]);
    let next = Place::Timers.next(&parts.config, false);
    machine.rule("timers done", &[], parts.at(Place::Timers), vec![parts.to(next)]);
}

/// The drains of the tunnel queue, and where each goes on.
fn drains(machine: &mut Machine, parts: &Parts) {
    for place in [Place::PassStart, Place::AfterAdd, Place::AfterOpen, Place::PassEnd] {
        let name = PLACES[usize::from(u8::from(place))];
        let waits = all([parts.at(place), not(is(parts.tunnel, 0))]);
        let take = vec![(parts.tunnel, of(parts.tunnel).minus(1))];
        machine.rule(format!("{name} takes a packet"), &["tunnel"], waits, take);
        let empty = all([parts.at(place), is(parts.tunnel, 0)]);
        let mut on = |name: String, when: Expression, next: Place| {
            let mut updates = vec![(parts.drained, 1.into())];
            updates.extend(Parts::clear(&[parts.opened_since, parts.added_since]));
            updates.push(parts.to(next));
            machine.rule(name, &[], all([empty.clone(), when]), updates);
        };
        let always = Expression::All(Vec::new());
        match (place.next(&parts.config, false), place.next(&parts.config, true)) {
            (Place::Timers, _) => {
                let skipped = Place::Timers.next(&parts.config, false);
                on(format!("{name} over, timers due"), always.clone(), Place::Timers);
                on(format!("{name} over"), always, skipped);
            }
            (next, spent) if next == spent => on(format!("{name} over"), always, next),
            (next, spent) => {
                on(format!("{name} over"), parts.adds_left(), next);
                on(format!("{name} over, budget spent"), not(parts.adds_left()), spent);
            }
        }
    }
}

fn take_updates(machine: &mut Machine, parts: &Parts) {
    let head = |kind: u8| all([parts.at(Place::Updates), is(parts.updates.head, kind)]);
    let mut add = parts.updates.pop();
    add.extend([
        Parts::count(parts.added, ADDS),
        (parts.dirty, 1.into()),
        (parts.added_since, 1.into()),
    ]);
    let events = ["add", "take"];
    if parts.config.interleave {
        add.push(parts.to(Place::AfterAdd));
        machine.rule("add a peer", &events, head(FIRST_KIND), add);
    } else {
        let after = |spent: bool| {
            let budget = Budget::full(Some(u16::from(!spent)));
            Place::of(Stage::after_add(budget))
        };
        // The budget is asked after the addition.
        let left = match parts.config.adds_per_pass {
            None => Expression::All(Vec::new()),
            Some(_) => Parts::allows(
                parts.config.adds_per_pass.map(|most| most.saturating_sub(1)),
                parts.added,
                ADDS,
            ),
        };
        let mut last = add.clone();
        last.push(parts.to(after(true)));
        add.push(parts.to(after(false)));
        let more = all([head(FIRST_KIND), left.clone()]);
        machine.rule("add a peer", &events, more, add);
        machine.rule("add the last peer", &events, all([head(FIRST_KIND), not(left)]), last);
    }
    machine.rule("remove a peer", &["take"], head(SECOND_KIND), parts.updates.pop());
    let next = Place::Updates.next(&parts.config, false);
    machine.rule("no more updates", &[], head(0), vec![parts.to(next)]);
}

fn store_and_broadcast(machine: &mut Machine, parts: &Parts) {
    let written = vec![(parts.dirty, 0.into()), (parts.flushed, 1.into())];
    let next = parts.to(Place::StoreFlush.next(&parts.config, false));
    match parts.config.flush {
        Flush::EachSave => {
            machine.rule("write flash at once", &["flush"], is(parts.dirty, 1), written);
        }
        Flush::Every(_) => {
            let mut updates = written;
            updates.push(next.clone());
            let due = all([parts.at(Place::StoreFlush), is(parts.dirty, 1)]);
            machine.rule("write flash", &["flush"], due, updates);
        }
    }
    machine.rule("flash not due", &[], parts.at(Place::StoreFlush), vec![next]);

    let left = all([
        not(is(parts.untold, 0)),
        Parts::allows(parts.config.call_me_maybe_sends_per_pass, parts.sent, SENDS),
    ]);
    let here = |it: Expression| all([parts.at(Place::Broadcast), it]);
    let send = vec![(parts.untold, of(parts.untold).minus(1)), Parts::count(parts.sent, SENDS)];
    machine.rule("tell a peer", &["send"], here(left.clone()), send);
    let next = Place::Broadcast.next(&parts.config, false);
    machine.rule("broadcast over", &[], here(not(left)), vec![parts.to(next)]);
}

fn take_disco(machine: &mut Machine, parts: &Parts) {
    let head = |kind: u8| is(parts.disco.head, kind);
    let here = |it: Expression| all([parts.at(Place::Disco), it]);
    let takes = |kind: u8| here(all([parts.opens_left(), head(kind)]));
    let counted = || {
        let mut updates = parts.disco.pop();
        updates.push(Parts::count(parts.opened, OPENS));
        updates
    };
    let mut unknown = counted();
    unknown.push((parts.opened_since, 1.into()));
    if parts.config.interleave {
        unknown.push(parts.to(Place::AfterOpen));
    }
    machine.rule("open of an unknown key", &["open", "take"], takes(FIRST_KIND), unknown);
    let known = match parts.config.opens_exempt {
        OpensExempt::PriorityPeer => counted(),
        OpensExempt::KnownKeys => parts.disco.pop(),
    };
    machine.rule("open of a known key", &["take"], takes(SECOND_KIND), known);
    let over = here(any([not(parts.opens_left()), head(0)]));
    let next = Place::Disco.next(&parts.config, false);
    machine.rule("DISCO over", &[], over, vec![parts.to(next)]);
}

fn environment(machine: &mut Machine, parts: &Parts, traffic: Traffic) {
    let runs = not(is(parts.place, Place::Stopped));
    let room = all([runs.clone(), of(parts.tunnel).less(QUEUE)]);
    let one_more = vec![(parts.tunnel, of(parts.tunnel).plus(1))];
    machine.rule("environment sends a tunnel packet", &[], room, one_more);
    let mut put = |what: &str, queue: Queue, kind: u8| {
        let first = all([runs.clone(), is(queue.head, 0)]);
        let alone = vec![(queue.head, kind.into())];
        machine.rule(format!("environment {what}"), &[], first, alone);
        let second = all([runs.clone(), not(is(queue.head, 0)), is(queue.tail, 0)]);
        let behind = vec![(queue.tail, kind.into())];
        machine.rule(format!("environment {what} behind"), &[], second, behind);
    };
    put("sends from an unknown key", parts.disco, FIRST_KIND);
    put("adds a peer", parts.updates, FIRST_KIND);
    match traffic {
        Traffic::Strangers => {}
        Traffic::KnownKeys => put("sends from a known key", parts.disco, SECOND_KIND),
        Traffic::Removals => put("removes a peer", parts.updates, SECOND_KIND),
    }
    let asks = all([runs, is(parts.shutdown, 0)]);
    machine.rule("environment shuts down", &[], asks, vec![(parts.shutdown, 1.into())]);
}

const fn id(id: Id) -> Clause {
    Clause::WgMgr(id)
}

fn claims(machine: &mut Machine, parts: &Parts) {
    let below = |counter: Variable, limit: u8| of(counter).less(limit);
    let opens = below(parts.opened, OPENS);
    machine.on("at most 4 boxes are opened in a pass", id(Id::Disco1), "open", opens);
    let adds = below(parts.added, ADDS);
    machine.on("at most 4 peers are added in a pass", id(Id::Add1), "add", adds);
    let sends = below(parts.sent, SENDS);
    machine.on("at most 2 peers are told in a pass", id(Id::Cmm1), "send", sends);
    let fresh = is(parts.opened_since, 0);
    machine.on("the tunnel queue is drained between two opens", id(Id::Q2), "open", fresh);
    let fresh = is(parts.added_since, 0);
    machine.on("the tunnel queue is drained between two additions", id(Id::Q2), "add", fresh);
    let first = is(parts.drained, 1);
    machine.on("the tunnel queue is served before the others", id(Id::Ord1), "take", first);
    let once = is(parts.flushed, 0);
    machine.on("flash is written once a pass at most", id(Id::Nvs1), "flush", once);

    let drains = [Place::PassStart, Place::AfterAdd, Place::AfterOpen, Place::PassEnd];
    let served = drains.into_iter().chain([Place::Stopped]).map(u8::from);
    let waits = not(is(parts.tunnel, 0));
    let served = between(parts.place, served);
    machine.leads("a tunnel packet is served some day", id(Id::Q1), waits, served);
    let stops = is(parts.place, Place::Stopped);
    let asked = is(parts.shutdown, 1);
    machine.leads("a shutdown is followed some day", id(Id::Shut1), asked, stops);
}
