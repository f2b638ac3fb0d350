//! One kind of time by program, object and stack: the same as `heldup breakdown`.

use heldup_report::breakdown;
use ratatui::text::{Line, Span};

use super::spans::safe;
use crate::app::App;
use crate::paint::Look;

/// Rows of each list.
const MOST: usize = 20;

/// The page.
pub fn lines(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let Some(found) = &app.broken_down else {
        return vec![Line::styled(format!("{}: is being read", app.kind.title()), look.dim())];
    };
    let text = breakdown::text(found, columns, MOST, &app.zone);
    // Whose it is, and of when, stands above already.
    let rest = text.lines().skip(1).map(|line| Line::raw(safe(line, look)));
    let head = Line::styled(format!("Stacks: {}", found.kind.title()), look.bold());
    let mut lines: Vec<Line<'static>> = std::iter::once(head).chain(rest).collect();
    for error in &found.errors {
        let said = safe(&format!("{}: {}", error.place, error.what), look);
        lines.push(Line::from(Span::styled(said, look.dim())));
    }
    lines
}
