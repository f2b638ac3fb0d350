//! `heldup tune apply SETTING=VALUE…`: changes settings, all of them or none.

use heldup_engine::Cancel;
use heldup_engine::tune::{self, ApplyRequest, ProfileApplyRequest};
use heldup_model::{PlannedChange, TuneApplyAnswer};
use heldup_report::{csv, setting_changes};

use super::change_args::ApplyArgs;
use super::{plan, print};
use crate::args::Format;
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::{self, Progress};

/// Changes settings.
pub fn run(args: &ApplyArgs) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::UNDOES_PLAN);
    let (confirm, persist, progress) = (args.confirm, args.plan.persist, Progress::notes());
    let made = match &args.plan.wanted.profile {
        None => {
            let request = ApplyRequest { wanted: plan::wanted(&args.plan), confirm };
            tune::apply(&request, &progress, &Cancel::Signals)?
        }
        Some(name) => {
            let request = ProfileApplyRequest { name: name.clone(), persist, confirm };
            tune::apply_profile(&request, &progress, &Cancel::Signals)?
        }
    };
    Ok(show(&made, args.plan.output.format()))
}

/// Shows what was changed, or why nothing was.
pub fn show(made: &TuneApplyAnswer, format: Format) -> Exit {
    match format {
        Format::Json => {
            let warnings = |change: &PlannedChange| {
                let of_change = change.warnings.iter();
                of_change.map(|what| format!("{}: {what}", change.setting)).collect::<Vec<_>>()
            };
            Progress::notes().all(made.refused.iter().flat_map(warnings));
            print!("{}", setting_changes::json(made));
        }
        Format::Csv => print!("{}", csv::list(made, "changes")),
        Format::Text if !made.refused.is_empty() => {
            let how = "apply it with heldup tune apply";
            print(&setting_changes::planned(&made.refused, how, terminal::width()));
        }
        Format::Text if made.error.is_some() => say_why(made),
        Format::Text => print(&setting_changes::applied(made)),
    }
    match &made.error {
        None => Exit::DONE,
        Some(_) if made.interrupted && made.not_undone.is_empty() => Exit::UNDONE,
        Some(_) => Exit::COULD_NOT,
    }
}

/// Says why nothing was changed.
pub fn say_why(made: &TuneApplyAnswer) {
    Progress::notes().all(setting_changes::not_applied(made).lines());
}
