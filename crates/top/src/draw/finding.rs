//! A finding in full: what causes what, its numbers beside their limits, what to do, and the figures that show it.

use heldup_model::{Change, Evidence, EvidenceValue, Finding, FindingGroup, Frame, TaskShare};
use heldup_report::lines;
use heldup_report::quantity::{count, percent, seconds, with_unit};
use ratatui::text::{Line, Span};

use super::charts;
use super::head::share;
use super::overview::members;
use super::spans::{cut, left, right, safe, width};
use crate::app::App;
use crate::paint::{Look, shape};

/// Wider than this a line cannot be followed.
const WIDEST: usize = 110;
/// Names below a finding, and findings beside it.
const MOST: usize = 4;
/// Columns of a label.
const LABEL: usize = 8;

/// The page of a group of findings.
pub fn lines(app: &App, key: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(group) = app.groups().iter().find(|group| group.key == key) else {
        let said =
            format!("{} was not found in this window ([ ] finding in time, Esc back)", safe(key, look));
        return vec![Line::styled(said, look.dim())];
    };
    let members = members(app, group);
    let Some(first) = members.first().copied() else { return Vec::new() };
    let text = columns.min(WIDEST);
    let page = Page { app, look, columns: text };
    let mut lines = page.title(group, first);
    lines.extend(page.tree(group, first));
    lines.extend(page.numbers(first));
    lines.extend(page.remedies(first));
    lines.extend(page.others(&members));
    let more = format!("  what it means, when it is wrong: heldup explain {}", group.id);
    lines.push(Line::styled(cut(&more, columns), look.dim()));
    let figures = app.figures.iter().flat_map(|(_, frames)| frames);
    for frame in figures.filter(|frame| shows(frame, first)) {
        lines.push(Line::raw(""));
        lines.extend(charts::one(app, frame, look, columns));
    }
    lines
}

/// A figure with a frame for each device shows the one that the finding is about.
fn shows(frame: &Frame, finding: &Finding) -> bool {
    let named = finding.figures.contains(&frame.id);
    named && frame.subject.as_ref().is_none_or(|subject| *subject == finding.subject.name)
}

struct Page<'a> {
    app: &'a App,
    look: Look,
    columns: usize,
}

impl Page<'_> {
    fn safe(&self, text: &str) -> String {
        safe(text, self.look)
    }

    /// Shape, share, the whole title, and the id.
    fn title(&self, group: &FindingGroup, first: &Finding) -> Vec<Line<'static>> {
        let look = self.look;
        let cost = group.cost.map(|cost| format!("{}  ", share(cost))).unwrap_or_default();
        let view = self.app.view.as_ref();
        let title = view.map(|view| lines::title(&view.examination, group)).unwrap_or_default();
        let text = self.safe(&format!("{cost}{title}"));
        let room = self.columns.saturating_sub(2).max(20);
        let id = self.safe(&group.id);
        let parts = textwrap::wrap(&text, room);
        let style = look.severity(group.severity).patch(look.bold());
        let mut out: Vec<Line<'static>> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| {
                let sign = if at == 0 { shape(group.severity, look) } else { " " };
                Line::from(vec![Span::styled(sign, style), Span::styled(format!(" {part}"), look.bold())])
            })
            .collect();
        let mut known = vec![id];
        if first.confidence < 0.8 {
            known.push(format!("confidence {}", percent(first.confidence)));
        }
        out.push(Line::styled(format!("  {}", known.join("  ")), look.dim()));
        out
    }

    /// Causes above, this one, effects and who waits below.
    fn tree(&self, group: &FindingGroup, first: &Finding) -> Vec<Line<'static>> {
        let look = self.look;
        let found = self.app.view.iter().flat_map(|view| &view.examination.findings);
        let (mut causes, mut effects) = (Vec::new(), Vec::new());
        for other in found {
            if first.because.contains(&other.key) {
                causes.push(self.of_finding(other));
            } else if first.explains.contains(&other.key) {
                effects.push(self.of_finding(other));
            }
        }
        causes.extend(self.of_tasks(&first.culprits));
        let is_new = |task: &&TaskShare| first.culprits.iter().all(|known| known.name != task.name);
        let victims: Vec<TaskShare> = first.victims.iter().filter(is_new).cloned().collect();
        let victims = self.of_tasks(&victims);
        if causes.is_empty() && effects.is_empty() && victims.is_empty() {
            return Vec::new();
        }
        let depth = usize::from(!causes.is_empty());
        let own =
            (format!("{} {}", group.id, lines::subject(first)), group.cost.map(share).unwrap_or_default());
        let mut lines = vec![Line::raw(""), Line::styled("Cause and effect", look.bold())];
        lines.extend(causes.iter().map(|row| self.branch(0, row, false)));
        lines.push(self.branch(depth, &own, true));
        lines.extend(effects.iter().take(MOST).map(|row| self.branch(depth + 1, row, false)));
        let more = effects.len().saturating_sub(MOST);
        if more > 0 {
            let row = (format!("{} more findings", count(more as i64)), String::new());
            lines.push(self.branch(depth + 1, &row, false));
        }
        lines.extend(
            victims.iter().map(|(name, spent)| {
                self.branch(depth + 1, &(format!("{name} waits"), spent.clone()), false)
            }),
        );
        lines
    }

    fn of_finding(&self, finding: &Finding) -> (String, String) {
        let cost = finding.cost.map(share).unwrap_or_default();
        (format!("{} {}", finding.id, lines::subject(finding)), cost)
    }

    fn of_tasks(&self, tasks: &[TaskShare]) -> Vec<(String, String)> {
        let named = lines::by_name(tasks);
        let more = named.len().saturating_sub(MOST);
        let mut rows: Vec<(String, String)> = named
            .into_iter()
            .take(MOST)
            .map(|(name, number, spent)| {
                let role = tasks.iter().find(|task| task.name == name).and_then(|task| task.role.clone());
                let role = role.map(|role| format!(": {role}")).unwrap_or_default();
                let times = if self.look.ascii { "x" } else { "×" };
                let number =
                    if number > 1 { format!(" {times} {}", count(number as i64)) } else { String::new() };
                (format!("{name}{number}{role}"), spent.map(seconds).unwrap_or_default())
            })
            .collect();
        if more > 0 {
            rows.push((format!("{} more", count(more as i64)), String::new()));
        }
        rows
    }

    fn branch(&self, depth: usize, (text, amount): &(String, String), is_this: bool) -> Line<'static> {
        let twig = if self.look.ascii { "`- " } else { "└─ " };
        let twig = if depth == 0 { String::new() } else { format!("{}{twig}", "   ".repeat(depth - 1)) };
        let room = self.columns.saturating_sub(2 + width(&twig) + 10);
        let text = left(&self.safe(text), room);
        Line::from(vec![
            Span::styled(format!("  {twig}"), self.look.dim()),
            Span::styled(text, if is_this { self.look.bold() } else { Default::default() }),
            Span::raw(right(amount, 10)),
        ])
    }

    fn numbers(&self, first: &Finding) -> Vec<Line<'static>> {
        if first.evidence.is_empty() {
            return Vec::new();
        }
        let value = |one: &Evidence| match &one.value {
            EvidenceValue::Number(value) => with_unit(*value, &one.unit),
            EvidenceValue::Text(text) => text.clone(),
        };
        let longest = first.evidence.iter().map(|one| width(&one.name)).max().unwrap_or(0);
        let name = longest.min(self.columns.saturating_sub(30).max(16));
        let mut lines = vec![Line::raw(""), Line::styled("Numbers", self.look.bold())];
        for one in &first.evidence {
            let text = self.safe(&value(one));
            let limit = one.limit.map(|limit| format!("  limit {}", with_unit(limit, &one.unit)));
            let text = format!("{text}{}", limit.unwrap_or_default());
            let room = self.columns.saturating_sub(name + 4).max(10);
            for (at, part) in textwrap::wrap(&text, room).iter().enumerate() {
                let label = if at == 0 { self.safe(&one.name) } else { String::new() };
                lines.push(Line::from(vec![
                    Span::styled(format!("  {}  ", left(&label, name)), self.look.dim()),
                    Span::raw(part.to_string()),
                ]));
            }
        }
        lines
    }

    /// Changes and next steps; commands as they are typed.
    fn remedies(&self, first: &Finding) -> Vec<Line<'static>> {
        let mut lines = vec![Line::raw("")];
        for change in &first.changes {
            self.labelled(&mut lines, "Change", &of_change(change));
            self.command(&mut lines, &change.command);
            self.labelled(&mut lines, "", &lines::consequences(change));
        }
        for step in &first.next {
            self.labelled(&mut lines, "Next", step.text.trim());
            self.command(&mut lines, &step.command);
        }
        lines
    }

    fn labelled(&self, lines: &mut Vec<Line<'static>>, label: &str, text: &str) {
        let text = self.safe(text);
        for (at, part) in textwrap::wrap(&text, self.columns.saturating_sub(LABEL).max(20)).iter().enumerate()
        {
            let label = if at == 0 { label } else { "" };
            lines.push(Line::from(vec![
                Span::styled(left(label, LABEL), self.look.bold()),
                Span::raw(part.to_string()),
            ]));
        }
    }

    fn command(&self, lines: &mut Vec<Line<'static>>, command: &str) {
        let command = command.trim();
        if command.is_empty() {
            return;
        }
        let sudo = if self.look.sudo && command.starts_with("heldup ") { "sudo " } else { "" };
        let text = self.safe(&format!("{sudo}{command}"));
        for part in textwrap::wrap(&text, self.columns.saturating_sub(LABEL + 2).max(20)) {
            lines.push(Line::raw(format!("{}{part}", " ".repeat(LABEL + 2))));
        }
    }

    /// The other members of the group.
    fn others(&self, members: &[&Finding]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for other in members.iter().skip(1).take(MOST) {
            self.labelled(&mut lines, "Also", other.title.trim());
        }
        let more = members.len().saturating_sub(1 + MOST);
        if more > 0 {
            self.labelled(&mut lines, "", &format!("{} more", count(more as i64)));
        }
        lines
    }
}

fn of_change(change: &Change) -> String {
    let from = change.from.as_ref().map(|from| format!("{from} -> ")).unwrap_or_default();
    format!("{}: {from}{}", change.tunable, change.to)
}
