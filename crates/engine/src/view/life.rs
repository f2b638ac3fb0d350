//! One process over a window: its threads, what it did over time, what it waited for, who woke it.

use std::collections::BTreeMap;

use heldup_archive::{Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_figure::{Ask, Gathered, answer_all, of_process, who_needs};
use heldup_model::tables::{HostRow, ObjectTimeRow, ProcessIoRow, ProcessRow, StackRow, TaskTimeRow};
use heldup_model::{
    Capture, Class, ErrorNote, Group, Life, Method, Record, SeenTask, Span, TableDef, Timing, WaitStack,
    WaitedFor, WokenBy, rollup,
};

use super::{Film, Viewer};
use crate::error::{Context, EngineError, Result};
use crate::source::archive::ArchiveSource;

/// From here on tables by the minute are read.
const BY_MINUTE_MS: i64 = 30 * 60_000;
/// Steps of its figures.
const STEPS: usize = 480;
/// Stacks are recorded over intervals of a minute and a little more: one that ends so late may begin in the window.
const COVERS_MS: i64 = 70_000;
/// What it waited for less than that is not told: the ledger has no object of shorter waits.
const LEAST_S: f64 = 0.005;
/// Objects that are told one by one, and who woke it.
const MOST: usize = 200;

/// A row for each class and object that it waited for.
const OBJECTS: &str = "
select class_name, object_kind, object_name, object_device, object_inode, sum(seconds) as seconds, sum(waits) as waits
from {table}
where pid = :pid and seconds > 0
group by class_name, object_kind, object_name, object_device, object_inode
order by seconds desc";

/// The same of stacks, where waits were sampled.
const OBJECTS_OF_STACKS: &str = "
select class_name, object_kind, object_name, object_device, object_inode, sum(seconds) as seconds, null as waits
from stack
where pid = :pid and seconds > 0 and (kind = 'wait' or kind is null)
      and (object_name is not null or object_device is not null)
group by class_name, object_kind, object_name, object_device, object_inode
order by seconds desc";

/// A row for each stack of its waits, those with most time first.
const STACKS: &str = "
select class_name, object_name, object_device, object_inode, syscall, kernel_stack, user_stack, sum(seconds) as seconds
from stack
where pid = :pid and (kind = 'wait' or kind is null)
group by class_name, object_name, object_device, object_inode, syscall, kernel_stack, user_stack
order by seconds desc";

/// A row for each thread that ended its waits.
const WAKERS: &str = "
select waker_pid, waker_name, class_name, sum(seconds) as seconds
from stack
where pid = :pid and waker_tid is not null and (kind = 'wait' or kind is null)
group by waker_pid, waker_name, class_name";

impl Viewer {
    /// One process over a window: what it did, what it waited for, who woke it. Numbers of processes are given again:
    /// its start tells which of them is meant.
    pub fn life(&self, pid: i64, start_ms: Option<i64>, span: Span) -> Result<Life> {
        // What was before it began was of another.
        let begun_ms = start_ms.map_or(span.since_ms, |start_ms| span.since_ms.max(start_ms - 1_000));
        let span = Span { since_ms: begun_ms.min(span.until_ms), ..span };
        let (capture, by_minute) = match &self.film {
            Film::Live(live) => of_archive(&live.archive, pid, span)?,
            Film::Archive(archive) => of_archive(archive, pid, span)?,
            Film::Whole { .. } => {
                let (_, capture, _) = self.capture(span)?;
                (cut(&capture, Some(&Focus::Pid(pid)), None).capture, false)
            }
        };
        life_in(&capture, by_minute, pid, start_ms)
    }
}

/// The rows of a process in a window of an archive, and whether they are by the minute.
fn of_archive(archive: &ArchiveSource, pid: i64, span: Span) -> Result<(Capture, bool)> {
    let by_minute = span.until_ms - span.since_ms > BY_MINUTE_MS;
    let name = |base: &'static TableDef| match rollup::of(base.name).filter(|_| by_minute) {
        Some(minute) => minute.def.name,
        None => base.name,
    };
    let (objects, tasks, processes) =
        (name(ObjectTimeRow::DEF), name(TaskTimeRow::DEF), name(ProcessRow::DEF));
    let figures = of_process(pid, None);
    let needs: Vec<_> = figures.iter().flat_map(|figure| figure.needs(by_minute)).collect();
    let is_needed = |table: &str, column: &str| {
        column == "secs"
            || who_needs(table, by_minute).contains(&column)
            || needs
                .iter()
                .any(|(def, columns)| def.name == table && columns.iter().any(|name| name == column))
    };
    let own = archive.rows_of(
        span,
        &|table| {
            [tasks, processes, objects].contains(&table) || (!by_minute && table == ProcessIoRow::DEF.name)
        },
        &|table, column| table == objects || is_needed(table, column),
        Some(pid),
    )?;
    let covering = Span { until_ms: span.until_ms.saturating_add(COVERS_MS), ..span };
    let stacks = archive.rows_of(covering, &|table| table == StackRow::DEF.name, &|_, _| true, Some(pid))?;
    let host = archive.columns(span, &|table| table == HostRow::DEF.name, &|_, _| true)?;
    let mut tables = own.tables;
    tables.extend(stacks.tables);
    tables.extend(host.tables);
    let capture = Capture {
        host: host.host,
        span,
        method: Method::Imported,
        coverage: 1.0,
        untold: Vec::new(),
        timing: Timing::default(),
        tables,
        missing: Vec::new(),
        flaws: own.flaws,
    };
    Ok((capture, by_minute))
}

/// The life of a process in rows that are its own.
fn life_in(capture: &Capture, by_minute: bool, pid: i64, start_ms: Option<i64>) -> Result<Life> {
    let span = capture.span;
    let mut gathered = Gathered::new(span.since_ms, by_minute, None);
    gathered.add(&capture.tables);
    let who = gathered.who(span, None, 0);
    let none = || EngineError::not_found(format!("no process {pid} in this window"));
    let process = who.processes.into_iter().find(|process| process.pid == pid).ok_or_else(none)?;
    // One that had the number later is another.
    let is_other = start_ms.zip(process.start_ms).is_some_and(|(asked, found)| asked.abs_diff(found) > 1_000);
    if is_other {
        return Err(none());
    }
    let mut threads: Vec<SeenTask> = who.tasks.into_iter().filter(|task| task.pid == Some(pid)).collect();
    threads.sort_by(|a, b| active(b).total_cmp(&active(a)).then(a.tid.cmp(&b.tid)));
    let figures = of_process(pid, None);
    let figures: Vec<_> = figures.iter().collect();
    let ask = Ask { steps: STEPS, by_minute };
    let frames = answer_all(&figures, capture, ask).into_iter().flatten().collect();
    let spent = spent(&threads);
    let database = Database::open(capture).context("cannot read the window")?;
    let rows = |sql: &str| {
        let sql = sql.replace("{table}", if by_minute { "object_time_minute" } else { "object_time" });
        let answer =
            database.query_with(&sql, &[(":pid", Value::Int(pid))]).context("cannot read the window")?;
        Ok::<_, EngineError>(answer.rows)
    };
    let stacks = rows(STACKS)?;
    let mut objects = rows(OBJECTS)?;
    if objects.is_empty() {
        objects = rows(OBJECTS_OF_STACKS)?;
    }
    let mut waited_for = waited_for(&objects, &spent);
    waited_for.iter_mut().for_each(|wait| wait.1.stack = stack_of(&stacks, &wait.1, wait.0));
    let woken_by = woken_by(&rows(WAKERS)?, &stacks, &spent);
    let waited_for = waited_for.into_iter().map(|(_, wait)| wait).collect();
    let errors = capture.flaws.iter().cloned().map(ErrorNote::from).collect();
    Ok(Life { span, process, threads, frames, waited_for, woken_by, errors })
}

/// Seconds of running and waiting.
fn active(task: &SeenTask) -> f64 {
    let is_active = |class: &Class| matches!(class.group(), Group::Running | Group::Waiting);
    task.times.iter().filter(|(class, _)| is_active(class)).map(|(_, seconds)| seconds).sum()
}

/// What all threads waited, by class.
fn spent(threads: &[SeenTask]) -> BTreeMap<Class, f64> {
    let mut spent = BTreeMap::new();
    let waits = threads.iter().flat_map(|task| &task.times);
    for (class, seconds) in waits.filter(|(class, _)| matches!(class.group(), Group::Waiting | Group::Peer)) {
        *spent.entry(*class).or_insert(0.0) += seconds;
    }
    spent
}

/// The objects that it waited for, with their inodes, and of each class what has no object; most first.
fn waited_for(rows: &[Vec<Value>], spent: &BTreeMap<Class, f64>) -> Vec<(Option<i64>, WaitedFor)> {
    let mut rest = spent.clone();
    let mut all = Vec::new();
    for row in rows {
        let [class, kind, name, device, inode, seconds, waits] = row.as_slice() else { continue };
        let Some(class) = class.as_str().and_then(Class::from_name) else { continue };
        let seconds = seconds.as_f64().unwrap_or_default();
        if let Some(rest) = rest.get_mut(&class) {
            *rest -= seconds;
        }
        let wait = WaitedFor {
            class,
            object_kind: text(kind),
            object: text(name),
            device: text(device),
            seconds,
            waits: waits.as_i64(),
            stack: None,
        };
        all.push((inode.as_i64(), wait));
    }
    let without = rest.into_iter().filter(|(_, seconds)| *seconds >= LEAST_S).map(|(class, seconds)| {
        let wait = WaitedFor {
            class,
            object_kind: None,
            object: None,
            device: None,
            seconds,
            waits: None,
            stack: None,
        };
        (None, wait)
    });
    all.extend(without);
    all.sort_by(|(_, a), (_, b)| b.seconds.total_cmp(&a.seconds));
    all.truncate(MOST);
    all
}

/// The stack with most of the time of a wait: of its class and object, where it has one.
fn stack_of(stacks: &[Vec<Value>], wait: &WaitedFor, inode: Option<i64>) -> Option<WaitStack> {
    let is_same = |value: &Value, of: &Option<String>| of.is_none() || value.as_str() == of.as_deref();
    let is_of = |row: &&Vec<Value>| {
        let [class, name, device, stack_inode, ..] = row.as_slice() else { return false };
        class.as_str() == Some(wait.class.name())
            && is_same(name, &wait.object)
            && is_same(device, &wait.device)
            && (inode.is_none() || stack_inode.as_i64() == inode)
    };
    let row = stacks.iter().find(is_of)?;
    let [_, _, _, _, syscall, kernel, user, _] = row.as_slice() else { return None };
    let stack = WaitStack { syscall: text(syscall), kernel_stack: text(kernel), user_stack: text(user) };
    (stack.syscall.is_some() || stack.kernel_stack.is_some() || stack.user_stack.is_some()).then_some(stack)
}

/// Who ended its waits. Stacks are of intervals of which the window may have a part: of a class they are no more than what
/// it waited.
fn woken_by(wakers: &[Vec<Value>], stacks: &[Vec<Value>], spent: &BTreeMap<Class, f64>) -> Vec<WokenBy> {
    let mut told: BTreeMap<String, f64> = BTreeMap::new();
    for row in stacks {
        let (Some(class), Some(seconds)) =
            (row.first().and_then(Value::as_str), row.last().and_then(Value::as_f64))
        else {
            continue;
        };
        *told.entry(class.to_owned()).or_default() += seconds;
    }
    let mut all: Vec<WokenBy> = Vec::new();
    for row in wakers {
        let [pid, name, class, seconds] = row.as_slice() else { continue };
        let (Some(class), Some(seconds)) = (class.as_str(), seconds.as_f64()) else { continue };
        let waited = Class::from_name(class).and_then(|class| spent.get(&class)).copied().unwrap_or(0.0);
        let whole = told.get(class).copied().unwrap_or(0.0);
        let seconds = if whole > waited { seconds * waited / whole } else { seconds };
        let (pid, name) = (pid.as_i64(), text(name));
        match all.iter_mut().find(|known| known.pid == pid && known.name == name) {
            Some(known) => known.seconds += seconds,
            None => all.push(WokenBy { pid, name, seconds }),
        }
    }
    all.retain(|waker| waker.seconds > 0.0);
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    all.truncate(MOST);
    all
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
