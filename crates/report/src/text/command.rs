//! The command that was run: how it ended, how long it took, and where its time went.

use heldup_model::{CommandSummary, Examination};

use crate::layout::{Ink, Page};
use crate::quantity::{count, seconds};

use super::{TextOptions, ledger};

/// Columns of the command line that are shown.
const MOST_WORDS: usize = 60;

/// Writes the command's line.
pub(crate) fn write(page: &mut Page, command: &CommandSummary) {
    let name = page.fit(&command.command, MOST_WORDS, false);
    let mut parts = vec![ending(command)];
    if let Some(processes) = command.processes {
        let noun = if processes == 1 { "process" } else { "processes" };
        parts.push(format!("{}\u{a0}{noun}", count(processes)));
    }
    if let Some((user, system)) = command.user_seconds.zip(command.system_seconds) {
        parts.push(format!("CPU {} user, {} system", seconds(user), seconds(system)));
    }
    page.paragraph(
        &[(Ink::Bold, name.trim_end().to_owned()), (Ink::Plain, format!(" · {}", parts.join(" · ")))],
        2,
    );
}

/// Writes where the command's time went, then the machine's.
pub(crate) fn write_time(
    page: &mut Page,
    command: &CommandSummary,
    examination: &Examination,
    options: &TextOptions,
) {
    match &command.ledger {
        Some(own) => {
            ledger::write_command(page, own, options);
            ledger::write_around(page, &examination.ledger, options);
        }
        None => {
            let text = "The command's own tasks are not measured here: heldup\u{a0}doctor".to_owned();
            page.paragraph(&[(Ink::Plain, text)], 2);
            ledger::write(page, examination, options);
        }
    }
}

/// `ended with 0 after 12.3 s`
pub(crate) fn ending(command: &CommandSummary) -> String {
    let after = command.wall_seconds.map(|wall| format!(" after {}", seconds(wall))).unwrap_or_default();
    match (command.exit_code, command.signal) {
        (Some(code), _) => format!("ended with {code}{after}"),
        (None, Some(signal)) => format!("ended by signal {signal}{after}"),
        (None, None) => format!("still running{after}"),
    }
}
