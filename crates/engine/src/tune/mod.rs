//! Settings: what they are, what profiles and files would make of them, changes and their undo.

mod apply;
mod audit;
pub(crate) mod changed;
mod guard;
mod limit;
mod machine;
mod pin;
mod plan;
mod profile;
mod run_within;
mod setting_page;
mod settings;
mod status;
mod undo;
mod wanted;

pub use apply::{ApplyRequest, apply};
pub use audit::{AuditRequest, AuditedInput, MOST_AUDITED_BYTES, audit};
pub use guard::guard;
pub use limit::LimitRequest;
pub use pin::PinRequest;
pub use plan::plan;
pub use profile::{ProfileApplyRequest, apply_profile, planned_profile, profile, profiles};
pub use run_within::{RunWithin, run_within};
pub use settings::{SettingsRequest, setting, settings, settings_like};
pub use status::status;
pub use undo::{UndoRequest, UndoWhich, confirm, recover, undo};
pub use wanted::{WantedChanges, Whom};
