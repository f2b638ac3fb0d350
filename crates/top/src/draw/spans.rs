//! Text that fits.

use heldup_report::harmless::{ascii, harmless};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::paint::Look;

/// Columns of a text.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Text from the machine, as it may be drawn.
pub fn safe(text: &str, look: Look) -> String {
    let text = harmless(&text.replace('\u{a0}', " "));
    if look.ascii { ascii(&text) } else { text }
}

/// The text, cut at its end where it is too long.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if used + wide + 1 > columns {
            break;
        }
        out.push(c);
        used += wide;
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// The text at the left of so many columns.
pub fn left(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let room = columns.saturating_sub(width(&text));
    text + &" ".repeat(room)
}

/// The text at the right of so many columns.
pub fn right(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    " ".repeat(columns.saturating_sub(width(&text))) + &text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_kept_whatever_is_in_them() {
        for text in ["", "postgres", "データベース", "a\u{301}b", "a very long name of a process"] {
            assert_eq!(width(&left(text, 8)), 8, "{text}");
            assert_eq!(width(&right(text, 8)), 8, "{text}");
        }
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abc", 4), "abc");
    }
}
