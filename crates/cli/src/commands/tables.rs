//! `heldup tables [NAME]`: what can be asked, from the declarations themselves.

use std::fmt::Write;

use anyhow::bail;
use clap::Args;
use heldup_archive::{VIEWS, sql_functions};
use heldup_model::{TableDef, Unit, rollup, tables};

use crate::exit::Exit;

/// Options of `tables`.
#[derive(Args, Clone, Debug)]
pub struct TablesArgs {
    /// Table or view to describe; all of them in a line each without it
    pub name: Option<String>,
}

/// Lists the tables, or describes one.
pub fn run(args: &TablesArgs) -> anyhow::Result<Exit> {
    let text = match &args.name {
        None => overview(),
        Some(name) => match (tables::find(name), VIEWS.iter().find(|view| view.name == name)) {
            (Some(def), _) => describe(def),
            (None, Some(view)) => format!("{}: {}\n\n{}\n", view.name, view.meaning, view.select),
            (None, None) => bail!("no table or view is called `{name}`; `heldup tables` lists them"),
        },
    };
    print!("{text}");
    Ok(Exit::DONE)
}

fn overview() -> String {
    let tables: Vec<_> = tables::ALL.iter().map(|def| (def.name, def.grain)).collect();
    let by_the_minute: Vec<_> =
        rollup::all().iter().map(|rollup| (rollup.def.name, rollup.def.grain)).collect();
    let views: Vec<_> = VIEWS.iter().map(|view| (view.name, view.meaning)).collect();
    let functions: Vec<_> =
        sql_functions().iter().map(|function| (function.signature, function.meaning)).collect();
    let mut out = String::new();
    for (title, list) in [
        ("Tables", tables),
        ("\nTables by the minute", by_the_minute),
        ("\nViews", views),
        ("\nFunctions beside SQLite's own", functions),
    ] {
        let width = list.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let _ = writeln!(out, "{title}");
        for (name, meaning) in list {
            let _ = writeln!(out, "  {name:<width$}  {meaning}");
        }
    }
    out.push_str("\nheldup tables NAME describes one; heldup sql \"select …\" asks it.\n");
    out
}

fn describe(def: &TableDef) -> String {
    let mut out = format!("{}: {}\nread from {}\n\n", def.name, def.grain, def.origin);
    let name_width = def.all_columns().map(|c| c.name.len()).max().unwrap_or(0);
    for column in def.all_columns() {
        let _ = writeln!(
            out,
            "  {:<name_width$}  {:<7}  {:<7}  {:<6}  {}",
            column.name,
            column.ty.sql_name(),
            column.kind.name(),
            column.unit.name(),
            column.meaning
        );
    }
    out.push_str("\nCounters hold their increase over the interval, gauges their value at its end.\n");
    if let Some(rollup) = rollup::of(def.name) {
        let _ = writeln!(out, "Archives also have it by the minute: {}.", rollup.def.name);
    }
    out
}

/// The table reference as Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Tables\n\nGenerated from the declarations in `crates/model/src/tables`; renewed by \
         `cargo xtask generate`.\n\nEvery table begins with `time` (end of the interval, ms UTC), `secs` \
         (its measured length) and `host`. Counters hold their increase over the interval, gauges their \
         value at its end; what was not measured is NULL.\n",
    );
    for def in tables::ALL {
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

/// What the tables by the minute are.
fn by_the_minute() -> String {
    let names: Vec<String> = rollup::all().iter().map(|rollup| format!("`{}`", rollup.def.name)).collect();
    format!(
        "\n## Tables by the minute\n\n{}.\n\nArchives have them, one row for each entity and minute, stamped with \
         the minute's last sample. Columns are those of the table: counters and `secs` added up, of gauges the last \
         value, keys and labels of the last row. `{}` says how many samples there were; `mean_`, `min_` and `max_` \
         before the name of a gauge are over these. `heldup tables process_minute` lists them. A minute in which a \
         file of the archive ends is two rows. In `task_time_minute` and `system_call_minute` tasks that began and ended \
         within a minute and ran for little of it, and calls that a process made seldom, are told together by name: \
         such a row has no `tid`, `start_ms` and `secs`, no `pid` unless that process goes on, of threads no `name`, and `{}` says of how \
         many processes it is.\n",
        names.join(", "),
        rollup::SAMPLES.name,
        rollup::PROCESSES.name,
    )
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
