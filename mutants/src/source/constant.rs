//! Which functions a crate calls where the compiler has to compute the result.
//!
//! ```text
//!   const PERIOD: Duration = Duration::from_millis(10);   from_millis is needed as const
//!   const fn from_millis(n) -> .. { Self::of(n) }          so is of
//! ```
//!
//! A switch is read when the code runs, so a function with a mutant in it loses the word `const`
//! in the copy; those found here keep it, and their mutants are built alone. A call is known by its
//! path (`Type::name`, `name`) or, for a method, by its name alone; inside of a macro, a word before
//! a parenthesis may be a call, and a word in capitals a constant. So some functions keep the word
//! without need.
use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::is_capital;

/// What the files of a workspace say about constants.
#[derive(Debug, Default)]
pub struct Constants {
    /// What is called or named where a constant is needed.
    called: BTreeSet<Call>,
    /// Every const function: its owner, its name, and what it calls.
    functions: Vec<(Option<String>, String, BTreeSet<Call>)>,
}

/// A call, as far as it can be told from the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Call {
    /// `name(..)` or `module::name(..)`, also a constant.
    Free(String),
    /// `Type::name(..)`.
    Of(String, String),
    /// `value.name(..)`.
    Method(String),
    /// A word in a macro.
    Word(String),
}

/// What has to stay constant.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    called: BTreeSet<Call>,
}

impl Needed {
    /// Whether a function has to stay `const`; its owner is the type of its `impl` block.
    pub fn function(&self, owner: Option<&str>, name: &str) -> bool {
        let has = |call: Call| self.called.contains(&call);
        has(Call::Word(name.to_owned()))
            || match owner {
                None => has(Call::Free(name.to_owned())),
                Some(owner) => {
                    has(Call::Of(owner.to_owned(), name.to_owned()))
                        || has(Call::Method(name.to_owned()))
                }
            }
    }

    /// Whether a constant of this name has to stay one, whichever type it belongs to.
    pub fn constant(&self, name: &str) -> bool {
        self.called.iter().any(|call| match call {
            Call::Free(it) | Call::Of(_, it) | Call::Word(it) => it == name,
            Call::Method(_) => false,
        })
    }

    /// Adds names that a pattern compares with.
    pub fn add(&mut self, names: impl IntoIterator<Item = String>) {
        self.called.extend(names.into_iter().map(Call::Word));
    }
}

impl Constants {
    /// Takes note of a file; a text that is not Rust says nothing.
    pub fn read(&mut self, text: &str) {
        if let Ok(file) = syn::parse_file(text) {
            Reader { found: self, owner: None }.visit_file(&file);
        }
    }

    /// What has to stay constant.
    pub fn needed(&self) -> Needed {
        let mut needed = Needed { called: self.called.clone() };
        let mut open: Vec<_> = self.functions.iter().collect();
        loop {
            let (now, later): (Vec<_>, Vec<_>) = open
                .into_iter()
                .partition(|(owner, name, _)| needed.function(owner.as_deref(), name));
            if now.is_empty() {
                return needed;
            }
            needed.called.extend(now.into_iter().flat_map(|(_, _, calls)| calls.iter().cloned()));
            open = later;
        }
    }
}

fn words(tokens: TokenStream, found: &mut BTreeSet<Call>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) => {
                let called = matches!(tokens.peek(), Some(TokenTree::Group(group))
                    if group.delimiter() == Delimiter::Parenthesis);
                let name = name.to_string();
                if called || is_capital(&name) {
                    found.insert(Call::Word(name));
                }
            }
            TokenTree::Group(group) => words(group.stream(), found),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Collects calls.
struct Calls<'s> {
    found: &'s mut BTreeSet<Call>,
    owner: Option<&'s str>,
}

impl<'a> Visit<'a> for Calls<'_> {
    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        let mut parts = path.path.segments.iter().rev().map(|part| part.ident.to_string());
        if let Some(name) = parts.next() {
            let of = parts.next().map(|of| match self.owner {
                Some(owner) if of == "Self" => owner.to_owned(),
                _ => of,
            });
            let is_type = |of: &String| of.starts_with(|letter: char| letter.is_uppercase());
            self.found.insert(match of.filter(is_type) {
                Some(of) => Call::Of(of, name),
                None => Call::Free(name),
            });
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        self.found.insert(Call::Method(call.method.to_string()));
        visit::visit_expr_method_call(self, call);
    }

    fn visit_macro(&mut self, it: &'a syn::Macro) {
        words(it.tokens.clone(), self.found);
    }
}

/// Walks over a file and looks for places that need a constant.
struct Reader<'s> {
    found: &'s mut Constants,
    owner: Option<String>,
}

impl Reader<'_> {
    fn takes(&mut self, expression: &syn::Expr) {
        Calls { found: &mut self.found.called, owner: self.owner.as_deref() }
            .visit_expr(expression);
    }

    fn body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if signature.constness.is_some() {
            let mut calls = BTreeSet::new();
            Calls { found: &mut calls, owner: self.owner.as_deref() }.visit_block(block);
            let name = signature.ident.to_string();
            self.found.functions.push((self.owner.clone(), name, calls));
        }
    }
}

impl<'a> Visit<'a> for Reader<'_> {
    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        self.takes(&item.expr);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'a syn::ItemStatic) {
        self.takes(&item.expr);
        visit::visit_item_static(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        self.takes(&item.expr);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_const(&mut self, item: &'a syn::TraitItemConst) {
        if let Some((_, expression)) = &item.default {
            self.takes(expression);
        }
        visit::visit_trait_item_const(self, item);
    }

    fn visit_variant(&mut self, variant: &'a syn::Variant) {
        if let Some((_, expression)) = &variant.discriminant {
            self.takes(expression);
        }
        visit::visit_variant(self, variant);
    }

    fn visit_type_array(&mut self, array: &'a syn::TypeArray) {
        self.takes(&array.len);
        visit::visit_type_array(self, array);
    }

    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.takes(&repeat.len);
        visit::visit_expr_repeat(self, repeat);
    }

    fn visit_expr_const(&mut self, block: &'a syn::ExprConst) {
        let owner = self.owner.as_deref();
        Calls { found: &mut self.found.called, owner }.visit_block(&block.block);
    }

    fn visit_generic_argument(&mut self, argument: &'a syn::GenericArgument) {
        match argument {
            syn::GenericArgument::Const(expression) => self.takes(expression),
            // `Vec<u8, MOST>` does not say whether MOST is a type or a constant.
            syn::GenericArgument::Type(syn::Type::Path(path)) => {
                if let Some(last) = path.path.segments.last() {
                    self.found.called.insert(Call::Free(last.ident.to_string()));
                }
            }
            _ => {}
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_item_macro(&mut self, item: &'a syn::ItemMacro) {
        // What a macro makes of its words is not known here, so all of them are kept; but these are
        // known to make tests and what draws their inputs.
        let tests = ["proptest", "prop_compose"];
        if !tests.iter().any(|name| item.mac.path.is_ident(name)) {
            words(item.mac.tokens.clone(), &mut self.found.called);
        }
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        let outer = self.owner.take();
        self.owner = owner_of(&item.self_ty);
        visit::visit_item_impl(self, item);
        self.owner = outer;
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        self.body(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        self.body(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }
}

/// The name of the type that an `impl` block is about.
pub(super) fn owner_of(kind: &syn::Type) -> Option<String> {
    match kind {
        syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(texts: &[&str]) -> Needed {
        let mut constants = Constants::default();
        for text in texts {
            constants.read(text);
        }
        constants.needed()
    }

    #[test]
    fn a_function_is_needed_when_a_constant_calls_it_or_calls_what_calls_it() {
        let needed = needed(&[
            "const A: u64 = first(1); const fn first(n: u64) -> u64 { second(n) }",
            "const fn second(n: u64) -> u64 { n } const fn third() -> u64 { 3 }",
            "fn run() { let x = third(); let y = [0; fourth()]; }",
            "not Rust (",
        ]);
        for name in ["first", "second", "fourth"] {
            assert!(needed.function(None, name), "{name}");
        }
        assert!(!needed.function(None, "third"));
    }

    #[test]
    fn functions_of_types_are_told_apart() {
        let needed =
            needed(&["impl X { const A: X = Self::new(); const fn new() -> X { Y::of() } }"]);
        assert!(needed.function(Some("X"), "new") && needed.function(Some("Y"), "of"));
        assert!(!needed.function(Some("Y"), "new") && !needed.function(None, "new"));
    }

    #[test]
    fn a_constant_in_a_type_is_needed() {
        let needed = needed(&["struct X { a: Vec<u8, MOST>, b: [u8; LEN], c: Y<{ SUM + 1 }> }"]);
        assert!(["MOST", "LEN", "SUM"].iter().all(|name| needed.constant(name)), "{needed:?}");
        assert!(!needed.constant("ROOM"));
    }

    #[test]
    fn a_word_before_a_parenthesis_in_a_macro_is_needed() {
        let table = needed(&["table! { A => made(1), other, MOST, }"]);
        assert!(table.function(Some("X"), "made") && !table.function(Some("X"), "other"));
        assert!(table.constant("MOST"));
        assert!(!needed(&["proptest! { fn t() { made(1) } }"]).function(None, "made"));
    }
}
