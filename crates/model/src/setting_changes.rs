//! Changes of settings: the answers of `heldup tune plan|apply|undo|status|confirm --json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Schema of [`TunePlanAnswer`].
pub const TUNE_PLAN_SCHEMA: &str = "heldup/tune-plan/1";
/// Schema of [`TuneApplyAnswer`].
pub const TUNE_APPLY_SCHEMA: &str = "heldup/tune-apply/1";
/// Schema of [`TuneUndoAnswer`].
pub const TUNE_UNDO_SCHEMA: &str = "heldup/tune-undo/1";
/// Schema of [`TuneConfirmAnswer`].
pub const TUNE_CONFIRM_SCHEMA: &str = "heldup/tune-confirm/1";
/// Schema of [`TuneStatusAnswer`].
pub const TUNE_STATUS_SCHEMA: &str = "heldup/tune-status/1";

/// A coupled setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CoupledSetting {
    /// The setting, as in table `setting`.
    pub setting: String,
    /// Its current value; null if it has none.
    pub value: Option<String>,
    /// Their relation, if in the catalogue.
    #[serde(default)]
    pub how: Option<String>,
}

/// An objection to a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeObjection {
    /// Whether it would refuse the change.
    pub refuses: bool,
    /// The objection.
    pub what: String,
}

/// A setting of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlannedChange {
    /// The setting, as in table `setting`; for a process `process.PID.nice`.
    pub setting: String,
    /// Id in the catalogue; empty if not in it.
    pub tunable: String,
    /// Its file; without one `DOOR:OWNER:SETTING`.
    pub path: String,
    /// Current value; null if it cannot be read.
    pub from: Option<String>,
    /// New value.
    pub to: String,
    /// Whether anything would be written.
    pub is_change: bool,
    /// Whether it is persistent over a boot.
    pub persist: bool,
    /// Coupled settings.
    pub coupled: Vec<CoupledSetting>,
    /// Reasons for a refusal; with any, nothing is changed.
    pub refused: Vec<String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Both, in the order of discovery.
    #[serde(default)]
    pub objections: Vec<ChangeObjection>,
    /// Risk level: low, some, high; null if not in the catalogue.
    pub risk_level: Option<String>,
    /// Risk.
    pub risk: Option<String>,
    /// Who should not change it.
    pub leave: Option<String>,
    /// The file that would apply it at each boot; null if none.
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
    /// In the order of application.
    pub changes: Vec<PlannedChange>,
}

/// A coupled setting that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MovedWithChange {
    /// The setting.
    pub setting: String,
    /// Old value.
    pub before: String,
    /// Value now.
    pub now: String,
}

/// An applied change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MadeChange {
    /// Its number; null if the value was already set.
    pub change: Option<u64>,
    /// The setting.
    pub setting: String,
    /// Old value.
    pub before: String,
    /// Requested value.
    pub to: String,
    /// Value read back; a difference to the requested one is a limit or rounding by the kernel.
    pub now: String,
    /// Coupled settings that changed.
    pub moved: Vec<MovedWithChange>,
}

/// Schema `heldup/tune-apply/1`: applied changes, or the reason for none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneApplyAnswer {
    /// `heldup/tune-apply/1`.
    pub schema: String,
    /// Number of the plan; null if there was nothing to do, or it was not applied.
    pub plan: Option<u64>,
    /// Changes in effect.
    pub changes: Vec<MadeChange>,
    /// Whether they are also applied at each boot.
    #[serde(default)]
    pub persist: bool,
    /// Seconds for the confirmation; null if none is needed.
    pub confirm_within_s: Option<f64>,
    /// Reason why it was not applied; null if it was.
    pub error: Option<String>,
    /// Whether it was interrupted.
    #[serde(default)]
    pub interrupted: bool,
    /// The plan, if a change of it would be refused and nothing was tried; else empty.
    #[serde(default)]
    pub refused: Vec<PlannedChange>,
    /// Changes that were undone.
    pub undone: Vec<MadeChange>,
    /// Changes that could not be undone, in words; the next run tries again.
    pub not_undone: Vec<String>,
}

/// Result of the undo of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UndoneChange {
    /// Its number.
    pub change: u64,
    /// The setting; null if not in the log.
    pub setting: Option<String>,
    /// Value before the change.
    pub before: Option<String>,
    /// Whether it is restored, or its object is gone.
    pub undone: bool,
    /// Its object (device, mount or process) is gone.
    pub gone: bool,
    /// The file with its lines that were edited since; they are left.
    pub left_in: Option<String>,
    /// Reason why it was not undone.
    pub error: Option<String>,
}

/// Schema `heldup/tune-undo/1`: undone changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneUndoAnswer {
    /// `heldup/tune-undo/1`.
    pub schema: String,
    /// By number.
    pub changes: Vec<UndoneChange>,
}

/// Schema `heldup/tune-confirm/1`: what was confirmed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneConfirmAnswer {
    /// `heldup/tune-confirm/1`.
    pub schema: String,
    /// The changes that stand now.
    pub changes: Vec<ConfirmedChange>,
    /// Reasons why others could not be confirmed.
    pub error: Option<String>,
}

/// A change that stands now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConfirmedChange {
    /// Its number.
    pub change: u64,
    /// The setting.
    pub setting: String,
}

/// State of a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeNow {
    /// Its number.
    pub change: u64,
    /// The number of its plan.
    pub plan: u64,
    /// The setting.
    pub setting: String,
    /// Its file; without one `DOOR:OWNER:SETTING`.
    pub path: String,
    /// Value before the change.
    pub before: String,
    /// Requested value.
    pub to: String,
    /// Current value; null if it cannot be read.
    pub now: Option<String>,
    /// in_effect, waits (for confirmation), covered (by a later change), drifted (modified by
    /// others), unreadable, unfinished, undone, gone (undone by a boot).
    pub state: String,
    /// Reason of the undo: asked, cut_off, not_confirmed, refused.
    pub why: Option<String>,
    /// The number of the later change that set it again; null if none.
    pub covered_by: Option<u64>,
    /// Seconds left for the confirmation; null if none is needed.
    pub confirm_within_s: Option<f64>,
    /// The file that applies it at each boot; null if none.
    pub at_boot_by: Option<String>,
    /// Whether its lines are unmodified.
    pub at_boot_intact: Option<bool>,
}

/// Schema `heldup/tune-status/1`: changes by heldup.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TuneStatusAnswer {
    /// `heldup/tune-status/1`.
    pub schema: String,
    /// The oldest first.
    pub changes: Vec<ChangeNow>,
}
