//! `lparstat -i` of AIX: what a partition is given, a line each (`Entitled Capacity : 0.50`), as settings.
//!
//! How many CPUs programs see is not among them: that is virtual ones times their threads.

use heldup_model::Record;
use heldup_model::tables::SettingRow;

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;
use crate::text::number::size;

const NAME: &str = "lparstat -i";
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads `lparstat -i`.
#[derive(Default)]
pub struct LparstatSettings {
    listing: Option<Listing>,
}

struct Listing {
    when: When,
    last_line: u64,
    /// Where its colons stand.
    colon: usize,
}

impl Importer for LparstatSettings {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let (["Node", "Name", ":", host], Some(colon)) = (line.words, line.text.find(':')) else {
            return Ok(false);
        };
        self.ends(document)?;
        document.begin(NAME);
        document.name_host(host);
        self.listing = Some(Listing { when: document.moment(NAME), last_line: line.number, colon });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|it| line.number <= it.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let at = listing.colon;
        let (Some(label), Some(value)) = (line.text.get(..at), line.text.get(at..)) else { return Ok(false) };
        let Some(value) = value.strip_prefix(':').map(str::trim) else { return Ok(false) };
        let (label, when) = (label.trim(), listing.when);
        listing.last_line = line.number;
        // What does not apply to a partition is a dash.
        if label.is_empty() || matches!(value, "" | "-") {
            return Ok(true);
        }
        if label == "Online Memory"
            && let Some(bytes) = size(&value.replace(' ', ""), 1.0)
        {
            document.facts.memory_bytes = Some(bytes as i64);
        }
        let cells = [("setting_key", Put::Text(label)), ("setting_value", Put::Text(value))];
        put(document, SettingRow::DEF, when, label, &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}
