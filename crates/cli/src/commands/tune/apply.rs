//! `heldup tune apply SETTING=VALUE…`: changes settings, all of them or none.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::time::Duration;

use heldup_hostfs::{ChildOutput, Interrupts, boottime_ns, monotonic_ns};
use heldup_model::{MadeChange, MovedWithChange, TUNE_APPLY_SCHEMA, TuneApplyAnswer};
use heldup_report::{harmless, setting_changes};
use heldup_tune::{Applied, ChangeError, ChangeId, Foreign, LoggedHost, Made, Plan, PlanFailure, Writer};

use super::change_args::ApplyArgs;
use super::changed_host::{print, words};
use super::{guard, plan};
use crate::args::Format;
use crate::command_run::CommandRun;
use crate::exit::Exit;
use crate::terminal::Progress;
use heldup_engine::changed::{ChangedHost, writer};

/// How often it is looked whether a command has ended, beside the signal that tells it.
const LOOK_NS: u64 = 1_000_000_000;

/// How long changes are to last, and how they are told.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Also at each boot.
    pub persist: bool,
    /// Until this time is over, unless they are confirmed.
    pub confirm: Option<Duration>,
    /// How it is written.
    pub format: Format,
}

/// Changes settings.
pub fn run(args: &ApplyArgs) -> anyhow::Result<Exit> {
    let terms = Terms { persist: args.plan.persist, confirm: args.confirm, format: args.plan.format };
    carry_out(terms, |changed| Ok(changed.plan(&args.plan.assignments, args.plan.persist)?))
}

/// Makes a plan, and lets it stand for good or until the time to confirm it is over. What is wanted is
/// asked for once nobody else writes any more.
pub fn carry_out(
    terms: Terms,
    wanted: impl FnOnce(&ChangedHost) -> anyhow::Result<Plan>,
) -> anyhow::Result<Exit> {
    // From here on a request to stop is seen between two steps and not in the middle of one.
    let interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, &Progress::notes())?;
    let wanted = wanted(&changed)?;
    if terms.format == Format::Text && wanted.refused().next().is_some() {
        print(&plan::text(&changed, &wanted, "heldup tune apply makes it"));
        return Ok(Exit::COULD_NOT);
    }
    warn(&wanted);
    let made =
        wanted.apply(&writer, &|| interrupts.stopped()).and_then(|made| stand(&writer, made, terms.confirm));
    let exit = match &made {
        Ok(_) => Exit::DONE,
        Err(failed) if failed.error.is_none() && failed.left.is_empty() => Exit::TAKEN_BACK,
        Err(_) => Exit::COULD_NOT,
    };
    match (terms.format, &made) {
        (Format::Json, made) => print!("{}", setting_changes::json(&answer(made, terms.confirm))),
        (Format::Text, Ok(made)) => print(&done(made, terms)),
        (Format::Text, Err(failed)) => eprint!("{}", failure(failed)),
    }
    Ok(exit)
}

/// Says what speaks against a plan and does not refuse it.
fn warn(wanted: &Plan) {
    for planned in &wanted.changes {
        for objection in planned.objections.iter().filter(|objection| !objection.refuses) {
            eprintln!("heldup: {}: {}", harmless(&planned.instance.key), harmless(&objection.what));
        }
    }
}

/// Makes a plan of this process, which a command then inherits, and takes it back when that has ended.
/// Killed in between, the plan stands, and `heldup tune undo` takes it back.
pub fn carry_out_for(
    command: &[OsString],
    wanted: impl FnOnce(&ChangedHost) -> anyhow::Result<Plan>,
) -> anyhow::Result<Exit> {
    let interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, &Progress::notes())?;
    let wanted = wanted(&changed)?;
    warn(&wanted);
    let made = wanted.apply(&writer, &|| interrupts.stopped()).and_then(|made| stand(&writer, made, None));
    let made = match made {
        Ok(made) => made,
        Err(failed) => {
            eprint!("{}", failure(&failed));
            return Ok(if failed.error.is_none() { Exit::TAKEN_BACK } else { Exit::COULD_NOT });
        }
    };
    made.changes.iter().for_each(|applied| eprint!("heldup: {}", change(applied)));
    // Others may change settings while it runs.
    drop(writer);
    let ended = run_command(command, &interrupts);
    let Some(plan) = made.plan else { return ended };
    let outcomes = changer.wait_for_writer()?.undo_plan(plan, Foreign::Goes)?;
    let left: Vec<&ChangeError> = outcomes.iter().filter_map(|(_, outcome)| outcome.as_ref().err()).collect();
    for error in words(left.iter().copied()) {
        eprintln!("heldup: not taken back: {}; `heldup tune recover` tries again", harmless(&error));
    }
    if left.is_empty() { ended } else { Ok(Exit::COULD_NOT) }
}

/// Runs a command to its end; its exit code, as a shell has it.
fn run_command(command: &[OsString], interrupts: &Interrupts) -> anyhow::Result<Exit> {
    let mut run = CommandRun::start(command, ChildOutput::Shared)?;
    while !run.has_ended()? && !interrupts.stopped() {
        interrupts.wait_until(monotonic_ns().saturating_add(LOOK_NS));
    }
    run.await_end(interrupts)?;
    let (_, status) = run.finish()?;
    let Some(status) = status else { return Ok(Exit::TAKEN_BACK) };
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    Ok(Exit(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Lets a plan stand; what keeps it from that is taken back with it.
fn stand(
    writer: &Writer<'_, '_, LoggedHost<'_>>,
    made: Made,
    confirm: Option<Duration>,
) -> Result<Made, Box<PlanFailure>> {
    let Some(plan) = made.plan else { return Ok(made) };
    let until = confirm.map(|time| boottime_ns().saturating_add(nanoseconds(time)));
    // The guard waits until this run is over, so that it is there before the plan stands.
    let guarded = until.map_or(Ok(()), |_| guard::start(plan).map_err(ChangeError::from));
    match guarded.and_then(|()| writer.stand(plan, until)) {
        Ok(()) => Ok(made),
        Err(error) => Err(taken_back(writer, plan, made, error)),
    }
}

fn taken_back(
    writer: &Writer<'_, '_, LoggedHost<'_>>,
    plan: ChangeId,
    made: Made,
    error: ChangeError,
) -> Box<PlanFailure> {
    let left = match writer.undo_plan(plan, Foreign::Goes) {
        Ok(outcomes) => outcomes.into_iter().filter_map(|(_, outcome)| outcome.err()).collect(),
        Err(error) => vec![error],
    };
    let taken_back = made.changes.into_iter().filter(|applied| applied.id.is_some()).collect();
    Box::new(PlanFailure { error: Some(error), taken_back, left })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// What was done, for people.
fn done(made: &Made, terms: Terms) -> String {
    let mut out = String::new();
    for applied in &made.changes {
        out.push_str(&change(applied));
    }
    let Some(plan) = made.plan else { return out };
    let _ = match terms.confirm {
        Some(time) => {
            writeln!(out, "Taken back in {time:?}, unless `heldup tune confirm {plan}` comes before.")
        }
        None if terms.persist => {
            writeln!(out, "`heldup tune undo` takes it back, also what is set at boot.")
        }
        None => writeln!(out, "`heldup tune undo` takes it back; so does a boot."),
    };
    out
}

/// One change that was made.
fn change(applied: &Applied) -> String {
    let Applied { key, before, to, now, .. } = applied;
    let Some(id) = applied.id else { return harmless(&format!("{key} is {now} already")) + "\n" };
    let mut out = harmless(&format!("change {id}: {key} {before} → {now}")) + "\n";
    if now != to {
        out += &(harmless(&format!("  the kernel made {now} of {to}")) + "\n");
    }
    for (other, before, now) in &applied.moved {
        out += &(harmless(&format!("  moved with it: {other} {before} → {now}")) + "\n");
    }
    out
}

/// Why nothing was done, for people.
fn failure(failed: &PlanFailure) -> String {
    let mut out = String::new();
    let why = failed.error.as_ref().map_or("interrupted".to_owned(), ToString::to_string);
    let _ = writeln!(out, "heldup: {}", harmless(&why));
    for applied in &failed.taken_back {
        let _ = writeln!(
            out,
            "heldup: taken back: {} is {} again",
            harmless(&applied.key),
            harmless(&applied.before)
        );
    }
    for error in words(&failed.left) {
        let _ =
            writeln!(out, "heldup: not taken back: {}; `heldup tune recover` tries again", harmless(&error));
    }
    if failed.left.is_empty() {
        let _ = writeln!(out, "heldup: nothing is changed");
    }
    out
}

fn answer(made: &Result<Made, Box<PlanFailure>>, confirm: Option<Duration>) -> TuneApplyAnswer {
    let bare = TuneApplyAnswer {
        schema: TUNE_APPLY_SCHEMA.to_owned(),
        plan: None,
        changes: Vec::new(),
        confirm_within_s: None,
        error: None,
        taken_back: Vec::new(),
        not_taken_back: Vec::new(),
    };
    match made {
        Ok(made) => TuneApplyAnswer {
            plan: made.plan,
            changes: made.changes.iter().map(told).collect(),
            confirm_within_s: confirm.map(|time| time.as_secs_f64()),
            ..bare
        },
        Err(failed) => TuneApplyAnswer {
            error: Some(failed.error.as_ref().map_or("interrupted".to_owned(), ToString::to_string)),
            taken_back: failed.taken_back.iter().map(told).collect(),
            not_taken_back: words(&failed.left),
            ..bare
        },
    }
}

fn told(applied: &Applied) -> MadeChange {
    let moved = |(setting, before, now): &(String, String, String)| MovedWithChange {
        setting: setting.clone(),
        before: before.clone(),
        now: now.clone(),
    };
    MadeChange {
        change: applied.id,
        setting: applied.key.clone(),
        before: applied.before.clone(),
        to: applied.to.clone(),
        now: applied.now.clone(),
        moved: applied.moved.iter().map(moved).collect(),
    }
}
