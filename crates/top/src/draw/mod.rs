//! What is shown, as cells.

mod charts;
mod finding;
mod head;
mod help;
mod life;
mod overview;
mod pages;
mod spans;
mod stacks;
mod table;
mod text_page;

use heldup_report::harmless::ascii;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::app::{App, Purpose, Screen};
use crate::keys::AREAS;
use crate::paint::Look;

/// Narrower than this nothing useful fits.
const LEAST_WIDTH: u16 = 40;
const LEAST_HEIGHT: u16 = 10;

/// Draws everything.
pub fn draw(app: &mut App, look: Look, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < LEAST_WIDTH || area.height < LEAST_HEIGHT {
        let said = format!("{}x{} is needed", LEAST_WIDTH, LEAST_HEIGHT);
        frame.render_widget(Line::raw(said), area);
        return;
    }
    let width = area.width as usize;
    app.columns = width;
    let mut lines = head::above(app, look, width);
    let room = (area.height as usize).saturating_sub(lines.len() + 1);
    lines.extend(page(app, look, width, room));
    lines.truncate(area.height as usize - 1);
    lines.push(below(app, look, width));
    lines.iter_mut().for_each(|line| plain(line, look));
    let last = lines.len() - 1;
    for (at, line) in lines.iter().enumerate() {
        let row = if at == last { area.height - 1 } else { at as u16 };
        frame.render_widget(line, Rect { y: area.y + row, height: 1, ..area });
    }
    if let Some((purpose, line)) = &app.typed {
        let column = prompt(*purpose).len() + spans::width(&line.before());
        frame.set_cursor_position((area.x + column.min(width - 1) as u16, area.y + area.height - 1));
    }
}

/// Blanks that are copied as such; where the terminal has ASCII only, what was cut ends in a sign that it has.
fn plain(line: &mut Line<'static>, look: Look) {
    for span in line.spans.iter_mut().filter(|span| !span.content.is_ascii()) {
        let text = span.content.replace('\u{a0}', " ");
        span.content = if look.ascii { ascii(&text.replace('…', "~")) } else { text }.into();
    }
}

fn page(app: &mut App, look: Look, width: usize, room: usize) -> Vec<Line<'static>> {
    match app.screen().clone() {
        Screen::Overview => overview::lines(app, look, width, room),
        Screen::Who => table::page(app, look, width, room, true),
        Screen::Area(area) => {
            let lines = charts::lines(app, AREAS[area].1, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Finding(key) => {
            let lines = finding::lines(app, &key, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Stacks => {
            let lines = stacks::lines(app, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Life(pid) => {
            let lines = life::lines(app, pid, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Compare => {
            let lines = pages::compare(app, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Experiments => {
            let lines = pages::experiments(app, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Experiment(id) => {
            let lines = pages::one_experiment(app, &id, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Recording => {
            let lines = pages::recording(app, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Sql => {
            let lines = pages::sql(app, look, width);
            scrolled(app, lines, room, look)
        }
        Screen::Keys => {
            let lines = help::keys(look, width);
            scrolled(app, lines, room, look)
        }
    }
}

/// The part of a long page that is seen.
fn scrolled(app: &mut App, lines: Vec<Line<'static>>, room: usize, look: Look) -> Vec<Line<'static>> {
    app.page_rows = room.saturating_sub(1);
    app.scrolled = app.scrolled.min(lines.len().saturating_sub(room));
    let rest = lines.len().saturating_sub(app.scrolled + room);
    let mut seen: Vec<Line<'static>> = lines.into_iter().skip(app.scrolled).take(room).collect();
    if rest > 0
        && let Some(last) = seen.last_mut()
    {
        *last = Line::styled(format!("  {} more lines (j, PageDown)", rest + 1), look.dim());
    }
    seen
}

/// The last line: what is typed, what is said, or the keys.
fn below(app: &App, look: Look, width: usize) -> Line<'static> {
    if let Some((purpose, line)) = &app.typed {
        let text = spans::safe(&line.text(), look);
        let hint = match purpose {
            Purpose::Filter => "Enter keep  Esc all rows",
            Purpose::GoTo => "Enter go  Esc stay",
            Purpose::Sql => "Enter ask  Esc stay",
        };
        let used = prompt(*purpose).len() + spans::width(&text) + 2 + hint.len();
        let hint =
            if used <= width { format!("{}{hint}", " ".repeat(width - used + 2)) } else { String::new() };
        return Line::from(vec![
            Span::styled(prompt(*purpose), look.bold()),
            Span::raw(text),
            Span::styled(hint, look.dim()),
        ]);
    }
    if let Some(said) = &app.said {
        return Line::styled(spans::cut(&spans::safe(said, look), width), look.bold());
    }
    let keys = match (app.screen(), app.live && app.follows) {
        (Screen::Overview, true) => {
            "Enter open  w who  cdmng areas  <- -> time  [ ] finding  / filter  ? keys  q quit"
        }
        (Screen::Overview, false) => {
            "<- -> step  Shift minute  [ ] finding  b go to  End now  Enter open  ? keys"
        }
        (Screen::Who, _) => "Enter open  < > sort  f tree  H threads  U units  G group  / filter  ? keys",
        (Screen::Area(_), _) => "cdmng areas  . table  <- -> time  [ ] finding  o overview  ? keys",
        (Screen::Stacks, _) => "s next kind of time  j k scroll  <- -> time  [ ] finding  o overview  ? keys",
        (Screen::Keys, _) => "Esc close",
        (Screen::Finding(_), _) => {
            "Enter next finding  s stacks  j k scroll  [ ] finding in time  Esc back  ? keys"
        }
        (Screen::Compare, _) => "X mark this window  j k scroll  <- -> time  [ ] finding  Esc back  ? keys",
        (Screen::Experiments, _) => "Enter open  j k row  Esc back  ? keys",
        (Screen::Sql, _) => ": or Enter query  j k scroll  <- -> time  [ ] finding  Esc back  ? keys",
        _ => "Esc back  j k scroll  <- -> time  [ ] finding  o overview  ? keys",
    };
    let keys = if look.ascii { keys.to_owned() } else { keys.replace("<- ->", "←→") };
    let keys = match spans::width(&keys) > width {
        true => "Enter open  w who  ? keys  q quit".to_owned(),
        false => keys,
    };
    Line::styled(spans::cut(&keys, width), look.dim())
}

fn prompt(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Filter => "filter: ",
        Purpose::GoTo => "go to (yesterday 03:00): ",
        Purpose::Sql => "SQL: ",
    }
}
