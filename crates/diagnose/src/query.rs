//! The query that a finding prints: a rule's SQL on one line, cut to one subject.
//!
//! It uses nothing but the tables and the documented views, so that
//! `heldup sql "…"` runs it as it stands.

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

/// The SQL that shows one finding of a rule that is asked after the others: it has what they accounted
/// for, and what was examined, in itself, because neither is in a kept examination.
pub fn finding_query_with(relations: &str, sql: &str, subject_kind: &str, subject_name: &str) -> String {
    format!("with {relations} {}", finding_query(sql, subject_kind, subject_name))
}

/// The SQL of a rule's culprits or victims, which may join the rule's own findings as
/// the table `finding`: the rows that `sql` gave, written out, so that nothing is
/// computed twice. Only the columns that it names are: each has to be parsed.
pub fn linked_query<R: AsRef<[Value]>>(sql: &str, columns: &[String], findings: &[R]) -> String {
    let sql = sql.trim_start();
    if !sql.contains("finding") {
        return sql.to_string();
    }
    // A name inside of a longer one keeps a column too many, which does no harm.
    let is_named = |column: &String| sql.contains(column.as_str());
    let every = sql.contains(".*") || sql.contains("select *") || !columns.iter().any(is_named);
    let named: Vec<usize> = (0..columns.len()).filter(|at| every || is_named(&columns[*at])).collect();
    let row = |values: &R| {
        let cells: Vec<String> =
            named.iter().filter_map(|at| values.as_ref().get(*at)).map(literal).collect();
        format!("({})", cells.join(", "))
    };
    let rows = if findings.is_empty() {
        // No row, but every column: what the lint prepares.
        format!("select {} where false", vec!["null"; named.len()].join(", "))
    } else {
        format!("values {}", findings.iter().map(row).collect::<Vec<_>>().join(", "))
    };
    let names: Vec<&str> = named.iter().map(|at| columns[*at].as_str()).collect();
    let finding = format!("with finding({}) as materialized ({rows})", names.join(", "));
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
    let mut rest = sql;
    // What stands between two of these is copied in one piece.
    while let Some(at) = rest.find(|c: char| c == '\'' || c == '-' || c.is_ascii_whitespace()) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let taken = if tail.starts_with('\'') {
            let text = tail.get(1..).and_then(|text| text.find('\'')).map_or(tail.len(), |end| end + 2);
            out.push_str(tail.get(..text).unwrap_or_default());
            text
        } else if tail.starts_with("--") {
            space(&mut out);
            tail.find('\n').unwrap_or(tail.len())
        } else if tail.starts_with('-') {
            out.push('-');
            1
        } else {
            space(&mut out);
            1
        };
        rest = tail.get(taken..).unwrap_or_default();
    }
    out.push_str(rest);
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
        assert_eq!(one_line("select a-1, 'é\n''x', -b -- é\n;"), "select a-1, 'é\n''x', -b");
        assert_eq!(one_line("select 'open"), "select 'open");
    }

    #[test]
    fn findings_carry_the_columns_that_are_named() {
        let columns = ["subject_name", "pid", "title"].map(str::to_string);
        let rows = [vec![Value::Text("a".into()), Value::Int(1), Value::Null]];
        assert_eq!(
            linked_query("\nwith x as (select 1)\nselect f.pid from finding f, x", &columns, &rows),
            "with finding(pid) as materialized (values (1)), x as (select 1)\nselect f.pid from finding f, x"
        );
        assert_eq!(
            linked_query("select * from finding", &columns, &[] as &[Vec<Value>]),
            "with finding(subject_name, pid, title) as materialized (select null, null, null where false) \
             select * from finding"
        );
        assert_eq!(linked_query("select 1", &columns, &rows), "select 1");
    }

    #[test]
    fn subjects_are_quoted() {
        assert_eq!(
            finding_query("select 1;", "file", "it's"),
            "select * from (select 1) where subject_kind = 'file' and subject_name = 'it''s'"
        );
    }
}
