//! Rows of who.

use heldup_model::Who;
use heldup_report::quantity::{bytes, count, fixed, seconds};
use ratatui::text::{Line, Span};

use super::spans::{cut, left, right, safe};
use crate::app::{App, WIDE};
use crate::bar::{self, Scale};
use crate::paint::Look;
use crate::who::{Grouping, Row};

/// A column beside name and bar.
#[derive(Clone, Copy, PartialEq)]
enum Column {
    Cpu,
    Memory,
    Read,
    Written,
    Threads,
    Swap,
    Growth,
    Faults,
    State,
}

impl Column {
    /// Each column with the width of a terminal from which on it is there.
    const ALL: [(Column, usize); 9] = [
        (Column::Cpu, 60),
        (Column::Memory, 60),
        (Column::Read, 100),
        (Column::Written, 100),
        (Column::Threads, 116),
        (Column::Swap, 124),
        (Column::Growth, 136),
        (Column::Faults, 146),
        (Column::State, 152),
    ];

    fn head(self) -> &'static str {
        match self {
            Column::Cpu => "CPU %",
            Column::Memory => "MEM",
            Column::Read => "READ/s",
            Column::Written => "WRITE/s",
            Column::Threads => "THR",
            Column::Swap => "SWAP",
            Column::Growth => "GROWTH",
            Column::Faults => "MAJFLT",
            Column::State => "S",
        }
    }

    fn width(self) -> usize {
        match self {
            Column::Cpu | Column::Threads => 6,
            Column::State => 2,
            Column::Faults => 7,
            _ => 8,
        }
    }

    fn value(self, row: &Row, window_s: f64) -> String {
        let size = |value: Option<i64>| value.map(|value| bytes(value as f64));
        let rate = |value: Option<i64>| value.map(|value| bytes(value as f64 / window_s));
        let number = |value: Option<i64>| value.map(count);
        let text = match self {
            Column::Cpu => {
                // The account of time is of each second, the kernel's count of readings that may be further apart.
                let running = row.has_times.then_some(row.running_s);
                running.or(row.cpu_s).map(|spent| fixed(100.0 * spent / window_s, 1))
            }
            Column::Memory => size(row.resident_bytes),
            Column::Read => rate(row.read_bytes),
            Column::Written => rate(row.write_bytes),
            Column::Threads => number(row.threads),
            Column::Swap => size(row.swap_bytes),
            Column::Growth => row.growth_bytes.map(|grown| {
                let sign = if grown < 0 { "-" } else { "" };
                format!("{sign}{}", bytes(grown.abs() as f64))
            }),
            Column::Faults => number(row.faults),
            Column::State => Some(row.state.clone()),
        };
        // What was not measured is no zero.
        text.unwrap_or_else(|| "-".to_owned())
    }
}

/// Who, with what is shown of them above.
pub fn page(
    app: &mut App,
    look: Look,
    columns: usize,
    room: usize,
    is_chosen_here: bool,
) -> Vec<Line<'static>> {
    let how = &app.how;
    let all = count(app.unfiltered as i64);
    let mut said = match how.filter.trim() {
        "" => format!("{all} {}", how.grouping.name()),
        filter => {
            let own = count(app.rows.len() as i64);
            format!("/{}: {own} of {all} {}", safe(filter, look), how.grouping.name())
        }
    };
    said += &format!(", by {}", how.sort.name());
    if how.reversed {
        said += ", least first";
    }
    if how.tree && how.grouping == Grouping::Processes {
        said += ", as a tree";
    }
    if how.kernel {
        said += ", with threads of the kernel";
    }
    let mut lines = vec![Line::from(vec![
        Span::styled("Who  ", look.bold()),
        Span::raw(cut(&said, columns.saturating_sub(5))),
    ])];
    lines.extend(rows(app, look, columns, room.saturating_sub(1), is_chosen_here));
    lines
}

/// A head, and as many rows as there is room for.
pub fn rows(
    app: &mut App,
    look: Look,
    columns: usize,
    room: usize,
    is_chosen_here: bool,
) -> Vec<Line<'static>> {
    let Some(view) = &app.view else { return Vec::new() };
    let window_s = ((view.span.until_ms - view.span.since_ms) as f64 / 1000.0).max(0.001);
    let shown = room.saturating_sub(1);
    app.page_rows = shown;
    let first = app.chosen.saturating_sub(shown.saturating_sub(1));
    let first = first.max(app.scrolled.min(app.chosen));
    app.scrolled = first;
    let visible: Vec<&Row> = app.rows.iter().skip(first).take(shown).collect();
    let layout = Layout::of(app, columns);
    let mut lines = vec![layout.head(look)];
    for (at, row) in visible.iter().enumerate() {
        let is_chosen = is_chosen_here && first + at == app.chosen;
        let mut line = layout.row(row, window_s, is_chosen, look);
        if layout.over_time > 0 {
            line.spans.push(Span::raw("  "));
            line.spans.push(Span::styled(over_time(app, row, look), look.dim()));
        }
        lines.push(line);
    }
    if app.rows.is_empty() {
        let what = match app.how.filter.is_empty() {
            true => "  no process was seen in this window",
            false => "  no row has that word (Esc: all rows)",
        };
        lines.push(Line::styled(what, look.dim()));
    }
    lines
}

/// How wide everything is.
struct Layout {
    id: usize,
    name: usize,
    unit: usize,
    scale: Scale,
    columns: Vec<Column>,
    has_id: bool,
    grouping: Grouping,
    /// Columns of time over the window; 0 where that was not asked for.
    over_time: usize,
}

const SECONDS: usize = 8;

impl Layout {
    fn of(app: &App, columns: usize) -> Layout {
        let grouping = app.how.grouping;
        let has_id = matches!(grouping, Grouping::Processes | Grouping::Threads);
        let longest = app.rows.iter().filter_map(|row| row.id).max().unwrap_or(0).to_string().len();
        let id = if has_id { longest.max(5) } else { 5 };
        let rest: Vec<Column> =
            Column::ALL.into_iter().filter(|(_, from)| columns >= *from).map(|(column, _)| column).collect();
        let steps = steps_of(app);
        let over_time = if columns >= WIDE { steps } else { 0 };
        let beside = if over_time > 0 { over_time + 2 } else { 0 };
        let used =
            id + 1 + 2 * (SECONDS + 1) + rest.iter().map(|column| column.width()).sum::<usize>() + beside;
        let room = columns.saturating_sub(used);
        // Name, unit and bar share what is left.
        let unit = if columns >= 60 { (room / 4).clamp(8, 28) } else { 0 };
        let name = ((room - unit.min(room)) / 2).clamp(8, 32);
        let bar = room.saturating_sub(name + unit + 2).clamp(4, 60);
        let most = |of: fn(&Row) -> f64| app.rows.iter().map(of).fold(0.0, f64::max);
        let scale = Scale::of(most(|row| row.waiting_s), most(|row| row.running_s), bar);
        Layout { id, name, unit, scale, columns: rest, has_id, grouping, over_time }
    }

    fn head(&self, look: Look) -> Line<'static> {
        let id = match self.grouping {
            Grouping::Threads => "TID",
            Grouping::Processes => "PID",
            _ => "COUNT",
        };
        let name = match self.grouping {
            Grouping::Processes => "PROCESS",
            Grouping::Threads => "THREAD",
            Grouping::Units => "UNIT",
            Grouping::Containers => "CONTAINER",
            Grouping::Programs => "PROGRAM",
        };
        let mut text = format!("{} {}", right(id, self.id), left(name, self.name));
        if self.unit > 0 {
            text += &format!(" {}", left(if self.has_id { "UNIT" } else { "PROGRAM" }, self.unit));
        }
        text += &right("WAITING", SECONDS);
        text += &" ".repeat(self.scale.left + self.scale.right + 2);
        text += &right("RUNNING", SECONDS);
        for column in &self.columns {
            text += &right(column.head(), column.width());
        }
        if self.over_time > 0 {
            text += "  OVER THE WINDOW";
        }
        Line::styled(text, look.dim())
    }

    fn row(&self, row: &Row, window_s: f64, is_chosen: bool, look: Look) -> Line<'static> {
        let id = match self.has_id {
            true => row.id.map(|id| id.to_string()).unwrap_or_default(),
            false => count(row.processes as i64),
        };
        let name = format!("{}{}", "  ".repeat(row.depth.min(8)), row.name);
        let name = if row.ended { format!("{name} (ended)") } else { name };
        let style = if is_chosen { look.chosen() } else { Default::default() };
        let mut spans = vec![Span::styled(
            format!("{} {}", right(&id, self.id), left(&safe(&name, look), self.name)),
            style,
        )];
        if self.unit > 0 {
            let unit = if self.has_id { row.unit.as_str() } else { row.command.as_str() };
            spans.push(Span::styled(
                format!(" {}", left(&safe(unit, look), self.unit)),
                look.dim().patch(style),
            ));
        }
        let time = |spent: f64, is_known: bool| match is_known {
            true => right(&seconds(spent), SECONDS),
            false => right("-", SECONDS),
        };
        let is_known = row.has_times || row.cpu_s.is_none();
        spans.push(Span::styled(time(row.waiting_s, is_known), style));
        spans.push(Span::raw(" "));
        spans.extend(bar::row(&row.times, self.scale, look));
        spans.push(Span::styled(format!("{} ", time(row.running_s, true)).trim_end().to_owned(), style));
        for column in &self.columns {
            spans.push(Span::styled(right(&column.value(row, window_s), column.width()), style));
        }
        Line::from(spans)
    }
}

/// Steps of time over the window, where it was asked for.
fn steps_of(app: &App) -> usize {
    let is_process = app.how.grouping == Grouping::Processes;
    let known = app.pages.who.as_ref().filter(|who| is_process && is_of_window(app, who));
    known.and_then(|who| who.over_time.as_ref()).map_or(0, |over| over.steps.len())
}

fn is_of_window(app: &App, who: &Who) -> bool {
    app.view.as_ref().is_some_and(|view| who.span == view.span) || app.span == Some(who.span)
}

/// How much of each step a process was active, on its own scale.
fn over_time(app: &App, row: &Row, look: Look) -> String {
    let over = app.pages.who.as_ref().and_then(|who| who.over_time.as_ref());
    let mine = over.and_then(|over| over.processes.iter().find(|process| Some(process.pid) == row.pid));
    let Some(mine) = mine else { return String::new() };
    let steps = mine.classes.iter().map(|class| class.tasks.len()).max().unwrap_or(0);
    let at = |step: usize| {
        let values = mine.classes.iter().filter_map(|class| class.tasks.get(step).copied().flatten());
        values.fold(None, |sum: Option<f64>, value| Some(sum.unwrap_or(0.0) + value))
    };
    let sums: Vec<Option<f64>> = (0..steps).map(at).collect();
    let most = sums.iter().flatten().fold(0.0, |most: f64, value| most.max(*value));
    let sign = |sum: &Option<f64>| match sum {
        Some(sum) if *sum > 0.0 && most > 0.0 => look.level(sum / most),
        Some(_) => ' ',
        None => '/',
    };
    sums.iter().map(sign).collect()
}
