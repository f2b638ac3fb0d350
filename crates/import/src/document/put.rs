//! Rows of tables with several keys, or of columns of many kinds, written by the names of columns.

use heldup_model::tables::{SinceBootRow, kept_since_boot};
use heldup_model::{Record, TableDef};

use crate::document::Document;
use crate::table::sheets::{Key, When};

/// What goes into a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Put<'a> {
    /// A number; none where the tool told none.
    Number(Option<f64>),
    /// A text.
    Text(&'a str),
    /// A truth.
    Is(bool),
}

/// Writes cells of one row. The identity tells it from the others of its table and time.
pub fn put(
    document: &mut Document,
    def: &'static TableDef,
    when: When,
    identity: &str,
    cells: &[(&str, Put<'_>)],
) {
    put_row(document, def, when, Key::Identity(identity), cells);
}

/// The same of a row that a key tells from the others; other listings of the same time and thing fill it too.
pub fn put_row(
    document: &mut Document,
    def: &'static TableDef,
    when: When,
    key: Key<'_>,
    cells: &[(&str, Put<'_>)],
) {
    let row = document.sheets.row(def, when, key);
    for (name, value) in cells {
        let Some(column) = def.position(name) else { continue };
        match value {
            Put::Number(Some(number)) => document.sheets.set(row, column, *number),
            Put::Number(None) => {}
            Put::Text(text) => document.sheets.set_text(row, Some(column), text),
            Put::Is(truth) => document.sheets.set_bool(row, column, *truth),
        }
    }
}

/// Writes a sum since boot, if it is one of those that are kept. `name` is the column of an increase or, of `net_proto` and
/// `net_driver`, the counter; without a thing it is the machine's.
pub fn put_since_boot(
    document: &mut Document,
    when: When,
    (table, name): (&str, &str),
    thing: Option<&str>,
    total: f64,
) {
    let Some(counter) = kept_since_boot(table, name, total as i64) else { return };
    let identity = format!("{counter} {}", thing.unwrap_or_default());
    let mut cells = vec![("counter", Put::Text(&counter)), ("total", Put::Number(Some(total)))];
    cells.extend(thing.map(|thing| ("thing", Put::Text(thing))));
    put(document, SinceBootRow::DEF, when, &identity, &cells);
}

/// A number with or without commas between its thousands: `1,735,573`, `12.28`.
pub fn grouped(word: &str) -> Option<f64> {
    let is_number = word.bytes().any(|byte| byte.is_ascii_digit())
        && word.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'-'));
    is_number.then(|| word.replace(',', "").parse().ok()).flatten()
}

/// `63.69%` or `63.69`, as a share of one.
pub fn percent(word: &str) -> Option<f64> {
    let number: f64 = word.trim_end_matches('%').parse().ok()?;
    (0.0..=100.5).contains(&number).then_some(number / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_reports() {
        assert_eq!(grouped("1,735,573"), Some(1_735_573.0));
        assert_eq!(grouped("17,690"), Some(17_690.0));
        assert_eq!(grouped("2.80"), Some(2.8));
        assert_eq!(grouped("-"), None);
        assert_eq!(grouped("a1"), None);
        assert_eq!(percent("61%"), Some(0.61));
        assert_eq!(percent("1361"), None);
    }
}
