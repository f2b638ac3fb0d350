//! `/proc/PID/status` as single files, and several below each other (`cat /proc/[0-9]*/status`): who runs, and in
//! how much memory.
//!
//! Threads have such files too; what they share with their process is not told of them again.

use heldup_model::Record;
use heldup_model::tables::ProcessRow;

use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};

const NAME: &str = "process status";
/// Lines between two processes of one listing.
const MOST_GAP: u64 = 2;
const KIB: f64 = 1024.0;

/// Names of lines and the columns that they fill, with what a unit of theirs is.
const COLUMNS: [(&str, &str, f64); 6] = [
    ("PPid", "parent_pid", 1.0),
    ("Threads", "threads", 1.0),
    ("VmSize", "virtual_bytes", KIB),
    ("VmRSS", "resident_bytes", KIB),
    ("RssAnon", "anon_bytes", KIB),
    ("VmSwap", "swap_bytes", KIB),
];

/// Reads the status of processes.
#[derive(Default)]
pub struct ProcessStatus {
    when: Option<When>,
    process: Option<Process>,
    last_line: u64,
}

/// What was read of one so far.
#[derive(Default)]
struct Process {
    name: String,
    state: Option<String>,
    pid: Option<i64>,
    /// The process of a thread.
    group: Option<i64>,
    uid: Option<f64>,
    kernel_thread: Option<bool>,
    told: Vec<(&'static str, f64)>,
}

impl Importer for ProcessStatus {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(("Name", name)) = value_of(line.text) else { return Ok(false) };
        self.write(document);
        if line.number > self.last_line + MOST_GAP {
            self.ends(document)?;
        }
        self.process = Some(Process { name: name.to_owned(), ..Process::default() });
        self.last_line = line.number;
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.begins(line, document)? {
            return Ok(true);
        }
        let is_next = line.number == self.last_line + 1;
        let (Some(process), Some((name, value)), true) = (&mut self.process, value_of(line.text), is_next)
        else {
            self.write(document);
            return Ok(false);
        };
        self.last_line = line.number;
        if !process.take(name, value) {
            document.flaw(line.number, format!("{NAME}: {name}: {value}; expected a number"));
        }
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.write(document);
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl ProcessStatus {
    /// Writes the process that was read last. Without a number it was none, but a text that begins alike.
    fn write(&mut self, document: &mut Document) {
        let Some(process) = self.process.take() else { return };
        let Some(pid) = process.pid else { return };
        if process.group.is_some_and(|group| group != pid) {
            document.note("the status of threads is that of their processes, which are read");
            return;
        }
        let when = *self.when.get_or_insert_with(|| {
            document.begin(NAME);
            document.moment(NAME)
        });
        let mut cells = vec![("name", Put::Text(&process.name)), ("uid", Put::Number(process.uid))];
        cells.extend(process.state.as_deref().map(|state| ("state", Put::Text(state))));
        cells.extend(process.kernel_thread.map(|is_one| ("kernel_thread", Put::Is(is_one))));
        cells.extend(process.told.iter().map(|(column, value)| (*column, Put::Number(Some(*value)))));
        put_row(document, ProcessRow::DEF, when, Key::Number(pid), &cells);
    }
}

impl Process {
    /// Takes a line; whether it was as expected. Most lines have no column.
    fn take(&mut self, name: &str, value: &str) -> bool {
        let mut words = value.split_whitespace();
        let first = words.next().unwrap_or_default();
        let number = first.parse::<i64>().ok();
        match name {
            "State" => self.state = first.get(..1).map(str::to_owned),
            "Pid" => self.pid = number,
            "Tgid" => self.group = number,
            // Real, effective, saved, file system.
            "Uid" => self.uid = words.next().and_then(|uid| uid.parse().ok()),
            "Kthread" => self.kernel_thread = Some(first == "1"),
            _ => {
                let Some((_, column, unit)) = COLUMNS.iter().find(|(known, ..)| *known == name) else {
                    return true;
                };
                let Some(number) = number.filter(|number| *number >= 0) else { return false };
                self.told.push((column, number as f64 * unit));
            }
        }
        !matches!(name, "Pid" | "Tgid") || number.is_some()
    }
}

/// `VmRSS:<tab>    1832 kB`: the name and what stands behind it.
fn value_of(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(":\t")?;
    let is_name = name.starts_with(|sign: char| sign.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'(' | b')'));
    is_name.then_some((name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_exist() {
        for column in
            COLUMNS.iter().map(|(_, column, _)| *column).chain(["name", "uid", "state", "kernel_thread"])
        {
            assert!(ProcessRow::DEF.position(column).is_some(), "{column}");
        }
    }

    #[test]
    fn lines_are_told_from_prose() {
        assert_eq!(value_of("VmRSS:\t    1832 kB"), Some(("VmRSS", "1832 kB")));
        assert_eq!(value_of("SigQ:\t0/96390"), Some(("SigQ", "0/96390")));
        assert_eq!(value_of("Name: bash"), None);
        assert_eq!(value_of("my note:\tbash"), None);
    }
}
