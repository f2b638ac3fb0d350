//! What is wrong with why, who and do; where time goes; who.

use heldup_model::{Class, Finding, FindingGroup, Severity};
use heldup_report::lines;
use heldup_report::quantity::{count, percent, seconds};
use ratatui::text::{Line, Span};

use super::head::share;
use super::spans::{cut, left, right, safe, width};
use super::table;
use crate::app::App;
use crate::bar;
use crate::paint::{Look, shape};

/// Findings that have a line.
const MOST_FINDINGS: usize = 4;
/// Classes that have a line.
const MOST_CLASSES: usize = 5;
/// Cells of a class's bar.
const CLASS_BAR: usize = 14;
/// Rows of who at least.
const LEAST_ROWS: usize = 4;

/// The page.
pub fn lines(app: &mut App, look: Look, columns: usize, room: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else {
        return vec![Line::raw(if app.said.is_some() { "" } else { "  the first samples are being read" })];
    };
    let few = room < 14;
    let mut lines = Vec::new();
    let groups = &view.examination.groups;
    let shown = if few { 1 } else { MOST_FINDINGS };
    for (at, group) in groups.iter().take(shown).enumerate() {
        let is_chosen = app.chosen_finding() == Some(at);
        lines.push(headline(app, group, is_chosen, look, columns));
        if at == 0 && !few {
            lines.extend(below(app, group, look, columns));
        }
    }
    if groups.is_empty() {
        lines.extend(nothing(app, look, columns));
    }
    let more = groups.len().saturating_sub(shown);
    let examination = &view.examination;
    let mut known = Vec::new();
    if more > 0 {
        known.push(format!("{} more", count(more as i64)));
    }
    known.push(format!("{} ruled out", count(examination.ruled_out.len() as i64)));
    known.push(format!("{} not checked", count(examination.not_checked.len() as i64)));
    lines.push(Line::styled(format!("  {}", known.join(", ")), look.dim()));
    lines.push(Line::raw(""));
    let rest = room.saturating_sub(lines.len() + LEAST_ROWS + 3);
    lines.extend(time(app, look, columns, rest.min(MOST_CLASSES)));
    lines.push(Line::raw(""));
    let rest = room.saturating_sub(lines.len());
    lines.extend(table::rows(app, look, columns, rest, app.chosen_finding().is_none()));
    lines
}

/// The members of a group, in the order of the answer.
pub fn members<'a>(app: &'a App, group: &FindingGroup) -> Vec<&'a Finding> {
    let findings = app.view.iter().flat_map(|view| &view.examination.findings);
    findings.filter(|finding| group.members.contains(&finding.key)).collect()
}

fn headline(app: &App, group: &FindingGroup, is_chosen: bool, look: Look, columns: usize) -> Line<'static> {
    let title = app.view.as_ref().map(|view| lines::title(&view.examination, group)).unwrap_or_default();
    let cost = group.cost.map_or_else(|| " ".repeat(5), |cost| right(&share(cost), 5));
    let id = if columns >= 60 { group.id.clone() } else { String::new() };
    let room = columns.saturating_sub(2 + 5 + 1 + width(&id) + 1);
    let is_grave = group.severity != Severity::Info;
    let text = if is_grave { look.bold() } else { look.dim() };
    let (text, id_style) = match is_chosen {
        true => (text.patch(look.chosen()), look.dim().patch(look.chosen())),
        false => (text, look.dim()),
    };
    Line::from(vec![
        Span::styled(shape(group.severity, look), look.severity(group.severity)),
        Span::styled(format!(" {cost} "), text),
        Span::styled(left(&safe(&title, look), room), text),
        Span::styled(format!(" {id}"), id_style),
    ])
}

/// Why, who, do.
fn below(app: &App, group: &FindingGroup, look: Look, columns: usize) -> Vec<Line<'static>> {
    let members = members(app, group);
    let Some(first) = members.first() else { return Vec::new() };
    let Some(view) = &app.view else { return Vec::new() };
    let mut lines = Vec::new();
    let mut put = |label: &str, text: String| {
        if !text.is_empty() {
            let text = cut(&safe(&text, look), columns.saturating_sub(8));
            lines.push(Line::from(vec![
                Span::styled(format!("  {}", left(label, 6)), look.dim()),
                Span::raw(text),
            ]));
        }
    };
    put("why", lines::why(&view.examination, group).join("; "));
    put("who", lines::who(first));
    let number = app.groups().iter().position(|other| other.key == group.key).map_or(1, |at| at + 1);
    put("do", lines::remedy(first, number, columns.saturating_sub(8), look.sudo));
    lines
}

fn nothing(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let said = lines::without_trouble(&view.examination).into_iter();
    let mut lines: Vec<Line<'static>> = said
        .map(|(word, text)| {
            let text = cut(&safe(&text, look), columns.saturating_sub(10));
            Line::from(vec![Span::styled(left(&word, 10), look.bold()), Span::raw(text)])
        })
        .collect();
    // What limits that.
    if let Some(error) = view.examination.errors.first() {
        let text = format!("  not seen: {}: {}", error.place, error.what);
        lines.push(Line::styled(cut(&safe(&text, look), columns), look.dim()));
    }
    lines
}

/// Where active time went.
fn time(app: &App, look: Look, columns: usize, most: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let ledger = &view.examination.ledger;
    let times = app.times();
    if times.is_empty() {
        return of_recording(app, look, columns);
    }
    let waiting = ledger.waiting_seconds / ledger.active_seconds.max(f64::MIN_POSITIVE);
    let head = format!(
        "Active time {}: {} running, {} waiting",
        seconds(ledger.active_seconds),
        percent(1.0 - waiting),
        percent(waiting)
    );
    let room = columns.saturating_sub(width(&head) + 2);
    let mut spans = vec![Span::styled(head, look.bold()), Span::raw("  ")];
    if room >= 10 {
        spans.extend(bar::whole(&times, room, look));
    }
    let mut lines = vec![Line::from(spans)];
    let mut classes: Vec<_> = times.clone();
    classes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let greatest = classes.first().map_or(1.0, |first| first.1).max(f64::MIN_POSITIVE);
    for (class, spent) in classes.iter().take(most) {
        lines.push(of_class(app, *class, *spent, ledger.active_seconds, greatest, look, columns));
    }
    lines
}

fn of_class(
    app: &App,
    class: Class,
    spent: f64,
    active_s: f64,
    greatest: f64,
    look: Look,
    columns: usize,
) -> Line<'static> {
    let cells = (spent / greatest * CLASS_BAR as f64).round() as usize;
    let found = app.view.iter().flat_map(|view| &view.examination.ledger.classes);
    let tasks = found.filter(|total| total.class_name == class.name()).flat_map(|total| &total.tasks);
    let mut by_name: Vec<(String, f64)> = Vec::new();
    for task in tasks {
        let spent = task.seconds.unwrap_or(0.0);
        match by_name.iter_mut().find(|(name, _)| *name == task.name) {
            Some((_, sum)) => *sum += spent,
            None => by_name.push((task.name.clone(), spent)),
        }
    }
    by_name.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<String> =
        by_name.iter().take(3).map(|(name, spent)| format!("{name} {}", seconds(*spent))).collect();
    let mut spans = vec![
        Span::raw("  "),
        Span::styled(class.letter().to_string(), look.class(class)),
        Span::raw(format!(
            " {}{}  {}  ",
            left(class.label(), 14),
            right(&seconds(spent), 8),
            right(&percent(spent / active_s.max(f64::MIN_POSITIVE)), 6)
        )),
    ];
    if columns >= 60 {
        spans.push(bar::one(class, cells, look));
        spans.push(Span::raw(" ".repeat(CLASS_BAR - cells.min(CLASS_BAR) + 2)));
    }
    let used: usize = spans.iter().map(|span| width(&span.content)).sum();
    let text = cut(&safe(&named.join(", "), look), columns.saturating_sub(used));
    spans.push(Span::styled(text, look.dim()));
    Line::from(spans)
}

/// Of a recording without waits: what the CPUs did.
fn of_recording(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(cpu_use) = app.view.as_ref().and_then(|view| view.examination.cpu_use.as_ref()) else {
        return vec![Line::styled("No time of tasks in this window", look.dim())];
    };
    let states: Vec<String> =
        cpu_use.states.iter().map(|state| format!("{} {}", state.state, percent(state.share))).collect();
    let text = format!("CPUs: {} (no waits of tasks in this recording)", states.join(", "));
    vec![Line::raw(cut(&safe(&text, look), columns))]
}
