//! Loops on which a goal never comes: among the states in which a `Within` waits, a cycle, or an end
//! where a goal that must come some day has not come.
//!
//! ```text
//!   begin ──► … ──► trigger ──► waits ──► waits        a strongly connected component of
//!                                 ▲         │          waiting states: the run may stay there
//!                                 └─────────┘
//! ```
//!
//! What a `Within` has waited is part of the state, so a cycle of waiting states is one on which its
//! time stands still: such a run never comes to the goal, and never to the deadline either.
//!
//! Kosaraju's algorithm and not Tarjan's, because petgraph's of the latter recurses: a chain of a
//! hundred thousand states would exhaust the stack.
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};

use super::Model;
use super::codec::Codec;
use super::path::canonical;
use super::search::Search;

/// For each property with such a loop: its index, and the numbers of the states of the first loop
/// there is, the first of them again at the end; or the one state where a run ends waiting.
pub(super) fn lassos<M: Model, C: Codec<State = M::State>>(
    search: &Search<'_, M, C>,
) -> Vec<(usize, Vec<u32>)> {
    let waiting = search.watches.waiting();
    waiting.filter_map(|index| Some((index, lasso(search, index)?))).collect()
}

fn lasso<M: Model, C: Codec<State = M::State>>(
    search: &Search<'_, M, C>,
    index: usize,
) -> Option<Vec<u32>> {
    let waits = |number: u32| search.watches.waits(index, search.kept.memory(number));
    let nodes: Vec<u32> = (0..search.states()).filter(|&number| waits(number)).collect();
    let mut graph = DiGraph::<u32, ()>::with_capacity(nodes.len(), nodes.len());
    let at: BTreeMap<u32, NodeIndex> =
        nodes.iter().map(|&number| (number, graph.add_node(number))).collect();
    for &number in &nodes {
        let next = successors(search, number)?;
        if next.is_empty() && search.watches.is_eventually(index) {
            return Some(vec![number]);
        }
        for next in next {
            if let Some(&to) = at.get(&next) {
                graph.update_edge(at[&number], to, ());
            }
        }
    }
    // Of all components with a cycle, the one whose first state was found first.
    let components = kosaraju_scc(&graph);
    let cyclic = components.iter().filter(|component| {
        component.len() > 1 || component.first().is_some_and(|&it| graph.contains_edge(it, it))
    });
    let first = cyclic.min_by_key(|component| component.iter().map(|&node| graph[node]).min())?;
    Some(cycle(&graph, first))
}

/// A shortest cycle through the first state of a component.
fn cycle(graph: &DiGraph<u32, ()>, component: &[NodeIndex]) -> Vec<u32> {
    let inside: BTreeSet<NodeIndex> = component.iter().copied().collect();
    let Some(start) = component.iter().copied().min_by_key(|&node| graph[node]) else {
        return Vec::new();
    };
    let mut from: BTreeMap<NodeIndex, NodeIndex> = BTreeMap::new();
    let mut open = VecDeque::from([start]);
    while let Some(node) = open.pop_front() {
        let mut next: Vec<_> = graph.neighbors(node).filter(|it| inside.contains(it)).collect();
        next.sort_by_key(|&it| graph[it]);
        for next in next {
            if next == start {
                let mut back = vec![start, node];
                while let Some(&before) = back.last().and_then(|last| from.get(last)) {
                    back.push(before);
                }
                if node == start {
                    back.truncate(2);
                }
                back.reverse();
                return back.into_iter().map(|node| graph[node]).collect();
            }
            if let Entry::Vacant(unseen) = from.entry(next) {
                unseen.insert(node);
                open.push_back(next);
            }
        }
    }
    Vec::new()
}

/// The numbers of the states after the one with this number, with what the rules remember then.
fn successors<M: Model, C: Codec<State = M::State>>(
    search: &Search<'_, M, C>,
    number: u32,
) -> Option<Vec<u32>> {
    let state = search.kept.state(number)?;
    let memory = search.kept.memory(number);
    let mut numbers = Vec::new();
    search.model.successors(&state, &mut |action, next| {
        let next = canonical(search.model, next);
        let seen = search.model.observe(Some((&state, &action)), &next);
        let (memory, _) = search.watches.step(memory, search.model.ticks(&action), &seen);
        numbers.extend(search.kept.find(&next, memory));
    });
    Some(numbers)
}
