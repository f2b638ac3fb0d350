//! Processes, or a command, whose limits or CPUs are changed.

use heldup_engine::Cancel;
use heldup_engine::tune::{self, ApplyRequest, RunWithin, WantedChanges, Whom};
use heldup_model::TuneApplyAnswer;
use heldup_report::setting_changes;

use super::change_args::WhomArgs;
use super::{apply, plan};
use crate::exit::Exit;
use crate::interrupt;
use crate::terminal::Progress;

/// The processes, or the command, that are changed.
pub fn asked(args: &WhomArgs) -> Whom {
    match args.command.first() {
        Some(name) => Whom::Command(name.to_string_lossy().into_owned()),
        None => Whom::Processes(args.pid.clone()),
    }
}

/// Changes them, or shows what would be changed, or runs the command with it.
pub fn run(args: &WhomArgs, wanted: WantedChanges) -> anyhow::Result<Exit> {
    interrupt::acknowledge(interrupt::UNDOES_PLAN);
    let progress = Progress::notes();
    if args.plan {
        return Ok(plan::show(
            &tune::plan(&wanted, &progress)?,
            args.output.format(),
            "leave out --plan to apply it",
        ));
    }
    if args.command.is_empty() {
        let request = ApplyRequest { wanted, confirm: args.confirm };
        return Ok(apply::show(&tune::apply(&request, &progress, &Cancel::Signals)?, args.output.format()));
    }
    let mut made = |made: &TuneApplyAnswer| {
        made.changes.iter().for_each(|change| eprint!("heldup: {}", setting_changes::made(change)));
    };
    Ok(match tune::run_within(&wanted, &args.command, &mut made, &progress, &Cancel::Signals)? {
        RunWithin::NotMade(why) => {
            apply::say_why(&why);
            if why.interrupted { Exit::UNDONE } else { Exit::COULD_NOT }
        }
        RunWithin::Ran { undone: false, .. } => Exit::COULD_NOT,
        RunWithin::Ran { status: None, .. } => Exit::UNDONE,
        RunWithin::Ran { status: Some(status), .. } => Exit::of_command(status),
    })
}
