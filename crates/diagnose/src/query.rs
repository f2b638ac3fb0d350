//! The query that a finding prints: a rule's SQL on one line, cut to one subject.
//!
//! It uses nothing but the tables and the documented views, so that
//! `heldup sql @last "…"` runs it as it stands.

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
/// the table `finding`.
pub fn linked_query(sql: &str, finding_sql: &str) -> String {
    let sql = one_line(sql);
    if !sql.contains("finding") {
        return sql;
    }
    let finding = format!("with finding as materialized ({})", one_line(finding_sql));
    match sql.strip_prefix("with ") {
        Some(rest) => format!("{finding}, {rest}"),
        None => format!("{finding} {sql}"),
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
