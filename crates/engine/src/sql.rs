//! A question to the tables of any source.

use std::time::Duration;

use heldup_archive::{Answer, Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_model::{Cell, Rows};

use crate::cancel::Cancel;
use crate::error::{Context, Result};
use crate::focus_subject;
use crate::progress::Progress;
use crate::request::{AskedSpan, MethodChoice};
use crate::session::look::{Request, Window, look};
use crate::source::Source;

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
    let source = Source::open(request.source.as_deref(), &request.span, progress)?;
    let focus = request.focus.as_ref();
    let recorded = source.recorded(&request.span, request.window, progress)?;
    let mut capture = match (&source, recorded) {
        (_, Some(recorded)) => recorded.capture,
        (Source::Archive(archive), None) => {
            let span = archive.asked(&request.span, request.window, progress)?;
            archive.readings(span, &with_focus(query, focus), progress)?
        }
        (_, None) => {
            focus_subject::must_be_here(focus)?;
            let window = Window::For(request.window.unwrap_or(DEFAULT_WINDOW));
            let asked = Request::of(window, request.method).with_query(&with_focus(query, focus));
            look(&asked, progress, cancel)?.capture
        }
    };
    if let Some(focus) = focus {
        if !matches!(source, Source::Live) {
            focus_subject::must_be_in(&capture, focus)?;
        }
        let cut = cut(&capture, Some(focus), None);
        cut.errors.iter().for_each(|error| progress.note(&format!("{}: {}", error.place, error.what)));
        capture = cut.capture;
    }
    let answer = Database::open(&capture)?.query(query).context("the query failed")?;
    Ok(rows(answer))
}

/// A text with the tables and columns of the query, and those that say what a focus names.
fn with_focus(query: &str, focus: Option<&Focus>) -> String {
    format!("{query}{}", focus.map_or("", focus_subject::named_by))
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
