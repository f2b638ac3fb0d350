//! `heldup tables [NAME]`: what can be asked, from the declarations themselves.

use std::fmt::Write;

use clap::Args;
use heldup_archive::{VIEWS, sql_functions};
use heldup_engine::tables;
use heldup_model::tables::ALL;
use heldup_model::{Unit, rollup};
use heldup_report::tables as report;

use crate::args::{Format, OutputArgs};
use crate::exit::Exit;

/// Options of `tables`.
#[derive(Args, Clone, Debug)]
pub struct TablesArgs {
    /// Table or view to describe (default: list all)
    pub name: Option<String>,
    /// How the answer is written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Lists the tables, or describes one.
pub fn run(args: &TablesArgs) -> anyhow::Result<Exit> {
    let found = tables(args.name.as_deref())?;
    match args.output.format() {
        Format::Text => print!("{}", report::text(&found)),
        Format::Json => print!("{}", report::json(&found)),
        Format::Csv => print!("{}", report::csv(&found)),
    }
    Ok(Exit::DONE)
}

/// The table reference as Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Tables\n\nGenerated from the declarations in `crates/model/src/tables`; renewed by \
         `cargo xtask generate`.\n\nEvery table begins with `time` (end of the interval, ms UTC), `secs` \
         (its measured length) and `host`. Counters hold their increase over the interval, gauges their \
         value at its end; what was not measured is NULL.\n",
    );
    for def in ALL {
        let _ = write!(out, "\n## {}\n\n{}. Read from {}.\n\n", def.name, capital(def.grain), def.origin);
        out.push_str("| column | type | kind | unit | meaning |\n|---|---|---|---|---|\n");
        for column in def.columns {
            let unit = if column.unit == Unit::None { "" } else { column.unit.name() };
            let (ty, kind) = (column.ty.sql_name(), column.kind.name());
            let _ = writeln!(out, "| `{}` | {ty} | {kind} | {unit} | {} |", column.name, column.meaning);
        }
    }
    out.push_str(&by_the_minute());
    out.push_str("\n## Views\n");
    for view in VIEWS {
        let _ =
            write!(out, "\n### {}\n\n{}\n\n```sql\n{}\n```\n", view.name, view.meaning, view.select.trim());
    }
    out.push_str("\n## Functions\n\n| function | meaning |\n|---|---|\n");
    for function in sql_functions() {
        let _ = writeln!(out, "| `{}` | {} |", function.signature, function.meaning);
    }
    out
}

/// What rollups are.
fn by_the_minute() -> String {
    let names: Vec<String> = rollup::all().iter().map(|rollup| format!("`{}`", rollup.def.name)).collect();
    format!(
        "\n## Rollups per minute\n\n{}.\n\nArchives have them, one row per entity and minute, with the time of the \
         minute's last sample. Columns are those of the table: counters and `secs` are sums, gauges the last value, keys \
         and labels those of the last row. `{}` is the number of samples; `mean_`, `min_` and `max_` before the name of a \
         gauge are over these; `peak_` is the greatest rate or ratio of one sample. `heldup tables process_minute` lists them. A minute in which a file of the archive ends is \
         two rows. In `task_time_minute` and `system_call_minute`, tasks that began and ended within a minute and ran for \
         little of it, and calls that a process made seldom, are one row per name: without `tid`, `start_ms` and `secs`, \
         without `pid` unless the process continues, for threads without `name`; `{}` is the number of its processes.\n",
        names.join(", "),
        rollup::SAMPLES.name,
        rollup::PROCESSES.name,
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
