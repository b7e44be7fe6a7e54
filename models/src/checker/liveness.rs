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
//! The transitions between waiting states were noted when they were found ([`super::edges`]), and what
//! is on no loop is peeled off first; nearly always nothing remains.
//!
//! Kosaraju's algorithm and not Tarjan's, because petgraph's of the latter recurses: a chain of a
//! hundred thousand states would exhaust the stack.
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, VecDeque};

use super::Model;
use super::codec::Codec;
use super::search::Search;

/// For each property with such a loop: its index, and the numbers of the states of the first loop
/// there is, the first of them again at the end; or the one state where a run ends waiting.
pub(super) fn lassos<M: Model, C: Codec<State = M::State>>(
    search: &Search<'_, M, C>,
) -> Vec<(usize, Vec<u32>)> {
    let loops = !search.edges.unpeeled(|_| true).is_empty();
    let waiting = search.watches.waiting();
    waiting.filter_map(|index| Some((index, lasso(search, index, loops)?))).collect()
}

fn lasso<M: Model, C: Codec<State = M::State>>(
    search: &Search<'_, M, C>,
    index: usize,
    loops: bool,
) -> Option<Vec<u32>> {
    if let Some(number) = search.stuck(index) {
        return Some(vec![number]);
    }
    if !loops {
        return None;
    }
    let waits = |number: u32| search.watches.waits(index, search.kept.memory(number));
    let nodes = search.edges.unpeeled(waits);
    let mut graph = DiGraph::<u32, ()>::with_capacity(nodes.len(), nodes.len());
    for &number in &nodes {
        graph.add_node(number);
    }
    for (from, &number) in nodes.iter().enumerate() {
        for to in search.edges.from(number).filter_map(|to| nodes.binary_search(&to).ok()) {
            graph.update_edge(NodeIndex::new(from), NodeIndex::new(to), ());
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
