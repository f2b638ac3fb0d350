//! `heldup tune status`: what of ours stands, what somebody else has set since, what a boot took back.

use heldup_engine::tune;
use heldup_report::setting_changes;

use super::print;
use crate::args::Format;
use crate::exit::Exit;

/// Tells what is changed.
pub fn run(format: Format) -> anyhow::Result<Exit> {
    let found = tune::status()?;
    match format {
        Format::Text => print(&setting_changes::standing(&found)),
        Format::Json => print!("{}", setting_changes::json(&found)),
    }
    Ok(Exit::DONE)
}
