//! Mutants that nobody has to write: one kind of mistake, everywhere it can be made.
//!
//! ```text
//!   if used < most { self.shed(); }
//!      │ boundary: used <= most       │ dropped statement
//!      │ comparison: used >= most
//!      └ condition: !(used < most)
//! ```
//!
//! Each operator makes only what compiles whatever the names mean: another value of the same type,
//! a statement without a value left out, an arm that a guard shuts.
use std::ops::Range;

use syn::visit::{self, Visit};

use crate::mutant::{Change, Shape};
use crate::source::{is_for_tests, range_of};

/// A kind of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// The opposite comparison.
    Comparison,
    /// The same comparison with the other answer for equal values.
    Boundary,
    /// The other of `&&` and `||`.
    Connective,
    /// A condition negated.
    Condition,
    /// Another number where a tunable is set.
    Tunable,
    /// A statement left out.
    Dropped,
    /// Two neighbouring statements in the other order.
    Swapped,
    /// A function that returns a default at once.
    Default,
    /// A match arm that never matches.
    Arm,
}

impl Operator {
    /// The word in ids and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comparison => "comparison",
            Self::Boundary => "boundary",
            Self::Connective => "connective",
            Self::Condition => "condition",
            Self::Tunable => "tunable",
            Self::Dropped => "dropped",
            Self::Swapped => "swapped",
            Self::Default => "default",
            Self::Arm => "arm",
        }
    }
}

/// A mistake at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Its kind.
    pub operator: Operator,
    /// The function it is in.
    pub function: String,
    /// What stands there.
    pub was: String,
    /// The change.
    pub change: Change,
}

/// Every mistake that can be made in a file, in the order of its text. Numbers are changed only
/// when the file is one that sets `tunables`.
pub fn mistakes(text: &str, tunables: bool) -> Vec<Mistake> {
    let Ok(file) = syn::parse_file(text) else {
        return Vec::new();
    };
    let mut maker = Maker { text, tunables, function: Vec::new(), made: Vec::new() };
    maker.visit_file(&file);
    let mut made = maker.made;
    made.sort_by_key(|it| (it.change.range.start, it.operator));
    made
}

struct Maker<'t> {
    text: &'t str,
    tunables: bool,
    function: Vec<String>,
    made: Vec<Mistake>,
}

impl Maker<'_> {
    fn make(&mut self, operator: Operator, range: Range<usize>, text: String, shape: Shape) {
        let Some(function) = self.function.last() else {
            return;
        };
        let was = self.text[range.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
        self.made.push(Mistake {
            operator,
            function: function.clone(),
            was,
            change: Change { range, text, shape },
        });
    }

    fn enter(&mut self, signature: &syn::Signature, block: &syn::Block) {
        self.function.push(signature.ident.to_string());
        if let Some(value) = default_of(&signature.output)
            && !block.stmts.is_empty()
        {
            self.make(Operator::Default, range_of(block), format!("{{ {value} }}"), Shape::Whole);
        }
        self.visit_block(block);
        self.function.pop();
    }

    fn binary(&mut self, it: &syn::ExprBinary) {
        let other = |op: &str| {
            let (left, right) = (&self.text[range_of(&*it.left)], &self.text[range_of(&*it.right)]);
            format!("{left} {op} {right}")
        };
        let texts: &[(Operator, &str)] = match it.op {
            syn::BinOp::Lt(_) => &[(Operator::Boundary, "<="), (Operator::Comparison, ">=")],
            syn::BinOp::Le(_) => &[(Operator::Boundary, "<"), (Operator::Comparison, ">")],
            syn::BinOp::Gt(_) => &[(Operator::Boundary, ">="), (Operator::Comparison, "<=")],
            syn::BinOp::Ge(_) => &[(Operator::Boundary, ">"), (Operator::Comparison, "<")],
            syn::BinOp::Eq(_) => &[(Operator::Comparison, "!=")],
            syn::BinOp::Ne(_) => &[(Operator::Comparison, "==")],
            syn::BinOp::And(_) if !has_let(&it.left) && !has_let(&it.right) => {
                &[(Operator::Connective, "||")]
            }
            syn::BinOp::Or(_) => &[(Operator::Connective, "&&")],
            _ => &[],
        };
        let made: Vec<_> = texts.iter().map(|&(operator, op)| (operator, other(op))).collect();
        for (operator, text) in made {
            self.make(operator, range_of(it), text, Shape::Expression);
        }
    }

    fn condition(&mut self, condition: &syn::Expr) {
        // The opposite of a comparison is the comparison operator's to make.
        if !has_let(condition) && !matches!(condition, syn::Expr::Binary(_)) {
            let range = range_of(condition);
            let text = format!("!({})", &self.text[range.clone()]);
            self.make(Operator::Condition, range, text, Shape::Expression);
        }
    }

    fn number(&mut self, literal: &syn::LitInt) {
        let Ok(value) = literal.base10_parse::<u64>() else {
            return;
        };
        let mut values = vec![value + 1, value * 2, value / 2, 0];
        values.extend(value.checked_sub(1));
        values.sort_unstable();
        values.dedup();
        let suffix = literal.suffix();
        let others = values.into_iter().filter(|&other| other != value);
        let texts = others.map(|other| format!("{other}{suffix}"));
        // All bits set: the greatest value of whichever type it is.
        for text in texts.chain([format!("!0{suffix}")]) {
            self.make(Operator::Tunable, literal.span().byte_range(), text, Shape::Expression);
        }
    }

    fn arms(&mut self, it: &syn::ExprMatch) {
        let caught = it.arms.iter().position(|arm| matches!(arm.pat, syn::Pat::Wild(_)));
        for (at, arm) in it.arms.iter().enumerate() {
            let guard = match &arm.pat {
                syn::Pat::Guard(guarded) if !has_let(&guarded.guard) => range_of(&*guarded.guard),
                syn::Pat::Guard(_) => continue,
                pattern if caught.is_some_and(|wild| at < wild) => {
                    let end = range_of(pattern).end;
                    end..end
                }
                _ => continue,
            };
            self.make(Operator::Arm, range_of(arm), String::new(), Shape::Arm { guard });
        }
    }

    fn statements(&mut self, block: &syn::Block) {
        let last = block.stmts.len().saturating_sub(1);
        for (at, statement) in block.stmts.iter().enumerate() {
            let ends = matches!(
                statement,
                syn::Stmt::Expr(
                    syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_),
                    _
                )
            );
            if is_done(statement, at == last) && !(ends && at == last) {
                self.make(Operator::Dropped, range_of(statement), String::new(), Shape::Statement);
            }
        }
        for (at, pair) in block.stmts.windows(2).enumerate() {
            if is_done(&pair[0], false) && is_done(&pair[1], at + 1 == last) {
                let (first, second) = (range_of(&pair[0]), range_of(&pair[1]));
                let between = &self.text[first.end..second.start];
                let text = [&self.text[second.clone()], between, &self.text[first.clone()]];
                let (range, text) = (first.start..second.end, text.concat());
                self.make(Operator::Swapped, range, text, Shape::Whole);
            }
        }
    }
}

/// Whether a statement is there for what it does and not for a value or a name.
fn is_done(statement: &syn::Stmt, last: bool) -> bool {
    match statement {
        syn::Stmt::Expr(
            syn::Expr::Assign(_)
            | syn::Expr::MethodCall(_)
            | syn::Expr::Call(_)
            | syn::Expr::Binary(_)
            | syn::Expr::Return(_),
            semicolon,
        ) => semicolon.is_some(),
        // One with an `else` may end its function on both ways.
        syn::Stmt::Expr(syn::Expr::If(it), _) => !last && it.else_branch.is_none(),
        syn::Stmt::Expr(syn::Expr::ForLoop(_) | syn::Expr::While(_), _) => !last,
        _ => false,
    }
}

fn has_let(expression: &syn::Expr) -> bool {
    struct Lets(bool);
    impl<'a> Visit<'a> for Lets {
        fn visit_expr_let(&mut self, _: &'a syn::ExprLet) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'a syn::ExprClosure) {}
        fn visit_block(&mut self, _: &'a syn::Block) {}
    }
    let mut lets = Lets(false);
    lets.visit_expr(expression);
    lets.0
}

/// A default of a return type that is known by its name alone.
fn default_of(output: &syn::ReturnType) -> Option<&'static str> {
    let syn::ReturnType::Type(_, kind) = output else {
        return Some("");
    };
    let syn::Type::Path(path) = &**kind else {
        return None;
    };
    match path.path.segments.last()?.ident.to_string().as_str() {
        "bool" => Some("false"),
        "Option" => Some("None"),
        "u8" | "u16" | "u32" | "u64" | "usize" => Some("0"),
        _ => None,
    }
}

impl<'a> Visit<'a> for Maker<'_> {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            self.enter(&function.sig, &function.block);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            self.enter(&function.sig, &function.block);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.enter(&function.sig, block);
        }
    }

    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_type(&mut self, _: &'a syn::Type) {}
    fn visit_pat(&mut self, pattern: &'a syn::Pat) {
        if let syn::Pat::Guard(guarded) = pattern {
            self.visit_expr(&guarded.guard);
        }
    }
    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}

    fn visit_block(&mut self, block: &'a syn::Block) {
        self.statements(block);
        visit::visit_block(self, block);
    }

    fn visit_expr(&mut self, expression: &'a syn::Expr) {
        match expression {
            syn::Expr::Binary(it) => self.binary(it),
            syn::Expr::If(it) => self.condition(&it.cond),
            syn::Expr::Match(it) => self.arms(it),
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) if self.tunables => {
                self.number(literal);
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Vec<(Operator, String)> {
        mistakes(text, true).into_iter().map(|it| (it.operator, it.change.apply(text))).collect()
    }

    #[test]
    fn each_operator_makes_its_mistake_once() {
        use Operator::{Arm, Boundary, Comparison, Condition, Default, Dropped, Swapped, Tunable};
        let expected = |list: &[(Operator, &str)]| -> Vec<(Operator, String)> {
            list.iter().map(|&(operator, text)| (operator, text.to_owned())).collect()
        };
        assert_eq!(
            made("fn f(a: X) -> bool { a < b }"),
            expected(&[
                (Default, "fn f(a: X) -> bool { false }"),
                (Comparison, "fn f(a: X) -> bool { a >= b }"),
                (Boundary, "fn f(a: X) -> bool { a <= b }"),
            ])
        );
        assert_eq!(
            made("fn f() -> X { a.b(); c.d(); if e.f() { return x; } y }"),
            expected(&[
                (Dropped, "fn f() -> X {  c.d(); if e.f() { return x; } y }"),
                (Swapped, "fn f() -> X { c.d(); a.b(); if e.f() { return x; } y }"),
                (Dropped, "fn f() -> X { a.b();  if e.f() { return x; } y }"),
                (Swapped, "fn f() -> X { a.b(); if e.f() { return x; } c.d(); y }"),
                (Dropped, "fn f() -> X { a.b(); c.d();  y }"),
                (Condition, "fn f() -> X { a.b(); c.d(); if !(e.f()) { return x; } y }"),
            ])
        );
        assert_eq!(
            made("fn f() -> X { match a { 1 => b, c if d => e, _ => g } }"),
            expected(&[
                (Arm, "fn f() -> X { match a {  c if d => e, _ => g } }"),
                (Arm, "fn f() -> X { match a { 1 => b,  _ => g } }"),
            ])
        );
        assert_eq!(
            made("fn f() -> X { X { a: 4 } }"),
            expected(&[
                (Tunable, "fn f() -> X { X { a: 0 } }"),
                (Tunable, "fn f() -> X { X { a: 2 } }"),
                (Tunable, "fn f() -> X { X { a: 3 } }"),
                (Tunable, "fn f() -> X { X { a: 5 } }"),
                (Tunable, "fn f() -> X { X { a: 8 } }"),
                (Tunable, "fn f() -> X { X { a: !0 } }"),
            ])
        );
    }

    #[test]
    fn nothing_is_made_of_tests_types_patterns_and_chains_of_let() {
        for text in [
            "#[cfg(test)] mod tests { fn f() -> bool { a < b } }",
            "#[test] fn f() { a.b(); }",
            "fn f(a: [u8; 4]) -> X { let [b, 4] = a; c }",
            "fn f() -> X { if let Some(a) = b { c } else { d } }",
            "no Rust (",
        ] {
            assert_eq!(made(text), [], "{text}");
        }
    }
}
