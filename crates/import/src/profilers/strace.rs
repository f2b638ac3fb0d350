//! `strace` of Linux: what it counted (`-c`, also with `-w`; `ltrace -c` has the same table), and its calls, with the time of
//! each where there is one (`-T`), of one thread or many (`-f`).
//!
//! Times of day before calls are not used: what is between two of them is not the call alone.

use std::collections::{BTreeMap, HashMap};

use heldup_model::Record;
use heldup_model::tables::SystemCallRow;

use crate::document::first_line::{FirstLine, replay};
use crate::document::put::{Put, put};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;

const NAME: &str = "strace";
/// Lines between two calls: messages of strace, and of the traced program.
const LONGEST_GAP: u64 = 20;

/// Reads strace.
#[derive(Default)]
pub struct Strace {
    counted: Option<Counted>,
    calls: Option<Calls>,
    first: FirstLine,
    last_line: u64,
}

/// The table of `-c`.
#[derive(Default)]
struct Counted {
    /// Name, seconds, calls, errors.
    rows: Vec<(String, f64, f64, f64)>,
    rules: u32,
}

/// Calls by thread, call and error.
#[derive(Default)]
struct Calls {
    counts: BTreeMap<(i64, String, String), Sum>,
    /// By thread: the call that has not returned.
    open: HashMap<i64, String>,
}

#[derive(Default)]
struct Sum {
    calls: f64,
    seconds: Option<f64>,
}

impl Importer for Strace {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            self.ends(document)?;
            document.begin(NAME);
            self.counted = Some(Counted::default());
            self.last_line = line.number;
            return Ok(true);
        }
        if Call::of(line.text).is_none() {
            return Ok(false);
        }
        let Some(held) = self.first.before(line) else {
            self.first.hold(line);
            return Ok(false);
        };
        if self.calls.is_none() {
            self.ends(document)?;
            document.begin(NAME);
            self.calls = Some(Calls::default());
        }
        self.last_line = held.0;
        replay(&held, document, |line, document| self.goes_on(line, document))?;
        self.goes_on(line, document)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if is_heading(line.words) {
            return self.begins(line, document);
        }
        if let Some(counted) = self.counted.as_mut().filter(|_| line.number <= self.last_line + 2) {
            let is_taken = counted.take(line.words);
            if is_taken {
                self.last_line = line.number;
            }
            return Ok(is_taken);
        }
        let Some(calls) = self.calls.as_mut().filter(|_| line.number <= self.last_line + LONGEST_GAP) else {
            return Ok(false);
        };
        let Some(call) = Call::of(line.text) else { return Ok(false) };
        calls.add(&call);
        self.last_line = line.number;
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        if let Some(counted) = self.counted.take().filter(|counted| !counted.rows.is_empty()) {
            counted.write(document);
            document.end_sample(NAME)?;
        }
        if let Some(calls) = self.calls.take() {
            calls.write(document);
            document.end_sample(NAME)?;
        }
        Ok(())
    }
}

/// The headings of `-c`; ltrace calls what it counts functions.
fn is_heading(words: &[&str]) -> bool {
    matches!(
        words,
        ["%", "time", "seconds", "usecs/call", "calls", "errors", "syscall"]
            | ["%", "time", "seconds", "usecs/call", "calls", "function"]
    )
}

impl Counted {
    fn take(&mut self, words: &[&str]) -> bool {
        if words.iter().all(|word| word.bytes().all(|byte| byte == b'-')) {
            self.rules += 1;
            return true;
        }
        if self.rules > 1 {
            // The sum.
            return words.last() == Some(&"total");
        }
        let [share, seconds, mean, calls, errors @ .., name] = words else { return false };
        let numbers = [share, seconds, mean, calls].map(|word| word.parse::<f64>().ok());
        let [Some(_), Some(seconds), Some(_), Some(calls)] = numbers else { return false };
        let errors = match errors {
            [] => 0.0,
            [errors] => match errors.parse() {
                Ok(errors) => errors,
                Err(_) => return false,
            },
            _ => return false,
        };
        self.rows.push(((*name).to_owned(), seconds, calls, errors));
        true
    }

    fn write(&self, document: &mut Document) {
        let when = document.moment(NAME);
        if self.rows.iter().any(|(.., errors)| *errors > 0.0) {
            document.note("strace -c: with which error calls failed is not in the listing");
        }
        for (name, seconds, calls, _) in &self.rows {
            let cells = [
                ("syscall", Put::Text(name)),
                ("calls", Put::Number(Some(*calls))),
                ("seconds", Put::Number(Some(*seconds))),
            ];
            put(document, SystemCallRow::DEF, when, name, &cells);
        }
    }
}

impl Calls {
    fn add(&mut self, call: &Call<'_>) {
        let name = match call.part {
            Part::Whole => call.name.to_owned(),
            Part::Begin => {
                self.open.insert(call.tid, call.name.to_owned());
                return;
            }
            Part::End => {
                self.open.remove(&call.tid);
                call.name.to_owned()
            }
        };
        let sum = self.counts.entry((call.tid, name, call.error.to_owned())).or_default();
        sum.calls += 1.0;
        if let Some(seconds) = call.seconds {
            *sum.seconds.get_or_insert(0.0) += seconds;
        }
    }

    fn write(self, document: &mut Document) {
        let when = document.moment(NAME);
        for ((tid, name, error), sum) in &self.counts {
            let mut cells = vec![
                ("pid", Put::Number((*tid > 0).then_some(*tid as f64))),
                ("syscall", Put::Text(name)),
                ("calls", Put::Number(Some(sum.calls))),
                ("seconds", Put::Number(sum.seconds)),
            ];
            if !error.is_empty() {
                cells.push(("error_name", Put::Text(error)));
            }
            put(document, SystemCallRow::DEF, when, &format!("{tid} {name} {error}"), &cells);
        }
        if !self.open.is_empty() {
            document.note("strace: calls that had not returned at its end are not counted");
        }
    }
}

/// A line about a call.
#[derive(Debug, PartialEq)]
struct Call<'t> {
    /// Thread; 0 where the line has none.
    tid: i64,
    name: &'t str,
    error: &'t str,
    seconds: Option<f64>,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    /// The call and what it returned.
    Whole,
    /// `… <unfinished ...>`: it has not returned.
    Begin,
    /// `<... NAME resumed> …`: it returns.
    End,
}

impl<'t> Call<'t> {
    fn of(text: &'t str) -> Option<Call<'t>> {
        let text = text.trim();
        // Every line that is taken ends so; most others are told by it.
        if !text.contains('=') && !text.ends_with("<unfinished ...>") {
            return None;
        }
        let (tid, rest) = thread(text);
        let rest = without_time(rest);
        let (part, name, rest) = match rest.strip_prefix("<... ") {
            Some(rest) => {
                let (name, rest) = rest.split_once(" resumed>")?;
                (Part::End, name, rest)
            }
            None => {
                let (name, rest) = rest.split_once('(')?;
                let part = if text.ends_with("<unfinished ...>") { Part::Begin } else { Part::Whole };
                (part, name, rest)
            }
        };
        let is_name = !name.is_empty()
            && name.bytes().next().is_some_and(|first| first.is_ascii_lowercase() || first == b'_')
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_name {
            return None;
        }
        if part == Part::Begin {
            return Some(Call { tid, name, error: "", seconds: None, part });
        }
        let (_, returned) = rest.rsplit_once(")  = ").or_else(|| {
            let at = rest.rfind(" = ")?;
            rest[..at].trim_end().ends_with(')').then(|| (&rest[..at], &rest[at + 3..]))
        })?;
        let mut words = returned.split_whitespace();
        let value = words.next()?;
        let is_value = value == "?"
            || value
                .strip_prefix("0x")
                .unwrap_or(value)
                .trim_start_matches('-')
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit());
        if !is_value {
            return None;
        }
        let error = words.next().filter(|word| {
            word.len() > 2
                && word.starts_with('E')
                && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        });
        let seconds = returned.rsplit_once('<').and_then(|(_, last)| last.strip_suffix('>')?.parse().ok());
        Some(Call { tid, name, error: error.unwrap_or(""), seconds, part })
    }
}

/// `[pid 20126] …`, `20126 …` (`-o`).
fn thread(text: &str) -> (i64, &str) {
    let (digits, rest) = match text.strip_prefix("[pid ") {
        Some(rest) => rest.split_once(']').unwrap_or(("", text)),
        None => text.split_once(' ').unwrap_or(("", text)),
    };
    match digits.trim().parse() {
        Ok(tid) => (tid, rest.trim_start()),
        Err(_) => (0, text),
    }
}

/// Without `19:33:22.403251 `, `1567012345.123456 ` or `     0.000123 ` before the call.
fn without_time(text: &str) -> &str {
    let text = text.trim_start();
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_time = first.bytes().all(|byte| byte.is_ascii_digit() || byte == b':' || byte == b'.');
    if is_time && first.contains([':', '.']) { rest.trim_start() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_with_what_stands_before_and_behind_them() {
        let check = |text: &'static str, expect: (i64, &str, &str, Option<f64>, Part)| {
            let read = Call::of(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((read.tid, read.name, read.error, read.seconds, read.part), expect, "{text}");
        };
        check(
            "19:33:22.403251 futex(0x1ff3168, FUTEX_WAIT_PRIVATE, 0, NULL) = 0 <0.017491>",
            (0, "futex", "", Some(0.017_491), Part::Whole),
        );
        check(
            "19:33:22.421326 futex(0x1f, FUTEX_WAIT_PRIVATE, 0, {tv_sec=0}) = -1 EAGAIN (Resource temporarily unavailable) <0.000020>",
            (0, "futex", "EAGAIN", Some(0.000_02), Part::Whole),
        );
        check("[pid 20131] <... futex resumed>)        = 0", (20131, "futex", "", None, Part::End));
        check("[pid 20126] brk(0x55ddbec2c000 <unfinished ...>", (20126, "brk", "", None, Part::Begin));
        check(
            "183   nanosleep({tv_sec=0, tv_nsec=3000},  <unfinished ...>",
            (183, "nanosleep", "", None, Part::Begin),
        );
        check(
            "read(6, 0x7ffc19d113f0, 8)              = -1 EAGAIN (Resource temporarily unavailable)",
            (0, "read", "EAGAIN", None, Part::Whole),
        );
        check(
            "mmap(NULL, 8392704, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f81f6ffe000",
            (0, "mmap", "", None, Part::Whole),
        );
        check(
            "1567012345.123456 read(3, \"a = b) = c\", 10) = 10 <1.5>",
            (0, "read", "", Some(1.5), Part::Whole),
        );
        for text in [
            "f(x) = y",
            "the call read(3) was slow",
            "x = read(3)",
            "29986:   0.2394 write(4) = 8",
            "a <unfinished ...>",
            "",
        ] {
            assert_eq!(Call::of(text), None, "{text}");
        }
    }

    #[test]
    fn rows_of_the_table() {
        let mut counted = Counted::default();
        let mut take = |line: &str| counted.take(&line.split_whitespace().collect::<Vec<_>>());
        assert!(take("------ ----------- ----------- --------- --------- ----------------"));
        assert!(take("96.08   30.293350       30053      1008         9 futex"));
        assert!(take("0.75    0.236566           6     37503           epoll_wait"));
        assert!(take("------ ----------- ----------- --------- --------- ----------------"));
        assert!(take("100.00   30.529916                 38511         9 total"));
        assert!(!take("another line"));
        assert_eq!(
            counted.rows,
            [("futex".to_owned(), 30.29335, 1008.0, 9.0), ("epoll_wait".to_owned(), 0.236_566, 37503.0, 0.0)]
        );
    }
}
