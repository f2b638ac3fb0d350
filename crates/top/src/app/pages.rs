//! Pages that ask more than the window: comparison, experiments, SQL, recording, who over a long time, a life.

use heldup_model::{
    Comparison, Experiment, Life, ListedExperiment, RecorderStatus, Span, SqlPage, TablesAnswer, Who,
};

use super::{App, Purpose, Screen, WIDE};
use crate::worker::{Ask, Told};

/// Longer windows are examined at their end only; who was there is asked for all of it.
const LONG_MS: i64 = 15 * 60_000;
/// Rows that are drawn over time, and steps of these.
const OVER_TIME: (usize, usize) = (60, 40);

/// What was answered to pages beside the window.
#[derive(Default)]
pub struct Pages {
    /// With what window this one is compared; none for the one before.
    pub marked: Option<Span>,
    /// The two windows that are compared, and how they differ; none while it is read.
    pub comparison: Option<((Span, Span), Option<Comparison>)>,
    /// Experiments that were kept.
    pub experiments: Option<Vec<ListedExperiment>>,
    /// The chosen one, by its place.
    pub chosen: usize,
    /// The one that is read.
    pub experiment: Option<Experiment>,
    /// How recording goes.
    pub status: Option<RecorderStatus>,
    /// Why a page has nothing.
    pub failed: Option<String>,
    /// The query.
    pub query: String,
    /// Queries of before, the last one last.
    pub queries: Vec<String>,
    /// Its rows; none while they are read.
    pub rows: Option<SqlPage>,
    /// What can be asked.
    pub tables: Option<TablesAnswer>,
    /// Who was there over all of a long window.
    pub who: Option<Who>,
    /// One process.
    pub life: Option<Life>,
}

impl App {
    /// Takes the answer of such a page.
    pub(super) fn tell_page(&mut self, told: Told) {
        let pages = &mut self.pages;
        match told {
            Told::Comparison(found) => {
                if let Some((_, comparison)) = &mut pages.comparison {
                    *comparison = Some(*found);
                }
            }
            Told::Experiments(found) => pages.experiments = Some(found),
            Told::Experiment(found) => pages.experiment = Some(*found),
            Told::Status(found) => pages.status = Some(*found),
            Told::Sql(found) => (pages.rows, self.scrolled) = (Some(*found), 0),
            Told::Tables(found) => pages.tables = Some(*found),
            Told::Life(found) => pages.life = Some(*found),
            // Who went elsewhere meanwhile sees the vital signs of that window.
            Told::Now(now) if self.follows => {
                if let Some(view) = &mut self.view {
                    view.examination.vitals = now.vitals;
                }
            }
            Told::Who(found) => {
                pages.who = Some(*found);
                self.with_who();
            }
            Told::PageFailed(what) => pages.failed = Some(what),
            _ => {}
        }
    }

    /// Puts who was there over the whole window in place of who was there at its end.
    pub(super) fn with_who(&mut self) {
        let (Some(view), Some(who)) = (&mut self.view, &self.pages.who) else { return };
        if Some(who.span) == self.span && who.span != view.span {
            view.tasks.clone_from(&who.tasks);
            view.processes.clone_from(&who.processes);
            self.arrange();
        }
    }

    /// What is asked for who of a long window, and for time beside the rows of a wide terminal.
    pub(super) fn who_asks(&self) -> Vec<Ask> {
        let (Some(view), Some(span)) = (&self.view, self.span) else { return Vec::new() };
        let is_cut = span.until_ms - span.since_ms > LONG_MS;
        let span = if is_cut { span } else { view.span };
        let (processes, steps) = if self.columns >= WIDE { OVER_TIME } else { (0, 0) };
        let is_there = self.pages.who.as_ref().is_some_and(|who| who.span == span);
        if is_there || (!is_cut && processes == 0) {
            return Vec::new();
        }
        vec![Ask::Who(span, processes, steps)]
    }

    /// What such a page asks when it is opened, or of another window.
    pub(super) fn asks_of(&mut self) -> Vec<Ask> {
        self.pages.failed = None;
        let Some(span) = self.view.as_ref().map(|view| view.span) else { return Vec::new() };
        match self.screen().clone() {
            Screen::Compare => self.compare_asks(span),
            Screen::Experiments => vec![Ask::Experiments],
            Screen::Experiment(id) => {
                self.pages.experiment = None;
                vec![Ask::Experiment(id)]
            }
            Screen::Recording => vec![Ask::Status],
            Screen::Life(pid) => {
                let process =
                    self.view.iter().flat_map(|view| &view.processes).find(|process| process.pid == pid);
                let start_ms = process.and_then(|process| process.start_ms);
                if self.pages.life.as_ref().is_some_and(|life| life.process.pid != pid) {
                    self.pages.life = None;
                }
                vec![Ask::Life(pid, start_ms, self.span.unwrap_or(span))]
            }
            Screen::Sql if self.pages.query.is_empty() => match self.pages.tables {
                Some(_) => Vec::new(),
                None => vec![Ask::Tables],
            },
            Screen::Sql => self.ask_rows(0),
            _ => Vec::new(),
        }
    }

    fn compare_asks(&mut self, span: Span) -> Vec<Ask> {
        let Some(before) = self.before(span) else {
            self.pages.comparison = None;
            self.pages.failed = Some(
                "nothing was recorded before this window; X marks a window, x in another one compares with it"
                    .to_owned(),
            );
            return Vec::new();
        };
        self.pages.comparison = Some(((before, span), None));
        vec![Ask::Compare(before, span)]
    }

    /// The window that this one is compared with: the marked one, or the one before.
    fn before(&self, span: Span) -> Option<Span> {
        if let Some(marked) = self.pages.marked.filter(|marked| *marked != span) {
            return Some(marked);
        }
        let all = self.all?;
        let since_ms = (2 * span.since_ms - span.until_ms).max(all.since_ms);
        (since_ms < span.since_ms).then_some(Span { since_ms, until_ms: span.since_ms })
    }

    /// Marks this window, or forgets the mark.
    pub(super) fn mark(&mut self) -> Vec<Ask> {
        let span = self.view.as_ref().map(|view| view.span);
        self.pages.marked = if self.pages.marked == span { None } else { span };
        self.said = Some(match self.pages.marked {
            Some(span) => format!("{} is marked: x compares other windows with it", self.window(span)),
            None => "no window is marked: x compares with the window before".to_owned(),
        });
        if *self.screen() == Screen::Compare { self.asks_of() } else { Vec::new() }
    }

    /// `13:00:00 to 13:01:00`.
    pub fn window(&self, span: Span) -> String {
        format!("{} to {}", self.clock(span.since_ms), self.clock(span.until_ms))
    }

    /// The query that was typed.
    pub(super) fn asked_in_sql(&mut self, query: &str) -> Vec<Ask> {
        self.pages.query = query.trim().trim_end_matches(';').to_owned();
        let pages = &mut self.pages;
        pages.queries.retain(|known| *known != pages.query);
        pages.queries.extend(Some(pages.query.clone()).filter(|query| !query.is_empty()));
        self.asks_of()
    }

    /// The query before or after the one in the line.
    pub fn query_of_before(&mut self, by: isize) {
        let Some((Purpose::Sql, line)) = &mut self.typed else { return };
        let queries = &self.pages.queries;
        let at = queries.iter().position(|query| *query == line.text()).unwrap_or(queries.len());
        let next = at.saturating_add_signed(by);
        *line = crate::line_edit::LineEdit::of(queries.get(next).map_or("", String::as_str));
    }

    fn ask_rows(&mut self, offset: u64) -> Vec<Ask> {
        self.pages.rows = None;
        self.pages.failed = None;
        let span = self.span.or(self.view.as_ref().map(|view| view.span));
        span.map(|span| Ask::Sql(self.pages.query.clone(), span, offset)).into_iter().collect()
    }

    /// The rows before or after those that are there, where somebody scrolls beyond them.
    pub(super) fn scrolled_in_sql(&mut self, by: isize) -> Vec<Ask> {
        let Some(page) = &self.pages.rows else { return Vec::new() };
        let (offset, rows, more) = (page.offset, page.rows.len() as u64, page.more);
        let is_at_end = self.scrolled + self.page_rows >= page.rows.len();
        if by > 0 && is_at_end && more {
            return self.ask_rows(offset + rows);
        }
        if by < 0 && self.scrolled == 0 && offset > 0 {
            return self.ask_rows(offset.saturating_sub(1000));
        }
        self.scrolled = self.scrolled.saturating_add_signed(by);
        Vec::new()
    }
}
