//! What each recording was that was examined: its tools, the span that it covers, what was assumed.

use heldup_model::{Examination, FileSummary};
use jiff::Timestamp;

use super::TextOptions;
use crate::layout::{Ink, Page};
use crate::quantity::count;

/// Writes a line for each, and what is to be known of it.
pub(crate) fn write(page: &mut Page, examination: &Examination, options: &TextOptions) {
    for file in &examination.files {
        let mut line = match file.file.as_str() {
            "" => file.what.clone(),
            name => format!("{name}: {}", file.what),
        };
        if let Some((from, to)) = span(file, options) {
            line += &format!(", {from} until {to}");
        }
        if file.known && file.lines > 0 {
            let number = |lines: u64| count(i64::try_from(lines).unwrap_or(i64::MAX));
            line += &format!(" ({} of {} lines)", number(file.lines_read), number(file.lines));
        }
        page.paragraph(&[(Ink::Plain, line)], 2);
        for note in &file.notes {
            page.paragraph(&[(Ink::Dim, format!("  {note}"))], 4);
        }
        for name in file.files.iter().filter(|_| options.details) {
            page.paragraph(&[(Ink::Dim, format!("  {name}"))], 4);
        }
    }
}

/// The span, in the zone of the reader; the date of its end only where it is another.
fn span(file: &FileSummary, options: &TextOptions) -> Option<(String, String)> {
    let at = |time: &Option<String>| {
        let time = time.as_ref()?.parse::<Timestamp>().ok()?;
        Some(time.to_zoned(options.time_zone.clone()))
    };
    let (from, to) = (at(&file.from)?, at(&file.to)?);
    let shape = if from.date() == to.date() { "%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" };
    Some((from.strftime("%Y-%m-%d %H:%M:%S").to_string(), to.strftime(shape).to_string()))
}
