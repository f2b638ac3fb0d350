//! Questions in SQL, and one kind of time by program, object and stack.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use axum::body::Body;
use axum::extract::State;
use axum::response::Json;
use heldup_engine::all_tables;
use heldup_hostfs::monotonic_ns;
use heldup_model::{
    Breakdown, BreakdownKind, ColumnType, Rows, SqlAsked, SqlColumn, SqlColumnKind, SqlPage, TablesAnswer,
    Unit, tables,
};
use serde::Deserialize;

use super::asked::{Asked, Host, Of, body, span};
use crate::app::{App, Viewed};
use crate::problem::Problem;

/// Rows of a page.
const PAGE_ROWS: usize = 1000;

/// Which kind of time.
#[derive(Debug, Deserialize)]
pub struct Kind {
    kind: BreakdownKind,
    since_ms: i64,
    until_ms: i64,
    host: Option<String>,
}

/// `GET /api/breakdown`.
pub async fn breakdown(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Kind>,
) -> Result<Json<Breakdown>, Problem> {
    let asked = Of { since_ms: Some(of.since_ms), until_ms: Some(of.until_ms), host: of.host };
    let span = asked.span()?;
    let ask = move |_: &App, viewed: &Arc<Viewed>| viewed.ask(|viewer| viewer.breakdown(of.kind, span));
    Ok(Json(app.ask(asked.host, ask).await?))
}

/// `GET /api/tables`.
pub async fn tables() -> Json<TablesAnswer> {
    Json(all_tables())
}

/// `POST /api/sql`.
pub async fn sql(
    State(app): State<Arc<App>>,
    Asked(of): Asked<Host>,
    asked: Body,
) -> Result<Json<SqlPage>, Problem> {
    let SqlAsked { query, since_ms, until_ms, offset } = body(asked).await?;
    let span = span(since_ms, until_ms)?;
    let ask = move |_: &App, viewed: &Arc<Viewed>| {
        let begun_ns = monotonic_ns();
        let rows = viewed.ask(|viewer| viewer.ask(&query, span))?;
        Ok(page(rows, offset, monotonic_ns() - begun_ns))
    };
    Ok(Json(app.ask(of.host, ask).await?))
}

fn page(rows: Rows, offset: usize, took_ns: u64) -> SqlPage {
    let more = rows.truncated || rows.rows.len() > offset.saturating_add(PAGE_ROWS);
    let columns = rows.columns.iter().map(|name| column(name)).collect();
    let rows = rows.rows.into_iter().skip(offset).take(PAGE_ROWS).collect();
    SqlPage { columns, rows, offset, more, took_ms: took_ns / 1_000_000 }
}

/// A unit, where columns of a name have the same everywhere, and what their values stand for.
static DECLARED: LazyLock<HashMap<&'static str, (Option<Unit>, SqlColumnKind)>> = LazyLock::new(|| {
    let mut declared: HashMap<&'static str, (Option<Unit>, SqlColumnKind)> = HashMap::new();
    for column in tables::ALL.iter().flat_map(|def| def.all_columns()) {
        let is_text = column.ty == ColumnType::Text;
        let is_pid = column.name == "pid" || column.name.ends_with("_pid");
        let kind = match column.name {
            "device" => SqlColumnKind::Device,
            _ if column.unit == Unit::TimeMs => SqlColumnKind::Time,
            _ if is_pid && column.ty == ColumnType::Int => SqlColumnKind::Pid,
            _ if is_text => SqlColumnKind::Text,
            _ => SqlColumnKind::Number,
        };
        let known = declared.entry(column.name).or_insert((Some(column.unit), kind));
        if known.0 != Some(column.unit) {
            known.0 = None;
        }
        if known.1 != kind {
            known.1 = SqlColumnKind::Text;
        }
    }
    declared
});

fn column(name: &str) -> SqlColumn {
    let (unit, kind) = DECLARED.get(name).copied().unwrap_or((None, SqlColumnKind::Text));
    let unit = unit.map_or("", Unit::name);
    SqlColumn { name: name.to_owned(), unit: unit.to_owned(), kind }
}

#[cfg(test)]
mod tests {
    use heldup_model::Cell;

    use super::*;

    #[test]
    fn what_is_a_link_is_declared() {
        let kind = |name: &str| column(name).kind;
        assert_eq!(kind("time"), SqlColumnKind::Time);
        assert_eq!((kind("pid"), kind("parent_pid")), (SqlColumnKind::Pid, SqlColumnKind::Pid));
        assert_eq!(kind("device"), SqlColumnKind::Device);
        assert_eq!(column("read_bytes").unit, "bytes");
        assert_eq!(
            column("a name of nothing"),
            SqlColumn {
                name: "a name of nothing".to_owned(),
                unit: String::new(),
                kind: SqlColumnKind::Text,
            }
        );
    }

    #[test]
    fn a_page_has_a_thousand_rows_and_says_whether_there_are_more() {
        let rows = |count: i64| Rows {
            columns: vec!["n".to_owned()],
            rows: (0..count).map(|at| vec![Cell::Int(at)]).collect(),
            truncated: false,
        };
        let found = page(rows(2500), 2000, 7_000_000);
        assert_eq!((found.rows.len(), found.more, found.took_ms), (500, false, 7));
        assert_eq!(found.rows[0], [Cell::Int(2000)]);
        let found = page(rows(2500), 1000, 0);
        assert_eq!((found.rows.len(), found.more), (1000, true));
        assert!(page(rows(1), usize::MAX, 0).rows.is_empty());
    }
}
