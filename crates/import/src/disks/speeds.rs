//! How fast a disk was, as `dd` tells at its end. No table has a place for the result of such a measurement: it is
//! known for what it is, and left out. So is what `hdparm -tT` measured, of which [`super::disk_settings`] knows the
//! device.

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "dd";

/// Knows what `dd` prints at its end.
#[derive(Default)]
pub struct Speeds {
    last_line: u64,
}

impl Importer for Speeds {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_end = match line.words {
            [_, "records", "in" | "out"] => line.words[0].contains('+'),
            [bytes, "bytes", rest @ ..] => bytes.parse::<u64>().is_ok() && is_copied(rest),
            _ => false,
        };
        if !is_end {
            return Ok(false);
        }
        if line.number > self.last_line + 1 || self.last_line == 0 {
            document.begin(NAME);
            document.note("dd: throughput is not imported (no table for it)");
        }
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begins(line, document)
    }

    fn ends(&mut self, _document: &mut Document) -> Result<(), ImportError> {
        Ok(())
    }
}

/// `(1.0 GB, 1000 MiB) copied, 2.5 s, 419 MB/s`, in older versions `2.5 seconds`.
fn is_copied(words: &[&str]) -> bool {
    words.contains(&"copied,") && words.last().is_some_and(|word| word.ends_with("B/s"))
}
