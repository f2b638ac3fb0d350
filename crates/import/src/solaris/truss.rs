//! `truss` of Solaris, AIX and FreeBSD: what it counted (`-c`), and its calls where each has a time (`-D`, `-E`).
//!
//! How long calls took has no column; how many there were, with which error they ended, and what `read` and `write`
//! gave and took has. Times before calls are taken as each call's own, so that their sum is the listing's span.

use std::collections::BTreeMap;

use heldup_model::Record;
use heldup_model::tables::{ProcessRow, SystemCallRow};

use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "truss";

/// Reads `truss`.
#[derive(Default)]
pub struct Truss {
    counted: Option<Counted>,
    calls: Option<Calls>,
    /// The times of all calls together.
    spent_s: f64,
    last_line: u64,
}

/// The table of `-c`: calls and errors by name.
#[derive(Default)]
struct Counted {
    calls: Vec<(String, f64, f64)>,
    elapsed_s: Option<f64>,
    is_summed: bool,
}

/// Calls of processes, gathered.
#[derive(Default)]
pub struct Calls {
    /// By process, call and error.
    counts: BTreeMap<(i64, String, String), f64>,
    /// By process: reads and what they gave, writes and what they took.
    io: BTreeMap<i64, [f64; 4]>,
}

impl Calls {
    /// Counts a call: what it returned, or its error's name.
    pub fn add(&mut self, pid: i64, call: &str, returned: Option<f64>, error: &str) {
        *self.counts.entry((pid, call.to_owned(), error.to_owned())).or_default() += 1.0;
        let at = match call {
            "read" | "pread" | "pread64" | "readv" | "kread" | "kpread" => 0,
            "write" | "pwrite" | "pwrite64" | "writev" | "kwrite" | "kpwrite" => 2,
            _ => return,
        };
        if let Some(bytes) = returned.filter(|bytes| *bytes >= 0.0 && error.is_empty()) {
            let io = self.io.entry(pid).or_default();
            io[at] += 1.0;
            io[at + 1] += bytes;
        }
    }

    /// Writes what was counted, as one sample.
    pub fn write(self, when: crate::table::sheets::When, document: &mut Document) {
        let pid_cell = |pid: i64| Put::Number((pid > 0).then_some(pid as f64));
        for ((pid, call, error), count) in &self.counts {
            let mut cells = vec![
                ("pid", pid_cell(*pid)),
                ("syscall", Put::Text(call)),
                ("calls", Put::Number(Some(*count))),
            ];
            if !error.is_empty() {
                cells.push(("error_name", Put::Text(error)));
            }
            put(document, SystemCallRow::DEF, when, &format!("{pid} {call} {error}"), &cells);
        }
        for (pid, io) in self.io.iter().filter(|(pid, _)| **pid > 0) {
            let columns = ["read_calls", "read_chars", "write_calls", "write_chars"];
            let values = columns.into_iter().zip(io.iter().map(|value| Put::Number(Some(*value))));
            let cells: Vec<(&str, Put<'_>)> = [("pid", pid_cell(*pid))].into_iter().chain(values).collect();
            put(document, ProcessRow::DEF, when, &pid.to_string(), &cells);
        }
    }
}

impl Importer for Truss {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if matches!(line.words, ["syscall", "seconds", "calls", "errors", ..]) {
            self.ends(document)?;
            document.begin(NAME);
            self.counted = Some(Counted::default());
            self.last_line = line.number;
            return Ok(true);
        }
        if self.calls.is_none() && Call::of(line.text).is_some() {
            self.ends(document)?;
            document.begin(NAME);
            self.calls = Some(Calls::default());
            self.spent_s = 0.0;
            return self.goes_on(line, document);
        }
        Ok(false)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if let Some(counted) = self.counted.as_mut().filter(|_| line.number <= self.last_line + 4) {
            let is_taken = counted.take(line, document);
            if is_taken {
                self.last_line = line.number;
            }
            if is_taken && self.counted.as_ref().is_some_and(|counted| counted.elapsed_s.is_some()) {
                self.end_counted(document)?;
            }
            return Ok(is_taken);
        }
        let Some(calls) = self.calls.as_mut() else { return Ok(false) };
        let Some(call) = Call::of(line.text) else { return Ok(false) };
        calls.add(call.pid, call.name, call.returned, call.error);
        self.spent_s += call.secs;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.end_counted(document)?;
        let Some(calls) = self.calls.take() else { return Ok(()) };
        document
            .note("truss: times before calls are taken as each call's own (-D, -E); their sum is the span");
        let when = document.floating(Some(self.spent_s).filter(|secs| *secs > 0.0));
        calls.write(when, document);
        document.end_sample(NAME)
    }
}

impl Truss {
    fn end_counted(&mut self, document: &mut Document) -> Result<(), ImportError> {
        let Some(counted) = self.counted.take().filter(|counted| !counted.calls.is_empty()) else {
            return Ok(());
        };
        if counted.elapsed_s.is_none() {
            document.note("truss -c: no elapsed time in the file: one second assumed");
        }
        let when = document.floating(Some(counted.elapsed_s.unwrap_or(1.0)));
        let mut calls = Calls::default();
        for (name, count, errors) in &counted.calls {
            calls.counts.insert((0, name.clone(), String::new()), count - errors);
            if *errors > 0.0 {
                document
                    .note("truss -c: the errors of calls are not in the listing: failed calls are not kept");
            }
        }
        calls.write(when, document);
        document.end_sample(NAME)
    }
}

impl Counted {
    fn take(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let words = line.words;
        if words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) {
            self.is_summed = true;
            return true;
        }
        match words {
            ["sys", "totals:", ..] | ["usr", "time:", _] => true,
            ["elapsed:", secs] => {
                self.elapsed_s = secs.parse().ok().filter(|secs: &f64| *secs > 0.0);
                true
            }
            [name, rest @ ..] if !self.is_summed && is_call(name) => {
                let numbers: Vec<f64> = rest.iter().filter_map(|word| word.parse().ok()).collect();
                match numbers.as_slice() {
                    [_, calls] if rest.len() == 2 => self.calls.push(((*name).to_owned(), *calls, 0.0)),
                    [_, calls, errors] if rest.len() == 3 => {
                        self.calls.push(((*name).to_owned(), *calls, *errors));
                    }
                    [] => return false,
                    _ => {
                        let what = "truss: expected a call, its seconds, how often, and errors".to_owned();
                        document.flaw(line.number, what);
                    }
                }
                true
            }
            _ => false,
        }
    }
}

/// A timed call: `29986:   0.0146 write(4, "…", 8388608) = 8388608`.
struct Call<'t> {
    pid: i64,
    secs: f64,
    name: &'t str,
    returned: Option<f64>,
    error: &'t str,
}

impl<'t> Call<'t> {
    fn of(text: &'t str) -> Option<Call<'t>> {
        let text = text.trim();
        // A process, and its thread behind a slash, where there are several.
        let (pid, rest) = match text.split_once(':') {
            Some((who, rest)) if who.split('/').all(is_digits) => {
                (who.split('/').next()?.parse().ok()?, rest.trim_start())
            }
            _ => (0, text),
        };
        let (secs, rest) = rest.split_once(char::is_whitespace)?;
        if !secs.contains('.') || !secs.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return None;
        }
        // An instant, as strace prints it, is no duration.
        let secs: f64 = secs.parse().ok().filter(|secs| *secs < 1e8)?;
        let rest = rest.trim_start();
        let (name, _) = rest.split_once('(')?;
        if !is_call(name) {
            return None;
        }
        if let Some((_, error)) = rest.rsplit_once("Err#") {
            return Some(Call { pid, secs, name, returned: None, error: error.split_whitespace().nth(1)? });
        }
        let (_, returned) = rest.rsplit_once("= ")?;
        let returned = returned.split_whitespace().next()?;
        Some(Call { pid, secs, name, returned: number(returned), error: "" })
    }
}

/// `8388608`, `0x800000`.
pub fn number(word: &str) -> Option<f64> {
    match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok().map(|number| number as f64),
        None => word.parse().ok(),
    }
}

fn is_digits(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a word may be a call's name.
fn is_call(name: &str) -> bool {
    name.bytes().next().is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_prose() {
        fn check(text: &str) -> Option<(i64, f64, &str, Option<f64>, &str)> {
            Call::of(text).map(|call| (call.pid, call.secs, call.name, call.returned, call.error))
        }
        assert_eq!(
            check("29986:   0.2394 write(4, \"\\0\\0\".., 8388608)  = 8388608"),
            Some((29_986, 0.2394, "write", Some(8_388_608.0), ""))
        );
        assert_eq!(
            check("12/3:    0.0001 open64(\"/x\", O_RDONLY)  Err#2 ENOENT"),
            Some((12, 0.0001, "open64", None, "ENOENT"))
        );
        assert_eq!(
            check(" 0.0146 mmap64(0x0, 10) = 0xFE800000"),
            Some((0, 0.0146, "mmap64", Some(4_269_801_472.0), ""))
        );
        assert_eq!(check("It took 0.5 seconds (or more) = long"), None);
        assert_eq!(check("0.5 Write(4) = 8"), None);
    }
}
