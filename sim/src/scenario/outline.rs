//! Where in a RON text the value at a path lies: for errors that name a place and for `--set`.
//!
//! ```text
//!   (title: "x", peers: [(name: "fleet", count: 240)])
//!                                               ▲ Field("peers"), Item(0), Field("count")
//! ```
//!
//! Not a parser: the text has been accepted by one, and whatever is not understood here is simply
//! not found. It never fails and never panics, on any text.
use std::ops::Range;

/// One step of a path into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// The field of that name.
    Field(&'a str),
    /// The element with that index.
    Item(usize),
}

/// A field of a struct, or an element of a list, which has no name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// The field's name; empty for an element.
    pub(crate) name: &'a str,
    /// The value.
    pub(crate) value: Range<usize>,
}

/// The range of the value at `path`, or of the innermost value on the way that exists, and how many
/// steps led there.
pub(crate) fn find(text: &str, path: &[Step<'_>]) -> (Range<usize>, usize) {
    let mut found = root(text);
    for (taken, step) in path.iter().enumerate() {
        let mut entries = entries(text, &found).into_iter();
        let next = match *step {
            Step::Field(name) => entries.find(|entry| entry.name == name),
            Step::Item(index) => entries.nth(index),
        };
        match next {
            Some(entry) => found = entry.value,
            None => return (found, taken),
        }
    }
    (found, path.len())
}

/// The value that the whole text is, behind comments and lines such as `#![enable(…)]`.
pub(crate) fn root(text: &str) -> Range<usize> {
    let mut tokens = Tokens { text, at: 0 };
    let mut start = 0;
    while let Some(token) = tokens.next() {
        start = token.start;
        if &text[token] != "#" {
            break;
        }
        let end_of_attribute = tokens.by_ref().find(|token| &text[token.clone()] == "]");
        start = end_of_attribute.map_or(text.len(), |end| end.end);
    }
    start..text.trim_end().len().max(start)
}

/// The fields or elements of the value in `range`; none when it has none.
pub(crate) fn entries<'a>(text: &'a str, range: &Range<usize>) -> Vec<Entry<'a>> {
    let Some(open) = opening(text, range) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut tokens = Tokens { text, at: open + 1 };
    while let Some(first) = tokens.next() {
        let mut value = first.clone();
        let mut name = "";
        let mut ahead = Tokens { text, at: first.end };
        if ahead.next().is_some_and(|token| &text[token] == ":") {
            name = &text[first.clone()];
            tokens = ahead;
            match tokens.next() {
                Some(token) => value = token,
                None => break,
            }
        }
        if is_end(&text[value.clone()]) {
            break;
        }
        let value = value.start..end_of_value(text, value, &mut tokens);
        found.push(Entry { name, value });
        match tokens.next() {
            Some(token) if &text[token.clone()] == "," => {}
            _ => break,
        }
    }
    found
}

/// Where the bracket of the value in `range` opens, past its name if it has one.
pub(crate) fn opening(text: &str, range: &Range<usize>) -> Option<usize> {
    let mut tokens = Tokens { text, at: range.start };
    let first = tokens.next()?;
    let token = if is_start(&text[first.clone()]) { first } else { tokens.next()? };
    (is_start(&text[token.clone()]) && token.end <= range.end).then_some(token.start)
}

/// The last name, figure or text that ends at or before `offset`: where a reader that has got so
/// far met what it refuses.
pub(crate) fn token_before(text: &str, offset: usize) -> Option<Range<usize>> {
    Tokens { text, at: 0 }
        .take_while(|token| token.end <= offset)
        .filter(|token| !matches!(&text[token.clone()], ":" | ","))
        .last()
}

/// Consumes tokens up to the end of the value that starts with `first`; its end.
fn end_of_value(text: &str, first: Range<usize>, tokens: &mut Tokens<'_>) -> usize {
    let mut depth = usize::from(is_start(&text[first.clone()]));
    let mut end = first.end;
    loop {
        let before = tokens.at;
        let Some(token) = tokens.next() else {
            return end;
        };
        let word = &text[token.clone()];
        if depth == 0 && (word == "," || is_end(word)) {
            tokens.at = before;
            return end;
        }
        if is_start(word) {
            depth += 1;
        } else if is_end(word) {
            depth -= 1;
        }
        end = token.end;
    }
}

fn is_start(token: &str) -> bool {
    matches!(token, "(" | "[" | "{")
}

fn is_end(token: &str) -> bool {
    matches!(token, ")" | "]" | "}")
}

/// The tokens of a text: brackets, signs, strings, and words or figures; comments and blanks are
/// passed over.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at + blank(&self.text[self.at..]);
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let length = match first {
            '"' => quoted(rest, '"'),
            '\'' => quoted(rest, '\''),
            'r' if rest.starts_with("r\"") || rest.starts_with("r#") => raw_string(rest),
            _ if is_word(first) => rest.find(|sign| !is_word(sign)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        self.at = start + length;
        Some(start..self.at)
    }
}

fn is_word(sign: char) -> bool {
    sign.is_alphanumeric() || matches!(sign, '_' | '+' | '-' | '.')
}

/// Length of blanks and comments at the start.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let skipped = rest.len() - rest.trim_start().len();
        let comment = comment(&rest[skipped..]);
        if skipped + comment == 0 {
            return at;
        }
        at += skipped + comment;
    }
}

/// Length of the comment at the start, if there is one. Block comments nest.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if !text.starts_with("/*") {
        return 0;
    }
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(sign) = text[at..].chars().next() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += sign.len_utf8();
        }
    }
    at
}

/// Length of the quoted text at the start, to its closing quote or the end of everything.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        if sign == quote && !escaped {
            return at + sign.len_utf8();
        }
        escaped = sign == '\\' && !escaped;
    }
    text.len()
}

/// Length of the raw text at the start: `r"…"`, `r#"…"#` and so on; an `r#name` is its first sign.
fn raw_string(text: &str) -> usize {
    let hashes = text[1..].bytes().take_while(|sign| *sign == b'#').count();
    let body = 1 + hashes;
    if !text[body..].starts_with('"') {
        return 1;
    }
    let close = format!("\"{}", "#".repeat(hashes));
    text[body + 1..].find(&close).map_or(text.len(), |at| body + 1 + at + close.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = r##"
        // a comment: (with: signs)
        Scenario(
            title: "with \" and )", /* nested /* , */ : */
            raw: r#"a " b"#,
            peers: [(name: "one", count: 1), (name: "two", arrivals: even(rate_per_s: 4.5))],
            empty: [], last: -3
        )
    "##;

    fn at<'a>(path: &[Step<'_>]) -> &'a str {
        let (found, steps) = find(TEXT, path);
        assert_eq!(steps, path.len(), "{path:?} is found to its end");
        &TEXT[found]
    }

    #[test]
    fn a_value_is_found_through_fields_elements_and_words_with_fields() {
        use Step::{Field, Item};
        assert_eq!(at(&[Field("title")]), r#""with \" and )""#);
        assert_eq!(at(&[Field("raw")]), r##"r#"a " b"#"##);
        assert_eq!(at(&[Field("peers"), Item(0), Field("count")]), "1");
        let rate = [Field("peers"), Item(1), Field("arrivals"), Field("rate_per_s")];
        assert_eq!(at(&rate), "4.5");
        assert_eq!(at(&[Field("peers"), Item(1), Field("arrivals")]), "even(rate_per_s: 4.5)");
        assert_eq!(at(&[Field("last")]), "-3");
        assert_eq!(at(&[Field("empty")]), "[]");
    }

    #[test]
    fn a_path_that_leads_nowhere_ends_at_the_innermost_value_that_exists() {
        let (found, steps) =
            find(TEXT, &[Step::Field("peers"), Step::Item(0), Step::Field("nothing")]);
        assert_eq!((steps, &TEXT[found]), (2, r#"(name: "one", count: 1)"#));
        let (found, steps) = find(TEXT, &[Step::Field("empty"), Step::Item(0)]);
        assert_eq!((steps, &TEXT[found]), (1, "[]"));
    }

    #[test]
    fn the_value_begins_behind_comments_and_attributes() {
        let text = "// (a: 0)\n#![enable(implicit_some)]\n#![enable(x, y)] ( a: 1 ) ";
        assert_eq!(&text[root(text)], "( a: 1 )");
        let (found, steps) = find(text, &[Step::Field("a")]);
        assert_eq!((&text[found], steps), ("1", 1));
        assert_eq!(root("#"), 1..1);
        assert_eq!(root("#![x]"), 5..5);
        assert_eq!(root("  "), 0..0);
    }

    #[test]
    fn the_token_before_an_offset_is_the_last_one_that_is_complete() {
        let text = "(a: 1, b: -2.5 )";
        let before = |offset| token_before(text, offset).map(|range| &text[range]);
        assert_eq!(before(14), Some("-2.5"));
        assert_eq!(before(15), Some("-2.5"));
        assert_eq!(before(9), Some("b"));
        assert_eq!(before(0), None);
    }

    proptest! {
        #[test]
        fn any_text_is_walked_without_a_panic(
            text in r#"[()\[\]{}:,"'/*r#!\\ \na-c0-9é.]{0,60}"#, offset in 0_usize..80,
        ) {
            let path = [Step::Field("a"), Step::Item(1), Step::Field("b")];
            let (found, steps) = find(&text, &path);
            prop_assert!(steps <= path.len());
            prop_assert!(text.get(found).is_some());
            token_before(&text, offset);
        }
    }
}
