//! A slow line: what a frame costs in bytes, after the first one.

use std::cell::RefCell;
use std::io::{Result, Write};
use std::rc::Rc;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::{LOOK, ONE, seen};
use crate::draw::draw;
use crate::keys::Action;

/// Counts what would go over the line.
#[derive(Clone, Default)]
struct Line(Rc<RefCell<usize>>);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        *self.0.borrow_mut() += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

/// At 9,600 baud 960 bytes pass in a second.
#[test]
fn a_second_without_news_is_a_few_bytes() {
    let mut seen = seen(ONE);
    seen.app.live = true;
    seen.app.follows = true;
    let line = Line::default();
    let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, 80, 24)) };
    let mut terminal =
        Terminal::with_options(CrosstermBackend::new(line.clone()), options).expect("a terminal");
    let mut sent = |app: &mut crate::app::App| {
        let before = *line.0.borrow();
        terminal.draw(|frame| draw(app, LOOK, frame)).expect("drawn");
        *line.0.borrow() - before
    };
    let all = sent(&mut seen.app);
    assert!(all > 1000, "a whole frame: {all} bytes");
    let same = sent(&mut seen.app);
    // The backend puts colours and cursor in order with each frame.
    assert!(same <= 32, "nothing has changed: {same} bytes");
    seen.app.now_ms += 1000;
    let clock = sent(&mut seen.app);
    assert!(clock > same && clock <= 100, "the clock: {clock} bytes");
    // A row further down: that row and the one before.
    seen.app.act(Action::Move(1));
    let row = sent(&mut seen.app);
    assert!(row > clock && row < all / 3, "two rows of {all}: {row} bytes");
}
