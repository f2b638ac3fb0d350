//! Views of PostgreSQL, told by their columns, and what a row of each becomes. Their counters count since the statistics were
//! last reset, so that no row of them has an interval.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::{DbContentionRow, DbMetricRow, DbSessionRow, DbSqlRow};

use crate::database::session_columns::{self, Product};
use crate::document::Document;
use crate::document::put::{Put, put};
use crate::postgres::settings;
use crate::table::sheets::When;

/// A view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// `pg_settings`, `show all`.
    Settings,
    /// `pg_stat_activity`, and other lists of sessions.
    Sessions(Product),
    /// `pg_stat_statements`.
    Statements,
    /// `pg_locks`.
    Locks,
    /// How many sessions of pg_stat_activity are in a state or wait.
    Groups,
    /// A view of counters, with its name.
    Counters(&'static str),
}

/// Columns that only one view has together. The first that fits counts.
const COLUMNS: [(&[&str], View); 24] = [
    (&["pid", "state", "query"], View::Sessions(Product::Postgresql)),
    (&["pid", "wait_event_type", "wait_event"], View::Sessions(Product::Postgresql)),
    // Before 9.2.
    (&["procpid", "current_query"], View::Sessions(Product::Postgresql)),
    (&["query", "calls"], View::Statements),
    (&["queryid", "calls"], View::Statements),
    (&["locktype", "mode", "granted"], View::Locks),
    (&["backend_type", "object", "context", "reads"], View::Counters("pg_stat_io")),
    (&["datname", "xact_commit"], View::Counters("pg_stat_database")),
    (&["datname", "blks_read"], View::Counters("pg_stat_database")),
    (&["num_timed", "num_requested"], View::Counters("pg_stat_checkpointer")),
    (&["buffers_clean", "buffers_alloc"], View::Counters("pg_stat_bgwriter")),
    (&["name", "setting"], View::Settings),
    (&["wal_records", "wal_fpi", "wal_bytes"], View::Counters("pg_stat_wal")),
    (&["archived_count", "failed_count"], View::Counters("pg_stat_archiver")),
    (&["indexrelname", "idx_scan"], View::Counters("pg_stat_indexes")),
    (&["indexrelname", "idx_blks_read"], View::Counters("pg_statio_indexes")),
    (&["relname", "seq_scan"], View::Counters("pg_stat_tables")),
    (&["relname", "heap_blks_read"], View::Counters("pg_statio_tables")),
    (&["funcname", "self_time"], View::Counters("pg_stat_user_functions")),
    (&["application_name", "sent_lsn"], View::Counters("pg_stat_replication")),
    // Before 10.
    (&["application_name", "sent_location"], View::Counters("pg_stat_replication")),
    (&["slot_name", "spill_txns"], View::Counters("pg_stat_replication_slots")),
    (&["name", "blks_zeroed"], View::Counters("pg_stat_slru")),
    (&["datname", "confl_lock"], View::Counters("pg_stat_database_conflicts")),
];

/// Names that people give to the text of a statement.
const TEXTS: [&str; 8] =
    ["query", "short_query", "statement", "query_text", "substring", "substr", "left", "sql"];
/// Sessions of one group.
const MOST_OF_GROUP: f64 = 20_000.0;

/// Columns that say whose the counters of a row are.
const OWNERS: [&str; 11] = [
    "backend_type",
    "object",
    "context",
    "schemaname",
    "relname",
    "indexrelname",
    "funcname",
    "application_name",
    "pid",
    "slot_name",
    "name",
];
/// Numbers that name something and measure nothing.
const NAMES: [&str; 8] = ["datid", "dbid", "relid", "indexrelid", "funcid", "usesysid", "pid", "client_port"];

impl View {
    /// The view that has these columns.
    pub fn of(headings: &[String]) -> Option<View> {
        let has = |name: &&str| headings.iter().any(|heading| heading == name);
        let named = COLUMNS.iter().find(|(columns, _)| columns.iter().all(has)).map(|(_, view)| *view);
        let any = |names: &[&str]| headings.iter().any(|heading| names.contains(&heading.as_str()));
        // A column may have any name that says that it is a statement.
        let is_statements = any(&TEXTS)
            && has(&"calls")
            && headings.iter().any(|name| name.contains("time") || name.contains("total"));
        let is_group =
            has(&"count") && any(&["wait_event_type", "wait_event"]) && !any(&["pid", "name", "id"]);
        named
            .or_else(|| session_columns::product(headings).map(View::Sessions))
            .or(is_statements.then_some(View::Statements))
            .or(is_group.then_some(View::Groups))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            View::Settings => "pg_settings",
            View::Sessions(Product::Postgresql) => "pg_stat_activity",
            View::Sessions(Product::Mysql) => "processlist",
            View::Sessions(Product::Oracle) => "Oracle sessions",
            View::Statements => "pg_stat_statements",
            View::Locks => "pg_locks",
            View::Groups => "pg_stat_activity",
            View::Counters(name) => name,
        }
    }
}

/// A row: cells by the names of their columns.
pub struct Cells<'a> {
    /// Names.
    pub headings: &'a [String],
    /// Cells.
    pub cells: &'a [String],
}

impl Cells<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        let at = self.headings.iter().position(|heading| heading == name)?;
        self.cells.get(at).map(String::as_str).filter(|cell| !cell.is_empty())
    }

    fn number(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok()
    }

    /// The sum of columns, of those that are there.
    fn sum(&self, names: &[&str]) -> Option<f64> {
        names.iter().filter_map(|name| self.number(name)).reduce(|one, other| one + other)
    }
}

/// Locks of one kind: how many there are, and how many are waited for.
pub type Locks = BTreeMap<String, (f64, f64)>;

/// Writes what a row says; else what was expected in it.
pub fn write(
    view: View,
    row: &Cells<'_>,
    when: When,
    locks: &mut Locks,
    document: &mut Document,
) -> Result<(), &'static str> {
    match view {
        View::Settings => {
            let name = row.text("name").ok_or("the name of a setting")?;
            settings::write(document, when, name, row.text("setting").unwrap_or(""), row.text("unit"));
        }
        View::Sessions(_) => {}
        View::Groups => group(row, when, document)?,
        View::Statements => statement(row, when, document)?,
        View::Locks => {
            let granted = match row.text("granted") {
                Some("t" | "true") => true,
                Some("f" | "false") => false,
                _ => return Err("a lock that is granted (t) or not (f)"),
            };
            let kind = row.text("locktype").ok_or("the type of a lock")?;
            let name = format!("{kind} {}", row.text("mode").unwrap_or(""));
            let counts = locks.entry(name.trim_end().to_owned()).or_default();
            counts.0 += 1.0;
            counts.1 += f64::from(u8::from(!granted));
        }
        View::Counters(name) => counters(name, row, when, document),
    }
    Ok(())
}

/// Writes what was counted row by row.
pub fn write_locks(locks: &Locks, when: When, document: &mut Document) {
    for (name, (count, waiting)) in locks {
        let cells = [
            ("kind", Put::Text("pg_lock")),
            ("name", Put::Text(name)),
            ("requests", Put::Number(Some(*count))),
            ("waits", Put::Number(Some(*waiting))),
        ];
        put(document, DbContentionRow::DEF, when, &format!("pg_lock {name}"), &cells);
    }
}

/// So many sessions without a name.
fn group(row: &Cells<'_>, when: When, document: &mut Document) -> Result<(), &'static str> {
    let count = row
        .number("count")
        .filter(|count| (0.0..=MOST_OF_GROUP).contains(count))
        .ok_or("a number of sessions")?;
    let texts = [
        ("instance", "datname"),
        ("user_name", "usename"),
        ("application_name", "application_name"),
        ("backend_type", "backend_type"),
        ("state", "state"),
        ("wait_kind", "wait_event_type"),
        ("wait_name", "wait_event"),
    ];
    let mut cells: Vec<_> =
        texts.iter().filter_map(|(column, name)| Some((*column, Put::Text(row.text(name)?)))).collect();
    // Who groups by waits asks for those that run.
    if row.text("state").is_none()
        && !row.headings.iter().any(|name| name == "state")
        && row.text("wait_event_type") != Some("Activity")
    {
        cells.push(("state", Put::Text("active")));
    }
    for at in 0..count as u64 {
        put(document, DbSessionRow::DEF, when, &format!("{} {at}", row.cells.join(" ")), &cells);
    }
    Ok(())
}

fn statement(row: &Cells<'_>, when: When, document: &mut Document) -> Result<(), &'static str> {
    let calls = row.number("calls").ok_or("the calls of a statement")?;
    let text = TEXTS.iter().find_map(|name| row.text(name));
    let id = row.text("queryid").or(text).ok_or("a statement or its id")?;
    let total_ms = row.number("total_exec_time").or_else(|| row.number("total_time"));
    let mean_ms = ["mean_exec_time", "mean_time"].iter().find_map(|name| row.number(name));
    let total_ms = total_ms.or_else(|| mean_ms.map(|mean| mean * calls));
    let max_ms = row.number("max_exec_time").or_else(|| row.number("max_time"));
    let io_ms = row.sum(&[
        "blk_read_time",
        "blk_write_time",
        "shared_blk_read_time",
        "shared_blk_write_time",
        "local_blk_read_time",
        "local_blk_write_time",
    ]);
    let reads = row.number("shared_blks_read");
    let gets = row.number("shared_blks_hit").zip(reads).map(|(hit, read)| hit + read);
    let mut cells = vec![
        ("executions", Put::Number(Some(calls))),
        ("elapsed_s", Put::Number(total_ms.map(|ms| ms / 1000.0))),
        ("max_elapsed_s", Put::Number(max_ms.map(|ms| ms / 1000.0))),
        ("io_s", Put::Number(io_ms.map(|ms| ms / 1000.0))),
        ("buffer_gets", Put::Number(gets)),
        ("disk_reads", Put::Number(reads)),
        ("rows_processed", Put::Number(row.number("rows"))),
        ("temporary_blocks_written", Put::Number(row.number("temp_blks_written"))),
    ];
    cells.extend(text.map(|text| ("statement", Put::Text(text))));
    for (column, name) in [("statement_id", "queryid"), ("instance", "datname")] {
        cells.extend(row.text(name).map(|text| (column, Put::Text(text))));
    }
    // The same statement of two users is two rows of the view.
    let owner = row.text("userid").or_else(|| row.text("rolname")).unwrap_or("");
    let database = row.text("dbid").or_else(|| row.text("datname")).unwrap_or("");
    put(document, DbSqlRow::DEF, when, &format!("{owner} {database} {id}"), &cells);
    Ok(())
}

/// Every number of the row is one of the database, or of what the row says it is of.
fn counters(view: &str, row: &Cells<'_>, when: When, document: &mut Document) {
    let of = OWNERS.iter().filter_map(|name| row.text(name)).collect::<Vec<_>>().join(".");
    let instance = row.text("datname");
    for (heading, cell) in row.headings.iter().zip(row.cells) {
        let Some(value) = measure(cell).filter(|_| !NAMES.contains(&heading.as_str())) else { continue };
        let name = [view, of.as_str(), heading.as_str()].into_iter().filter(|part| !part.is_empty());
        let name = name.collect::<Vec<_>>().join(".");
        let mut cells = vec![("metric_name", Put::Text(&name)), ("value", Put::Number(Some(value)))];
        cells.extend(instance.map(|instance| ("instance", Put::Text(instance))));
        put(document, DbMetricRow::DEF, when, &format!("{} {name}", instance.unwrap_or("")), &cells);
    }
}

/// A number; an interval (`00:00:01.5`) in seconds; a place in the log of what was written (`16/B374D848`) in bytes.
fn measure(cell: &str) -> Option<f64> {
    if let Some((high, low)) = cell.split_once('/') {
        let part = |digits: &str| u32::from_str_radix(digits, 16).ok();
        return Some(f64::from(part(high)?) * 4_294_967_296.0 + f64::from(part(low)?));
    }
    let value = match cell.split(':').collect::<Vec<_>>()[..] {
        [hours, minutes, seconds] => {
            let part = |digits: &str| digits.parse::<f64>().ok().filter(|part| *part >= 0.0);
            part(hours)? * 3600.0 + part(minutes)? * 60.0 + part(seconds)?
        }
        _ => cell.parse().ok()?,
    };
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::{View, measure};

    #[test]
    fn views_by_their_columns() {
        let view = |columns: &str| {
            View::of(&columns.split(' ').map(str::to_owned).collect::<Vec<_>>()).map(View::name)
        };
        assert_eq!(view("datid datname pid usename state query"), Some("pg_stat_activity"));
        assert_eq!(view("userid dbid queryid query calls total_exec_time"), Some("pg_stat_statements"));
        assert_eq!(view("name setting description"), Some("pg_settings"));
        assert_eq!(view("locktype relation mode granted"), Some("pg_locks"));
        assert_eq!(
            view("checkpoints_timed checkpoints_req buffers_clean buffers_alloc"),
            Some("pg_stat_bgwriter")
        );
        assert_eq!(view("relid schemaname relname seq_scan n_live_tup"), Some("pg_stat_tables"));
        assert_eq!(view("pid application_name state sent_lsn replay_lag"), Some("pg_stat_replication"));
        assert_eq!(view("id name"), None);
    }

    #[test]
    fn intervals_are_seconds_and_places_in_the_log_bytes() {
        assert_eq!(measure("00:01:02.25"), Some(62.25));
        assert_eq!(measure("16/B374D848"), Some(97_500_059_720.0));
        assert_eq!(measure("-1"), Some(-1.0));
        for none in ["", "async", "2026-11-23 10:00:00+00", "0/xyz", "NaN"] {
            assert_eq!(measure(none), None, "{none}");
        }
    }
}
