//! What people put before the lines of a listing when they pass it on: the blanks of a code block, numbers of lines.
//!
//! Blanks are removed before any format sees the line, and from a whole block by the same count, so that what is below each
//! other stays so. Numbers are removed where two lines that nobody takes have one after the other.

use crate::document::Line;
use crate::text::number::{Cell, cell};
use crate::text::words;

/// Fewer blanks than this are the listing's own.
const LEAST_BLANKS: usize = 2;
/// How far a block is looked at.
const LOOKED_AT_BYTES: usize = 4096;
/// Lines of a block.
const LEAST_LINES: usize = 2;
/// What a block of Markdown stands between. `~~~` is a row below a heading elsewhere.
const FENCE: &str = "```";
/// Words of a row that may be held.
const LEAST_WORDS: usize = 6;
/// Digits of the number of a line.
const MOST_DIGITS: usize = 6;

/// The blanks before the lines of a block.
#[derive(Debug)]
pub struct Indent {
    now: Option<Blanks>,
    /// A block may begin: nothing or an empty line stands above.
    is_edge: bool,
    /// The last line belongs to a listing, whose next lines are indented as it wants them.
    is_listing: bool,
}

impl Default for Indent {
    fn default() -> Indent {
        Indent { now: None, is_edge: true, is_listing: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Blanks {
    Tab,
    Count(usize),
}

impl Indent {
    /// How many of the next bytes it has to see.
    pub fn asks(&self) -> Option<usize> {
        (self.is_edge && !self.is_listing && self.now.is_none()).then_some(LOOKED_AT_BYTES)
    }

    /// Looks at the next bytes.
    pub fn look(&mut self, ahead: &[u8]) {
        self.now = block(ahead.get(..LOOKED_AT_BYTES.min(ahead.len())).unwrap_or_default());
    }

    /// Whether a format took a line that was not empty.
    pub fn took(&mut self, is_taken: bool) {
        self.is_listing = is_taken;
    }

    /// A line without the blanks of its block.
    pub fn without<'t>(&mut self, text: &'t str) -> &'t str {
        self.is_edge = text.trim_ascii().is_empty() || text.trim_ascii().starts_with(FENCE);
        let rest = match self.now {
            None => return text,
            Some(Blanks::Tab) => text.strip_prefix('\t'),
            Some(Blanks::Count(count)) => {
                text.get(..count).filter(|before| is_blank(before.as_bytes())).and_then(|_| text.get(count..))
            }
        };
        if rest.is_none() && !self.is_edge {
            self.now = None;
        }
        rest.unwrap_or(text)
    }
}

/// The blanks that all lines of a block have, which ends with an empty line or the text.
fn block(ahead: &[u8]) -> Option<Blanks> {
    if !matches!(ahead.first()?, b' ' | b'\t' | b'\n' | b'\r') {
        return None;
    }
    let (mut lines, mut least, mut has_tabs, mut was_empty) = (0, usize::MAX, true, true);
    for line in ahead.split(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            was_empty = true;
            continue;
        }
        let blanks = line.iter().take_while(|byte| **byte == b' ').count();
        let is_tab = line.first() == Some(&b'\t');
        if blanks < LEAST_BLANKS && !is_tab {
            if !was_empty {
                return None;
            }
            break;
        }
        (lines, least, has_tabs, was_empty) = (lines + 1, least.min(blanks), has_tabs && is_tab, false);
    }
    match () {
        () if lines < LEAST_LINES => None,
        () if has_tabs => Some(Blanks::Tab),
        () => Some(Blanks::Count(least)).filter(|_| least >= LEAST_BLANKS),
    }
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == b' ')
}

/// Numbers before the lines: of `cat -n`, `grep -n`, an editor, a web page.
#[derive(Debug, Default)]
pub struct Numbered {
    /// The last two lines had numbers.
    is_so: bool,
    /// A blank stands behind the sign that ends a number.
    has_blank: bool,
    last: u64,
    /// The last line, where nobody took it.
    held: Option<(u64, String)>,
}

impl Numbered {
    /// What is behind the number of a line of a listing that has them.
    pub fn next<'t>(&mut self, text: &'t str) -> Option<&'t str> {
        if !self.is_so {
            return None;
        }
        let behind = behind_number(text).filter(|(number, _)| *number == self.last + 1);
        self.is_so = behind.is_some();
        let (number, rest) = behind?;
        self.last = number;
        Some(if self.has_blank { without_blank(rest) } else { rest })
    }

    /// Looks at a line that nobody took: where it and the one before have numbers, both are to be offered without.
    pub fn look(&mut self, line: &Line<'_>) -> Option<[(u64, String); 2]> {
        let Some((number, rest)) = behind_number(line.text) else {
            self.held = None;
            return None;
        };
        let held = self.held.take().filter(|_| self.last + 1 == number);
        self.last = number;
        let now = (line.number, rest.to_owned());
        match held {
            Some(held) => {
                let has_blank = |rest: &str| rest.is_empty() || without_blank(rest) != rest;
                let is_behind_sign = !line
                    .text
                    .trim_start()
                    .trim_start_matches(|sign: char| sign.is_ascii_digit())
                    .starts_with([' ', '\t']);
                self.is_so = true;
                self.has_blank = is_behind_sign && has_blank(&held.1) && has_blank(&now.1);
                let cut = |(number, rest): (u64, String)| match self.has_blank {
                    true => (number, without_blank(&rest).to_owned()),
                    false => (number, rest),
                };
                Some([cut(held), cut(now)])
            }
            None => {
                self.held = Some(now);
                None
            }
        }
    }

    /// A line was taken as it is.
    pub fn is_whole(&mut self) {
        self.held = None;
    }
}

fn without_blank(text: &str) -> &str {
    text.strip_prefix([' ', '\t']).unwrap_or(text)
}

/// The number before a line, and what stands behind it: `  12 text`, `12: text`, `12) text`.
fn behind_number(text: &str) -> Option<(u64, &str)> {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=MOST_DIGITS).contains(&digits) {
        return None;
    }
    let number = text.get(..digits)?.parse().ok()?;
    let rest = text.get(digits..)?;
    let rest = match rest.chars().next() {
        None => rest,
        Some('\t' | ' ' | ':' | ')' | '.' | '|') => rest.get(1..)?,
        Some(_) => return None,
    };
    Some((number, rest))
}

/// Rows that are held until their heading comes again.
const MOST_ROWS: usize = 32;

/// Holds a line that nobody took and that has mostly numbers; prose and what was taken end the block.
pub fn hold_row(rows: &mut Vec<(u64, String)>, line: &Line<'_>, is_taken: bool) {
    if is_taken || line.words.len() < LEAST_WORDS || !is_row(line.words) {
        rows.clear();
    } else if rows.len() < MOST_ROWS {
        rows.push((line.number, line.text.to_owned()));
    }
}

/// Whether a line has mostly numbers.
pub fn is_row(words: &[&str]) -> bool {
    words.iter().filter(|word| matches!(cell(word), Cell::Value(_))).count() * 2 > words.len()
}

/// Whether a line is the beginning or the end of a block of Markdown: whatever stands above is over.
pub fn is_fence(words: &[&str]) -> bool {
    words.first().is_some_and(|word| word.starts_with(FENCE))
}

/// The words of a line that was cut.
pub fn words_of(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    words::cut(text, &mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_indented_as_a_whole() {
        assert_eq!(block(b"    a\n      b\n\n    c\n\nprose\n"), Some(Blanks::Count(4)));
        assert_eq!(block(b"\ta\n\t b\n"), Some(Blanks::Tab));
        assert_eq!(block(b"\n   a\n   b"), Some(Blanks::Count(3)));
        // A heading in the middle of its rows, and what belongs to the line below.
        assert_eq!(block(b"         Heading\nrow 1\n"), None);
        assert_eq!(block(b"    a\n    b\nc\n"), None);
        assert_eq!(block(b"    alone\n\nprose"), None);
        assert_eq!(block(b"prose"), None);
        assert_eq!(block(b""), None);
    }

    #[test]
    fn blanks_are_removed_until_a_line_has_fewer() {
        let mut indent = Indent::default();
        indent.look(b"    a\n      b\n\n    c\n\nprose\n");
        let lines = ["    a", "      b", "", "    c", "", "prose", "    d"];
        assert_eq!(lines.map(|line| indent.without(line)), ["a", "  b", "", "c", "", "prose", "    d"]);
    }

    #[test]
    fn numbers_before_lines() {
        assert_eq!(behind_number("     7\tsda 1"), Some((7, "sda 1")));
        assert_eq!(behind_number("7: sda 1"), Some((7, " sda 1")));
        assert_eq!(behind_number("7:sda 1"), Some((7, "sda 1")));
        assert_eq!(behind_number("12|  r b"), Some((12, "  r b")));
        assert_eq!(behind_number("12"), Some((12, "")));
        assert_eq!(behind_number("12ab"), None);
        assert_eq!(behind_number("1234567 a"), None);
        assert_eq!(behind_number("sda 1"), None);
    }
}
