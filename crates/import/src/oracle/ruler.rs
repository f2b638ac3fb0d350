//! Columns of a listing, as the row of dashes below its headings tells them: pure.

use std::ops::Range;

/// Signs between two stops of a tab.
const TAB: usize = 8;

/// The columns of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Ruler {
    spans: Vec<Range<usize>>,
}

/// What a row of dashes is.
#[derive(Clone, Debug, PartialEq)]
pub enum Dashes {
    /// Below headings.
    Ruler(Ruler),
    /// Below the last row: one row of dashes, set in.
    End,
}

/// Reads a row of dashes; none where the line is something else.
pub fn dashes(text: &str) -> Option<Dashes> {
    let text = text.trim_end();
    // The first column of statspack's head has waves below it.
    if !text.contains('-') || !text.bytes().all(|byte| matches!(byte, b'-' | b'~' | b' ' | b'\t')) {
        return None;
    }
    let spans: Vec<Range<usize>> = words(text).map(|(span, _)| span).collect();
    match spans.as_slice() {
        [only] if only.start > 0 => Some(Dashes::End),
        [only] if only.len() < 3 => None,
        _ => Some(Dashes::Ruler(Ruler { spans })),
    }
}

impl Ruler {
    /// How many columns.
    pub fn width(&self) -> usize {
        self.spans.len()
    }

    /// The cells of a line. A word belongs to the column that it stands in, or else nearest to:
    /// numbers that are too long for their column begin before it.
    pub fn cells(&self, text: &str) -> Vec<String> {
        let mut cells = vec![String::new(); self.spans.len()];
        for (span, word) in words(text) {
            let (mut best, mut most) = (0, isize::MIN);
            for (at, column) in self.spans.iter().enumerate() {
                let common = span.end.min(column.end) as isize - span.start.max(column.start) as isize;
                if common > most {
                    (best, most) = (at, common);
                }
            }
            if let Some(cell) = cells.get_mut(best) {
                if !cell.is_empty() {
                    cell.push(' ');
                }
                cell.push_str(word);
            }
        }
        cells
    }

    /// The headings in a line: what begins or ends where its column does, with one blank between two words at most.
    pub fn aligned(&self, text: &str) -> Vec<String> {
        let mut phrases: Vec<(Range<usize>, String)> = Vec::new();
        for (span, word) in words(text) {
            match phrases.last_mut() {
                Some((before, phrase)) if before.end + 1 == span.start && !self.is_begin(span.start) => {
                    before.end = span.end;
                    phrase.push(' ');
                    phrase.push_str(word);
                }
                _ => phrases.push((span, word.to_owned())),
            }
        }
        let mut cells = vec![String::new(); self.spans.len()];
        for (span, phrase) in phrases {
            let is_it = |column: &Range<usize>| {
                let is_within = span.start >= column.start && span.end <= column.end;
                is_within && (span.start == column.start || span.end == column.end)
            };
            if let Some(at) = self.spans.iter().position(is_it) {
                cells[at].push_str(&phrase);
            }
        }
        cells
    }

    fn is_begin(&self, column: usize) -> bool {
        self.spans.iter().any(|span| span.start == column)
    }

    /// Whether a text fills its column, so that there may have been more of it.
    pub fn is_filled(&self, column: usize, text: &str) -> bool {
        self.spans.get(column).is_some_and(|span| text.chars().count() >= span.len())
    }
}

/// The words of a line, and which signs of it they are.
fn words(text: &str) -> impl Iterator<Item = (Range<usize>, &str)> {
    let mut found = Vec::new();
    let (mut column, mut begin) = (0, None);
    for (at, sign) in text.char_indices() {
        match (sign.is_whitespace(), begin) {
            (true, Some((from, first))) => {
                found.push((first..column, &text[from..at]));
                begin = None;
            }
            (false, None) => begin = Some((at, column)),
            _ => {}
        }
        column += if sign == '\t' { TAB - column % TAB } else { 1 };
    }
    if let Some((from, first)) = begin {
        found.push((first..column, &text[from..]));
    }
    found.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruler(text: &str) -> Ruler {
        match dashes(text) {
            Some(Dashes::Ruler(ruler)) => ruler,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn cells_of_headings_and_rows() {
        let ruler = ruler("-------------- ------- ------- -------");
        assert_eq!(ruler.cells("                 Av       Av     Av"), ["", "Av", "Av", "Av"]);
        assert_eq!(ruler.cells("        37,134     103   177.6"), ["37,134", "103", "177.6", ""]);
        assert_eq!(ruler.cells("db file read         9\t1.5"), ["db file read", "9", "1.5", ""]);
    }

    #[test]
    fn headings_that_stand_with_their_columns() {
        let ruler = ruler("-------- -------- ------");
        assert_eq!(ruler.aligned("    Load  % CPU   Memory"), ["Load", "", "Memory"]);
        assert_eq!(ruler.aligned("   Begin      End    (M)"), ["Begin", "End", "(M)"]);
        assert_eq!(ruler.aligned("SQL Exec  DB time Ela"), ["SQL Exec", "DB time", "Ela"]);
        assert_eq!(ruler.aligned("    between"), ["", "", ""]);
    }

    #[test]
    fn a_number_that_is_too_long_for_its_column() {
        let ruler = ruler("---- ---- ----");
        assert_eq!(ruler.cells("a 1234567    8"), ["a", "1234567", "8"]);
    }

    #[test]
    fn dashes_of_headings_and_of_the_end() {
        assert_eq!(dashes("          ------------------------------"), Some(Dashes::End));
        assert_eq!(dashes("--"), None);
        assert_eq!(dashes("-> s - second"), None);
        assert_eq!(dashes(""), None);
        assert_eq!(ruler("-----------").width(), 1);
        assert!(ruler("---- ---").is_filled(0, "abcd"));
    }
}
