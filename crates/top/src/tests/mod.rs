//! Frames of recorded machines, cell by cell: the text, and below it a letter for the style of each cell.
//!
//! `UPDATE_GOLDEN=1` writes them anew; they are to be looked at then.

#![cfg(test)]

mod slow_line;

use std::fs;
use std::path::{Path, PathBuf};

use heldup_engine::{Silent, ViewRequest, Viewer};
use heldup_model::{ListedExperiment, Method, Span, Verdict};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier, Style};

use crate::app::{App, Purpose};
use crate::draw::draw;
use crate::keys::Action;
use crate::line_edit::LineEdit;
use crate::paint::Look;
use crate::worker::{Ask, Told, answer};

const LOOK: Look = Look { color: true, ascii: false, sudo: true };

/// A recording that is looked at.
struct Seen {
    viewer: Viewer,
    app: App,
}

impl Seen {
    /// A part of the recording: from and until, as `MM:SS` of its hour.
    fn open(from: &str, until: &str) -> Seen {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(RECORDING);
        let request = ViewRequest { sources: vec![place.display().to_string()], ..ViewRequest::default() };
        let viewer = Viewer::open(&request, &Silent).expect("it can be opened");
        let all = viewer.all().expect("a span");
        let time = |text: &str| {
            let time: jiff::Timestamp = format!("2026-11-26T22:{text}Z").parse().expect("a time");
            time.as_millisecond()
        };
        let first = Span { since_ms: time(from), until_ms: time(until) };
        let mut app = App::new(Some(RECORDING.to_owned()), false, TimeZone::UTC, all.until_ms);
        app.span = Some(first);
        let mut seen = Seen { viewer, app };
        let asks = seen.app.first_asks(Some(first));
        seen.answer(asks);
        seen
    }

    /// Answers, and what these lead to.
    fn answer(&mut self, mut asks: Vec<Ask>) {
        while !asks.is_empty() {
            let next: Vec<Ask> =
                asks.drain(..).flat_map(|ask| self.app.tell(answer(&self.viewer, ask))).collect();
            asks = next;
        }
    }

    fn act(&mut self, actions: &[Action]) {
        for action in actions {
            let (_, asks) = self.app.act(*action);
            self.answer(asks);
        }
    }

    /// The frame: its text, a line, the style of each cell.
    fn frame(&mut self, width: u16, height: u16, look: Look) -> String {
        let asks = self.app.resized(width as usize);
        self.answer(asks);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a terminal");
        terminal.draw(|frame| draw(&mut self.app, look, frame)).expect("drawn");
        let buffer = terminal.backend().buffer().clone();
        let row = |y: u16, of: &dyn Fn(u16, u16) -> String| {
            let line: String = (0..width).map(|x| of(x, y)).collect();
            format!("{}\n", line.trim_end())
        };
        let text = |x: u16, y: u16| buffer[(x, y)].symbol().to_owned();
        let style = |x: u16, y: u16| letter(buffer[(x, y)].style()).to_string();
        let texts: String = (0..height).map(|y| row(y, &text)).collect();
        let styles: String = (0..height).map(|y| row(y, &style)).collect();
        format!("{texts}{}\n{styles}", "-".repeat(width as usize))
    }
}

/// A letter for a style: what is default is a blank.
fn letter(style: Style) -> char {
    if style.add_modifier.contains(Modifier::REVERSED) {
        return 'R';
    }
    let colours = |color: Color| match color {
        Color::Blue => 'l',
        Color::LightBlue => 'k',
        Color::Cyan => 'q',
        Color::Yellow => 'y',
        Color::Magenta => 'm',
        Color::LightYellow => 'L',
        Color::Green => 'g',
        Color::Red => 'r',
        Color::DarkGray => 'd',
        Color::Indexed(number) => char::from_digit(u32::from(number), 16).unwrap_or('?'),
        _ => ' ',
    };
    match (style.bg, style.fg, style.add_modifier.contains(Modifier::BOLD)) {
        (Some(color), _, _) if color != Color::Reset => colours(color).to_ascii_uppercase(),
        (_, Some(color), _) if color != Color::Reset => colours(color),
        (_, _, true) => 'B',
        _ => ' ',
    }
}

/// How many rules are ruled out or not checked changes with each new rule; how long a query took, with each run.
fn masked(frame: &str) -> String {
    let is_masked = |line: &str| line.contains(" ruled out") || line.trim_end().ends_with(" ms)");
    let mask = |line: &str| -> String {
        if !is_masked(line) {
            return line.to_owned();
        }
        let words = line.split_inclusive(' ').collect::<Vec<_>>();
        let counts = ["ruled", "not", "ms)"];
        let mut out = String::new();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).map_or("", |next| next.trim());
            let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
            match counts.contains(&next) {
                true => out.extend(word.chars().map(digits)),
                false => out += word,
            }
        }
        out
    };
    frame.lines().map(|line| mask(line) + "\n").collect()
}

fn check(name: &str, frame: &str) {
    let frame = masked(frame);
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, frame).expect("written");
        return;
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    assert!(golden == frame, "{} differs (UPDATE_GOLDEN=1 writes it anew):\n{frame}", file.display());
}

const RECORDING: &str = "fixtures/db1";
/// One trouble: a program that syncs.
const ONE: (&str, &str) = ("32:15", "32:45");
/// Three: a lock, a quota, more work than CPUs.
const THREE: (&str, &str) = ("33:32", "33:57");
/// Nothing.
const HEALTHY: (&str, &str) = ("30:20", "30:45");

fn seen((from, until): (&str, &str)) -> Seen {
    Seen::open(from, until)
}

#[test]
fn overview_of_one_trouble() {
    let mut seen = seen(ONE);
    check("overview-80x24", &seen.frame(80, 24, LOOK));
    check("overview-200x60", &seen.frame(200, 60, LOOK));
    check("narrow-48x20", &seen.frame(48, 20, LOOK));
    check("ascii-80x24", &seen.frame(80, 24, Look { color: false, ascii: true, sudo: false }));
}

#[test]
fn three_troubles_and_none() {
    check("three-80x24", &seen(THREE).frame(80, 24, LOOK));
    let mut healthy = seen(HEALTHY);
    check("healthy-80x24", &healthy.frame(80, 24, LOOK));
    healthy.act(&[Action::Finding(1)]);
    check("replay-80x24", &healthy.frame(80, 24, LOOK));
}

#[test]
fn who_in_full_as_a_tree_and_filtered() {
    let mut seen = seen(THREE);
    seen.act(&[Action::Who, Action::Move(1), Action::Move(1)]);
    check("who-80x24", &seen.frame(80, 24, LOOK));
    check("who-200x60", &seen.frame(200, 60, LOOK));
    seen.act(&[Action::First, Action::Filter]);
    for c in "shop".chars() {
        seen.app.typed.as_mut().expect("a line").1.put(c);
        seen.app.while_typing();
    }
    check("filter-80x24", &seen.frame(80, 24, LOOK));
    seen.app.entered();
    seen.act(&[Action::Back, Action::Who, Action::Tree]);
    check("tree-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Tree, Action::Threads, Action::Sort(1)]);
    check("threads-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Units]);
    check("units-80x24", &seen.frame(80, 24, LOOK));
}

#[test]
fn a_finding_a_process_and_an_area() {
    let mut seen = seen(ONE);
    seen.act(&[Action::Open]);
    check("finding-80x24", &seen.frame(80, 24, LOOK));
    check("finding-200x60", &seen.frame(200, 60, LOOK));
    seen.act(&[Action::Overview, Action::Who, Action::Open]);
    check("life-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Area(1)]);
    check("disk-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Table]);
    check("disk-table-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Stacks]);
    check("stacks-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Stacks, Action::Stacks]);
    check("stacks-of-locks-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Keys]);
    check("help-80x24", &seen.frame(80, 24, LOOK));
    check("help-48x20", &seen.frame(48, 20, LOOK));
}

#[test]
fn what_changed_and_rows_of_a_query() {
    let mut seen = seen(ONE);
    seen.act(&[Action::Compare]);
    check("compare-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Sql]);
    seen.app.typed = None;
    check("sql-tables-80x24", &seen.frame(80, 24, LOOK));
    let query = "select process_name, class_name, sum(seconds) as seconds from task_time group by 1, 2 order by 3 desc";
    seen.app.typed = Some((Purpose::Sql, LineEdit::of(query)));
    let asks = seen.app.entered();
    seen.answer(asks);
    check("sql-80x24", &seen.frame(80, 24, LOOK));
    seen.app.typed = Some((Purpose::Sql, LineEdit::of("select x from nowhere")));
    let asks = seen.app.entered();
    seen.answer(asks);
    let frame = seen.frame(80, 24, LOOK);
    assert!(frame.contains("no table nowhere"), "{frame}");
    seen.act(&[Action::Recording]);
    let frame = seen.frame(80, 24, LOOK);
    assert!(frame.contains("Recording") && frame.contains("archive"), "{frame}");
}

/// Experiments are a list, of which one is opened; without any it is said how one is made.
#[test]
fn experiments_are_a_list() {
    let mut seen = seen(ONE);
    seen.app.act(Action::Experiments);
    seen.app.tell(Told::Experiments(Vec::new()));
    let frame = seen.frame(80, 24, LOOK);
    assert!(frame.contains("none was made yet") && frame.contains("sudo heldup try"), "{frame}");
    let one = |id: &str, title: &str| ListedExperiment {
        id: id.to_owned(),
        time_ms: Some(1_795_732_300_000),
        title: title.to_owned(),
        verdict: Some(Verdict::Helped),
    };
    let all = vec![one("7", "vm.swappiness 60 -> 10"), one("6", "a\u{1b}[31mb")];
    seen.app.tell(Told::Experiments(all));
    seen.app.act(Action::Move(1));
    let frame = seen.frame(80, 24, LOOK);
    assert!(frame.contains("helped") && frame.contains("vm.swappiness 60 -> 10"), "{frame}");
    assert!(!frame.contains('\u{1b}'), "{frame:?}");
    let (_, asks) = seen.app.act(Action::Open);
    assert_eq!(asks, [Ask::Experiment("6".to_owned())]);
}

/// What another user's tasks wait for, and how sure a sampled number is.
#[test]
fn what_is_not_seen_and_not_sure_is_said() {
    let mut seen = seen(ONE);
    let as_other = Look { sudo: false, ..LOOK };
    seen.app.live = true;
    let frame = seen.frame(80, 24, as_other);
    assert!(!frame.contains("not seen") && !frame.contains('±'), "eBPF sees all:\n{frame}");
    if let Some(view) = &mut seen.app.view {
        view.examination.host.method = Method::Sampling;
        view.examination.ledger.classes.iter_mut().for_each(|class| class.error_s = Some(0.25));
    }
    let frame = seen.frame(80, 24, as_other);
    assert!(frame.contains("not seen: what other users' processes wait for"), "{frame}");
    assert!(frame.contains("± 250 ms") && frame.contains("sampling"), "{frame}");
    let plain = seen.frame(80, 24, Look { ascii: true, ..LOOK });
    assert!(plain.is_ascii() && plain.contains("+- 250 ms") && !plain.contains("not seen"), "{plain}");
}

/// Every cell, whatever the size: nothing is drawn beside the terminal, and nothing ends the program.
#[test]
fn any_size() {
    let mut seen = seen(ONE);
    let pages = [
        Action::Overview,
        Action::Open,
        Action::Who,
        Action::Open,
        Action::Area(0),
        Action::Stacks,
        Action::Compare,
        Action::Experiments,
        Action::Recording,
        Action::Keys,
    ];
    for (width, height) in [(1, 1), (39, 24), (40, 10), (41, 11), (60, 12), (300, 5), (300, 100)] {
        for page in pages {
            seen.act(&[page]);
            let frame = seen.frame(width, height, LOOK);
            assert_eq!(frame.lines().count(), 2 * height as usize + 1, "{page:?} {width}x{height}");
        }
    }
}

/// A name may hold anything: what steers a terminal is written out.
#[test]
fn a_hostile_name_steers_nothing() {
    let mut seen = seen(ONE);
    let name = "a\u{1b}[31m\u{202e}\r\n\u{7}b";
    if let Some(view) = &mut seen.app.view {
        view.processes.iter_mut().for_each(|process| process.name = name.to_owned());
        view.examination.findings.iter_mut().for_each(|finding| finding.title = name.repeat(100));
        view.examination.host.name = name.to_owned();
    }
    seen.act(&[Action::Group, Action::Group]);
    for page in [Action::Overview, Action::Who, Action::Open, Action::Back] {
        seen.act(&[page]);
        let frame = seen.frame(120, 40, LOOK);
        let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!frame.contains(steers), "{page:?}: {frame:?}");
    }
}
