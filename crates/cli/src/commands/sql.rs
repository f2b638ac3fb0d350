//! `heldup sql [-s SOURCE] [QUERY]`: SQL over the tables of any source.

use std::time::Duration;

use clap::{Args, ValueEnum};
use heldup_engine::{Cancel, SqlRequest, sql};
use heldup_model::Rows;
use heldup_report::{answer, tables as report};

use crate::arg_values::parse_duration;
use crate::args::{FocusArgs, MethodArgs, SpanArgs};
use crate::exit::Exit;
use crate::interrupt;
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
#[command(after_long_help = "\
Examples:
  heldup sql                        list the tables
  heldup sql --schema task_time     columns of a table
  heldup sql \"select class_name, sum(seconds) s from task_time group by 1 order by s desc\"
  heldup sql -s slow.heldup \"select name, resident_bytes from process order by 2 desc limit 5\"
  sudo heldup sql --for 5s \"select cpu_idx, sum(user_s + system_s) from cpu group by 1\"
  sudo heldup sql --since 03:00 --for 10m \"select time, load1 from system order by time\"

The query runs on the last examination (@last) unless -s names a source. With --for alone this
machine is measured for that long; with --since the recorder's archive is asked. Of an archive every
sample is a row; of tables that are read rarely (settings, mounts) the last sample before the window
stands for it. The engine is SQLite; times are milliseconds since 1970 UTC, and what was not
measured is NULL.")]
pub struct SqlArgs {
    /// Query (default: list the tables)
    pub query: Option<String>,
    /// Source: @last (default), @41, a capture, an archive, files
    #[arg(short, long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Show the columns of a table
    #[arg(long, value_name = "TABLE", conflicts_with = "query")]
    pub schema: Option<String>,
    /// Window, from now or from --since
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub window: Option<Duration>,
    /// Which part of a recording.
    #[command(flatten)]
    pub span: SpanArgs,
    /// Which subject alone.
    #[command(flatten)]
    pub focus: FocusArgs,
    /// Rows at most
    #[arg(short = 'n', long, value_name = "N")]
    pub rows: Option<usize>,
    /// Write JSON, one object per line
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Output format: text, json or csv
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        hide_possible_values = true,
        hide_default_value = true
    )]
    pub format: RowFormat,
    /// How to account for time.
    #[command(flatten)]
    pub method: MethodArgs,
}

/// Answers one query, or says what can be asked.
pub fn run(args: &SqlArgs) -> anyhow::Result<Exit> {
    let format = if args.json { RowFormat::Json } else { args.format };
    let Some(query) = &args.query else {
        let found = heldup_engine::tables(args.schema.as_deref())?;
        match format {
            RowFormat::Text => print!("{}", report::text(&found)),
            RowFormat::Csv => print!("{}", report::csv(&found)),
            RowFormat::Json => print!("{}", report::json(&found)),
        }
        return Ok(Exit::DONE);
    };
    interrupt::acknowledge(interrupt::ANSWERS);
    let request = SqlRequest {
        source: source(args),
        query: query.clone(),
        window: args.window,
        span: args.span.asked(),
        focus: args.focus.focus(),
        method: args.method.method.into(),
    };
    let mut found = sql(&request, &Progress::default(), &Cancel::Signals)?;
    shorten(&mut found, args.rows);
    let text = match format {
        RowFormat::Text => answer::text(&found.columns, &found.rows, terminal::table_width()),
        RowFormat::Csv => answer::csv(&found.columns, &found.rows)?,
        RowFormat::Json => answer::json_lines(&found.columns, &found.rows),
    };
    print!("{text}");
    Ok(Exit::DONE)
}

/// The last examination, unless another source, this machine (`--for`) or a time that has been is asked for.
fn source(args: &SqlArgs) -> Option<String> {
    let is_elsewhere = args.window.is_some() || args.span.asked().is_asked();
    args.source.clone().or_else(|| (!is_elsewhere).then(|| "@last".to_owned()))
}

/// Leaves the rows that were asked for, and says that there are more than the engine gives.
fn shorten(found: &mut Rows, most: Option<usize>) {
    let is_short = most.is_some_and(|most| most <= found.rows.len());
    if found.truncated && !is_short {
        eprintln!("heldup: only the first {} rows are shown; add a LIMIT or group them", found.rows.len());
    }
    if let Some(most) = most {
        found.rows.truncate(most);
    }
}
