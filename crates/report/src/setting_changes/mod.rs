//! What `heldup tune plan|apply|undo|status` say: schemas `heldup/tune-…/1`, and lines for people.

mod applied;
mod planned;
mod status;
mod undone;

use heldup_model::{
    TUNE_APPLY_SCHEMA, TUNE_CONFIRM_SCHEMA, TUNE_PLAN_SCHEMA, TUNE_STATUS_SCHEMA, TUNE_UNDO_SCHEMA,
    TuneApplyAnswer, TuneConfirmAnswer, TunePlanAnswer, TuneStatusAnswer, TuneUndoAnswer,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use crate::json::escaped;

pub use applied::{applied, made, not_applied};
pub use planned::planned;
pub use status::status;
pub use undone::{confirmed, recovered, undone};

/// An answer as pretty JSON, with a newline at its end.
pub fn json<Answer: Serialize>(answer: &Answer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schemas of the answers, each with the name of its file, with a newline at its end.
pub fn schemas() -> [(&'static str, String); 5] {
    [
        ("tune-apply-1.schema.json", schema::<TuneApplyAnswer>(TUNE_APPLY_SCHEMA, "apply")),
        ("tune-confirm-1.schema.json", schema::<TuneConfirmAnswer>(TUNE_CONFIRM_SCHEMA, "confirm")),
        ("tune-plan-1.schema.json", schema::<TunePlanAnswer>(TUNE_PLAN_SCHEMA, "plan")),
        ("tune-status-1.schema.json", schema::<TuneStatusAnswer>(TUNE_STATUS_SCHEMA, "status")),
        ("tune-undo-1.schema.json", schema::<TuneUndoAnswer>(TUNE_UNDO_SCHEMA, "undo")),
    ]
}

fn schema<Answer: JsonSchema>(name: &str, command: &str) -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Answer>();
    schema.insert("$id".to_owned(), format!("urn:{}", name.replace('/', ":")).into());
    schema.insert("title".to_owned(), format!("What `heldup tune {command} --json` answers").into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
