//! Changing settings: all of them or none.

use std::time::Duration;

use heldup_hostfs::boottime_ns;
use heldup_model::{MadeChange, MovedWithChange, TUNE_APPLY_SCHEMA, TuneApplyAnswer};
use heldup_tune::{Applied, ChangeError, ChangeId, Foreign, LoggedHost, Made, Plan, PlanFailure, Writer};

use super::changed::{ChangedHost, writer};
use super::wanted::WantedChanges;
use super::{guard, plan};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::progress::Progress;

/// What is changed, and for how long.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// What is to be changed.
    pub wanted: WantedChanges,
    /// Until this time is over, unless it is confirmed; permanent without it.
    pub confirm: Option<Duration>,
}

/// How long changes are to last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// Also at each boot.
    pub persist: bool,
    /// Until this time is over, unless they are confirmed.
    pub confirm: Option<Duration>,
}

/// Changes settings. What keeps that from being done whole is part of the answer.
pub fn apply(request: &ApplyRequest, progress: &dyn Progress, cancel: &Cancel) -> Result<TuneApplyAnswer> {
    let ApplyRequest { wanted, confirm } = request;
    let terms = Terms { persist: wanted.persist(), confirm: *confirm };
    carry_out(terms, |changed| wanted.plan(changed, progress), progress, cancel)
}

/// Makes a plan, permanently or until the time to confirm it is over. The plan is made once nobody
/// else writes any more.
pub(super) fn carry_out(
    terms: Terms,
    wanted: impl FnOnce(&ChangedHost) -> Result<Plan>,
    progress: &dyn Progress,
    cancel: &Cancel,
) -> Result<TuneApplyAnswer> {
    // From here on a request to stop is seen between two steps and not in the middle of one.
    let interrupts = cancel.begin()?;
    let changed = ChangedHost::live();
    let changer = changed.changer();
    let writer = writer(&changer, progress)?;
    let wanted = wanted(&changed)?;
    let is_refused = wanted.refused().next().is_some();
    // A plan that is refused is part of the answer, with what speaks against it.
    if !is_refused {
        warn(&wanted, progress);
    }
    let made =
        wanted.apply(&writer, &|| interrupts.stopped()).and_then(|made| commit(&writer, made, terms.confirm));
    let refused = if is_refused { plan::changes(&changed, &wanted) } else { Vec::new() };
    Ok(match made {
        Ok(made) => done(&made, terms),
        Err(failed) => TuneApplyAnswer { refused, ..not_done(&failed) },
    })
}

/// Notes what speaks against a plan and does not refuse it.
pub(super) fn warn(wanted: &Plan, progress: &dyn Progress) {
    for planned in &wanted.changes {
        for objection in planned.objections.iter().filter(|objection| !objection.refuses) {
            progress.note(&format!("{}: {}", planned.instance.key, objection.what));
        }
    }
}

/// Commits a plan; where that fails it is undone.
pub(super) fn commit(
    writer: &Writer<'_, '_, LoggedHost<'_>>,
    made: Made,
    confirm: Option<Duration>,
) -> Result<Made, Box<PlanFailure>> {
    let Some(plan) = made.plan else { return Ok(made) };
    let until = confirm.map(|time| boottime_ns().saturating_add(nanoseconds(time)));
    // The guard waits until this run is over, so that it is there before the plan is in effect.
    let guarded = until.map_or(Ok(()), |_| guard::start(plan).map_err(ChangeError::from));
    match guarded.and_then(|()| writer.commit(plan, until)) {
        Ok(()) => Ok(made),
        Err(error) => Err(undone(writer, plan, made, error)),
    }
}

fn undone(
    writer: &Writer<'_, '_, LoggedHost<'_>>,
    plan: ChangeId,
    made: Made,
    error: ChangeError,
) -> Box<PlanFailure> {
    let left = match writer.undo_plan(plan, Foreign::Goes) {
        Ok(outcomes) => outcomes.into_iter().filter_map(|(_, outcome)| outcome.err()).collect(),
        Err(error) => vec![error],
    };
    let undone = made.changes.into_iter().filter(|applied| applied.id.is_some()).collect();
    Box::new(PlanFailure { error: Some(error), undone, left })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// The answer of a plan that is in effect.
pub(super) fn done(made: &Made, terms: Terms) -> TuneApplyAnswer {
    TuneApplyAnswer {
        plan: made.plan,
        changes: made.changes.iter().map(told).collect(),
        persist: terms.persist,
        confirm_within_s: terms.confirm.map(|time| time.as_secs_f64()),
        ..bare()
    }
}

/// The answer of a plan that was not made.
pub(super) fn not_done(failed: &PlanFailure) -> TuneApplyAnswer {
    TuneApplyAnswer {
        error: Some(failed.error.as_ref().map_or("interrupted".to_owned(), ToString::to_string)),
        interrupted: failed.error.is_none(),
        undone: failed.undone.iter().map(told).collect(),
        not_undone: failed.left.iter().map(ToString::to_string).collect(),
        ..bare()
    }
}

fn bare() -> TuneApplyAnswer {
    TuneApplyAnswer {
        schema: TUNE_APPLY_SCHEMA.to_owned(),
        plan: None,
        changes: Vec::new(),
        persist: false,
        confirm_within_s: None,
        error: None,
        interrupted: false,
        refused: Vec::new(),
        undone: Vec::new(),
        not_undone: Vec::new(),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_was_not_made_says_why() {
        let failed = PlanFailure { error: None, undone: Vec::new(), left: Vec::new() };
        let answer = not_done(&failed);
        assert_eq!((answer.error.as_deref(), answer.interrupted), (Some("interrupted"), true));
        let failed = PlanFailure {
            error: Some(ChangeError::NoChange(3)),
            left: vec![ChangeError::NoChange(4)],
            ..failed
        };
        let answer = not_done(&failed);
        assert_eq!((answer.error.as_deref(), answer.interrupted), (Some("change 3 is not in effect"), false));
        assert_eq!(answer.not_undone, ["change 4 is not in effect"]);
    }
}
