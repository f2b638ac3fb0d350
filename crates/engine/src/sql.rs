//! A question to the tables of any source.

use std::time::Duration;

use heldup_archive::{Answer, Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_model::{Cell, Rows};

use crate::cancel::Cancel;
use crate::error::{Context, Result};
use crate::progress::Progress;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::{Source, load, recordings};

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(1);

/// What is asked, and of what.
#[derive(Clone, Debug, Default)]
pub struct SqlRequest {
    /// A SOURCE word; none for the running machine.
    pub source: Option<String>,
    /// The query.
    pub query: String,
    /// How long to look, from now or from the time asked for.
    pub window: Option<Duration>,
    /// Which window of an archive.
    pub span: AskedSpan,
    /// Only the rows of this.
    pub focus: Option<Focus>,
    /// How to account for time.
    pub method: MethodChoice,
}

/// Answers one query.
pub fn sql(request: &SqlRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<Rows> {
    let query = request.query.as_str();
    let mut capture = match &Source::parse(request.source.as_deref(), &request.span)? {
        Source::Kept { folder, .. } => load(folder)?,
        Source::Recordings { files, .. } => recordings::read(files)?.0,
        Source::Archive(archive) => {
            let span = archive.asked(&request.span, request.window, progress)?;
            archive.readings(span, query, progress)?
        }
        Source::Live => {
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            look(&Request::of(window, request.method).with_query(query), progress, cancel)?.capture
        }
    };
    if let Some(focus) = &request.focus {
        let cut = cut(&capture, Some(focus), None);
        cut.errors.iter().for_each(|error| progress.note(&format!("{}: {}", error.place, error.what)));
        capture = cut.capture;
    }
    let answer = Database::open(&capture)?.query(query).context("the query could not be answered")?;
    Ok(rows(answer))
}

/// An answer as front ends take it.
pub(crate) fn rows(answer: Answer) -> Rows {
    let rows = answer.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    Rows { columns: answer.columns, rows, truncated: answer.truncated }
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Int(v) => Cell::Int(v),
        Value::Float(v) => Cell::Float(v),
        Value::Text(v) => Cell::Text(v),
    }
}
