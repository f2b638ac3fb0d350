//! Reports of AWR as pages: tables below headings. Holds one row of one table. Pages of a whole cluster (RAC) say above each table what it is
//! in the table's own tag, and have headings of groups above those of their columns.

use std::io::Read;

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::addm::Addm;
use crate::oracle::cluster::{Cluster, Taken};
use crate::oracle::figures;
use crate::oracle::headings::Headings;
use crate::oracle::report_state::ReportState;
use crate::oracle::row::{Row, squash};
use crate::oracle::sections::{Section, of_title, write};
use crate::text::bytes::Bytes;
use crate::text::html;

const FORMAT: &str = "AWR";
/// Letters of a tag, of a cell, and of a line between tables that are looked at.
const LONGEST_TAG: usize = 1024;
const LONGEST_TEXT: usize = 16_384;
/// Letters of a text with lines of its own.
const LONGEST_LINES: usize = 1 << 18;
/// Cells of a row.
const MOST_CELLS: usize = 64;

/// Whether a file begins as such a page: the title stands before its styles.
pub fn is_page(beginning: &[u8]) -> bool {
    let has =
        |word: &str| beginning.windows(word.len()).any(|there| there.eq_ignore_ascii_case(word.as_bytes()));
    let titles = [
        "<title>AWR Report for DB",
        "<title>AWR RAC Report for DB",
        "WORKLOAD REPOSITORY report for",
        "WORKLOAD REPOSITORY REPORT (RAC)",
    ];
    has("<html") && titles.iter().any(|title| has(title))
}

/// Reads a page to its end.
pub fn read<R: Read>(bytes: &mut Bytes<R>, document: &mut Document) -> Result<(), ImportError> {
    let mut page = Page { told: ReportState::new(FORMAT), section: Section::Other, ..Page::default() };
    let mut text = Vec::new();
    while let Some(byte) = bytes.next()? {
        if byte != b'<' {
            if text.len() < if page.lines.is_some() { LONGEST_LINES } else { LONGEST_TEXT } {
                text.push(byte);
            }
            continue;
        }
        page.text(&String::from_utf8_lossy(&text));
        text.clear();
        let Some(tag) = tag(bytes)? else { break };
        page.tag(&tag, bytes.line(), document);
        if let Some(text) = page.finished_lines.take() {
            read_addm(&text, bytes.line(), document)?;
        }
    }
    if page.is_in_table {
        document.flaw(bytes.line(), format!("{FORMAT}: the page ends within a table; expected </table>"));
    }
    let has_anything = match &mut page.cluster {
        Some(cluster) => cluster.finish(document),
        None if page.told.is_begun() => {
            page.told.finish(document);
            true
        }
        None => false,
    };
    if !has_anything {
        return Ok(());
    }
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

/// Reports of ADDM stand in a page as text.
fn read_addm(text: &str, line: u64, document: &mut Document) -> Result<(), ImportError> {
    let mut addm = Addm::default();
    for text in text.lines() {
        let words: Vec<&str> = text.split_whitespace().collect();
        addm.goes_on(&Line { number: line, words: &words, text, is_cut: false }, document)?;
    }
    addm.ends(document)
}

#[derive(Default)]
struct Page {
    told: ReportState,
    section: Section,
    is_in_table: bool,
    is_in_cell: bool,
    /// Within a title, the text so far.
    title: Option<String>,
    /// Within a text with lines of its own, what came of it; and such a text that is over.
    lines: Option<String>,
    finished_lines: Option<String>,
    headings: Vec<String>,
    cells: Vec<String>,
    /// How many columns and rows each cell goes over.
    spans: Vec<(usize, usize)>,
    has_headings: bool,
    /// The report of a whole cluster, where it is one.
    cluster: Option<Cluster>,
    /// What the table says that it is, and its headings; of a cluster.
    table_title: String,
    /// The section was told by the tag of one table, and is over with it.
    is_of_summary: bool,
    grouped: Headings,
    last_title: String,
}

impl Page {
    fn text(&mut self, text: &str) {
        if let Some(lines) = self.lines.as_mut().filter(|lines| lines.len() < LONGEST_LINES) {
            lines.push_str(&html::letters(text.to_owned()));
        }
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
            "pre" => self.lines = Some(String::new()),
            "/pre" => self.finished_lines = self.lines.take(),
            "br" => {
                if let Some(lines) = &mut self.lines {
                    lines.push('\n');
                }
            }
            "h1" | "h2" | "h3" => self.title = Some(String::new()),
            "/h1" | "/h2" | "/h3" => self.take_title(),
            "table" => {
                self.is_in_table = true;
                self.headings.clear();
                self.grouped = Headings::default();
                self.take_summary(tag);
                if let Some(cluster) = &mut self.cluster {
                    cluster.begin_table();
                }
            }
            "/table" => {
                self.end_row(line, document);
                self.is_in_table = false;
            }
            "tr" | "/tr" => self.end_row(line, document),
            "th" | "td" if self.is_in_table && self.cells.len() < MOST_CELLS => {
                self.has_headings |= name == "th";
                self.cells.push(String::new());
                self.spans.push((count(tag, "colspan"), count(tag, "rowspan")));
                self.is_in_cell = true;
            }
            "/th" | "/td" => self.is_in_cell = false,
            _ => {}
        }
    }

    /// What a title says of the tables below it.
    fn take_title(&mut self) {
        let Some(title) = self.title.take() else { return };
        if title.contains("REPORT (RAC)") {
            self.cluster = Some(Cluster::new());
        }
        self.last_title.clone_from(&title);
        self.section = of_title(&title).unwrap_or(Section::Other);
        self.is_of_summary = false;
        self.told.is_foreground |= self.section == Section::TopEvents && title.contains("Foreground");
    }

    /// Some tables stand below no title, but say what they are.
    fn take_summary(&mut self, tag: &str) {
        if std::mem::take(&mut self.is_of_summary) {
            self.section = Section::Other;
        }
        let summary = attribute(tag, "summary").unwrap_or("");
        self.table_title = match (summary.strip_prefix("This table displays "), &self.cluster) {
            (None, _) if !summary.is_empty() => summary.to_owned(),
            (Some(summary), None) => summary.to_owned(),
            _ => self.last_title.clone(),
        };
        let tag = tag.to_ascii_lowercase();
        let summaries =
            [("wait events by total wait time", Section::TopEvents), ("top addm findings", Section::Advice)];
        let found = summaries.iter().find(|(words, _)| tag.contains("summary") && tag.contains(words));
        if let (Section::Other, Some((_, section))) = (self.section, found) {
            self.section = *section;
            self.told.is_foreground |= *section == Section::TopEvents;
            self.is_of_summary = true;
        }
    }

    fn end_row(&mut self, line: u64, document: &mut Document) {
        self.is_in_cell = false;
        let cells = std::mem::take(&mut self.cells);
        let spans = std::mem::take(&mut self.spans);
        let is_heading = std::mem::take(&mut self.has_headings);
        if cells.is_empty() {
            return;
        }
        if let Some(cluster) = &mut self.cluster {
            if is_heading {
                self.grouped.take(&cells, &spans);
                return;
            }
            let row = Row::of(self.grouped.below(), cells);
            if let Taken::Damaged(expected) = cluster.row(&self.table_title, &row, document) {
                let what = format!("{FORMAT}: {:?}; expected {expected}", row.line());
                document.flaw(line, what);
            }
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
            Section::Other if has("instance") && (has("dbname") || has("startuptime")) => Section::Instance,
            Section::Other if has("hostname") && has("platform") => Section::Machine,
            section => section,
        };
        if section == Section::Other {
            let is_taken = figures::take(&words.join(" "), &mut self.told, document);
            // Of labels without headings those that are no figure of ours are many.
            if !is_taken && self.headings.first().is_some_and(|heading| !heading.is_empty()) {
                self.told.leave_out(&self.table_title);
            }
        } else if let Err(expected) = write(section, &row, &mut self.told, document) {
            let what = format!("{FORMAT}: {:?}; expected {expected}", words.join(" "));
            document.flaw(line, what);
        }
    }
}

/// A number in a tag, as of columns that a cell goes over; one where there is none.
fn count(tag: &str, name: &str) -> usize {
    attribute(tag, name).and_then(|value| value.trim().parse().ok()).filter(|count| *count > 0).unwrap_or(1)
}

/// What a tag says of a name: `summary="Time Model"`, `colspan=2`.
fn attribute<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = tag.split_once(&format!(" {name}="))?;
    match rest.chars().next()? {
        sign @ ('"' | '\'') => rest[1..].split(sign).next(),
        _ => rest.split_whitespace().next(),
    }
}

#[cfg(test)]
mod tests {
    use super::{attribute, count, is_page};

    #[test]
    fn what_a_tag_says() {
        let tag = "table border=\"0\" summary=\"Time Model. . in order of I#\" colspan=2";
        assert_eq!(attribute(tag, "summary"), Some("Time Model. . in order of I#"));
        assert_eq!((count(tag, "colspan"), count(tag, "rowspan")), (2, 1));
    }

    #[test]
    fn pages_are_told_by_their_beginning() {
        assert!(is_page(
            b"<html lang=\"en\"><head><title>AWR Report for DB: ORCL, Inst: orcl, Snaps: 37-38</title>"
        ));
        assert!(is_page(b"<HTML><BODY><H1>WORKLOAD REPOSITORY report for</H1>"));
        assert!(!is_page(b"<html><head><title>How to read an AWR report</title>"));
    }
}
