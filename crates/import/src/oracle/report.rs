//! Reports of statspack and AWR as text. Cells are distinguished by the row of dashes below the headings; where somebody has
//! lost the blanks of a list of events, by its numbers.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::oracle::figures;
use crate::oracle::report_state::ReportState;
use crate::oracle::row::{Row, scaled, seconds, squash};
use crate::oracle::ruler::{Dashes, Ruler, dashes};
use crate::oracle::sections::{Section, of_line, write};

const STATSPACK: &str = "statspack";
const AWR: &str = "AWR";
/// Samples of active sessions.
const ASH: &str = "ASH";
/// Lines between what belongs to one table without a title of its own.
const LONGEST_GAP: u64 = 12;
/// Lines of headings above a row of dashes.
const MOST_HEADS: usize = 8;
/// Letters of a statement that stand in a line, at least: statspack keeps it in pieces of this length.
const NARROWEST_TEXT: usize = 64;
/// Letters of a statement that are kept.
const LONGEST_STATEMENT: usize = 4096;
/// Numbers in the second line of a row of two.
const LEAST_NUMBERS: usize = 3;

/// Reads reports as text.
#[derive(Default)]
pub struct Report {
    told: Option<ReportState>,
    /// It began with its head, so that it goes on until its end or the next head: what lies between may be anything.
    has_head: bool,
    /// What a report has once, and was met in it: of a piece without a head, a second one is of another report.
    met: Vec<Once>,
    part: Option<Part>,
    last_line: u64,
    /// The heading that SQL*Plus prints above each of its own pages.
    page_line: u64,
}

/// What a report has once only.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Once {
    Load,
    Efficiency,
    TopEvents,
}

impl Once {
    fn of(words: &[&str], section: Option<Section>) -> Option<Once> {
        match words {
            ["Load", "Profile", ..] => Some(Once::Load),
            ["Instance", "Efficiency", ..] => Some(Once::Efficiency),
            _ => section.filter(|section| *section == Section::TopEvents).map(|_| Once::TopEvents),
        }
    }
}

/// A section while it is read.
struct Part {
    section: Section,
    /// Its title, where it had one that only a report has: then all up to its end belongs to it.
    title: Option<String>,
    heads: Vec<String>,
    /// Each row of dashes with its headings; rows of two lines have two.
    rulers: Vec<(Ruler, Vec<String>)>,
    /// The first line of a row of two.
    first: Vec<String>,
    rows: u64,
    statement: String,
}

impl Importer for Report {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let format = match line.words {
            ["STATSPACK", "report", "for", ..] => Some(STATSPACK),
            ["WORKLOAD", "REPOSITORY", "report", "for", ..]
            | ["WORKLOAD", "REPOSITORY", "PDB", "report", ..] => Some(AWR),
            ["ASH", "Report", "For", ..] => Some(ASH),
            _ => None,
        };
        if let Some(format) = format {
            self.end(document)?;
            self.told = Some(ReportState::new(format));
            self.has_head = true;
            self.last_line = line.number;
            return Ok(true);
        }
        if self.told.is_some() && matches!(line.words, ["End", "of", "Report", ..]) {
            self.end(document)?;
            return Ok(true);
        }
        let section = section_of(line);
        let is_head = section.is_some() || is_of_figures(line.words);
        let is_snapshot = !is_head && self.snapshot(line.words, document)?;
        if !is_head && !is_snapshot {
            return Ok(false);
        }
        if let Some(once) = Once::of(line.words, section.as_ref().map(|(section, _)| *section)) {
            if self.met.contains(&once) && !self.has_head {
                self.end(document)?;
            }
            self.met.push(once);
        }
        let told = self.told.get_or_insert_with(|| ReportState::new(format_of(line.text)));
        self.last_line = line.number;
        if let Some((section, title)) = section {
            told.is_foreground |= section == Section::TopEvents && line.text.contains("Foreground");
            let heads = match section {
                Section::TopEvents => vec![beside_title(line.text)],
                Section::Events | Section::Instance | Section::Machine => vec![line.text.to_owned()],
                _ => Vec::new(),
            };
            if let (Section::Other, Some(title)) = (section, &title) {
                told.leave_out(title);
            }
            self.close(document);
            self.part = Some(Part {
                section,
                title,
                heads,
                rulers: Vec::new(),
                first: Vec::new(),
                rows: 0,
                statement: String::new(),
            });
        } else if is_head {
            self.close(document);
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        // The headings of a list that has begun begin none.
        let is_heading = self.part.as_ref().is_some_and(|part| {
            part.rulers.is_empty() && line.words.first() == Some(&"Event") && section_of(line).is_some()
        });
        if !is_heading && self.begins(line, document)? {
            return Ok(true);
        }
        if self.told.is_none() {
            return Ok(false);
        }
        if self.is_page_heading(line) {
            self.last_line = line.number;
            return Ok(true);
        }
        if line.number > self.last_line + LONGEST_GAP {
            self.part = self.part.take().filter(|part| part.title.is_some());
            if self.part.is_none() && !self.has_head {
                return Ok(false);
            }
        }
        let is_taken = match self.part.take() {
            Some(part) => self.take_row(part, line, document),
            None => false,
        };
        let is_taken = is_taken || self.take_figures(line, document);
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(title) = self.part.as_ref().and_then(|part| part.title.as_deref()) {
            let what = format!("the report ends within {title}; expected a row of dashes below it");
            document.flaw(self.last_line, what);
        }
        self.end(document)
    }
}

impl Report {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.close(document);
        self.has_head = false;
        self.met.clear();
        let Some(mut told) = self.told.take().filter(ReportState::is_begun) else { return Ok(()) };
        told.finish(document);
        document.end_sample(told.format)
    }

    /// Whether a line is the heading `OUTPUT` that stands above each page of a report that was queried (`select * from table(…)`),
    /// between any two lines of it, or the dashes below.
    fn is_page_heading(&mut self, line: &Line<'_>) -> bool {
        if line.words == ["OUTPUT"] {
            self.page_line = line.number;
            return true;
        }
        let is_rule = line.text.starts_with("---") && line.text.trim_end().bytes().all(|byte| byte == b'-');
        is_rule && self.page_line > 0 && line.number == self.page_line + 1
    }

    /// Takes the lines that say when the report was; those of the next one end the one before.
    fn snapshot(&mut self, words: &[&str], document: &mut Document) -> Result<bool, ImportError> {
        let is_of_samples = self.told.as_ref().is_some_and(|told| told.format == ASH)
            && matches!(words, ["Analysis", ..] | ["Elapsed", "Time:", ..] | ["Average", "Active", ..]);
        if !is_of_samples
            && !matches!(
                words,
                ["Begin" | "End", "Snap:", ..] | ["Elapsed:", ..] | ["DB", "Time:" | "time:", ..]
            )
        {
            return Ok(false);
        }
        if matches!(words, ["Begin", ..]) && self.told.as_ref().is_some_and(ReportState::is_begun) {
            self.end(document)?;
        }
        Ok(self.told.get_or_insert_with(|| ReportState::new(STATSPACK)).snapshot(words))
    }

    /// Takes figures behind labels, which stand above all tables or between the first of them.
    fn take_figures(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let is_inside = self.part.as_ref().is_some_and(|part| part.title.is_some());
        let Some(told) = self.told.as_mut().filter(|_| !is_inside) else { return false };
        // Statspack writes `DB time(s)`.
        if !told.is_begun() && line.text.contains("DB Time(s):") {
            told.format = AWR;
        }
        let is_taken = figures::take(&line.words.join(" "), told, document);
        if is_taken {
            self.part = None;
        }
        is_taken
    }

    /// Takes a line of a section, which it keeps where the section goes on.
    fn take_row(&mut self, mut part: Part, line: &Line<'_>, document: &mut Document) -> bool {
        let Some(told) = self.told.as_mut() else { return false };
        let text = line.text;
        let is_note = text.trim_start().starts_with("->");
        match dashes(text) {
            Some(Dashes::End) => {
                part.flush_statement(told, document);
                return true;
            }
            Some(Dashes::Ruler(ruler)) => {
                part.begin_rows(ruler);
                // Statspack knows no classes.
                if part.has_heading("waitclass") && !told.is_begun() {
                    told.format = AWR;
                }
                self.part = Some(part);
                return true;
            }
            None if is_note && part.rows > 0 => return true,
            None => {}
        }
        let is_whole = part.title.is_some();
        // An empty line stands between notes and headings.
        if line.number > self.last_line + 1 {
            part.heads.clear();
        }
        if part.rulers.is_empty() || part.has_more_headings() {
            if !is_note {
                part.heads.push(text.to_owned());
            }
            let is_heading = is_whole || part.heads.len() <= MOST_HEADS;
            self.part = is_heading.then_some(part);
            return is_heading;
        }
        let went = part.row(line, told, document);
        if went || is_whole {
            let is_over = matches!(part.section, Section::Instance | Section::Machine);
            self.part = (!is_over).then_some(part);
        }
        went || is_whole
    }

    /// The section is over.
    fn close(&mut self, document: &mut Document) {
        if let (Some(mut part), Some(told)) = (self.part.take(), self.told.as_mut()) {
            part.flush_statement(told, document);
        }
    }
}

impl Part {
    /// A row of dashes: what stands above it are headings.
    fn begin_rows(&mut self, ruler: Ruler) {
        let mut headings = vec![String::new(); ruler.width()];
        for head in self.heads.drain(..) {
            for (heading, cell) in headings.iter_mut().zip(ruler.cells(&head)) {
                heading.push_str(&squash(&cell));
            }
        }
        // Lines of a page that comes anew have their dashes again.
        if self.rows > 0 {
            self.rulers.clear();
        }
        self.rulers.push((ruler, headings));
    }

    /// Whether only the headings of the first line of a row of two were read: nothing was counted in it.
    fn has_more_headings(&self) -> bool {
        let is_of_two = matches!(self.section, Section::Files | Section::Enqueues | Section::SqlEvents);
        let is_count = |heading: &String| matches!(heading.as_str(), "reads" | "waits" | "%event");
        is_of_two && matches!(self.rulers.as_slice(), [(_, headings)] if !headings.iter().any(is_count))
    }

    /// Takes a row; false where the line is none.
    fn row(&mut self, line: &Line<'_>, told: &mut ReportState, document: &mut Document) -> bool {
        let Some((ruler, headings)) = self.rulers.last() else { return false };
        let cells = ruler.cells(line.text);
        let mut row = Row::of(headings, cells);
        row.is_filled = ruler.is_filled(0, row.at(0));
        match self.section {
            Section::Sql => return self.statement(row, line, told, document),
            Section::SqlEvents => return self.statement_event(row, line, told, document),
            _ => {}
        }
        if let [(first, names), (_, numbers)] = self.rulers.as_slice() {
            let count = line.words.iter().filter(|word| scaled(word).is_some()).count();
            if count < LEAST_NUMBERS {
                let cells = first.cells(line.text);
                self.take_first(cells);
                return true;
            }
            let mut both = Row::of(names, self.first.clone());
            both.extend(numbers, row.cells());
            row = both;
        }
        self.rows += 1;
        let is_event = matches!(
            self.section,
            Section::TopEvents | Section::Events | Section::Foreground | Section::Background
        );
        let expected = match write(self.section, &row, told, document) {
            Ok(()) => return true,
            Err(expected) => expected,
        };
        if let Some(row) = is_event.then(|| collapsed(line.words, self.section, &row)).flatten()
            && self.title.is_none()
        {
            return write(self.section, &row, told, document).is_ok();
        }
        self.rows -= 1;
        let numbers = line.words.iter().filter(|word| scaled(word).is_some()).count();
        let is_closed = row.ends_with_number();
        // A row of which a number is damaged, and no sentence; a value that goes on in a second line has no name.
        if (numbers >= 2 && is_closed) || (self.title.is_some() && !row.at(0).is_empty()) {
            let what = format!("{}: {:?}; expected {expected}", told.format, line.words.join(" "));
            document.flaw(line.number, what);
            return true;
        }
        false
    }

    /// The first line of a row of two. A name that goes for several rows is printed once.
    fn take_first(&mut self, cells: Vec<String>) {
        let before = std::mem::replace(&mut self.first, cells);
        if let (Some(first), Some(before)) = (self.first.first_mut(), before.into_iter().next())
            && first.is_empty()
        {
            *first = before;
        }
    }

    fn has_heading(&self, heading: &str) -> bool {
        self.rulers.iter().any(|(_, headings)| headings.iter().any(|there| there == heading))
    }

    /// Of a statement the row of its own, those of its events, the one with most samples first, or a line of its text.
    fn statement_event(
        &mut self,
        row: Row,
        line: &Line<'_>,
        told: &mut ReportState,
        document: &mut Document,
    ) -> bool {
        self.rows += 1;
        match line.words {
            [id, numbers @ ..] if is_statement_id(id) && is_all_numbers(numbers) => {
                self.flush_statement(told, document);
                self.first = vec![(*id).to_owned()];
                told.last_statement = Some((*id).to_owned());
            }
            _ if row.number(&["%event"]).is_some() => {
                if let Some(id) = self.first.pop() {
                    let headings = ["sqlid", "event", "%event"].map(str::to_owned);
                    let cells = [&id, row.at(0), row.text(&["%event"]).unwrap_or("")].map(str::to_owned);
                    let _ = write(Section::SqlEvents, &Row::of(&headings, cells.to_vec()), told, document);
                }
            }
            // Further steps of the plan stand below the first.
            ["**", "SQL", ..] | [] => {}
            _ if line.text.starts_with("          ") => {}
            _ => self.add_text(line.text),
        }
        true
    }

    /// A statement's numbers, or a line of its text.
    fn statement(
        &mut self,
        row: Row,
        line: &Line<'_>,
        told: &mut ReportState,
        document: &mut Document,
    ) -> bool {
        let is_row = scaled(row.at(0)).is_some()
            && row.text(&["sqlid", "hashvalue", "oldhashvalue"]).is_some_and(is_statement_id);
        if is_row {
            self.flush_statement(told, document);
            self.rows += 1;
            if let Err(expected) = write(Section::Sql, &row, told, document) {
                document.flaw(line.number, format!("{}: expected {expected}", told.format));
            }
        } else if let ["Module:", module @ ..] = line.words {
            let headings = ["sqlid".to_owned(), "sqlmodule".to_owned()];
            if let Some(id) = told.last_statement.clone() {
                let row = Row::of(&headings, vec![id, module.join(" ")]);
                let _ = write(Section::Sql, &row, told, document);
            }
        } else {
            self.add_text(line.text);
        }
        true
    }

    /// Text is broken at the width of the page, within words too; shorter lines are the author's own.
    fn add_text(&mut self, text: &str) {
        if self.statement.len() < LONGEST_STATEMENT {
            self.statement.push_str(text);
            if text.len() < NARROWEST_TEXT {
                self.statement.push(' ');
            }
        }
    }

    fn flush_statement(&mut self, told: &mut ReportState, document: &mut Document) {
        let text = std::mem::take(&mut self.statement);
        if let Some(id) = told.last_statement.take().filter(|_| !text.trim().is_empty()) {
            let headings = ["sqlid".to_owned(), "sqltext".to_owned()];
            let row = Row::of(&headings, vec![id, text.trim().to_owned()]);
            let _ = write(Section::Sql, &row, told, document);
        }
    }
}

/// 13 letters and figures, of which a narrow page cuts some, or the hash of before.
fn is_statement_id(word: &str) -> bool {
    (8..=13).contains(&word.len())
        && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

/// What stands beside a title are headings: the line without the title, which may be as wide as two columns.
fn beside_title(text: &str) -> String {
    let begin = text.len() - text.trim_start().len();
    let end = text[begin..].find("  ").map_or(text.len(), |at| begin + at);
    let width = text[..end].chars().count();
    format!("{}{}", " ".repeat(width), &text[end..])
}

/// Numbers behind the id of a statement: of its plan, its executions and its share.
fn is_all_numbers(words: &[&str]) -> bool {
    (2..=4).contains(&words.len()) && words.iter().all(|word| scaled(word).is_some() || *word == "N/A")
}

/// Which report a piece without its head is of, by a title that only one of both has.
fn format_of(text: &str) -> &'static str {
    let titles =
        ["Foreground Events by", "Timed Foreground", "Time Model Statistics", "Operating System Statistics"];
    if titles.iter().any(|title| text.contains(title)) { AWR } else { STATSPACK }
}

/// What stands above figures behind labels; that of a cluster's cache has the instance and the snapshots beside it.
fn is_of_figures(words: &[&str]) -> bool {
    matches!(
        words,
        ["Load", "Profile", ..]
            | ["Instance", "Efficiency", "Percentages" | "Indicators", ..]
            | ["RAC", "Statistics", ..]
    )
}

/// The section that a line begins, with its title where only a report has such a one.
fn section_of(line: &Line<'_>) -> Option<(Section, Option<String>)> {
    match line.words {
        ["RAC", "Statistics", ..] => return None,
        ["DB", "Name", "DB", "Id", ..] | ["Database", "DB", "Id", ..] | ["Instance", "Inst", "Num", ..] => {
            return Some((Section::Instance, None));
        }
        ["Host", "Name", "Platform", ..] => return Some((Section::Machine, None)),
        // `Event Waits Time (s) Ela Time` of 9i, `Event Waits Timeouts Time (s) (ms) /txn`, `… (cs) Wt Time`.
        ["Event", "Waits", "Time" | "Timeouts", ..] => return Some((Section::Events, None)),
        ["Top", number, ..] if number.parse::<u8>().is_ok() => {
            // Beside a title stand headings, and in a sentence anything.
            let rest = line.words.iter().skip(2);
            let is_title = rest.clone().all(|word| {
                let word = word.to_ascii_lowercase();
                word.bytes().all(|byte| byte == b'~')
                    || ["timed", "wait", "events", "foreground", "by", "total", "time", "avg", "%total", "%"]
                        .contains(&word.as_str())
            });
            return of_line(line.text).filter(|_| is_title).map(|section| (section, None));
        }
        _ => {}
    }
    let section = of_line(line.text)?;
    let title = line.text.split("DB").next().unwrap_or("").split(" Snaps:").next().unwrap_or("");
    let title = title.trim_end().trim_end_matches(" for");
    Some((section, Some(title.trim().to_owned())))
}

/// A row of events of which the blanks are lost: by the numbers at its end.
fn collapsed(words: &[&str], section: Section, row: &Row) -> Option<Row> {
    let is_number = |word: &&str| scaled(word).is_some() || seconds(word, 1.0).is_some();
    let end = words.iter().rposition(&is_number)? + 1;
    let numbers = words[..end].iter().rev().take_while(|word| is_number(word)).count();
    let name = words[..end - numbers].join(" ");
    // Of a row that is damaged, or has a number that was too long for its column, numbers stand in the name.
    let is_odd = |word: &&str| {
        word.starts_with('#')
            || (word.starts_with(|first: char| first.is_ascii_digit()) && !word.ends_with("way"))
    };
    let is_event = matches!(section, Section::TopEvents | Section::Events);
    if !is_event || name.is_empty() || name.starts_with('-') || words[..end - numbers].iter().any(is_odd) {
        return None;
    }
    let is_old = row.place(|heading| heading.contains("timecs")).is_some();
    let time = if is_old { "timecs" } else { "times" };
    let headings: &[&str] = match numbers {
        2 if name.contains("CPU") => &["event", time, "%total"],
        3 => &["event", "waits", time, "%total"],
        4 => &["event", "waits", time, "avgwaitms", "%total"],
        _ => return None,
    };
    let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let mut cells = vec![name];
    cells.extend(words[end - numbers..end].iter().map(|word| (*word).to_owned()));
    let share = cells.last().and_then(|cell| scaled(cell));
    share.filter(|share| *share <= 100.0).map(|_| Row::of(&headings, cells))
}
