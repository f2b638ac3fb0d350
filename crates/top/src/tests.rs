//! Frames of recorded machines, cell by cell: the text, and below it a letter for the style of each cell.
//!
//! `UPDATE_GOLDEN=1` writes them anew; they are to be looked at then.

#![cfg(test)]

use std::fs;
use std::path::{Path, PathBuf};

use heldup_engine::{Silent, ViewRequest, Viewer};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::style::{Color, Modifier, Style};

use crate::app::App;
use crate::draw::draw;
use crate::keys::Action;
use crate::paint::Look;
use crate::worker::{Ask, answer};

const LOOK: Look = Look { color: true, ascii: false, sudo: true };

/// A recording that is looked at.
struct Seen {
    viewer: Viewer,
    app: App,
}

impl Seen {
    fn open(source: &str) -> Seen {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        let request = ViewRequest { sources: vec![place.display().to_string()], ..ViewRequest::default() };
        let viewer = Viewer::open(&request, &Silent).expect("it can be opened");
        let all = viewer.all().expect("a span");
        let app = App::new(Some(source.to_owned()), false, TimeZone::UTC, all.until_ms);
        let mut seen = Seen { viewer, app };
        let first = seen.viewer.first().expect("a window");
        seen.app.span = Some(first);
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

fn check(name: &str, frame: &str) {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden").join(format!("{name}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, frame).expect("written");
        return;
    }
    let golden = fs::read_to_string(&file).unwrap_or_default();
    assert!(golden == frame, "{} differs (UPDATE_GOLDEN=1 writes it anew):\n{frame}", file.display());
}

const TROUBLE: &str = "fixtures/sync-and-lock.heldup";

#[test]
fn overview() {
    let mut seen = Seen::open(TROUBLE);
    check("overview-80x24", &seen.frame(80, 24, LOOK));
    check("overview-200x60", &seen.frame(200, 60, LOOK));
    check("overview-narrow-48x20", &seen.frame(48, 20, LOOK));
    check("overview-ascii-80x24", &seen.frame(80, 24, Look { color: false, ascii: true, sudo: false }));
}

#[test]
fn who_in_full_as_a_tree_and_filtered() {
    let mut seen = Seen::open(TROUBLE);
    seen.act(&[Action::Who, Action::Move(1), Action::Move(1)]);
    check("who-80x24", &seen.frame(80, 24, LOOK));
    check("who-200x60", &seen.frame(200, 60, LOOK));
    seen.act(&[Action::First, Action::Tree]);
    check("tree-80x24", &seen.frame(80, 24, LOOK));
    seen.act(&[Action::Tree, Action::Threads, Action::Sort(1)]);
    check("threads-80x24", &seen.frame(80, 24, LOOK));
}

#[test]
fn a_finding_a_process_and_an_area() {
    let mut seen = Seen::open(TROUBLE);
    seen.act(&[Action::Open]);
    check("finding-80x24", &seen.frame(80, 24, LOOK));
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
    check("keys-80x24", &seen.frame(80, 24, LOOK));
}

/// Every cell, whatever the size: nothing is drawn beside the terminal, and nothing ends the program.
#[test]
fn any_size() {
    let mut seen = Seen::open(TROUBLE);
    let pages = [Action::Overview, Action::Who, Action::Area(0), Action::Stacks, Action::Keys, Action::Open];
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
    let mut seen = Seen::open(TROUBLE);
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
