//! The vital signs of a profile: what was sampled, how often, of which programs and functions. Sums; nothing is judged.

use heldup_archive::{Database, SqlError};
use heldup_model::{EventSamples, FunctionSamples, ProfileVitals, ProgramSamples, WaitGroup, WaitVitals};

use crate::query::literal;
use crate::row::Row;

/// A row per event, CPU time first: event, samples, listed_share, idle_share. Of a list with callees the samples of a function are
/// those of others, too.
const EVENTS: &str = "
with sampled as materialized (
    select coalesce(kind, '') as sampled, samples, events, tid is 0 or is_idle_stack(user_stack, kernel_stack) as is_idle
    from stack
    where kind is not 'wait' and kind is not 'off-cpu' and kind is not 'runnable' and samples > 0),
event as (
    select sampled, sum(samples) as samples, null as listed_share,
           case when count(events) = count(*) then ratio(total(events) filter (where is_idle), total(events))
                else ratio(total(samples) filter (where is_idle), total(samples)) end as idle_share
    from sampled
    group by sampled
    union all
    select coalesce(counted, ''), case when count(inclusive_share) = 0 then cast(sum(samples) as integer) end,
           ratio(sum(self_share), count(distinct time)),
           ratio(total(self_share) filter (where code_kind(function_name) is 'idle'), count(distinct time))
    from profile
    group by 1)
select sampled as event, samples, listed_share, idle_share
from event
order by sampled = 'cpu' desc, sampled glob 'sched:*', samples desc, sampled";

/// A row per program of an event, the largest first: program, share.
fn programs(event: &str) -> String {
    format!(
        "
with sampled as materialized (
    select pid, tid, process_name, coalesce(name, process_name) as name, samples, events
    from stack
    where kind is not 'wait' and samples > 0 and coalesce(kind, '') = {event} and tid is not 0
          and not is_idle_stack(user_stack, kernel_stack)),
called as materialized (
    select pid, coalesce(max(process_name), max(name) filter (where tid = pid), min(name)) as program
    from sampled
    where pid is not null
    group by pid),
total as materialized (
    select count(events) = count(*) as has_events, total(samples) as samples, total(events) as events from sampled),
listed as materialized (
    select count(distinct time) - total(self_share) filter (where code_kind(function_name) is 'idle') as busy
    from profile
    where coalesce(counted, '') = {event}),
part as materialized (
    select coalesce(c.program, s.name) as program,
           sum(iif(t.has_events, ratio(s.events, t.events), ratio(s.samples, t.samples))) as share
    from sampled s cross join total t left join called c on c.pid = s.pid
    group by 1
    union all
    select coalesce(process_name, image_name), ratio(sum(self_share), (select busy from listed))
    from profile
    where coalesce(counted, '') = {event} and code_kind(function_name) is not 'idle'
    group by 1)
select program, share
from part
where program is not null and share > 0.0
order by share desc, program"
    )
}

/// A row per function of an event, the largest first: program, function, self_share, inclusive_share, kind.
fn functions(event: &str) -> String {
    format!(
        "
select program, function, self_share, inclusive_share, code_kind(function) as kind
from code_share
where sampled = {event} and max(coalesce(self_share, 0.0), own_share) > 0.0
order by max(coalesce(self_share, 0.0), own_share) desc, function
limit {MOST_FUNCTIONS}"
    )
}

/// A row per group of waits, the largest first: what, class_name, place, samples, dumps.
const WAITS: &str = "
with seen as materialized (
    select time, iif(kind in ('wait', 'runnable'), 'threads', kind) as what,
           coalesce(class_name, iif(kind = 'runnable', 'runnable', 'unknown')) as class_name,
           iif(kind = 'runnable', substr(user_stack, length(rtrim(user_stack, replace(user_stack, ';', ''))) + 1), object_name) as place,
           samples
    from stack
    where samples > 0 and (kind in ('off-cpu', 'sched:sched_switch')
                           or (kind in ('wait', 'runnable') and user_stack <> '' and seconds is null)))
select what, class_name, place, sum(samples) as samples,
       iif(what = 'threads', (select count(distinct time) from seen where what = 'threads'), 1) as dumps
from seen
group by what, class_name, place
order by what = 'threads' desc, samples desc, class_name, place";

/// Programs that are kept.
const MOST_PROGRAMS: usize = 4;
/// Functions that are kept.
const MOST_FUNCTIONS: usize = 6;

/// The vital signs of the profile; none where nothing was sampled.
pub fn of(database: &Database) -> Result<Option<ProfileVitals>, SqlError> {
    let rows = |sql: &str| database.query(sql).map(Row::all);
    let events = rows(EVENTS)?;
    let Some((first, others)) = events.split_first() else { return Ok(None) };
    let event = first.text("event").unwrap_or_default();
    let quoted = literal(&heldup_archive::Value::Text(event.clone()));
    let programs = rows(&programs(&quoted))?;
    let shares = programs.iter().take(MOST_PROGRAMS).filter_map(|row| {
        Some(ProgramSamples { program: row.text("program")?, share: row.number("share")? })
    });
    let functions = rows(&functions(&quoted))?.into_iter().filter_map(|row| {
        Some(FunctionSamples {
            program: row.text("program"),
            function: row.text("function")?,
            self_share: row.number("self_share"),
            inclusive_share: row.number("inclusive_share")?,
            kind: row.text("kind"),
        })
    });
    let others = others.iter().filter_map(|row| {
        Some(EventSamples {
            event: row.text("event").filter(|name| !name.is_empty())?,
            samples: row.int("samples"),
        })
    });
    Ok(Some(ProfileVitals {
        sampled: Some(event).filter(|name| !name.is_empty()),
        samples: first.int("samples"),
        listed_share: first.number("listed_share"),
        idle_share: first.number("idle_share"),
        programs: shares.collect(),
        program_count: programs.len() as i64,
        functions: functions.collect(),
        others: others.collect(),
    }))
}

/// The waits of dumps of threads, else those of a profile; none where nothing of that was recorded.
pub fn waits(database: &Database) -> Result<Option<WaitVitals>, SqlError> {
    let rows = database.query(WAITS).map(Row::all)?;
    let Some(what) = rows.first().and_then(|row| row.text("what")) else { return Ok(None) };
    let groups: Vec<WaitGroup> = rows
        .iter()
        .filter(|row| row.text("what").as_deref() == Some(what.as_str()))
        .filter_map(|row| {
            let samples = row.int("samples")?;
            Some(WaitGroup { class_name: row.text("class_name")?, place: row.text("place"), samples })
        })
        .collect();
    let dumps = rows.first().and_then(|row| row.int("dumps")).unwrap_or(1);
    Ok(Some(WaitVitals { what, dumps, samples: groups.iter().map(|one| one.samples).sum(), groups }))
}

#[cfg(test)]
mod tests {
    use heldup_archive::Database;
    use heldup_model::RowSet;
    use heldup_model::tables::{ProfileRow, StackRow};

    use super::of;
    use crate::captures::{Sample, Setting, small_capture};

    fn vitals(rows: Vec<RowSet>) -> Option<heldup_model::ProfileVitals> {
        let samples: Vec<Sample> =
            rows.into_iter().map(|rows| Sample { at: 10, secs: Some(10.0), rows }).collect();
        let capture = small_capture(Setting { samples: 10, ..Setting::default() }, samples);
        of(&Database::open(&capture).expect("tables")).expect("vitals")
    }

    #[test]
    fn shares_are_of_what_was_not_idle() {
        let stack = |name: &str, kind: &str, user: &str, kernel: &str, samples: i64| StackRow {
            kind: Some(kind.into()),
            tid: Some(7),
            name: Some(name.into()),
            user_stack: Some(user.into()),
            kernel_stack: Some(kernel.into()),
            samples: Some(samples),
            ..StackRow::default()
        };
        let found = vitals(vec![RowSet::increases([
            stack("java", "cpu", "main;parse", "", 30),
            stack("sh", "cpu", "main;parse", "", 10),
            stack("swapper", "cpu", "", "start_secondary;do_idle;native_safe_halt", 60),
            stack("java", "page-faults", "main;fill", "", 500),
        ])])
        .expect("a profile");
        assert_eq!(
            (found.sampled.as_deref(), found.samples, found.idle_share),
            (Some("cpu"), Some(100), Some(0.6))
        );
        let programs: Vec<(&str, f64)> =
            found.programs.iter().map(|one| (one.program.as_str(), one.share)).collect();
        assert_eq!(programs, [("java", 0.75), ("sh", 0.25)]);
        assert_eq!(
            (found.functions[0].function.as_str(), found.functions[0].self_share),
            ("parse", Some(0.75))
        );
        assert_eq!((found.others[0].event.as_str(), found.others[0].samples), ("page-faults", Some(500)));
    }

    #[test]
    fn a_list_of_functions_has_shares_only() {
        let row = |function: &str, program: &str, share: f64| ProfileRow {
            function_name: Some(function.into()),
            process_name: Some(program.into()),
            counted: Some("cpu".into()),
            self_share: Some(share),
            ..ProfileRow::default()
        };
        let found = vitals(vec![RowSet::increases([
            row("hash_search", "postgres", 0.3),
            row("intel_idle", "swapper", 0.4),
            row("ls", "ls", 0.1),
        ])])
        .expect("a profile");
        assert_eq!((found.samples, found.idle_share), (None, Some(0.4)));
        assert!((found.functions[0].self_share.unwrap_or(0.0) - 0.5).abs() < 1e-9, "0.3 of 0.6");
        assert_eq!(found.program_count, 2);
        assert!((found.programs[0].share - 0.5).abs() < 1e-9);
        assert!((found.listed_share.unwrap_or(0.0) - 0.8).abs() < 1e-9);
    }

    #[test]
    fn threads_of_dumps_are_grouped_by_class_and_place() {
        let thread = |at, tid: i64, kind: &str, class: Option<&str>, place: Option<&str>| {
            let row = StackRow {
                kind: Some(kind.into()),
                tid: Some(tid),
                class_name: class.map(Into::into),
                object_kind: place.map(|_| "function".into()),
                object_name: place.map(Into::into),
                user_stack: Some("start;work".into()),
                samples: Some(1),
                ..StackRow::default()
            };
            Sample { at, secs: None, rows: RowSet::increases([row]) }
        };
        let samples = vec![
            thread(1, 1, "wait", Some("lock_user"), Some("update")),
            thread(2, 1, "wait", Some("lock_user"), Some("update")),
            thread(1, 2, "runnable", None, None),
        ];
        let capture = small_capture(Setting { samples: 10, ..Setting::default() }, samples);
        let found = super::waits(&Database::open(&capture).expect("tables")).expect("waits").expect("some");
        assert_eq!((found.what.as_str(), found.dumps, found.samples), ("threads", 2, 3));
        let first = &found.groups[0];
        assert_eq!(
            (first.class_name.as_str(), first.place.as_deref(), first.samples),
            ("lock_user", Some("update"), 2)
        );
    }

    #[test]
    fn without_samples_there_is_no_profile() {
        assert_eq!(vitals(Vec::new()), None);
    }
}
