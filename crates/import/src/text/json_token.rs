//! A word of JSON within a line, for importers whose listings are read line by line.

/// A word of JSON, without its quotes; whether it had some; and what stands behind it.
pub fn token(text: &str) -> (&str, bool, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => match quoted.split_once('"') {
            Some((word, behind)) => (word, true, behind),
            None => (quoted, true, ""),
        },
        None => {
            let end = text.find([',', '}', ']', ' ']).unwrap_or(text.len()).max(1);
            let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            (&text[..end], false, &text[end..])
        }
    }
}
