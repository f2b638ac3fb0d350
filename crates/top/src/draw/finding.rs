//! A finding in full: the same words as `heldup explain`.

use heldup_model::ExplainAnswer;
use heldup_report::explained;
use ratatui::text::Line;

use super::overview::members;
use super::spans::safe;
use crate::app::App;
use crate::paint::Look;

/// The page of a group of findings.
pub fn lines(app: &App, key: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    let groups = app.groups();
    let Some(at) = groups.iter().position(|group| group.key == key) else {
        return vec![Line::styled(format!("{} was not found in this window", safe(key, look)), look.dim())];
    };
    let group = &groups[at];
    let findings = members(app, group).into_iter().cloned().collect();
    let answer = ExplainAnswer { number: Some(at + 1), findings, ..ExplainAnswer::default() };
    let text = explained::text(&answer, columns.min(100), look.ascii, false);
    let mut lines: Vec<Line<'static>> = text.lines().map(|line| Line::raw(line.to_owned())).collect();
    if let Some(first) = lines.get_mut(1) {
        *first = first.clone().style(look.severity(group.severity).patch(look.bold()));
    }
    lines.push(Line::raw(""));
    lines.push(Line::styled(
        format!("  meaning, limits, when it is wrong: heldup explain {}", group.id),
        look.dim(),
    ));
    lines
}
