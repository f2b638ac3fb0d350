//! `heldup tune apply SETTING=VALUE…`: changes settings, all of them or none.

use std::fmt::Write;
use std::time::Duration;

use heldup_hostfs::{Interrupts, boottime_ns};
use heldup_report::harmless;
use heldup_tune::{Applied, ChangeError, ChangeId, Foreign, LoggedHost, Made, PlanFailure, Writer};
use serde_json::{Value, json};

use super::change_args::ApplyArgs;
use super::changed_host::{ChangedHost, print, print_json, words, writer};
use super::{guard, plan};
use crate::args::Format;
use crate::exit::Exit;

/// Makes a plan, and lets it stand for good or until the time to confirm it is over.
pub fn run(args: &ApplyArgs) -> anyhow::Result<Exit> {
    // From here on a request to stop is seen between two steps and not in the middle of one.
    let interrupts = Interrupts::watch()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer)?;
    let wanted = changed.plan(&args.plan.assignments, args.plan.persist)?;
    if args.plan.format == Format::Text && wanted.refused().next().is_some() {
        print(&plan::text(&changed, &wanted));
        return Ok(Exit::COULD_NOT);
    }
    for planned in &wanted.changes {
        for objection in planned.objections.iter().filter(|objection| !objection.refuses) {
            eprintln!("heldup: {}: {}", harmless(&planned.instance.key), harmless(&objection.what));
        }
    }
    let made = wanted.apply(&writer, &|| interrupts.stopped()).and_then(|made| stand(&writer, made, args));
    let exit = match &made {
        Ok(_) => Exit::DONE,
        Err(failed) if failed.error.is_none() && failed.left.is_empty() => Exit::TAKEN_BACK,
        Err(_) => Exit::COULD_NOT,
    };
    match (args.plan.format, &made) {
        (Format::Json, made) => print_json(&json(made, args.confirm)),
        (Format::Text, Ok(made)) => print(&done(made, args)),
        (Format::Text, Err(failed)) => eprint!("{}", failure(failed)),
    }
    Ok(exit)
}

/// Lets a plan stand; what keeps it from that is taken back with it.
fn stand(
    writer: &Writer<'_, '_, LoggedHost<'_>>,
    made: Made,
    args: &ApplyArgs,
) -> Result<Made, Box<PlanFailure>> {
    let Some(plan) = made.plan else { return Ok(made) };
    let until = args.confirm.map(|time| boottime_ns().saturating_add(nanoseconds(time)));
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
fn done(made: &Made, args: &ApplyArgs) -> String {
    let mut out = String::new();
    for applied in &made.changes {
        out.push_str(&change(applied));
    }
    let Some(plan) = made.plan else { return out };
    let _ = match args.confirm {
        Some(time) => {
            writeln!(out, "Taken back in {time:?}, unless `heldup tune confirm {plan}` comes before.")
        }
        None if args.plan.persist => {
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

fn json(made: &Result<Made, Box<PlanFailure>>, confirm: Option<Duration>) -> Value {
    let change = |applied: &Applied| {
        let moved = applied.moved.iter();
        let moved: Vec<Value> = moved
            .map(|(setting, before, now)| json!({ "setting": setting, "before": before, "now": now }))
            .collect();
        json!({
            "change": applied.id, "setting": applied.key, "before": applied.before, "to": applied.to,
            "now": applied.now, "moved": moved,
        })
    };
    let changes = |all: &[Applied]| all.iter().map(change).collect::<Vec<_>>();
    match made {
        Ok(made) => json!({
            "schema": "heldup/tune-apply/1",
            "plan": made.plan,
            "changes": changes(&made.changes),
            "confirm_within_s": confirm.map(|time| time.as_secs_f64()),
        }),
        Err(failed) => json!({
            "schema": "heldup/tune-apply/1",
            "plan": null,
            "changes": [],
            "error": failed.error.as_ref().map_or("interrupted".to_owned(), ToString::to_string),
            "taken_back": changes(&failed.taken_back),
            "not_taken_back": words(&failed.left),
        }),
    }
}
