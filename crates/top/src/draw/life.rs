//! One process: what it is, what it did, what it waited for, and what was found about it.

use heldup_model::{Finding, Group, SeenProcess, WaitedFor};
use heldup_report::quantity::{bytes, count, percent, seconds};
use ratatui::text::{Line, Span};

use super::charts;
use super::spans::{cut, left, right, safe};
use crate::app::App;
use crate::bar;
use crate::paint::{Look, shape};
use crate::who::{Grouping, How, rows};

/// Objects that it waited for, and who woke it.
const MOST_OBJECTS: usize = 6;
/// Findings that have a line.
const MOST_FINDINGS: usize = 2;

/// The page of a process.
pub fn lines(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let Some(process) = view.processes.iter().find(|process| process.pid == pid) else {
        return vec![Line::styled(format!("process {pid} was not there in this window"), look.dim())];
    };
    let mut lines = vec![Line::styled(safe(&format!("{} ({pid})", process.name), look), look.bold())];
    let mut put = |label: &str, text: String| {
        if !text.is_empty() {
            let text = safe(&text, look);
            for (at, part) in textwrap::wrap(&text, columns.saturating_sub(13).max(20)).iter().enumerate() {
                let label = if at == 0 { label } else { "" };
                lines.push(Line::from(vec![
                    Span::styled(format!("  {}", left(label, 11)), look.dim()),
                    Span::raw(part.to_string()),
                ]));
            }
        }
    };
    put("command", process.command.clone().unwrap_or_default());
    put("unit", process.unit.clone().unwrap_or_default());
    put("container", process.container.clone().unwrap_or_default());
    put("group", process.cgroup.clone().unwrap_or_default());
    put("parents", parents(app, process));
    put("what", what(process));
    put("memory", memory(process));
    put("disk", disk(process));
    lines.extend(found(app, pid, look, columns));
    lines.push(Line::raw(""));
    lines.extend(waited_for(app, pid, look, columns));
    lines.extend(times(app, pid, look, columns));
    lines.extend(threads(app, pid, look, columns));
    lines.extend(charts_of(app, pid, look, columns));
    lines
}

fn parents(app: &App, process: &SeenProcess) -> String {
    let mut named = Vec::new();
    let mut next = process.parent;
    // A chain that is longer than this is a circle.
    while let Some(pid) = next.filter(|_| named.len() < 32) {
        let found = app.view.iter().flat_map(|view| &view.processes).find(|process| process.pid == pid);
        let Some(found) = found else { break };
        named.push(format!("{} ({pid})", found.name));
        next = found.parent.filter(|parent| *parent != pid);
    }
    named.join(", of ")
}

fn what(process: &SeenProcess) -> String {
    let mut parts = Vec::new();
    parts.extend(process.state.as_ref().map(|state| format!("state {state}")));
    parts.extend(process.threads.map(|threads| format!("{} threads", count(threads))));
    parts.extend(process.nice.map(|nice| format!("nice {nice}")));
    parts.extend(process.uid.map(|uid| format!("user {uid}")));
    if process.ended {
        parts.push("ended in this window".to_owned());
    }
    parts.join(", ")
}

fn memory(process: &SeenProcess) -> String {
    let size = |value: Option<i64>, what: &str| value.map(|value| format!("{} {what}", bytes(value as f64)));
    let mut parts: Vec<String> = Vec::new();
    parts.extend(size(process.resident_bytes, "resident"));
    parts.extend(size(process.swap_bytes.filter(|swapped| *swapped > 0), "swapped out"));
    parts.extend(size(process.growth_bytes.filter(|grown| *grown > 0), "more of its own in this window"));
    parts.extend(process.major_faults.map(|faults| format!("{} major faults", count(faults))));
    parts.join(", ")
}

fn disk(process: &SeenProcess) -> String {
    let size = |value: Option<i64>, what: &str| value.map(|value| format!("{} {what}", bytes(value as f64)));
    let parts: Vec<String> = [size(process.read_bytes, "read"), size(process.write_bytes, "written")]
        .into_iter()
        .flatten()
        .collect();
    parts.join(", ")
}

/// All classes, idle ones too: a life is more than work.
fn times(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let mut sums: Vec<(heldup_model::Class, f64)> = Vec::new();
    for (class, spent) in view.tasks.iter().filter(|task| task.pid == Some(pid)).flat_map(|task| &task.times)
    {
        match sums.iter_mut().find(|(known, _)| known == class) {
            Some((_, sum)) => *sum += spent,
            None => sums.push((*class, *spent)),
        }
    }
    if sums.is_empty() {
        return vec![
            Line::styled("  no time of it was accounted for in this window", look.dim()),
            Line::raw(""),
        ];
    }
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    let total: f64 = sums.iter().map(|(_, spent)| spent).sum();
    let width = columns.saturating_sub(46).clamp(4, 60);
    let greatest = sums[0].1.max(f64::MIN_POSITIVE);
    let mut lines = vec![Line::styled(format!("Its time: {} of its threads", seconds(total)), look.bold())];
    for (class, spent) in sums {
        let cells = (spent / greatest * width as f64).round() as usize;
        lines.push(Line::from(vec![
            Span::raw("  "),
            Span::styled(class.letter().to_string(), look.class(class)),
            Span::raw(format!(
                " {}{}  {}  ",
                left(class.label(), 18),
                right(&seconds(spent), 9),
                right(&percent(spent / total), 6)
            )),
            bar::one(class, cells, look),
        ]));
    }
    lines.push(Line::raw(""));
    lines
}

/// Its threads, where it has several.
fn threads(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let how = How { grouping: Grouping::Threads, kernel: true, ..How::default() };
    let all: Vec<_> = rows(view, &how).into_iter().filter(|row| row.pid == Some(pid)).collect();
    if all.len() < 2 {
        return Vec::new();
    }
    let most = |of: fn(&crate::who::Row) -> f64| all.iter().map(of).fold(0.0, f64::max);
    let width = columns.saturating_sub(46).clamp(6, 60);
    let scale = bar::Scale::of(most(|row| row.waiting_s), most(|row| row.running_s), width);
    let mut lines = vec![Line::styled(format!("Threads: {}", count(all.len() as i64)), look.bold())];
    for row in all.iter().take(40) {
        let mut spans = vec![Span::raw(format!(
            "{} {}{} ",
            right(&row.id.unwrap_or_default().to_string(), 9),
            left(&safe(&row.name, look), 16),
            right(&seconds(row.waiting_s), 8)
        ))];
        spans.extend(bar::row(&row.times, scale, look));
        spans.push(Span::raw(right(&seconds(row.running_s), 8)));
        lines.push(Line::from(spans));
    }
    lines.push(Line::raw(""));
    lines
}

/// Findings that name it, the gravest first.
fn found(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let mut named: Vec<(&Finding, &str)> = Vec::new();
    for finding in &view.examination.findings {
        let is_culprit = finding.culprits.iter().any(|task| task.pid == Some(pid));
        let is_victim = finding.victims.iter().any(|task| task.pid == Some(pid));
        match (is_culprit, is_victim, finding.subject.pid == Some(pid)) {
            (true, _, _) => named.push((finding, "causes")),
            (_, true, _) => named.push((finding, "suffers")),
            (_, _, true) => named.push((finding, "is about it")),
            _ => {}
        }
    }
    named.sort_by_key(|(finding, _)| finding.severity);
    let more = named.len().saturating_sub(MOST_FINDINGS);
    let mut lines: Vec<Line<'static>> = named
        .into_iter()
        .take(MOST_FINDINGS)
        .map(|(finding, part)| {
            let text = safe(&format!(" {part}: {}", finding.title.trim()), look);
            Line::from(vec![
                Span::styled(shape(finding.severity, look), look.severity(finding.severity)),
                Span::raw(cut(&text, columns.saturating_sub(2))),
            ])
        })
        .collect();
    if more > 0 {
        lines.push(Line::styled(format!("  {} more findings name it", count(more as i64)), look.dim()));
    }
    lines
}

/// The things that it waited for, and where.
fn waited_for(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(life) = app.pages.life.as_ref().filter(|life| life.process.pid == pid) else {
        return Vec::new();
    };
    let is_work = |one: &&WaitedFor| one.class.group() == Group::Waiting;
    let waits: Vec<&WaitedFor> = life.waited_for.iter().filter(is_work).take(MOST_OBJECTS).collect();
    let mut lines = Vec::new();
    if !waits.is_empty() {
        lines.push(Line::styled("Waited for", look.bold()));
    }
    for one in waits {
        let number = one.waits.map(|waits| format!("{} waits", count(waits))).unwrap_or_default();
        let object = match (&one.object, &one.device) {
            (Some(object), Some(device)) if object != device => format!("{object} on {device}"),
            (Some(object), _) => object.clone(),
            (None, Some(device)) => device.clone(),
            (None, None) => String::new(),
        };
        let call = one.stack.as_ref().and_then(|stack| stack.syscall.clone());
        let what = match (object.is_empty(), call) {
            (false, Some(call)) => format!("{object}, in {call}"),
            (false, None) => object,
            (true, Some(call)) => format!("in {call}"),
            (true, None) => one.class.label().to_owned(),
        };
        let head = format!(" {} {}  ", right(&seconds(one.seconds), 9), left(&number, 13));
        let room = columns.saturating_sub(3 + head.len());
        lines.push(Line::from(vec![
            Span::raw("  "),
            Span::styled(one.class.letter().to_string(), look.class(one.class)),
            Span::raw(head),
            Span::raw(cut(&safe(&what, look), room)),
        ]));
    }
    let wakers: Vec<String> = life
        .woken_by
        .iter()
        .take(MOST_OBJECTS)
        .map(|one| {
            let name = one.name.as_deref().unwrap_or("unknown");
            let pid = one.pid.map(|pid| format!(" ({pid})")).unwrap_or_default();
            format!("{name}{pid} {}", seconds(one.seconds))
        })
        .collect();
    if !wakers.is_empty() {
        let text = safe(&wakers.join(", "), look);
        lines.push(Line::from(vec![
            Span::styled("  woken by   ", look.dim()),
            Span::raw(cut(&text, columns.saturating_sub(13))),
        ]));
    }
    if !lines.is_empty() {
        lines.push(Line::raw(""));
    }
    lines
}

/// Its time, CPU, memory and I/O over the window.
fn charts_of(app: &App, pid: i64, look: Look, columns: usize) -> Vec<Line<'static>> {
    let life = app.pages.life.as_ref().filter(|life| life.process.pid == pid);
    let frames = life.into_iter().flat_map(|life| &life.frames);
    frames.flat_map(|frame| charts::one(app, frame, look, columns)).collect()
}
