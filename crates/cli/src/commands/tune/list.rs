//! `heldup tune list`: settings in a line each, with value, default and who set them.

use heldup_engine::tune::{self, SettingsRequest};
use heldup_report::{csv, settings};

use super::args::TuneListArgs;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Lists settings.
pub fn run(args: &TuneListArgs) -> anyhow::Result<Exit> {
    let mut found = tune::settings(&SettingsRequest { text: args.text.clone(), changed: args.changed })?;
    found.settings.truncate(args.rows.unwrap_or(usize::MAX));
    match args.output.format() {
        Format::Text => {
            Progress::notes().all(&found.notes);
            print!("{}", settings::list(&found, args.changed));
        }
        Format::Json => print!("{}", settings::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "settings")),
    }
    Ok(Exit::DONE)
}
