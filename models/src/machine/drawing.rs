//! The phase graph of a machine, as DOT: what leads from which phase to which, in all reachable states.
//!
//! Environment rules that change no phase are left out; a loop on a phase is something that the
//! machine itself does there.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use petgraph::dot::{Config, Dot};
use petgraph::graph::DiGraph;

use super::Machine;

/// The rules between two phases.
pub type Edges = BTreeMap<(u8, u8), BTreeSet<String>>;

impl Machine {
    /// Every phase change that some reachable state makes, with the rules that make it. Rules of the
    /// environment (their names begin with `environment`) count only where they change the phase.
    pub fn phase_graph(&self) -> Edges {
        let mut edges = Edges::new();
        let mut seen = BTreeSet::from([self.first()]);
        let mut open = vec![self.first()];
        while let Some(word) = open.pop() {
            self.step(word, &mut |rule, next| {
                let (from, to) = (self.value(word, self.phase), self.value(next, self.phase));
                let name = &self.rules[rule].name;
                if from != to || !name.starts_with("environment") {
                    edges.entry((from, to)).or_default().insert(name.clone());
                }
                if seen.insert(next) {
                    open.push(next);
                }
            });
        }
        edges
    }

    /// The phase graph as DOT.
    pub fn dot(&self) -> String {
        let edges = self.phase_graph();
        let phases: BTreeSet<u8> = edges.keys().flat_map(|&(from, to)| [from, to]).collect();
        let mut graph = DiGraph::<String, String>::new();
        let nodes: BTreeMap<u8, _> = phases
            .into_iter()
            .map(|phase| (phase, graph.add_node(self.name_of(self.phase, phase))))
            .collect();
        for ((from, to), rules) in edges {
            let mut label = String::new();
            for (index, rule) in rules.iter().enumerate() {
                let gap = if index == 0 { "" } else { "\n" };
                write!(label, "{gap}{rule}").expect("a string takes everything");
            }
            graph.add_edge(nodes[&from], nodes[&to], label);
        }
        let style: &[Config] =
            &[Config::GraphContentOnly, Config::NodeNoLabel, Config::EdgeNoLabel];
        let label = |text: &str| format!("label = \"{}\"", text.replace('\n', "\\n"));
        let edge = |_, edge: petgraph::graph::EdgeReference<'_, String>| label(edge.weight());
        let node = |_, (_, name): (_, &String)| label(name);
        let body = Dot::with_attr_getters(&graph, style, &edge, &node);
        format!(
            "// The phases of {}. Generated: a test holds it against the machine.\ndigraph {} {{\n    \
             node [shape = box, style = rounded]\n{body:?}}}\n",
            self.name, self.name
        )
    }
}
