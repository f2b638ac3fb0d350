//! Any answer as CSV (RFC 4180): the rows of its main list, or the answer itself as one row.
//!
//! Columns are the fields of the JSON, those of objects within as `subject.name`; lists of words are joined by
//! blanks, other lists are left out. What is not there is an empty field.

use serde::Serialize;
use serde_json::Value;

/// The rows of one of the answer's lists.
pub fn list<Answer: Serialize>(answer: &Answer, list: &str) -> String {
    let rows = match serde_json::to_value(answer) {
        Ok(Value::Object(mut fields)) => match fields.remove(list) {
            Some(Value::Array(rows)) => rows,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    written(&rows.iter().map(flat).collect::<Vec<_>>())
}

/// The answer as one row.
pub fn row<Answer: Serialize>(answer: &Answer) -> String {
    let value = serde_json::to_value(answer).unwrap_or_default();
    written(&[flat(&value)])
}

/// Names and values of a row.
type Row = Vec<(String, String)>;

/// The fields of a row, in the order of the document.
fn flat(value: &Value) -> Row {
    let mut row = Vec::new();
    add(&mut row, "", value);
    row
}

fn add(row: &mut Row, name: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                add(row, &name, value);
            }
        }
        Value::Array(values) => {
            if let Some(words) = words(values) {
                row.push((name.to_owned(), words));
            }
        }
        Value::Null => row.push((name.to_owned(), String::new())),
        Value::String(text) => row.push((name.to_owned(), text.clone())),
        other => row.push((name.to_owned(), other.to_string())),
    }
}

/// A list of words or numbers; none where it holds more than these.
fn words(values: &[Value]) -> Option<String> {
    let word = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    values.iter().map(word).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

/// The rows below a line of the names that any of them has.
fn written(rows: &[Row]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rows.iter().flatten() {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let mut writer = ::csv::Writer::from_writer(Vec::new());
    // Memory does not refuse to be written to.
    let _ = writer.write_record(&names);
    for row in rows {
        let value = |name: &&str| row.iter().find(|(of, _)| of == name).map_or("", |(_, value)| value);
        let _ = writer.write_record(names.iter().map(value));
    }
    if names.is_empty() {
        return String::new();
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_row_is_flat_and_names_come_from_all_rows() {
        let answer = json!({ "schema": "x/1", "rows": [
            { "id": "a", "subject": { "kind": "pid", "name": "7, \"x\"" }, "because": ["b", "c"], "n": 1.5 },
            { "id": "b", "more": null, "deep": [{ "x": 1 }] },
        ]});
        let text = list(&answer, "rows");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        let heads: Vec<&str> = lines[0].split(',').collect();
        for name in ["id", "subject.kind", "subject.name", "because", "n", "more"] {
            assert!(heads.contains(&name), "{name}: {text}");
        }
        assert!(!heads.contains(&"deep"), "{text}");
        assert!(text.contains("\"7, \"\"x\"\"\"") && text.contains("b c") && text.contains("1.5"), "{text}");
        assert_eq!(list(&answer, "no"), "");
        assert_eq!(row(&json!({ "a": 1, "b": [] })), "a,b\n1,\n");
    }
}
