//! One side of a comparison: a capture, and which part of it is compared.

use heldup_archive::{Database, SqlError, Value};
use heldup_model::{Capture, Span};
use heldup_stats::phases;

use crate::row::Row;

/// Active time of user tasks per second, by sample.
const WANTED: &str = "
    select time, total(case when group_name in ('running', 'waiting') and not kernel_thread then seconds end) as active_s,
           max(secs) as secs
    from task_time group by time order by time";

/// Samples of which a steady phase is expected; of fewer nobody misses it.
const SHOWS_STEADINESS: usize = 32;

/// One side.
pub struct Side<'a> {
    /// What the user called it.
    pub source: String,
    /// Its tables.
    pub capture: &'a Capture,
    /// SQL over them.
    pub database: Database,
    /// Kernel release.
    pub kernel: String,
    /// Online CPUs.
    pub cpus: i64,
    /// What is compared of it.
    pub compared: Span,
    /// Ends of the samples that are compared.
    pub samples: usize,
    /// Seconds that are compared.
    pub seconds: f64,
    /// Active time, task-seconds per second.
    pub wanted: f64,
    /// What has to be said about the choice.
    pub notes: Vec<String>,
}

impl Side<'_> {
    /// Opens a capture and finds its steady phase, or takes the whole of it.
    pub fn open<'a>(source: &str, capture: &'a Capture, whole: bool) -> Result<Side<'a>, SqlError> {
        let database = Database::open(capture)?;
        let host = Row::all(database.query("select kernel, cpus from host order by time desc limit 1")?);
        let rows = Row::all(database.query(WANTED)?);
        let mut side = Side {
            source: source.to_owned(),
            kernel: host.first().and_then(|row| row.text("kernel")).unwrap_or_else(|| "unknown".to_owned()),
            cpus: host.first().and_then(|row| row.int("cpus")).unwrap_or(0),
            compared: capture.span,
            samples: rows.len(),
            seconds: 0.0,
            wanted: 0.0,
            notes: Vec::new(),
            capture,
            database,
        };
        let wanted: Vec<f64> =
            rows.iter().map(|row| row.number("active_s").unwrap_or(0.0) / secs(row)).collect();
        let mut taken = 0..rows.len();
        match phases(&wanted) {
            _ if whole => {}
            Some(found) if found.ramp_up.is_empty() && found.ramp_down.is_empty() => {}
            Some(found) => {
                taken = found.steady;
                let left_out = rows.len() - taken.len();
                side.notes.push(format!(
                    "{source}: {left_out} of {} samples left out as ramp-up or ramp-down (--no-trim keeps them)",
                    rows.len()
                ));
            }
            None if rows.len() >= SHOWS_STEADINESS => {
                side.notes.push(format!("{source}: no steady phase, all of it is compared"));
            }
            None => {}
        }
        let taken = &rows[taken];
        if let (Some(first), Some(last)) = (taken.first(), taken.last())
            && taken.len() < rows.len()
        {
            let since = first.int("time").map(|end| end - (secs(first) * 1000.0) as i64);
            side.compared.since_ms = since.unwrap_or(side.compared.since_ms);
            side.compared.until_ms = last.int("time").unwrap_or(side.compared.until_ms);
        }
        side.samples = taken.len();
        side.seconds = taken.iter().map(secs).sum();
        let sum: f64 = taken.iter().filter_map(|row| row.number("active_s")).sum();
        side.wanted = if side.seconds > 0.0 { sum / side.seconds } else { 0.0 };
        Ok(side)
    }

    /// The rows of an answer; `:since` and `:until` are the bounds of what is compared.
    pub fn rows(&self, sql: &str) -> Result<Vec<Row>, SqlError> {
        let bounds =
            [(":since", Value::Int(self.compared.since_ms)), (":until", Value::Int(self.compared.until_ms))];
        Ok(Row::all(self.database.query_with(sql, &bounds)?))
    }
}

/// Measured length of a sample; one second where it is not known.
pub fn secs(row: &Row) -> f64 {
    row.number("secs").filter(|secs| *secs > 0.0).unwrap_or(1.0)
}
