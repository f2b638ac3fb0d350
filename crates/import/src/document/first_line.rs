//! The first line of a listing that no heading announces: it counts where the next one agrees with it.

use crate::document::{Document, Line};
use crate::text::words;

/// Lines that may be blank between the two.
const MOST_GAP: u64 = 2;

/// A line that is held until the next.
#[derive(Default)]
pub struct FirstLine {
    held: Option<(u64, String)>,
}

impl FirstLine {
    /// Holds a line that a listing may begin with.
    pub fn hold(&mut self, line: &Line<'_>) {
        self.held = Some((line.number, line.words.join(" ")));
    }

    /// The line that is held, where this is the next; it is held no longer.
    pub fn before(&mut self, line: &Line<'_>) -> Option<(u64, String)> {
        self.held.take().filter(|(number, _)| line.number <= number + MOST_GAP)
    }
}

/// What a line that was held is a row of.
pub fn form_of<T>(text: &str, form: impl FnOnce(&[&str]) -> Option<T>) -> Option<T> {
    let mut cut = Vec::new();
    words::cut(text, &mut cut);
    form(&cut)
}

/// Offers a line that was held.
pub fn replay<T>(
    held: &(u64, String),
    document: &mut Document,
    to: impl FnOnce(&Line<'_>, &mut Document) -> T,
) -> T {
    let mut cut = Vec::new();
    words::cut(&held.1, &mut cut);
    document.take_held(1);
    to(&Line { number: held.0, words: &cut, text: &held.1, is_cut: false }, document)
}
