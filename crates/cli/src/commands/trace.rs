//! `heldup trace KIND [SOURCE]`: one kind of time, drilled down to programs, objects and stacks, over
//! the time of a window.

use std::time::Duration;

use anyhow::Context;
use heldup_archive::{Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_model::{Capture, Class, Group, Span};
use heldup_report::answer;
use heldup_report::harmless::harmless;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::archive_source::between;
use crate::args::{TraceArgs, TraceFormat, TraceKind};
use crate::exit::Exit;
use crate::live::{Request, Window, look};
use crate::recordings;
use crate::source::{Source, load};
use crate::terminal;

use super::sql::cell;

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// What is taken of the end of an archive where no time is asked for.
const LAST_MS: i64 = 3_600_000;
/// Parts of a window that are told one by one.
const PARTS: u64 = 12;
/// Rows of each list.
const MOST: usize = 15;

/// Drills down.
pub fn run(args: &TraceArgs) -> anyhow::Result<Exit> {
    let focus = args.focus.as_deref().map(str::parse::<Focus>).transpose().map_err(WrongUsage)?;
    let drill = Drill::of(args.kind, focus.as_ref())?;
    let (capture, what) = tables(args, focus.as_ref(), &drill)?;
    let database = Database::open(&capture)?;
    let ask = |query: &str| database.query(query).context("the tables could not be asked");
    if args.format == TraceFormat::Folded {
        let rows = ask(&drill.folded())?.rows;
        if rows.is_empty() {
            eprintln!("heldup: {what}: no stacks of this");
        }
        rows.into_iter().filter_map(folded).for_each(|line| println!("{line}"));
        return Ok(Exit::DONE);
    }
    println!("{}\n", harmless(&what));
    for (title, query) in [("Who", drill.who()), ("On what, and where in the kernel", drill.where_at())] {
        let Some(query) = query else { continue };
        let mut answer = ask(&query)?;
        if let Some(at) = answer.columns.iter().position(|column| column == "innermost") {
            answer
                .rows
                .iter_mut()
                .for_each(|row| row[at] = innermost(std::mem::replace(&mut row[at], Value::Null)));
        }
        print_list(title, &answer.columns, answer.rows);
    }
    let parts = ask(&drill.parts(capture.span))?;
    let step_ms = step_ms(capture.span);
    let until = |since_ms: i64| (since_ms + step_ms).min(capture.span.until_ms);
    let named = parts.rows.into_iter().map(|mut row| {
        if let Some(Value::Int(since_ms)) = row.first().cloned() {
            row[0] = Value::Text(format!("{} until {}", clock(since_ms), clock(until(since_ms))));
        }
        row
    });
    print_list("When", &parts.columns, named.collect());
    Ok(Exit::DONE)
}

/// The tables that the drill asks, cut to the focus, and what to call them.
fn tables(args: &TraceArgs, focus: Option<&Focus>, drill: &Drill) -> anyhow::Result<(Capture, String)> {
    let query = drill.all();
    let source = Source::parse(args.source.as_deref(), &args.span)?;
    let (capture, name, own_pid) = match &source {
        Source::Kept { name, folder } => (load(folder)?, name.clone(), None),
        Source::Recordings { name, files } => (recordings::read(files)?.0, name.clone(), None),
        Source::Archive(archive) => {
            let asked = archive.asked(&args.span, args.window)?;
            let span = asked.map_or_else(
                || {
                    archive
                        .all()
                        .map(|all| Span { since_ms: all.since_ms.max(all.until_ms - LAST_MS), ..all })
                },
                Ok,
            )?;
            let read = archive.readings(Some(span), &query)?;
            let own = archive.own_pid(&read);
            (read, archive.name.clone(), own)
        }
        Source::Live => {
            let window = Window::For(args.window.unwrap_or(DEFAULT_WINDOW));
            let looked = look(&Request::of(window, args.method).with_query(&query))?;
            (looked.capture, "this machine".to_owned(), looked.own_pid)
        }
    };
    let what = format!("{} · {name} · {}", drill.title, between(capture.span));
    // What a device held up is told by stacks, which name it: nothing else is cut to it.
    let of_tasks = focus.filter(|focus| !matches!(focus, Focus::Device(_)));
    let cut = cut(&capture, of_tasks, own_pid);
    cut.errors.iter().for_each(|error| eprintln!("heldup: {}: {}", error.place, error.what));
    Ok((cut.capture, what))
}

fn print_list(title: &str, columns: &[String], mut rows: Vec<Vec<Value>>) {
    println!("{title}");
    if rows.is_empty() {
        println!("nothing\n");
        return;
    }
    let more = rows.len().saturating_sub(MOST);
    rows.truncate(MOST);
    let rows: Vec<_> = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
    print!("{}", answer::text(columns, &rows, terminal::table_width()));
    let rest = if more > 0 { format!("… {more} more\n") } else { String::new() };
    println!("{rest}");
}

/// A line of folded stacks: frames, outermost first, and microseconds.
fn folded(row: Vec<Value>) -> Option<String> {
    match row.as_slice() {
        [Value::Text(stack), Value::Int(us)] if *us > 0 => Some(format!("{} {us}", harmless(stack))),
        _ => None,
    }
}

/// Length of a part: whole seconds, so that at most [`PARTS`] of them hold the span.
fn step_ms(span: Span) -> i64 {
    let length_ms = (span.until_ms - span.since_ms).max(1).unsigned_abs();
    let seconds = length_ms.div_ceil(PARTS * 1000);
    i64::try_from(seconds * 1000).unwrap_or(i64::MAX)
}

/// The condition that a row's class is of a kind.
fn in_classes(kind: TraceKind) -> String {
    let of_kind = |class: &Class| match kind {
        TraceKind::Cpu => {
            matches!(class, Class::User | Class::Kernel | Class::CpuQueue | Class::CpuThrottled)
        }
        TraceKind::Io => matches!(
            class,
            Class::DiskRead
                | Class::DiskWrite
                | Class::DiskSync
                | Class::DiskFault
                | Class::DiskAsync
                | Class::DiskThrottle
                | Class::MemSwapIn
                | Class::MemDirty
                | Class::RemoteFs
        ),
        TraceKind::Lock => matches!(
            class,
            Class::LockUser | Class::LockKernel | Class::LockInode | Class::LockMmap | Class::LockFile
        ),
        TraceKind::Memory => {
            matches!(class, Class::MemReclaim | Class::MemSwapIn | Class::MemDirty | Class::DiskFault)
        }
        TraceKind::Wait | TraceKind::Calls => class.group() == Group::HeldUp,
    };
    let names: Vec<String> =
        Class::ALL.iter().filter(|class| of_kind(class)).map(|class| format!("'{}'", class.name())).collect();
    format!("class_name in ({})", names.join(", "))
}

/// The last functions of a stack, innermost first: where a task waited.
fn innermost(value: Value) -> Value {
    const FRAMES: usize = 3;
    match value {
        Value::Text(stack) => Value::Text(stack.rsplit(';').take(FRAMES).collect::<Vec<_>>().join(" < ")),
        other => other,
    }
}

/// Hours, minutes and seconds in the zone of who asks.
fn clock(ms: i64) -> String {
    let time = Timestamp::from_millisecond(ms).map(|time| time.to_zoned(TimeZone::system()));
    time.map_or_else(|_| ms.to_string(), |time| time.strftime("%T").to_string())
}

/// The questions of one kind.
struct Drill {
    title: &'static str,
    /// A table or a query with `time`, `pid`, `process_name`, `class_name`, `amount`, `waits`.
    of_time: String,
    /// Rows of `stack`, of which not all kinds have any.
    stacks: Option<String>,
    /// What the amounts are.
    unit: &'static str,
}

impl Drill {
    fn of(kind: TraceKind, focus: Option<&Focus>) -> anyhow::Result<Drill> {
        let title = match kind {
            TraceKind::Cpu => "time on CPUs and in their queue",
            TraceKind::Wait => "all time that tasks were held up",
            TraceKind::Io => "waits for disks and remote file systems",
            TraceKind::Lock => "waits for locks",
            TraceKind::Memory => "waits for memory",
            TraceKind::Calls => "system calls",
        };
        let device = match focus {
            Some(Focus::Device(name)) => Some(name.replace('\'', "''")),
            Some(Focus::Port(_)) => {
                return Err(WrongUsage(
                    "no wait is told by port; trace takes pid, cgroup, unit, container, device and command"
                        .into(),
                )
                .into());
            }
            _ => None,
        };
        if kind == TraceKind::Calls {
            if device.is_some() {
                return Err(WrongUsage("system calls are not counted by device".into()).into());
            }
            let of_time = "select time, pid, name as process_name, \
                           syscall || coalesce(' ' || error_name, '') as class_name, \
                           calls as amount, calls as waits from system_call";
            return Ok(Drill { title, of_time: of_time.to_owned(), stacks: None, unit: "calls" });
        }
        let of_device = device.map_or_else(String::new, |name| format!(" and object_device = '{name}'"));
        let classes = in_classes(kind);
        let stacks = format!(
            "select time, pid, process_name, class_name, object_kind, object_name, object_device, syscall, \
             waker_name, kernel_stack, user_stack, seconds as amount, samples as waits from stack \
             where {classes} and kernel_thread is not 1{of_device}"
        );
        let of_time = if of_device.is_empty() {
            format!(
                "select time, pid, process_name, class_name, seconds as amount, waits from task_time \
                 where {classes} and kernel_thread is not 1"
            )
        } else {
            stacks.clone()
        };
        Ok(Drill { title, of_time, stacks: Some(stacks), unit: "seconds" })
    }

    /// All tables and columns that are asked for.
    fn all(&self) -> String {
        format!("{} {} from host cpus", self.of_time, self.stacks.as_deref().unwrap_or_default())
    }

    fn who(&self) -> Option<String> {
        let Drill { of_time, unit, .. } = self;
        // Of calls the amount is how many there were.
        let times = if self.stacks.is_some() { ", sum(waits) as times" } else { "" };
        Some(format!(
            "with part as materialized ({of_time}) \
             select sum(amount) as {unit}, process_name as program, count(distinct pid) as processes, \
                    class_name as class{times} \
             from part group by process_name, class_name having sum(amount) > 0 order by 1 desc"
        ))
    }

    /// By object and the function of the kernel that waited last; none without stacks.
    fn where_at(&self) -> Option<String> {
        let stacks = self.stacks.as_deref()?;
        Some(format!(
            "with part as materialized ({stacks}) \
             select sum(amount) as seconds, class_name as class, process_name as program, syscall, \
                    coalesce(object_name, object_device) as object, waker_name as waker, \
                    kernel_stack as innermost \
             from part group by class_name, process_name, syscall, 5, waker_name, kernel_stack \
             having sum(amount) > 0 order by 1 desc"
        ))
    }

    /// By parts of the window, each with what was most in it.
    fn parts(&self, span: Span) -> String {
        let Drill { of_time, unit, .. } = self;
        let (since_ms, step_ms) = (span.since_ms, step_ms(span));
        // A sample's time is its end: one on a limit belongs to the part that ends there.
        format!(
            "with part as materialized ({of_time}), \
             one as (select (max(time - 1 - {since_ms}, 0)) / {step_ms} * {step_ms} + {since_ms} as at, process_name, \
                            class_name, sum(amount) as amount from part group by 1, 2, 3) \
             select at as time, sum(amount) as {unit}, process_name as most_program, \
                    class_name as most_class, max(amount) as most \
             from one group by at having sum(amount) > 0 order by at"
        )
    }

    /// Stacks as lines of frames, with microseconds; without stacks programs and calls.
    fn folded(&self) -> String {
        let Some(stacks) = &self.stacks else {
            return format!(
                "with part as materialized ({}) select process_name || ';' || class_name, sum(amount) \
                 from part group by 1 order by 1",
                self.of_time
            );
        };
        format!(
            "with part as materialized ({stacks}) \
             select coalesce(process_name, '?') || ';' || class_name || coalesce(';' || nullif(user_stack, ''), '') \
                    || coalesce(';' || nullif(kernel_stack, ''), ''), \
                    cast(round(sum(amount) * 1e6) as integer) \
             from part group by 1 order by 1"
        )
    }
}

#[cfg(test)]
mod tests {
    use heldup_model::tables::{StackRow, SystemCallRow, TaskTimeRow};
    use heldup_model::{Method, RowSet, Stamp, Text};

    use super::*;

    fn text(of: &str) -> Option<Text> {
        Some(of.into())
    }

    fn time(pid: i64, program: &str, class: Class, seconds: f64) -> TaskTimeRow {
        TaskTimeRow {
            tid: Some(pid),
            pid: Some(pid),
            process_name: text(program),
            class_name: text(class.name()),
            group_name: text(class.group().name()),
            seconds: Some(seconds),
            waits: Some(2),
            ..TaskTimeRow::default()
        }
    }

    fn stack(program: &str, device: &str, kernel: &str, seconds: f64) -> StackRow {
        StackRow {
            kind: text("wait"),
            pid: Some(7),
            process_name: text(program),
            class_name: text(Class::DiskRead.name()),
            kernel_stack: text(kernel),
            object_device: text(device),
            seconds: Some(seconds),
            samples: Some(1),
            ..StackRow::default()
        }
    }

    /// Two samples, of 24 s each.
    fn capture() -> Capture {
        let at = |time_ms| Stamp { time_ms, secs: Some(24.0), host: "box".into() };
        let batch = |rows: RowSet, time_ms| rows.to_batch(&at(time_ms)).expect("a batch");
        let early = vec![time(7, "reader", Class::DiskRead, 3.0), time(8, "spinner", Class::User, 24.0)];
        let late = vec![time(7, "reader", Class::DiskRead, 1.0), time(9, "waiter", Class::LockUser, 20.0)];
        let stacks = vec![
            stack("reader", "vda", "read;io_schedule", 2.5),
            stack("reader", "sdb", "read;folio_wait", 1.25),
        ];
        let calls = vec![
            SystemCallRow {
                pid: Some(7),
                name: text("reader"),
                syscall: text("read"),
                calls: Some(40),
                ..SystemCallRow::default()
            },
            SystemCallRow {
                pid: Some(7),
                name: text("reader"),
                syscall: text("read"),
                error_name: text("EAGAIN"),
                calls: Some(60),
                ..SystemCallRow::default()
            },
        ];
        let tables = [
            (
                "task_time",
                vec![batch(RowSet::increases(early), 24_000), batch(RowSet::increases(late), 48_000)],
            ),
            ("stack", vec![batch(RowSet::increases(stacks), 48_000)]),
            ("system_call", vec![batch(RowSet::increases(calls), 48_000)]),
        ];
        Capture {
            host: "box".to_owned(),
            span: Span { since_ms: 0, until_ms: 48_000 },
            method: Method::Ebpf,
            coverage: 1.0,
            untold: Vec::new(),
            tables: tables.map(|(name, batches)| (name.to_owned(), batches)).into(),
            missing: Vec::new(),
            flaws: Vec::new(),
        }
    }

    /// The answer as lines of words.
    fn asked(query: &str) -> Vec<String> {
        let answer =
            Database::open(&capture()).and_then(|database| database.query(query)).expect("an answer");
        let word = |value: &Value| match value {
            Value::Null => "-".to_owned(),
            Value::Int(n) => n.to_string(),
            Value::Float(x) => x.to_string(),
            Value::Text(text) => text.clone(),
        };
        answer.rows.iter().map(|row| row.iter().map(word).collect::<Vec<_>>().join(" ")).collect()
    }

    fn drill(kind: TraceKind, focus: Option<&str>) -> Drill {
        let focus = focus.map(|focus| focus.parse::<Focus>().expect("a focus"));
        Drill::of(kind, focus.as_ref()).expect("a drill")
    }

    #[test]
    fn each_kind_has_its_own_classes() {
        let who = |kind| asked(&drill(kind, None).who().expect("a query"));
        assert_eq!(who(TraceKind::Wait), ["20 waiter 1 lock_user 2", "4 reader 1 disk_read 4"]);
        assert_eq!(who(TraceKind::Io), ["4 reader 1 disk_read 4"]);
        assert_eq!(who(TraceKind::Lock), ["20 waiter 1 lock_user 2"]);
        assert_eq!(who(TraceKind::Cpu), ["24 spinner 1 user 2"]);
        assert!(who(TraceKind::Memory).is_empty());
        assert_eq!(who(TraceKind::Calls), ["60 reader 1 read EAGAIN", "40 reader 1 read"]);
    }

    #[test]
    fn a_sample_belongs_to_the_part_that_it_ends() {
        let parts = asked(&drill(TraceKind::Wait, None).parts(capture().span));
        assert_eq!(parts, ["20000 3 reader disk_read 3", "44000 21 waiter lock_user 20"]);
    }

    #[test]
    fn of_a_device_stacks_tell_all() {
        let of_vda = drill(TraceKind::Io, Some("device:vda"));
        assert_eq!(asked(&of_vda.who().expect("a query")), ["2.5 reader 1 disk_read 1"]);
        assert_eq!(asked(&of_vda.folded()), ["reader;disk_read;read;io_schedule 2500000"]);
        // A quote in a name is one of the name.
        assert!(asked(&drill(TraceKind::Io, Some("device:v'a")).folded()).is_empty());
        let port = "port:80".parse().expect("a focus");
        assert!(Drill::of(TraceKind::Io, Some(&port)).is_err());
    }

    #[test]
    fn stacks_are_told_from_inside() {
        let asked = innermost(Value::Text("a;b;c;d".to_owned()));
        assert_eq!(asked, Value::Text("d < c < b".to_owned()));
        let row = vec![Value::Text("reader;disk_read;read".to_owned()), Value::Int(5)];
        assert_eq!(folded(row), Some("reader;disk_read;read 5".to_owned()));
        assert_eq!(folded(vec![Value::Text("none".to_owned()), Value::Int(0)]), None);
    }
}
