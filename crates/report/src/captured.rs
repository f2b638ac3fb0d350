//! What was captured, and the baseline, in a few lines.

use heldup_model::{BaselineShown, CaptureWritten};

use crate::{harmless, overhead, quantity};

pub use crate::answer_schema::json;

/// What is said of a capture without names.
pub const REDACTED: &str = "Names, addresses and arguments are pseudonyms. Names that cannot be recognized as \
                            names stay: read the file before you publish it.";
/// What is said of one with names.
pub const NOT_REDACTED: &str = "It contains names, addresses, command lines and the kernel's log; only its \
                                owner may read it. --redact replaces names.";
/// What is said of the baseline.
pub const BASELINE: &str = "`heldup examine` now reports settings that differ from it (config.drift).";

/// Lines about a capture that was written; `advice` stands below.
pub fn text(written: &CaptureWritten, advice: &str) -> String {
    let rows = i64::try_from(written.rows).unwrap_or(i64::MAX);
    let text = format!(
        "{}: {} s of {}, {} tables, {} rows, {}",
        written.file,
        quantity::number(written.seconds),
        written.host,
        written.tables,
        quantity::count(rows),
        quantity::bytes(written.bytes as f64),
    );
    let cost = written.overhead.as_ref().map(|cost| overhead::plain_line(cost) + "\n").unwrap_or_default();
    format!("{}\n{advice}\n{cost}", harmless(&text.replace('\u{a0}', " ")))
}

/// A line about the baseline.
pub fn baseline(found: &BaselineShown) -> String {
    if found.dropped {
        return harmless(&format!("baseline deleted: {}", found.file)) + "\n";
    }
    let of = match (&found.host, &found.time) {
        (Some(host), Some(time)) => format!("{host}, {time}"),
        _ => "cannot be read".to_owned(),
    };
    let settings = found.settings.map(|count| format!(", {count} settings")).unwrap_or_default();
    let size = quantity::bytes(found.bytes as f64).replace('\u{a0}', " ");
    harmless(&format!("baseline: {of}{settings}, {size}, {}", found.file)) + "\n"
}
