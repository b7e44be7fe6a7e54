//! What must hold of every run of the closed system: one rule, one clause.
//!
//! A rule that looks at how a READ ended holds the client's judgement against [`Truth`], which the
//! model knows because it made the reply. A reply that was interrupted (given up, refused, touched by
//! a fault) may be judged worse than it was, never better.
use firmware_core::m3_read::config::{Blocks, Config};
use firmware_core::m3_read::copy::Hole;
use firmware_core::m3_read::error_code::ErrorCode;
use firmware_core::m3_read::handshake::State as Phase;
use firmware_core::m3_read::invariants::Invariant;
use firmware_core::m3_read::output::{CloseOutcome, Death, Ending, PollOutcome};
use firmware_core::m3_read::ownership::{Connection, Ownership};
use firmware_core::m3_read::preset::Arm;
use firmware_core::time::Duration;

use super::actions::{Act, Effect, Happened, Written};
use super::replies::{Kind, Truth};
use super::state::{State, Told, WaitsFor, World};
use super::{BOUNDS, Bounds, REQUEST_UNITS_MAX};
use crate::clause::Clause;
use crate::m3_read::Clause as Id;
use crate::property::{EVENTUALLY, Property, Rule};

/// What the rules see of a transition.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    act: Option<Act>,
    effect: Effect,
    /// What the model kept before the transition; of the state itself at the beginning.
    before: World,
    after: World,
    error_before: ErrorCode,
    error: ErrorCode,
    connection: Connection,
    ownership: Ownership,
    broken: Option<Invariant>,
    request_max: u16,
    two_blocks: bool,
    session_open: bool,
}

impl Seen {
    pub(super) fn of(step: Option<(&State, Happened)>, after: &State, config: &Config) -> Self {
        let before = step.map_or(after, |(before, _)| before);
        Self {
            act: step.map(|(_, happened)| happened.act),
            effect: step.map(|(_, happened)| happened.effect).unwrap_or_default(),
            before: before.world,
            after: after.world,
            error_before: before.client.last_error(),
            error: after.client.last_error(),
            connection: after.client.connection(),
            ownership: after.client.ownership(),
            broken: after.client.broken_invariant(),
            request_max: config.request_max,
            two_blocks: config.blocks == Blocks::Two,
            session_open: after.responder.get().sessions().iter().next().is_some(),
        }
    }

    /// Units since the client last rested, the transition included.
    pub(super) fn clock(&self) -> u16 {
        self.after_clock().clock
    }

    fn wrote(&self) -> Option<Written> {
        self.effect.wrote.map(|wrote| wrote.what)
    }

    fn truth(&self) -> Truth {
        self.before.truth
    }

    /// How a READ ended that went over the bus and was not interrupted.
    fn judged(&self) -> Option<PollOutcome> {
        self.effect.polled.filter(|outcome| {
            !self.before.disturbed
                && !matches!(
                    outcome,
                    PollOutcome::TimedOut(_)
                        | PollOutcome::Wedged
                        | PollOutcome::Rejected
                        | PollOutcome::End
                        | PollOutcome::Full
                )
        })
    }

    /// Whether a READ of a reply of this kind ended in one of these ways, if it was judged at all.
    fn is_judged(&self, kind: Kind, right: impl Fn(PollOutcome) -> bool) -> bool {
        self.truth().kind != kind || self.judged().is_none_or(right)
    }

    fn pushed_read(&self) -> bool {
        matches!(self.wrote(), Some(Written::Push { number: 0x10, .. }))
    }

    fn ends(&self, wanted: impl Fn(PollOutcome) -> bool) -> bool {
        self.effect.polled.is_some_and(wanted)
    }

    fn wedges(&self) -> bool {
        self.ends(|outcome| outcome == PollOutcome::Wedged)
            || self.effect.closed == Some(CloseOutcome::Wedged)
    }

    /// Units that were waited for a block that was then given up; and whether it was a continuation.
    fn gave_up(&self) -> Option<(u16, bool)> {
        match self.wrote() {
            Some(Written::Abort { waited: Some(waited) }) => {
                Some((waited, self.before.waits_for == WaitsFor::Continuation))
            }
            _ => None,
        }
    }

    /// What the model kept before the transition, with the clock as the transition found it.
    fn after_clock(&self) -> World {
        let late = match self.act {
            Some(Act::Clock(units)) => units,
            _ => 0,
        };
        World { clock: self.before.clock + late, ..self.before }
    }

    fn accepts(&self) -> Option<(Phase, bool, bool)> {
        match self.wrote() {
            Some(Written::Accept { on, unread, owed }) => Some((on, unread, owed)),
            _ => None,
        }
    }

    fn starts(&self) -> bool {
        matches!(self.act, Some(Act::Poll | Act::Close))
    }
}

/// A question to a transition.
type Ask = fn(&Seen) -> bool;

/// Labels of transitions, one bit each, for tools that know nothing of this system.
pub struct Label;

impl Label {
    /// An accept over a hole.
    pub const OVER_HOLE: u32 = 1;
    /// An accept with bytes unread.
    pub const UNREAD: u32 = 1 << 1;
    /// A byte that is not the next of the stream.
    pub const OUT_OF_ORDER: u32 = 1 << 2;
    /// Several strobes in one write.
    pub const SEVERAL: u32 = 1 << 3;
    /// A write while an abort is pending.
    pub const WHILE_ABORTING: u32 = 1 << 4;
    /// The client has read and accepted that its handle is gone, or another's.
    pub const GONE: u32 = 1 << 5;
    /// A push that names a handle.
    pub const NAMES_HANDLE: u32 = 1 << 6;
    /// The interface is given up as wedged.
    pub const WEDGED: u32 = 1 << 7;
    /// Any write.
    pub const WRITES: u32 = 1 << 8;
    /// A request begins.
    pub const STARTS: u32 = 1 << 9;
    /// The client rests.
    pub const RESTS: u32 = 1 << 10;
    /// A byte goes to the ring.
    pub const STORES: u32 = 1 << 11;
}

impl Seen {
    /// The labels of this transition.
    pub fn labels(&self) -> u32 {
        let over_hole = self
            .accepts()
            .is_some_and(|(on, _, owed)| on == Phase::DataMore && !(owed && self.two_blocks));
        let gone = |told| matches!(told, Told::Gone | Told::NotOurs);
        let names = matches!(self.wrote(), Some(Written::Push { handle: Some(_), .. }));
        let bits = [
            (over_hole, Label::OVER_HOLE),
            (self.accepts().is_some_and(|(_, unread, _)| unread), Label::UNREAD),
            (self.effect.stored == Some(false), Label::OUT_OF_ORDER),
            (matches!(self.wrote(), Some(Written::Several(_))), Label::SEVERAL),
            (self.effect.wrote.is_some_and(|wrote| wrote.while_aborting), Label::WHILE_ABORTING),
            (gone(self.after.told) && !gone(self.before.told), Label::GONE),
            (names, Label::NAMES_HANDLE),
            (self.wedges(), Label::WEDGED),
            (self.wrote().is_some(), Label::WRITES),
            (self.starts(), Label::STARTS),
            (self.after.outstanding.is_none(), Label::RESTS),
            (self.effect.stored.is_some(), Label::STORES),
        ];
        bits.into_iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum()
    }
}

fn always(
    name: &'static str,
    clause: Id,
    premise: Option<&'static str>,
    holds: Ask,
) -> Property<Seen> {
    Property { name, clause: Clause::M3Read(clause), rule: Rule::Always { holds, premise } }
}

fn sometimes(name: &'static str, clause: Id, holds: Ask) -> Property<Seen> {
    Property { name, clause: Clause::M3Read(clause), rule: Rule::Sometimes { holds } }
}

fn never_again(name: &'static str, clause: Id, once: Ask, never: Ask) -> Property<Seen> {
    Property { name, clause: Clause::M3Read(clause), rule: Rule::NeverAgain { once, never } }
}

/// The rules for an arm within bounds: what cannot occur there has no rule.
pub(super) fn properties(arm: Arm, bounds: Bounds) -> Vec<Property<Seen>> {
    if bounds.still_clock {
        return still();
    }
    let mut all = blocks();
    all.extend(ends());
    all.extend(handles());
    all.extend(times());
    all.extend(occasions());
    if arm.config().blocks == Blocks::Two {
        all.extend(continuations());
    }
    let mut without: Vec<&str> = Vec::new();
    if bounds.legal_only {
        without.extend([HOLED, ENDS_01, ENDS_05, STICKY, NOT_OURS, EMPTY]);
    }
    if bounds.faults == 0 {
        without.push(REFUSED);
    }
    all.retain(|property| {
        let premise = match &property.rule {
            Rule::Always { premise, .. } => *premise,
            Rule::Sometimes { .. } | Rule::Within { .. } | Rule::NeverAgain { .. } => None,
        };
        !without.contains(&property.name) && premise.is_none_or(|it| !without.contains(&it))
    });
    all
}

const HOLED: &str = "a hole is found";
const REFUSED: &str = "a push is refused";
const ENDS_01: &str = "a stream ends with 01";
const ENDS_05: &str = "a stream ends with 05";
const STICKY: &str = "a session dies and stays ours";
const NOT_OURS: &str = "a handle is not ours";
const EMPTY: &str = "a reply is empty";
const DATA: &str = "a READ brings data";
const ACCEPTED: &str = "a block is accepted";
const CONTINUED: &str = "a continuation is accepted";
const IDLE: &str = "a READ finds nothing yet";
const GAVE_UP: &str = "a block is given up";
const WEDGED: &str = "the interface wedges";

/// Blocks, accepts and bytes.
fn blocks() -> Vec<Property<Seen>> {
    vec![
        always("nothing is accepted over a hole", Id::Er5, Some(ACCEPTED), |seen| {
            let over = seen.truth().announced > seen.request_max;
            seen.accepts().is_none_or(|(on, _, owed)| {
                on != Phase::DataMore || (owed && seen.two_blocks && !over)
            })
        }),
        always(
            "a block is read to its end before it is accepted",
            Id::Er5,
            Some(ACCEPTED),
            |seen| seen.accepts().is_none_or(|(_, unread, _)| !unread),
        ),
        always(
            "every byte is the next of the stream, at the next place",
            Id::S2012,
            Some(DATA),
            |seen| seen.effect.stored != Some(false),
        ),
        always("data are reported only of a whole reply, all of it", Id::Er5, Some(DATA), |seen| {
            seen.effect.polled.is_none_or(|outcome| match outcome {
                PollOutcome::Data(bytes) => {
                    let Truth { kind, announced, .. } = seen.truth();
                    kind == Kind::Whole && bytes == announced && bytes == seen.before.of_reply
                }
                _ => true,
            })
        }),
        always("a whole reply is never refused", Id::S2012, Some(DATA), |seen| {
            seen.is_judged(Kind::Whole, |outcome| matches!(outcome, PollOutcome::Data(_)))
        }),
        always("a reply with a hole is never taken", Id::Er5, Some(HOLED), |seen| {
            seen.is_judged(Kind::Holed, |outcome| matches!(outcome, PollOutcome::Hole(_)))
        }),
        always(
            "a READ asks for all that the ring and the arm allow",
            Id::S2012,
            Some(DATA),
            |seen| match seen.wrote() {
                Some(Written::Push { number: 0x10, length, .. }) => {
                    length == Some(seen.request_max)
                }
                _ => true,
            },
        ),
        always(
            "each end leaves the code that the table of codes has for it",
            Id::ClientRules,
            Some(DATA),
            |seen| {
                seen.effect
                    .polled
                    .is_none_or(|outcome| code(outcome).is_none_or(|code| seen.error == code))
            },
        ),
        sometimes(DATA, Id::S2012, |seen| seen.ends(|it| matches!(it, PollOutcome::Data(_)))),
        sometimes(ACCEPTED, Id::Er5, |seen| seen.accepts().is_some()),
        sometimes(HOLED, Id::Er5, |seen| seen.ends(|it| matches!(it, PollOutcome::Hole(_)))),
    ]
}

/// The client's table of codes; none where the last error stays as it was.
fn code(outcome: PollOutcome) -> Option<ErrorCode> {
    match outcome {
        PollOutcome::Data(_)
        | PollOutcome::Idle
        | PollOutcome::Full
        | PollOutcome::End
        | PollOutcome::Gone(_) => None,
        PollOutcome::NotOurs | PollOutcome::DeadOwned(Death::StickyEnd) => {
            Some(ErrorCode::StreamLost)
        }
        PollOutcome::DeadOwned(Death::NoHeader | Death::HalfHeader) => {
            Some(ErrorCode::BadReadHeader)
        }
        PollOutcome::Hole(hole) => Some(match hole {
            Hole::ShortBlock
            | Hole::MoreAfterShortBlock
            | Hole::MoreNotTaken
            | Hole::ShortContinuation
            | Hole::SecondMore => ErrorCode::ShortRead,
            Hole::HeaderOverRequest
            | Hole::BytesPastHeader
            | Hole::UnowedMore
            | Hole::BlockNeverEnds
            | Hole::BytesAfterEnd => ErrorCode::BadReadHeader,
        }),
        PollOutcome::TimedOut(_) | PollOutcome::Wedged => Some(ErrorCode::WaitTimeout),
        PollOutcome::Rejected => Some(ErrorCode::ReadFailed),
    }
}

/// How a stream ends.
fn ends() -> Vec<Property<Seen>> {
    vec![
        always("only the exact line is idle", Id::Er7, Some(IDLE), |seen| {
            !seen.ends(|it| it == PollOutcome::Idle) || seen.truth().kind == Kind::Idle
        }),
        always("the idle line keeps the connection", Id::Er7, Some(IDLE), |seen| {
            seen.is_judged(Kind::Idle, |outcome| outcome == PollOutcome::Idle)
                && (!seen.ends(|it| it == PollOutcome::Idle)
                    || seen.connection == Connection::Connected)
        }),
        always("any other line with $FFFF gives the handle up", Id::Er7, Some(NOT_OURS), |seen| {
            seen.is_judged(Kind::NotOurs, |outcome| outcome == PollOutcome::NotOurs)
                && (seen.after.told != Told::NotOurs
                    || seen.effect.polled.is_none()
                    || seen.ownership == Ownership::Nothing)
        }),
        always("an empty reply is not an end", Id::Er12, Some(EMPTY), |seen| {
            seen.is_judged(Kind::Empty, |it| it == PollOutcome::DeadOwned(Death::NoHeader))
                && seen.is_judged(Kind::HalfHeader, |it| {
                    it == PollOutcome::DeadOwned(Death::HalfHeader)
                })
        }),
        always("01 ends the stream and leaves no error", Id::S1_6, Some(ENDS_01), |seen| {
            seen.is_judged(Kind::EndedClean, |it| {
                it == PollOutcome::Gone(Ending::Clean) && seen.error == seen.error_before
            })
        }),
        always("05 ends the stream and leaves no error", Id::S1_6, Some(ENDS_05), |seen| {
            seen.is_judged(Kind::EndedWithoutNotify, |it| {
                it == PollOutcome::Gone(Ending::WithoutNotify) && seen.error == seen.error_before
            })
        }),
        always("any other end leaves the session ours to close", Id::S1_6, Some(STICKY), |seen| {
            seen.is_judged(Kind::Sticky, |it| {
                it == PollOutcome::DeadOwned(Death::StickyEnd)
                    && seen.ownership != Ownership::Nothing
            })
        }),
    ]
}

/// Handles, and who closes.
fn handles() -> Vec<Property<Seen>> {
    vec![
        always("a handle that is gone is never named again", Id::S1_6M10, Some(ENDS_01), |seen| {
            match seen.wrote() {
                Some(Written::Push { handle: Some(_), .. }) => {
                    !matches!(seen.before.told, Told::Gone | Told::NotOurs)
                }
                _ => true,
            }
        }),
        always("a session that is ours is closed", Id::S1_6, Some("a session is closed"), |seen| {
            seen.effect.closed != Some(CloseOutcome::NothingOwned)
                || seen.before.close_pushed
                || matches!(seen.before.told, Told::Gone | Told::NotOurs)
        }),
        always("a command names the session's own handle, be it 0", Id::Er9, Some(DATA), |seen| {
            match seen.wrote() {
                Some(Written::Push { handle: Some(handle), .. }) => handle == 0,
                _ => true,
            }
        }),
        always(
            "an aborted CLOSE has completed",
            Id::S1_1Others,
            Some("a CLOSE is aborted"),
            |seen| {
                seen.effect.closed != Some(CloseOutcome::Aborted)
                    || seen.ownership == Ownership::Nothing
            },
        ),
        always("a refused push is no reply", Id::ClientRules, Some(REFUSED), |seen| {
            !seen.ends(|it| it == PollOutcome::Rejected) || seen.before.of_reply == 0
        }),
        always("a refused CLOSE is pushed once more", Id::ClientRules, Some(REFUSED), |seen| {
            seen.effect.closed != Some(CloseOutcome::Rejected) || seen.before.refusals >= 2
        }),
        always("what was closed is closed", Id::S1_6, Some("a session is closed"), |seen| {
            seen.effect.closed != Some(CloseOutcome::Closed) || !seen.session_open
        }),
        always("what always holds of the client holds", Id::ClientRules, None, |seen| {
            seen.broken.is_none()
        }),
        never_again(
            "a connection that has ended is not read again",
            Id::S1_1M2,
            |seen| seen.effect.polled.is_some() && seen.connection != Connection::Connected,
            Seen::pushed_read,
        ),
        never_again(
            "a READ that was given up or had a hole has ended the connection",
            Id::S1_1M2,
            |seen| {
                seen.ends(|it| {
                    matches!(
                        it,
                        PollOutcome::TimedOut(_) | PollOutcome::Hole(_) | PollOutcome::DeadOwned(_)
                    )
                })
            },
            |seen| seen.pushed_read() || seen.connection == Connection::Connected,
        ),
        never_again("a wedged interface is never written to", Id::Er11, Seen::wedges, |seen| {
            seen.effect.wrote.is_some()
        }),
    ]
}

/// Waits, aborts and the order of strobes.
fn times() -> Vec<Property<Seen>> {
    let limit = Duration::from_millis(REQUEST_UNITS_MAX.into());
    let (trigger, goal): (Ask, Ask) = (Seen::starts, |seen| seen.after.outstanding.is_none());
    let within = |name, limit| Property {
        name,
        clause: Clause::M3Read(Id::Er1),
        rule: Rule::Within { limit, trigger, goal },
    };
    vec![
        within("every request ends in time", limit),
        within("every request ends", EVENTUALLY),
        always("no block is given up before its time", Id::Er1, Some(GAVE_UP), |seen| {
            seen.gave_up().is_none_or(|(waited, more)| more || waited >= BOUNDS.command)
        }),
        always("a block that does not come is given up in time", Id::Er1, Some(GAVE_UP), |seen| {
            seen.gave_up().is_none_or(|(waited, _)| waited <= BOUNDS.command + 1)
        }),
        always(
            "an abort is given its whole time before the wedge",
            Id::Er1,
            Some(WEDGED),
            |seen| {
                let World { clock, wait_from, pushed_at, waits_for, .. } = seen.after_clock();
                let since = |from: Option<u16>| clock - from.unwrap_or(0);
                !seen.wedges()
                    || waits_for != WaitsFor::Abort
                    || (since(wait_from) >= BOUNDS.post_abort
                        && (pushed_at.is_none() || since(pushed_at) >= BOUNDS.command))
            },
        ),
        always(
            "nothing is written while an abort is pending",
            Id::AppA,
            Some("an abort is written"),
            |seen| seen.effect.wrote.is_none_or(|wrote| !wrote.while_aborting),
        ),
        always(
            "every strobe is a write of its own",
            Id::AppA,
            Some("an abort is written"),
            |seen| !matches!(seen.wrote(), Some(Written::Several(_))),
        ),
    ]
}

/// What shows that the rules above had their occasion.
fn occasions() -> Vec<Property<Seen>> {
    vec![
        sometimes(IDLE, Id::Er7, |seen| seen.ends(|it| it == PollOutcome::Idle)),
        sometimes(NOT_OURS, Id::Er7, |seen| seen.ends(|it| it == PollOutcome::NotOurs)),
        sometimes(EMPTY, Id::Er12, |seen| {
            seen.ends(|it| it == PollOutcome::DeadOwned(Death::NoHeader))
        }),
        sometimes(ENDS_01, Id::S1_6, |seen| seen.ends(|it| it == PollOutcome::Gone(Ending::Clean))),
        sometimes(ENDS_05, Id::S1_6, |seen| {
            seen.ends(|it| it == PollOutcome::Gone(Ending::WithoutNotify))
        }),
        sometimes(STICKY, Id::S1_6, |seen| {
            seen.ends(|it| it == PollOutcome::DeadOwned(Death::StickyEnd))
        }),
        sometimes(GAVE_UP, Id::Er1, |seen| seen.gave_up().is_some()),
        sometimes(WEDGED, Id::Er11, Seen::wedges),
        sometimes(REFUSED, Id::ClientRules, |seen| seen.ends(|it| it == PollOutcome::Rejected)),
        sometimes("an abort is written", Id::AppA, |seen| {
            matches!(seen.wrote(), Some(Written::Abort { .. }))
        }),
        sometimes("a session is closed", Id::S1_6, |seen| {
            seen.effect.closed == Some(CloseOutcome::Closed)
        }),
        sometimes("a CLOSE is aborted", Id::S1_1Others, |seen| {
            seen.effect.closed == Some(CloseOutcome::Aborted)
        }),
    ]
}

/// Only a client of two blocks accepts one that more follows.
fn continuations() -> Vec<Property<Seen>> {
    vec![
        always(
            "a continuation has its whole time from the accept",
            Id::Er1N1,
            Some("a continuation is lost"),
            |seen| seen.gave_up().is_none_or(|(waited, more)| !more || waited >= BOUNDS.command),
        ),
        sometimes(CONTINUED, Id::S2012, |seen| {
            seen.accepts().is_some_and(|(on, _, _)| on == Phase::DataMore)
        }),
        sometimes("a continuation is lost", Id::Er1N1, |seen| {
            seen.gave_up().is_some_and(|(_, more)| more)
        }),
    ]
}

/// Before a clock that stands still every wait ends all the same, by the count of its polls.
fn still() -> Vec<Property<Seen>> {
    let (trigger, goal): (Ask, Ask) = (Seen::starts, |seen| seen.after.outstanding.is_none());
    let rule = Rule::Within { limit: EVENTUALLY, trigger, goal };
    vec![
        Property {
            name: "every request ends on a clock that stands still",
            clause: Clause::M3Read(Id::Er1),
            rule,
        },
        sometimes(WEDGED, Id::Er11, Seen::wedges),
        never_again("a wedged interface is never written to", Id::Er11, Seen::wedges, |seen| {
            seen.effect.wrote.is_some()
        }),
    ]
}
