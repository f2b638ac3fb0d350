//! What psql printed of PostgreSQL's views: aligned, unaligned, CSV, or a record below another (`\x`).

use crate::database::session_columns::Product;
use crate::database::session_rows::SessionRows;
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::postgres::cells::{Form, cells, goes_on, is_record, is_rule};
use crate::postgres::views::{Cells, Locks, View, write, write_locks};
use crate::table::sheets::When;
use crate::text::clock_line;

/// Lines without a row between two rows: statements have empty lines.
const LONGEST_GAP: u64 = 50;
/// Letters of a row of several lines.
const LONGEST_ROW: usize = 1 << 18;
/// Columns of a view.
const MOST_COLUMNS: usize = 100;

/// Reads tables of psql.
#[derive(Default)]
pub struct Psql {
    listing: Option<Listing>,
    last_line: u64,
}

/// One table.
struct Listing {
    /// None while the columns of the first record are read.
    view: Option<View>,
    when: Option<When>,
    form: Form,
    is_expanded: bool,
    headings: Vec<String>,
    /// The line below the headings.
    rule: String,
    /// A record, a row that goes on in the next line, or what of CSV stands before a quote that is open.
    row: Vec<String>,
    open: String,
    was_open: bool,
    locks: Locks,
    sessions: Option<SessionRows>,
}

impl Importer for Psql {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let text = line.text;
        // What `\watch` prints above each table: `Thu Nov 26 16:12:19 2026 (every 2s)`.
        if let [time @ .., "(every", _] = line.words
            && clock_line::parse(time, document.times.dates.order).is_some()
        {
            self.end(document)?;
            document.take_time(&Line { words: time, ..*line });
            return Ok(true);
        }
        let is_expanded = is_record(text);
        let form = if text.contains(" | ") || is_expanded {
            Form::Aligned
        } else if text.contains('|') {
            Form::Unaligned
        } else if text.contains(',') {
            Form::Csv
        } else {
            return Ok(false);
        };
        let headings = match cells(form, text) {
            Some(headings) if form == Form::Csv => headings.iter().map(|name| plain_name(name)).collect(),
            Some(headings) if !is_expanded => headings,
            _ => Vec::new(),
        };
        let is_table = headings.len() > 1 && headings.iter().all(|heading| is_column(heading));
        // Boxes with columns of MySQL are its client's.
        let is_box = form == Form::Aligned && text.starts_with('|');
        let is_other = |view: &View| is_box && *view == View::Sessions(Product::Mysql);
        // Most lines with commas are no headings.
        let view = if is_table { View::of(&headings) } else { None }.filter(|view| !is_other(view));
        if view.is_none() && !is_expanded {
            return Ok(false);
        }
        self.end(document)?;
        self.last_line = line.number;
        self.listing = Some(Listing {
            view,
            when: None,
            form,
            is_expanded,
            headings,
            rule: String::new(),
            row: Vec::new(),
            open: String::new(),
            was_open: false,
            locks: Locks::new(),
            sessions: None,
        });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = line.number <= self.last_line + LONGEST_GAP;
        let Some(listing) = self.listing.as_mut().filter(|_| is_near) else {
            return self.begins(line, document);
        };
        if let [count, "row)" | "rows)"] = line.words
            && count.starts_with('(')
        {
            self.end(document)?;
            return Ok(true);
        }
        let is_taken =
            if listing.is_expanded { listing.record(line, document) } else { listing.row(line, document) };
        if is_taken {
            self.last_line = line.number;
            return Ok(true);
        }
        self.end(document)?;
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(listing) = self.listing.as_ref().filter(|listing| !listing.open.is_empty()) {
            let name = listing.view.map_or("", View::name);
            document.flaw(
                self.last_line,
                format!("{name}: the file ends within a row; expected a closing quote"),
            );
        }
        self.end(document)
    }
}

impl Psql {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut listing) = self.listing.take() else { return Ok(()) };
        listing.flush(self.last_line, document);
        let (Some(view), Some(when)) = (listing.view, listing.when) else { return Ok(()) };
        write_locks(&listing.locks, when, document);
        if let Some(sessions) = listing.sessions {
            sessions.write(when, document);
        }
        document.end_sample(view.name())
    }
}

impl Listing {
    /// Takes a line of a table; false where it is none.
    fn row(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        if is_rule(line.text) && self.row.is_empty() && self.form == Form::Aligned {
            self.rule = line.text.to_owned();
            return true;
        }
        // A statement of several lines, of which one may look like anything.
        let text =
            if self.open.is_empty() { line.text.to_owned() } else { format!("{}\n{}", self.open, line.text) };
        let Some(cells) = cells(self.form, &text) else {
            let is_short = text.len() < LONGEST_ROW;
            self.open = if is_short { text } else { String::new() };
            return is_short;
        };
        let cells = if self.is_quoted() { self.whole(cells) } else { cells };
        if self.is_quoted() && !self.is_complete(&cells) && cells.len() > 1 && text.len() < LONGEST_ROW {
            self.open = text;
            return true;
        }
        self.open.clear();
        let is_whole = cells.len() == self.headings.len();
        if !is_whole {
            if cells.len() < 2 {
                return false;
            }
            let what = format!("{} cells; expected {}", cells.len(), self.headings.join(" "));
            document.flaw(line.number, what);
            return true;
        }
        let is_open = !self.rule.is_empty() && goes_on(&self.rule, line.text);
        if self.was_open {
            for (cell, more) in self.row.iter_mut().zip(&cells) {
                if !more.is_empty() {
                    let end = cell.trim_end_matches('+').trim_end().len();
                    cell.truncate(end);
                    cell.push('\n');
                    cell.push_str(more);
                }
            }
        } else {
            self.row = cells;
        }
        self.was_open = is_open;
        if !is_open {
            self.flush(line.number, document);
        }
        true
    }

    /// Whether cells are in single quotes, and commas of a statement cut it: what graphical clients of MySQL copy.
    fn is_quoted(&self) -> bool {
        self.form == Form::Csv && self.view == Some(View::Sessions(Product::Mysql))
    }

    /// Whether such a row is complete: a statement of several lines ends with its quote.
    fn is_complete(&self, cells: &[String]) -> bool {
        let is_open = |cell: &String| {
            let cell = cell.trim();
            cell.starts_with('\'') && (cell.len() == 1 || !cell.ends_with('\''))
        };
        cells.len() >= self.headings.len() && !cells.iter().any(is_open)
    }

    /// The cells of such a row, the statement put together.
    fn whole(&self, mut cells: Vec<String>) -> Vec<String> {
        let surplus = cells.len().saturating_sub(self.headings.len());
        let statement = self.headings.iter().position(|name| matches!(name.as_str(), "info" | "query"));
        if let Some(at) = statement.filter(|at| surplus > 0 && at + surplus < cells.len()) {
            let whole = cells[at..=at + surplus].join(",");
            cells.splice(at..=at + surplus, [whole]);
        }
        if !self.is_complete(&cells) {
            return cells;
        }
        let bare = |cell: String| {
            let cell = cell.trim();
            cell.strip_prefix('\'').and_then(|cell| cell.strip_suffix('\'')).unwrap_or(cell).to_owned()
        };
        cells.into_iter().map(bare).collect()
    }

    /// Takes a line of a record: a column and its value.
    fn record(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        if is_record(line.text) {
            self.flush(line.number, document);
            self.headings.clear();
            return true;
        }
        let Some((name, value)) = line.text.split_once('|') else { return false };
        let (name, value) = (name.trim(), value.trim().trim_end_matches('|').trim_end());
        if name.is_empty() {
            // A value of several lines.
            if let Some(cell) = self.row.last_mut().filter(|cell| cell.len() < LONGEST_ROW) {
                let end = cell.trim_end_matches('+').trim_end().len();
                cell.truncate(end);
                cell.push('\n');
                cell.push_str(value);
            }
            return true;
        }
        if !is_column(name) || self.headings.len() >= MOST_COLUMNS {
            return false;
        }
        self.headings.push(name.to_owned());
        self.row.push(value.to_owned());
        true
    }

    /// Writes the row that was read.
    fn flush(&mut self, line: u64, document: &mut Document) {
        self.was_open = false;
        if self.row.is_empty() {
            return;
        }
        let row = std::mem::take(&mut self.row);
        self.view = self.view.or_else(|| View::of(&self.headings));
        let Some(view) = self.view else { return };
        let when = match self.when {
            Some(when) => when,
            None => {
                document.begin(view.name());
                *self.when.insert(document.moment(view.name()))
            }
        };
        let product = match view {
            View::Sessions(product) => Some(product),
            View::Locks => Some(Product::Postgresql),
            _ => None,
        };
        if let Some(product) = product {
            let sessions = self.sessions.get_or_insert_with(|| SessionRows::new(product));
            if !sessions.push(&self.headings, &row) && view != View::Locks {
                let what = format!("{}: {:?}; expected the pid of a session", view.name(), row.join(" "));
                document.flaw(line, what);
                return;
            }
        }
        let cells = Cells { headings: &self.headings, cells: &row };
        if let Err(expected) = write(view, &cells, when, &mut self.locks, document) {
            document.flaw(line, format!("{}: {:?}; expected {expected}", view.name(), row.join(" ")));
        }
    }
}

/// A heading of CSV without quotes and capitals, which MySQL's clients write.
fn plain_name(name: &str) -> String {
    name.trim().trim_matches(['\'', '"']).to_ascii_lowercase()
}

/// The name of a column.
fn is_column(name: &str) -> bool {
    !name.is_empty()
        && name.len() < 64
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}
