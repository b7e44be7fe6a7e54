//! All mutants in one copy of the sources, each behind its switch.
//!
//! ```text
//!   fn f() { g(a < b); }
//!   ──► fn f() { match woven_switch::at(1, 1) { 1 => { g(true); }                  whole body
//!              _ => { woven_switch::step(); g((match woven_switch::at(2, 3) {
//!                       2 => (a <= b), 3 => (a >= b), _ => (a < b) })); } } }      expression
//! ```
//!
//! Written mutants may change anything in a function, so each gets a version of its whole body;
//! generated ones change an expression or a statement in place. Numbers are given in the order of
//! the text, so that those of one place are neighbours.
//!
//! # What is not woven
//!
//! A function that the compiler evaluates stays `const` and cannot ask a switch. A constant becomes
//! a function if only running code names it. What is left (types, attributes, constants in types,
//! bodies of macros, functions that return `impl Trait`) is built alone.
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::mutant::{Change, Mutant, Shape};
use crate::source::constant::{Constants, Needed};
use crate::source::{Constant, Source};

/// The name of the package that holds the switch.
pub const SWITCH: &str = "woven-switch";

/// The sources that are copied, and which of them may carry mutants.
#[derive(Debug)]
pub struct Fabric {
    files: BTreeMap<PathBuf, Source>,
    woven: BTreeSet<PathBuf>,
    needed: Needed,
    defined: BTreeMap<String, usize>,
}

/// Where a mutant ended up in the woven text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its index in the list that was woven.
    pub mutant: usize,
    /// Its number on the switch.
    pub number: u32,
    /// The first number of its place: what a record says when the place is reached.
    pub place: u32,
    /// The file, relative to the workspace.
    pub file: PathBuf,
    /// Where its text stands there.
    pub range: Range<usize>,
}

/// The woven texts.
#[derive(Debug, Default)]
pub struct Woven {
    /// Every file that differs from its original, by its path in the workspace.
    pub texts: BTreeMap<PathBuf, String>,
    /// What was woven.
    pub ways: Vec<Way>,
    /// Names of constants that became functions.
    pub functions: BTreeSet<String>,
    /// Indices of mutants that have to be built alone.
    pub alone: Vec<usize>,
    /// Indices of mutants whose text is no Rust, with what the parser says.
    pub broken: Vec<(usize, String)>,
}

enum Kind {
    /// This instead of the range, which may be empty.
    Put(String),
    Switch {
        style: Style,
        ways: Vec<(usize, String)>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Style {
    Body,
    Statement,
    Value,
    Guard,
}

struct Node {
    range: Range<usize>,
    kind: Kind,
}

impl Fabric {
    /// Reads the sources of a workspace. `files` are paths with texts; `woven` says which may carry
    /// mutants. Files that are no Rust stay as they are.
    pub fn new(
        files: impl IntoIterator<Item = (PathBuf, String)>,
        woven: impl Fn(&Path) -> bool,
    ) -> Self {
        let (mut sources, mut constants) = (BTreeMap::new(), Constants::default());
        let (mut defined, mut patterns) = (BTreeMap::<String, usize>::new(), BTreeSet::new());
        for (path, text) in files {
            constants.read(&text);
            let Ok(source) = Source::parse(&text) else {
                continue;
            };
            for constant in &source.constants {
                *defined.entry(constant.name.clone()).or_default() += 1;
            }
            patterns.extend(source.patterns.iter().cloned());
            sources.insert(path, source);
        }
        let mut needed = constants.needed();
        needed.add(patterns);
        let woven = sources.keys().filter(|path| woven(path)).cloned().collect();
        Self { files: sources, woven, needed, defined }
    }

    /// The text of a file, when it is one of the workspace's sources.
    pub fn text(&self, file: &Path) -> Option<&str> {
        self.files.get(file).map(|source| source.text.as_str())
    }

    /// The same sources with another text for one file.
    ///
    /// # Errors
    /// When that text is no Rust, what the parser says.
    pub fn replaced(&self, file: &Path, text: &str) -> Result<Self, String> {
        let mut files = self.files.clone();
        files.insert(file.to_owned(), Source::parse(text)?);
        Ok(Self {
            files,
            woven: self.woven.clone(),
            needed: self.needed.clone(),
            defined: self.defined.clone(),
        })
    }

    /// Weaves the mutants in, but not those `left_out`. With none, only steps are woven.
    pub fn weave(&self, mutants: &[Mutant], left_out: &BTreeSet<usize>) -> Woven {
        let mut woven = Woven::default();
        let mut nodes: BTreeMap<&Path, Vec<Node>> = BTreeMap::new();
        let mut functions: BTreeSet<&str> = BTreeSet::new();
        let mut placed = Vec::new();
        for (index, mutant) in mutants.iter().enumerate() {
            let Ok(change) = &mutant.change else {
                continue;
            };
            if left_out.contains(&index) {
                continue;
            }
            match self.site(&mutant.file, change) {
                Some(Site::Constant(constant)) => {
                    functions.insert(&constant.name);
                    placed.push((index, mutant, change));
                }
                Some(_) => placed.push((index, mutant, change)),
                None => woven.alone.push(index),
            }
        }
        for (index, mutant, change) in placed {
            match self.node(mutant, change, &functions) {
                Ok((range, style, text)) => {
                    let list = nodes.entry(mutant.file.as_path()).or_default();
                    add(list, range, style, index, text);
                }
                Err(error) => woven.broken.push((index, error)),
            }
        }
        let mut number = 1;
        for (path, source) in &self.files {
            let mut list = nodes.remove(path.as_path()).unwrap_or_default();
            self.fixed_nodes(path, source, &functions, &mut list);
            list.sort_by_key(|node| {
                let Range { start, end } = node.range;
                let style = match node.kind {
                    Kind::Switch { style, .. } => Some(style),
                    Kind::Put(_) => None,
                };
                (start, start < end, usize::MAX - end, style)
            });
            let mut loom =
                Loom { path, text: &source.text, out: String::new(), number, ways: vec![] };
            loom.render(0..source.text.len(), &list);
            number = loom.number;
            woven.ways.append(&mut loom.ways);
            if loom.out != source.text {
                woven.texts.insert(path.clone(), loom.out);
            }
        }
        woven.functions = functions.into_iter().map(str::to_owned).collect();
        woven
    }

    /// Where a change can be put behind a switch.
    fn site(&self, file: &Path, change: &Change) -> Option<Site<'_>> {
        let source = self.files.get(file).filter(|_| self.woven.contains(file))?;
        let whole_body = source.functions.iter().find(|function| function.body == change.range);
        if let Some(function) = whole_body.or_else(|| source.function_around(&change.range)) {
            let kept = function.constness.is_some()
                && self.needed.function(function.owner.as_deref(), &function.name);
            let whole = change.shape == Shape::Whole;
            return (!kept && (!whole || !function.opaque)).then_some(Site::Body(&function.body));
        }
        let constant = source.constant_around(&change.range)?;
        let unique = self.defined.get(&constant.name) == Some(&1);
        (constant.callable && unique && !self.needed.constant(&constant.name))
            .then_some(Site::Constant(constant))
    }

    /// The place and the text of one mutant.
    fn node(
        &self,
        mutant: &Mutant,
        change: &Change,
        functions: &BTreeSet<&str>,
    ) -> Result<(Range<usize>, Style, String), String> {
        let gone = || "its file is none of the workspace's sources".to_owned();
        let source = self.files.get(&mutant.file).ok_or_else(gone)?;
        let site = self.site(&mutant.file, change).ok_or_else(gone)?;
        match (&change.shape, site) {
            (Shape::Whole, Site::Body(body)) => {
                let inside = Change {
                    range: change.range.start - body.start..change.range.end - body.start,
                    ..change.clone()
                };
                let text = inside.apply(&source.text[body.clone()]);
                let text = finished(&Source::parse_block(&text)?, functions, true);
                Ok((body.clone(), Style::Body, text))
            }
            (_, Site::Constant(constant)) => {
                let Constant { item, value, .. } = constant;
                let changed = Change {
                    range: change.range.start - item.start..change.range.end - item.start,
                    ..change.clone()
                };
                let changed = Source::parse(&changed.apply(&source.text[item.clone()]))?;
                let new = changed.constants.first().ok_or("it is no constant any more")?;
                let text = Source::parse_expression(&changed.text[new.value.clone()])?;
                Ok((value.clone(), Style::Value, finished(&text, functions, false)))
            }
            (Shape::Expression, Site::Body(_)) => {
                let text = finished(&Source::parse_expression(&change.text)?, functions, false);
                Ok((change.range.clone(), Style::Value, text))
            }
            (Shape::Statement, Site::Body(_)) => {
                Ok((change.range.clone(), Style::Statement, String::new()))
            }
            (Shape::Arm { guard }, Site::Body(_)) if guard.is_empty() => {
                Ok((guard.clone(), Style::Guard, String::new()))
            }
            (Shape::Arm { guard }, Site::Body(_)) => {
                Ok((guard.clone(), Style::Value, "false".to_owned()))
            }
        }
    }

    /// What is woven whether there are mutants or not: steps, and what constants as functions ask.
    fn fixed_nodes(
        &self,
        path: &Path,
        source: &Source,
        functions: &BTreeSet<&str>,
        list: &mut Vec<Node>,
    ) {
        let put = |range: Range<usize>, text: &str| Node { range, kind: Kind::Put(text.into()) };
        let kept: Vec<&Range<usize>> = source
            .functions
            .iter()
            .filter(|it| {
                it.constness.is_some() && self.needed.function(it.owner.as_deref(), &it.name)
            })
            .map(|it| &it.body)
            .collect();
        let may_step = |at: usize| !kept.iter().any(|body| body.contains(&at));
        if self.woven.contains(path) {
            for function in &source.functions {
                if may_step(function.body.start) {
                    let start = function.body.start + 1;
                    list.push(put(start..start, STEP));
                    list.extend(function.constness.clone().map(|word| put(word, "")));
                }
            }
        }
        let in_constant = |at: usize| source.constants.iter().any(|it| it.value.contains(&at));
        for &at in source.loops.iter().filter(|&&at| may_step(at) && !in_constant(at)) {
            list.push(put(at..at, STEP));
        }
        for (name, at) in &source.named {
            if functions.contains(name.as_str()) {
                list.push(put(*at..*at, "()"));
            }
        }
        for constant in source.constants.iter().filter(|it| functions.contains(it.name.as_str())) {
            let Constant { item, kind, value, .. } = constant;
            list.push(put(item.start..item.start + "const".len(), "fn"));
            list.push(put(kind.start - gap(source, kind.start)..kind.start, "() -> "));
            list.push(put(kind.end..value.start, " { "));
            list.push(put(value.end..item.end, " }"));
        }
    }
}

/// How many bytes lie between the end of a constant's name and its type: the colon and a blank.
fn gap(source: &Source, kind: usize) -> usize {
    let before = source.text[..kind].trim_end();
    kind - before.strip_suffix(':').map_or(before.len(), |name| name.trim_end().len())
}

enum Site<'s> {
    Body(&'s Range<usize>),
    Constant(&'s Constant),
}

/// A changed text with its steps and with constants that became functions called.
fn finished(source: &Source, functions: &BTreeSet<&str>, body: bool) -> String {
    let mut inserts: Vec<(usize, &str)> = source.loops.iter().map(|&at| (at, STEP)).collect();
    inserts.extend(body.then_some((1, STEP)));
    let called = source.named.iter().filter(|(name, _)| functions.contains(name.as_str()));
    inserts.extend(called.map(|&(_, at)| (at, "()")));
    inserts.sort_unstable();
    let mut out = String::new();
    let mut at = 0;
    for (place, text) in inserts {
        out += &source.text[at..place];
        out += text;
        at = place;
    }
    out + &source.text[at..]
}

const STEP: &str = "::woven_switch::step();";

fn add(list: &mut Vec<Node>, range: Range<usize>, style: Style, index: usize, text: String) {
    let same = |node: &&mut Node| {
        node.range == range
            && matches!(&node.kind, Kind::Switch { style: found, .. } if *found == style)
    };
    if let Some(Node { kind: Kind::Switch { ways, .. }, .. }) = list.iter_mut().find(same) {
        ways.push((index, text));
    } else {
        let kind = Kind::Switch { style, ways: vec![(index, text)] };
        list.push(Node { range, kind });
    }
}

/// Writes one file.
struct Loom<'a> {
    path: &'a Path,
    text: &'a str,
    out: String,
    number: u32,
    ways: Vec<Way>,
}

impl Loom<'_> {
    /// Writes a range of the text with the nodes inside it, which are sorted and properly nested.
    fn render(&mut self, range: Range<usize>, nodes: &[Node]) {
        let mut at = range.start;
        let mut next = 0;
        while let Some(node) = nodes.get(next) {
            let inner = nodes[next + 1..].iter().take_while(|it| is_inside(it, node)).count();
            self.out += &self.text[at..node.range.start];
            match &node.kind {
                Kind::Put(text) => self.out += text,
                Kind::Switch { style, ways } => {
                    let nodes = &nodes[next + 1..=next + inner];
                    self.switch(&node.range, *style, ways, nodes);
                }
            }
            at = node.range.end;
            next += 1 + inner;
        }
        self.out += &self.text[at..range.end];
    }

    fn switch(
        &mut self,
        range: &Range<usize>,
        style: Style,
        ways: &[(usize, String)],
        nodes: &[Node],
    ) {
        let first = self.number;
        let last = first + u32::try_from(ways.len()).unwrap_or(u32::MAX) - 1;
        self.number = last + 1;
        let start = self.out.len();
        let asked = format!("::woven_switch::at({first}, {last})");
        match style {
            Style::Statement => {
                self.put(&format!("if {asked} == 0 {{ "));
                self.render(range.clone(), nodes);
                self.out += " }";
                self.note(ways, first, start);
            }
            Style::Guard => {
                self.put(&format!(" if {asked} == 0"));
                self.note(ways, first, start);
            }
            Style::Body | Style::Value => {
                let (open, close) = if style == Style::Body { ("{ ", " }") } else { ("(", ")") };
                self.put(&format!("{open}match {asked} {{ "));
                for (number, (mutant, text)) in (first..).zip(ways) {
                    self.put(&format!("{number} => "));
                    let start = self.out.len();
                    match style {
                        Style::Body => self.put(text),
                        _ => self.put(&format!("({text})")),
                    }
                    self.way(*mutant, number, first, start);
                    self.out += ", ";
                }
                self.out += if style == Style::Body { "_ => " } else { "_ => (" };
                self.render(range.clone(), nodes);
                self.out += if style == Style::Body { " }" } else { ") }" };
                self.out += close;
            }
        }
    }

    fn put(&mut self, text: &str) {
        self.out += text;
    }

    fn note(&mut self, ways: &[(usize, String)], first: u32, start: usize) {
        for (number, (mutant, _)) in (first..).zip(ways) {
            self.way(*mutant, number, first, start);
        }
    }

    fn way(&mut self, mutant: usize, number: u32, place: u32, start: usize) {
        let (file, range) = (self.path.to_owned(), start..self.out.len());
        self.ways.push(Way { mutant, number, place, file, range });
    }
}

/// Whether a node lies in another: an empty one at the very start lies before it.
fn is_inside(node: &Node, outer: &Node) -> bool {
    let starts = if node.range.is_empty() {
        node.range.start > outer.range.start
    } else {
        node.range.start >= outer.range.start
    };
    starts && node.range.end <= outer.range.end && !outer.range.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutant::Origin;
    use crate::operators::{Operator, mistakes};

    fn fabric(text: &str) -> Fabric {
        Fabric::new([(PathBuf::from("a.rs"), text.to_owned())], |_| true)
    }

    fn mutant(change: Change) -> Mutant {
        Mutant {
            id: "m".to_owned(),
            clauses: vec![],
            what: String::new(),
            file: "a.rs".into(),
            change: Ok(change),
            origin: Origin::Generated(Operator::Boundary),
        }
    }

    fn whole(text: &str, anchor: &str, replace: &str) -> Mutant {
        let start = text.find(anchor).expect("the anchor is there");
        let range = start..start + anchor.len();
        mutant(Change { range, text: replace.to_owned(), shape: Shape::Whole })
    }

    fn woven(text: &str, mutants: &[Mutant]) -> String {
        let mut woven = fabric(text).weave(mutants, &BTreeSet::new());
        assert_eq!((woven.alone, woven.broken), (vec![], vec![]));
        woven.texts.remove(Path::new("a.rs")).expect("the file differs")
    }

    #[test]
    fn a_written_mutant_gets_a_version_of_the_whole_body() {
        let text = "const fn f() -> u8 { g(1) }";
        assert_eq!(
            woven(text, &[whole(text, "g(1", "loop { h() } (1")]),
            "\x20\
fn f() -> u8 { match ::woven_switch::at(1, 1) { 1 => {::woven_switch::step(); loop {\
::woven_switch::step(); h() } (1) }, _ => {::woven_switch::step(); g(1) } } }"
        );
    }

    #[test]
    fn generated_mutants_change_values_and_statements_in_place() {
        let text = "fn f() -> X { if a < b { c(); } d }";
        let list = mistakes(text, false);
        let list: Vec<_> = list.into_iter().map(|mistake| mutant(mistake.change)).collect();
        assert_eq!(
            woven(text, &list),
            "\
fn f() -> X {::woven_switch::step(); if ::woven_switch::at(1, 1) == 0 { if (match \
::woven_switch::at(2, 3) { 2 => (a >= b), 3 => (a <= b), _ => (a < b) }) { if \
::woven_switch::at(4, 4) == 0 { c(); } } } d }"
        );
    }

    #[test]
    fn an_arm_is_shut_by_a_guard() {
        let text = "fn f() -> X { match a { 1 => b, c if d => e, _ => g } }";
        let list = mistakes(text, false);
        let list: Vec<_> = list.into_iter().map(|mistake| mutant(mistake.change)).collect();
        assert_eq!(
            woven(text, &list),
            "\
fn f() -> X {::woven_switch::step(); match a { 1 if ::woven_switch::at(1, 1) == 0 => b, c if \
(match ::woven_switch::at(2, 2) { 2 => (false), _ => (d) }) => e, _ => g } }"
        );
    }

    #[test]
    fn a_constant_that_only_running_code_names_becomes_a_function() {
        let text = "pub const MOST: u8 = 4; fn f() -> u8 { a(MOST) }";
        assert_eq!(
            woven(text, &[whole(text, "4", "5")]),
            "\
pub fn MOST() -> u8 { (match ::woven_switch::at(1, 1) { 1 => (5), _ => (4) }) } fn f() -> u8 \
{::woven_switch::step(); a(MOST()) }"
        );
    }

    #[test]
    fn what_the_compiler_evaluates_is_built_alone() {
        for (text, anchor) in [
            ("const A_B: u8 = f(); const fn f() -> u8 { 1 }", "1"),
            ("const MOST: usize = 4; struct X([u8; MOST]);", "4"),
            ("const MOST: usize = 4; fn f(x: usize) { match x { MOST => {} _ => {} } }", "4"),
            ("struct X(u8);", "u8"),
            ("fn f() -> impl Fn() { || 1 }", "1"),
        ] {
            let list = [whole(text, anchor, "5")];
            assert_eq!(fabric(text).weave(&list, &BTreeSet::new()).alone, [0], "{text}");
            assert!(fabric(text).weave(&list, &BTreeSet::from([0])).alone.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_no_rust_is_told_before_anything_is_built() {
        let text = "fn f() { g(1) }";
        let found = fabric(text).weave(&[whole(text, "g(1", "g((1")], &BTreeSet::new());
        assert_eq!(found.broken.len(), 1);
        assert!(found.ways.is_empty());
    }
}
