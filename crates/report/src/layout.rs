//! Lines of inked words that wrap at a width: the one way by which the text report
//! puts anything on the page.
//!
//! Because every string passes here, this is where text from the machine is made
//! harmless, where ASCII is kept to, and where colour is left out when not asked for.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::harmless::{ascii, harmless};

/// How a word is inked on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// As the terminal has it.
    Plain,
    /// What the eye should meet first.
    Bold,
    /// What may be skipped.
    Dim,
    /// Critical.
    Red,
    /// Warning, and time spent waiting.
    Yellow,
    /// Time spent running.
    Green,
}

impl Ink {
    /// Select Graphic Rendition code (ECMA-48 8.3.117).
    const fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Bold => "1",
            Ink::Dim => "2",
            Ink::Red => "1;31",
            Ink::Yellow => "33",
            Ink::Green => "32",
        }
    }
}

/// A stretch of text in one ink.
pub(crate) type Span = (Ink, String);

/// A page of a width that lines are written to.
pub(crate) struct Page {
    width: usize,
    color: bool,
    ascii: bool,
    out: String,
}

/// A word: pieces that stay together, and its width.
#[derive(Default)]
struct Word {
    pieces: Vec<Span>,
    width: usize,
}

/// A line that is being written.
struct Line {
    lead: usize,
    column: usize,
    spans: Vec<Span>,
}

impl Page {
    /// An empty page.
    pub(crate) fn new(width: usize, color: bool, ascii: bool) -> Page {
        Page { width, color, ascii, out: String::new() }
    }

    /// Columns of a line.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// What was written.
    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// An empty line, unless there is one already or nothing above.
    pub(crate) fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// Writes spans, broken at spaces where they reach the width; lines after the
    /// first begin with `hang` spaces. Leading spaces of the first span are kept.
    pub(crate) fn paragraph(&mut self, spans: &[Span], hang: usize) {
        let lead = spans.first().map_or(0, |(_, text)| text.len() - text.trim_start_matches(' ').len());
        let hang = hang.min(self.width / 2);
        let mut line = Line::starting_at(lead);
        for word in self.words(spans) {
            let gap = usize::from(!line.spans.is_empty());
            if gap == 1 && line.column + gap + word.width > self.width {
                self.end(&mut line, hang);
            } else if let (1, Some((ink, _))) = (gap, word.pieces.first()) {
                line.push(*ink, " ", 1);
            }
            self.word(word, &mut line, hang);
        }
        self.end(&mut line, 0);
    }

    /// Writes spans as one line, without breaking; spaces are kept. For rows of a
    /// table whose cells were fitted with [`Page::fit`].
    pub(crate) fn row(&mut self, spans: &[Span]) {
        let mut line = Line::starting_at(0);
        for (ink, text) in spans {
            line.push(*ink, &self.safe(text), 0);
        }
        self.end(&mut line, 0);
    }

    /// The text as it will be printed: harmless, and ASCII where that was asked for.
    pub(crate) fn safe(&self, text: &str) -> String {
        let text = harmless(text);
        if self.ascii { ascii(&text) } else { text.replace('\u{a0}', " ") }
    }

    /// The text in exactly `columns` columns: padded on the left or right, or cut with
    /// an ellipsis.
    pub(crate) fn fit(&self, text: &str, columns: usize, right: bool) -> String {
        let text = cut(&self.safe(text), columns, self.ellipsis());
        let pad = " ".repeat(columns.saturating_sub(text.width()));
        if right { pad + &text } else { text + &pad }
    }

    /// Sign for what was left out.
    pub(crate) fn ellipsis(&self) -> &'static str {
        if self.ascii { "..." } else { "…" }
    }

    /// Adds a word to a line; one wider than a line is broken between characters.
    fn word(&mut self, word: Word, line: &mut Line, hang: usize) {
        let whole = line.column + word.width <= self.width;
        for (ink, text) in word.pieces {
            if whole {
                line.push(ink, &text, text.width());
                continue;
            }
            for c in text.chars() {
                let width = c.width().unwrap_or(0);
                if line.column + width > self.width && line.column > hang {
                    self.end(line, hang);
                }
                line.push(ink, c.encode_utf8(&mut [0; 4]), width);
            }
        }
    }

    /// Writes a line without blanks at its end, and starts the next at `hang`.
    fn end(&mut self, line: &mut Line, hang: usize) {
        while let Some((_, text)) = line.spans.last_mut() {
            text.truncate(text.trim_end().len());
            if !text.is_empty() {
                break;
            }
            line.spans.pop();
        }
        if !line.spans.is_empty() {
            self.out.extend(std::iter::repeat_n(' ', line.lead));
        }
        for (ink, text) in &line.spans {
            if self.color && *ink != Ink::Plain && !text.trim().is_empty() {
                // Writing to a String cannot fail.
                let _ = write!(self.out, "\x1b[{}m{text}\x1b[0m", ink.code());
            } else {
                self.out.push_str(text);
            }
        }
        self.out.push('\n');
        *line = Line::starting_at(hang);
    }

    fn words(&self, spans: &[Span]) -> Vec<Word> {
        let mut words = vec![Word::default()];
        for (ink, text) in spans {
            for (at, piece) in text.split(' ').enumerate() {
                if at > 0 {
                    words.push(Word::default());
                }
                let piece = self.safe(piece);
                if let Some(word) = words.last_mut().filter(|_| !piece.is_empty()) {
                    word.width += piece.width();
                    word.pieces.push((*ink, piece));
                }
            }
        }
        words.retain(|word| word.width > 0);
        words
    }
}

impl Line {
    fn starting_at(lead: usize) -> Line {
        Line { lead, column: lead, spans: Vec::new() }
    }

    /// Adds text, to the last span where the ink is the same.
    fn push(&mut self, ink: Ink, text: &str, width: usize) {
        self.column += width;
        match self.spans.last_mut() {
            Some((last, before)) if *last == ink => before.push_str(text),
            _ => self.spans.push((ink, text.to_owned())),
        }
    }
}

/// The text cut to `columns` columns, with `ellipsis` where something was cut.
pub(crate) fn cut(text: &str, columns: usize, ellipsis: &str) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let room = columns.saturating_sub(ellipsis.width());
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w > room {
            break;
        }
        kept.push(c);
        used += w;
    }
    kept.push_str(ellipsis);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<Span> {
        vec![(Ink::Plain, text.to_owned())]
    }

    fn check(text: &str, width: usize, hang: usize, expect: &str) {
        let mut page = Page::new(width, false, false);
        page.paragraph(&plain(text), hang);
        assert_eq!(page.finish(), expect);
    }

    #[test]
    fn wraps_at_spaces_and_hangs() {
        check("one two three", 8, 2, "one two\n  three\n");
        check("  one two", 80, 4, "  one two\n");
        check("4.3\u{a0}ms each", 6, 0, "4.3 ms\neach\n");
    }

    #[test]
    fn breaks_a_word_that_no_line_holds() {
        check("abcdefghij", 4, 1, "abcd\n efg\n hij\n");
        check("日本語日本語", 5, 0, "日本\n語日\n本語\n");
    }

    #[test]
    fn nothing_from_outside_steers() {
        check("a\x1b[2Jb \u{202e}c", 80, 0, "a\\x1b[2Jb \\u{202e}c\n");
    }

    #[test]
    fn colour_does_not_count_as_width() {
        let mut page = Page::new(7, true, false);
        page.paragraph(&[(Ink::Bold, "one".to_owned()), (Ink::Plain, " two three".to_owned())], 0);
        assert_eq!(page.finish(), "\x1b[1mone\x1b[0m two\nthree\n");
    }

    #[test]
    fn fits_cells() {
        let page = Page::new(80, false, false);
        assert_eq!(page.fit("disk_sync", 6, false), "disk_…");
        assert_eq!(page.fit("7.9", 6, true), "   7.9");
        assert_eq!(page.fit("日本語", 4, false), "日… ");
    }
}
