//! SQL cut into tokens: enough to find names and comparisons, no more.
//!
//! This is not a parser. SQLite parses; what is asked here is only what its
//! prepared statements do not tell.

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A bare or quoted name, or a keyword.
    Name(&'a str),
    /// A text literal, without its quotes; doubled quotes stay doubled.
    Text(&'a str),
    /// A number literal.
    Number(&'a str),
    /// An operator or a mark: `=`, `<=`, `(`, `,` …
    Mark(&'a str),
}

/// A token and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed<'a> {
    /// The token.
    pub(super) token: Token<'a>,
    /// Byte offset.
    pub(super) at: usize,
}

/// All tokens; comments and space are left out, and so is what follows an unclosed quote.
pub(super) fn tokens(sql: &str) -> Vec<Placed<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = sql.get(at..).filter(|rest| !rest.is_empty()) {
        let skip = blank(rest);
        if skip > 0 {
            at += skip;
            continue;
        }
        let (token, length) = first(rest);
        found.push(Placed { token, at });
        at += length;
    }
    found
}

/// Bytes of space or comment at the beginning.
fn blank(rest: &str) -> usize {
    if rest.starts_with("--") {
        return rest.find('\n').map_or(rest.len(), |end| end + 1);
    }
    if let Some(comment) = rest.strip_prefix("/*") {
        return comment.find("*/").map_or(rest.len(), |end| end + 4);
    }
    rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
}

fn first(rest: &str) -> (Token<'_>, usize) {
    let head = rest.chars().next().unwrap_or(' ');
    match head {
        '\'' => quoted(rest, '\'', Token::Text),
        '"' | '`' => quoted(rest, head, Token::Name),
        '[' => quoted(rest, ']', Token::Name),
        '0'..='9' => {
            let length = number(rest);
            (Token::Number(&rest[..length]), length)
        }
        _ if is_word(head) => {
            let length = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            (Token::Name(&rest[..length]), length)
        }
        _ => {
            let two = ["<=", ">=", "<>", "!=", "==", "||", "->", "<<", ">>"];
            let length = if two.iter().any(|mark| rest.starts_with(mark)) { 2 } else { head.len_utf8() };
            (Token::Mark(&rest[..length]), length)
        }
    }
}

fn is_word(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphanumeric()
}

/// Digits, a fraction, an exponent with its sign, or hexadecimal.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let exponent_sign = matches!(byte, b'+' | b'-')
            && at > 0
            && matches!(bytes.get(at - 1), Some(b'e' | b'E'))
            && !rest.starts_with("0x");
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'_' || exponent_sign) {
            break;
        }
        at += 1;
    }
    at
}

/// Text up to a closing quote; a doubled quote does not close.
fn quoted<'a>(rest: &'a str, close: char, make: fn(&'a str) -> Token<'a>) -> (Token<'a>, usize) {
    let mut at = 1;
    while let Some(found) = rest.get(at..).and_then(|rest| rest.find(close)) {
        let end = at + found;
        if close != ']' && rest.get(end + 1..).is_some_and(|rest| rest.starts_with(close)) {
            at = end + 2;
            continue;
        }
        return (make(&rest[1..end]), end + 1);
    }
    (make(&rest[1..]), rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_question() {
        let found: Vec<_> =
            tokens("select t.\"tid\", 'it''s' -- tail\n from t where x>=1.5e-3 /* no */ and y<>0x1F")
                .into_iter()
                .map(|placed| placed.token)
                .collect();
        use Token::{Mark, Name, Number, Text};
        assert_eq!(
            found,
            [
                Name("select"),
                Name("t"),
                Mark("."),
                Name("tid"),
                Mark(","),
                Text("it''s"),
                Name("from"),
                Name("t"),
                Name("where"),
                Name("x"),
                Mark(">="),
                Number("1.5e-3"),
                Name("and"),
                Name("y"),
                Mark("<>"),
                Number("0x1F"),
            ]
        );
    }

    #[test]
    fn broken_text_ends() {
        for sql in ["'abc", "\"", "[", "/*", "--", "µ'µ", "1e", "`"] {
            assert!(tokens(sql).len() <= 2, "{sql}");
        }
    }
}
