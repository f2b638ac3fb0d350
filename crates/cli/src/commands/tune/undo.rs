//! `heldup tune undo|confirm|recover`: takes changes back, or lets them stand.

use heldup_engine::tune::{self, UndoRequest, UndoWhich};
use heldup_engine::{Cancel, Progress as _};
use heldup_model::TuneUndoAnswer;
use heldup_report::setting_changes;

use super::change_args::UndoArgs;
use super::print;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Takes changes back.
pub fn run(args: &UndoArgs) -> anyhow::Result<Exit> {
    let which = match (args.changes.as_slice(), args.all) {
        ([], false) => UndoWhich::Latest,
        ([], true) => UndoWhich::All,
        (named, _) => UndoWhich::Named(named.to_vec()),
    };
    let progress = Progress::notes();
    let found = tune::undo(&UndoRequest { which, force: args.force }, &progress, &Cancel::Signals)?;
    match args.format {
        Format::Text => {
            print(&setting_changes::undone(&found));
            for change in &found.changes {
                if let Some(error) = &change.error {
                    progress.note(&format!("change {}: {error}", change.change));
                }
            }
        }
        Format::Json => print!("{}", setting_changes::json(&found)),
    }
    Ok(exit(&found))
}

/// Whether all of it was taken back.
pub fn exit(found: &TuneUndoAnswer) -> Exit {
    if found.changes.iter().all(|change| change.taken_back) { Exit::DONE } else { Exit::COULD_NOT }
}

/// Lets plans stand that wait for it.
pub fn confirm(ids: &[u64]) -> anyhow::Result<Exit> {
    let progress = Progress::notes();
    let found = tune::confirm(ids, &progress, &Cancel::Signals)?;
    print!("{}", setting_changes::confirmed(&found));
    let Some(error) = &found.error else { return Ok(Exit::DONE) };
    progress.note(error);
    Ok(Exit::COULD_NOT)
}

/// Takes back what earlier runs left unfinished.
pub fn recover() -> anyhow::Result<Exit> {
    let found = tune::recover(&Progress::notes(), &Cancel::Signals)?;
    print!("{}", setting_changes::recovered(&found));
    Ok(exit(&found))
}
