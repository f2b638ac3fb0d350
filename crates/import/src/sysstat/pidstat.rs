//! `pidstat`: CPU, faults and memory, I/O, switches and scheduling of processes and threads, section
//! below section or all in one line (`-h`).
//!
//! A section's heading has the time at which its interval began; with `-h` only rows have a time, and
//! the first sample is held until the second tells how long intervals are. `Average:` is passed over.

use heldup_model::tables::{ProcessRow, ThreadRow};
use heldup_model::{Record, TableDef};

use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::sysstat::pidstat_fields::{OF_FIRST_THREAD, OF_PROCESS, OF_THREAD, OWN, POLICIES};
use crate::table::columns::{Around, Layout, Row};
use crate::table::sheets::{Key, When};
use crate::text::civil::{DAY_S, time_of_row, zone_of_row};
use crate::text::number::Cell;

const NAME: &str = "pidstat";
/// Below this a fall of the time of day is a clock that was set back, above it midnight.
const MIDNIGHT_FALL_S: i64 = DAY_S / 2;
/// Seconds since 1970 are above this, seconds of a day below.
const FIRST_INSTANT_S: i64 = 1_000_000_000;
/// The kernel's own names of tasks are no longer, but of its workers.
const LONGEST_NAME: usize = 15;
/// Rows of a first sample that are held.
const MOST_HELD: usize = 1 << 16;

/// Reads `pidstat`.
#[derive(Default)]
pub struct Pidstat {
    section: Option<Section>,
    /// A sample whose interval is not known yet.
    held: Vec<Held>,
    /// Second of the day, or since 1970, of the last sample, and the day it was on.
    last_s: Option<i64>,
    day_s: i64,
    /// Zone of the last row, where it told one.
    zone_s: Option<i64>,
    /// What the last rows' interval began with.
    secs: Option<f64>,
    process: i64,
    has_rows: bool,
    banner_line: u64,
    cells: Row,
    /// The name of the last row's task.
    name: String,
}

/// The headings of one section.
struct Section {
    headings: Vec<String>,
    of_process: Layout,
    of_first_thread: Layout,
    of_thread: Layout,
    pid_at: Option<usize>,
    tid_at: Option<usize>,
    policy_at: Option<usize>,
    of_io: Vec<usize>,
    columns: Columns,
    /// When the interval of its rows began; with `-h` it is not printed.
    since_s: Option<i64>,
}

/// Columns that are no numbers below a heading.
struct Columns {
    process_name: Option<usize>,
    command: Option<usize>,
    thread_name: Option<usize>,
    pid: Option<usize>,
    policy: Option<usize>,
}

/// A row whose interval is not known yet.
struct Held {
    second: i64,
    words: Vec<String>,
    cells: Vec<Cell>,
}

impl Importer for Pidstat {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some((since_s, headings)) = headings(line.words) else { return Ok(false) };
        self.begin(document)?;
        self.section = Some(Section::of(headings, since_s, document));
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some((since_s, headings)) = headings(line.words) {
            if self.banner_line != document.facts.banner_line {
                self.begin(document)?;
            }
            self.next_section(headings, since_s, document);
            return Ok(true);
        }
        let Some((second, words)) = timed(line.words) else {
            let is_mean = line.words.first().is_some_and(|word| word.ends_with(':')) && line.words.len() > 3;
            return Ok(is_mean && self.section.is_some());
        };
        self.zone_s = zone_of_row(line.words);
        self.row(line.number, second, words, document)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.let_go(None, document)?;
        if std::mem::take(&mut self.has_rows) { document.end_sample(NAME) } else { Ok(()) }
    }
}

impl Pidstat {
    fn begin(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.ends(document)?;
        document.begin(NAME);
        self.last_s = None;
        self.secs = None;
        self.banner_line = document.facts.banner_line;
        self.day_s = document.base_day_s();
        Ok(())
    }

    fn next_section(&mut self, headings: &[&str], since_s: Option<i64>, document: &mut Document) {
        self.process = 0;
        let is_same = self.section.as_ref().is_some_and(|section| section.headings == headings);
        match &mut self.section {
            Some(section) if is_same => section.since_s = since_s,
            section => *section = Some(Section::of(headings, since_s, document)),
        }
    }

    fn row(
        &mut self,
        line: u64,
        second: i64,
        words: &[&str],
        document: &mut Document,
    ) -> Result<bool, ImportError> {
        let Some(section) = &self.section else { return Ok(false) };
        let width = section.headings.len();
        let numbers = words.get(..width - 1).unwrap_or(words);
        self.cells.read_with_units(numbers, &section.of_process.units);
        // Whose file may not be read has -1 in these columns.
        for at in &section.of_io {
            if let Some(cell @ Cell::Value(..0.0)) = self.cells.cells.get_mut(*at) {
                *cell = Cell::Absent;
            }
        }
        let is_damaged = |(at, cell): (usize, &Cell)| *cell == Cell::Words && !section.has_words(at);
        if words.len() < width || self.cells.cells.iter().enumerate().any(is_damaged) {
            // A sentence that begins with a time has no two numbers after it.
            if self.cells.cells.iter().filter(|cell| matches!(cell, Cell::Value(_))).count() < 2 {
                return Ok(false);
            }
            let expected = section.headings.join(" ");
            document.flaw(line, format!("pidstat: {} words; expected {expected}", words.len()));
            return Ok(true);
        }
        let since_s = section.since_s;
        self.advance(second, since_s, document)?;
        if self.secs.is_none() && since_s.is_none() && self.held.len() < MOST_HELD {
            let words = words.iter().map(|word| (*word).to_owned()).collect();
            self.held.push(Held { second, words, cells: self.cells.cells.clone() });
        } else {
            let cells = std::mem::take(&mut self.cells);
            self.write(second, words, &cells.cells, self.secs, document);
            self.cells = cells;
        }
        self.has_rows = true;
        Ok(true)
    }

    /// Goes on to the time of a row.
    fn advance(
        &mut self,
        second: i64,
        since_s: Option<i64>,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        let last = self.last_s;
        if last != Some(second) {
            let passed = last.map(|last| self.passed(last, second));
            if last.is_some() {
                self.let_go(passed, document)?;
                if std::mem::take(&mut self.has_rows) {
                    document.end_sample(NAME)?;
                }
            }
            if last.or(since_s).is_some_and(|earlier| second - earlier < -MIDNIGHT_FALL_S) {
                self.day_s += DAY_S;
            }
            self.last_s = Some(second);
            self.process = 0;
            self.secs = passed.filter(|secs| *secs > 0.0);
        }
        if let Some(since) = since_s {
            self.secs = Some(self.passed(since, second)).filter(|secs| *secs > 0.0);
            if self.secs.is_none() {
                document.note_text(
                    "a sample of unknown interval (since boot, or after a restart): its rates are not used"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }

    fn passed(&self, since: i64, second: i64) -> f64 {
        let passed = second - since;
        (if passed < -MIDNIGHT_FALL_S { passed + DAY_S } else { passed }) as f64
    }

    /// Writes what was held, now that the interval is known, or will not be.
    fn let_go(&mut self, secs: Option<f64>, document: &mut Document) -> Result<(), ImportError> {
        if !self.held.is_empty() {
            let taken =
                if secs.is_some() { "the length of the next is used" } else { "its rates are not used" };
            document.note_text(format!("pidstat -h: unknown length of the first sample: {taken}"));
        }
        for row in std::mem::take(&mut self.held) {
            let words: Vec<&str> = row.words.iter().map(String::as_str).collect();
            self.write(row.second, &words, &row.cells, secs.filter(|secs| *secs > 0.0), document);
        }
        Ok(())
    }

    fn write(
        &mut self,
        second: i64,
        words: &[&str],
        cells: &[Cell],
        secs: Option<f64>,
        document: &mut Document,
    ) {
        let Some(section) = &self.section else { return };
        let instant_s = if second >= FIRST_INSTANT_S {
            second
        } else {
            let local_s = self.day_s + second;
            local_s - document.zone_at_s(self.zone_s, local_s)
        };
        let when = When { ms: instant_s * 1000, secs, floats: false };
        let number = |at: Option<usize>| {
            at.and_then(|at| cells.get(at)).and_then(|cell| cell.value()).map(|value| value as i64)
        };
        self.name.clear();
        for word in words.get(section.headings.len() - 1..).unwrap_or_default() {
            self.name.push_str(if self.name.is_empty() { "" } else { " " });
            self.name.push_str(word);
        }
        let name = self.name.as_str();
        let policy = section.policy_at.and_then(|at| words.get(at)).copied();
        let (pid, tid) = (number(section.pid_at), number(section.tid_at));
        if let Some(pid) = pid.filter(|_| tid.is_none()) {
            self.process = pid;
            let around = Around { when, key: Key::Number(pid), cpus: 1.0 };
            section.of_process.write(cells, around, &mut document.sheets);
            let is_command = name.starts_with('/')
                || (name.len() > LONGEST_NAME && !name.starts_with("kworker/") && name.contains(' '));
            let column = if is_command { section.columns.command } else { section.columns.process_name };
            label(document, ProcessRow::DEF, when, pid, column, name);
            // With -t the thread has a row of its own.
            if section.tid_at.is_none() {
                section.of_first_thread.write(cells, around, &mut document.sheets);
                section.put_policy(policy, pid, when, document);
            }
        } else if let Some(tid) = tid {
            let around = Around { when, key: Key::Number(tid), cpus: 1.0 };
            section.of_thread.write(cells, around, &mut document.sheets);
            label(document, ThreadRow::DEF, when, tid, section.columns.thread_name, thread_name(name));
            let at = document.sheets.row(ThreadRow::DEF, when, Key::Number(tid));
            // Where the row does not name its process itself, it stands below it.
            let process = pid.unwrap_or(self.process);
            if let Some(column) = section.columns.pid.filter(|_| process > 0) {
                document.sheets.set(at, column, process as f64);
            }
            section.put_policy(policy, tid, when, document);
        }
    }
}

impl Columns {
    fn of_tables() -> Columns {
        let (process, thread) = (ProcessRow::DEF, ThreadRow::DEF);
        Columns {
            process_name: process.position("name"),
            command: process.position("command"),
            thread_name: thread.position("name"),
            pid: thread.position("pid"),
            policy: thread.position("policy"),
        }
    }
}

impl Section {
    fn of(headings: &[&str], since_s: Option<i64>, document: &mut Document) -> Section {
        let place = |names: &[&str]| headings.iter().position(|heading| names.contains(heading));
        let of_process = Layout::of(headings, OF_PROCESS);
        let of_first_thread = Layout::of(headings, OF_FIRST_THREAD);
        let of_thread = Layout::of(headings, OF_THREAD);
        let is_unkept = |heading: &&&str| {
            let known = |layout: &Layout| !layout.unkept.iter().any(|unkept| unkept == **heading);
            !OWN.contains(*heading) && !known(&of_process) && !known(&of_first_thread) && !known(&of_thread)
        };
        let unkept: Vec<String> = headings.iter().filter(is_unkept).map(|word| (*word).to_owned()).collect();
        document.leave_out(NAME, &unkept);
        Section {
            headings: headings.iter().map(|word| (*word).to_owned()).collect(),
            of_process,
            of_first_thread,
            of_thread,
            pid_at: place(&["PID", "TGID"]),
            tid_at: place(&["TID"]),
            policy_at: place(&["policy"]),
            of_io: (0..headings.len()).filter(|at| headings[*at].starts_with("kB_")).collect(),
            columns: Columns::of_tables(),
            since_s,
        }
    }

    /// Whether what stands below a heading is no number.
    fn has_words(&self, at: usize) -> bool {
        self.policy_at == Some(at) || self.headings.get(at).is_some_and(|heading| heading == "USER")
    }

    fn put_policy(&self, told: Option<&str>, tid: i64, when: When, document: &mut Document) {
        let known = told.and_then(|told| POLICIES.iter().find(|(printed, _)| *printed == told));
        if let Some((_, policy)) = known {
            label(document, ThreadRow::DEF, when, tid, self.columns.policy, policy);
        }
    }
}

/// `|__name`, of which the reader of lines takes the bar for one of a table.
fn thread_name(told: &str) -> &str {
    let name = told.trim_start_matches('|');
    name.strip_prefix("__").unwrap_or(name)
}

fn label(
    document: &mut Document,
    def: &'static TableDef,
    when: When,
    id: i64,
    column: Option<usize>,
    text: &str,
) {
    let row = document.sheets.row(def, when, Key::Number(id));
    document.sheets.set_text(row, column, text);
}

/// The headings of a section, and the time before them.
fn headings<'w>(words: &'w [&'w str]) -> Option<(Option<i64>, &'w [&'w str])> {
    if words.last() != Some(&"Command") {
        return None;
    }
    let (since, headings) = match words {
        ["#", "Time", headings @ ..] | ["#Time", headings @ ..] => (None, headings),
        _ => timed(words).map(|(second, headings)| (Some(second), headings))?,
    };
    is_heading(headings).then_some((since, headings))
}

/// Whether a line's words are headings of `pidstat`, behind a time.
pub fn is_heading(words: &[&str]) -> bool {
    words.last() == Some(&"Command")
        && words.first().is_some_and(|first| matches!(*first, "UID" | "USER" | "PID" | "TGID"))
        && words.iter().any(|word| matches!(*word, "PID" | "TGID"))
}

/// A time, of day or since 1970, and the words behind it.
fn timed<'w>(words: &'w [&'w str]) -> Option<(i64, &'w [&'w str])> {
    let instant = words.first()?.parse::<i64>().ok().filter(|instant| *instant >= FIRST_INSTANT_S);
    let (second, width) = match instant {
        Some(instant) => (instant, 1),
        None => time_of_row(words).map(|(time, _)| (time.seconds, time.words))?,
    };
    Some((second, words.get(width..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_many_versions() {
        let check = |line: &str, expect: Option<Option<i64>>| {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(headings(&words).map(|(since, _)| since), expect, "{line}");
        };
        check(
            "11:39:24      UID      TGID       TID    %usr %system  %guest   %wait    %CPU   CPU  Command",
            Some(Some(41_964)),
        );
        check("03:42:38 PM       PID   %user %system    %CPU   CPU  Command", Some(Some(56_558)));
        check("# Time        UID      PID    %usr %system   %CPU   CPU  Command", Some(None));
        check("#      Time   UID       PID    %usr %system  %guest    %CPU   CPU  Command", Some(None));
        check("11:39:24 the PID of the Command", None);
    }
}
