//! Words of changes that several commands have, and how answers are printed.

use heldup_report::harmless::ascii;
use heldup_tune::{Change, ChangeError, Why};

use crate::terminal;

/// The word of JSON.
pub fn word(why: Why) -> &'static str {
    match why {
        Why::Asked => "asked",
        Why::CutOff => "cut_off",
        Why::NotConfirmed => "not_confirmed",
        Why::Refused => "refused",
    }
}

/// `3 vm.swappiness`, for lines about a change.
pub fn named(change: &Change) -> String {
    format!("change {}, {}", change.id(), change.begin.setting.key)
}

/// Prints an answer as this terminal can show it.
pub fn print(text: &str) {
    if terminal::unicode() { print!("{text}") } else { print!("{}", ascii(text)) }
}

/// The words of errors.
pub fn words<'e>(errors: impl IntoIterator<Item = &'e ChangeError>) -> Vec<String> {
    errors.into_iter().map(ToString::to_string).collect()
}
