//! The firmware's rules: every block of the reply grammar, every reply without a count, and faults.
use std::collections::BTreeSet;

use firmware_core::m3_read::handshake::State;
use firmware_core::m3_read::output::{Ending, PollOutcome};

use super::client::bits;
use super::{Kind, Parts, Phase};
use crate::m3_read::holes::expected::expected;
use crate::m3_read::holes::grammar::{Announced, Delivery, Fill, Reply, Tail};
use crate::m3_read::holes::refusal::{Beginning, LINES, Refusal};
use crate::machine::{Expression, Machine, Variable, all, any, is, not, of};

/// The name of the rule that shows the first block of this reply.
pub fn first_block(announced: Announced, fill: Fill, tail: Tail) -> String {
    format!("environment shows {announced:?} {fill:?} {tail:?}")
}

/// The name of the rule that shows a continuation.
pub fn continuation(fill: Fill, tail: Tail) -> String {
    format!("environment continues {fill:?} {tail:?}")
}

/// The name of the rule that gives this reply without a count.
pub fn without_a_count(beginning: Beginning, line: &'static str, tail: Tail) -> String {
    let kind = meaning(beginning, line);
    format!("environment says {beginning:?} {kind:?} {tail:?}")
}

pub(super) fn rules(machine: &mut Machine, parts: &Parts) {
    first_blocks(machine, parts);
    without_count(machine, parts);
    continuations(machine, parts);
    others(machine, parts);
}

/// A command runs, and nobody has aborted it.
fn runs(parts: &Parts, closing: u8, second: u8) -> Expression {
    let busy = is(parts.fpga, bits(State::Busy));
    all([busy, is(parts.abort, 0), is(parts.closing, closing), is(parts.second, second)])
}

fn shown(parts: &Parts, tail: Tail) -> (Variable, Expression) {
    let state = if tail == Tail::More { State::DataMore } else { State::DataLast };
    (parts.fpga, bits(state).into())
}

fn small(number: usize) -> u8 {
    u8::try_from(number).expect("the scaled sizes are small")
}

fn first_blocks(machine: &mut Machine, parts: &Parts) {
    let config = &parts.config;
    let on_time = |fill: Fill| (fill, Delivery::OnTime);
    for announced in Announced::ALL {
        for fill in Fill::ALL {
            for tail in Tail::ALL {
                let alone = Reply { announced, blocks: vec![on_time(fill)], tail };
                let sent = alone.sent(config);
                let length = sent.first().map_or(0, |block| block.data.len());
                // Of a block that more follows, what counts is whether an exact one can mend it.
                let mended = match tail {
                    Tail::Last => sent.clone(),
                    Tail::More => {
                        let blocks = vec![on_time(fill), on_time(Fill::Exact)];
                        Reply { announced, blocks, tail: Tail::Last }.sent(config)
                    }
                };
                let outcome = expected(config, announced.bytes(config), &mended).outcome;
                let flawed = matches!(outcome, PollOutcome::Hole(_));
                let updates = vec![
                    (parts.left, small(length).into()),
                    (parts.total, small(announced.bytes(config).into()).into()),
                    (parts.kind, u8::from(Kind::Data).into()),
                    (parts.flawed, u8::from(flawed).into()),
                    shown(parts, tail),
                ];
                let name = first_block(announced, fill, tail);
                machine.rule(name, &[], runs(parts, 0, 0), updates);
            }
        }
    }
}

/// Every class of replies without a count: they differ in bytes and in what their line means.
fn without_count(machine: &mut Machine, parts: &Parts) {
    let mut classes = BTreeSet::new();
    for beginning in Beginning::ALL {
        for line in LINES {
            classes.insert((beginning, meaning(beginning, line)));
        }
    }
    for (beginning, kind) in classes {
        for tail in Tail::ALL {
            let line = LINES.into_iter().find(|line| meaning(beginning, line) == kind);
            let line = line.expect("each class has the line that made it");
            let reply = Refusal { beginning, line, tail, late: false };
            let flawed = matches!(reply.expected().outcome, PollOutcome::Hole(_));
            let updates = vec![
                (parts.left, small(reply.sent().data.len()).into()),
                (parts.kind, u8::from(kind).into()),
                (parts.flawed, u8::from(flawed).into()),
                shown(parts, tail),
            ];
            let name = without_a_count(beginning, line, tail);
            machine.rule(name, &[], runs(parts, 0, 0), updates);
        }
    }
}

/// What a line means behind a beginning, as the clauses have it for a last block of just that.
fn meaning(beginning: Beginning, line: &'static str) -> Kind {
    let bare = match beginning {
        Beginning::Nothing | Beginning::HalfHeader => return Kind::Nothing,
        Beginning::NoCount | Beginning::NoCountAndByte => Beginning::NoCount,
        Beginning::End | Beginning::EndAndByte => Beginning::End,
    };
    let reply = Refusal { beginning: bare, line, tail: Tail::Last, late: false };
    match reply.expected().outcome {
        PollOutcome::Idle => Kind::Idle,
        PollOutcome::NotOurs => Kind::NotOurs,
        PollOutcome::Gone(Ending::Clean) => Kind::Clean,
        PollOutcome::Gone(Ending::WithoutNotify) => Kind::WithoutNotify,
        _ => Kind::Sticky,
    }
}

/// A continuation holds what the first block left, a byte less or a byte more.
fn continuations(machine: &mut Machine, parts: &Parts) {
    let planned = of(parts.total).minus(of(parts.total).at_most(parts.full()));
    for fill in Fill::ALL {
        for tail in Tail::ALL {
            let (length, also) = match fill {
                Fill::Short => (planned.clone().minus(1), vec![not(planned.clone().equals(0))]),
                Fill::Exact => (planned.clone(), Vec::new()),
                Fill::Long => (planned.clone().plus(1), Vec::new()),
            };
            let guard = all([runs(parts, 0, 1)].into_iter().chain(also));
            let mut updates = vec![(parts.left, length), shown(parts, tail)];
            if fill != Fill::Exact || tail == Tail::More {
                updates.push((parts.flawed, 1.into()));
            }
            machine.rule(continuation(fill, tail), &[], guard, updates);
        }
    }
}

/// The answer to CLOSE, the service of an abort, and the faults.
fn others(machine: &mut Machine, parts: &Parts) {
    let closes = any([runs(parts, 1, 0), runs(parts, 1, 1)]);
    let answer = vec![(parts.left, 0.into()), shown(parts, Tail::Last)];
    machine.rule("environment answers CLOSE", &[], closes, answer);

    let mut reset = vec![(parts.left, 0.into()), (parts.fpga, bits(State::Idle).into())];
    let mut served = reset.clone();
    served.push((parts.abort, 0.into()));
    machine.rule("environment serves the abort", &[], is(parts.abort, 1), served);

    reset.push((parts.faulted, 1.into()));
    let whole = all([not(is(parts.left, 0)), is(parts.abort, 0), is(parts.faulted, 0)]);
    machine.rule("environment fault resets the block", &[], whole, reset);
    let before = any([parts.at(Phase::Clear), parts.at(Phase::Push)]);
    let idle = is(parts.fpga, bits(State::Idle));
    let unasked = all([before, idle, is(parts.faulted, 0)]);
    let shows = vec![(parts.left, 1.into()), (parts.faulted, 1.into()), shown(parts, Tail::Last)];
    machine.rule("environment fault shows what nobody asked for", &[], unasked, shows);
}
