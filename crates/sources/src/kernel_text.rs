//! Lines, fields and numbers of kernel text, and what to say when they are not as expected.
//!
//! Parsers work on bytes: the kernel promises no encoding, and names of devices and
//! processes hold what users put there. Nothing here reads a file or knows a table.

use std::borrow::Cow;

use heldup_model::Flaw;

/// At most so many bytes of what was found are repeated in an error.
const MAX_FOUND_BYTES: usize = 40;
/// At most so many errors are kept of one file: a garbled file says the same on every line.
const MAX_ERRORS: usize = 20;

/// One thing in a kernel file that was not as expected; what it stands for stays NULL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{item}: found \"{found}\", expected {expected}")]
pub struct ParseError {
    /// Line in the file, from 1; 0 where the file as a whole is meant.
    pub line: usize,
    /// What was to be read: a field, a counter.
    pub item: Cow<'static, str>,
    /// What stood there, shortened.
    pub found: String,
    /// What should have stood there.
    pub expected: &'static str,
}

impl ParseError {
    /// Describes what stood at a place.
    pub fn new(
        line: usize,
        item: impl Into<Cow<'static, str>>,
        found: &[u8],
        expected: &'static str,
    ) -> ParseError {
        let shown = &found[..found.len().min(MAX_FOUND_BYTES)];
        let found = String::from_utf8_lossy(shown).escape_debug().to_string();
        ParseError { line, item: item.into(), found, expected }
    }

    /// The error as the capture keeps it, with the file that it is about.
    pub fn in_file(&self, path: &str) -> Flaw {
        let place = if self.line == 0 { path.to_owned() } else { format!("{path}:{}", self.line) };
        Flaw { place, what: self.to_string() }
    }
}

/// What a parser made of a file, and what it could not make sense of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed<T> {
    /// What was read.
    pub value: T,
    /// What was not as expected; everything else is in `value`.
    pub errors: Vec<ParseError>,
}

impl<T> Parsed<T> {
    /// Notes an error; the first few are kept.
    pub fn error(&mut self, error: ParseError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// The text without a last line that has no end: a file that was cut off would give a
    /// number without its last digits. Kernel tables always end their last line.
    pub fn whole_lines<'t>(&mut self, text: &'t [u8]) -> &'t [u8] {
        let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |last| last + 1);
        let (text, rest) = text.split_at(whole);
        if !rest.is_empty() {
            let line = text.iter().filter(|b| **b == b'\n').count() + 1;
            self.error(ParseError::new(line, "end of file", rest, "a whole line; the file is cut off"));
        }
        text
    }

    /// An unsigned number that fits the tables' signed integers; otherwise an error and `None`.
    pub fn count(&mut self, line: usize, item: &'static str, field: Option<&[u8]>) -> Option<i64> {
        let found = field.unwrap_or_default();
        let number = count(found);
        if number.is_none() {
            self.error(ParseError::new(line, item, found, "a number from 0 to 2^63-1"));
        }
        number
    }

    /// A decimal number that is not negative; otherwise an error and `None`.
    pub fn decimal(&mut self, line: usize, item: &'static str, field: Option<&[u8]>) -> Option<f64> {
        let found = field.unwrap_or_default();
        let number = decimal(found);
        if number.is_none() {
            self.error(ParseError::new(line, item, found, "a decimal number, not negative"));
        }
        number
    }
}

/// Lines with their numbers from 1, without empty ones.
pub fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    text.split(|b| *b == b'\n')
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .filter(|(_, line)| !line.is_empty())
}

/// Fields between blanks and tabs.
pub fn fields(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|b| matches!(b, b' ' | b'\t' | b'\r')).filter(|field| !field.is_empty())
}

/// Digits only, no more than the tables' integers hold.
pub fn count(field: &[u8]) -> Option<i64> {
    if field.is_empty() {
        return None;
    }
    field.iter().try_fold(0i64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| i64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// A number with a sign or without.
pub fn signed(field: &[u8]) -> Option<i64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Digits with a point or without; no sign, no exponent, no infinity.
pub fn decimal(field: &[u8]) -> Option<f64> {
    let plain = field.iter().all(|b| b.is_ascii_digit() || *b == b'.');
    plain.then(|| std::str::from_utf8(field).ok()?.parse().ok()).flatten()
}

/// Bytes as text, without blanks around it; what is no UTF-8 is replaced.
pub fn text(field: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(field.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_table_holds_are_none() {
        let cases: [(&[u8], Option<i64>); 7] = [
            (b"0", Some(0)),
            (b"9223372036854775807", Some(i64::MAX)),
            (b"9223372036854775808", None),
            (b"18446744073709551616", None),
            (b"-1", None),
            (b"", None),
            (b"12x", None),
        ];
        for (field, expected) in cases {
            assert_eq!(count(field), expected, "{}", text(field));
        }
        assert_eq!(decimal(b"0.25"), Some(0.25));
        assert_eq!(decimal(b"-0.25"), None);
        assert_eq!(decimal(b"inf"), None);
        assert_eq!(decimal(b""), None);
    }

    #[test]
    fn errors_name_file_line_item_and_expectation() {
        let error = ParseError::new(3, "ctxt", b"1\x002", "a number");
        let flaw = error.in_file("/proc/stat");
        assert_eq!(flaw.place, "/proc/stat:3");
        assert_eq!(flaw.what, "ctxt: found \"1\\02\", expected a number");
    }

    #[test]
    fn a_garbled_file_says_so_a_few_times_only() {
        let mut parsed = Parsed::<()>::default();
        for line in 0..1000 {
            parsed.count(line, "x", Some(b"?"));
        }
        assert_eq!(parsed.errors.len(), MAX_ERRORS);
    }
}
