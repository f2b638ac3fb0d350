//! JSON of answers that have no other file, and the JSON Schemas of them.

use heldup_model::{
    BASELINE_SCHEMA, BaselineShown, CAPTURE_SCHEMA, CaptureWritten, EXPLAIN_SCHEMA, ExplainAnswer,
    PAGE_SCHEMA, PLOT_SCHEMA, Page, Plotted, RECORD_SCHEMA, RULES_SCHEMA, RULES_TEST_SCHEMA, RecordSummary,
    RulesAnswer, RulesTestAnswer, TABLES_SCHEMA, TablesAnswer,
};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use crate::json::escaped;

/// An answer as pretty JSON, with a newline at its end.
pub fn json<Answer: Serialize>(answer: &Answer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schemas, each with the name of its file, with a newline at its end.
pub fn schemas() -> [(&'static str, String); 9] {
    [
        ("baseline-1.schema.json", schema::<BaselineShown>(BASELINE_SCHEMA, "baseline show")),
        ("capture-1.schema.json", schema::<CaptureWritten>(CAPTURE_SCHEMA, "capture")),
        ("explain-1.schema.json", schema::<ExplainAnswer>(EXPLAIN_SCHEMA, "explain")),
        (
            "page-1.schema.json",
            titled::<Page>(PAGE_SCHEMA, "What the page of `heldup serve` asks and is answered"),
        ),
        ("plot-1.schema.json", schema::<Plotted>(PLOT_SCHEMA, "plot")),
        ("record-1.schema.json", schema::<RecordSummary>(RECORD_SCHEMA, "record")),
        ("rules-1.schema.json", schema::<RulesAnswer>(RULES_SCHEMA, "rules list")),
        ("rules-test-1.schema.json", schema::<RulesTestAnswer>(RULES_TEST_SCHEMA, "rules test")),
        ("tables-1.schema.json", schema::<TablesAnswer>(TABLES_SCHEMA, "tables")),
    ]
}

fn schema<Answer: JsonSchema>(name: &str, command: &str) -> String {
    titled::<Answer>(name, &format!("What `heldup {command} --json` answers"))
}

fn titled<Answer: JsonSchema>(name: &str, title: &str) -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Answer>();
    schema.insert("$id".to_owned(), format!("urn:{}", name.replace('/', ":")).into());
    schema.insert("title".to_owned(), title.into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
