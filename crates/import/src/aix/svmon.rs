//! `svmon` of AIX: the machine's memory (`-G`), and that of processes (`-P`), in pages of 4 KB unless a line
//! above says another unit.

use heldup_model::Record;
use heldup_model::tables::{MemoryRow, ProcessRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "svmon";
const PAGE_BYTES: f64 = 4096.0;

/// Reads `svmon`.
#[derive(Default)]
pub struct Svmon {
    unit_bytes: Option<f64>,
    /// The line above said a unit that is not known (`auto`: each number has a letter of its own).
    is_unit_unknown: bool,
    listing: Option<Listing>,
    last_line: u64,
}

#[derive(Clone, Copy)]
struct Listing {
    when: When,
    is_of_processes: bool,
    unit_bytes: f64,
    rows: u64,
}

impl Importer for Svmon {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let ["Unit:", unit] = line.words {
            self.unit_bytes = match *unit {
                "page" => Some(PAGE_BYTES),
                "KB" => Some(1024.0),
                "MB" => Some(1_048_576.0),
                "GB" => Some(1_073_741_824.0),
                "auto" => None,
                // Units of systemd and of everybody else.
                _ => return Ok(false),
            };
            self.is_unit_unknown = self.unit_bytes.is_none();
            if self.is_unit_unknown {
                document.flaw(line.number, format!("svmon: unit {unit}; expected page, KB, MB or GB"));
            }
            return Ok(false);
        }
        let is_of_processes = line.words.starts_with(&["Pid", "Command", "Inuse", "Pin"]);
        if !is_of_processes && !line.words.starts_with(&["size", "inuse", "free", "pin"]) {
            return Ok(false);
        }
        if self.is_unit_unknown {
            return Ok(false);
        }
        let goes_on = self.listing.filter(|listing| listing.is_of_processes && is_of_processes);
        if let Some(listing) = goes_on {
            // Headings are repeated for each process.
            self.listing = Some(listing);
            self.last_line = line.number;
            return Ok(true);
        }
        self.end(document)?;
        document.begin(NAME);
        let unit_bytes = self.unit_bytes.unwrap_or(PAGE_BYTES);
        self.listing = Some(Listing { when: document.moment(NAME), is_of_processes, unit_bytes, rows: 0 });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words.starts_with(&["Pid", "Command"]) || line.words.starts_with(&["size", "inuse"]) {
            return self.begins(line, document);
        }
        let Some(listing) = self.listing.as_mut().filter(|_| line.number <= self.last_line + 400) else {
            return Ok(false);
        };
        let is_taken = match listing.is_of_processes {
            true => listing.take_process(line, document),
            false if line.number <= self.last_line + 3 => listing.take_memory(line, document),
            false => false,
        };
        if is_taken {
            self.last_line = line.number;
        }
        Ok(is_taken)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end(document)
    }
}

impl Svmon {
    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.listing.take().filter(|listing| listing.rows > 0) {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Listing {
    fn bytes(&self, word: &str) -> Option<f64> {
        word.parse::<f64>().ok().map(|number| number * self.unit_bytes)
    }

    fn take_memory(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let cells: Vec<(&str, Option<f64>)> = match line.words {
            ["memory", size, _inuse, free, ..] => {
                vec![("total_bytes", self.bytes(size)), ("free_bytes", self.bytes(free))]
            }
            ["pg", "space", size, inuse, ..] => {
                let (size, inuse) = (self.bytes(size), self.bytes(inuse));
                let free = size.zip(inuse).map(|(size, inuse)| size - inuse);
                vec![("swap_total_bytes", size), ("swap_used_bytes", inuse), ("swap_free_bytes", free)]
            }
            // Of files: on disks of its own, and of other machines or JFS2.
            ["in", "use", _work, pers, clnt, ..] => {
                vec![("cached_bytes", self.bytes(pers).zip(self.bytes(clnt)).map(|(one, two)| one + two))]
            }
            ["work", "pers", "clnt", ..] | ["pin", _, _, ..] => Vec::new(),
            ["PageSize", "PoolSize", ..] | ["s" | "m" | "L" | "S", _, "KB" | "MB" | "GB", ..] => Vec::new(),
            _ => return false,
        };
        if cells.iter().any(|(_, value)| value.is_none()) {
            document.flaw(line.number, "svmon: expected numbers of pages".to_owned());
            return true;
        }
        self.rows += 1;
        let cells: Vec<(&str, Put<'_>)> =
            cells.into_iter().map(|(column, value)| (column, Put::Number(value))).collect();
        put(document, MemoryRow::DEF, self.when, "", &cells);
        true
    }

    fn take_process(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let [pid, name, inuse, _pin, paged, virtual_pages, ..] = line.words else { return false };
        let (Ok(pid), Some(inuse)) = (pid.parse::<i64>(), self.bytes(inuse)) else { return false };
        let (Some(paged), Some(virtual_bytes)) = (self.bytes(paged), self.bytes(virtual_pages)) else {
            return false;
        };
        self.rows += 1;
        let cells = [
            ("pid", Put::Number(Some(pid as f64))),
            ("name", Put::Text(name)),
            ("resident_bytes", Put::Number(Some(inuse))),
            ("swap_bytes", Put::Number(Some(paged))),
            ("virtual_bytes", Put::Number(Some(virtual_bytes))),
        ];
        put(document, ProcessRow::DEF, self.when, &pid.to_string(), &cells);
        true
    }
}
