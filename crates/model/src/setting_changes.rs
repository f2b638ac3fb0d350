//! Changing settings: what `heldup tune plan|apply|undo|status --format json` answer, and `confirm`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`TunePlanAnswer`].
pub const TUNE_PLAN_SCHEMA: &str = "heldup/tune-plan/1";
/// Schema of [`TuneApplyAnswer`].
pub const TUNE_APPLY_SCHEMA: &str = "heldup/tune-apply/1";
/// Schema of [`TuneUndoAnswer`].
pub const TUNE_UNDO_SCHEMA: &str = "heldup/tune-undo/1";
/// Schema of [`TuneStatusAnswer`].
pub const TUNE_STATUS_SCHEMA: &str = "heldup/tune-status/1";

/// A setting that may move with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoupledSetting {
    /// The setting, as table `setting` names it.
    pub setting: String,
    /// Its value now; null where it has none.
    pub value: Option<String>,
    /// How they work together, where the catalogue says so.
    #[serde(default)]
    pub how: Option<String>,
}

/// Something that speaks against a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeObjection {
    /// Whether it would refuse the change.
    pub refuses: bool,
    /// What it is.
    pub what: String,
}

/// A setting of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedChange {
    /// The setting, as table `setting` names it; of a process `process.PID.nice`.
    pub setting: String,
    /// Id in the catalogue; empty where that does not have it.
    pub tunable: String,
    /// Its file; of what has none `DOOR:OWNER:SETTING`.
    pub path: String,
    /// Value now; null where it cannot be read.
    pub from: Option<String>,
    /// Value that is wanted.
    pub to: String,
    /// Whether anything would be written.
    pub is_change: bool,
    /// Whether it is to last over a boot.
    pub persist: bool,
    /// What may move with it.
    pub coupled: Vec<CoupledSetting>,
    /// What would refuse it; nothing is changed where there is anything.
    pub refused: Vec<String>,
    /// What speaks against it.
    pub warnings: Vec<String>,
    /// Both of them, in the order in which they were found.
    #[serde(default)]
    pub objections: Vec<ChangeObjection>,
    /// How much can go wrong: low, some, high; null where the catalogue does not have it.
    pub risk_level: Option<String>,
    /// What can go wrong.
    pub risk: Option<String>,
    /// Who should leave it alone.
    pub leave: Option<String>,
    /// The file that would make it at each boot; null where none would.
    #[serde(default)]
    pub at_boot_by: Option<String>,
    /// The line of that file.
    #[serde(default)]
    pub at_boot_line: Option<String>,
}

/// Schema `heldup/tune-plan/1`: what would be changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TunePlanAnswer {
    /// `heldup/tune-plan/1`.
    pub schema: String,
    /// In the order in which they would be made.
    pub changes: Vec<PlannedChange>,
}

/// A setting that changed with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MovedWithChange {
    /// The setting.
    pub setting: String,
    /// What it was.
    pub before: String,
    /// What it is.
    pub now: String,
}

/// A change that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MadeChange {
    /// Its number; null where the value was there already.
    pub change: Option<u64>,
    /// The setting.
    pub setting: String,
    /// What it was.
    pub before: String,
    /// What was wanted.
    pub to: String,
    /// What is read back: another value than was wanted is the kernel's limit or rounding.
    pub now: String,
    /// What changed with it.
    pub moved: Vec<MovedWithChange>,
}

/// Schema `heldup/tune-apply/1`: what was changed, or why nothing was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneApplyAnswer {
    /// `heldup/tune-apply/1`.
    pub schema: String,
    /// Number of the plan; null where there was nothing to do, or it was not made.
    pub plan: Option<u64>,
    /// Changes that stand.
    pub changes: Vec<MadeChange>,
    /// Whether they are also made at each boot.
    #[serde(default)]
    pub persist: bool,
    /// Seconds within which they have to be confirmed; null where they stand for good.
    pub confirm_within_s: Option<f64>,
    /// Why it was not made; null where it was.
    pub error: Option<String>,
    /// Whether it was not made because somebody asked to stop.
    #[serde(default)]
    pub interrupted: bool,
    /// The plan, where something would refuse a change of it and nothing was tried; empty otherwise.
    #[serde(default)]
    pub refused: Vec<PlannedChange>,
    /// What had been made and was taken back.
    pub taken_back: Vec<MadeChange>,
    /// What could not be taken back, in words; the next run tries again.
    pub not_taken_back: Vec<String>,
}

/// What became of a change that was to be taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoneChange {
    /// Its number.
    pub change: u64,
    /// The setting; null where the log does not know it.
    pub setting: Option<String>,
    /// What it was before the change.
    pub before: Option<String>,
    /// Whether it is so again, or there is nothing left that it was of.
    pub taken_back: bool,
    /// What it was of, a device, a mount or a process, has gone since.
    pub gone: bool,
    /// The file whose lines of it somebody has edited since, which are left.
    pub left_in: Option<String>,
    /// Why it was not taken back.
    pub error: Option<String>,
}

/// Schema `heldup/tune-undo/1`: what was taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneUndoAnswer {
    /// `heldup/tune-undo/1`.
    pub schema: String,
    /// By number.
    pub changes: Vec<UndoneChange>,
}

/// What was confirmed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TuneConfirmAnswer {
    /// The changes that stand now.
    pub changes: Vec<ConfirmedChange>,
    /// Why others could not be confirmed.
    pub error: Option<String>,
}

/// A change that stands now.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfirmedChange {
    /// Its number.
    pub change: u64,
    /// The setting.
    pub setting: String,
}

/// How a change stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeNow {
    /// Its number.
    pub change: u64,
    /// The number of its plan.
    pub plan: u64,
    /// The setting.
    pub setting: String,
    /// Its file; of what has none `DOOR:OWNER:SETTING`.
    pub path: String,
    /// What it was before the change.
    pub before: String,
    /// What was wanted.
    pub to: String,
    /// What it is; null where it cannot be read.
    pub now: Option<String>,
    /// stands, waits, covered (a later change of ours has set it again), drifted, unreadable, unfinished,
    /// taken_back, gone.
    pub state: String,
    /// Why it was, or will be, taken back: asked, cut_off, not_confirmed, refused.
    pub why: Option<String>,
    /// The number of the later change that has set it again; null where none has.
    pub covered_by: Option<u64>,
    /// Seconds left in which it has to be confirmed; null where it has not.
    pub confirm_within_s: Option<f64>,
    /// The file that makes it at each boot; null where none does.
    pub at_boot_by: Option<String>,
    /// Whether its lines are there as they were put in.
    pub at_boot_intact: Option<bool>,
}

/// Schema `heldup/tune-status/1`: what of ours stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneStatusAnswer {
    /// `heldup/tune-status/1`.
    pub schema: String,
    /// The oldest first.
    pub changes: Vec<ChangeNow>,
}
