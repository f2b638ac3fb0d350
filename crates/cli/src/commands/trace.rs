//! `heldup trace KIND [SOURCE]`: one kind of time, drilled down to programs, objects and stacks, over
//! the time of a window.

use std::time::Duration;

use anyhow::Context;
use heldup_archive::{Database, Value};
use heldup_diagnose::{Focus, cut};
use heldup_model::{Capture, Class, Group, Span};
use heldup_probe::ProgramTime;
use heldup_report::answer;
use heldup_report::harmless::harmless;
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::WrongUsage;
use crate::archive_source::{ArchiveSource, between};
use crate::args::{TraceArgs, TraceFormat, TraceKind};
use crate::exit::Exit;
use crate::live::{Request, Window, look};
use crate::own_cost;
use crate::recordings;
use crate::source::{Source, load};
use crate::terminal;

use super::sql::cell;

/// How long to look at the live machine.
const DEFAULT_WINDOW: Duration = Duration::from_secs(10);
/// What is taken of the end of an archive where no time is asked for; of a longer window its minutes are asked.
const LAST_MS: i64 = 3_600_000;
const MINUTE_MS: i64 = 60_000;
/// Parts of a window that are told one by one.
const PARTS: u64 = 12;
/// Rows of each list.
const MOST: usize = 15;

/// Drills down.
pub fn run(args: &TraceArgs) -> anyhow::Result<Exit> {
    let focus = args.focus.as_deref().map(str::parse::<Focus>).transpose().map_err(WrongUsage)?;
    let drill = Drill::of(args.kind, focus.as_ref())?;
    let (capture, programs, what, drill) = tables(args, focus.as_ref(), drill)?;
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
    let step_ms = drill.step_ms(capture.span);
    let until = |since_ms: i64| (since_ms + step_ms).min(capture.span.until_ms);
    let named = parts.rows.into_iter().map(|mut row| {
        if let Some(Value::Int(since_ms)) = row.first().cloned() {
            row[0] = Value::Text(format!("{} until {}", clock(since_ms), clock(until(since_ms))));
        }
        row
    });
    print_list("When", &parts.columns, named.collect());
    if let Some(programs) = programs {
        let cost = own_cost::so_far(programs, false);
        println!("{}", heldup_report::overhead::plain_line(&cost));
    }
    Ok(Exit::DONE)
}

/// The tables that the drill asks, cut to the focus, time of eBPF programs where they are of this moment, and what
/// to call them. A long window of an archive is asked by the minute.
fn tables(
    args: &TraceArgs,
    focus: Option<&Focus>,
    drill: Drill,
) -> anyhow::Result<(Capture, Option<ProgramTime>, String, Drill)> {
    let mut programs = None;
    let query = drill.all();
    let mut drill = drill;
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
            let read;
            (read, drill) = of_archive(archive, span, drill, focus)?;
            let own = archive.own_pid(&read);
            (read, archive.name.clone(), own)
        }
        Source::Live => {
            let window = Window::For(args.window.unwrap_or(DEFAULT_WINDOW));
            let looked = look(&Request::of(window, args.method).with_query(&query))?;
            programs = Some(looked.programs);
            (looked.capture, "this machine".to_owned(), looked.own_pid)
        }
    };
    let what = format!("{} · {name} · {}", drill.title, between(capture.span));
    // What a device held up is told by stacks, which name it: nothing else is cut to it.
    let of_tasks = focus.filter(|focus| !matches!(focus, Focus::Device(_)));
    let cut = cut(&capture, of_tasks, own_pid);
    cut.errors.iter().for_each(|error| eprintln!("heldup: {}: {}", error.place, error.what));
    Ok((cut.capture, programs, what, drill))
}

/// The tables of a window of an archive, and the drill that asks them. Of whom a row by the minute is, it may
/// not say: with a focus the seconds are asked.
fn of_archive(
    archive: &ArchiveSource,
    span: Span,
    drill: Drill,
    focus: Option<&Focus>,
) -> anyhow::Result<(Capture, Drill)> {
    let by_the_minute =
        drill.minutes().filter(|_| focus.is_none() && span.until_ms - span.since_ms > LAST_MS);
    let Some(drill_of_minutes) = by_the_minute else {
        return Ok((archive.readings(Some(span), &drill.all())?, drill));
    };
    let full = |ms: i64| ms.div_euclid(MINUTE_MS) * MINUTE_MS;
    let span = Span { since_ms: full(span.since_ms), until_ms: full(span.until_ms + MINUTE_MS - 1) };
    let mut read = archive.readings(Some(span), &drill_of_minutes.all())?;
    // A recording that begins in a minute has a row of what it has of it.
    read.span.since_ms = full(read.span.since_ms);
    Ok((read, drill_of_minutes))
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
    /// How many processes there are in a group of rows, where that can be said.
    processes: Option<&'static str>,
    /// What parts of the window are whole multiples of, milliseconds.
    grain_ms: i64,
    /// Tables and columns that a focus is found by.
    of_focus: &'static str,
}

/// What tells which process a focus means.
const WHOSE: &str = "pid cgroup cgroup_cpu cgroup_memory cgroup_io cgroup_pids unit container in_command from task_time from process";

/// The tables that tell of time, and by the minute.
const BY_THE_MINUTE: [(&str, &str); 2] =
    [("from task_time", "from task_time_minute"), ("from system_call", "from system_call_minute")];

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
        let of_focus = if focus.is_some() && device.is_none() { WHOSE } else { "" };
        if kind == TraceKind::Calls {
            if device.is_some() {
                return Err(WrongUsage("system calls are not counted by device".into()).into());
            }
            let of_time = "select time, pid, name as process_name, \
                           syscall || coalesce(' ' || error_name, '') as class_name, \
                           calls as amount, calls as waits from system_call";
            // Calls do not say of which group their process is: the tables that do are cut to the focus.
            let of_whom = " where pid in (select pid from task_time union select pid from process)";
            let of_time = format!("{of_time}{}", focus.map_or("", |_| of_whom));
            return Ok(Drill {
                title,
                of_time,
                stacks: None,
                unit: "calls",
                processes: Some("count(distinct pid)"),
                grain_ms: 1000,
                of_focus,
            });
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
        let processes = Some("count(distinct pid)");
        Ok(Drill {
            title,
            of_time,
            stacks: Some(stacks),
            unit: "seconds",
            processes,
            grain_ms: 1000,
            of_focus,
        })
    }

    /// The same asked of the tables by the minute; none of what there are none of.
    fn minutes(&self) -> Option<Drill> {
        let (table, by_the_minute) =
            BY_THE_MINUTE.into_iter().find(|(table, _)| self.of_time.contains(table))?;
        // Who made a call seldom is told together in each minute: nobody knows who is the same.
        let of_calls = self.stacks.is_none();
        let together = if of_calls { "" } else { ", minute_processes " };
        Some(Drill {
            of_time: self.of_time.replace(table, &format!("{together}{by_the_minute}")),
            stacks: self.stacks.clone(),
            processes: (!of_calls).then_some("count(distinct pid) + coalesce(sum(minute_processes), 0)"),
            grain_ms: MINUTE_MS,
            ..*self
        })
    }

    /// Length of a part, so that at most [`PARTS`] of them hold the span.
    fn step_ms(&self, span: Span) -> i64 {
        let length_ms = (span.until_ms - span.since_ms).max(1).unsigned_abs();
        let grains = length_ms.div_ceil(PARTS * self.grain_ms.unsigned_abs());
        i64::try_from(grains).unwrap_or(i64::MAX).saturating_mul(self.grain_ms)
    }

    /// All tables and columns that are asked for.
    fn all(&self) -> String {
        // Rows by the minute do not say from when to when samples were taken.
        let samples = if self.grain_ms == MINUTE_MS { " from system" } else { "" };
        let stacks = self.stacks.as_deref().unwrap_or_default();
        format!("{} {stacks} from host cpus{samples} {}", self.of_time, self.of_focus)
    }

    fn who(&self) -> Option<String> {
        let Drill { of_time, unit, .. } = self;
        // Of calls the amount is how many there were.
        let times = if self.stacks.is_some() { ", sum(waits) as waits" } else { "" };
        let processes = self.processes.map_or_else(String::new, |count| format!("{count} as processes, "));
        Some(format!(
            "with part as materialized ({of_time}) \
             select sum(amount) as {unit}, process_name as program, {processes}class_name as class{times} \
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
        let (since_ms, step_ms) = (span.since_ms, self.step_ms(span));
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
    use std::path::Path;

    use heldup_archive::journal::{JournalSettings, JournalWriter, Reading, Sample, SegmentHeader};
    use heldup_archive::kept::{ArchiveFolder, seal};
    use heldup_model::tables::{StackRow, SystemCallRow, SystemRow, TaskTimeRow};
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

    /// Two hours and a half of an archive, which begin and end within a minute: a program that goes on, and one
    /// of a moment in every sample.
    fn recorded(folder: &Path) -> Span {
        const SAMPLES: i64 = 900;
        let begin_ms = 1_763_700_017_000;
        let header = SegmentHeader {
            host: "box".into(),
            boot_id: "8f6c2a34-0000-4000-8000-000000000001".into(),
            realtime_ms: begin_ms,
            monotonic_ns: 1_000_000_000,
        };
        let settings = JournalSettings { max_age: Duration::from_secs(20_000), ..JournalSettings::default() };
        let journals = ArchiveFolder::at(folder).journals();
        let mut writer = JournalWriter::create(&journals, &header, settings).expect("a journal");
        let time_ms = |number: i64| begin_ms + number * 10_000;
        for number in 1..=SAMPLES {
            let program = if number % 3 == 0 { "sed" } else { "sh" };
            let moment = |class| TaskTimeRow {
                start_ms: Some(time_ms(number) - 400),
                exited: Some(true),
                cgroup: text(if program == "sed" { "/work" } else { "/other" }),
                ..time(1_000 + number, program, class, 0.01 + number as f64 / 1e6)
            };
            let stays = TaskTimeRow { start_ms: Some(5), ..time(7, "reader", Class::DiskRead, 3.0) };
            let call = SystemCallRow {
                pid: Some(1_000 + number),
                name: text(program),
                syscall: text("read"),
                calls: Some(number),
                ..SystemCallRow::default()
            };
            let reading = |rows| Reading { rows, secs: Some(10.0) };
            let readings = vec![
                reading(RowSet::increases([SystemRow { load1: Some(1.0), ..SystemRow::default() }])),
                reading(RowSet::increases([moment(Class::User), moment(Class::DiskRead), stays])),
                reading(RowSet::increases([call])),
            ];
            let monotonic_ns = 1_000_000_000 + number as u64 * 10_000_000_000;
            writer.append(Sample { time_ms: time_ms(number), monotonic_ns, readings }).expect("appended");
        }
        seal(&writer.close().expect("closed"), folder).expect("sealed");
        Span { since_ms: begin_ms, until_ms: time_ms(SAMPLES) }
    }

    #[test]
    fn a_long_window_has_the_same_sums_by_the_minute() {
        let folder = std::env::temp_dir().join(format!("heldup-trace-{}", std::process::id()));
        let span = recorded(&folder);
        let archive = ArchiveSource::open("archive", &folder, None).expect("an archive");
        let ask = |capture: &Capture, query: &str| {
            let answer = Database::open(capture).and_then(|database| database.query(query));
            answer.expect("an answer").rows
        };
        for kind in [TraceKind::Io, TraceKind::Cpu, TraceKind::Calls] {
            let seconds = drill(kind, None);
            let by_the_second = archive.readings(Some(span), &seconds.all()).expect("readings");
            let (capture, minutes) = of_archive(&archive, span, drill(kind, None), None).expect("minutes");
            let tables: Vec<&String> = capture.tables.keys().collect();
            assert!(tables.iter().any(|name| name.ends_with("_minute")), "{tables:?}");
            assert!(!tables.iter().any(|name| ["task_time", "system_call"].contains(&name.as_str())));
            let (found, expected) = (
                ask(&capture, &minutes.who().expect("a query")),
                ask(&by_the_second, &seconds.who().expect("a query")),
            );
            // Calls by the minute do not say of how many processes they are.
            let expected: Vec<Vec<Value>> = expected
                .into_iter()
                .map(|mut row| {
                    if kind == TraceKind::Calls {
                        row.remove(2);
                    }
                    row
                })
                .collect();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found[1..], expected[1..], "programs, how many processes, and waits");
                let (found, expected) = (found[0].as_f64(), expected[0].as_f64());
                let same = found.zip(expected).is_some_and(|(a, b)| (a - b).abs() < 1e-6 * b);
                assert!(same, "{found:?}, by the second {expected:?}");
            }
            // A part is whole minutes; together they are all of it.
            let parts = ask(&capture, &minutes.parts(capture.span));
            assert!(parts.len() as u64 <= PARTS && parts.len() > 8, "{} parts", parts.len());
            let begins = |row: &Vec<Value>| row[0].as_f64().is_some_and(|ms| ms % MINUTE_MS as f64 == 0.0);
            assert!(parts.iter().all(begins), "{parts:?}");
        }
        let samples = "select count(*), min(time) from system";
        let all = archive.readings(None, samples).expect("readings");
        let first = Value::Int(span.since_ms + 10_000);
        assert_eq!(ask(&all, samples), [[Value::Int(900), first]], "the first sample of sealed files too");
        let hour = Span { since_ms: span.until_ms - LAST_MS, ..span };
        let (capture, _) = of_archive(&archive, hour, drill(TraceKind::Io, None), None).expect("an hour");
        assert!(capture.tables.contains_key("task_time"), "an hour is told by the second");
        let focus = "pid:7".parse::<Focus>().expect("a focus");
        let (capture, _) =
            of_archive(&archive, span, drill(TraceKind::Io, None), Some(&focus)).expect("a window");
        assert!(capture.tables.contains_key("task_time"), "who is meant is told by the second");
        // A group is found though no answer names it, and calls are of its processes.
        let focus = "cgroup:/work".parse::<Focus>().expect("a focus");
        for (kind, programs) in [(TraceKind::Io, ["sed"]), (TraceKind::Calls, ["sed"])] {
            let asking = drill(kind, Some("cgroup:/work"));
            let (capture, asking) = of_archive(&archive, span, asking, Some(&focus)).expect("a window");
            let cut = cut(&capture, Some(&focus), None);
            assert!(cut.errors.is_empty(), "{:?}", cut.errors);
            let found = ask(&cut.capture, &asking.who().expect("a query"));
            let found: Vec<&Value> = found.iter().map(|row| &row[1]).collect();
            assert_eq!(found, programs.map(|program| Value::Text(program.to_owned())).each_ref());
        }
        std::fs::remove_dir_all(&folder).expect("removed");
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
