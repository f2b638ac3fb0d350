//! `zpool iostat`, also with `-v`: what pools and the devices below them read and write, and how full they are.
//!
//! The first report is of the time since the pool was imported. Counts have letters for powers of 1000, sizes for powers of
//! 1024; both have three digits.

use heldup_model::Record;
use heldup_model::tables::{DiskRow, FilesystemRow};

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::number::size;

const NAME: &str = "zpool iostat";
/// Lines between two of one run.
const MOST_GAP: u64 = 4;
const COLUMNS: [&str; 6] = ["alloc", "free", "read", "write", "read", "write"];

/// Reads `zpool iostat`.
#[derive(Default)]
pub struct ZpoolIostat {
    run: Option<Run>,
}

struct Run {
    when: When,
    /// The first name: where it comes again, so does the report.
    first: Option<String>,
    last_line: u64,
}

impl Importer for ZpoolIostat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if !is_heading(line.words) {
            return Ok(false);
        }
        if let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + MOST_GAP) {
            run.last_line = line.number;
            return Ok(true);
        }
        self.ends(document)?;
        document.begin(NAME);
        document.note("the first report of zpool iostat covers the time since the pool was imported: its rates are not used");
        let when = document.moment_of_run(NAME, document.clock(), true, None);
        self.run = Some(Run { when, first: None, last_line: line.number });
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        let Some(run) = self.run.as_mut().filter(|run| line.number <= run.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let is_ruler =
            line.words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) && line.words.len() > 1;
        if is_ruler || line.words.starts_with(&["capacity", "operations"]) {
            run.last_line = line.number;
            return Ok(true);
        }
        let [name, values @ ..] = line.words else { return Ok(false) };
        let is_value = |word: &&str| *word == "-" || size(word, 1.0).is_some();
        if values.len() != COLUMNS.len() || !values.iter().all(is_value) {
            return Ok(false);
        }
        run.last_line = line.number;
        if run.first.as_deref() == Some(*name) {
            document.end_sample(NAME)?;
            run.when = document.moment_of_run(NAME, document.clock(), false, None);
        }
        run.first.get_or_insert_with(|| (*name).to_owned());
        run.write(name, values, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.run.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Run {
    fn write(&self, name: &str, values: &[&str], document: &mut Document) {
        let [used, free, reads, writes, read, written] = values else { return };
        if let (Some(used), Some(free)) = (size(used, 1.0), size(free, 1.0)) {
            let cells = [
                ("device", Put::Text(name)),
                ("fs_type", Put::Text("zfs")),
                ("size_bytes", Put::Number(Some(used + free))),
                ("available_bytes", Put::Number(Some(free))),
            ];
            put_row(document, FilesystemRow::DEF, self.when, Key::Name(name), &cells);
        }
        // Groups of devices are what their parts are together.
        if ["mirror-", "raidz", "draid", "spare-", "replacing-"].iter().any(|group| name.starts_with(group)) {
            return;
        }
        let grown = |rate: Option<f64>| Put::Number(rate.zip(self.when.secs).map(|(rate, secs)| rate * secs));
        let cells = [
            ("reads", grown(count(reads))),
            ("writes", grown(count(writes))),
            ("read_bytes", grown(size(read, 1.0))),
            ("write_bytes", grown(size(written, 1.0))),
        ];
        put_row(document, DiskRow::DEF, self.when, Key::Name(name), &cells);
    }
}

/// `pool alloc free read write read write`; with `vdev` or `used` in older releases.
fn is_heading(words: &[&str]) -> bool {
    match words {
        ["pool" | "vdev", rest @ ..] => {
            rest == COLUMNS || rest.first() == Some(&"used") && rest.get(1..) == Some(&COLUMNS[1..])
        }
        _ => false,
    }
}

/// A count: `272`, `1.18K`.
fn count(word: &str) -> Option<f64> {
    let (digits, factor) = match word.as_bytes().last()? {
        b'K' => (&word[..word.len() - 1], 1e3),
        b'M' => (&word[..word.len() - 1], 1e6),
        _ => (word, 1.0),
    };
    Some(digits.parse::<f64>().ok()? * factor)
}
