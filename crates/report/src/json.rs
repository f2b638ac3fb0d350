//! An examination as JSON, schema `heldup/examination/1`.

use heldup_model::{EXAMINATION_SCHEMA, Examination};
use schemars::generate::SchemaSettings;
use serde_json::json;

use crate::harmless::steers;

/// The examination as pretty JSON, with a newline at its end.
pub fn render(examination: &Examination) -> String {
    // Only maps with keys that are no strings can be refused, and there are none; if
    // one ever comes, the reader still gets JSON that says so.
    let json = serde_json::to_string_pretty(examination).unwrap_or_else(|error| {
        let errors = json!([{ "where": "report", "what": error.to_string() }]);
        json!({ "schema": EXAMINATION_SCHEMA, "errors": errors }).to_string()
    });
    escaped(&json) + "\n"
}

/// The JSON Schema of [`render`]'s answer, with a newline at its end.
pub fn schema() -> String {
    // What we write, not what we would take: a field that is always there is required.
    let mut schema =
        SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<Examination>();
    schema.insert("$id".to_owned(), format!("urn:{}", EXAMINATION_SCHEMA.replace('/', ":")).into());
    schema.insert("title".to_owned(), "What `heldup --json` answers".into());
    // A schema is made of maps with keys that are strings: writing it cannot fail.
    serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n"
}

/// JSON text in which also those characters are escaped that JSON allows as they are
/// and a terminal acts on (DEL, C1 controls, bidirectional marks). Outside strings
/// JSON has none of them, so the value stays the same.
pub(crate) fn escaped(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        if c != '\n' && steers(c) {
            let mut units = [0u16; 2];
            for unit in c.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_are_escaped_and_read_back_the_same() {
        let name = "\u{1b}[2J \u{9b}31m \u{7f} \u{202e} \u{e0001}";
        let json = escaped(&serde_json::to_string(name).unwrap());
        assert!(json.chars().all(|c| !steers(c)), "{json:?}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), name);
    }
}
