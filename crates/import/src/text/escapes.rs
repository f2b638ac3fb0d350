//! What a terminal takes for a command: colours of sysstat, ls, grep, dmesg and others, which no listing has in a file
//! that was meant to be read again.

/// Begins a sequence.
pub const ESCAPE: u8 = 0x1b;

/// A line without its sequences: `ESC [ … letter`, `ESC ] … BEL`, `ESC ( B`, and two letters otherwise.
pub fn without(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(char::from(ESCAPE)) {
        plain.push_str(&rest[..at]);
        rest = behind(&rest[at + 1..]);
    }
    plain.push_str(rest);
    plain
}

/// What stands behind the sequence whose escape is passed.
fn behind(rest: &str) -> &str {
    let mut signs = rest.char_indices();
    let Some((_, kind)) = signs.next() else { return "" };
    let end = match kind {
        // Parameters are digits and signs below the letters.
        '[' => signs.find(|(_, sign)| !matches!(sign, ' '..='?')),
        ']' => signs.find(|(_, sign)| matches!(sign, '\u{7}' | '\u{1b}')),
        '(' | ')' => signs.next(),
        _ => Some((0, kind)),
    };
    match end {
        // The end of a title may itself be `ESC \`.
        Some((at, '\u{1b}')) => rest.get(at + 2..).unwrap_or(""),
        Some((at, sign)) => rest.get(at + sign.len_utf8()..).unwrap_or(""),
        None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_titles_are_removed() {
        for (line, expect) in [
            ("sda \u{1b}[34;22m     8.59\u{1b}[0m\u{1b}[31;22m 99.1\u{1b}[0m", "sda      8.59 99.1"),
            ("\u{1b}]0;title\u{7}top - 10:00", "top - 10:00"),
            ("\u{1b}]0;title\u{1b}\\top", "top"),
            ("a\u{1b}(B\u{1b}[mb", "ab"),
            ("\u{1b}Mx", "x"),
            ("cut \u{1b}[3", "cut "),
            ("cut \u{1b}", "cut "),
            ("\u{1b}[1mé\u{1b}[0m", "é"),
        ] {
            assert_eq!(without(line), expect, "{line:?}");
        }
    }
}
