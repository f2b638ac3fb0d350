//! The line that counts: how much was found, ruled out, and could not be checked.

use heldup_model::{Examination, Severity};

use crate::layout::{Ink, Page, Span};
use crate::quantity::count;

/// Sign and ink of a severity; the summary line shows what they stand for.
pub(crate) const fn sign(severity: Severity) -> (&'static str, Ink) {
    match severity {
        Severity::Critical => ("▲", Ink::Red),
        Severity::Warning => ("△", Ink::Yellow),
        Severity::Info => ("○", Ink::Plain),
    }
}

/// Writes the line.
pub(crate) fn write(page: &mut Page, examination: &Examination) {
    let mut parts: Vec<Vec<Span>> = Vec::new();
    for (severity, word) in
        [(Severity::Critical, "critical"), (Severity::Warning, "warning"), (Severity::Info, "info")]
    {
        let number = examination.findings.iter().filter(|f| f.severity == severity).count();
        if number > 0 {
            let (sign, ink) = sign(severity);
            parts.push(vec![(ink, sign.to_owned()), (Ink::Plain, format!("\u{a0}{number}\u{a0}{word}"))]);
        }
    }
    let ruled_out = examination.ruled_out.len();
    let unchecked = examination.unchecked.len();
    if parts.is_empty() && ruled_out == 0 {
        page.paragraph(&[(Ink::Bold, "Nothing could be checked: heldup\u{a0}doctor".to_owned())], 2);
        return;
    }
    if parts.is_empty() {
        parts.push(vec![(Ink::Bold, "Nothing found".to_owned())]);
    }
    if ruled_out > 0 {
        parts.push(vec![(Ink::Plain, format!("{} ruled out", count(ruled_out as i64)))]);
    }
    if unchecked > 0 {
        let number = count(unchecked as i64);
        parts.push(vec![(Ink::Plain, format!("{number} could not be checked: heldup\u{a0}doctor"))]);
    }
    let spans: Vec<Span> = parts.join(&(Ink::Plain, " · ".to_owned()));
    page.paragraph(&spans, 2);
}
