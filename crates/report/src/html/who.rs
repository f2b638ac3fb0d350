//! Who: programs with what they waited for and how they ran, each as one line: waiting to the left, running to the
//! right.

use heldup_model::{Class, ClassTotal, Colour, Examination, Group, Ledger, ReportParts, Severity};

use super::figures::{Level, anchored, places};
use super::marks;
use super::writer::{Cell, Html, numbers, wide, wide_numbers, words};
use crate::TextOptions;
use crate::quantity::{count, fixed};
use crate::text::ledger::{decimals, is_active};
use crate::text::tasks::{OTHERS, by_name};

/// Programs that have a row.
const MOST: usize = 16;
/// Programs with less than this share of active time are left out.
const LEAST_SHARE: f64 = 0.001;

/// A program.
#[derive(Default)]
struct Program {
    name: String,
    tasks: usize,
    unit: Option<String>,
    waiting: Vec<(Colour, f64)>,
    running: Vec<(Colour, f64)>,
}

impl Program {
    fn waited(&self) -> f64 {
        sum(&self.waiting)
    }

    fn ran(&self) -> f64 {
        sum(&self.running)
    }
}

/// The sum; of nothing it is 0 and not -0.
fn sum(parts: &[(Colour, f64)]) -> f64 {
    parts.iter().fold(0.0, |sum, (_, spent)| sum + spent)
}

/// Writes the programs of the ledger, those with most active time first.
pub(super) fn write(html: &mut Html, examination: &Examination, parts: &ReportParts, options: &TextOptions) {
    let ledger = &examination.ledger;
    let programs = programs(ledger);
    if programs.is_empty() {
        return;
    }
    html.put("h2", "", "Who");
    let greatest = |of: fn(&Program) -> f64| programs.iter().map(of).fold(0.0, f64::max);
    let greatest = (greatest(Program::waited), greatest(Program::ran));
    let digits = decimals(ledger.active_seconds);
    let row = |program: &Program| -> Vec<Cell> {
        vec![
            program.name.as_str().into(),
            if program.tasks > 1 { count(program.tasks as i64).into() } else { "1".into() },
            program.unit.clone().unwrap_or_default().into(),
            fixed(program.waited(), digits).into(),
            Cell::Drawn(marks::both_ways(&program.waiting, &program.running, greatest)),
            fixed(program.ran(), digits).into(),
            blamed(examination, &program.name).into(),
        ]
    };
    let rows = programs.iter().map(row).collect();
    let columns = [
        words("program"),
        wide_numbers("tasks"),
        wide("unit"),
        numbers("waiting, s"),
        wide("waiting | running"),
        numbers("running, s"),
        words("culprit in"),
    ];
    html.table("Programs by active time", &columns, rows);
    let drawn = homes(examination, parts);
    if !drawn.is_empty() {
        html.open("div", &[("class", "figures")]);
        drawn.into_iter().for_each(|at| anchored(html, parts, at, &options.time_zone, Level::Third));
        html.close("div");
    }
}

/// The figures of units and containers.
pub(super) fn homes(examination: &Examination, parts: &ReportParts) -> Vec<usize> {
    match examination.ledger.classes.is_empty() {
        true => Vec::new(),
        false => places(parts, &["time.units", "time.containers"]).collect(),
    }
}

/// Numbers of the findings of warning or worse that a program causes.
fn blamed(examination: &Examination, program: &str) -> String {
    let is_culprit = |key: &String| {
        let finding = examination.findings.iter().find(|finding| finding.key == *key);
        finding.is_some_and(|finding| finding.culprits.iter().any(|task| task.name == program))
    };
    let numbers: Vec<String> = examination
        .groups
        .iter()
        .enumerate()
        .filter(|(_, group)| group.severity != Severity::Info && group.members.iter().any(is_culprit))
        .map(|(at, _)| (at + 1).to_string())
        .collect();
    numbers.join(", ")
}

/// The programs that the classes name.
fn programs(ledger: &Ledger) -> Vec<Program> {
    let mut all: Vec<Program> = Vec::new();
    let classes: Vec<&ClassTotal> = ledger.classes.iter().filter(|class| is_active(class)).collect();
    for class in classes {
        let colour = Class::from_name(&class.class_name).map_or(Colour::OTHERS, Colour::of_class);
        for (name, tasks, spent) in by_name(&class.tasks) {
            if name == OTHERS || spent <= 0.0 {
                continue;
            }
            let at = all.iter().position(|one| one.name == name).unwrap_or_else(|| {
                all.push(Program { name: name.clone(), ..Program::default() });
                all.len() - 1
            });
            let Some(program) = all.get_mut(at) else { continue };
            program.tasks = program.tasks.max(tasks);
            let unit = class.tasks.iter().find(|task| task.name == name).and_then(|task| task.unit.clone());
            program.unit = program.unit.take().or(unit);
            match class.group == Group::Running.name() {
                true => program.running.push((colour, spent)),
                false => program.waiting.push((colour, spent)),
            }
        }
    }
    for program in &mut all {
        program.waiting.sort_by(|a, b| b.1.total_cmp(&a.1));
        program.running.sort_by(|a, b| b.1.total_cmp(&a.1));
    }
    all.retain(|one| one.waited() + one.ran() >= LEAST_SHARE * ledger.active_seconds);
    all.sort_by(|a, b| (b.waited() + b.ran()).total_cmp(&(a.waited() + a.ran())));
    all.truncate(MOST);
    all
}
