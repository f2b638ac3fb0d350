//! `heldup tune list`: settings in a line each, with value, default and who set them.

use heldup_engine::tune::{self, SettingsRequest};
use heldup_report::settings;

use super::args::TuneListArgs;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::Progress;

/// Lists settings.
pub fn run(args: &TuneListArgs) -> anyhow::Result<Exit> {
    let found = tune::settings(&SettingsRequest { text: args.text.clone(), changed: args.changed })?;
    match args.format {
        Format::Text => {
            Progress::notes().all(&found.notes);
            print!("{}", settings::list(&found, args.changed));
        }
        Format::Json => print!("{}", settings::json(&found)),
    }
    Ok(Exit::DONE)
}
