//! What is shown, and how keys and answers change it. Nothing here draws, asks the machine or waits.

mod pages;
mod tests;
mod travel;

pub use pages::Pages;

use heldup_model::{Breakdown, BreakdownKind, Class, FindingGroup, Frame, Group, Mark, Span, View};
use jiff::tz::TimeZone;

use crate::keys::{AREAS, Action};
use crate::line_edit::LineEdit;
use crate::when;
use crate::who::{Grouping, How, Row, Sort, filtered, rows};
use crate::worker::{Ask, Told};

const MINUTE_MS: i64 = 60_000;
/// Steps of a figure: more than a terminal has columns.
const FIGURE_STEPS: usize = 320;
/// Kinds of time that are broken down, in the order in which a key goes through them.
const KINDS: [BreakdownKind; 5] =
    [BreakdownKind::Wait, BreakdownKind::Cpu, BreakdownKind::Lock, BreakdownKind::Io, BreakdownKind::Memory];
/// Steps of the strip.
const STRIP_STEPS: usize = 320;
/// From so many columns on the overview has a chart beside what is wrong.
pub const WIDE: usize = 150;
/// That chart: time by class, and where that is not known what the CPUs did.
pub const CLASS_CHARTS: [&str; 2] = ["time.classes", "cpu.states"];

/// A page.
#[derive(Clone, Debug, PartialEq)]
pub enum Screen {
    /// What is wrong, where time goes, who.
    Overview,
    /// Who, in full.
    Who,
    /// Figures of an area.
    Area(usize),
    /// A finding, by the key of its group.
    Finding(String),
    /// One kind of time by program, object and stack.
    Stacks,
    /// One process.
    Life(i64),
    /// What differs from another window.
    Compare,
    /// Experiments that were kept.
    Experiments,
    /// One of them.
    Experiment(String),
    /// A query, and its rows.
    Sql,
    /// How recording goes.
    Recording,
    /// Keys.
    Keys,
}

/// What a typed line is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Rows that have it.
    Filter,
    /// A time.
    GoTo,
    /// A query.
    Sql,
}

/// What is shown.
pub struct App {
    /// What the user called the source; nothing of the running machine.
    pub source: Option<String>,
    /// Whether it goes on.
    pub live: bool,
    /// Zone of the times.
    pub zone: TimeZone,
    /// Pages, the one that is seen last.
    pub screens: Vec<Screen>,
    /// The window that is wanted.
    pub span: Option<Span>,
    /// The window that is there.
    pub view: Option<View>,
    /// Whether the end is followed.
    pub follows: bool,
    /// All that there is.
    pub all: Option<Span>,
    /// Its strip.
    pub strip: Option<Frame>,
    /// What was found in it; none while it is looked for.
    pub marks: Option<Vec<Mark>>,
    /// Figures, and of which window.
    pub figures: Option<(Span, Vec<Frame>)>,
    /// Which kind of time is broken down, and what it is.
    pub kind: BreakdownKind,
    /// None while it is read.
    pub broken_down: Option<Breakdown>,
    /// As a table.
    pub as_table: bool,
    /// Which rows.
    pub how: How,
    /// The rows.
    pub rows: Vec<Row>,
    /// The chosen one, by its place.
    pub chosen: usize,
    /// In the overview a finding is chosen, by its place.
    pub finding: Option<usize>,
    /// Rows or lines that are scrolled away.
    pub scrolled: usize,
    /// A line that is typed.
    pub typed: Option<(Purpose, LineEdit)>,
    /// Something to read once.
    pub said: Option<String>,
    /// A window is being examined.
    pub busy: bool,
    /// The time now.
    pub now_ms: i64,
    /// Rows that a page has, as last drawn.
    pub page_rows: usize,
    /// Columns of the terminal, as last drawn.
    pub columns: usize,
    /// Rows that there would be without a filter.
    pub unfiltered: usize,
    /// What pages know that ask more than the window.
    pub pages: Pages,
}

/// What is to be done beside drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Then {
    /// Nothing.
    Nothing,
    /// To the background.
    Suspend,
    /// The end.
    Quit,
}

impl App {
    /// Before anything is known.
    pub fn new(source: Option<String>, live: bool, zone: TimeZone, now_ms: i64) -> App {
        App {
            source,
            live,
            zone,
            screens: vec![Screen::Overview],
            span: None,
            view: None,
            follows: live,
            all: None,
            strip: None,
            marks: None,
            figures: None,
            kind: BreakdownKind::Wait,
            broken_down: None,
            as_table: false,
            how: How::default(),
            rows: Vec::new(),
            chosen: 0,
            finding: Some(0),
            scrolled: 0,
            typed: None,
            said: None,
            busy: true,
            now_ms,
            page_rows: 10,
            columns: 80,
            unfiltered: 0,
            pages: Pages::default(),
        }
    }

    /// The questions at the start.
    pub fn first_asks(&self, first: Option<Span>) -> Vec<Ask> {
        let look = match first {
            Some(span) if !self.live => Ask::Look(span),
            _ => Ask::Follow(true),
        };
        vec![look, Ask::Strip(STRIP_STEPS), Ask::Marks]
    }

    /// The page that is seen.
    pub fn screen(&self) -> &Screen {
        self.screens.last().unwrap_or(&Screen::Overview)
    }

    /// The groups of findings, as they are numbered.
    pub fn groups(&self) -> &[FindingGroup] {
        self.view.as_ref().map(|view| view.examination.groups.as_slice()).unwrap_or_default()
    }

    /// Seconds by class of all user tasks.
    pub fn times(&self) -> Vec<(Class, f64)> {
        let classes = self.view.iter().flat_map(|view| &view.examination.ledger.classes);
        let known = classes.filter_map(|class| Some((Class::from_name(&class.class_name)?, class.seconds)));
        known.filter(|(class, _)| matches!(class.group(), Group::Running | Group::Waiting)).collect()
    }

    /// Takes an answer.
    pub fn tell(&mut self, told: Told) -> Vec<Ask> {
        match told {
            Told::Busy => self.busy = true,
            Told::View(view, followed) => return self.shown(*view, followed),
            Told::Strip(all, strip) => {
                self.all = Some(all);
                self.strip = strip.map(|strip| *strip);
            }
            Told::Marks(marks) => {
                self.marks = Some(marks);
                if self.follows && self.live {
                    self.mark_now();
                }
            }
            Told::Figures(span, frames) => self.figures = Some((span, frames)),
            Told::Breakdown(found) => self.broken_down = Some(*found),
            Told::Failed(what) | Told::Lost(what) => {
                self.busy = false;
                self.said = Some(what);
            }
            page => self.tell_page(page),
        }
        Vec::new()
    }

    fn shown(&mut self, view: View, followed: bool) -> Vec<Ask> {
        self.busy = false;
        // What was on the way when somebody went elsewhere.
        if followed && !self.follows {
            return Vec::new();
        }
        if followed {
            self.span = Some(view.span);
        }
        self.view = Some(view);
        self.with_who();
        self.arrange();
        // What somebody reads line by line stays while the machine goes on.
        let is_read = |screen: &Screen| {
            matches!(screen, Screen::Compare | Screen::Sql | Screen::Experiments | Screen::Experiment(_))
        };
        let mut asks = if followed && is_read(self.screen()) { Vec::new() } else { self.page_asks() };
        asks.extend(self.who_asks());
        if followed {
            self.mark_now();
            asks.push(Ask::Strip(STRIP_STEPS));
        }
        asks
    }

    /// Makes the rows anew, and keeps who was chosen.
    fn arrange(&mut self) {
        // Who is at the first row stays there, whoever that is.
        let chosen =
            self.rows.get(self.chosen).filter(|_| self.chosen > 0).map(|row| (row.id, row.name.clone()));
        let all = self.view.as_ref().map(|view| rows(view, &self.how)).unwrap_or_default();
        self.unfiltered = all.len();
        self.rows = filtered(all, &self.how);
        let again = chosen.and_then(|known| {
            self.rows.iter().position(|row| (row.id, row.name.as_str()) == (known.0, known.1.as_str()))
        });
        self.chosen = again.unwrap_or(self.chosen).min(self.rows.len().saturating_sub(1));
    }

    fn page_asks(&mut self) -> Vec<Ask> {
        let Some(view) = &self.view else { return Vec::new() };
        let figures = |words: Vec<String>| match words.is_empty() {
            true => Vec::new(),
            false => vec![Ask::Figures(words, view.span, FIGURE_STEPS)],
        };
        match self.screen() {
            Screen::Overview if self.columns >= WIDE => {
                figures(CLASS_CHARTS.into_iter().map(str::to_owned).collect())
            }
            Screen::Area(area) => figures(AREAS[*area].2.iter().map(|word| (*word).to_owned()).collect()),
            Screen::Finding(key) => figures(self.figures_of(key)),
            Screen::Stacks => vec![Ask::Breakdown(self.kind, view.span)],
            _ => self.asks_of(),
        }
    }

    /// The figures that show a group of findings.
    fn figures_of(&self, key: &str) -> Vec<String> {
        let group = self.groups().iter().find(|group| group.key == key);
        let first = group.and_then(|group| group.members.first());
        let findings = self.view.iter().flat_map(|view| &view.examination.findings);
        let found = first.and_then(|first| findings.into_iter().find(|finding| finding.key == *first));
        found.map(|finding| finding.figures.clone()).unwrap_or_default()
    }

    /// The terminal has another width: what is drawn there may need more.
    pub fn resized(&mut self, columns: usize) -> Vec<Ask> {
        let was_wide = std::mem::replace(&mut self.columns, columns) >= WIDE;
        if (columns >= WIDE) == was_wide {
            return Vec::new();
        }
        let mut asks = self.page_asks();
        asks.extend(self.who_asks());
        asks
    }

    /// Stacks, of the next kind of time where they are seen already.
    fn stacks(&mut self) -> Vec<Ask> {
        self.broken_down = None;
        if *self.screen() != Screen::Stacks {
            return self.go(Screen::Stacks);
        }
        self.scrolled = 0;
        let at = KINDS.iter().position(|kind| *kind == self.kind).map_or(0, |at| at + 1);
        self.kind = KINDS[at % KINDS.len()];
        self.page_asks()
    }

    /// Does what a key means.
    pub fn act(&mut self, action: Action) -> (Then, Vec<Ask>) {
        self.said = None;
        let asks = match action {
            Action::Quit if self.screens.len() > 1 && *self.screen() == Screen::Keys => self.back(),
            Action::Quit => return (Then::Quit, Vec::new()),
            Action::Suspend => return (Then::Suspend, Vec::new()),
            Action::Overview => self.go(Screen::Overview),
            Action::Who => self.go(Screen::Who),
            Action::Area(area) => self.go(Screen::Area(area)),
            Action::Stacks => self.stacks(),
            Action::Compare => self.go(Screen::Compare),
            Action::Mark => self.mark(),
            Action::Experiments => self.go(Screen::Experiments),
            Action::Recording => self.go(Screen::Recording),
            Action::Sql => {
                let asks = self.go(Screen::Sql);
                let query = self.pages.query.clone();
                self.typing(Purpose::Sql, &query);
                asks
            }
            Action::Keys => self.go(Screen::Keys),
            Action::Open => self.open(),
            Action::Back => self.back(),
            Action::Move(by) => self.moved(by),
            Action::Page(by) => self.moved(by * self.page_rows.max(1) as isize),
            Action::First => {
                (self.chosen, self.scrolled, self.finding) = (0, 0, Some(0));
                Vec::new()
            }
            Action::Filter => self.typing(Purpose::Filter, &self.how.filter.clone()),
            Action::GoTo => self.typing(Purpose::GoTo, ""),
            Action::Sort(by) => {
                let at = Sort::ALL.iter().position(|sort| *sort == self.how.sort).unwrap_or(0);
                let at = (at as isize + by).rem_euclid(Sort::ALL.len() as isize) as usize;
                self.arranged(|how| how.sort = Sort::ALL[at])
            }
            Action::Reverse => self.arranged(|how| how.reversed = !how.reversed),
            Action::Tree => self.arranged(|how| {
                how.tree = !how.tree;
                how.grouping = Grouping::Processes;
            }),
            Action::Group => {
                let at = Grouping::ALL.iter().position(|one| *one == self.how.grouping).unwrap_or(0);
                self.arranged(|how| how.grouping = Grouping::ALL[(at + 1) % Grouping::ALL.len()])
            }
            Action::Threads => {
                self.arranged(|how| how.grouping = other_than(how.grouping, Grouping::Threads))
            }
            Action::Units => self.arranged(|how| how.grouping = other_than(how.grouping, Grouping::Units)),
            Action::Kernel => self.arranged(|how| how.kernel = !how.kernel),
            Action::Table => {
                self.as_table = !self.as_table;
                Vec::new()
            }
            Action::Link => {
                self.said = Some(self.link());
                Vec::new()
            }
            Action::Step(by) => self.shift(by * travel::STEP_MS),
            Action::Minute(by) => self.shift(by * MINUTE_MS),
            Action::Finding(by) => self.jump_to_finding(by),
            Action::Freeze => self.freeze(),
            Action::Now => self.now(),
        };
        (Then::Nothing, asks)
    }

    fn arranged(&mut self, change: impl FnOnce(&mut How)) -> Vec<Ask> {
        change(&mut self.how);
        self.arrange();
        Vec::new()
    }

    fn go(&mut self, screen: Screen) -> Vec<Ask> {
        self.scrolled = 0;
        if self.screen() == &screen {
            return Vec::new();
        }
        match screen {
            Screen::Overview => self.screens = vec![Screen::Overview],
            screen => {
                self.screens.retain(|known| *known != screen);
                self.screens.push(screen);
            }
        }
        self.page_asks()
    }

    fn back(&mut self) -> Vec<Ask> {
        self.scrolled = 0;
        if self.screens.len() > 1 {
            self.screens.pop();
        } else if !self.how.filter.is_empty() {
            return self.arranged(|how| how.filter.clear());
        }
        self.page_asks()
    }

    fn moved(&mut self, by: isize) -> Vec<Ask> {
        match self.screen() {
            Screen::Overview => self.moved_in_overview(by),
            Screen::Who => self.chosen = self.chosen.saturating_add_signed(by).min(self.last_row()),
            Screen::Experiments => {
                let last = self.pages.experiments.as_ref().map_or(0, |all| all.len().saturating_sub(1));
                self.pages.chosen = self.pages.chosen.saturating_add_signed(by).min(last);
            }
            Screen::Sql => return self.scrolled_in_sql(by),
            _ => self.scrolled = self.scrolled.saturating_add_signed(by),
        }
        Vec::new()
    }

    fn last_row(&self) -> usize {
        self.rows.len().saturating_sub(1)
    }

    /// The chosen finding of the overview; none where there is none, or a row is chosen.
    pub fn chosen_finding(&self) -> Option<usize> {
        self.finding.filter(|_| !self.groups().is_empty()).map(|at| at.min(self.groups().len() - 1))
    }

    /// Above the rows are the findings.
    fn moved_in_overview(&mut self, by: isize) {
        let findings = self.groups().len();
        let now = self.chosen_finding().unwrap_or(findings + self.chosen);
        let next = now.saturating_add_signed(by).min(findings + self.last_row());
        match next.checked_sub(findings) {
            Some(row) if !self.rows.is_empty() => (self.finding, self.chosen) = (None, row),
            _ => self.finding = Some(next),
        }
    }

    fn open(&mut self) -> Vec<Ask> {
        match self.screen() {
            Screen::Overview if self.chosen_finding().is_some() => {
                let key =
                    self.chosen_finding().and_then(|at| self.groups().get(at)).map(|group| group.key.clone());
                key.map(|key| self.go(Screen::Finding(key))).unwrap_or_default()
            }
            Screen::Finding(key) => {
                let groups = self.groups();
                let at = groups.iter().position(|group| group.key == *key).map_or(0, |at| at + 1);
                match groups.get(at).or_else(|| groups.first()).map(|group| group.key.clone()) {
                    Some(key) => {
                        self.screens.pop();
                        self.go(Screen::Finding(key))
                    }
                    None => Vec::new(),
                }
            }
            Screen::Experiments => {
                let all = self.pages.experiments.iter().flatten();
                let id = all.into_iter().nth(self.pages.chosen).map(|one| one.id.clone());
                id.map(|id| self.go(Screen::Experiment(id))).unwrap_or_default()
            }
            Screen::Sql => {
                let query = self.pages.query.clone();
                self.typing(Purpose::Sql, &query)
            }
            Screen::Overview | Screen::Who => match self.rows.get(self.chosen).and_then(|row| row.pid) {
                Some(pid) => self.go(Screen::Life(pid)),
                None => {
                    let name = self.rows.get(self.chosen).map(|row| row.name.clone());
                    self.arranged(|how| {
                        how.filter = name.unwrap_or_default();
                        how.grouping = Grouping::Processes;
                    })
                }
            },
            _ => Vec::new(),
        }
    }

    fn typing(&mut self, purpose: Purpose, text: &str) -> Vec<Ask> {
        self.typed = Some((purpose, LineEdit::of(text)));
        Vec::new()
    }

    /// The line that was typed.
    pub fn entered(&mut self) -> Vec<Ask> {
        let Some((purpose, line)) = self.typed.take() else { return Vec::new() };
        match purpose {
            Purpose::Filter => self.arranged(|how| how.filter = line.text().trim().to_owned()),
            Purpose::GoTo => self.go_to(line.text().trim()),
            Purpose::Sql => self.asked_in_sql(&line.text()),
        }
    }

    /// The line is left: a filter that was typed filters no more.
    pub fn leave_line(&mut self) {
        if let Some((Purpose::Filter, _)) = self.typed.take() {
            self.arranged(|how| how.filter.clear());
        }
    }

    /// What was typed so far already filters.
    pub fn while_typing(&mut self) {
        if let Some((Purpose::Filter, line)) = &self.typed {
            let text = line.text();
            self.arranged(|how| how.filter = text);
        }
    }

    /// The command that shows this again.
    fn link(&self) -> String {
        let Some(span) = self.span else { return "nothing is seen yet".to_owned() };
        let source = self.source.clone().map(|source| format!(" {source}")).unwrap_or_default();
        format!("heldup top{source} {}", when::options(span))
    }
}

/// The grouping, or what is usual where it is that already.
fn other_than(now: Grouping, wanted: Grouping) -> Grouping {
    if now == wanted { Grouping::Processes } else { wanted }
}
