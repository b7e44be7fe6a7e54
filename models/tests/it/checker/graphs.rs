//! Every rule on random graphs against the naive reading of it.
use std::collections::{BTreeMap, BTreeSet};

use firmware_core::time::{Duration, Instant};
use models::checker::codec::Packed;
use models::checker::{Lasso, Limits, Model, Path, Verdict, check, replay, replay_lasso, words};
use models::clause::Clause;
use models::m3_read;
use models::property::{EVENTUALLY, Monitor, Property, Rule};
use proptest::prelude::*;

const ANY: Clause = Clause::M3Read(m3_read::Clause::ClientRules);
pub(super) const TRIGGER: u8 = 1;
pub(super) const GOAL: u8 = 2;
const BAD: u8 = 4;
const LIMIT_TICKS: u32 = 2;

type Ask = fn(&u8) -> bool;

/// The index of a node.
fn node(state: u64) -> usize {
    usize::try_from(state).expect("a few nodes")
}

/// A graph whose nodes carry labels; an edge takes one tick.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    pub(super) labels: Vec<u8>,
    pub(super) edges: Vec<Vec<usize>>,
}

impl Model for Graph {
    type State = u64;
    type Action = u64;
    type Seen = u8;
    type Codec = Packed<u64>;

    fn codec(&self) -> Packed<u64> {
        Packed::default()
    }

    fn initial(&self) -> Vec<u64> {
        vec![0]
    }

    fn successors(&self, state: &u64, each: &mut impl FnMut(u64, u64)) {
        for &to in &self.edges[node(*state)] {
            each(to as u64, to as u64);
        }
    }

    fn observe(&self, _step: Option<(&u64, &u64)>, after: &u64) -> u8 {
        self.labels[node(*after)]
    }

    fn properties(&self) -> Vec<Property<u8>> {
        let (trigger, goal): (Ask, Ask) = (|seen| seen & TRIGGER != 0, |seen| seen & GOAL != 0);
        let limit = Duration::from_millis(LIMIT_TICKS.into());
        [
            ("never bad", Rule::Always { holds: |seen: &u8| seen & BAD == 0, premise: None }),
            ("sometimes goal", Rule::Sometimes { holds: goal }),
            ("goal never after trigger", Rule::NeverAgain { once: trigger, never: goal }),
            ("goal in time", Rule::Within { limit, trigger, goal }),
            ("goal some day", Rule::Within { limit: EVENTUALLY, trigger, goal }),
        ]
        .map(|(name, rule)| Property { name, clause: ANY, rule })
        .into()
    }

    fn ticks(&self, _action: &u64) -> u32 {
        1
    }

    fn describe(&self, state: &u64) -> Vec<(String, String)> {
        vec![("node".into(), state.to_string())]
    }
}

impl Graph {
    fn is(&self, node: usize, label: u8) -> bool {
        self.labels[node] & label != 0
    }

    fn distances(&self) -> BTreeMap<usize, usize> {
        let mut distances = BTreeMap::from([(0, 0)]);
        let mut level = vec![0];
        for depth in 1.. {
            level = level.iter().flat_map(|&node| self.edges[node].clone()).collect();
            level.retain(|node| !distances.contains_key(node));
            if level.is_empty() {
                break;
            }
            distances.extend(level.iter().map(|&node| (node, depth)));
        }
        distances
    }

    /// Reachable triggers that are no goals themselves.
    fn triggers(&self) -> Vec<usize> {
        let open = |node: &usize| self.is(*node, TRIGGER) && !self.is(*node, GOAL);
        self.distances().into_keys().filter(open).collect()
    }

    /// Whether a walk of more than `left` edges leads away from `node` without a goal before its
    /// last node.
    fn can_be_late(&self, node: usize, left: u32) -> bool {
        self.edges[node]
            .iter()
            .any(|&to| left == 0 || (!self.is(to, GOAL) && self.can_be_late(to, left - 1)))
    }

    /// Whether a walk from `node` that avoids goals ends, or never does.
    fn can_avoid(&self, node: usize) -> bool {
        let mut avoiding = BTreeSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for &to in self.edges[node].iter().filter(|&&to| !self.is(to, GOAL)) {
                if avoiding.insert(to) {
                    open.push(to);
                }
            }
        }
        // Nodes from which every way runs out into goals are taken away until none is left to take.
        loop {
            let before = avoiding.len();
            let stays = |node: &usize| {
                self.edges[*node].is_empty()
                    || self.edges[*node].iter().any(|to| avoiding.contains(to))
            };
            let kept: BTreeSet<usize> = avoiding.iter().copied().filter(stays).collect();
            avoiding = kept;
            if avoiding.len() == before {
                return avoiding.contains(&node);
            }
        }
    }

    fn goal_after_trigger(&self) -> bool {
        let triggers = self.distances().into_keys().filter(|&node| self.is(node, TRIGGER));
        triggers.into_iter().any(|node| self.edges[node].iter().any(|&to| self.reaches(to, GOAL)))
    }

    fn reaches(&self, node: usize, label: u8) -> bool {
        let mut seen = BTreeSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if self.is(node, label) {
                return true;
            }
            open.extend(self.edges[node].iter().filter(|&&to| seen.insert(to)));
        }
        false
    }
}

fn graphs() -> impl Strategy<Value = Graph> {
    (2..8_usize).prop_flat_map(|nodes| {
        let labels = prop::collection::vec(
            prop_oneof![4 => Just(0_u8), 2 => Just(TRIGGER), 2 => Just(GOAL), 1 => Just(BAD),
                        1 => Just(TRIGGER | GOAL)],
            nodes,
        );
        let edges = prop::collection::vec(prop::collection::vec(0..nodes, 0..3), nodes);
        (labels, edges).prop_map(|(labels, edges)| Graph { labels, edges })
    })
}

/// Whether a run along `path` breaks the property, as the monitor of single runs sees it.
fn run_breaks(graph: &Graph, path: &Path<Graph>, name: &str) -> bool {
    let properties = graph.properties();
    let mut monitor = Monitor::try_new(&properties).expect("the set is sound");
    let mut now = Instant::ZERO;
    for (at, state) in path.states().enumerate() {
        now = Instant::from_millis(at as u64);
        monitor.observe(now, &graph.labels[node(*state)]);
    }
    let verdicts = monitor.verdicts(now);
    let index =
        properties.iter().position(|property| property.name == name).expect("it is one of them");
    matches!(verdicts[index], models::property::Verdict::Violated { .. })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_search_agrees_with_the_naive_reading_of_every_rule(graph in graphs()) {
        let report = check(&graph, Limits::NONE).expect("the set is sound");
        let broken = |name| matches!(report.verdict(name), Some(Verdict::Violated(_)));
        let distances = graph.distances();
        let nearest = |label| {
            distances.iter().filter(|(node, _)| graph.is(**node, label)).map(|(_, far)| *far).min()
        };

        let bad = match report.verdict("never bad") {
            Some(Verdict::Violated(path)) => Some(path.steps.len()),
            _ => None,
        };
        prop_assert_eq!(bad, nearest(BAD));
        let goal = matches!(report.verdict("sometimes goal"), Some(Verdict::Holds));
        prop_assert_eq!(goal, nearest(GOAL).is_some());
        prop_assert_eq!(broken("goal never after trigger"), graph.goal_after_trigger());

        let triggers = graph.triggers();
        let late = triggers.iter().any(|&node| graph.can_be_late(node, LIMIT_TICKS));
        prop_assert_eq!(broken("goal in time"), late);
        let avoids = triggers.iter().any(|&node| graph.can_avoid(node));
        prop_assert_eq!(broken("goal some day"), avoids);
    }

    #[test]
    fn every_path_is_a_run_that_breaks_its_rule(graph in graphs(), threads in 1..4_usize) {
        let report = check(&graph, Limits::NONE.threads(threads)).expect("the set is sound");
        for found in &report.found {
            let Verdict::Violated(path) = &found.verdict else { continue };
            let nodes: Vec<usize> =
                path.states().map(|state| node(*state)).collect();
            for pair in nodes.windows(2) {
                prop_assert!(graph.edges[pair[0]].contains(&pair[1]));
            }
            match path.loop_from {
                None if found.name == "goal some day" => {
                    prop_assert!(graph.edges[*nodes.last().expect("a path has a state")].is_empty());
                }
                None => prop_assert!(run_breaks(&graph, path, found.name), "{}", found.name),
                Some(from) => {
                    let around = &nodes[from..];
                    prop_assert!(around.iter().all(|&node| !graph.is(node, GOAL)));
                    let ends = graph.edges[nodes[from]].is_empty();
                    prop_assert!(ends || (around.len() > 1 && around.first() == around.last()));
                }
            }
            let replayed = match Lasso::of(&graph, path) {
                Some(lasso) => replay_lasso(&graph, &lasso).expect("the loop closes"),
                None => replay(&graph, &words(&graph, path)).expect("the words are the path's"),
            };
            prop_assert!(replayed.broken.iter().any(|(name, _)| *name == found.name));
        }
    }
}
