//! `heldup sql [SOURCE] QUERY`: ask the tables yourself.

use heldup_engine::{Cancel, SqlRequest, sql};
use heldup_report::answer;

use crate::args::{RowFormat, SqlArgs};
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal::{self, Progress};

/// Answers one query.
pub fn run(args: &SqlArgs) -> anyhow::Result<Exit> {
    let (source, query) = match args.words.as_slice() {
        [query] => (None, query),
        [source, query] => (Some(source), query),
        _ => return Err(WrongUsage("expected a query, or a source and a query".to_owned()).into()),
    };
    let request = SqlRequest {
        source: source.cloned(),
        query: query.clone(),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.clone(),
        method: args.method.into(),
    };
    let found = sql(&request, &Progress::default(), &Cancel::Signals)?;
    if found.truncated {
        eprintln!("heldup: only the first {} rows are shown; add a LIMIT or group them", found.rows.len());
    }
    let text = match args.format {
        RowFormat::Text => answer::text(&found.columns, &found.rows, terminal::table_width()),
        RowFormat::Csv => answer::csv(&found.columns, &found.rows)?,
        RowFormat::Json => answer::json_lines(&found.columns, &found.rows),
    };
    print!("{text}");
    Ok(Exit::DONE)
}
