//! What must hold of the READ machine: one claim, one clause.
use firmware_core::m3_read::config::Blocks;
use firmware_core::m3_read::handshake::{State, Strobe};

use super::client::bits;
use super::{Kind, Outcome, Parts, Phase, granted};
use crate::clause::Clause;
use crate::m3_read::Clause as Id;
use crate::machine::{Expression, Machine, all, any, between, is, not, of};

/// The names of the claims that a property of the closed system makes too, with its name.
pub const TWINS: [(&str, &str); 7] = [
    (HOLE, "nothing is accepted over a hole"),
    (UNREAD, "a block is read to its end before it is accepted"),
    (WHOLE, "data are reported only of a whole reply, all of it"),
    (NOT_REFUSED, "a whole reply is never refused"),
    (IDLE, "only the exact line is idle"),
    (NOT_CLOSED, "a handle that is gone is never named again"),
    (CLOSED, "a session that is ours is closed"),
];

const HOLE: &str = "nothing is accepted over a hole";
const UNREAD: &str = "a block is read to its end before it is accepted";
const WHOLE: &str = "data are all that was announced, of a reply without a flaw that stays";
const NOT_REFUSED: &str = "a whole reply is never refused";
const IDLE: &str = "only the exact line is idle";
const NOT_CLOSED: &str = "01 and 05 are never closed";
const CLOSED: &str = "12, 14, 16 and 17 are always closed";

const fn id(id: Id) -> Clause {
    Clause::M3Read(id)
}

pub(super) fn claims(machine: &mut Machine, parts: &Parts) {
    let kinds = |kinds: &[Kind]| between(parts.kind, kinds.iter().copied().map(u8::from));
    let gone = |it: &[Outcome]| between(parts.outcome, it.iter().copied().map(u8::from));

    let due = if parts.config.blocks == Blocks::Two {
        all([is(parts.got, parts.full()), parts.owes(), not(parts.over()), is(parts.second, 0)])
    } else {
        Expression::Any(Vec::new())
    };
    let more = is(parts.fpga, bits(State::DataMore));
    machine.on(HOLE, id(Id::Er5), "accept", any([not(more), due]));
    machine.on(UNREAD, id(Id::Er5), "accept", is(parts.left, 0));
    for (name, event, strobe) in [
        ("a push is written only where the matrix allows it", "push", Strobe::Push),
        ("an accept is written only where the matrix allows it", "accept", Strobe::Accept),
        ("an abort is written only where the matrix allows it", "abort", Strobe::Abort),
        ("the refusal bit is cleared only where the matrix allows it", "clear", Strobe::ClearError),
    ] {
        machine.on(name, id(Id::AppA), event, granted(parts, strobe));
    }
    let all_of_it = of(parts.got).equals(parts.total);
    // What lies behind the last byte that is owed may vanish before it is seen.
    let sound = any([is(parts.flawed, 0), is(parts.faulted, 1)]);
    machine.on(WHOLE, id(Id::Er5), "data", all([all_of_it, sound]));
    let reason = any([is(parts.flawed, 1), is(parts.faulted, 1)]);
    machine.on(NOT_REFUSED, id(Id::S2012), "hole", reason);
    machine.on(IDLE, id(Id::Er7), "idle", kinds(&[Kind::Idle]));
    let ended = kinds(&[Kind::Clean, Kind::WithoutNotify]);
    machine.on("an empty reply is not an end", id(Id::Er12), "gone", ended);
    let ours = not(gone(&[Outcome::Gone, Outcome::NotOurs]));
    machine.on(NOT_CLOSED, id(Id::S1_6M10), "close", ours);
    let let_go = kinds(&[Kind::Clean, Kind::WithoutNotify, Kind::NotOurs, Kind::Idle]);
    machine.on(CLOSED, id(Id::S1_6), "let go", let_go);

    let waits = [Phase::WaitIdle, Phase::WaitFirst, Phase::WaitMore, Phase::WaitAbort];
    let waiting = between(parts.phase, waits.map(u8::from));
    machine.leads("every wait ends", id(Id::Er1), waiting.clone(), not(waiting));
    let over = parts.at(Phase::Finished);
    machine.leads("what has ended is over some day", id(Id::S1_6), parts.at(Phase::Dead), over);
}
