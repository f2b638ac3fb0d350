//! Comparison, experiments, SQL and recording: the words of `heldup compare`, `try`, `sql` and `status`.

use heldup_model::Verdict;
use heldup_report::quantity::{count, fixed};
use heldup_report::{TextOptions, answer, comparison, experiment, status, tables};
use ratatui::text::{Line, Span};

use super::spans::{cut, left, safe};
use super::text_page;
use crate::app::App;
use crate::paint::Look;

/// What differs from the window before, or from the marked one.
pub fn compare(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let mut page = Page::new("What changed", look, columns);
    match &app.pages.comparison {
        Some(((before, after), found)) => {
            let which =
                if app.pages.marked == Some(*before) { "the marked window" } else { "the window before" };
            page.said(&format!("{} against {which}, {}", app.window(*after), app.window(*before)));
            page.said("X in a window marks it; x in another one compares with it");
            match found {
                Some(found) => page.text(&comparison::text(found, &options(app, look, columns))),
                None => page.waits(app, "both windows are being read"),
            }
        }
        None => page.waits(app, "no window is there yet"),
    }
    page.lines
}

/// Experiments that were kept on this machine.
pub fn experiments(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let mut page = Page::new("Experiments of this machine", look, columns);
    match &app.pages.experiments {
        None => page.waits(app, "they are being read"),
        Some(all) if all.is_empty() => {
            page.said("none was made yet; one changes a setting, and shows whether that helps:");
            page.command("heldup try SETTING=VALUE --workload COMMAND");
        }
        Some(all) => {
            for (at, one) in all.iter().enumerate() {
                let time = one.time_ms.map(|ms| app.clock(ms)).unwrap_or_default();
                let verdict = one.verdict.map_or("no verdict", Verdict::name);
                let text = format!("  {}  {}  {}", left(&time, 19), left(verdict, 18), one.title);
                let style = if at == app.pages.chosen { look.chosen() } else { Default::default() };
                page.lines.push(Line::styled(cut(&safe(&text, look), columns), style));
            }
        }
    }
    page.lines
}

/// One of them.
pub fn one_experiment(app: &App, id: &str, look: Look, columns: usize) -> Vec<Line<'static>> {
    let mut page = Page::new(&format!("Experiment {id}"), look, columns);
    match &app.pages.experiment {
        Some(found) => page.text(&experiment::text(found, &options(app, look, columns))),
        None => page.waits(app, "it is being read"),
    }
    page.lines
}

/// How recording goes.
pub fn recording(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let mut page = Page::new("Recording", look, columns);
    match &app.pages.status {
        Some(found) if app.pages.failed.is_none() => page.text(&status::text(found, &app.zone)),
        _ => page.waits(app, "it is being read"),
    }
    if app.live {
        page.lines.push(Line::raw(""));
        page.said("to record always, from boot on:");
        page.command("systemctl enable --now heldup-record");
    }
    page.lines
}

/// A query and its rows; without one what can be asked.
pub fn sql(app: &App, look: Look, columns: usize) -> Vec<Line<'static>> {
    let pages = &app.pages;
    let mut page = Page::new("SQL", look, columns);
    if pages.query.is_empty() {
        page.said("asks the tables of this window, for instance:");
        page.said("  select process_name, sum(seconds) from task_time group by 1 order by 2 desc");
        match &pages.tables {
            Some(all) => page.text(&tables::text(all)),
            None => page.waits(app, "the names of the tables are being read"),
        }
        return page.lines;
    }
    page.said(&pages.query.clone());
    match &pages.rows {
        None => page.waits(app, "the rows are being read"),
        Some(found) => {
            let (first, rows) = (found.offset, found.rows.len() as u64);
            let which = match (rows, found.more || first > 0) {
                (0, _) => "no rows".to_owned(),
                (1, false) => "1 row".to_owned(),
                (rows, false) => format!("{} rows", count(rows as i64)),
                (rows, true) => {
                    let more = if found.more { ", more below" } else { "" };
                    format!("rows {} to {}{more}", count(first as i64 + 1), count((first + rows) as i64))
                }
            };
            page.said(&format!("{which}  ({} ms)", fixed(found.took_ms, 0)));
            let names: Vec<String> = found.columns.iter().map(|column| column.name.clone()).collect();
            page.text(&answer::text(&names, &found.rows, columns));
        }
    }
    page.lines
}

fn options(app: &App, look: Look, columns: usize) -> TextOptions {
    TextOptions {
        width: columns,
        color: look.color,
        ascii: look.ascii,
        sudo: look.sudo,
        time_zone: app.zone.clone(),
        ..TextOptions::default()
    }
}

struct Page {
    lines: Vec<Line<'static>>,
    look: Look,
    columns: usize,
}

impl Page {
    fn new(title: &str, look: Look, columns: usize) -> Page {
        Page { lines: vec![Line::styled(safe(title, look), look.bold())], look, columns }
    }

    fn said(&mut self, text: &str) {
        let text = safe(text, self.look);
        let options = textwrap::Options::new(self.columns).initial_indent("  ").subsequent_indent("    ");
        let dim = self.look.dim();
        self.lines
            .extend(textwrap::wrap(&text, options).iter().map(|part| Line::styled(part.to_string(), dim)));
    }

    fn text(&mut self, text: &str) {
        self.lines.push(Line::raw(""));
        self.lines.extend(text_page::lines(text, self.look, self.columns));
    }

    fn command(&mut self, command: &str) {
        let sudo = if self.look.sudo { "sudo " } else { "" };
        self.lines.push(Line::from(Span::raw(format!("    {sudo}{command}"))));
    }

    /// Why there is nothing, or that it comes.
    fn waits(&mut self, app: &App, what: &str) {
        match &app.pages.failed {
            Some(why) => self.said(why),
            None => self.said(what),
        }
    }
}
