//! Waits by event since the server started, or since somebody emptied the table: `events_waits_summary_…_by_event_name` of the
//! performance schema, and `sys.waits_global_by_latency`. The client prints them in a box, with tabs, or a row below
//! another (`\G`). Times are picoseconds, in the views of `sys` with their units.

use heldup_model::Record;
use heldup_model::tables::DbWaitRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::mysql::client::{Form, cells, field, headings, is_count, is_record, is_rule};
use crate::table::sheets::When;

const FORMAT: &str = "events_waits_summary";
/// Such a server has no name in its tables.
const INSTANCE: &str = "mysql";
const PICOSECOND: f64 = 1e-12;
/// Lines between two rows.
const LONGEST_GAP: u64 = 2;

/// Reads such tables.
#[derive(Default)]
pub struct EventWaits {
    listing: Option<Listing>,
    last_line: u64,
}

/// A table while it is read.
struct Listing {
    form: Form,
    headings: Vec<String>,
    /// The row that is read, of one below another.
    cells: Vec<String>,
    when: When,
}

impl Importer for EventWaits {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let found = headings(line.text, is_ours);
        let is_first = matches!(field(line.text), Some((name, value)) if is_event(&name) && is_wait(value));
        let (form, headings) = match found {
            Some(found) => found,
            None if is_first => (Form::Vertical, Vec::new()),
            None => return Ok(false),
        };
        self.end(document)?;
        document.begin(FORMAT);
        let when = document.moment(FORMAT);
        let mut listing = Listing { form, headings, cells: Vec::new(), when };
        if form == Form::Vertical {
            listing.take_field(line.text);
        }
        self.listing = Some(listing);
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_near = line.number <= self.last_line + LONGEST_GAP;
        let Some(listing) = self.listing.as_mut().filter(|_| is_near) else {
            return self.begins(line, document);
        };
        let is_taken = match listing.form {
            Form::Vertical if is_record(line.text) => {
                listing.flush(line.number, document);
                true
            }
            Form::Vertical => listing.take_field(line.text),
            Form::Box if is_rule(line.text) => true,
            form => match cells(form, line.text).filter(|cells| cells.len() == listing.headings.len()) {
                Some(cells) => {
                    listing.cells = cells;
                    listing.flush(line.number, document);
                    true
                }
                None => false,
            },
        };
        if is_taken {
            self.last_line = line.number;
            return Ok(true);
        }
        self.end(document)?;
        if is_count(line.words) {
            return Ok(true);
        }
        self.begins(line, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl EventWaits {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(mut listing) = self.listing.take() else { return Ok(()) };
        listing.flush(self.last_line, document);
        document.end_sample(FORMAT)
    }
}

impl Listing {
    /// Takes `sum_timer_wait: 12`; false where the line is none such.
    fn take_field(&mut self, text: &str) -> bool {
        let Some((name, value)) = field(text) else { return false };
        self.headings.push(name);
        self.cells.push(value.to_owned());
        true
    }

    fn cell(&self, names: &[&str]) -> Option<&str> {
        let at = self.headings.iter().position(|heading| names.contains(&heading.as_str()))?;
        self.cells.get(at).map(String::as_str).filter(|cell| !cell.is_empty() && *cell != "NULL")
    }

    /// The row is over.
    fn flush(&mut self, line: u64, document: &mut Document) {
        if self.cells.is_empty() {
            return;
        }
        let name = self.cell(&["event_name", "events"]).unwrap_or("").to_owned();
        let waits = self.cell(&["count_star", "total"]).and_then(|cell| cell.parse::<f64>().ok());
        let wait_s = self.cell(&["sum_timer_wait", "total_latency"]).and_then(seconds);
        let mean = self.cell(&["avg_timer_wait", "avg_latency"]).and_then(seconds);
        match (waits, wait_s) {
            // Tables of statements and stages have the same columns.
            _ if !is_wait(&name) => {}
            (Some(waits), Some(wait_s)) => {
                let mut cells = vec![
                    ("instance", Put::Text(INSTANCE)),
                    ("event_name", Put::Text(&name)),
                    ("side", Put::Text("total")),
                    ("waits", Put::Number(Some(waits))),
                    ("wait_s", Put::Number(Some(wait_s))),
                    ("mean_wait_s", Put::Number(mean.filter(|_| waits > 0.0))),
                ];
                let class: Vec<&str> = name.split('/').skip(1).take(2).collect();
                let class = class.join("/");
                if !class.is_empty() {
                    cells.push(("wait_class", Put::Text(&class)));
                }
                put(document, DbWaitRow::DEF, self.when, &name, &cells);
            }
            _ => {
                let what = format!(
                    "{FORMAT}: {:?}; expected a number of waits and a wait time",
                    self.cells.join(" ")
                );
                document.flaw(line, what);
            }
        }
        self.cells.clear();
        if self.form == Form::Vertical {
            self.headings.clear();
        }
    }
}

fn is_ours(headings: &[String]) -> bool {
    let has = |name: &str| headings.iter().any(|heading| heading == name);
    (has("event_name") && has("count_star") && has("sum_timer_wait"))
        || (has("events") && has("total") && has("total_latency"))
}

fn is_event(name: &str) -> bool {
    matches!(name, "event_name" | "events")
}

fn is_wait(name: &str) -> bool {
    name.starts_with("wait/") || name == "idle"
}

/// A time in picoseconds, or with a unit.
fn seconds(cell: &str) -> Option<f64> {
    let Some((number, unit)) = cell.split_once(' ') else {
        return cell.parse::<f64>().ok().map(|number| number * PICOSECOND);
    };
    let unit = match unit {
        "ps" => PICOSECOND,
        "ns" => 1e-9,
        "us" | "µs" => 1e-6,
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        "w" => 604_800.0,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let close =
            |cell: &str, other: f64| seconds(cell).is_some_and(|one| (one - other).abs() < 1e-9 * other);
        assert!(close("747501528788", 0.747_501_528_788));
        assert!(close("17.14 us", 17.14e-6));
        assert!(close("1.50 h", 5400.0));
        assert_eq!(seconds("soon s"), None);
    }
}
