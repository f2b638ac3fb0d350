//! Makes text from the machine safe to print.
//!
//! Any process may call itself anything: `prctl(PR_SET_NAME)` takes 15 bytes, escape
//! sequences included, and a path may hold every byte but NUL and `/`. Printed as it
//! stands, such a name can move the cursor, rewrite what was printed before or type
//! into the terminal's answer-back. Here it becomes visible and does nothing.

use std::fmt::Write as _;

/// The text with every character that could steer a terminal written out as an escape
/// (`\x1b`, `\u{202e}`); everything else as it was.
pub fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => safe.push_str("\\n"),
            '\t' => safe.push_str("\\t"),
            '\r' => safe.push_str("\\r"),
            _ if !steers(c) => safe.push(c),
            // Writing to a String cannot fail.
            _ if (c as u32) < 0x100 => drop(write!(safe, "\\x{:02x}", c as u32)),
            _ => drop(write!(safe, "\\u{{{:x}}}", c as u32)),
        }
    }
    safe
}

/// The text in ASCII, for terminals and pipes that are not UTF-8: our own signs become
/// their nearest ASCII likeness, any other character a question mark.
pub fn ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{a0}' => plain.push(' '),
            c if c.is_ascii() => plain.push(c),
            'µ' | 'μ' => plain.push('u'),
            '·' | '–' | '—' | '−' => plain.push('-'),
            '…' => plain.push_str("..."),
            '→' => plain.push_str("->"),
            '▲' => plain.push_str("!!"),
            '△' => plain.push('!'),
            '○' => plain.push('o'),
            '×' => plain.push('x'),
            '✓' => plain.push('+'),
            '∞' => plain.push_str("inf"),
            // One column, as its like: widths were reckoned before.
            '±' => plain.push('~'),
            '≥' => plain.push_str(">="),
            '≤' => plain.push_str("<="),
            '█' | '▉' | '▊' | '▋' | '▌' => plain.push('#'),
            '▍' | '▎' | '▏' => plain.push(' '),
            '─' => plain.push('-'),
            _ => plain.push('?'),
        }
    }
    plain
}

/// Whether a terminal may act on the character instead of showing it: C0 and C1
/// controls, and the invisible format characters that reorder or hide what is near
/// them (Unicode Technical Report 36, "bidirectional text spoofing").
pub fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_become_visible() {
        assert_eq!(harmless("\x1b[2J\x1b]0;owned\x07"), "\\x1b[2J\\x1b]0;owned\\x07");
        assert_eq!(harmless("a\nb\tc\r"), "a\\nb\\tc\\r");
        assert_eq!(harmless("\u{9b}31m \u{7f}"), "\\x9b31m \\x7f");
        assert_eq!(harmless("txt\u{202e}exe"), "txt\\u{202e}exe");
        assert_eq!(harmless("größe 日本"), "größe 日本");
    }

    #[test]
    fn ascii_keeps_the_meaning_of_our_signs() {
        assert_eq!(ascii("▲ 4.3\u{a0}µs · 20 → 10 …"), "!! 4.3 us - 20 -> 10 ...");
        assert_eq!(ascii("größe"), "gr??e");
        assert_eq!(ascii("✓ −3 to ∞"), "+ -3 to inf");
    }
}
