//! Where active time went: its classes with who spent it, as a table.

use heldup_model::{
    Class, ClassTotal, Colour, CommandSummary, CpuUse, Examination, Group, Ledger, Method, ReportParts,
};

use super::figures::{Level, anchored, places};
use super::marks;
use super::writer::{Cell, Html, name, names, numbers, wide, wide_numbers, words};
use crate::TextOptions;
use crate::quantity::{count, fixed, percent, seconds};
use crate::text::answer::troubles;
use crate::text::command::ending;
use crate::text::ledger::{decimals, error_text, explained, group_total, is_active, kernel_threads, seen};
use crate::text::tasks::{OTHERS, by_name};
use crate::text::{profile, waits};

/// Classes below this share of active time are one row.
const LEAST_SHARE: f64 = 0.002;
/// Programs that a row names.
const MOST_NAMES: usize = 4;
/// Seconds below this are not shown beside the active time.
const LEAST_BESIDE: f64 = 0.005;

/// Writes it: of a command first its own.
pub(super) fn write(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    let zone = &options.time_zone;
    if let Some(command) = &examination.command {
        of_command(html, command);
    }
    let ledger = &examination.ledger;
    if ledger.classes.is_empty() {
        without(html, examination, parts, options);
        return;
    }
    let whose = if examination.command.is_some() { "Whole machine" } else { "Active time" };
    let known = if troubles(examination).is_empty() { String::new() } else { explained(ledger) };
    heading(html, whose, ledger, &format!("{}{known}", seen(examination)));
    html.put("p", "second", "Active time: tasks ran, or waited for something that they needed to go on.");
    top(examination, parts).into_iter().for_each(|at| anchored(html, parts, at, zone, Level::Third));
    classes(html, ledger);
    beside(html, ledger);
}

fn of_command(html: &mut Html, command: &CommandSummary) {
    html.put("h2", "", "The command");
    html.command(&command.command);
    let mut parts = vec![ending(command)];
    parts.extend(command.processes.map(|number| format!("{} processes", count(number))));
    if let Some((user, system)) = command.user_seconds.zip(command.system_seconds) {
        parts.push(format!("CPU {} user, {} system", seconds(user), seconds(system)));
    }
    html.put("p", "", &parts.join(" · "));
    match &command.ledger {
        Some(own) => {
            heading(html, "Its active time", own, "");
            classes(html, own);
        }
        None => html.put("p", "", "The command's own tasks are not measured here: heldup doctor"),
    }
}

fn heading(html: &mut Html, whose: &str, ledger: &Ledger, more: &str) {
    let active = ledger.active_seconds;
    if active <= 0.0 {
        return html.put("h2", "", "No task was active");
    }
    let waiting = percent(ledger.waiting_seconds / active);
    let running = percent(1.0 - ledger.waiting_seconds / active);
    html.put("h2", "", &format!("{whose} {}: {running} running, {waiting} waiting{more}", seconds(active)));
}

fn classes(html: &mut Html, ledger: &Ledger) {
    let active = ledger.active_seconds;
    if active <= 0.0 {
        return;
    }
    let mut all: Vec<&ClassTotal> =
        ledger.classes.iter().filter(|class| is_active(class) && class.seconds > 0.0).collect();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let greatest = all.first().map_or(0.0, |class| class.seconds);
    let digits = decimals(active);
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for group in [Group::Waiting, Group::Running] {
        let of_group: Vec<&&ClassTotal> = all.iter().filter(|class| class.group == group.name()).collect();
        let sum = of_group.iter().fold(0.0, |sum, class| sum + class.seconds);
        let total = format!("all {}", group.name());
        rows.push(row(total.into(), (sum, None), active, (digits, None), String::new()));
        let (shown, small): (Vec<&&ClassTotal>, Vec<&&ClassTotal>) =
            of_group.into_iter().partition(|class| class.seconds >= LEAST_SHARE * active);
        for class in shown {
            let colour = Class::from_name(&class.class_name).map_or(Colour::OTHERS, Colour::of_class);
            let named = Cell::Named(colour, Class::label_of(&class.class_name).to_owned());
            let drawn = Some((colour, class.seconds / greatest));
            let spent = (class.seconds, class.error_s);
            rows.push(row(named, spent, active, (digits, drawn), who(class, digits)));
        }
        if !small.is_empty() {
            let rest: f64 = small.iter().map(|class| class.seconds).sum();
            let names: Vec<&str> = small.iter().map(|class| Class::label_of(&class.class_name)).collect();
            let called = format!("{} more", small.len());
            rows.push(row(called.into(), (rest, None), active, (digits, None), names.join(", ")));
        }
    }
    let columns = [
        names("class"),
        numbers("seconds"),
        numbers("share"),
        wide("as a bar"),
        words("most of it, in seconds"),
    ];
    html.table("Active time by class; shares are of all active time", &columns, rows);
}

fn row(
    called: Cell,
    (spent, error_s): (f64, Option<f64>),
    active: f64,
    (digits, drawn): (usize, Option<(Colour, f64)>),
    who: String,
) -> Vec<Cell> {
    let error = error_s.map(|error| error_text(error, digits)).unwrap_or_default();
    let bar =
        drawn.map_or(Cell::Text(String::new()), |(colour, share)| Cell::Drawn(marks::bar(colour, share)));
    vec![
        called,
        format!("{}{error}", fixed(spent, digits)).into(),
        percent(spent / active).into(),
        bar,
        who.into(),
    ]
}

/// The programs of a class, largest first, and the seconds of all others.
fn who(class: &ClassTotal, digits: usize) -> String {
    let shown = |spent: f64| fixed(spent, digits);
    let mut rest = class.seconds;
    let mut parts: Vec<String> = Vec::new();
    for (program, tasks, spent) in by_name(&class.tasks) {
        if program == OTHERS || parts.len() == MOST_NAMES || shown(spent) == shown(0.0) {
            break;
        }
        let tasks = if tasks > 1 { format!(" ({tasks} tasks)") } else { String::new() };
        parts.push(format!("{}{tasks} {}", name(&program), shown(spent)));
        rest -= spent;
    }
    if shown(rest.max(0.0)) != shown(0.0) {
        parts.push(format!("others {}", shown(rest)));
    }
    parts.join(", ")
}

/// What was not active time, and kernel threads.
fn beside(html: &mut Html, ledger: &Ledger) {
    let mut parts: Vec<String> = Vec::new();
    for (group, called) in [(Group::Idle, "idle (not counted)"), (Group::Peer, "remote peer")] {
        parts.extend(group_total(ledger, group).map(|total| format!("{called}: {total}")));
    }
    for class in &ledger.classes {
        let alone = class.class_name == Class::Irq.name() || class.group == Group::Other.name();
        if alone && class.seconds >= LEAST_BESIDE {
            parts.push(format!("{}: {}", Class::label_of(&class.class_name), seconds(class.seconds)));
        }
    }
    parts.extend(kernel_threads(ledger));
    if !parts.is_empty() {
        html.put("p", "second", &parts.join(" · "));
    }
}

/// A recording without waits: what it has in their place.
fn without(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    let vitals = &examination.vitals;
    if let Some(of) = &vitals.waits {
        html.put("h2", "", "What threads wait for");
        let row = |group: &heldup_model::WaitGroup| -> Vec<Cell> {
            vec![
                waits::class(&group.class_name).0.into(),
                waits::amount(of, group.samples).into(),
                group.place.clone().unwrap_or_default().into(),
            ]
        };
        let rows = of.groups.iter().map(row).collect();
        html.table("Waits by class and place", &[names("class"), numbers("amount"), words("place")], rows);
    }
    if let Some(of) = &vitals.profile {
        html.put("h2", "", "Functions by samples");
        let row = |one: &heldup_model::FunctionSamples| -> Vec<Cell> {
            vec![
                Cell::Code(one.function.clone()),
                one.self_share.map(percent).unwrap_or_default().into(),
                percent(one.inclusive_share).into(),
                one.program.clone().unwrap_or_default().into(),
                one.kind.clone().unwrap_or_default().into(),
            ]
        };
        let rows = of.functions.iter().map(row).collect();
        let columns =
            [words("function"), numbers("self"), numbers("with callees"), wide("program"), wide("kind")];
        html.table("Functions with most samples", &columns, rows);
    }
    if profile::is_all(examination) {
        return;
    }
    html.put("h2", "", "Where time went");
    let why = match examination.host.method {
        Method::Imported => "No per-task waits in this recording (heldup record has them).",
        _ => "Active time is not measured here: heldup doctor",
    };
    html.put("p", "", why);
    if let Some(cpu_use) = &examination.cpu_use {
        of_cpus(html, cpu_use);
    }
    let zone = &options.time_zone;
    top(examination, parts).into_iter().for_each(|at| anchored(html, parts, at, zone, Level::Third));
}

/// The figures of where time went, which stand above the evidence.
pub(super) fn top(examination: &Examination, parts: &ReportParts) -> Vec<usize> {
    let ids: &[&str] = match examination.ledger.classes.is_empty() {
        false => &["time.classes"],
        true => &["cpu.states", "db.active-sessions"],
    };
    places(parts, ids).collect()
}

fn of_cpus(html: &mut Html, cpu_use: &CpuUse) {
    if !cpu_use.states.is_empty() {
        let row = |state: &heldup_model::CpuState| -> Vec<Cell> {
            vec![state.state.as_str().into(), percent(state.share).into()]
        };
        let rows = cpu_use.states.iter().map(row).collect();
        html.table("CPU time by state", &[words("state"), numbers("of all CPUs' time")], rows);
    }
    if !cpu_use.processes.is_empty() {
        let row = |task: &heldup_model::TaskShare| -> Vec<Cell> {
            vec![
                task.name.as_str().into(),
                task.pid.map(|pid| pid.to_string()).unwrap_or_default().into(),
                task.seconds.map(seconds).unwrap_or_default().into(),
            ]
        };
        let rows = cpu_use.processes.iter().map(row).collect();
        html.table(
            "Processes with most CPU time",
            &[words("process"), wide_numbers("PID"), numbers("CPU time")],
            rows,
        );
    }
}
