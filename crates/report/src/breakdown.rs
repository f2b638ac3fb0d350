//! One kind of time, broken down: as text, as JSON, and as folded stacks for programs that draw flame graphs.

use heldup_model::{
    BREAKDOWN_SCHEMA, Breakdown, BreakdownPart, BreakdownPlace, BreakdownProgram, Cell, Class, Flame,
    FlameStack, FlameUnit,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::generate::SchemaSettings;

use crate::json::escaped;
use crate::{answer, harmless, overhead};

/// The last functions of a stack that are written.
const FRAMES: usize = 3;

/// The breakdown as pretty JSON, with a newline at its end.
pub fn json(found: &Breakdown) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(found).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Breakdown>();
    schema.insert("$id".to_owned(), format!("urn:{}", BREAKDOWN_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup breakdown --json` answers".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// A line for each stack: frames, outermost first, and microseconds; of calls how many.
pub fn folded(found: &Breakdown) -> String {
    let flame = found.flame.as_ref().filter(|_| found.stacks.is_empty());
    let stacks = found.stacks.iter().map(|stack| format!("{} {}\n", harmless(&stack.frames), stack.value));
    stacks
        .chain(
            flame.iter().flat_map(|flame| flame.stacks.iter().filter_map(|stack| counted(stack, flame.unit))),
        )
        .collect()
}

/// A line of what another tool counted: samples or threads, and microseconds of seconds.
fn counted(stack: &FlameStack, unit: FlameUnit) -> Option<String> {
    let value = match unit {
        FlameUnit::Seconds => stack.amount * 1e6,
        FlameUnit::Share => return None,
        FlameUnit::Samples | FlameUnit::Threads | FlameUnit::Calls => stack.amount,
    };
    let parts = [
        Some(stack.program.as_deref().unwrap_or("?")),
        stack.class.as_deref(),
        stack.user_stack.as_deref(),
        stack.kernel_stack.as_deref(),
    ];
    let frames: Vec<&str> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    let value = value.round() as i64;
    (value > 0).then(|| format!("{} {value}\n", harmless(&frames.join(";"))))
}

/// What it is of, and when, in one line.
pub fn heading(found: &Breakdown, zone: &TimeZone) -> String {
    let span = match (zoned(&found.from, zone), zoned(&found.to, zone)) {
        // Clocks were set in between: 02:30 until 02:10 may be forty minutes.
        (Some(from), Some(to)) if from.offset() != to.offset() => {
            format!("{} until {}", from.strftime("%F %T%:z"), to.strftime("%F %T%:z"))
        }
        (Some(from), Some(to)) if from.date() == to.date() => {
            format!("{} until {}", from.strftime("%F %T"), to.strftime("%T"))
        }
        (Some(from), Some(to)) => format!("{} until {}", from.strftime("%F %T"), to.strftime("%F %T")),
        _ => format!("{} until {}", found.from, found.to),
    };
    let focus = found.focus.as_deref().map(|focus| format!(" · {focus}")).unwrap_or_default();
    harmless(&format!("{} · {}{focus} · {span}", found.kind.title(), found.source))
}

/// Lists of at most `width` columns and `most` rows each.
pub fn text(found: &Breakdown, width: usize, most: usize, zone: &TimeZone) -> String {
    let unit = found.unit.as_str();
    let mut out = heading(found, zone) + "\n\n";
    let profiled = found.flame.as_ref().filter(|flame| !flame.stacks.is_empty() && found.programs.is_empty());
    if let Some(flame) = profiled {
        return out + &profile(flame, width, most);
    }
    let counts_waits = found.programs.iter().any(|one| one.waits.is_some());
    let counts_processes = found.programs.iter().any(|one| one.processes.is_some());
    let mut columns = vec![unit, "program"];
    columns.extend(counts_processes.then_some("processes"));
    columns.push("class");
    columns.extend(counts_waits.then_some("waits"));
    let program = |one: &BreakdownProgram| {
        let mut cells = vec![amount(one.amount, unit), name(&one.program)];
        cells.extend(counts_processes.then(|| number(one.processes)));
        cells.push(class(&one.class));
        cells.extend(counts_waits.then(|| number(one.waits)));
        cells
    };
    list(&mut out, "Who", &columns, found.programs.iter().map(program).collect(), width, most);
    if unit == "seconds" {
        let columns = ["seconds", "class", "program", "syscall", "object", "waker", "innermost"];
        let places = found.places.iter().map(place).collect();
        list(&mut out, "On what, and where in the kernel", &columns, places, width, most);
    }
    let columns = ["time", unit, "top_program", "top_class", "top_amount"];
    let part = |part: &BreakdownPart| {
        let between = format!("{} until {}", clock(&part.from, zone), clock(&part.to, zone));
        let (all, most) = (amount(part.amount, unit), amount(part.top_amount, unit));
        vec![Cell::Text(between), all, name(&part.top_program), class(&part.top_class), most]
    };
    list(&mut out, "When", &columns, found.parts.iter().map(part).collect(), width, most);
    // Of a recording without any task, why there is nothing.
    let missing = found.flame.as_ref().and_then(|flame| flame.gaps.missing.as_deref());
    if let Some(missing) = missing.filter(|_| found.programs.is_empty()) {
        out.push_str(&harmless(missing));
        out.push('\n');
    }
    if let Some(cost) = &found.overhead {
        out.push_str(&overhead::plain_line(cost));
        out.push('\n');
    }
    out
}

/// What another tool counted: by stack alone.
fn profile(flame: &Flame, width: usize, most: usize) -> String {
    let mut out = String::new();
    let unit = match flame.unit {
        FlameUnit::Seconds => "seconds",
        FlameUnit::Samples => "samples",
        FlameUnit::Threads => "threads",
        FlameUnit::Share => "share",
        FlameUnit::Calls => "calls",
    };
    let row = |stack: &FlameStack| {
        let functions: Vec<&str> = [&stack.user_stack, &stack.kernel_stack]
            .into_iter()
            .filter_map(|stack| stack.as_deref())
            .collect();
        vec![
            match flame.unit {
                FlameUnit::Seconds | FlameUnit::Share => Cell::Float(rounded(stack.amount)),
                _ => Cell::Int(stack.amount.round() as i64),
            },
            name(&stack.program),
            stack.class.as_deref().map_or(Cell::Null, class),
            name(&stack.object),
            Cell::Text(innermost(&functions.join(";"))),
        ]
    };
    let columns = [unit, "program", "class", "object", "innermost"];
    list(&mut out, "Where", &columns, flame.stacks.iter().map(row).collect(), width, most);
    out
}

fn list(
    out: &mut String,
    title: &str,
    columns: &[&str],
    mut rows: Vec<Vec<Cell>>,
    width: usize,
    most: usize,
) {
    out.push_str(&format!("{title}\n"));
    if rows.is_empty() {
        out.push_str("nothing\n\n");
        return;
    }
    let more = rows.len().saturating_sub(most);
    rows.truncate(most);
    let columns: Vec<String> = columns.iter().map(|column| (*column).to_owned()).collect();
    out.push_str(&answer::text(&columns, &rows, width));
    if more > 0 {
        out.push_str(&format!("… {more} more\n"));
    }
    out.push('\n');
}

fn place(one: &BreakdownPlace) -> Vec<Cell> {
    vec![
        Cell::Float(rounded(one.amount)),
        class(&one.class),
        name(&one.program),
        name(&one.syscall),
        name(&one.object),
        name(&one.waker),
        one.kernel_stack.as_deref().map_or(Cell::Null, |stack| Cell::Text(innermost(stack))),
    ]
}

/// The last functions of a stack, innermost first: where a task waited.
pub(crate) fn innermost(stack: &str) -> String {
    stack.rsplit(';').take(FRAMES).collect::<Vec<_>>().join(" < ")
}

fn amount(amount: f64, unit: &str) -> Cell {
    // Of calls it is how many there were.
    if unit == "calls" { Cell::Int(amount as i64) } else { Cell::Float(rounded(amount)) }
}

/// To the thousandth: more digits say nothing to a reader; the JSON has them.
fn rounded(amount: f64) -> f64 {
    (amount * 1000.0).round() / 1000.0
}

/// A class, as people call it.
fn class(name: &str) -> Cell {
    Cell::Text(Class::label_of(name).to_owned())
}

fn name(text: &Option<String>) -> Cell {
    text.clone().map_or(Cell::Null, Cell::Text)
}

fn number(value: Option<i64>) -> Cell {
    value.map_or(Cell::Null, Cell::Int)
}

fn zoned(time: &str, zone: &TimeZone) -> Option<jiff::Zoned> {
    Some(time.parse::<Timestamp>().ok()?.to_zoned(zone.clone()))
}

/// Hours, minutes and seconds in a zone.
pub(crate) fn clock(time: &str, zone: &TimeZone) -> String {
    zoned(time, zone).map_or_else(|| time.to_owned(), |time| time.strftime("%T").to_string())
}

#[cfg(test)]
mod tests {
    use heldup_model::{BreakdownKind, BreakdownStack};

    use super::*;

    fn found() -> Breakdown {
        let program = |program: &str, amount| BreakdownProgram {
            amount,
            program: Some(program.to_owned()),
            processes: Some(2),
            class: "disk_read".to_owned(),
            waits: Some(7),
        };
        let mut programs: Vec<BreakdownProgram> = vec![program("reader", 2.5)];
        programs.extend((0..20).map(|at| program(&format!("small{at}"), 0.125)));
        Breakdown {
            schema: BREAKDOWN_SCHEMA.to_owned(),
            kind: BreakdownKind::Io,
            source: "this machine".to_owned(),
            host: "box".to_owned(),
            focus: None,
            from: "2026-11-21T00:00:00Z".to_owned(),
            to: "2026-11-21T00:00:10Z".to_owned(),
            length_s: 10.0,
            not_measured: Vec::new(),
            unit: "seconds".to_owned(),
            programs,
            places: vec![BreakdownPlace {
                amount: 2.5,
                class: "disk_read".to_owned(),
                program: Some("reader".to_owned()),
                syscall: Some("read".to_owned()),
                object: Some("vda\u{1b}[2J".to_owned()),
                waker: None,
                kernel_stack: Some("a;b;c;d".to_owned()),
            }],
            parts: Vec::new(),
            stacks: vec![BreakdownStack { frames: "reader;disk_read;read".to_owned(), value: 5 }],
            flame: None,
            errors: Vec::new(),
            overhead: None,
        }
    }

    #[test]
    fn lists_are_cut_and_stacks_are_told_from_inside() {
        let text = text(&found(), 100, 15, &TimeZone::UTC);
        let heading =
            "waits for disks and remote file systems · this machine · 2026-11-21 00:00:00 until 00:00:10";
        assert!(text.starts_with(heading), "{text}");
        assert!(text.contains("… 6 more\n"), "{text}");
        assert!(text.contains("d < c < b"), "{text}");
        assert!(text.contains("When\nnothing\n"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn folded_stacks_are_a_line_each() {
        assert_eq!(folded(&found()), "reader;disk_read;read 5\n");
    }

    #[test]
    fn of_a_profile_stacks_are_listed_as_they_are_counted() {
        let stack = FlameStack {
            program: Some("app".to_owned()),
            user_stack: Some("main;work;inner".to_owned()),
            amount: 251.0,
            ..FlameStack::default()
        };
        let flame = Flame { unit: FlameUnit::Samples, stacks: vec![stack], ..Flame::default() };
        let profile = Breakdown { programs: Vec::new(), stacks: Vec::new(), flame: Some(flame), ..found() };
        assert_eq!(folded(&profile), "app;main;work;inner 251\n");
        let text = text(&profile, 100, 15, &TimeZone::UTC);
        assert!(text.contains("samples") && text.contains("inner < work < main"), "{text}");
    }
}
