//! Models in Promela, for a second opinion by Spin.
//!
//! ```text
//!   READ system ──graph──► states and labelled transitions as arrays ──► Spin searches, asserts, LTL
//!   budget loop ──Config──► a loop written for Spin, from the clauses ──► Spin searches, asserts
//! ```
//!
//! The first is exact: Spin counts the same states, and judges the labels with its own search and its
//! own algorithm for loops; it says nothing about whether the transitions are right. The second is
//! written anew from WG-DISCO-1 and WG-Q2 and shares nothing with the core; it says nothing about
//! whether its states are the core's.
pub mod budget;

use std::fmt::Write as _;

use crate::checker::graph::Graph;

/// A rule over labels, for Spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No transition has this label.
    Never(u32),
    /// After a transition with the first label there is none with the second.
    NeverAfter(u32, u32),
    /// After a transition with the first label there is, some day, one with the second.
    Eventually(u32, u32),
}

/// The name of the header that [`graph`]'s model includes.
pub const HEADER: &str = "graph.h";

/// The arrays of a graph in C: Spin takes no longer text inline.
pub fn header(graph: &Graph) -> String {
    let mut first = vec![0_usize; graph.states as usize + 1];
    for (from, _, _) in &graph.edges {
        first[*from as usize + 1] += 1;
    }
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let list = |numbers: &mut dyn Iterator<Item = String>| numbers.collect::<Vec<_>>().join(",");
    let first = list(&mut first.iter().map(ToString::to_string));
    let to = list(&mut graph.edges.iter().map(|(_, to, _)| to.to_string()));
    let label = list(&mut graph.edges.iter().map(|(_, _, label)| label.to_string()));
    format!(
        "static const int FIRST[] = {{{first}}};\nstatic const int TO[] = {{{to}}};\n\
         static const int LABEL[] = {{{label}}};\n"
    )
}

/// A graph in Promela with one claim: an assertion, or a formula named `claim`. Beside it lies
/// [`header`] as [`HEADER`].
pub fn graph(graph: &Graph, claim: Claim) -> String {
    let (watch, formula) = match claim {
        Claim::Never(label) => (format!("assert((label & {label}) == 0)"), String::new()),
        Claim::NeverAfter(once, never) => (
            format!(
                "assert(!seen || (label & {never}) == 0);\n      \
                 if :: (label & {once}) != 0 -> seen = true :: else fi"
            ),
            String::new(),
        ),
        Claim::Eventually(trigger, goal) => (
            format!(
                "if\n      :: (label & {goal}) != 0 -> waits = false\n      \
                 :: (label & {goal}) == 0 && (label & {trigger}) != 0 -> waits = true\n      \
                 :: else\n      fi"
            ),
            "ltl claim { [] (waits -> <> !waits) }\n".to_owned(),
        ),
    };
    let mut text = String::new();
    writeln!(text, "/* {} states, {} transitions */", graph.states, graph.edges.len())
        .expect("a string takes everything");
    write!(
        text,
        "c_decl {{\n  \\#include \"{HEADER}\"\n}}\n\
         int state = 0;\nbool seen = false;\nbool waits = false;\nhidden int edge;\n\
         hidden int label;\nhidden int last;\n{formula}\
         active proctype closed() {{\n  do\n  \
         :: atomic {{\n      c_expr {{ FIRST[now.state] < FIRST[now.state + 1] }} ->\n      \
         c_code {{ edge = FIRST[now.state]; last = FIRST[now.state + 1] - 1; }};\n      \
         do\n      :: edge < last -> edge++\n      :: break\n      od;\n      \
         c_code {{ label = LABEL[edge]; now.state = TO[edge]; }};\n      {watch};\n      \
         edge = 0; label = 0; last = 0\n    }}\n  \
         :: c_expr {{ FIRST[now.state] == FIRST[now.state + 1] }} -> break\n  od\n}}\n"
    )
    .expect("a string takes everything");
    text
}
