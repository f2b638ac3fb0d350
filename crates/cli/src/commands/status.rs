//! `heldup status [ARCHIVE]`: what is recorded, and what that costs.

use heldup_engine::StatusRequest;
use heldup_report::status;

use crate::args::{Format, StatusArgs};
use crate::exit::Exit;
use crate::terminal::Progress;

/// Tells how recording goes.
pub fn run(args: &StatusArgs) -> anyhow::Result<Exit> {
    let request = StatusRequest { archive: args.archive.clone() };
    let told = heldup_engine::status(&request, &Progress::default())?;
    match args.format {
        Format::Text => print!("{}", status::text(&told)),
        Format::Json => print!("{}", status::json(&told)),
    }
    Ok(Exit::DONE)
}
