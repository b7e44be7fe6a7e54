//! Words as a shell takes them: for commands that are printed to be copied.

/// The word, in quotes where a shell would read something else.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "_-./=:,+@%".contains(sign);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_misread_is_quoted() {
        assert_eq!(quoted("scenarios/a.ron"), "scenarios/a.ron");
        assert_eq!(quoted("costs.x25519_ms=11.3"), "costs.x25519_ms=11.3");
        assert_eq!(quoted("title=\"a b\""), "'title=\"a b\"'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }
}
