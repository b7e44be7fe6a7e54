//! The client's rules: one for each arrow of the drawing.
//!
//! Clauses: ER-1, ER-1 N-1, ER-5, ER-7, ER-11, ER-12, S 1.6, S 1.6 M10, App. A.
use firmware_core::m3_read::config::Blocks;
use firmware_core::m3_read::handshake::State;

use super::{Kind, Outcome, Parts, Phase, Planted, Reason};
use crate::machine::{Expression, Machine, Variable, all, any, between, is, not, of};

/// A change of a variable.
type Update = (Variable, Expression);

/// The two bits of a protocol state.
pub(super) fn bits(state: State) -> u8 {
    (0..).zip(State::ALL).find(|(_, it)| *it == state).map_or(0, |(bits, _)| bits)
}

pub(super) fn rules(machine: &mut Machine, parts: &Parts) {
    commands(machine, parts);
    waits(machine, parts);
    reading(machine, parts);
    block_ends(machine, parts);
    text(machine, parts);
    ends(machine, parts);
    whole(machine, parts);
}

impl Parts {
    pub(super) fn at(&self, phase: Phase) -> Expression {
        is(self.phase, phase)
    }

    fn to(&self, phase: Phase) -> Update {
        (self.phase, u8::from(phase).into())
    }

    fn shows(&self, state: State) -> Expression {
        is(self.fpga, bits(state))
    }

    fn reply_valid(&self) -> Expression {
        any([self.shows(State::DataLast), self.shows(State::DataMore)])
    }

    fn give_up(&self, reason: Reason) -> [Update; 2] {
        [(self.reason, u8::from(reason).into()), self.to(Phase::Abort)]
    }

    fn clear(variables: &[Variable]) -> Vec<Update> {
        variables.iter().map(|&variable| (variable, 0.into())).collect()
    }
}

/// READ and CLOSE up to the push.
fn commands(machine: &mut Machine, parts: &Parts) {
    let begin = |closing: u8| {
        let mut updates = vec![(parts.closing, closing.into())];
        updates.extend(Parts::clear(&[parts.waited, parts.reason]));
        updates.push(parts.to(Phase::WaitIdle));
        updates
    };
    machine.rule("poll", &[], parts.at(Phase::Connected), begin(0));
    machine.rule("close", &[], parts.at(Phase::Connected), begin(1));
    let dead = |owned: u8| all([parts.at(Phase::Dead), is(parts.owned, owned)]);
    machine.rule("close what has ended", &[], dead(1), begin(1));
    machine.rule("let go", &["let go"], dead(0), vec![parts.to(Phase::Finished)]);
    let idle = all([parts.at(Phase::WaitIdle), parts.shows(State::Idle)]);
    machine.rule("idle", &[], idle, vec![parts.to(Phase::Clear)]);
    let cleared = vec![(parts.error, 0.into()), parts.to(Phase::Push)];
    machine.rule("clear the refusal bit", &["clear"], parts.at(Phase::Clear), cleared);
    push(machine, parts);
}

fn push(machine: &mut Machine, parts: &Parts) {
    let (idle, wait) = (parts.shows(State::Idle), parts.to(Phase::WaitFirst));
    let of_reply = [
        parts.header,
        parts.got,
        parts.total,
        parts.kind,
        parts.second,
        parts.hole,
        parts.flawed,
        parts.waited,
    ];
    for (closing, name, event) in [(0, "push READ", "read"), (1, "push CLOSE", "close")] {
        let here = [parts.at(Phase::Push), is(parts.closing, closing)];
        // What the last READ was told stays known until the next one.
        let fresh: &[Variable] = if closing == 0 { &of_reply } else { &[parts.waited] };
        let mut taken = Parts::clear(fresh);
        taken.extend([(parts.fpga, bits(State::Busy).into()), wait.clone()]);
        let guard = all(here.clone().into_iter().chain([idle.clone()]));
        machine.rule(name, &["push", event], guard, taken);
        let mut refused = Parts::clear(fresh);
        refused.extend([(parts.error, 1.into()), wait.clone()]);
        let guard = all(here.into_iter().chain([not(idle.clone())]));
        machine.rule(format!("{name} refused"), &["push", event], guard, refused);
    }
}

/// What ends a wait, and what the clock does to it.
fn waits(machine: &mut Machine, parts: &Parts) {
    let bounds = parts.config.bounds;
    let small = |units: u16| u8::try_from(units).expect("the scaled bounds are small");
    let command = small(bounds.command);
    let served = is(parts.abort, 0);
    let answered = any([parts.reply_valid(), is(parts.error, 1)]);
    let waits = [
        (Phase::WaitIdle, parts.shows(State::Idle), Reason::NotIdle),
        (Phase::WaitFirst, answered.clone(), Reason::Late),
        (Phase::WaitMore, parts.reply_valid(), Reason::Late),
    ];
    let name = |phase: Phase| machine_name(phase);
    for (phase, come, reason) in waits {
        let endless = phase == Phase::WaitMore && parts.has(Planted::EndlessContinuation);
        let waiting = all([parts.at(phase), not(come)]);
        let later = all([waiting.clone(), of(parts.waited).less(command)]);
        let longer = (parts.waited, of(parts.waited).plus(1));
        machine.rule(format!("{} longer", name(phase)), &[], later, vec![longer]);
        let due = all([waiting, is(parts.waited, command)]);
        let late = if endless { Vec::new() } else { parts.give_up(reason).to_vec() };
        machine.rule(format!("{} too long", name(phase)), &[], due, late);
    }
    let first = all([parts.at(Phase::WaitFirst), answered]);
    machine.rule("answered", &[], first, vec![parts.to(Phase::Look)]);
    let more = all([parts.at(Phase::WaitMore), parts.reply_valid()]);
    machine.rule("continued", &[], more, vec![parts.to(Phase::Payload)]);

    let mut aborting = Parts::clear(&[parts.waited]);
    aborting.extend([(parts.abort, 1.into()), parts.to(Phase::WaitAbort)]);
    machine.rule("abort", &["abort"], parts.at(Phase::Abort), aborting);
    let here = |it: Expression| all([parts.at(Phase::WaitAbort), it]);
    let not_begun = is(parts.reason, Reason::NotIdle);
    let goes_on = here(all([served.clone(), not_begun.clone()]));
    machine.rule("served, go on", &[], goes_on, vec![parts.to(Phase::Clear)]);
    let over = here(all([served.clone(), not(not_begun.clone())]));
    machine.rule("served", &[], over, vec![parts.to(Phase::Judge)]);
    for (unknown, units) in [(true, bounds.unknown_push), (false, bounds.post_abort)] {
        let kind = if unknown { not_begun.clone() } else { not(not_begun.clone()) };
        let what = if unknown { "command not begun" } else { "command running" };
        let pending = here(all([not(served.clone()), kind]));
        let later = all([pending.clone(), of(parts.waited).less(small(units))]);
        let longer = (parts.waited, of(parts.waited).plus(1));
        machine.rule(format!("abort pending, {what}"), &[], later, vec![longer]);
        let due = all([pending, is(parts.waited, small(units))]);
        let wedge = vec![(parts.reason, u8::from(Reason::Wedged).into()), parts.to(Phase::Judge)];
        machine.rule(format!("wedged, {what}"), &[], due, wedge);
    }
}

fn machine_name(phase: Phase) -> &'static str {
    super::PHASES[usize::from(u8::from(phase))]
}

/// From the look at the first block to its last byte.
fn reading(machine: &mut Machine, parts: &Parts) {
    let refused = all([parts.at(Phase::Look), is(parts.error, 1)]);
    machine.rule("refused", &[], refused, vec![parts.to(Phase::Reject)]);
    for (closing, next, name) in
        [(0, Phase::First, "not refused"), (1, Phase::Drain, "CLOSE not refused")]
    {
        let guard = all([parts.at(Phase::Look), is(parts.error, 0), is(parts.closing, closing)]);
        machine.rule(name, &[], guard, vec![parts.to(next)]);
    }
    let rejected = vec![
        (parts.error, 0.into()),
        (parts.reason, u8::from(Reason::Rejected).into()),
        parts.to(Phase::Judge),
    ];
    machine.rule("clear the refusal", &["clear"], parts.at(Phase::Reject), rejected);

    let none = is(parts.left, 0);
    let some = not(none.clone());
    let mut arrow = |name: &str, from: Phase, when: Expression, to: Phase| {
        machine.rule(name, &[], all([parts.at(from), when]), vec![parts.to(to)]);
    };
    arrow("a reply", Phase::First, some.clone(), Phase::Header);
    arrow("no reply", Phase::First, none.clone(), Phase::Drain);
    arrow("no header", Phase::Header, none.clone(), Phase::Drain);
    arrow("block over", Phase::Payload, none, Phase::BlockEnd);

    let one_less = (parts.left, of(parts.left).minus(1));
    let at_header = all([parts.at(Phase::Header), some.clone()]);
    let one_more = (parts.header, of(parts.header).plus(1));
    let half = all([at_header.clone(), is(parts.header, 0)]);
    machine.rule("half a header", &[], half, vec![one_less.clone(), one_more.clone()]);
    let counts = is(parts.kind, Kind::Data);
    let whole = |when: Expression| all([at_header.clone(), is(parts.header, 1), when]);
    let to = |phase: Phase| vec![one_less.clone(), one_more.clone(), parts.to(phase)];
    let within = all([counts.clone(), not(parts.over())]);
    machine.rule("a count", &[], whole(within), to(Phase::Payload));
    let mut over = to(Phase::Payload);
    over.push((parts.hole, 1.into()));
    let beyond = all([counts.clone(), parts.over()]);
    machine.rule("a count over the request", &[], whole(beyond), over);
    machine.rule("no count", &[], whole(not(counts)), to(Phase::Drain));

    let byte = all([parts.at(Phase::Payload), some]);
    let took = [one_less, (parts.got, of(parts.got).plus(1))];
    let owed = of(parts.got).plus(1).less(of(parts.total).at_most(parts.asked()));
    let more = all([byte.clone(), owed.clone()]);
    machine.rule("a byte", &["byte"], more, took.to_vec());
    let mut last = took.to_vec();
    last.push(parts.to(Phase::Drain));
    machine.rule("the last byte", &["byte"], all([byte, not(owed)]), last);
}

/// A block that ended with bytes owed: the continuation, or a hole.
fn block_ends(machine: &mut Machine, parts: &Parts) {
    let mut due = vec![parts.shows(State::DataMore), is(parts.second, 0)];
    if !parts.has(Planted::AcceptOverHole) {
        due.extend([is(parts.got, parts.full()), is(parts.hole, 0)]);
    }
    if parts.config.blocks == Blocks::One {
        due.push(Expression::Any(Vec::new()));
    }
    let due = all(due);
    let here = |it: Expression| all([parts.at(Phase::BlockEnd), it]);
    if parts.config.blocks == Blocks::Two {
        let take = vec![parts.to(Phase::AcceptMore)];
        machine.rule("continuation due", &[], here(due.clone()), take);
        accept(machine, parts, Phase::AcceptMore, Phase::WaitMore);
    }
    let holed = vec![(parts.hole, 1.into()), parts.to(Phase::Drain)];
    machine.rule("short", &[], here(not(due)), holed);
}

/// The accept, on whatever the interface shows by then.
fn accept(machine: &mut Machine, parts: &Parts, from: Phase, to: Phase) {
    let name = machine_name(from);
    let mut then = vec![(parts.left, 0.into()), parts.to(to)];
    if from == Phase::AcceptMore {
        then.extend([(parts.second, 1.into()), (parts.waited, 0.into())]);
    }
    for state in State::ALL {
        let shown = ["idle", "busy", "last block", "more"][usize::from(bits(state))];
        let mut updates = then.clone();
        match state {
            State::Idle | State::Busy => {}
            State::DataLast => updates.push((parts.fpga, bits(State::Idle).into())),
            State::DataMore => updates.push((parts.fpga, bits(State::Busy).into())),
        }
        let guard = all([parts.at(from), parts.shows(state)]);
        machine.rule(format!("{name} on {shown}"), &["accept"], guard, updates);
    }
}

/// What is left of the block, its text, and the accept.
fn text(machine: &mut Machine, parts: &Parts) {
    let none = is(parts.left, 0);
    let reads = is(parts.closing, 0);
    let left = all([parts.at(Phase::Drain), not(none.clone())]);
    let mut dropped = vec![(parts.left, of(parts.left).minus(1))];
    machine.rule("drop a byte of CLOSE", &[], all([left.clone(), not(reads.clone())]), {
        dropped.clone()
    });
    dropped.push((parts.hole, 1.into()));
    machine.rule("drop a byte", &[], all([left, reads.clone()]), dropped);
    let counted = all([reads.clone(), is(parts.header, 2), is(parts.kind, Kind::Data)]);
    let looks = !parts.has(Planted::AcceptUnread);
    let read = if looks { none.clone() } else { Expression::All(Vec::new()) };
    let over = |it: Expression| all([parts.at(Phase::Drain), read.clone(), it]);
    machine.rule("all read", &[], over(counted.clone()), vec![parts.to(Phase::MoreLeft)]);
    machine.rule("nothing counted", &[], over(not(counted)), vec![parts.to(Phase::Text)]);

    let mut holed = vec![(parts.hole, 1.into())];
    holed.extend(parts.give_up(Reason::Holed));
    let more = parts.shows(State::DataMore);
    let at = |phase: Phase, it: Expression| all([parts.at(phase), it]);
    machine.rule("more than owed", &[], at(Phase::MoreLeft, more.clone()), holed.clone());
    let enough = at(Phase::MoreLeft, not(more.clone()));
    machine.rule("no more", &[], enough, vec![parts.to(Phase::Text)]);

    let wrong = if looks { any([not(none), more]) } else { more };
    machine.rule("wrong end", &[], at(Phase::Text, wrong.clone()), holed);
    machine.rule("text read", &[], at(Phase::Text, not(wrong)), vec![parts.to(Phase::AcceptLast)]);
    accept(machine, parts, Phase::AcceptLast, Phase::Judge);
}

/// How a READ or CLOSE ended that did not bring a whole reply.
fn ends(machine: &mut Machine, parts: &Parts) {
    let reads = |it: Expression| all([parts.at(Phase::Judge), is(parts.closing, 0), it]);
    let because = |reason: Reason| is(parts.reason, reason);
    let end = |outcome: Outcome, phase: Phase| {
        vec![(parts.outcome, u8::from(outcome).into()), parts.to(phase)]
    };
    let wedged = reads(because(Reason::Wedged));
    machine.rule("READ wedged", &[], wedged, end(Outcome::Wedged, Phase::Finished));
    let rejected = reads(because(Reason::Rejected));
    machine.rule("READ rejected", &[], rejected, end(Outcome::Rejected, Phase::Dead));
    let settled = not(between(parts.reason, [Reason::Wedged, Reason::Rejected].map(u8::from)));
    let no_count =
        all([is(parts.header, 2), between(parts.kind, [Kind::Idle, Kind::NotOurs].map(u8::from))]);
    let hole = |it: Expression| reads(all([settled.clone(), is(parts.hole, 1), it]));
    if parts.has(Planted::HoleIsData) {
        let data = hole(not(no_count.clone()));
        machine.rule("a hole as data", &["data"], data, end(Outcome::Data, Phase::Connected));
    } else {
        let kept = hole(not(no_count.clone()));
        machine.rule("a hole", &["hole"], kept, end(Outcome::Hole, Phase::Dead));
    }
    let mut not_ours = end(Outcome::Hole, Phase::Dead);
    not_ours.push((parts.owned, 0.into()));
    machine.rule("a hole without a count", &["hole"], hole(no_count), not_ours);
    let late = reads(all([because(Reason::Late), is(parts.hole, 0)]));
    machine.rule("given up", &[], late, end(Outcome::TimedOut, Phase::Dead));

    let closes = |it: Expression| all([parts.at(Phase::Judge), is(parts.closing, 1), it]);
    let refused = closes(because(Reason::Rejected));
    machine.rule("CLOSE rejected", &[], refused, vec![parts.to(Phase::Dead)]);
    let wedged = closes(because(Reason::Wedged));
    machine.rule("CLOSE wedged", &[], wedged, vec![parts.to(Phase::Finished)]);
    let done = vec![(parts.owned, 0.into()), parts.to(Phase::Finished)];
    machine.rule("closed", &["closed"], closes(settled), done);
}

/// How a READ ended that brought a whole reply.
fn whole(machine: &mut Machine, parts: &Parts) {
    let replied = between(parts.reason, [Reason::None, Reason::NotIdle].map(u8::from));
    let sound = all([parts.at(Phase::Judge), is(parts.closing, 0), replied, is(parts.hole, 0)]);
    let read = |kinds: &[Kind]| {
        let kinds = between(parts.kind, kinds.iter().copied().map(u8::from));
        all([sound.clone(), is(parts.header, 2), kinds])
    };
    let end = |outcome: Outcome, owned: u8, phase: Phase| {
        let outcome = (parts.outcome, u8::from(outcome).into());
        vec![outcome, (parts.owned, owned.into()), parts.to(phase)]
    };
    let data = end(Outcome::Data, 1, Phase::Connected);
    machine.rule("data", &["data"], read(&[Kind::Data]), data);
    let empty = all([sound.clone(), not(is(parts.header, 2))]);
    machine.rule("no whole header", &["empty"], empty, end(Outcome::Dead, 1, Phase::Dead));
    let any_line = parts.has(Planted::AnyLineIsIdle);
    let idle: &[Kind] = if any_line { &[Kind::Idle, Kind::NotOurs] } else { &[Kind::Idle] };
    machine.rule("nothing yet", &["idle"], read(idle), end(Outcome::Idle, 1, Phase::Connected));
    if !any_line {
        let not_ours = end(Outcome::NotOurs, 0, Phase::Dead);
        machine.rule("not ours", &["not ours"], read(&[Kind::NotOurs]), not_ours);
    }
    let owned = u8::from(parts.has(Planted::CloseAfterEnd));
    let gone = read(&[Kind::Clean, Kind::WithoutNotify]);
    machine.rule("gone", &["gone"], gone, end(Outcome::Gone, owned, Phase::Dead));
    let sticky = end(Outcome::Dead, 1, Phase::Dead);
    machine.rule("dead and ours", &["sticky"], read(&[Kind::Sticky]), sticky);
}
