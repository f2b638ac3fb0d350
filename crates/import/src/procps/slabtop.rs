//! `slabtop -o`: the kernel's caches of objects.
//!
//! The size of an object is printed in KB with two digits, which does not tell it: left out, as are the
//! sums above the table.

use heldup_model::Record;
use heldup_model::tables::SlabRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::number::size;

const NAME: &str = "slabtop";
/// The line of headings, word by word.
const HEADINGS: [&str; 10] =
    ["OBJS", "ACTIVE", "USE", "OBJ", "SIZE", "SLABS", "OBJ/SLAB", "CACHE", "SIZE", "NAME"];
/// Numbers before the name.
const NUMBERS: usize = 7;
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads `slabtop`.
#[derive(Default)]
pub struct Slabtop {
    when: Option<When>,
    last_line: u64,
}

impl Importer for Slabtop {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words.starts_with(&["Active", "/", "Total"])
            || line.words.starts_with(&["Minimum", "/", "Average"])
        {
            return Ok(line.text.contains(':'));
        }
        if line.words != HEADINGS {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        self.when = Some(document.moment(NAME));
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(when) = self.when.filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let numbers: Vec<f64> =
            line.words.iter().take(NUMBERS).map_while(|word| size(word.trim_end_matches('%'), 1.0)).collect();
        let [objects, active, _, _, slabs, per_slab, cache_bytes] = numbers[..] else {
            if numbers.len() < 3 {
                return Ok(false);
            }
            let what = format!("slabtop: {} numbers; expected {NUMBERS} and a name", numbers.len());
            document.flaw(line.number, what);
            return Ok(true);
        };
        let name = line.words.get(NUMBERS..).unwrap_or_default().join(" ");
        if name.is_empty() {
            document.flaw(line.number, "slabtop: no name behind the numbers".to_owned());
            return Ok(true);
        }
        self.last_line = line.number;
        let cells = [
            ("objects", Put::Number(Some(objects))),
            ("active_objects", Put::Number(Some(active))),
            ("slabs", Put::Number(Some(slabs))),
            ("objects_per_slab", Put::Number(Some(per_slab))),
            ("cache_bytes", Put::Number(Some(cache_bytes))),
        ];
        put_row(document, SlabRow::DEF, when, Key::Name(&name), &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}
