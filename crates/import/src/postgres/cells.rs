//! Cells of a line that psql printed: between bars, or of CSV. Pure.

/// How cells are distinguished.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// Between bars with blanks around: `\pset format aligned`.
    Aligned,
    /// Between bars: `-A`.
    Unaligned,
    /// `--csv`, or `copy … csv header`.
    Csv,
}

/// The cells of a line; of CSV none where a quote is open at its end.
pub fn cells(form: Form, text: &str) -> Option<Vec<String>> {
    match form {
        Form::Aligned => {
            let text = text.strip_prefix('|').and_then(|text| text.strip_suffix('|')).unwrap_or(text);
            Some(text.split('|').map(|cell| cell.trim().to_owned()).collect())
        }
        Form::Unaligned => Some(text.trim_end_matches('\r').split('|').map(str::to_owned).collect()),
        Form::Csv => csv(text),
    }
}

/// Whether a cell of an aligned line goes on in the next one: a plus in the last place of its column. The rule below the
/// headings says where columns end.
pub fn goes_on(rule: &str, text: &str) -> bool {
    let signs: Vec<char> = text.chars().collect();
    let rule = rule.trim_end();
    let ends = rule.chars().enumerate().filter(|(_, sign)| *sign == '+').map(|(at, _)| at);
    ends.chain([rule.chars().count()]).any(|end| end > 0 && signs.get(end - 1) == Some(&'+'))
}

fn csv(text: &str) -> Option<Vec<String>> {
    let mut cells = vec![String::new()];
    let mut is_quoted = false;
    let mut signs = text.trim_end_matches('\r').chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => {
                signs.next();
                cells.last_mut()?.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(String::new()),
            other => cells.last_mut()?.push(other),
        }
    }
    (!is_quoted).then_some(cells)
}

/// `------+--------`, `-[ RECORD 1 ]---+----`, `|---|---|`: what stands between headings and rows, or before a record.
pub fn is_rule(text: &str) -> bool {
    let text = text.trim();
    text.starts_with(['-', '+', '|'])
        && text.contains("--")
        && text.bytes().all(|byte| matches!(byte, b'-' | b'+' | b'|' | b' '))
}

/// Whether a record of its own begins: `-[ RECORD 1 ]---`, in any language.
pub fn is_record(text: &str) -> bool {
    let text = text.trim_start_matches(['+', '|']);
    let number = text.strip_prefix("-[ ").and_then(|rest| rest.split_once(" ]"));
    let Some((title, behind)) = number else { return false };
    let has_number = title.rsplit(' ').next().is_some_and(|number| number.parse::<u64>().is_ok());
    has_number && title.contains(' ') && (behind.is_empty() || behind.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_all_forms() {
        assert_eq!(cells(Form::Aligned, " a    |   7 | "), Some(vec!["a".into(), "7".into(), String::new()]));
        assert_eq!(cells(Form::Unaligned, "a||b c"), Some(vec!["a".into(), String::new(), "b c".into()]));
        assert_eq!(
            cells(Form::Csv, "1,\"a \"\"b\"\", c\",,x"),
            Some(vec!["1".into(), "a \"b\", c".into(), String::new(), "x".into()])
        );
        assert_eq!(cells(Form::Csv, "1,\"select"), None);
    }

    #[test]
    fn lines_between() {
        assert!(is_rule("------+---------"));
        assert!(!is_rule("- a list"));
        assert!(is_record("-[ RECORD 12 ]----+-----"));
        assert!(is_record("-[ Datensatz 3 ]--+-----"));
        assert!(!is_record("-[ list of 12 ] things"));
        assert!(goes_on("--------+----", " select+|  2"));
        assert!(goes_on("----+--------", "  2 | select+"));
        assert!(!goes_on("-----+-----", " C++ | b"));
    }
}
