//! `errpt` of AIX: what its error log says, a line for each entry, newest first.

use heldup_model::Record;
use heldup_model::tables::EventRow;
use jiff::civil::Date;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "errpt";
const HEADINGS: [&str; 6] = ["IDENTIFIER", "TIMESTAMP", "T", "C", "RESOURCE_NAME", "DESCRIPTION"];

/// Types of entries, as levels: permanent, performance, temporary, unknown, informational.
const TYPES: [(&str, &str); 5] =
    [("P", "err"), ("PERF", "warning"), ("T", "warning"), ("U", "notice"), ("I", "info")];

/// Reads `errpt`.
#[derive(Default)]
pub struct Errpt {
    is_begun: bool,
}

impl Importer for Errpt {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words != HEADINGS {
            return Ok(false);
        }
        self.is_begun = true;
        document.begin(NAME);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let [id, stamp, kind, class, resource, description @ ..] = line.words else { return Ok(false) };
        let is_id = id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let level = TYPES.iter().find(|(name, _)| name == kind).map(|(_, level)| *level);
        let (true, true, Some(level)) = (self.is_begun && is_id, class.len() == 1, level) else {
            return Ok(false);
        };
        let Some((day, second)) = instant(stamp) else {
            document.flaw(line.number, format!("errpt: `{stamp}`; expected month, day, hour, minute, year"));
            return Ok(true);
        };
        let ms = document.instant_ms(day, second, None);
        let message = format!("{resource}: {}", description.join(" "));
        let cells = [
            ("event_ms", Put::Number(Some(ms as f64))),
            ("in_window", Put::Is(true)),
            ("level", Put::Text(level)),
            ("facility", Put::Text("errpt")),
            ("message", Put::Text(&message)),
        ];
        let when = When { ms, secs: None, floats: false };
        put_row(document, EventRow::DEF, when, Key::Number(line.number as i64), &cells);
        document.end_sample(NAME)?;
        Ok(true)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        self.is_begun = false;
        Ok(())
    }
}

/// `0326142310`: the 26th of March 2010, 14:23, as a day and its second.
fn instant(stamp: &str) -> Option<(Date, i64)> {
    if stamp.len() != 10 || !stamp.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let two = |at: usize| stamp.get(at..at + 2)?.parse::<i8>().ok();
    let year = i16::from(two(8)?);
    // AIX 3 is of 1990.
    let day = Date::new(if year >= 90 { 1900 + year } else { 2000 + year }, two(0)?, two(2)?).ok()?;
    let (hour, minute) = (i64::from(two(4)?), i64::from(two(6)?));
    (hour < 24 && minute < 60).then_some((day, hour * 3600 + minute * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_entries() {
        assert_eq!(instant("0326142310"), Some((Date::constant(2010, 3, 26), 51_780)));
        assert_eq!(instant("1231235999"), Some((Date::constant(1999, 12, 31), 86_340)));
        for stamp in ["1326142310", "0326242310", "032614231", "O326142310"] {
            assert_eq!(instant(stamp), None, "{stamp}");
        }
    }
}
