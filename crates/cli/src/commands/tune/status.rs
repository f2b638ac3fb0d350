//! `heldup tune status`: the changes, how they stand, and what a boot undid.

use heldup_engine::tune;
use heldup_report::{csv, setting_changes};

use super::print;
use crate::args::{Format, OutputArgs};
use crate::exit::Exit;

/// Lists the changes.
pub fn run(output: &OutputArgs) -> anyhow::Result<Exit> {
    let found = tune::status()?;
    match output.format() {
        Format::Text => print(&setting_changes::status(&found)),
        Format::Json => print!("{}", setting_changes::json(&found)),
        Format::Csv => print!("{}", csv::list(&found, "changes")),
    }
    Ok(Exit::DONE)
}
