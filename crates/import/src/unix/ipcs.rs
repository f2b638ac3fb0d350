//! `ipcs`: segments of shared memory, sets of semaphores and message queues, their limits (`-l`) and what is used of them (`-u`);
//! and what a database says when it gets none of them.

use heldup_model::Record;
use heldup_model::tables::{EventRow, IpcRow, LimitsRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::When;

const NAME: &str = "ipcs";
const ORACLE: &str = "Oracle error";
const PAGE_BYTES: f64 = 4096.0;

/// Reads `ipcs` and errors of Oracle.
#[derive(Default)]
pub struct Ipcs {
    listing: Option<Listing>,
    /// Line of an error, whose cause the system tells in the next.
    error_line: Option<u64>,
}

struct Listing {
    when: When,
    kind: &'static str,
    headings: Vec<String>,
    last_line: u64,
    /// Of shared memory: segments and their pages; of semaphores: sets and semaphores.
    segments: Option<(f64, f64)>,
    sets: Option<(f64, f64)>,
    queues: Option<f64>,
    /// Of `-l` and `-u`: name, in use, limit.
    told: Vec<(&'static str, Option<f64>, Option<f64>)>,
}

impl Importer for Ipcs {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(kind) = kind(line.words) {
            if self.listing.is_none() {
                document.begin(NAME);
                let when = document.moment(NAME);
                let (headings, last_line) = (Vec::new(), line.number);
                self.listing = Some(Listing {
                    when,
                    kind,
                    headings,
                    last_line,
                    segments: None,
                    sets: None,
                    queues: None,
                    told: Vec::new(),
                });
            }
            if let Some(listing) = self.listing.as_mut() {
                listing.kind = kind;
                listing.headings.clear();
                listing.last_line = line.number;
                // Of limits and sums nothing is counted object by object.
                if !line.words.iter().any(|word| matches!(*word, "Limits" | "Status")) {
                    listing.count(0.0, true);
                }
            }
            return Ok(true);
        }
        if is_oracle_error(line.words) {
            document.begin(ORACLE);
            self.error(line, document)?;
            self.error_line = Some(line.number);
            return Ok(true);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.error_line.is_some_and(|at| line.number <= at + 2) && is_system_error(line.words) {
            self.error(line, document)?;
            return Ok(true);
        }
        let Some(listing) = self.listing.as_mut().filter(|listing| line.number <= listing.last_line + 4)
        else {
            return Ok(false);
        };
        if let Some(told) = limit(line.words) {
            listing.told.push(told);
            listing.last_line = line.number;
            return Ok(true);
        }
        if line.words.first() == Some(&"key") {
            listing.headings = line.words.iter().map(|word| (*word).to_owned()).collect();
            listing.last_line = line.number;
            return Ok(true);
        }
        if !line.words.first().is_some_and(|word| word.starts_with("0x")) || listing.headings.is_empty() {
            return Ok(false);
        }
        listing.last_line = line.number;
        // The status behind the numbers may be empty.
        let least = listing.headings.iter().filter(|heading| *heading != "status").count();
        if line.words.len() < least {
            let what = format!("ipcs: {} words; expected {}", line.words.len(), listing.headings.join(" "));
            document.flaw(line.number, what);
            return Ok(true);
        }
        listing.row(line.words, document);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(listing) = self.listing.take() else { return Ok(()) };
        let (segments, sets) = (listing.segments, listing.sets);
        for (name, setting, used) in [
            ("shared_memory_segments", "kernel.shmmni", segments.map(|(count, _)| count)),
            ("shared_memory_pages", "kernel.shmall", segments.map(|(_, pages)| pages)),
            ("semaphore_sets", "kernel.sem", sets.map(|(count, _)| count)),
            ("semaphores", "kernel.sem", sets.map(|(_, semaphores)| semaphores)),
            ("message_queues", "kernel.msgmni", listing.queues),
        ] {
            let told = || listing.told.iter().filter(|(there, ..)| *there == name);
            let used = used.or_else(|| told().find_map(|(_, used, _)| *used));
            let max = told().find_map(|(.., max)| *max);
            if used.is_some() || max.is_some() {
                let cells = [
                    ("limit_name", Put::Text(name)),
                    ("setting_key", Put::Text(setting)),
                    ("used", Put::Number(used)),
                    ("max", Put::Number(max)),
                ];
                put(document, LimitsRow::DEF, listing.when, name, &cells);
            }
        }
        if segments.is_some() {
            document.note_text("ipcs: page size of 4096 bytes assumed".to_owned());
        }
        document.end_sample(NAME)
    }
}

impl Ipcs {
    /// What the database said, as a message.
    fn error(&mut self, line: &Line<'_>, document: &mut Document) -> Result<(), ImportError> {
        let when = document.moment(NAME);
        let text = line.words.join(" ");
        let cells = [
            ("sequence", Put::Number(Some(line.number as f64))),
            ("in_window", Put::Is(true)),
            ("level", Put::Text("err")),
            ("facility", Put::Text("user")),
            ("message", Put::Text(&text)),
        ];
        put(document, EventRow::DEF, when, &line.number.to_string(), &cells);
        document.end_sample(ORACLE)
    }
}

/// A line of `-l` (`max number of segments = 4096`) or `-u` (`segments allocated 10`): name, in use, limit.
fn limit(words: &[&str]) -> Option<(&'static str, Option<f64>, Option<f64>)> {
    let number: f64 = words.last()?.parse().ok()?;
    let (used, max) = (Some(number), Some(number));
    Some(match words {
        ["max", "number", "of", "segments", "=", _] => ("shared_memory_segments", None, max),
        ["max", "total", "shared", "memory", "(kbytes)", "=", _] => {
            ("shared_memory_pages", None, Some((number * 1024.0 / PAGE_BYTES).floor()))
        }
        ["max", "total", "shared", "memory", "(pages)", "=", _] => ("shared_memory_pages", None, max),
        ["max", "number", "of", "arrays", "=", _] => ("semaphore_sets", None, max),
        ["max", "semaphores", "system", "wide", "=", _] => ("semaphores", None, max),
        ["max", "queues", "system", "wide", "=", _] => ("message_queues", None, max),
        ["segments", "allocated", _] => ("shared_memory_segments", used, None),
        ["pages", "allocated", _] => ("shared_memory_pages", used, None),
        ["used", "arrays", "=", _] => ("semaphore_sets", used, None),
        ["allocated", "semaphores", "=", _] => ("semaphores", used, None),
        ["allocated", "queues", "=", _] => ("message_queues", used, None),
        _ => return None,
    })
}

impl Listing {
    /// Counts an object of the kind that is being listed; `is_none_yet` where none is known so far.
    fn count(&mut self, size: f64, is_none_yet: bool) {
        let one = if is_none_yet { 0.0 } else { 1.0 };
        match self.kind {
            "shared_memory" => {
                let (count, pages) = self.segments.unwrap_or_default();
                self.segments = Some((count + one, pages + (size / PAGE_BYTES).ceil()));
            }
            "semaphores" => {
                let (count, semaphores) = self.sets.unwrap_or_default();
                self.sets = Some((count + one, semaphores + size));
            }
            _ => self.queues = Some(self.queues.unwrap_or_default() + one),
        }
    }

    fn row(&mut self, words: &[&str], document: &mut Document) {
        let word = |name: &str| {
            let at = self.headings.iter().position(|heading| heading == name)?;
            words.get(at).copied()
        };
        let number = |name: &str| word(name).and_then(|word| word.parse::<f64>().ok());
        let id = ["shmid", "semid", "msqid"].into_iter().find_map(word).unwrap_or("");
        let key = word("key").and_then(|key| u32::from_str_radix(key.trim_start_matches("0x"), 16).ok());
        let size = number("bytes").or_else(|| number("used-bytes"));
        let cells = [
            ("kind", Put::Text(self.kind)),
            ("ipc_id", Put::Number(id.parse().ok())),
            ("ipc_key", Put::Number(key.map(|key| f64::from(key as i32)))),
            ("permissions", Put::Text(word("perms").unwrap_or(""))),
            ("size_bytes", Put::Number(size)),
            ("attached", Put::Number(number("nattch"))),
            ("semaphores", Put::Number(number("nsems"))),
            ("messages", Put::Number(number("messages"))),
            ("destroyed", Put::Is(word("status") == Some("dest"))),
        ];
        put(document, IpcRow::DEF, self.when, &format!("{} {id}", self.kind), &cells);
        let semaphores = number("nsems");
        self.count(semaphores.or(size).unwrap_or(0.0), false);
    }
}

/// The kind of objects that a line of dashes announces.
fn kind(words: &[&str]) -> Option<&'static str> {
    let is_dashes = |word: &&&str| word.len() > 3 && word.bytes().all(|byte| byte == b'-');
    words.first().filter(is_dashes)?;
    match words.get(1..3)? {
        ["Shared", "Memory"] => Some("shared_memory"),
        ["Semaphore", "Arrays" | "Limits" | "Status"] => Some("semaphores"),
        ["Message", "Queues"] | ["Messages" | "Messages:", "Limits" | "Status"] => Some("message_queue"),
        _ => None,
    }
}

/// `ORA-27102: out of memory`.
fn is_oracle_error(words: &[&str]) -> bool {
    let number = words.first().and_then(|word| word.strip_prefix("ORA-")?.strip_suffix(':'));
    number.is_some_and(|number| number.len() == 5 && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `Linux-x86_64 Error: 28: No space left on device`.
fn is_system_error(words: &[&str]) -> bool {
    words.get(1) == Some(&"Error:") && words.get(2).is_some_and(|word| word.ends_with(':'))
}
