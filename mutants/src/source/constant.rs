//! Which functions a crate calls where the compiler has to compute the result.
//!
//! ```text
//!   const PERIOD: Duration = Duration::from_millis(10);   from_millis is needed as const
//!   const fn from_millis(n) -> .. { Self::of(n) }          so is of
//! ```
//!
//! A switch is read when the code runs, so a function with a mutant in it loses the word `const`
//! in the copy; those found here keep it, and their mutants are built alone. Calls are told apart
//! by name only, so some functions keep it without need.
use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

/// What the files of a workspace say about constants.
#[derive(Debug, Default)]
pub struct Constants {
    /// Names called where a constant is needed.
    called: BTreeSet<String>,
    /// For each name of a const function, the names that functions of this name call.
    bodies: BTreeMap<String, BTreeSet<String>>,
}

impl Constants {
    /// Takes note of a file; a text that is not Rust says nothing.
    pub fn read(&mut self, text: &str) {
        if let Ok(file) = syn::parse_file(text) {
            Reader(self).visit_file(&file);
        }
    }

    /// The names of the functions that have to stay `const`.
    pub fn needed(&self) -> BTreeSet<String> {
        let mut needed = self.called.clone();
        let mut open: Vec<_> = needed.iter().cloned().collect();
        while let Some(name) = open.pop() {
            for called in self.bodies.get(&name).into_iter().flatten() {
                if needed.insert(called.clone()) {
                    open.push(called.clone());
                }
            }
        }
        needed
    }

    fn takes(&mut self, expression: &syn::Expr) {
        let mut calls = Calls(&mut self.called);
        calls.visit_expr(expression);
    }

    fn takes_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    self.called.insert(name.to_string());
                }
                TokenTree::Group(group) => self.takes_tokens(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if signature.constness.is_some() {
            let called = self.bodies.entry(signature.ident.to_string()).or_default();
            Calls(called).visit_block(block);
        }
    }
}

/// Collects the names of the functions that are called.
struct Calls<'s>(&'s mut BTreeSet<String>);

impl<'a> Visit<'a> for Calls<'_> {
    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        if let Some(last) = path.path.segments.last() {
            self.0.insert(last.ident.to_string());
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.0.insert(call.method.to_string());
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, it: &'a syn::Macro) {
        let mut constants = Constants::default();
        constants.takes_tokens(it.tokens.clone());
        self.0.extend(constants.called);
    }
}

/// Walks over a file and looks for places that need a constant.
struct Reader<'s>(&'s mut Constants);

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.0.takes(&item.expr);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.0.takes(&item.expr);
        visit::visit_item_static(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.0.takes(&item.expr);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_const(&mut self, item: &'a syn::TraitItemConst) {
        if let Some((_, expression)) = &item.default {
            self.0.takes(expression);
        }
        visit::visit_trait_item_const(self, item);
    }

    fn visit_variant(&mut self, variant: &'a syn::Variant) {
        if let Some((_, expression)) = &variant.discriminant {
            self.0.takes(expression);
        }
        visit::visit_variant(self, variant);
    }

    fn visit_type_array(&mut self, array: &'a syn::TypeArray) {
        self.0.takes(&array.len);
        visit::visit_type_array(self, array);
    }

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.0.takes(&repeat.len);
        visit::visit_expr_repeat(self, repeat);
    }

    fn visit_expr_const(&mut self, block: &'a syn::ExprConst) {
        Calls(&mut self.0.called).visit_block(&block.block);
    }

    fn visit_generic_argument(&mut self, argument: &'a syn::GenericArgument) {
        match argument {
            syn::GenericArgument::Const(expression) => self.0.takes(expression),
            // `Vec<u8, MOST>` does not say whether MOST is a type or a constant.
            syn::GenericArgument::Type(syn::Type::Path(path)) => {
                if let Some(last) = path.path.segments.last() {
                    self.0.called.insert(last.ident.to_string());
                }
            }
            _ => {}
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        // What a macro makes of its words is not known here, so all of them are kept; but this one
        // is known to make tests.
        if !item.mac.path.is_ident("proptest") {
            self.0.takes_tokens(item.mac.tokens.clone());
        }
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.0.body(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.0.body(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_needed_when_a_constant_calls_it_or_calls_what_calls_it() {
        let mut constants = Constants::default();
        constants.read("const A: u64 = first(1); const fn first(n: u64) -> u64 { second(n) }");
        constants.read("const fn second(n: u64) -> u64 { n } const fn third() -> u64 { 3 }");
        constants.read("fn run() { let x = third(); let y = [0; fourth()]; }");
        constants.read("not Rust (");
        let needed = constants.needed();
        for name in ["first", "second", "fourth"] {
            assert!(needed.contains(name), "{name}");
        }
        assert!(!needed.contains("third"));
    }

    #[test]
    fn a_constant_in_a_type_is_needed() {
        let mut constants = Constants::default();
        constants.read("struct X { a: Vec<u8, MOST>, b: [u8; LEN], c: Y<{ SUM + 1 }> }");
        let needed = constants.needed();
        assert!(["MOST", "LEN", "SUM"].iter().all(|name| needed.contains(*name)), "{needed:?}");
    }

    #[test]
    fn every_word_of_a_macro_is_needed() {
        let mut constants = Constants::default();
        constants.read("table! { A => made(1), }");
        assert!(constants.needed().contains("made"));
    }
}
