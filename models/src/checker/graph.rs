//! The whole graph of a model as numbers, for tools that look at it in their own way: another checker,
//! or a drawing.
use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::codec::Codec;
use super::path::canonical;
use super::visited::Slots;
use super::{Limits, Model};

/// States by number, in the order in which they are found, and every transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// How many states there are; those with the lowest numbers are beginnings.
    pub states: u32,
    /// Transitions as (from, to, label), ordered by where they come from.
    pub edges: Vec<(u32, u32, u32)>,
    /// Phases and the moves between them, by name.
    pub phases: BTreeSet<(String, String)>,
}

/// Explores `model` without judging anything. Each transition is labelled by `label`, and each state
/// belongs to the phase that `phase` names. `None` when the limit of states is hit.
pub fn graph<M: Model>(
    model: &M,
    limits: Limits,
    label: impl Fn(&M::Seen) -> u32,
    phase: impl Fn(&M::State) -> String,
) -> Option<Graph> {
    let mut codec = model.codec();
    let (mut slots, mut codes) = (Slots::new(), Vec::new());
    let mut number = |codec: &mut M::Codec, codes: &mut Vec<_>, state: &M::State| {
        let code = codec.code(state);
        let hash = M::Codec::hash(code).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        slots.find(hash, |at| codes[at as usize] == code).unwrap_or_else(|place| {
            let number = u32::try_from(codes.len()).expect("no more states than a limit allows");
            codes.push(code);
            slots.enter(place, hash, number);
            number
        })
    };
    for state in model.initial() {
        number(&mut codec, &mut codes, &canonical(model, state));
    }
    let (mut edges, mut phases) = (Vec::new(), BTreeSet::new());
    let mut from = 0;
    while (from as usize) < codes.len() {
        if codes.len() > limits.states_max as usize {
            return None;
        }
        let state = codec.state(from, codes[from as usize])?;
        let name = phase(&state);
        model.successors(&state, &mut |action, next| {
            let next = canonical(model, next);
            let seen = model.observe(Some((&state, &action)), &next);
            let to = number(&mut codec, &mut codes, &next);
            edges.push((from, to, label(&seen)));
            let moved = phase(&next);
            if moved != name {
                phases.insert((name.clone(), moved));
            }
        });
        from += 1;
    }
    Some(Graph { states: from, edges, phases })
}

impl Graph {
    /// The phases as a drawing in the DOT language.
    pub fn dot(&self, title: &str) -> String {
        let mut text = format!("digraph {title:?} {{\n  rankdir=LR;\n  node [shape=box];\n");
        for (from, to) in &self.phases {
            writeln!(text, "  {from:?} -> {to:?};").expect("a string takes everything");
        }
        text + "}\n"
    }
}
