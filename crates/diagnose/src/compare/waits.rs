//! Wait events of a database on both sides, like Oracle's AWR compare report.
//!
//! A report is one interval without samples, so its noise is unknown. But it counts every wait, thousands of them: an
//! event with twice the wait time per second and a tenth of a session more is a difference that users notice.

use std::collections::BTreeMap;

use heldup_archive::{Database, SqlError};
use heldup_model::{Finding, FindingDifference, Judgement, Severity};

use super::findings::sorted;
use crate::row::Row;

/// The rule whose findings these are.
const RULE: &str = "db.top-wait";
/// An event differs if one side has so many times as much wait time per second as the other,
const LEAST_TIMES: f64 = 2.0;
/// and so many more waiting sessions on average,
const LEAST_SESSIONS: f64 = 0.1;
/// and the difference is at least this share of the wait time of all events.
const LEAST_SHARE: f64 = 0.05;

/// Wait time per second by event; idle events have no share. Background processes have their own lists.
const EVENTS: &str = "
select event_name as event, sum(wait_s / secs) / (select count(distinct time) from db_wait) as sessions, max(wait_share) as share
from db_wait
where side is not 'background' and wait_s > 0 and secs > 0 and event_name not in ('CPU time', 'DB CPU')
group by 1";

/// An event on one side.
#[derive(Clone, Copy, Default)]
struct Wait {
    /// Waiting sessions, average.
    sessions: f64,
    share: Option<f64>,
}

/// Adds the events that differ much to the findings that differ; an event is there once.
pub fn add(
    databases: [&Database; 2],
    found: [&[Finding]; 2],
    differences: &mut Vec<FindingDifference>,
) -> Result<(), SqlError> {
    let [first, second] = [waits(databases[0])?, waits(databases[1])?];
    if first.is_empty() || second.is_empty() {
        return Ok(());
    }
    let mut names: Vec<&String> = first.keys().chain(second.keys()).collect();
    names.sort();
    names.dedup();
    let whole = |side: &BTreeMap<String, Wait>| {
        side.values().filter(|wait| wait.share.is_some()).map(|wait| wait.sessions).sum::<f64>()
    };
    let most = whole(&first).max(whole(&second));
    for name in names {
        let of = |side: &BTreeMap<String, Wait>| side.get(name).copied();
        let (old, new) = (of(&first), of(&second));
        if differs(old, new, most) {
            let key = format!("{RULE}/event:{name}");
            differences.retain(|one| one.key != key);
            differences.push(described(name, key, (old, new), found));
        }
    }
    *differences = sorted(std::mem::take(differences));
    Ok(())
}

fn waits(database: &Database) -> Result<BTreeMap<String, Wait>, SqlError> {
    let rows = Row::all(database.query(EVENTS)?);
    let wait = |row: &Row| {
        let wait = Wait { sessions: row.number("sessions")?, share: row.number("share") };
        Some((row.text("event")?, wait))
    };
    Ok(rows.iter().filter_map(wait).collect())
}

fn differs(old: Option<Wait>, new: Option<Wait>, most: f64) -> bool {
    let is_idle = old.into_iter().chain(new).all(|wait| wait.share.is_none());
    let sessions = |wait: Option<Wait>| wait.map_or(0.0, |wait| wait.sessions);
    let (least, largest) = (sessions(old).min(sessions(new)), sessions(old).max(sessions(new)));
    !is_idle
        && largest >= LEAST_TIMES * least
        && largest - least >= LEAST_SESSIONS
        && largest - least >= LEAST_SHARE * most
}

fn described(
    name: &str,
    key: String,
    (old, new): (Option<Wait>, Option<Wait>),
    found: [&[Finding]; 2],
) -> FindingDifference {
    // An event that is there but is no finding is information.
    let severity = |wait: Option<Wait>, found: &[Finding]| {
        let known = found.iter().find(|one| one.key == key).map(|one| one.severity);
        wait.map(|_| known.unwrap_or(Severity::Info))
    };
    let sessions = |wait: Option<Wait>| wait.map_or(0.0, |wait| wait.sessions);
    FindingDifference {
        id: RULE.to_owned(),
        subject: name.to_owned(),
        title: format!(
            "{name}: {} → {} waiting sessions on average",
            short(sessions(old)),
            short(sessions(new))
        ),
        first: severity(old, found[0]),
        second: severity(new, found[1]),
        first_cost: old.and_then(|wait| wait.share),
        second_cost: new.and_then(|wait| wait.share),
        culprits: Vec::new(),
        judgement: Judgement::Differs,
        first_members: None,
        second_members: None,
        key,
    }
}

fn short(sessions: f64) -> String {
    match sessions {
        _ if sessions >= 9.95 => format!("{sessions:.0}"),
        _ if sessions >= 0.95 => format!("{sessions:.1}"),
        _ => format!("{sessions:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::DbWaitRow;
    use heldup_model::{Capture, RowSet};

    use super::*;
    use crate::captures::{Sample, Setting, small_capture};

    fn report(events: &[(&str, f64, Option<f64>)]) -> Capture {
        let rows = events.iter().map(|(name, wait_s, share)| DbWaitRow {
            event_name: Some((*name).into()),
            side: Some("foreground".into()),
            wait_s: Some(*wait_s),
            wait_share: *share,
            ..DbWaitRow::default()
        });
        let rows = RowSet::increases(rows.collect::<Vec<_>>());
        small_capture(
            Setting { samples: 10, ..Setting::default() },
            [Sample { at: 10, secs: Some(10.0), rows }],
        )
    }

    fn found(first: &[(&str, f64, Option<f64>)], second: &[(&str, f64, Option<f64>)]) -> Vec<String> {
        let open = |capture: &Capture| Database::open(capture).expect("tables");
        let (one, other) = (open(&report(first)), open(&report(second)));
        let mut differences = Vec::new();
        add([&one, &other], [&[], &[]], &mut differences).expect("an answer");
        differences.iter().map(|one| one.title.clone()).collect()
    }

    #[test]
    fn what_took_much_more_time_differs() {
        let quiet = [
            ("enq: TX - row lock contention", 172.0, Some(0.5)),
            ("log file sync", 40.0, Some(0.1)),
            ("SQL*Net message from client", 9000.0, None),
        ];
        let busy = [
            ("enq: TX - row lock contention", 2199.0, Some(0.8)),
            ("log file sync", 60.0, Some(0.02)),
            ("SQL*Net message from client", 90_000.0, None),
            ("latch free", 0.5, Some(0.001)),
        ];
        assert_eq!(
            found(&quiet, &busy),
            ["enq: TX - row lock contention: 17 → 220 waiting sessions on average"]
        );
        assert_eq!(found(&quiet, &quiet), Vec::<String>::new());
        assert_eq!(found(&[], &busy), Vec::<String>::new(), "the first has no events");
    }
}
