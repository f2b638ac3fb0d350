//! `heldup tune profile list|show`: settings for a kind of work, ours and those of tuned.

use heldup_engine::tune;
use heldup_model::ProfilesAnswer;
use heldup_report::{csv, profiles as report};

use super::args::ProfileCommand;
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal;

/// Does what was asked of profiles.
pub fn run(command: &ProfileCommand) -> anyhow::Result<Exit> {
    match command {
        ProfileCommand::List(output) => show(&tune::profiles(), output.format(), report::list),
        ProfileCommand::Show(args) => show(&tune::profile(&args.name)?, args.output.format(), pages),
    }
    Ok(Exit::DONE)
}

/// Shows profiles; of one as CSV what it sets.
pub fn show(found: &ProfilesAnswer, format: Format, text: fn(&ProfilesAnswer) -> String) {
    match (format, found.profiles.as_slice()) {
        (Format::Text, _) => print!("{}", text(found)),
        (Format::Json, _) => print!("{}", report::json(found)),
        (Format::Csv, [one]) if !one.steps.is_empty() => print!("{}", csv::list(one, "steps")),
        (Format::Csv, _) => print!("{}", csv::list(found, "profiles")),
    }
}

/// A page each.
pub fn pages(found: &ProfilesAnswer) -> String {
    found.profiles.iter().map(|profile| report::page(profile, terminal::width())).collect()
}
