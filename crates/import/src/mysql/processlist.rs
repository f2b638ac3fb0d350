//! `SHOW PROCESSLIST`, with or without FULL, and `information_schema.processlist`: the sessions of a moment, in every form of
//! the client. What a session waits for stands in words in its state.

use heldup_model::Record;
use heldup_model::tables::DbSessionRow;

use crate::database::mysql_waits::wait_of;
use crate::database::session_columns::{self, Product};
use crate::database::session_rows::SessionRows;
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::mysql::client::{Form, cells, field, headings, is_count, is_record, is_rule};
use crate::table::sheets::When;

const FORMAT: &str = "processlist";
/// Lines without a row between two rows.
const LONGEST_GAP: u64 = 2;
/// Letters of a row: statements have many lines.
const LONGEST_ROW: usize = 1 << 18;
/// Columns that such a list has, in every release.
const COLUMNS: [&str; 7] = ["id", "user", "host", "db", "command", "time", "state"];
/// First columns of other lists of sessions, a row below another.
const FIRST: [&str; 7] = [
    "trx_id",
    "waiting_trx_id",
    "waiting_thread",
    "waiting_pid",
    "wait_started",
    "requesting_trx_id",
    "blocking_trx_id",
];
/// What statements are in.
const STATEMENT: &str = "info";

/// Reads such lists.
#[derive(Default)]
pub struct Processlist {
    listing: Option<Listing>,
    last_line: u64,
    /// Line of a rule above a row below another, of any table.
    record_line: u64,
}

/// A list while it is read.
struct Listing {
    form: Form,
    /// Where its columns are not those of the list of processes.
    sessions: Option<SessionRows>,
    headings: Vec<String>,
    /// The row that is read.
    cells: Vec<String>,
    /// A row of a box of which the statement goes on.
    open: String,
    when: When,
}

impl Importer for Processlist {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_record(line.text) {
            self.record_line = line.number;
            return Ok(false);
        }
        let first = field(line.text).filter(|_| self.record_line + 1 == line.number);
        let is_first = matches!(&first, Some((name, id)) if name == "id" && id.parse::<u64>().is_ok());
        let is_view = first.is_some_and(|(name, _)| FIRST.contains(&name.as_str()));
        let (form, headings) = match headings(line.text, is_ours) {
            Some(found) => found,
            None if is_first || is_view => (Form::Vertical, Vec::new()),
            None => return Ok(false),
        };
        self.end(document)?;
        document.begin(FORMAT);
        let when = document.moment(FORMAT);
        let is_other = is_view || (form != Form::Vertical && !is_whole(&headings));
        let sessions = is_other.then(|| SessionRows::new(Product::Mysql));
        let mut listing = Listing { form, sessions, headings, cells: Vec::new(), open: String::new(), when };
        if form == Form::Vertical {
            listing.take_field(line.text);
        }
        self.listing = Some(listing);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(listing) = &mut self.listing else { return self.begins(line, document) };
        let is_near = line.number <= self.last_line + LONGEST_GAP || !listing.open.is_empty();
        if is_count(line.words) {
            self.end(document)?;
            return Ok(true);
        }
        let is_taken = is_near
            && match listing.form {
                Form::Vertical if is_record(line.text) => {
                    listing.flush(line.number, document);
                    true
                }
                Form::Vertical => listing.take_field(line.text),
                Form::Box if is_rule(line.text) => true,
                form => listing.take_row(form, line, document),
            };
        if is_taken {
            self.last_line = line.number;
            return Ok(true);
        }
        self.end(document)?;
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Processlist {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut listing) = self.listing.take() else { return Ok(()) };
        listing.flush(self.last_line, document);
        if let Some(sessions) = listing.sessions {
            sessions.write(listing.when, document);
        }
        document.end_sample(FORMAT)
    }
}

impl Listing {
    /// Takes `  State: updating`, or a further line of a statement; false where the line is none such.
    fn take_field(&mut self, text: &str) -> bool {
        let is_in_statement = self.headings.last().is_some_and(|heading| heading == STATEMENT);
        let name_and_value = field(text).filter(|(name, _)| {
            let is_role = self.sessions.is_some() && !is_in_statement;
            let is_known = COLUMNS.contains(&name.as_str()) || is_extra(name) || name == STATEMENT || is_role;
            is_known && !self.headings.contains(name)
        });
        match (name_and_value, self.cells.last_mut()) {
            (Some((name, value)), _) if !is_in_statement || is_extra(&name) => {
                self.headings.push(name);
                self.cells.push(value.to_owned());
                true
            }
            (_, Some(statement)) if is_in_statement && statement.len() < LONGEST_ROW => {
                statement.push('\n');
                statement.push_str(text);
                true
            }
            _ => false,
        }
    }

    /// Takes a line of a row.
    fn take_row(&mut self, form: Form, line: &Line<'_>, document: &mut Document) -> bool {
        let text =
            if self.open.is_empty() { line.text.to_owned() } else { format!("{}\n{}", self.open, line.text) };
        let is_begun = text.trim_start().starts_with('|');
        let Some(mut row) = cells(form, &text) else {
            let goes_on = form == Form::Box && is_begun && text.len() < LONGEST_ROW;
            self.open = if goes_on { text } else { String::new() };
            return goes_on;
        };
        // A statement may have bars and tabs in it.
        let statement = self.headings.iter().position(|heading| heading == STATEMENT);
        if let Some(at) = statement.filter(|at| row.len() > self.headings.len() && *at < row.len()) {
            let surplus = row.len() - self.headings.len();
            let whole = row[at..=at + surplus].join(" | ");
            row.splice(at..=at + surplus, [whole]);
        }
        if row.len() != self.headings.len() {
            let goes_on = form == Form::Box && text.len() < LONGEST_ROW;
            self.open = if goes_on { text } else { String::new() };
            return goes_on;
        }
        self.open.clear();
        self.cells = row;
        self.flush(line.number, document);
        true
    }

    fn cell(&self, name: &str) -> Option<&str> {
        let at = self.headings.iter().position(|heading| heading == name)?;
        self.cells.get(at).map(|cell| cell.trim()).filter(|cell| !cell.is_empty() && *cell != "NULL")
    }

    /// The row is over.
    fn flush(&mut self, line: u64, document: &mut Document) {
        if self.cells.is_empty() {
            return;
        }
        if let Some(sessions) = self.sessions.as_mut() {
            if !sessions.push(&self.headings, &self.cells) {
                let what = format!("{FORMAT}: {:?}; expected the id of a session", self.cells.join(" "));
                document.flaw(line, what);
            }
            self.cells.clear();
            if self.form == Form::Vertical {
                self.headings.clear();
            }
            return;
        }
        match self.cell("id").and_then(|id| id.parse::<f64>().ok()) {
            Some(id) => self.write(id, document),
            None => {
                let what = format!("{FORMAT}: {:?}; expected the id of a session", self.cells.join(" "));
                document.flaw(line, what);
            }
        }
        self.cells.clear();
        if self.form == Form::Vertical {
            self.headings.clear();
        }
    }

    fn write(&self, id: f64, document: &mut Document) {
        let command = self.cell("command").unwrap_or("");
        let statement = self.cell(STATEMENT);
        let is_own = statement.is_some_and(|text| {
            let text = text.to_ascii_lowercase();
            text.contains("show") && text.contains("processlist") || text.contains(".processlist")
        });
        let state = match command {
            "Sleep" => Some("idle"),
            // The session that made the list.
            _ if is_own => None,
            "Query" | "Execute" | "Prepare" | "Fetch" | "Field List" | "Init DB" | "Change user" => {
                Some("active")
            }
            _ => None,
        };
        let kind = match command {
            "Sleep" => "mysql client".to_owned(),
            _ if state.is_some() || is_own => "mysql client".to_owned(),
            other => format!("mysql {other}"),
        };
        let mut cells = vec![("pid", Put::Number(Some(id))), ("backend_type", Put::Text(&kind))];
        cells.extend(state.map(|state| ("state", Put::Text(state))));
        let seconds = self.cell("time").and_then(|time| time.parse::<f64>().ok()).filter(|time| *time >= 0.0);
        let age = match state {
            Some("active") => Some("statement_s"),
            Some(_) => Some("state_s"),
            None => None,
        };
        cells.extend(age.map(|column| (column, Put::Number(seconds))));
        let wait = self.cell("state").filter(|_| state == Some("active")).and_then(wait_of);
        if let Some((kind, name)) = &wait {
            cells.extend([("wait_kind", Put::Text(kind)), ("wait_name", Put::Text(name))]);
        }
        for (column, name) in [("instance", "db"), ("user_name", "user"), ("statement", STATEMENT)] {
            cells.extend(self.cell(name).map(|text| (column, Put::Text(text))));
        }
        put(document, DbSessionRow::DEF, self.when, &format!("mysql {id}"), &cells);
    }
}

/// Columns that some releases have besides.
fn is_extra(name: &str) -> bool {
    matches!(
        name,
        "time_ms"
            | "progress"
            | "stage"
            | "max_stage"
            | "memory_used"
            | "max_memory_used"
            | "examined_rows"
            | "query_id"
            | "info_binary"
            | "tid"
            | "rows_sent"
            | "rows_examined"
            | "rows_read"
            | "tmp_space_used"
            | "execution_engine"
    )
}

fn is_ours(headings: &[String]) -> bool {
    is_whole(headings) || session_columns::product(headings) == Some(Product::Mysql)
}

/// Whether it is the list itself, with all columns.
fn is_whole(headings: &[String]) -> bool {
    COLUMNS.iter().all(|column| headings.iter().any(|heading| heading == column))
        && headings.iter().any(|heading| heading == STATEMENT)
}
