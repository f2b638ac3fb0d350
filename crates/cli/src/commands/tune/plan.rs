//! `heldup tune plan SETTING=VALUE…`: what a change would do, without making it.

use heldup_engine::tune::{self, WantedChanges};
use heldup_model::TunePlanAnswer;
use heldup_report::{csv, setting_changes};

use super::change_args::PlanArgs;
use super::{print, profile};
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Shows the difference that a change would make.
pub fn run(args: &PlanArgs) -> anyhow::Result<Exit> {
    let format = args.output.format();
    if let Some(name) = &args.wanted.profile {
        profile::show(&tune::planned_profile(name)?, format, profile::pages);
        return Ok(Exit::DONE);
    }
    let found = tune::plan(&wanted(args), &Progress::notes())?;
    Ok(show(&found, format, "apply it with heldup tune apply"))
}

/// What is to be changed.
pub fn wanted(args: &PlanArgs) -> WantedChanges {
    WantedChanges::Settings { assignments: args.wanted.assignments.clone(), persist: args.persist }
}

/// Shows a plan, whoever made it; `how` says what makes it.
pub fn show(found: &TunePlanAnswer, format: Format, how: &str) -> Exit {
    match format {
        Format::Text => print(&setting_changes::planned(&found.changes, how, terminal::width())),
        Format::Json => print!("{}", setting_changes::json(found)),
        Format::Csv => print!("{}", csv::list(found, "changes")),
    }
    let is_refused = found.changes.iter().any(|change| !change.refused.is_empty());
    if is_refused { Exit::COULD_NOT } else { Exit::DONE }
}
