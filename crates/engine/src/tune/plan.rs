//! What a change would do, without making it.

use heldup_model::{ChangeObjection, CoupledSetting, PlannedChange, TUNE_PLAN_SCHEMA, TunePlanAnswer};
use heldup_tune::{BootFile, Coupled, Plan, Planned};

use super::changed::ChangedHost;
use super::wanted::WantedChanges;
use crate::error::Result;
use crate::progress::Progress;

/// The difference that changes would make.
pub fn plan(wanted: &WantedChanges, progress: &dyn Progress) -> Result<TunePlanAnswer> {
    let changed = ChangedHost::live();
    let plan = wanted.plan(&changed, progress)?;
    Ok(TunePlanAnswer { schema: TUNE_PLAN_SCHEMA.to_owned(), changes: changes(&changed, &plan) })
}

/// The changes of a plan as answers carry them.
pub(super) fn changes(changed: &ChangedHost, plan: &Plan) -> Vec<PlannedChange> {
    plan.changes.iter().map(|planned| change(changed, planned)).collect()
}

fn change(changed: &ChangedHost, planned: &Planned) -> PlannedChange {
    let tunable = changed.catalogue.find(&planned.tunable);
    let coupled = |other: &Coupled| {
        let how = tunable.and_then(|tunable| tunable.interacts.iter().find(|with| with.id == other.tunable));
        CoupledSetting {
            setting: other.instance.key.clone(),
            value: other.value.clone(),
            how: how.map(|with| with.how.clone()),
        }
    };
    let said = |refuses: bool| {
        let said = planned.objections.iter().filter(|objection| objection.refuses == refuses);
        said.map(|objection| objection.what.clone()).collect()
    };
    let objections = planned.objections.iter();
    let objections =
        objections.map(|found| ChangeObjection { refuses: found.refuses, what: found.what.clone() });
    let file = planned.persist.then(|| BootFile::of(&planned.instance, &planned.to).ok()).flatten();
    let (at_boot_by, at_boot_line) = file.map(|file| (file.path.to_owned(), file.line)).unzip();
    PlannedChange {
        setting: planned.instance.key.clone(),
        tunable: planned.tunable.clone(),
        path: planned.instance.path.clone(),
        from: planned.from.clone(),
        to: planned.to.clone(),
        is_change: planned.is_change(),
        persist: planned.persist,
        coupled: planned.coupled.iter().map(coupled).collect(),
        refused: said(true),
        warnings: said(false),
        objections: objections.collect(),
        risk_level: tunable.map(|tunable| tunable.level.word().to_owned()),
        risk: tunable.map(|tunable| tunable.risk.clone()),
        leave: tunable.map(|tunable| tunable.leave.clone()),
        at_boot_by,
        at_boot_line,
    }
}
