//! What the runner has to know of a source file: its functions, and where its loops begin.
//!
//! ```text
//!   pub const fn limit(&self) -> u64 { let mut n = 0; while n < 3 { n += 1; } n }
//!       └const┘    └name┘            └──────────────── body ───────┴ loop ─────┘
//! ```
//!
//! Everything is a range of bytes of the text, so that a change is made on the text itself and
//! layout and comments stay as they are. Code that is compiled for tests only is left out.
use std::ops::Range;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};

pub mod constant;

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The type whose `impl` block it is in.
    pub owner: Option<String>,
    /// Where the word `const` stands, if it has it.
    pub constness: Option<Range<usize>>,
    /// Its body, with both braces.
    pub body: Range<usize>,
    /// Whether its return type is `impl Trait`: then all of its ends must have one type, which two
    /// copies of a closure have not.
    pub opaque: bool,
}

/// A constant outside of functions, or in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its name.
    pub name: String,
    /// The whole item from the word `const` to its semicolon.
    pub item: Range<usize>,
    /// Its type.
    pub kind: Range<usize>,
    /// Its value.
    pub value: Range<usize>,
    /// Whether it could be a function: its type borrows nothing, and no trait asks for it.
    pub callable: bool,
}

/// A source file and what was found in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The text.
    pub text: String,
    /// The functions, in the order of their bodies' starts; inner ones after the outer.
    pub functions: Vec<Function>,
    /// The constants.
    pub constants: Vec<Constant>,
    /// Positions behind the opening brace of each loop's body, ascending.
    pub loops: Vec<usize>,
    /// Where an expression names something in capitals by its path, as constants are named: the
    /// last part of the path and the position behind it. Words within macros are among them.
    pub named: Vec<(String, usize)>,
    /// Names in capitals that a pattern compares with.
    pub patterns: Vec<String>,
}

impl Source {
    /// Reads a file of Rust.
    ///
    /// # Errors
    /// When it is none, what the parser says.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file = syn::parse_file(text).map_err(|error| error.to_string())?;
        let mut finder = Finder::default();
        finder.visit_file(&file);
        Ok(finder.found(text))
    }

    /// Reads a block, such as a changed body of a function.
    ///
    /// # Errors
    /// When it is none, what the parser says.
    pub fn parse_block(text: &str) -> Result<Self, String> {
        let block: syn::Block = syn::parse_str(text).map_err(|error| error.to_string())?;
        let mut finder = Finder::default();
        finder.visit_block(&block);
        Ok(finder.found(text))
    }

    /// Reads an expression, such as a changed value of a constant.
    ///
    /// # Errors
    /// When it is none, what the parser says.
    pub fn parse_expression(text: &str) -> Result<Self, String> {
        let expression: syn::Expr = syn::parse_str(text).map_err(|error| error.to_string())?;
        let mut finder = Finder::default();
        finder.visit_expr(&expression);
        Ok(finder.found(text))
    }

    /// The constant whose item holds `range`.
    pub fn constant_around(&self, range: &Range<usize>) -> Option<&Constant> {
        self.constants.iter().find(|it| it.item.start <= range.start && range.end <= it.item.end)
    }

    /// The innermost function whose body holds `range`, braces excluded.
    pub fn function_around(&self, range: &Range<usize>) -> Option<&Function> {
        let holds = |it: &&Function| it.body.start < range.start && range.end < it.body.end;
        self.functions.iter().filter(holds).min_by_key(|function| function.body.len())
    }
}

/// Where a piece of syntax stands.
pub(crate) fn range_of(piece: &impl syn::spanned::Spanned) -> Range<usize> {
    piece.span().byte_range()
}

/// Whether an item is compiled for tests only.
pub(crate) fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let words = match &attribute.meta {
            syn::Meta::List(list) if list.path.is_ident("cfg") => list.tokens.to_string(),
            syn::Meta::Path(path) if path.is_ident("test") => return true,
            syn::Meta::List(_) | syn::Meta::Path(_) | syn::Meta::NameValue(_) => return false,
        };
        words == "test"
    })
}

#[derive(Default)]
struct Finder {
    functions: Vec<Function>,
    constants: Vec<Constant>,
    loops: Vec<usize>,
    named: Vec<(String, usize)>,
    patterns: Vec<String>,
    of_trait: bool,
    owner: Option<String>,
}

impl Finder {
    fn found(self, text: &str) -> Source {
        let Self { mut functions, constants, mut loops, mut named, patterns, .. } = self;
        functions.sort_by_key(|function| function.body.start);
        loops.sort_unstable();
        named.sort_by_key(|(_, at)| *at);
        Source { text: text.to_owned(), functions, constants, loops, named, patterns }
    }

    fn names(&mut self, name: &proc_macro2::Ident) {
        if is_capital(&name.to_string()) {
            self.named.push((name.to_string(), name.span().byte_range().end));
        }
    }

    fn names_in(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(name) => self.names(&name),
                TokenTree::Group(group) => self.names_in(group.stream()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    fn constant(
        &mut self,
        name: &syn::Ident,
        kind: &syn::Type,
        value: &syn::Expr,
        whole: Range<usize>,
    ) {
        self.constants.push(Constant {
            name: name.to_string(),
            item: whole,
            kind: range_of(kind),
            value: range_of(value),
            callable: !self.of_trait && !borrows(kind),
        });
    }

    fn function(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let opaque = match &signature.output {
            syn::ReturnType::Default => false,
            syn::ReturnType::Type(_, kind) => names_a_trait(kind),
        };
        self.functions.push(Function {
            name: signature.ident.to_string(),
            owner: self.owner.clone(),
            constness: signature.constness.as_ref().map(range_of),
            body: range_of(block),
            opaque,
        });
    }

    fn round(&mut self, body: &syn::Block) {
        let brace: Span = body.brace_token.span.open();
        self.loops.push(brace.byte_range().end);
    }
}

/// Whether a name is written as constants are.
fn is_capital(name: &str) -> bool {
    name.len() > 1
        && name.starts_with(|letter: char| letter.is_ascii_uppercase())
        && !name.contains(|letter: char| letter.is_ascii_lowercase())
}

fn borrows(kind: &syn::Type) -> bool {
    struct Borrows(bool);
    impl<'a> Visit<'a> for Borrows {
        fn visit_type_reference(&mut self, _: &'a syn::TypeReference) {
            self.0 = true;
        }
        fn visit_lifetime(&mut self, _: &'a syn::Lifetime) {
            self.0 = true;
        }
    }
    let mut found = Borrows(false);
    found.visit_type(kind);
    found.0
}

fn names_a_trait(kind: &syn::Type) -> bool {
    struct Opaque(bool);
    impl<'a> Visit<'a> for Opaque {
        fn visit_type_impl_trait(&mut self, _: &'a syn::TypeImplTrait) {
            self.0 = true;
        }
    }
    let mut opaque = Opaque(false);
    opaque.visit_type(kind);
    opaque.0
}

impl<'a> Visit<'a> for Finder {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if !is_for_tests(&module.attrs) {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_impl(&mut self, item: &'a syn::ItemImpl) {
        if !is_for_tests(&item.attrs) {
            let outer = std::mem::replace(&mut self.of_trait, item.trait_.is_some());
            let owner = std::mem::replace(&mut self.owner, constant::owner_of(&item.self_ty));
            visit::visit_item_impl(self, item);
            (self.of_trait, self.owner) = (outer, owner);
        }
    }

    fn visit_item_const(&mut self, item: &'a syn::ItemConst) {
        let whole = range_of(&item.const_token).start..range_of(&item.semi_token).end;
        self.constant(&item.ident, &item.ty, &item.expr, whole);
        visit::visit_item_const(self, item);
    }

    fn visit_impl_item_const(&mut self, item: &'a syn::ImplItemConst) {
        let whole = range_of(&item.const_token).start..range_of(&item.semi_token).end;
        self.constant(&item.ident, &item.ty, &item.expr, whole);
        visit::visit_impl_item_const(self, item);
    }

    fn visit_expr_path(&mut self, path: &'a syn::ExprPath) {
        if let Some(last) = path.path.segments.last() {
            self.names(&last.ident);
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_macro(&mut self, it: &'a syn::Macro) {
        if it.path.is_ident("matches") || it.path.is_ident("assert_matches") {
            let mut inner = Self::default();
            inner.names_in(it.tokens.clone());
            self.patterns.extend(inner.named.into_iter().map(|(name, _)| name));
        } else {
            self.names_in(it.tokens.clone());
        }
    }

    fn visit_pat(&mut self, pattern: &'a syn::Pat) {
        let name = match pattern {
            syn::Pat::Ident(it) => Some(&it.ident),
            syn::Pat::Path(it) => it.path.segments.last().map(|last| &last.ident),
            _ => None,
        };
        if let Some(name) = name.map(ToString::to_string).filter(|name| is_capital(name)) {
            self.patterns.push(name);
        } else if let syn::Pat::Range(it) = pattern {
            let mut inner = Self::default();
            for end in [&it.start, &it.end].into_iter().flatten() {
                inner.visit_expr(end);
            }
            self.patterns.extend(inner.named.into_iter().map(|(name, _)| name));
        } else if !matches!(pattern, syn::Pat::Path(_)) {
            visit::visit_pat(self, pattern);
        }
    }

    fn visit_item_fn(&mut self, function: &'a syn::ItemFn) {
        if !is_for_tests(&function.attrs) {
            self.function(&function.sig, &function.block);
            visit::visit_item_fn(self, function);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &'a syn::ImplItemFn) {
        if !is_for_tests(&function.attrs) {
            self.function(&function.sig, &function.block);
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_trait_item_fn(&mut self, function: &'a syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.function(&function.sig, block);
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_expr_while(&mut self, it: &'a syn::ExprWhile) {
        self.round(&it.body);
        visit::visit_expr_while(self, it);
    }

    fn visit_expr_loop(&mut self, it: &'a syn::ExprLoop) {
        self.round(&it.body);
        visit::visit_expr_loop(self, it);
    }

    fn visit_expr_for_loop(&mut self, it: &'a syn::ExprForLoop) {
        self.round(&it.body);
        visit::visit_expr_for_loop(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
pub const fn limit() -> u64 { let mut n = 0; while n < 3 { n += 1; } n }
impl X { fn all(&self) -> impl Iterator<Item = u8> { self.0.iter().map(|it| *it) } }
fn outer() { fn inner() { loop {} } }
#[cfg(test)]
mod tests { fn helper() {} }
";

    #[test]
    fn functions_are_found_with_their_bodies_and_without_those_of_tests() {
        let source = Source::parse(TEXT).expect("this is Rust");
        let names: Vec<_> = source.functions.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["limit", "all", "outer", "inner"]);
        let limit = &source.functions[0];
        assert_eq!(&source.text[limit.constness.clone().expect("a const fn")], "const");
        assert!(source.text[limit.body.clone()].starts_with("{ let mut n"));
        assert!(source.text[limit.body.clone()].ends_with("n }"));
        assert_eq!(
            source.functions.iter().map(|it| it.opaque).collect::<Vec<_>>(),
            [false, true, false, false]
        );
        let place = source.text.find("loop").expect("it is there");
        let inner = source.function_around(&(place..place + 4)).expect("it is inside");
        assert_eq!(inner.name, "inner");
        assert!(source.function_around(&(0..1)).is_none());
    }

    #[test]
    fn constants_are_found_with_the_places_that_name_them() {
        let text = "const A_B: u8 = 1 + X::C_D; const T: &str = \"\";
            fn f() { g(self::A_B); m!(A_B); match x { A_B => {} C_D..=E_F => {} _ => {} } }";
        let source = Source::parse(text).expect("this is Rust");
        assert_eq!(&source.text[source.constants[0].item.clone()], "const A_B: u8 = 1 + X::C_D;");
        assert_eq!(&source.text[source.constants[0].value.clone()], "1 + X::C_D");
        assert_eq!(
            source.constants.iter().map(|it| it.callable).collect::<Vec<_>>(),
            [true, false]
        );
        let named: Vec<_> = source.named.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(named, ["C_D", "A_B", "A_B"]);
        assert_eq!(source.patterns, ["A_B", "C_D", "E_F"]);
    }

    #[test]
    fn a_loop_is_where_its_body_begins() {
        let source = Source::parse(TEXT).expect("this is Rust");
        let after: Vec<_> = source.loops.iter().map(|&at| &source.text[at - 1..at]).collect();
        assert_eq!(after, ["{", "{"]);
        let block = Source::parse_block("{ for x in y { z() } }").expect("a block");
        assert_eq!(block.loops, [14]);
        assert!(Source::parse_block("{ for }").is_err());
        assert!(Source::parse_expression("1 +").is_err());
        assert!(Source::parse("fn (").is_err());
    }
}
