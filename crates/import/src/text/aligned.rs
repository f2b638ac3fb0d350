//! Tables whose columns stand below their headings: rows are cut at blanks where that comes out even,
//! else at the places of the headings, as where a cell is empty, has blanks in it, or runs into the next.
//!
//! Knows what of a heading is a number and what is text, and nothing of what it means.

use crate::text::clock_line::{is_day, month};
use crate::text::number::{Cell, cell, size};

/// What stands below a heading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A number, perhaps with a letter for its unit, or a sign that there is none; aligned to the right.
    Number,
    /// One word.
    Word,
    /// A time or a date, which may be of several words.
    Time,
    /// Text with blanks.
    Text,
}

/// The headings of one table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Headings {
    columns: Vec<Column>,
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    kind: Kind,
    /// Where the heading stands in its line, in letters: its first, and behind its last.
    from: usize,
    to: usize,
}

impl Headings {
    /// Of a line of headings.
    pub fn of(words: &[&str], text: &str, kind: impl Fn(&str) -> Kind) -> Headings {
        let mut at = 0;
        let columns = words.iter().map(|word| {
            let found = text.get(at..).and_then(|rest| rest.find(word)).map_or(at, |place| at + place);
            at = (found + word.len()).min(text.len());
            let from = text.get(..found).map_or(0, |before| before.chars().count());
            Column { name: (*word).to_owned(), kind: kind(word), from, to: from + word.chars().count() }
        });
        Headings { columns: columns.collect() }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Whether a heading is among them.
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// The headings themselves.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The cells of a row, one for each heading; none where it does not fit them.
    pub fn cells(&self, words: &[&str], text: &str) -> Option<Vec<String>> {
        let by_words = self.by_words(words, text).filter(|cells| self.fits(cells) == self.numbers());
        by_words.or_else(|| self.by_places(text).filter(|cells| self.fits(cells) == self.numbers()))
    }

    /// The cells of a row of which words may be missing anywhere.
    pub fn cells_by_places(&self, text: &str) -> Option<Vec<String>> {
        self.by_places(text)
    }

    /// Whether a line that does not fit is a row nevertheless, but a damaged one: half of its numbers
    /// stand where they belong, its first number among them.
    pub fn is_damaged_row(&self, words: &[&str]) -> bool {
        let cells: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let first = self.columns.iter().position(|column| column.kind == Kind::Number);
        let is_begun = first.is_some_and(|at| words.get(at).is_some_and(|word| is_number(word)));
        is_begun && self.fits(&cells) * 2 >= self.numbers() && self.numbers() > 2
    }

    fn numbers(&self) -> usize {
        self.columns.iter().filter(|column| column.kind == Kind::Number).count()
    }

    /// How many of the cells that have to be numbers are.
    fn fits(&self, cells: &[String]) -> usize {
        let pairs = self.columns.iter().zip(cells);
        pairs.filter(|(column, cell)| column.kind == Kind::Number && column.takes(cell)).count()
    }

    /// Cells that are words; dates take theirs, and what is then too much belongs to the one text.
    fn by_words(&self, words: &[&str], text: &str) -> Option<Vec<String>> {
        let spare = words.len().checked_sub(self.columns.len())?;
        // Behind a text nobody knows which word is below which heading before its length is known.
        let widths = |of_text: usize| {
            let mut at = 0;
            let width = |column: &Column| {
                let word = words.get(at).copied().unwrap_or("");
                let width = match column.kind {
                    Kind::Time if is_day(word) => 5,
                    Kind::Time if month(word).is_some() => 2,
                    Kind::Text => of_text,
                    _ => 1,
                };
                at += width;
                width
            };
            self.columns.iter().map(width).collect::<Vec<usize>>()
        };
        let texts = self.columns.iter().filter(|column| column.kind == Kind::Text).count();
        let most = if texts == 1 { spare + 1 } else { 1 };
        let widths = (1..=most).map(widths).find(|widths| widths.iter().sum::<usize>() == words.len())?;
        let mut at = 0;
        let cells = widths.iter().map(|width| {
            at += width;
            words.get(at - width..at).map(|words| words.join(" "))
        });
        let mut cells: Vec<String> = cells.collect::<Option<_>>()?;
        // A command at the end as it stands there: its blanks and bars are its own.
        if let (Some(Column { kind: Kind::Text, .. }), Some(last)) = (self.columns.last(), cells.last_mut())
            && let Some(rest) = widths.last().and_then(|width| rest_of(words, width, text))
        {
            *last = rest.to_owned();
        }
        Some(cells)
    }

    /// Cells by the places of their headings.
    fn by_places(&self, text: &str) -> Option<Vec<String>> {
        let letters: Vec<char> = text.trim_end().chars().collect();
        let mut from = 0;
        let mut cells = Vec::with_capacity(self.columns.len());
        for (at, column) in self.columns.iter().enumerate() {
            let to = match self.columns.get(at + 1) {
                None => letters.len(),
                Some(_) if column.kind == Kind::Number => column.to.min(letters.len()),
                Some(next) if next.kind == Kind::Number => begin_of_number(&letters, column, next),
                Some(next) => next.from.min(letters.len()),
            };
            let to = to.max(from);
            cells.push(letters.get(from..to)?.iter().collect::<String>().trim().to_owned());
            from = to;
        }
        Some(cells)
    }
}

impl Column {
    /// Whether a cell may stand below the heading of a number: of a process only digits.
    fn takes(&self, cell: &str) -> bool {
        if matches!(self.name.as_str(), "PID" | "PPID" | "TID" | "LWP" | "SPID" | "TGID") {
            return !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
        }
        is_number(cell)
    }
}

/// The text from the first of the last words on; the words are pieces of it.
fn rest_of<'t>(words: &[&str], width: &usize, text: &'t str) -> Option<&'t str> {
    let first = words.get(words.len().checked_sub(*width)?)?;
    let from = (first.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let rest = text.get(from..).filter(|rest| rest.starts_with(first))?;
    Some(rest.trim_end_matches(|sign: char| sign.is_whitespace() || matches!(sign, '|' | '\0')))
}

/// Where a number begins that ends below the end of its heading, behind a text, perhaps without a blank between.
fn begin_of_number(letters: &[char], before: &Column, column: &Column) -> usize {
    let end = column.to.min(letters.len());
    let is_of_number =
        |at: usize, wanted: &dyn Fn(char) -> bool| letters.get(at).is_some_and(|sign| wanted(*sign));
    let back = |wanted: &dyn Fn(char) -> bool| {
        let mut at = end;
        while at > before.from + 1 && is_of_number(at - 1, wanted) {
            at -= 1;
        }
        at
    };
    let run = back(&|sign| !sign.is_whitespace());
    let text: String = letters.get(run..end).unwrap_or_default().iter().collect();
    let digits = back(&|sign| sign.is_ascii_digit() || matches!(sign, '.' | ','));
    if is_number(&text) || digits == end { run } else { digits }
}

/// A number, one with a unit, one that was cut off (`+`), or a sign that there is none.
fn is_number(word: &str) -> bool {
    let word = word.trim_end_matches('%');
    word == "rt" || cell(word) != Cell::Words || size(word.trim_end_matches('+'), 1.0).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(name: &str) -> Kind {
        match name {
            "PID" | "RSS" | "NI" | "SIZE" => Kind::Number,
            "STARTED" => Kind::Time,
            "COMMAND" | "ARGS" => Kind::Text,
            _ => Kind::Word,
        }
    }

    fn check(heading: &str, row: &str, expect: Option<&[&str]>) {
        let words: Vec<&str> = heading.split_whitespace().collect();
        let headings = Headings::of(&words, heading, kind);
        let words: Vec<&str> = row.split_whitespace().collect();
        let cells = headings.cells(&words, row);
        let cells: Option<Vec<&str>> = cells.as_ref().map(|cells| cells.iter().map(String::as_str).collect());
        assert_eq!(cells.as_deref(), expect, "{row}");
    }

    #[test]
    fn rows_are_cut_at_blanks_or_below_their_headings() {
        let heading = "    PID WCHAN  STAT   RSS COMMAND";
        check(
            heading,
            "      7 poll_s Ss   12345 sh -c sleep 5",
            Some(&["7", "poll_s", "Ss", "12345", "sh -c sleep 5"]),
        );
        // An empty cell.
        check(heading, "      7        Ss   12345 sh", Some(&["7", "", "Ss", "12345", "sh"]));
        // A number that runs into the text before it is cut where its heading ends.
        check("USER PID COMMAND", "rootx 77 a b", Some(&["rootx", "77", "a b"]));
        check(heading, "seven men in a boat", None);
        check("PID COMMAND", " 7 sh -c a  | b \r", Some(&["7", "sh -c a  | b"]));
        // The text stands in the middle.
        check("PID COMMAND     RSS", "  7 tmux: server 12", Some(&["7", "tmux: server", "12"]));
        // Two texts.
        check(
            "    PID COMMAND         ARGS",
            "      7 tmux: server    tmux new -s a",
            Some(&["7", "tmux: server", "tmux new -s a"]),
        );
        // Dates of one, two and five words.
        for date in ["10:15:00", "Oct 25", "Mon Oct 26 12:00:00 2020"] {
            check("PID STARTED RSS COMMAND", &format!("7 {date} 12 a b"), Some(&["7", date, "12", "a b"]));
        }
    }

    #[test]
    fn damaged_rows_are_told_from_prose() {
        let heading = "PID NI RSS SIZE COMMAND";
        let words: Vec<&str> = heading.split_whitespace().collect();
        let headings = Headings::of(&words, heading, kind);
        let is_row = |row: &str| headings.is_damaged_row(&row.split_whitespace().collect::<Vec<_>>());
        assert!(is_row("7 0 1x2 33"));
        assert!(is_row("7 0"));
        assert!(!is_row("3 users say so of"));
        assert!(!is_row("the 3 4 5 6"));
    }
}
