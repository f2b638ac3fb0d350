//! `/proc/meminfo` and `/proc/slabinfo` in a text that has other things too, as `cat` and `grep` leave them in mails: parsed
//! by the sources of the live machine.
//!
//! A file that is nothing else is read as a file of the kernel (`bundle/`). Two lines that agree begin a listing: a
//! word with a colon and a number are in many texts.

use heldup_model::tables::{MemoryRow, SlabRow};
use heldup_model::{Cells, Record, RowSet};
use heldup_sources::{proc_meminfo, proc_slabinfo};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::Key;

const MEMINFO: &str = "meminfo";
const SLABINFO: &str = "slabinfo";
/// Lines between two of one listing.
const MOST_GAP: u64 = 1;
/// Lines of a listing; the kernel has some two hundred caches.
const MOST_LINES: usize = 4096;
/// What the kernel prints above the headings of caches.
const VERSION: &str = "slabinfo - version: 2.1";
/// Pages of every machine but a few; noted where it is used.
const PAGE_BYTES: i64 = 4096;
/// Lines that only `meminfo` has; others are in `smaps` too.
const OWN: [&str; 22] = [
    "Active:",
    "Buffers:",
    "Cached:",
    "CommitLimit:",
    "Committed_AS:",
    "Dirty:",
    "HugePages_Free:",
    "HugePages_Rsvd:",
    "HugePages_Surp:",
    "HugePages_Total:",
    "Hugepagesize:",
    "Inactive:",
    "MemAvailable:",
    "MemFree:",
    "MemTotal:",
    "PageTables:",
    "SReclaimable:",
    "SUnreclaim:",
    "Slab:",
    "SwapFree:",
    "SwapTotal:",
    "Writeback:",
];
/// Lines of `meminfo` that others have too.
const SHARED: [&str; 6] =
    ["AnonHugePages:", "AnonPages:", "FileHugePages:", "Mapped:", "Shmem:", "ShmemHugePages:"];

/// Reads them.
#[derive(Default)]
pub struct ProcText {
    format: Option<&'static str>,
    text: String,
    lines: usize,
    /// A line that the next may show to be of `meminfo`.
    held: Option<(String, u64)>,
    last_line: u64,
}

impl Importer for ProcText {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_caches = matches!(line.words, ["#", "name", "<active_objs>", "<num_objs>", ..]);
        let held = self.held.take().filter(|(_, at)| at + 1 == line.number);
        let is_line = is_of_meminfo(line.words);
        let first = held.as_ref().map(|(text, _)| text.as_str()).unwrap_or_default();
        let is_own = |text: &str| text.split_whitespace().next().is_some_and(|word| OWN.contains(&word));
        let is_memory = is_line && held.is_some() && (is_own(first) || is_own(line.text));
        if !is_caches && !is_memory {
            self.held = is_line.then(|| (line.text.to_owned(), line.number));
            return Ok(false);
        }
        self.ends(document)?;
        let format = if is_caches { SLABINFO } else { MEMINFO };
        document.begin(format);
        self.format = Some(format);
        self.text = if is_caches { format!("{VERSION}\n") } else { format!("{first}\n") };
        self.take(line);
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(format) = self.format else { return self.begins(line, document) };
        let is_near = line.number <= self.last_line + MOST_GAP && self.lines < MOST_LINES;
        let is_row = match format {
            MEMINFO => is_of_file(line.words),
            _ => line.words.contains(&"slabdata"),
        };
        // The same line again is of the next listing.
        let is_first = format == MEMINFO && line.words.first().is_some_and(|word| self.has(word));
        if !is_near || !is_row || is_first {
            self.ends(document)?;
            return self.begins(line, document);
        }
        self.take(line);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(format) = self.format.take() else { return Ok(()) };
        let text = std::mem::take(&mut self.text);
        self.lines = 0;
        let when = document.moment(format);
        if format == MEMINFO {
            let row = proc_meminfo::parse(text.as_bytes()).value.unwrap_or_default();
            for cells in columns(RowSet::totals([row])) {
                put_row(document, MemoryRow::DEF, when, Key::Host, &cells);
            }
        } else {
            document.note("slabinfo: page size of 4096 bytes assumed");
            let rows = proc_slabinfo::parse(text.as_bytes(), PAGE_BYTES).value;
            for row in rows {
                let name = row.name.clone().unwrap_or_default();
                for cells in columns(RowSet::totals([row])) {
                    put_row(document, SlabRow::DEF, when, Key::Name(&name), &cells);
                }
            }
        }
        document.end_sample(format)
    }
}

impl ProcText {
    fn take(&mut self, line: &Line<'_>) {
        self.text.push_str(line.text);
        self.text.push('\n');
        self.lines += 1;
        self.last_line = line.number;
    }

    fn has(&self, word: &str) -> bool {
        self.text.lines().any(|line| line.split_whitespace().next() == Some(word))
    }
}

/// The numbers of one row, by column.
fn columns(rows: RowSet) -> Vec<Vec<(&'static str, Put<'static>)>> {
    let of_row = |row: usize| {
        let columns = rows.def.columns.iter().zip(&rows.cells);
        let numbers = columns.filter_map(|(column, cells)| match cells {
            Cells::Int(values) => Some((column.name, Put::Number(Some(*values.get(row)?.as_ref()? as f64)))),
            _ => None,
        });
        numbers.collect()
    };
    (0..rows.len).map(of_row).collect()
}

/// `HugePages_Total:   53342`, `AnonHugePages:    368640 kB`.
fn is_of_meminfo(words: &[&str]) -> bool {
    is_of_file(words) && words.first().is_some_and(|word| OWN.contains(word) || SHARED.contains(word))
}

fn is_of_file(words: &[&str]) -> bool {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words {
        [name, number, "kB"] | [name, number] => name.ends_with(':') && is_number(number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_meminfo_are_told_from_others() {
        let check = |line: &str, expect: bool| {
            assert_eq!(is_of_meminfo(&line.split_whitespace().collect::<Vec<_>>()), expect, "{line}");
        };
        check("MemTotal:       16268028 kB", true);
        check("HugePages_Free:    11904", true);
        check("AnonHugePages:    368640 kB", true);
        check("Rss:                 468 kB", false);
        check("Buffers: a lot", false);
        check("Active: 7 kB of it", false);
    }
}
