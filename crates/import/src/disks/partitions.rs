//! `/proc/partitions`: numbers, names and sizes of block devices. Counters, which 2.4 has behind the names, are left out.

use heldup_model::tables::DiskRow;
use heldup_model::{Record, TableDef};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "partitions";
const DISK: &TableDef = DiskRow::DEF;
const BLOCK_BYTES: f64 = 1024.0;

/// Reads `/proc/partitions`.
#[derive(Default)]
pub struct Partitions {
    when: Option<When>,
}

impl Importer for Partitions {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !line.words.starts_with(&["major", "minor", "#blocks", "name"]) {
            return Ok(false);
        }
        self.ends(document)?;
        document.begin(NAME);
        self.when = Some(document.moment(NAME));
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(when) = self.when else { return Ok(false) };
        let [major, minor, blocks, device, ..] = line.words else { return Ok(false) };
        let is_number = |word: &&str| word.parse::<u32>().is_ok();
        let (true, Ok(blocks)) = (is_number(major) && is_number(minor), blocks.parse::<u64>()) else {
            return Ok(false);
        };
        let number = format!("{major}:{minor}");
        // An extended partition of DOS has one block of 1 KiB, which is not its size.
        let size = Some(blocks as f64 * BLOCK_BYTES).filter(|_| blocks > 1);
        let row = [("dev_id", Put::Text(&number)), ("size_bytes", Put::Number(size))];
        put_row(document, DISK, when, Key::Name(device), &row);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}
