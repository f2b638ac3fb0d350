//! What `heldup tune list` and `show` say to programs: schema `heldup/settings/1`.

use heldup_model::{SETTINGS_SCHEMA, SettingsAnswer};
use schemars::generate::SchemaSettings;

use crate::json::escaped;

/// The settings as pretty JSON, with a newline at its end.
pub fn json(answer: &SettingsAnswer) -> String {
    // No map with keys that are no strings: writing it cannot fail.
    escaped(&serde_json::to_string_pretty(answer).unwrap_or_default()) + "\n"
}

/// The JSON Schema of [`json`]'s answer, with a newline at its end.
pub fn schema() -> String {
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<SettingsAnswer>();
    schema.insert("$id".to_owned(), format!("urn:{}", SETTINGS_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup tune list --format json` and `tune show` answer".into());
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}
