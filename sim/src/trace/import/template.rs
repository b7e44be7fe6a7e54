//! The text of a log line with its numbers left open: `rx {bytes} peer {peer}`.
//!
//! ```text
//!   "rx {bytes} peer {peer}"  ─►  literal "rx "  number  literal " peer "  number  end
//!   "rx 96 peer 7"            ─►  bytes 96, peer 7
//! ```
//!
//! A line fits as a whole or not at all. A number ends where its digits end, so that a line that was
//! torn inside a number never fits by half: what follows has to follow.
use firmware_core::time::Duration;

/// The text of a log line with its numbers left open.
#[derive(Clone, Debug)]
pub(super) struct Template(Vec<Piece>);

#[derive(Clone, Debug)]
enum Piece {
    Literal(Box<[u8]>),
    Whole(Whole),
    /// A number of units with a fraction or without; a unit has so many nanoseconds.
    Took(u64),
    Address,
    Key,
    Word,
    Rest,
}

#[derive(Clone, Copy, Debug)]
enum Whole {
    Bytes,
    Peer,
    Count,
    Number,
    Value,
}

/// The numbers of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Captured<'a> {
    pub(super) bytes: Option<u32>,
    pub(super) peer: Option<u32>,
    pub(super) count: Option<u64>,
    pub(super) number: Option<u64>,
    pub(super) value: Option<u64>,
    pub(super) took: Option<Duration>,
    pub(super) address: Option<&'a [u8]>,
    pub(super) key: Option<&'a [u8]>,
}

impl Template {
    /// Reads a template; why it is none, otherwise.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            let (name, after) =
                after.split_once('}').ok_or_else(|| "a brace is not closed".to_owned())?;
            if !literal.is_empty() {
                pieces.push(Piece::Literal(literal.as_bytes().into()));
            } else if !pieces.is_empty() {
                return Err("two braces need something between them".to_owned());
            }
            pieces.push(piece(name)?);
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Literal(rest.as_bytes().into()));
        }
        Ok(Self(pieces))
    }

    /// The numbers of a text that fits; `None` when it does not.
    pub(super) fn captures<'a>(&self, text: &'a [u8]) -> Option<Captured<'a>> {
        let mut captured = Captured::default();
        let mut rest = text;
        for piece in &self.0 {
            rest = match piece {
                Piece::Literal(literal) => rest.strip_prefix(&**literal)?,
                Piece::Whole(which) => {
                    let (number, rest) = whole(rest)?;
                    captured.put(*which, number)?;
                    rest
                }
                Piece::Took(unit) => {
                    let (took, rest) = took(rest, *unit)?;
                    captured.took = Some(took);
                    rest
                }
                Piece::Address => {
                    let (word, rest) =
                        word(rest, |byte| byte.is_ascii_hexdigit() || b".:".contains(&byte))?;
                    captured.address = Some(word);
                    rest
                }
                Piece::Key => {
                    let (word, rest) = word(rest, |byte| !byte.is_ascii_whitespace())?;
                    captured.key = Some(word);
                    rest
                }
                Piece::Word => word(rest, |byte| !byte.is_ascii_whitespace())?.1,
                Piece::Rest => &[],
            };
        }
        rest.is_empty().then_some(captured)
    }
}

impl Captured<'_> {
    fn put(&mut self, which: Whole, number: u64) -> Option<()> {
        match which {
            Whole::Bytes => self.bytes = Some(u32::try_from(number).ok()?),
            Whole::Peer => self.peer = Some(u32::try_from(number).ok()?),
            Whole::Count => self.count = Some(number),
            Whole::Number => self.number = Some(number),
            Whole::Value => self.value = Some(number),
        }
        Some(())
    }
}

fn piece(name: &str) -> Result<Piece, String> {
    Ok(match name {
        "bytes" => Piece::Whole(Whole::Bytes),
        "peer" => Piece::Whole(Whole::Peer),
        "count" => Piece::Whole(Whole::Count),
        "number" => Piece::Whole(Whole::Number),
        "value" => Piece::Whole(Whole::Value),
        "took_ms" => Piece::Took(1_000_000),
        "took_us" => Piece::Took(1_000),
        "address" => Piece::Address,
        "key" => Piece::Key,
        "" => Piece::Word,
        "..." => Piece::Rest,
        other => return Err(format!("{{{other}}} is not known")),
    })
}

fn word(text: &[u8], is_part: impl Fn(u8) -> bool) -> Option<(&[u8], &[u8])> {
    let length = text.iter().take_while(|byte| is_part(**byte)).count();
    (length > 0).then(|| text.split_at(length))
}

/// A whole number and what follows it; `None` without digits or beyond what fits.
pub(super) fn whole(text: &[u8]) -> Option<(u64, &[u8])> {
    let mut number: u64 = 0;
    let mut length = 0;
    for byte in text {
        if !byte.is_ascii_digit() {
            break;
        }
        number = number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
        length += 1;
    }
    (length > 0).then(|| (number, &text[length..]))
}

/// A number of units, with a fraction or without, and what follows it. Digits beyond a nanosecond
/// are dropped.
fn took(text: &[u8], unit: u64) -> Option<(Duration, &[u8])> {
    let (units, rest) = whole(text)?;
    let mut nanos = units.checked_mul(unit)?;
    let Some(fraction) = rest.strip_prefix(b".") else {
        return Some((Duration::from_nanos(nanos), rest));
    };
    let length = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut place = unit;
    for byte in &fraction[..length] {
        place /= 10;
        nanos = nanos.checked_add(u64::from(byte - b'0') * place)?;
    }
    Some((Duration::from_nanos(nanos), &fraction[length..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn captures<'a>(template: &str, text: &'a str) -> Option<Captured<'a>> {
        Template::parse(template).expect("a template").captures(text.as_bytes())
    }

    #[test]
    fn numbers_are_taken_and_the_text_around_them_has_to_fit() {
        let captured = captures("rx {bytes} peer {peer}", "rx 96 peer 7").expect("it fits");
        assert_eq!((captured.bytes, captured.peer), (Some(96), Some(7)));
        for torn in
            ["rx 9", "rx 96 peer ", "6 peer 7", "rx 96 peer 7 ", "rx  peer 7", "rx x peer 7"]
        {
            assert_eq!(captures("rx {bytes} peer {peer}", torn), None, "{torn}");
        }
        assert_eq!(captures("rx {bytes}", "rx 4294967296"), None);
        assert_eq!(captures("n {number}", "n 18446744073709551616"), None);
    }

    #[test]
    fn a_time_may_have_a_fraction() {
        let took =
            |text| captures("open unk {took_ms} ms", text).and_then(|captured| captured.took);
        assert_eq!(took("open unk 28 ms"), Some(Duration::from_millis(28)));
        assert_eq!(took("open unk 28.305 ms"), Some(Duration::from_micros(28_305)));
        assert_eq!(took("open unk 28. ms"), Some(Duration::from_millis(28)));
        assert_eq!(took("open unk .5 ms"), None);
    }

    #[test]
    fn words_and_the_rest_are_passed_over() {
        let captured =
            captures("from {address} key {key} {...}", "from 192.0.2.7 key ab+/ and so on");
        let captured = captured.expect("it fits");
        assert_eq!(captured.address, Some(&b"192.0.2.7"[..]));
        assert_eq!(captured.key, Some(&b"ab+/"[..]));
        assert!(captures("state {} done", "state READY done").is_some());
    }

    #[test]
    fn a_malformed_template_says_why() {
        assert!(Template::parse("rx {bytes").is_err());
        assert!(Template::parse("rx {bytes}{peer}").is_err());
        assert!(Template::parse("rx {byte}").is_err_and(|why| why.contains("byte")));
    }

    proptest! {
        #[test]
        fn any_template_and_any_text_give_an_answer(
            template in "[a{}. bytesnumr_took]{0,30}",
            text in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            if let Ok(template) = Template::parse(&template) {
                template.captures(&text);
            }
        }
    }
}
