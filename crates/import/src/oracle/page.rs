//! Reports of AWR as pages: tables below headings. Holds one row of one table.

use std::io::Read;

use crate::bytes::Bytes;
use crate::document::Document;
use crate::error::ImportError;
use crate::html;
use crate::oracle::figures;
use crate::oracle::row::{Row, squash};
use crate::oracle::sections::{Section, of_title, write};
use crate::oracle::told::Told;

const FORMAT: &str = "AWR";
/// Letters of a tag, of a cell, and of a line between tables that are looked at.
const LONGEST_TAG: usize = 1024;
const LONGEST_TEXT: usize = 16_384;
/// Cells of a row.
const MOST_CELLS: usize = 64;

/// Whether a file begins as such a page: the title stands before its styles.
pub fn is_page(beginning: &[u8]) -> bool {
    let has =
        |word: &str| beginning.windows(word.len()).any(|there| there.eq_ignore_ascii_case(word.as_bytes()));
    has("<html") && (has("<title>AWR Report for DB") || has("WORKLOAD REPOSITORY report for"))
}

/// Reads a page to its end.
pub fn read<R: Read>(bytes: &mut Bytes<R>, document: &mut Document) -> Result<(), ImportError> {
    let mut page = Page { told: Told::of(FORMAT), section: Section::Other, ..Page::default() };
    let mut text = Vec::new();
    while let Some(byte) = bytes.next()? {
        if byte != b'<' {
            if text.len() < LONGEST_TEXT {
                text.push(byte);
            }
            continue;
        }
        page.text(&String::from_utf8_lossy(&text));
        text.clear();
        let Some(tag) = tag(bytes)? else { break };
        page.tag(&tag, bytes.line(), document);
    }
    if page.is_in_table {
        document.flaw(bytes.line(), format!("{FORMAT}: the page ends within a table; expected </table>"));
    }
    if !page.told.is_begun() {
        return Ok(());
    }
    page.told.finish(document);
    document.end_sample(FORMAT)
}

/// What stands between `<` and `>`; none where the page ends before.
fn tag<R: Read>(bytes: &mut Bytes<R>) -> Result<Option<String>, ImportError> {
    let mut tag = Vec::new();
    while let Some(byte) = bytes.next()? {
        if byte == b'>' {
            return Ok(Some(String::from_utf8_lossy(&tag).into_owned()));
        }
        if tag.len() < LONGEST_TAG {
            tag.push(byte);
        }
    }
    Ok(None)
}

#[derive(Default)]
struct Page {
    told: Told,
    section: Section,
    is_in_table: bool,
    is_in_cell: bool,
    /// Within a title, the text so far.
    title: Option<String>,
    headings: Vec<String>,
    cells: Vec<String>,
    has_headings: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        let target = match (self.is_in_cell, &mut self.title) {
            (true, _) => self.cells.last_mut(),
            (false, title) => title.as_mut(),
        };
        if let Some(target) = target {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            target.push_str(html::letters(line).trim());
        }
    }

    fn tag(&mut self, tag: &str, line: u64, document: &mut Document) {
        let name = tag.split_whitespace().next().unwrap_or("").trim_end_matches('/').to_ascii_lowercase();
        let name = if name.is_empty() { tag.to_ascii_lowercase() } else { name };
        match name.as_str() {
            "h1" | "h2" | "h3" => self.title = Some(String::new()),
            "/h1" | "/h2" | "/h3" => self.take_title(),
            "table" => {
                self.is_in_table = true;
                self.headings.clear();
                self.take_summary(tag);
            }
            "/table" => {
                self.end_row(line, document);
                self.is_in_table = false;
            }
            "tr" | "/tr" => self.end_row(line, document),
            "th" | "td" if self.is_in_table && self.cells.len() < MOST_CELLS => {
                self.has_headings |= name == "th";
                self.cells.push(String::new());
                self.is_in_cell = true;
            }
            "/th" | "/td" => self.is_in_cell = false,
            _ => {}
        }
    }

    /// What a title says of the tables below it.
    fn take_title(&mut self) {
        let Some(title) = self.title.take() else { return };
        self.section = of_title(&title).unwrap_or(Section::Other);
        self.told.is_foreground |= self.section == Section::TopEvents && title.contains("Foreground");
    }

    /// Some tables stand below no title, but say what they are.
    fn take_summary(&mut self, tag: &str) {
        let tag = tag.to_ascii_lowercase();
        if self.section == Section::Other
            && tag.contains("summary")
            && tag.contains("wait events by total wait time")
        {
            self.section = Section::TopEvents;
            self.told.is_foreground = true;
        }
    }

    fn end_row(&mut self, line: u64, document: &mut Document) {
        self.is_in_cell = false;
        let cells = std::mem::take(&mut self.cells);
        let is_heading = std::mem::take(&mut self.has_headings);
        if cells.is_empty() {
            return;
        }
        if is_heading && cells.iter().filter(|cell| !cell.is_empty()).count() > 1 {
            self.headings = cells.iter().map(|cell| squash(cell)).collect();
            return;
        }
        let row = Row::of(&self.headings, cells);
        let text = row.line();
        let words: Vec<&str> = text.split_whitespace().collect();
        if self.told.snapshot(&words) || words.is_empty() {
            return;
        }
        let has = |heading: &str| self.headings.iter().any(|there| there == heading);
        let section = match self.section {
            Section::Other if has("dbname") && has("instance") => Section::Instance,
            Section::Other if has("hostname") && has("platform") => Section::Machine,
            section => section,
        };
        if section == Section::Other {
            figures::take(&words.join(" "), &mut self.told, document);
        } else if let Err(expected) = write(section, &row, &mut self.told, document) {
            let what = format!("{FORMAT}: {:?}; expected {expected}", words.join(" "));
            document.flaw(line, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_page;

    #[test]
    fn pages_are_told_by_their_beginning() {
        assert!(is_page(
            b"<html lang=\"en\"><head><title>AWR Report for DB: ORCL, Inst: orcl, Snaps: 37-38</title>"
        ));
        assert!(is_page(b"<HTML><BODY><H1>WORKLOAD REPOSITORY report for</H1>"));
        assert!(!is_page(b"<html><head><title>How to read an AWR report</title>"));
    }
}
