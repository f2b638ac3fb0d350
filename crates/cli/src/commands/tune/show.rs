//! `heldup tune show`: all that is known of one setting, and its value here.

use heldup_engine::tune;
use heldup_report::{csv, settings};

use super::args::TuneShowArgs;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Shows a setting.
pub fn run(args: &TuneShowArgs) -> anyhow::Result<Exit> {
    let found = tune::setting(&args.id)?;
    match args.output.format() {
        Format::Text => {
            Progress::notes().all(&found.notes);
            let release = found.release.as_deref();
            found.settings.iter().for_each(|setting| {
                print!("{}", settings::page(setting, release, terminal::width()));
            });
        }
        Format::Json => print!("{}", settings::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "settings")),
    }
    Ok(Exit::DONE)
}
