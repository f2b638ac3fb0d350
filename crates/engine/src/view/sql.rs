//! Questions in SQL to what is looked at, a page of the answer at a time.

use std::time::Duration;

use heldup_archive::{Database, Limits};
use heldup_diagnose::window;
use heldup_hostfs::monotonic_ns;
use heldup_model::{Cell, Column, Span, SqlColumn, SqlColumnKind, SqlPage, TablesAnswer, rollup, tables};

use super::{Film, Viewer};
use crate::error::{Context, Result};
use crate::progress::Silent;
use crate::sql::rows;
use crate::tables::all_with_columns;

/// Rows of a page.
const PAGE_ROWS: usize = 1_000;
/// What a question may take.
const LIMITS: Limits = Limits { rows: PAGE_ROWS, time: Duration::from_secs(10), memory: 256 << 20 };

impl Viewer {
    /// A page of the answer to a query about a window, from a row on.
    pub fn sql(&self, query: &str, span: Span, offset: u64) -> Result<SqlPage> {
        let begun_ns = monotonic_ns();
        let part;
        let capture = match &self.film {
            Film::Whole { capture, .. } if span == capture.span => capture.as_ref(),
            Film::Whole { capture, .. } => {
                part = window(capture, span);
                &part
            }
            Film::Live(live) => {
                part = live.archive.readings(Some(span), query, &Silent)?;
                &part
            }
            Film::Archive(archive) => {
                part = archive.readings(Some(span), query, &Silent)?;
                &part
            }
        };
        let database = Database::open_with(capture, LIMITS)?;
        let origins = database.origins(query).context("the query failed")?;
        let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
        let answer = rows(database.query_from(query, skipped).context("the query failed")?);
        let columns = answer.columns.iter().enumerate().map(|(at, name)| {
            let origin = origins.get(at).and_then(Option::as_ref);
            column(name, origin.and_then(declared), answer.rows.iter().filter_map(|row| row.get(at)))
        });
        Ok(SqlPage {
            columns: columns.collect(),
            more: answer.truncated,
            rows: answer.rows,
            offset,
            took_ms: (monotonic_ns() - begun_ns) as f64 / 1e6,
        })
    }

    /// The tables, rollups, views and functions that a query may name, with their columns.
    pub fn tables(&self) -> TablesAnswer {
        all_with_columns()
    }
}

/// The column of a table as it is declared.
fn declared((table, column): &(String, String)) -> Option<&'static Column> {
    let def = tables::find(table).or_else(|| rollup::find(table).map(|rollup| rollup.def))?;
    def.all_columns().find(|known| known.name == column)
}

fn column<'a>(
    name: &str,
    declared: Option<&Column>,
    mut values: impl Iterator<Item = &'a Cell>,
) -> SqlColumn {
    let kind = match declared {
        Some(declared) => SqlColumnKind::of(declared),
        None if values.any(|value| matches!(value, Cell::Text(_))) => SqlColumnKind::Text,
        None => SqlColumnKind::Number,
    };
    SqlColumn { name: name.to_owned(), unit: declared.map(|declared| declared.unit.name().to_owned()), kind }
}
