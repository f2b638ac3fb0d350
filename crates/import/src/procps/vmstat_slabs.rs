//! `vmstat -m`: the kernel's caches of objects.
//!
//! What it calls `Pages` are objects in a slab, whatever its manual says: procps prints `objperslab` of
//! `/proc/slabinfo` there.

use heldup_model::Record;
use heldup_model::tables::SlabRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "vmstat -m";
/// The line of headings, which comes again with each screen.
const HEADINGS: [&str; 5] = ["Cache", "Num", "Total", "Size", "Pages"];
/// Columns of the four numbers behind a name.
const COLUMNS: [&str; 4] = ["active_objects", "objects", "object_bytes", "objects_per_slab"];
/// Lines between two of one listing.
const MOST_GAP: u64 = 2;

/// Reads `vmstat -m`.
#[derive(Default)]
pub struct VmstatSlabs {
    when: Option<When>,
    last_line: u64,
    /// The first cache: where it comes again, so does the listing.
    first: Option<String>,
}

impl Importer for VmstatSlabs {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words != HEADINGS {
            return Ok(false);
        }
        if self.when.is_none() || line.number > self.last_line + MOST_GAP {
            self.start(document)?;
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let [name, numbers @ ..] = line.words else { return Ok(false) };
        let are_numbers = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        if self.when.is_none()
            || line.number > self.last_line + MOST_GAP
            || numbers.is_empty()
            || !numbers.iter().all(|word| are_numbers(word))
        {
            return Ok(false);
        }
        self.last_line = line.number;
        if numbers.len() != COLUMNS.len() {
            let what = format!("{NAME}: {} numbers of {name}; expected Num Total Size Pages", numbers.len());
            document.flaw(line.number, what);
            return Ok(true);
        }
        if self.first.as_deref() == Some(name) {
            self.start(document)?;
        }
        self.first.get_or_insert_with(|| (*name).to_owned());
        let Some(when) = self.when else { return Ok(true) };
        let cells: Vec<(&str, Put<'_>)> = COLUMNS
            .iter()
            .zip(numbers)
            .map(|(column, word)| (*column, Put::Number(word.parse().ok())))
            .collect();
        put_row(document, SlabRow::DEF, when, Key::Name(name), &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.first = None;
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl VmstatSlabs {
    fn start(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        self.when = Some(document.moment(NAME));
        Ok(())
    }
}
