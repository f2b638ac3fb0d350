//! What is wrong with why, who and do; where time goes; who.

use heldup_model::{Class, Finding, FindingGroup, Method, Severity};
use heldup_report::lines;
use heldup_report::quantity::{count, percent, seconds};
use ratatui::text::{Line, Span};

use super::head::share;
use super::spans::{cut, left, right, safe, width};
use super::{charts, table};
use crate::app::{App, CLASS_CHARTS, WIDE};
use crate::bar;
use crate::paint::{Look, shape};

/// Findings that have a line; where there is little room.
const MOST_FINDINGS: usize = 4;
const FEW_FINDINGS: usize = 2;
/// Classes that have a line.
const MOST_CLASSES: usize = 5;
/// Cells of a class's bar.
const CLASS_BAR: usize = 14;
/// Columns of a standard error.
const ERROR: usize = 10;
/// Rows of who at least.
const LEAST_ROWS: usize = 3;
const FEW_ROWS: usize = 2;
/// Fewer lines than this are little room.
const LITTLE_ROOM: usize = 16;
/// Rows from which on there is a chart beside what is wrong.
const LEAST_WIDE_ROOM: usize = 34;
/// Columns between both.
const GUTTER: usize = 2;

/// The page.
pub fn lines(app: &mut App, look: Look, columns: usize, room: usize) -> Vec<Line<'static>> {
    if app.view.is_none() {
        return vec![Line::raw(if app.said.is_some() { "" } else { "  the first samples are being read" })];
    }
    if columns >= WIDE && room >= LEAST_WIDE_ROOM {
        return wide(app, look, columns, room);
    }
    let mut lines = wrong(app, look, columns, room < LITTLE_ROOM);
    lines.push(Line::raw(""));
    let rows = if room < LITTLE_ROOM { FEW_ROWS } else { LEAST_ROWS };
    let rest = room.saturating_sub(lines.len() + rows + 3);
    lines.extend(time(app, look, columns, rest.min(MOST_CLASSES)));
    lines.push(Line::raw(""));
    let rest = room.saturating_sub(lines.len());
    lines.extend(table::rows(app, look, columns, rest, app.chosen_finding().is_none()));
    lines
}

/// What is wrong and where time goes, beside them that time as a chart; who below both.
fn wide(app: &mut App, look: Look, columns: usize, room: usize) -> Vec<Line<'static>> {
    let half = columns / 2 - GUTTER;
    let mut first = wrong(app, look, half, false);
    first.push(Line::raw(""));
    first.extend(time(app, look, half, MOST_CLASSES + 2));
    let frames = app.figures.iter().flat_map(|(_, frames)| frames);
    let chart = frames.filter(|frame| CLASS_CHARTS.contains(&frame.id.as_str())).take(1);
    let second: Vec<Line<'static>> =
        chart.flat_map(|frame| charts::one(app, frame, look, columns - half - GUTTER)).collect();
    let height = first.len().max(second.len()).min(room.saturating_sub(LEAST_ROWS + 2));
    let mut second = second.into_iter();
    let mut lines: Vec<Line<'static>> = Vec::new();
    for at in 0..height {
        let mut line = first.get(at).cloned().unwrap_or_default();
        if let Some(beside) = second.next() {
            let used: usize = line.spans.iter().map(|span| width(&span.content)).sum();
            line.spans.push(Span::raw(" ".repeat((half + GUTTER).saturating_sub(used))));
            line.spans.extend(beside.spans);
        }
        lines.push(line);
    }
    lines.push(Line::raw(""));
    let rest = room.saturating_sub(lines.len());
    lines.extend(table::page(app, look, columns, rest, app.chosen_finding().is_none()));
    lines
}

/// The findings; where there are none, that.
fn wrong(app: &App, look: Look, columns: usize, few: bool) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let examination = &view.examination;
    let groups = &examination.groups;
    let troubles = groups.iter().filter(|group| group.severity != Severity::Info).count();
    let chosen = app.chosen_finding();
    let shown = if few { FEW_FINDINGS } else { MOST_FINDINGS };
    // Who goes down through many sees those around the chosen one.
    let first = chosen.filter(|at| *at < troubles).map_or(0, |at| (at + 1).saturating_sub(shown));
    let mut lines = Vec::new();
    for (at, group) in groups.iter().enumerate().take(troubles).skip(first).take(shown) {
        let is_worst = at == 0;
        lines.extend(headline(app, group, chosen == Some(at), is_worst, look, columns));
        if is_worst {
            lines.extend(below(app, group, look, columns));
        }
    }
    if troubles == 0 {
        lines.extend(nothing(app, look, columns));
    }
    // What is only worth knowing has one line: who goes there sees one after the other.
    let infos = &groups[troubles..];
    match chosen.and_then(|at| at.checked_sub(troubles)).and_then(|at| infos.get(at)) {
        Some(group) => lines.extend(headline(app, group, true, false, look, columns)),
        None if infos.is_empty() || few => {}
        None => {
            let ids: Vec<&str> = infos.iter().map(|group| group.id.as_str()).collect();
            let text = format!("{} worth knowing: {}", shape(Severity::Info, look), ids.join(", "));
            lines.push(Line::styled(cut(&safe(&text, look), columns), look.dim()));
        }
    }
    let mut known = Vec::new();
    let more = troubles.saturating_sub(shown);
    if more > 0 {
        known.push(format!("{} more (j k)", count(more as i64)));
    }
    known.push(format!("{} ruled out", count(examination.ruled_out.len() as i64)));
    known.push(format!("{} not checked", count(examination.not_checked.len() as i64)));
    lines.push(Line::styled(format!("  {}", known.join(", ")), look.dim()));
    lines.extend(not_seen(app, look, columns));
    lines
}

/// Without root and without eBPF much is not seen; of a machine that runs it is said what would show it.
fn not_seen(app: &App, look: Look, columns: usize) -> Option<Line<'static>> {
    let examination = &app.view.as_ref()?.examination;
    if !app.live || look.sudo || examination.host.method == Method::Ebpf {
        return None;
    }
    let line = "  not seen: what other users' processes wait for, and why (sudo heldup top)";
    Some(Line::styled(cut(line, columns), look.bold()))
}

/// The members of a group, in the order of the answer.
pub fn members<'a>(app: &'a App, group: &FindingGroup) -> Vec<&'a Finding> {
    let findings = app.view.iter().flat_map(|view| &view.examination.findings);
    findings.filter(|finding| group.members.contains(&finding.key)).collect()
}

/// Shape, share, title and id; the worst one's title is seen whole.
fn headline(
    app: &App,
    group: &FindingGroup,
    is_chosen: bool,
    is_whole: bool,
    look: Look,
    columns: usize,
) -> Vec<Line<'static>> {
    let title = app.view.as_ref().map(|view| lines::title(&view.examination, group)).unwrap_or_default();
    let title = safe(&title, look);
    let cost = group.cost.map_or_else(|| " ".repeat(5), |cost| right(&share(cost), 5));
    let id = if columns >= 60 { safe(&group.id, look) } else { String::new() };
    let room = columns.saturating_sub(2 + 5 + 1 + width(&id) + 1);
    let is_grave = group.severity != Severity::Info;
    let text = if is_grave { look.bold() } else { look.dim() };
    let (text, id_style) = match is_chosen {
        true => (text.patch(look.chosen()), look.dim().patch(look.chosen())),
        false => (text, look.dim()),
    };
    let parts = textwrap::wrap(&title, room.max(10));
    let (shown, rest) = match is_whole && parts.len() > 1 {
        true => (parts[0].to_string(), title[parts[0].len()..].trim_start().to_owned()),
        false => (title.clone(), String::new()),
    };
    let mut lines = vec![Line::from(vec![
        Span::styled(shape(group.severity, look), look.severity(group.severity)),
        Span::styled(format!(" {cost} "), text),
        Span::styled(left(&shown, room), text),
        Span::styled(format!(" {id}"), id_style),
    ])];
    if !rest.is_empty() {
        lines.push(Line::styled(format!("{}{}", " ".repeat(8), cut(&rest, columns - 8)), look.bold()));
    }
    lines
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
    let why = lines::why(&view.examination, group).join("; ");
    // What explains it is found itself; else how often the first culprit did what says most.
    let counted = |role: &&String| role.contains(|c: char| c.is_ascii_digit());
    let did = first.culprits.first().and_then(|one| {
        let role = one.role.as_ref().filter(counted)?;
        Some(format!("{}: {role}", one.name))
    });
    put("why", if why.is_empty() { did.unwrap_or_default() } else { why });
    put("who", lines::who(first));
    put("do", to_do(first, columns.saturating_sub(8), look));
    lines
}

/// The first change that harms nobody, else the first next step: the command where it fits, else its words.
fn to_do(finding: &Finding, room: usize, look: Look) -> String {
    let remedy = lines::remedy(finding, 0, room, look.sudo);
    if !remedy.contains("heldup explain 0") {
        return remedy;
    }
    let change = finding.changes.iter().find(|change| change.worsens.is_empty()).map(|change| &change.expect);
    let words = change.or(finding.next.first().map(|step| &step.text)).map(|text| text.trim());
    format!("Enter: {}", words.filter(|words| !words.is_empty()).unwrap_or("numbers, limits, what it means"))
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
        lines.push(of_class(app, *class, *spent, greatest, look, columns));
    }
    lines
}

/// `± 0.3 s`: the standard error of what was sampled; none where nothing was.
fn sampled(app: &App, class: Class) -> Option<String> {
    let ledger = &app.view.as_ref()?.examination.ledger;
    ledger.classes.iter().find_map(|total| total.error_s)?;
    let own = ledger.classes.iter().find(|total| total.class_name == class.name())?.error_s;
    Some(left(&own.map(|error_s| format!(" ± {}", seconds(error_s))).unwrap_or_default(), ERROR))
}

fn of_class(app: &App, class: Class, spent: f64, greatest: f64, look: Look, columns: usize) -> Line<'static> {
    let cells = (spent / greatest * CLASS_BAR as f64).round() as usize;
    let active_s = app.view.as_ref().map_or(0.0, |view| view.examination.ledger.active_seconds);
    let error = sampled(app, class).unwrap_or_default();
    let error = if look.ascii { error.replace('±', "+-") } else { error };
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
            " {}{}{error}  {}  ",
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
