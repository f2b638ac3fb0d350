//! Stacks for a flame graph: those of the kind of time, what their amounts count, and what is missing.

use heldup_archive::{Database, Value};
use heldup_model::{
    BreakdownKind, Capture, Class, Flame, FlameEvent, FlameGaps, FlameStack, FlameUnit, Group, Method,
};

use super::questions::{FULL_STACKS, FUNCTIONS};
use super::{Cells, Drill, int, number, text};
use crate::error::{Context, Result};

/// Frames that the ledger keeps of a kernel stack, the profiler of each stack, and perf of both together.
const LEDGER_FRAMES: usize = 32;
const PROFILER_FRAMES: usize = 48;
const PERF_FRAMES: usize = 127;

/// Where the rows are from, as far as it matters for what they lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The running machine, now.
    Live,
    /// An examination or a capture of heldup.
    Kept,
    /// A recorder's archive.
    Archive,
    /// Files of other tools.
    Recordings,
}

/// A row of the question, and what kind of sample it is.
struct Row {
    stack: FlameStack,
    kind: String,
    seconds: Option<f64>,
    samples: i64,
}

/// What a row is to the kind of time that is asked for.
enum Part {
    Drawn,
    Idle,
    Event,
    Elsewhere,
}

/// The stacks of a drill.
pub fn flame(database: &Database, capture: &Capture, drill: &Drill, origin: Origin) -> Result<Flame> {
    if drill.kind == BreakdownKind::Calls {
        return Ok(Flame { unit: FlameUnit::Calls, ..Flame::default() });
    }
    let parameters = drill.parameters(capture.span);
    let ask = |query: &str| -> Result<Vec<Vec<Value>>> {
        Ok(database.query_with(query, &parameters).context("the tables could not be asked")?.rows)
    };
    let mut flame = gather(drill.kind, ask(FULL_STACKS)?.into_iter().filter_map(row));
    if flame.stacks.is_empty() && drill.kind == BreakdownKind::Cpu && drill.device.is_none() {
        let functions = ask(FUNCTIONS)?;
        of_functions(&mut flame, functions.into_iter().filter_map(function));
    }
    let gaps = &mut flame.gaps;
    gaps.by_the_minute = origin == Origin::Archive && !flame.stacks.is_empty();
    gaps.most_frames = match (capture.method, drill.kind) {
        (Method::Imported, _) => Some(PERF_FRAMES),
        (_, BreakdownKind::Cpu) => Some(PROFILER_FRAMES),
        _ => Some(LEDGER_FRAMES),
    };
    let is_cpu = drill.kind == BreakdownKind::Cpu;
    let of_stacks = |place: &str| match place {
        // Waits have no functions of programs.
        "stack.user_stack" | "CPU samples" => is_cpu,
        place => place.starts_with("stack"),
    };
    gaps.errors =
        capture.flaws.iter().filter(|flaw| of_stacks(&flaw.place)).map(|flaw| flaw.what.clone()).collect();
    if flame.stacks.is_empty() {
        gaps.missing = Some(missing(capture, drill.kind, origin));
    }
    Ok(flame)
}

/// Why there are no stacks, and what supplies them.
fn missing(capture: &Capture, kind: BreakdownKind, origin: Origin) -> String {
    let is_cpu = kind == BreakdownKind::Cpu;
    if let Some(missing) = capture.missing.iter().find(|missing| missing.what.starts_with("stack")) {
        return format!("no stacks: {} ({})", missing.why, missing.how);
    }
    let word = kind.word();
    match (origin, is_cpu) {
        (Origin::Archive, true) => {
            "no CPU stacks: an archive has those of waits only; for them: sudo heldup breakdown cpu --for 10s -o cpu.svg, or \
             a profile of perf script"
                .to_owned()
        }
        (Origin::Recordings, true) => {
            "no CPU stacks in this recording; perf script, folded stacks and thread dumps have them".to_owned()
        }
        (Origin::Recordings, false) => {
            "no stacks of waits in this recording; thread dumps (jstack, gdb) and perf script of sched:sched_switch have them"
                .to_owned()
        }
        (Origin::Live | Origin::Kept, true) => {
            "no CPU stacks: time is not accounted for by eBPF (heldup doctor says why), or nothing ran".to_owned()
        }
        (_, false) => format!(
            "no stacks of {word}: no wait was long enough for one (5 ms), or eBPF accounting is not available (heldup doctor)"
        ),
    }
}

fn row(row: Vec<Value>) -> Option<Row> {
    let mut cells = row.into_iter();
    let cells: &mut Cells<'_> = &mut cells;
    let (program, class, syscall) = (text(cells), text(cells), text(cells));
    let (user_stack, kernel_stack) = (text(cells), text(cells));
    let (object, waker, kind) = (text(cells), text(cells), text(cells).unwrap_or_default());
    let (seconds, samples) = (number(cells), int(cells).unwrap_or(0));
    let stack = FlameStack { program, class, syscall, user_stack, kernel_stack, object, waker, amount: 0.0 };
    Some(Row { stack, kind, seconds, samples })
}

fn part(kind: BreakdownKind, row: &Row) -> Part {
    if let Some(class) = row.stack.class.as_deref().and_then(Class::from_name) {
        let is_idle = class.group() == Group::Idle;
        return match kind.has(class) {
            true => Part::Drawn,
            false if kind == BreakdownKind::Wait && is_idle => Part::Idle,
            false => Part::Elsewhere,
        };
    }
    match (kind, row.kind.as_str()) {
        // Folded stacks do not tell what was counted.
        (BreakdownKind::Cpu, "cpu" | "runnable" | "") | (BreakdownKind::Wait, "wait" | "off-cpu") => {
            Part::Drawn
        }
        (BreakdownKind::Cpu, "wait" | "off-cpu") | (_, "cpu" | "runnable" | "wait" | "off-cpu" | "") => {
            Part::Elsewhere
        }
        _ => Part::Event,
    }
}

/// Sorts the rows, and decides what their amounts count.
fn gather(kind: BreakdownKind, rows: impl Iterator<Item = Row>) -> Flame {
    let mut gaps = FlameGaps::default();
    let mut drawn: Vec<Row> = Vec::new();
    let mut idle = Vec::new();
    for row in rows {
        match part(kind, &row) {
            Part::Drawn => drawn.push(row),
            Part::Idle => idle.push(row),
            Part::Elsewhere => {}
            Part::Event => match gaps.other_events.iter_mut().find(|event| event.event == row.kind) {
                Some(event) => event.samples += row.samples,
                None => gaps.other_events.push(FlameEvent { event: row.kind, samples: row.samples }),
            },
        }
    }
    let has_seconds = drawn.iter().any(|row| row.seconds.is_some_and(|seconds| seconds > 0.0));
    let is_of_threads = drawn.iter().all(|row| matches!(row.kind.as_str(), "wait" | "runnable"));
    let unit = match (has_seconds, is_of_threads) {
        (true, _) => FlameUnit::Seconds,
        (false, true) if !drawn.is_empty() => FlameUnit::Threads,
        (false, true) => FlameUnit::Seconds,
        (false, false) => FlameUnit::Samples,
    };
    let amount = |row: &Row| match unit {
        FlameUnit::Seconds => row.seconds.unwrap_or(0.0),
        _ => row.samples as f64,
    };
    gaps.unknown_event = drawn.iter().any(|row| row.kind.is_empty());
    // Of a ledger's idle time stacks are a part that says nothing; of a dump it is all other threads.
    if unit == FlameUnit::Threads {
        gaps.idle = idle.iter().map(amount).sum();
    }
    if has_seconds {
        gaps.untimed_samples = drawn.iter().filter(|row| row.seconds.is_none()).map(|row| row.samples).sum();
    }
    let counted = drawn.into_iter().map(|row| FlameStack { amount: amount(&row), ..row.stack });
    let mut stacks: Vec<FlameStack> = counted.filter(|stack| stack.amount > 0.0).collect();
    stacks.sort_by(|a, b| b.amount.total_cmp(&a.amount));
    Flame { unit, stacks, gaps }
}

/// A function of a listing without callers.
struct Function {
    stack: FlameStack,
    samples: Option<f64>,
    share: Option<f64>,
}

fn function(row: Vec<Value>) -> Option<Function> {
    let mut cells = row.into_iter();
    let cells: &mut Cells<'_> = &mut cells;
    let (program, image, name) = (text(cells), text(cells), text(cells));
    let (samples, share, inclusive) = (number(cells), number(cells), int(cells));
    // Samples that count the callees too would be drawn twice.
    let samples = samples.filter(|_| inclusive == Some(0));
    // A program without another name is its file. What stands between functions cannot be in one.
    let plain = |name: String| name.replace(';', ":");
    let inner = name.map_or_else(|| "[unknown]".to_owned(), plain);
    let user_stack =
        match image.clone().filter(|image| program.as_ref().is_some_and(|program| program != image)) {
            Some(image) => format!("{};{inner}", plain(image)),
            None => inner,
        };
    let stack =
        FlameStack { program: program.or(image), user_stack: Some(user_stack), ..FlameStack::default() };
    Some(Function { stack, samples, share })
}

/// Functions of listings that have no stacks.
fn of_functions(flame: &mut Flame, functions: impl Iterator<Item = Function>) {
    let functions: Vec<Function> = functions.collect();
    let has_samples = functions.iter().any(|function| function.samples.is_some());
    let counted = functions.into_iter().filter_map(|function| {
        let amount = if has_samples { function.samples } else { function.share }?;
        (amount > 0.0).then_some(FlameStack { amount, ..function.stack })
    });
    let stacks: Vec<FlameStack> = counted.collect();
    if stacks.is_empty() {
        return;
    }
    flame.unit = if has_samples { FlameUnit::Samples } else { FlameUnit::Share };
    flame.gaps.functions_only = true;
    flame.stacks = stacks;
    flame.stacks.sort_by(|a, b| b.amount.total_cmp(&a.amount));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, class: Option<&str>, seconds: Option<f64>, samples: i64) -> Row {
        let stack = FlameStack { class: class.map(str::to_owned), ..FlameStack::default() };
        Row { stack, kind: kind.to_owned(), seconds, samples }
    }

    fn amounts(flame: &Flame) -> Vec<f64> {
        flame.stacks.iter().map(|stack| stack.amount).collect()
    }

    #[test]
    fn seconds_count_where_there_are_any() {
        let rows = [
            of("cpu", Some("user"), Some(0.5), 10),
            of("cpu", Some("kernel"), None, 4),
            of("wait", Some("disk_sync"), Some(7.0), 1),
            of("page-faults", None, None, 3),
            of("page-faults", None, None, 2),
        ];
        let flame = gather(BreakdownKind::Cpu, rows.into_iter());
        assert_eq!((flame.unit, amounts(&flame)), (FlameUnit::Seconds, vec![0.5]));
        assert_eq!(flame.gaps.untimed_samples, 4);
        assert_eq!(flame.gaps.other_events, [FlameEvent { event: "page-faults".to_owned(), samples: 5 }]);
    }

    #[test]
    fn folded_stacks_count_samples_and_dumps_threads() {
        let folded =
            gather(BreakdownKind::Cpu, [of("", None, None, 90), of("", None, None, 161)].into_iter());
        assert_eq!((folded.unit, amounts(&folded)), (FlameUnit::Samples, vec![161.0, 90.0]));
        let dump = || {
            [
                of("wait", Some("park"), None, 6),
                of("wait", Some("lock_user"), None, 9),
                of("runnable", None, None, 1),
            ]
        };
        let waits = gather(BreakdownKind::Wait, dump().into_iter());
        assert_eq!((waits.unit, amounts(&waits), waits.gaps.idle), (FlameUnit::Threads, vec![9.0], 6.0));
        let cpu = gather(BreakdownKind::Cpu, dump().into_iter());
        assert_eq!((cpu.unit, amounts(&cpu)), (FlameUnit::Threads, vec![1.0]));
        let nothing = gather(BreakdownKind::Lock, std::iter::empty());
        assert_eq!((nothing.unit, amounts(&nothing)), (FlameUnit::Seconds, vec![]));
    }

    #[test]
    fn functions_without_callers_are_below_their_file() {
        let cells = |program: Option<&str>, image: &str, samples: Option<f64>| {
            let text = |text: &str| Value::Text(text.to_owned());
            let number = |number: Option<f64>| number.map_or(Value::Null, Value::Float);
            let program = program.map_or(Value::Null, text);
            function(vec![
                program,
                text(image),
                text("a;b"),
                number(samples),
                Value::Float(0.25),
                Value::Int(0),
            ])
        };
        let mut flame = Flame::default();
        let all = [cells(Some("dd"), "[kernel]", Some(42.0)), cells(None, "gzip", Some(7.0))];
        of_functions(&mut flame, all.into_iter().flatten());
        let seen: Vec<_> =
            flame.stacks.iter().map(|one| (one.program.as_deref(), one.user_stack.as_deref())).collect();
        assert_eq!(seen, [(Some("dd"), Some("[kernel];a:b")), (Some("gzip"), Some("a:b"))]);
        assert_eq!((flame.unit, flame.gaps.functions_only), (FlameUnit::Samples, true));
        of_functions(&mut flame, [cells(None, "gzip", None)].into_iter().flatten());
        assert_eq!((flame.unit, amounts(&flame)), (FlameUnit::Share, vec![0.25]));
    }
}
