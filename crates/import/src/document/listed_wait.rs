//! Shares of its time that a task waited, as one listing prints them: rows of `listed_wait`.

use heldup_model::Record;
use heldup_model::tables::ListedWaitRow;

use crate::document::Document;
use crate::document::put::{Put, put};
use crate::table::sheets::When;

/// What a listing has of one task.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitingTask<'a> {
    /// Process.
    pub pid: Option<i64>,
    /// Thread, if it is one.
    pub tid: Option<i64>,
    /// Name of the program.
    pub name: Option<&'a str>,
    /// Share in which it ran.
    pub running: Option<f64>,
    /// Bytes a second.
    pub read: Option<f64>,
    /// Bytes a second.
    pub written: Option<f64>,
}

/// Writes the waits of a task; those that it did not have are left out.
pub fn put_waits(
    document: &mut Document,
    when: When,
    task: WaitingTask<'_>,
    waits: &[(&'static str, Option<f64>)],
) {
    let Some(number) = task.tid.or(task.pid) else { return };
    let subject = if task.tid.is_some() { "thread" } else { "process" };
    for (wait, share) in waits {
        let Some(share) = share.filter(|share| *share > 0.0 && *share <= 1.0) else { continue };
        let mut cells = vec![
            ("subject", Put::Text(subject)),
            ("number", Put::Number(Some(number as f64))),
            ("wait", Put::Text(wait)),
            ("pid", Put::Number(task.pid.map(|pid| pid as f64))),
            ("share", Put::Number(Some(share))),
            ("running_share", Put::Number(task.running)),
            ("read_bytes_per_s", Put::Number(task.read)),
            ("write_bytes_per_s", Put::Number(task.written)),
        ];
        cells.extend(task.name.map(|name| ("name", Put::Text(name))));
        let identity = format!("{subject} {:?} {number} {wait}", task.pid);
        put(document, ListedWaitRow::DEF, when, &identity, &cells);
    }
}
