//! `heldup tune undo|confirm|recover`: undoes changes, or confirms them.

use heldup_engine::tune::{self, UndoRequest, UndoWhich};
use heldup_engine::{Cancel, Progress as _};
use heldup_model::TuneUndoAnswer;
use heldup_report::{csv, setting_changes};

use super::change_args::{ConfirmArgs, UndoArgs};
use super::print;
use crate::args::{Format, OutputArgs};
use crate::exit::Exit;
use crate::terminal::Progress;

/// Undoes changes.
pub fn run(args: &UndoArgs) -> anyhow::Result<Exit> {
    let which = match (args.changes.as_slice(), args.all) {
        ([], false) => UndoWhich::Latest,
        ([], true) => UndoWhich::All,
        (named, _) => UndoWhich::Named(named.to_vec()),
    };
    let progress = Progress::notes();
    let found = tune::undo(&UndoRequest { which, force: args.force }, &progress, &Cancel::Signals)?;
    match args.output.format() {
        Format::Text => {
            print(&setting_changes::undone(&found));
            for change in &found.changes {
                if let Some(error) = &change.error {
                    progress.note(&format!("change {} not undone: {error}", change.change));
                }
            }
        }
        Format::Json => print!("{}", setting_changes::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "changes")),
    }
    Ok(exit(&found))
}

/// Whether all of it was undone.
pub fn exit(found: &TuneUndoAnswer) -> Exit {
    if found.changes.iter().all(|change| change.undone) { Exit::DONE } else { Exit::COULD_NOT }
}

/// Keeps plans that wait for confirmation.
pub fn confirm(args: &ConfirmArgs) -> anyhow::Result<Exit> {
    let progress = Progress::notes();
    let found = tune::confirm(&args.changes, &progress, &Cancel::Signals)?;
    match args.output.format() {
        Format::Text => print!("{}", setting_changes::confirmed(&found)),
        Format::Json => print!("{}", setting_changes::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "changes")),
    }
    let Some(error) = &found.error else { return Ok(Exit::DONE) };
    progress.note(error);
    Ok(Exit::COULD_NOT)
}

/// Undoes what earlier runs left unfinished.
pub fn recover(output: &OutputArgs) -> anyhow::Result<Exit> {
    let found = tune::recover(&Progress::notes(), &Cancel::Signals)?;
    match output.format() {
        Format::Text => print!("{}", setting_changes::recovered(&found)),
        Format::Json => print!("{}", setting_changes::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "changes")),
    }
    Ok(exit(&found))
}
