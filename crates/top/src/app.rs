//! What is shown, and how keys and answers change it. Nothing here draws, asks the machine or waits.

use heldup_model::{Breakdown, BreakdownKind, Class, FindingGroup, Frame, Group, Mark, Span, View};
use jiff::tz::TimeZone;

use crate::keys::{AREAS, Action};
use crate::line_edit::LineEdit;
use crate::when;
use crate::who::{Grouping, How, Row, Sort, rows};
use crate::worker::{Ask, Told};

/// A step back or ahead, where samples are a second apart.
const STEP_MS: i64 = 1000;
const MINUTE_MS: i64 = 60_000;
/// Steps of a figure: more than a terminal has columns.
const FIGURE_STEPS: usize = 320;
/// Kinds of time that are broken down, in the order in which a key goes through them.
const KINDS: [BreakdownKind; 5] =
    [BreakdownKind::Wait, BreakdownKind::Cpu, BreakdownKind::Lock, BreakdownKind::Io, BreakdownKind::Memory];
/// Steps of the strip.
const STRIP_STEPS: usize = 320;

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
    /// What is done with a command: comparison, experiments, recording.
    Command(Action),
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
            Told::Marks(marks) => self.marks = Some(marks),
            Told::Figures(span, frames) => self.figures = Some((span, frames)),
            Told::Breakdown(found) => self.broken_down = Some(*found),
            Told::Failed(what) | Told::Lost(what) => {
                self.busy = false;
                self.said = Some(what);
            }
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
        self.arrange();
        let mut asks = self.page_asks();
        if followed {
            asks.push(Ask::Strip(STRIP_STEPS));
        }
        asks
    }

    /// Makes the rows anew, and keeps who was chosen.
    fn arrange(&mut self) {
        let chosen = self.rows.get(self.chosen).map(|row| (row.id, row.name.clone()));
        self.rows = self.view.as_ref().map(|view| rows(view, &self.how)).unwrap_or_default();
        let again = chosen.and_then(|known| {
            self.rows.iter().position(|row| (row.id, row.name.as_str()) == (known.0, known.1.as_str()))
        });
        self.chosen = again.unwrap_or(self.chosen).min(self.rows.len().saturating_sub(1));
    }

    fn page_asks(&self) -> Vec<Ask> {
        match (self.screen(), self.view.as_ref()) {
            (Screen::Area(area), Some(view)) => {
                vec![Ask::Figures(AREAS[*area].2.to_vec(), view.span, FIGURE_STEPS)]
            }
            (Screen::Stacks, Some(view)) => vec![Ask::Breakdown(self.kind, view.span)],
            _ => Vec::new(),
        }
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
            Action::Compare | Action::Experiments | Action::Recording | Action::Sql => {
                self.go(Screen::Command(action))
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
            Action::Step(by) => self.shift(by * STEP_MS),
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
        }
    }

    /// What was typed so far already filters.
    pub fn while_typing(&mut self) {
        if let Some((Purpose::Filter, line)) = &self.typed {
            let text = line.text();
            self.arranged(|how| how.filter = text);
        }
    }

    fn go_to(&mut self, text: &str) -> Vec<Ask> {
        let Some(all) = self.all else {
            self.said = Some("nothing was read yet".to_owned());
            return Vec::new();
        };
        match when::typed(text, all, self.now_ms, &self.zone) {
            Ok(at_ms) if at_ms < all.since_ms || at_ms > all.until_ms => {
                let (from, to) = (self.clock(all.since_ms), self.clock(all.until_ms));
                self.said = Some(format!("no data for {}; recorded: {from} until {to}", self.clock(at_ms)));
                Vec::new()
            }
            Ok(at_ms) => {
                let length_ms = self.length_ms();
                self.at(Span { since_ms: at_ms, until_ms: at_ms + length_ms })
            }
            Err(what) => {
                self.said = Some(what);
                Vec::new()
            }
        }
    }

    /// A time as it is printed.
    pub fn clock(&self, at_ms: i64) -> String {
        when::clock(at_ms, self.now_ms, &self.zone)
    }

    fn length_ms(&self) -> i64 {
        self.span
            .or(self.view.as_ref().map(|view| view.span))
            .map_or(MINUTE_MS, |span| span.until_ms - span.since_ms)
    }

    fn shift(&mut self, by_ms: i64) -> Vec<Ask> {
        let Some(span) = self.span.or(self.view.as_ref().map(|view| view.span)) else { return Vec::new() };
        let length_ms = span.until_ms - span.since_ms;
        let (least, most) = self.all.map_or((i64::MIN, i64::MAX), |all| (all.since_ms, all.until_ms));
        let until_ms = (span.until_ms + by_ms).clamp(least.saturating_add(length_ms.min(STEP_MS)), most);
        let since_ms = (until_ms - length_ms).max(least);
        self.at(Span { since_ms, until_ms })
    }

    fn at(&mut self, span: Span) -> Vec<Ask> {
        let mut asks = Vec::new();
        if self.follows {
            self.follows = false;
            asks.push(Ask::Follow(false));
        }
        if self.view.as_ref().is_some_and(|view| view.span == span) {
            return asks;
        }
        self.span = Some(span);
        asks.push(Ask::Look(span));
        asks
    }

    fn jump_to_finding(&mut self, by: isize) -> Vec<Ask> {
        let Some(marks) = &self.marks else {
            self.said = Some("what was found is not known yet".to_owned());
            return Vec::new();
        };
        let now_ms = self.span.map_or(self.now_ms, |span| span.since_ms);
        let next = match by > 0 {
            true => marks.iter().find(|mark| mark.span.since_ms > now_ms),
            false => marks.iter().rev().find(|mark| mark.span.since_ms < now_ms),
        };
        match next.map(|mark| mark.span) {
            Some(span) => self.at(span),
            None => {
                let way = if by > 0 { "later" } else { "earlier" };
                self.said = Some(format!("no {way} finding"));
                Vec::new()
            }
        }
    }

    fn freeze(&mut self) -> Vec<Ask> {
        if !self.live {
            return Vec::new();
        }
        self.follows = !self.follows;
        vec![Ask::Follow(self.follows)]
    }

    fn now(&mut self) -> Vec<Ask> {
        if self.live {
            self.follows = true;
            return vec![Ask::Follow(true)];
        }
        let Some(all) = self.all else { return Vec::new() };
        let length_ms = self.length_ms();
        self.at(Span { since_ms: all.since_ms.max(all.until_ms - length_ms), ..all })
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

#[cfg(test)]
mod tests {
    use heldup_model::Examination;

    use super::*;

    fn app() -> App {
        let mut app = App::new(Some("day".to_owned()), false, TimeZone::UTC, 10_000_000);
        app.tell(Told::Strip(Span { since_ms: 0, until_ms: 3_600_000 }, None));
        let span = Span { since_ms: 1_000_000, until_ms: 1_060_000 };
        let view =
            View { span, examination: Examination::default(), tasks: Vec::new(), processes: Vec::new() };
        app.span = Some(span);
        app.tell(Told::View(Box::new(view), false));
        app
    }

    fn look(asks: &[Ask]) -> Option<Span> {
        asks.iter().find_map(|ask| match ask {
            Ask::Look(span) => Some(*span),
            _ => None,
        })
    }

    #[test]
    fn a_step_moves_the_window_and_keeps_its_length() {
        let mut app = app();
        let (_, asks) = app.act(Action::Minute(1));
        assert_eq!(look(&asks), Some(Span { since_ms: 1_060_000, until_ms: 1_120_000 }));
        let (_, asks) = app.act(Action::Step(-1));
        assert_eq!(look(&asks), Some(Span { since_ms: 1_059_000, until_ms: 1_119_000 }));
        for _ in 0..100 {
            app.act(Action::Minute(1));
        }
        assert_eq!(app.span.map(|span| span.until_ms), Some(3_600_000), "not beyond the end");
    }

    #[test]
    fn findings_are_jumped_to_in_both_directions() {
        let mut app = app();
        assert_eq!(app.act(Action::Finding(1)).1, []);
        assert!(app.said.is_some(), "it is said that they are not known");
        let mark =
            |since_ms| Mark { span: Span { since_ms, until_ms: since_ms + 60_000 }, findings: Vec::new() };
        app.tell(Told::Marks(vec![mark(500_000), mark(2_000_000)]));
        assert_eq!(look(&app.act(Action::Finding(1)).1).map(|span| span.since_ms), Some(2_000_000));
        assert_eq!(look(&app.act(Action::Finding(-1)).1).map(|span| span.since_ms), Some(500_000));
        app.act(Action::Finding(-1));
        assert_eq!(app.said.as_deref(), Some("no earlier finding"));
    }

    #[test]
    fn a_time_is_typed_and_a_wrong_one_is_said() {
        let mut app = app();
        app.act(Action::GoTo);
        for c in "00:40".chars() {
            app.typed.as_mut().expect("a line").1.put(c);
        }
        assert_eq!(look(&app.entered()).map(|span| span.since_ms), Some(40 * MINUTE_MS));
        app.act(Action::GoTo);
        app.typed = Some((Purpose::GoTo, LineEdit::of("23:00")));
        assert_eq!(app.entered(), []);
        assert!(app.said.as_deref().is_some_and(|said| said.starts_with("no data for")), "{:?}", app.said);
    }

    #[test]
    fn escape_goes_back_to_where_one_was() {
        let mut app = app();
        app.act(Action::Who);
        app.act(Action::Keys);
        app.act(Action::Back);
        assert_eq!(*app.screen(), Screen::Who);
        app.act(Action::Overview);
        assert_eq!(app.screens, [Screen::Overview]);
        assert_eq!(app.act(Action::Quit).0, Then::Quit);
    }

    #[test]
    fn who_went_back_is_not_overtaken_by_now() {
        let mut app = App::new(None, true, TimeZone::UTC, 10_000_000);
        let view = |since_ms| {
            let span = Span { since_ms, until_ms: since_ms + 60_000 };
            Box::new(View {
                span,
                examination: Examination::default(),
                tasks: Vec::new(),
                processes: Vec::new(),
            })
        };
        app.tell(Told::View(view(1_000_000), true));
        let (_, asks) = app.act(Action::Minute(-1));
        assert!(asks.contains(&Ask::Follow(false)));
        app.tell(Told::View(view(1_010_000), true));
        assert_eq!(app.view.as_ref().map(|view| view.span.since_ms), Some(1_000_000));
        assert_eq!(app.act(Action::Now).1, [Ask::Follow(true)]);
    }
}
