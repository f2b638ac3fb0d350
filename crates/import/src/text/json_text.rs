//! A text of JSON in its quotation marks, for readers that look for its end themselves: a library takes whole values, and
//! these read line by line or as a stream.

use memchr::memchr2;

/// A text in quotation marks at the beginning, and what stands behind it.
pub fn quoted(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('"')?;
    let mut end = 0;
    let mut is_escaped = false;
    loop {
        let at = end + memchr2(b'"', b'\\', inside.as_bytes().get(end..)?)?;
        if inside.as_bytes().get(at) == Some(&b'"') {
            let behind = &inside[at + 1..];
            let inside = &inside[..at];
            let read = if is_escaped { unescaped(inside) } else { None };
            return Some((read.unwrap_or_else(|| inside.to_owned()), behind));
        }
        is_escaped = true;
        end = at + 2;
    }
}

/// A text without its quotation marks, all escapes undone; none where one of them is damaged.
pub fn unescaped(inside: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{inside}\"")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_every_escape() {
        let check = |text: &str, expect: &str| {
            assert_eq!(quoted(text), Some((expect.to_owned(), ", 1")), "{text}");
        };
        check("\"plain\", 1", "plain");
        check("\"\", 1", "");
        check(r#""a\"b\\c\/d", 1"#, "a\"b\\c/d");
        check(r#""\r\b\f\n\t", 1"#, "\r\u{8}\u{c}\n\t");
        check(r#""\u00e9 \ud83d\ude00", 1"#, "\u{e9} \u{1f600}");
        // Half of a pair is no letter: the text is taken as it stands.
        check(r#""\ud83d", 1"#, r"\ud83d");
        for text in ["no quote", "\"open", r#""open\""#, "\"open\\"] {
            assert_eq!(quoted(text), None, "{text}");
        }
    }
}
