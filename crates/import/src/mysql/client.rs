//! Tables as the client prints them: in a box, with tabs (`-B`, or into a file), or a row below another (`\G`). Pure.

/// How cells are distinguished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Between bars.
    Box,
    /// Between tabs.
    Tabs,
    /// Each in a line of its own, behind its name.
    Vertical,
}

/// The cells of a row; none where the line is no row of this form.
pub fn cells(form: Form, text: &str) -> Option<Vec<String>> {
    let trim = |cell: &str| cell.trim().to_owned();
    match form {
        Form::Box => {
            let inside = text.trim().strip_prefix('|')?.strip_suffix('|')?;
            Some(inside.split('|').map(trim).collect())
        }
        Form::Tabs => text.contains('\t').then(|| text.split('\t').map(trim).collect()),
        Form::Vertical => None,
    }
}

/// The headings in a line, in small letters, and its form, where `is_ours` says that they are.
pub fn headings(text: &str, is_ours: impl Fn(&[String]) -> bool) -> Option<(Form, Vec<String>)> {
    [Form::Box, Form::Tabs].into_iter().find_map(|form| {
        let headings: Vec<String> = cells(form, text)?.iter().map(|cell| cell.to_ascii_lowercase()).collect();
        is_ours(&headings).then_some((form, headings))
    })
}

/// `   sum_timer_wait: 747501528788`; the value may be empty.
pub fn field(text: &str) -> Option<(String, &str)> {
    let (name, value) = text.trim_start().split_once(':')?;
    let value = value.strip_prefix(' ').or_else(|| value.is_empty().then_some(value))?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    (is_name && !name.is_empty()).then(|| (name.to_ascii_lowercase(), value.trim()))
}

/// `+-----+-----+`
pub fn is_rule(text: &str) -> bool {
    text.contains('+') && text.trim().bytes().all(|byte| matches!(byte, b'+' | b'-'))
}

/// `*************************** 1. row ***************************`
pub fn is_record(text: &str) -> bool {
    text.starts_with("****") && text.contains(". row *")
}

/// `12 rows in set (0.003 sec)`
pub fn is_count(words: &[&str]) -> bool {
    matches!(words, [_, "row" | "rows", "in", "set", ..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_all_forms() {
        assert_eq!(cells(Form::Box, "| a | b c |"), Some(vec!["a".to_owned(), "b c".to_owned()]));
        assert_eq!(cells(Form::Box, "a | b"), None);
        assert_eq!(cells(Form::Tabs, "a\tb c"), Some(vec!["a".to_owned(), "b c".to_owned()]));
        assert_eq!(field("sum_timer_wait: 12"), Some(("sum_timer_wait".to_owned(), "12")));
        assert_eq!(field("   Info: "), Some(("info".to_owned(), "")));
        assert_eq!(field("12:30: now"), None);
        assert!(is_record("*************************** 1. row ***************************"));
        assert!(is_rule("+----+-----+") && !is_rule("-----"));
    }
}
