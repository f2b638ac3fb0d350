//! `heldup tune profile list|show|plan|apply`: settings for a kind of work, ours and those of tuned.

use heldup_engine::Cancel;
use heldup_engine::tune::{self, ProfileApplyRequest};
use heldup_model::ProfilesAnswer;
use heldup_report::profiles as report;

use super::apply;
use super::args::{ProfileApplyArgs, ProfileCommand};
use crate::args::Format;
use crate::exit::Exit;
use crate::terminal::{self, Progress};

/// Does what was asked of profiles.
pub fn run(command: &ProfileCommand) -> anyhow::Result<Exit> {
    match command {
        ProfileCommand::List { format } => show(&tune::profiles(), *format, report::list),
        ProfileCommand::Show(args) => show(&tune::profile(&args.name)?, args.format, pages),
        ProfileCommand::Plan(args) => show(&tune::planned_profile(&args.name)?, args.format, pages),
        ProfileCommand::Apply(args) => return make(args),
    }
    Ok(Exit::DONE)
}

fn show(found: &ProfilesAnswer, format: Format, text: fn(&ProfilesAnswer) -> String) {
    match format {
        Format::Text => print!("{}", text(found)),
        Format::Json => print!("{}", report::json(found)),
    }
}

fn pages(found: &ProfilesAnswer) -> String {
    found.profiles.iter().map(|profile| report::page(profile, terminal::width())).collect()
}

fn make(args: &ProfileApplyArgs) -> anyhow::Result<Exit> {
    let request =
        ProfileApplyRequest { name: args.name.clone(), persist: args.persist, confirm: args.confirm };
    let made = tune::apply_profile(&request, &Progress::notes(), &Cancel::Signals)?;
    Ok(apply::show(&made, args.format))
}
