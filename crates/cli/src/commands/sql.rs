//! `heldup sql [SOURCE] QUERY`: ask the tables yourself.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heldup_diagnose::Focus;
use heldup_engine::{Cancel, SqlRequest, sql};
use heldup_report::answer;

use crate::arg_values::parse_duration;
use crate::args::{MethodChoice, SpanArgs};
use crate::exit::Exit;
use crate::failure::WrongUsage;
use crate::terminal::{self, Progress};

/// How rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RowFormat {
    /// Aligned columns.
    #[default]
    Text,
    /// Comma-separated values with a header line.
    Csv,
    /// One JSON object a line.
    Json,
}

/// Options of `sql`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  heldup sql \"select name, resident_bytes from process order by 2 desc limit 5\"
  heldup sql --for 5s \"select cpu_idx, sum(user_s + system_s) from cpu group by 1\"
  heldup sql @last \"select class_name, sum(seconds) s from task_time group by 1 order by s desc\"
  heldup sql --since 03:00 --for 10m \"select time, load1 from system order by time\"
  heldup tables                     which tables there are

Of an archive every reading is a row; of tables that are read rarely (settings, mounts) the last
reading before the window stands for it. The engine is SQLite; times are milliseconds since 1970 UTC, and what was not measured is NULL.")]
pub struct SqlArgs {
    /// The source, where it is not the live machine (@last, a kept capture's folder or file, or an
    /// archive's folder), and the query
    #[arg(required = true, num_args = 1..=2, value_names = ["SOURCE", "QUERY"])]
    pub words: Vec<String>,
    /// How long to look, at the live machine or from --since on; live 1s without it
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which window of an archive
    #[command(flatten)]
    pub span: SpanArgs,
    /// Only the rows of this: pid:N, cgroup:PATH, unit:NAME, container:ID, device:NAME, port:N or command
    #[arg(long, value_name = "KIND:NAME")]
    pub focus: Option<Focus>,
    /// How to write the rows
    #[arg(long, value_enum, default_value_t)]
    pub format: RowFormat,
    /// How to account for time
    #[arg(long, value_enum, default_value_t)]
    pub method: MethodChoice,
}

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
