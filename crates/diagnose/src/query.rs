//! The query that a finding prints: a rule's SQL on one line, cut to one subject.
//!
//! It uses nothing but the tables and the documented views, so that
//! `heldup sql @last "…"` runs it as it stands.

use heldup_archive::Value;

/// The SQL that shows one finding.
pub fn finding_query(sql: &str, subject_kind: &str, subject_name: &str) -> String {
    format!(
        "select * from ({}) where subject_kind = {} and subject_name = {}",
        one_line(sql),
        quoted(subject_kind),
        quoted(subject_name)
    )
}

/// The SQL of a rule's culprits or victims, which may join the rule's own findings as
/// the table `finding`: the rows that `sql` gave, written out, so that nothing is
/// computed twice.
pub fn linked_query(sql: &str, columns: &[String], findings: &[Vec<Value>]) -> String {
    let sql = one_line(sql);
    if !sql.contains("finding") {
        return sql;
    }
    let row = |values: &Vec<Value>| {
        let cells: Vec<String> = values.iter().map(literal).collect();
        format!("({})", cells.join(", "))
    };
    let rows = if findings.is_empty() {
        // No row, but every column: what the lint prepares.
        format!("select {} where false", vec!["null"; columns.len()].join(", "))
    } else {
        format!("values {}", findings.iter().map(row).collect::<Vec<_>>().join(", "))
    };
    let finding = format!("with finding({}) as materialized ({rows})", columns.join(", "));
    match sql.strip_prefix("with ") {
        Some(rest) => format!("{finding}, {rest}"),
        None => format!("{finding} {sql}"),
    }
}

/// A value as SQL writes it.
pub fn literal(value: &Value) -> String {
    match value {
        Value::Null => "null".to_string(),
        Value::Int(int) => int.to_string(),
        Value::Float(float) if float.is_finite() => format!("{float:?}"),
        Value::Float(_) => "null".to_string(),
        Value::Text(text) => quoted(text),
    }
}

/// A text as an SQL string.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// SQL without comments and with single spaces; quoted texts stay as they are.
pub fn one_line(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut chars = sql.chars().peekable();
    let mut in_text = false;
    while let Some(c) = chars.next() {
        if in_text {
            out.push(c);
            in_text = c != '\'';
        } else if c == '-' && chars.peek() == Some(&'-') {
            chars.by_ref().find(|c| *c == '\n');
            space(&mut out);
        } else if c.is_whitespace() {
            space(&mut out);
        } else {
            in_text = c == '\'';
            out.push(c);
        }
    }
    out.trim().trim_end_matches(';').trim_end().to_string()
}

fn space(out: &mut String) {
    if !out.ends_with([' ', '(']) {
        out.push(' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_texts_stay() {
        let sql = "select 'a -- b  c' as x, -- why\n       y\nfrom t -- end";
        assert_eq!(one_line(sql), "select 'a -- b  c' as x, y from t");
    }

    #[test]
    fn subjects_are_quoted() {
        assert_eq!(
            finding_query("select 1;", "file", "it's"),
            "select * from (select 1) where subject_kind = 'file' and subject_name = 'it''s'"
        );
    }
}
