//! `iotop -b` of Python and of C: what each process or thread reads and writes a second.
//!
//! Without `-P` rows are threads, of which it is not told whose they are; threads of the kernel are processes too. With `-a`
//! sums count since the tool was started, and are left out. The first screen is of no time: where it has zeros, they say nothing.

use heldup_model::Record;
use heldup_model::tables::{ProcessRow, ThreadRow};

use crate::document::listed_wait::{WaitingTask, put_waits};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::table::sheets::{Key, When};
use crate::text::civil::time_of_day;
use crate::text::clock_line;
use crate::text::number::cell;

const NAME: &str = "iotop";
/// Lines between two of one listing.
const MOST_GAP: u64 = 3;
/// The kernel's own names of tasks are no longer.
const LONGEST_NAME: usize = 15;

/// Reads `iotop`.
#[derive(Default)]
pub struct Iotop {
    when: Option<When>,
    last_line: u64,
    is_first: bool,
    /// The heading was read.
    has_heading: bool,
    is_of_processes: bool,
    /// The tool said that the kernel does not measure waits.
    lacks_waits: bool,
    last_ms: Option<i64>,
}

impl Importer for Iotop {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if line.words.iter().any(|word| word.contains("task_delayacct") || *word == "CONFIG_TASK_DELAY_ACCT")
        {
            self.lacks_waits = true;
            return Ok(false);
        }
        let is_total = is_total(line.words);
        if !is_total && !is_heading(line.words) {
            return Ok(false);
        }
        if self.when.is_none() {
            document.begin(NAME);
            self.is_first = true;
        }
        if is_total || self.has_heading || self.when.is_none() {
            self.next(line.words, document)?;
        }
        (self.has_heading, self.last_line) = (!is_total, line.number);
        self.is_of_processes |= line.words.contains(&"PID");
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        if self.when.is_none() || line.number > self.last_line + MOST_GAP {
            return Ok(false);
        }
        if matches!(without_time(line.words), ["Actual" | "Current", "DISK", "READ" | "READ:", ..]) {
            self.last_line = line.number;
            return Ok(true);
        }
        if is_heading(line.words) && !self.has_heading {
            (self.has_heading, self.last_line) = (true, line.number);
            self.is_of_processes = line.words.contains(&"PID");
            return Ok(true);
        }
        if !self.has_heading {
            return Ok(false);
        }
        let Some(row) = row(without_time(line.words)) else { return Ok(false) };
        self.last_line = line.number;
        let Some(when) = self.when else { return Ok(true) };
        let bytes = |rate: Option<f64>| Put::Number(rate.zip(when.secs).map(|(rate, secs)| rate * secs));
        let bare = row.command.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        // A thread of the kernel, and the name of a program where it stands alone.
        let name = bare.or_else(|| {
            let name = row.command.as_str();
            (name.len() <= LONGEST_NAME && !name.contains(['/', ' '])).then_some(name)
        });
        let has_waits = !self.lacks_waits;
        if has_waits {
            let task = WaitingTask {
                pid: self.is_of_processes.then_some(row.task),
                tid: (!self.is_of_processes).then_some(row.task),
                name: name.or_else(|| program(&row.command)),
                read: row.read,
                written: row.written,
                ..WaitingTask::default()
            };
            put_waits(document, when, task, &[("io", row.waits), ("swap_in", row.swap_in)]);
        }
        if !self.is_of_processes {
            let seconds = |share: Option<f64>| {
                Put::Number(share.filter(|_| has_waits).zip(when.secs).map(|(share, secs)| share * secs))
            };
            let mut cells = vec![
                ("device_read_bytes", bytes(row.read)),
                ("device_write_bytes", bytes(row.written)),
                ("swap_in_delay_s", seconds(row.swap_in)),
                ("block_io_delay_s", seconds(row.waits)),
            ];
            cells.extend(name.map(|name| ("name", Put::Text(name))));
            put_row(document, ThreadRow::DEF, when, Key::Number(row.task), &cells);
        }
        if !self.is_of_processes && bare.is_none() {
            return Ok(true);
        }
        let mut cells = vec![
            ("read_bytes", bytes(row.read)),
            ("write_bytes", bytes(row.written)),
            ("command", Put::Text(&row.command)),
        ];
        cells.extend(name.map(|name| ("name", Put::Text(name))));
        put_row(document, ProcessRow::DEF, when, Key::Number(row.task), &cells);
        Ok(true)
    }

    fn ends(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.has_heading = false;
        match self.when.take() {
            Some(_) => document.end_sample(NAME),
            None => Ok(()),
        }
    }
}

impl Iotop {
    fn next(&mut self, words: &[&str], document: &mut Document) -> Result<(), ImportError> {
        if self.when.take().is_some() {
            document.end_sample(NAME)?;
        }
        let is_zero = |word: &&&str| cell(word).value() == Some(0.0);
        let is_first =
            std::mem::replace(&mut self.is_first, false) && words.iter().filter(is_zero).count() >= 2;
        let order = document.times.dates.order;
        let dated = words.len().checked_sub(5).and_then(|at| clock_line::parse(words.get(at..)?, order));
        let told = match (dated, words.first().and_then(|word| time_of_day(&[word]))) {
            (Some(told), _) => Some(document.instant_ms(told.day, told.seconds, told.zone_s)),
            (None, Some(time)) => {
                let local_s = document.base_day_s() + time.seconds;
                Some((local_s - document.zone_at_s(None, local_s)) * 1000)
            }
            (None, None) => None,
        };
        self.when = Some(match told {
            Some(ms) => {
                let since = self.last_ms.replace(ms).map(|last| (ms - last) as f64 / 1000.0);
                When { ms, secs: since.filter(|secs| *secs > 0.0 && !is_first), floats: false }
            }
            None => document.moment_of_run(NAME, document.clock(), is_first, None),
        });
        Ok(())
    }
}

/// The name of the program of a command: `/usr/sbin/mysqld --daemonize`, `php-fpm: pool www`.
fn program(command: &str) -> Option<&str> {
    let first = command.split_whitespace().next()?;
    Some(first.rsplit('/').next()?.trim_end_matches(':')).filter(|name| !name.is_empty())
}

/// One row.
#[derive(Debug, PartialEq)]
struct Row {
    task: i64,
    /// Bytes a second.
    read: Option<f64>,
    written: Option<f64>,
    /// Shares of time.
    swap_in: Option<f64>,
    waits: Option<f64>,
    command: String,
}

/// `[Total] DISK READ : 499.57 K/s | Total DISK WRITE : 1639.00 K/s`, which has a time before it with `-t`.
fn is_total(words: &[&str]) -> bool {
    matches!(without_time(words), ["Total", "DISK", "READ" | "READ:", ..])
        && words.contains(&"WRITE") | words.contains(&"WRITE:")
}

/// `TID PRIO USER DISK READ DISK WRITE SWAPIN IO> COMMAND`; `PID` with `-P`.
fn is_heading(words: &[&str]) -> bool {
    let words = match words {
        ["TIME", rest @ ..] => rest,
        words => words,
    };
    matches!(words, ["TID" | "PID", "PRIO", "USER", "DISK", read, "DISK", write, ..] if read.starts_with("READ") && write.starts_with("WRITE"))
}

fn without_time<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    match words {
        [time, rest @ ..] if time.len() == 8 && time_of_day(&[time]).is_some() => rest,
        words => words,
    }
}

/// A rate in bytes a second; none of a sum (`24.00 K`).
fn rate(number: &str, unit: &str) -> Option<f64> {
    let factor = match unit {
        "B/s" => 1.0,
        "K/s" => 1024.0,
        "M/s" => 1_048_576.0,
        "G/s" => 1_073_741_824.0,
        "T/s" => 1_099_511_627_776.0,
        _ => return None,
    };
    Some(cell(number).value()? * factor)
}

fn row(words: &[&str]) -> Option<Row> {
    let [task, priority, _user, read, read_unit, written, written_unit, rest @ ..] = words else {
        return None;
    };
    let is_priority = priority.contains('/') || *priority == "idle" || priority.starts_with('?');
    let are_numbers = [read, written].iter().all(|word| cell(word).value().is_some());
    if !is_priority || !are_numbers {
        return None;
    }
    let mut shares = Vec::new();
    let mut rest = rest;
    while let [number, "%", behind @ ..] = rest {
        shares.push(cell(number).value().map(|share| share / 100.0));
        rest = behind;
    }
    // Without delay accounting there is a word instead of the shares; on a screen a graph stands behind them.
    let is_word = |word: &&&str| word.starts_with("?una") || !word.is_ascii();
    let skipped = rest.iter().take_while(is_word).count();
    let [swap_in, waits] = shares[..] else {
        let command = rest.get(skipped..)?.join(" ");
        let (read, written) = (rate(read, read_unit), rate(written, written_unit));
        return Some(Row { task: task.parse().ok()?, read, written, swap_in: None, waits: None, command });
    };
    let command = rest.get(skipped..)?.join(" ");
    let (read, written) = (rate(read, read_unit), rate(written, written_unit));
    Some(Row { task: task.parse().ok()?, read, written, swap_in, waits, command })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_rates_and_of_sums() {
        let read = |line: &str| row(&line.split_whitespace().collect::<Vec<_>>()).expect("a row");
        let one = read("882 be/4 root 499.57 K/s 1604.78 K/s 0.00 % 98.60 % [btrfs-transacti]");
        assert_eq!((one.task, one.command.as_str()), (882, "[btrfs-transacti]"));
        assert_eq!((one.read, one.swap_in), (Some(499.57 * 1024.0), Some(0.0)));
        assert!((one.waits.unwrap() - 0.986).abs() < 1e-9);
        let sum = read("20396 be/4 www-data 0.00 B 24.00 K 0.00 % 2.24 % php-cgi -b 1");
        assert_eq!((sum.read, sum.written, sum.command.as_str()), (None, None, "php-cgi -b 1"));
        let unknown = read("7 ?sys root 0.00 B/s 3.00 B/s ?unavailable? [kworker/0:0H]");
        assert_eq!(
            ["/usr/sbin/mysqld --x", "php-fpm: pool www", ""].map(program),
            [Some("mysqld"), Some("php-fpm"), None]
        );
        assert_eq!(
            (unknown.written, unknown.waits, unknown.command.as_str()),
            (Some(3.0), None, "[kworker/0:0H]")
        );
    }
}
