//! `heldup sql [SOURCE] QUERY`: ask the tables yourself.

use std::time::Duration;

use anyhow::{Context, bail};
use heldup_archive::{Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_report::answer::{self, Cell};

use crate::WrongUsage;
use crate::args::{RowFormat, SqlArgs};
use crate::exit::Exit;
use crate::live::{Request, Window, look};
use crate::recordings;
use crate::source::{Source, load};
use crate::terminal;

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(1);

/// Answers one query.
pub fn run(args: &SqlArgs) -> anyhow::Result<Exit> {
    let (source, query) = match args.words.as_slice() {
        [query] => (Source::parse(None, &args.span)?, query),
        [source, query] => (Source::parse(Some(source), &args.span)?, query),
        _ => bail!("expected a query, or a source and a query"),
    };
    let focus = args.focus.as_deref().map(str::parse::<Focus>).transpose().map_err(WrongUsage)?;
    let mut capture = match &source {
        Source::Kept { folder, .. } => load(folder)?,
        Source::Recordings { files, .. } => recordings::read(files)?.0,
        Source::Archive(archive) => archive.readings(archive.asked(&args.span, args.window)?, query)?,
        Source::Live => {
            let window = Window::For(args.window.unwrap_or(DEFAULT_WINDOW));
            look(&Request::of(window, args.method).with_query(query))?.capture
        }
    };
    if let Some(focus) = focus {
        let cut = cut(&capture, Some(&focus), None);
        cut.errors.iter().for_each(|error| eprintln!("heldup: {}: {}", error.place, error.what));
        capture = cut.capture;
    }
    let answer = Database::open(&capture)?.query(query).context("the query could not be answered")?;
    if answer.truncated {
        eprintln!("heldup: only the first {} rows are shown; add a LIMIT or group them", answer.rows.len());
    }
    let rows: Vec<Vec<Cell>> =
        answer.rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    let text = match args.format {
        RowFormat::Text => answer::text(&answer.columns, &rows, terminal::table_width()),
        RowFormat::Csv => answer::csv(&answer.columns, &rows)?,
        RowFormat::Json => answer::json_lines(&answer.columns, &rows),
    };
    print!("{text}");
    Ok(Exit::DONE)
}

/// A value as an answer shows it.
pub fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Int(v) => Cell::Int(v),
        Value::Float(v) => Cell::Float(v),
        Value::Text(v) => Cell::Text(v),
    }
}
