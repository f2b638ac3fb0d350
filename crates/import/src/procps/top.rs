//! `top` in batch mode (`-b`), of procps 2 to procps-ng 4, with threads (`-H`), with a line for each CPU,
//! with decimal commas, without its summary; and that of BusyBox.
//!
//! The first sample of a run tells CPU time since boot, or of an instant whose length nobody tells: its
//! levels are kept, its shares are percentages of a listing (`listed_cpu`) and no seconds. A run's samples are a blank line apart; what follows without one
//! is another run. Times are whole seconds. Left out: counts of tasks by state, for the kernel counts
//! threads, and `used` and `buff/cache` of memory, which are sums. What columns of tasks mean stands in
//! [`super::tasks`].

use heldup_model::Record;
use heldup_model::tables::{CpuRow, MemoryRow, SystemRow};

use crate::document::listed_cpu::{self, Covers, PercentOf};
use crate::document::put::{Put, put_row};
use crate::document::{Document, Line};
use crate::error::ImportError;
use crate::importer::Importer;
use crate::procps::tasks::{self, Listed};
use crate::procps::{top_summary, translated};
use crate::table::sheets::{Key, When};
use crate::table::totals::Totals;
use crate::text::aligned::{Headings, Kind};
use crate::text::civil::{DAY_S, time_of_day};

const NAME: &str = "top";
/// Lines between two of one sample.
const MOST_GAP: u64 = 3;
/// Below this a fall of the time of day is a clock that was set back, above it midnight.
const MIDNIGHT_FALL_S: i64 = DAY_S / 2;
/// Headings that `ps` does not have.
pub const OWN_HEADINGS: [&str; 6] = ["%VSZ", "RES", "SHARE", "SHR", "TIME+", "VIRT"];
/// Headings by which a table without the summary above it is known to be of `top` of Linux: other systems' have `RES` too.
const OF_LINUX: [&str; 4] = ["%VSZ", "SHARE", "TIME+", "VIRT"];
/// Lines of a summary that nobody here reads.
const LONGEST_SUMMARY: u64 = 12;
/// Headings below which numbers stand.
const NUMBERS: [&str; 50] = [
    "%CPU", "%MEM", "%VSZ", "CODE", "DATA", "GID", "NI", "NU", "OOMa", "OOMs", "P", "PGRP", "PID", "PPID",
    "PR", "RES", "RSan", "RSfd", "RSlk", "RSsh", "RUID", "SHR", "SID", "SUID", "SWAP", "TGID", "TPGID",
    "UID", "USED", "VIRT", "VSZ", "nDRT", "nMaj", "nMin", "nTH", "vMj", "vMn", "PSS", "USS", "CPU", "RSS",
    "nsCGROUP", "nsIPC", "nsMNT", "nsNET", "nsPID", "nsTIME", "nsUSER", "nsUTS", "PRI",
];
/// Headings of text with blanks.
const TEXTS: [&str; 2] = ["COMMAND", "ENVIRON"];

/// Reads `top`.
#[derive(Default)]
pub struct Top {
    sample: Option<Sample>,
    totals: Totals,
    /// Second of the day of the last sample, and the day it was on.
    last_s: Option<i64>,
    day_s: i64,
    last_ms: Option<i64>,
    last_line: u64,
    is_busybox: bool,
    /// Several samples of this run fell into one second: intervals are shorter than times tell.
    is_too_fast: bool,
}

struct Sample {
    when: When,
    headings: Option<Headings>,
    is_of_threads: bool,
    /// Before procps-ng 3.3.
    is_old: bool,
    /// Columns of the table of CPUs that has begun.
    cpu_columns: Option<Vec<&'static str>>,
    /// The line of memory was there: the next is of swap.
    has_memory: bool,
    covers: Covers,
    percent_of: PercentOf,
    /// States of single CPUs, in percent, until the tasks begin: a screen with them has no line of all.
    single_cpus: Vec<Vec<(&'static str, f64)>>,
}

impl Importer for Top {
    fn begins(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_busybox = is_busybox_memory(line.words);
        let time = match line.words {
            ["top", "-", rest @ ..] => time_of_day(rest).filter(|_| rest.contains(&"up")),
            _ => None,
        };
        // Without the line of `uptime` above it, as mails quote it, nobody tells when it was.
        let old = is_old_count(line.words).then(|| {
            document.uptime_above(line.number).unwrap_or_else(|| (line.number, document.moment(NAME)))
        });
        if time.is_none() && !is_busybox && old.is_none() {
            return match is_within_summary(line) {
                true => self.begins_within(line, document),
                false => self.begins_table(line, document),
            };
        }
        let first_line = old.map_or(line.number, |(above, _)| above);
        let is_same_run = self.is_same_run(first_line, document) && is_busybox == self.is_busybox;
        self.end(document)?;
        if !is_same_run {
            document.begin(NAME);
            self.totals = Totals::default();
            self.last_s = None;
            self.last_ms = None;
            self.is_too_fast = false;
            document.note(
                "the first sample of top covers the time since boot, or an instant: its CPU use is not counted as time",
            );
        }
        self.is_busybox = is_busybox;
        let when = match (time, old) {
            (Some(time), _) => self.when(time.seconds, document),
            (None, Some((_, when))) => when,
            (None, None) => {
                let secs = is_same_run.then(|| document.interval_s(NAME));
                document.floating(secs)
            }
        };
        let mut when = self.totals.sample(when);
        if self.is_too_fast || (old.is_some() && !document.times.is_uptime_exact) {
            when.secs = None;
        }
        let is_old = old.is_some();
        let covers = if is_same_run { Covers::Interval } else { Covers::First };
        let percent_of = if is_busybox { PercentOf::AllCpus } else { PercentOf::OneCpu };
        self.sample = Some(Sample { is_old, covers, percent_of, ..Sample::new(when) });
        self.last_line = line.number;
        if is_busybox {
            put_memory(line.text, when, document);
        } else if old.is_none() {
            put_system(line, when, document);
        }
        Ok(true)
    }

    fn goes_on(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let Some(sample) = self.sample.as_mut().filter(|_| line.number <= self.last_line + MOST_GAP) else {
            return Ok(false);
        };
        let first = line.words.first().copied().unwrap_or("");
        let is_taken = if first == "top" || is_busybox_memory(line.words) {
            return self.begins(line, document);
        } else if matches!(first, "Tasks:" | "Threads:") {
            sample.is_of_threads = first == "Threads:";
            if sample.is_of_threads {
                put_threads(line.words, sample.when, document);
            }
            true
        } else if let Some(threads) = translated::top_threads(line.text) {
            sample.is_of_threads = true;
            put_counts(threads.map(Some), sample.when, document);
            true
        } else if let Some(columns) = heading(line) {
            sample.put_single_cpus(document);
            sample.headings = Some(columns);
            true
        } else if sample.headings.is_none() {
            sample.above(line, document)
        } else {
            sample.row(line, &mut self.totals, document)
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

impl Top {
    /// A table of tasks whose summary was cut off, as `top -b | tail -n +7` and mails leave it: nobody tells when it was, or
    /// whether its rows are threads (`-H`).
    fn begins_table(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        let is_of_linux = line.words.iter().any(|word| OF_LINUX.contains(word));
        let Some(columns) = heading(line).filter(|_| is_of_linux) else { return Ok(false) };
        let is_below = line.number <= self.last_line + LONGEST_SUMMARY;
        self.last_line = line.number;
        if let Some(sample) = self.sample.as_mut().filter(|sample| is_below && sample.headings.is_none()) {
            sample.headings = Some(columns);
            return Ok(true);
        }
        document.note("top without its summary: its rows are taken for processes");
        self.begin_undated(Some(columns), document)?;
        Ok(true)
    }

    /// A summary whose first line was cut off.
    fn begins_within(&mut self, line: &Line<'_>, document: &mut Document) -> Result<bool, ImportError> {
        self.begin_undated(None, document)?;
        if let Some(sample) = self.sample.as_mut().filter(|_| is_busybox_states(line.words)) {
            sample.percent_of = PercentOf::AllCpus;
        }
        self.last_line = line.number;
        self.goes_on(line, document)
    }

    /// A sample of which nobody tells when it was.
    fn begin_undated(
        &mut self,
        headings: Option<Headings>,
        document: &mut Document,
    ) -> Result<(), ImportError> {
        self.end(document)?;
        document.begin(NAME);
        let when = self.totals.sample(document.moment(NAME));
        let is_busybox = headings.as_ref().is_some_and(|headings| headings.has("%VSZ"));
        let percent_of = if is_busybox { PercentOf::AllCpus } else { PercentOf::OneCpu };
        // Nobody tells what SWAP is.
        self.sample = Some(Sample { headings, is_old: true, percent_of, ..Sample::new(when) });
        Ok(())
    }

    fn end(&mut self, document: &mut Document) -> Result<(), ImportError> {
        match self.sample.take() {
            Some(mut sample) => {
                sample.put_single_cpus(document);
                document.end_sample(NAME)
            }
            None => Ok(()),
        }
    }

    /// Whether a sample follows the one before with nothing but a blank line between.
    fn is_same_run(&self, line: u64, document: &Document) -> bool {
        let gap = line.saturating_sub(self.last_line);
        let is_blank_between = if self.is_busybox { gap <= 3 } else { gap == 2 || gap == 3 };
        self.sample.is_some() && is_blank_between && document.clock_line() < self.last_line
    }

    fn when(&mut self, seconds: i64, document: &mut Document) -> When {
        match self.last_s {
            None => self.day_s = document.base_day_s(),
            Some(last) if seconds - last < -MIDNIGHT_FALL_S => self.day_s += DAY_S,
            Some(_) => {}
        }
        self.last_s = Some(seconds);
        let mut ms = (self.day_s + seconds - document.zone_s(None)) * 1000;
        if let Some(last) = self.last_ms.filter(|last| ms <= *last) {
            document.note("samples of top less than a second apart: unknown interval");
            self.is_too_fast = true;
            ms = last + 1;
        }
        self.last_ms = Some(ms);
        When { ms, secs: None, floats: false }
    }
}

impl Sample {
    /// The first of a run.
    fn new(when: When) -> Sample {
        Sample {
            when,
            headings: None,
            is_of_threads: false,
            is_old: false,
            cpu_columns: None,
            has_memory: false,
            covers: Covers::First,
            percent_of: PercentOf::OneCpu,
            single_cpus: Vec::new(),
        }
    }

    /// The states of all CPUs, of a screen that has only lines of single ones (key `1`).
    fn put_single_cpus(&mut self, document: &mut Document) {
        let cpus = std::mem::take(&mut self.single_cpus);
        let count = cpus.len() as f64;
        let percents: Vec<(&'static str, f64)> =
            cpus.into_iter().flatten().map(|(column, percent)| (column, percent / count)).collect();
        listed_cpu::put_host(document, self.when, self.covers, &percents);
    }

    /// A line above the tasks, in whatever language.
    fn above(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        let restored =
            translated::top_cpus(line.text).or_else(|| translated::top_memory(line.text, self.has_memory));
        let Some(text) = restored else { return self.summary(line, document) };
        let words: Vec<&str> = text.split_whitespace().collect();
        let line = Line { number: line.number, words: &words, text: &text, is_cut: line.is_cut };
        self.summary(&line, document)
    }

    fn summary(&mut self, line: &Line<'_>, document: &mut Document) -> bool {
        if let Some(columns) = top_summary::cpu_columns(line.words) {
            self.cpu_columns = Some(columns);
            return true;
        }
        let mut cpus = top_summary::cpus(line.text);
        cpus.extend(self.cpu_columns.as_ref().and_then(|columns| top_summary::cpu_row(columns, line.words)));
        if !cpus.is_empty() {
            self.is_old = self.is_old || line.text.contains("%us");
            for one in cpus {
                match one.cpu {
                    None => {
                        self.single_cpus.clear();
                        listed_cpu::put_host(document, self.when, self.covers, &one.shares);
                    }
                    Some(_) => self.single_cpus.push(one.shares.clone()),
                }
                let key = one.cpu.map_or(Key::All, Key::Number);
                let count = if one.cpu.is_some() { 1.0 } else { document.cpus().unwrap_or(1) as f64 };
                let part = self.when.secs.map(|secs| secs / 100.0 * count);
                let share = |(column, percent): &(&'static str, f64)| {
                    (*column, Put::Number(part.map(|part| percent * part)))
                };
                let cells: Vec<(&str, Put<'_>)> = one.shares.iter().map(share).collect();
                put_row(document, CpuRow::DEF, self.when, key, &cells);
            }
            return true;
        }
        if top_summary::loads(line.text).is_some() {
            put_system(line, self.when, document);
            return true;
        }
        let is_memory = put_memory(line.text, self.when, document);
        self.has_memory |= is_memory;
        is_memory
    }

    fn row(&self, line: &Line<'_>, totals: &mut Totals, document: &mut Document) -> bool {
        let Some(headings) = &self.headings else { return false };
        let listed = Listed {
            when: self.when,
            pid_is_thread: self.is_of_threads,
            has_lines: false,
            knows_swap: !self.is_old,
            covers: self.covers,
            percent_of: self.percent_of,
        };
        let cells = headings.cells(line.words, line.text);
        if cells.is_some_and(|cells| tasks::write(headings, &cells, listed, totals, document)) {
            return true;
        }
        if !headings.is_damaged_row(line.words) {
            return false;
        }
        let expected: Vec<&str> = headings.names().collect();
        let what = format!("top: {} words; expected {}", line.words.len(), expected.join(" "));
        document.flaw(line.number, what);
        true
    }
}

/// Load and time since boot; of BusyBox also how many threads there are, and how many want a CPU.
fn put_system(line: &Line<'_>, when: When, document: &mut Document) {
    let loads = top_summary::loads(line.text);
    let load = |at: usize| Put::Number(loads.map(|loads| loads[at]));
    let of_all = line.words.iter().find_map(|word| {
        let (runnable, tasks) = word.split_once('/')?;
        Some((runnable.parse::<f64>().ok()?, tasks.parse::<f64>().ok()?))
    });
    let cells = [
        ("load1", load(0)),
        ("load5", load(1)),
        ("load15", load(2)),
        ("uptime_s", Put::Number(top_summary::uptime_s(line.words))),
        ("runnable", Put::Number(of_all.map(|(runnable, _)| runnable))),
        ("tasks", Put::Number(of_all.map(|(_, tasks)| tasks))),
    ];
    put_row(document, SystemRow::DEF, when, Key::Host, &cells);
}

/// `Threads: 500 total,   2 running, …`: with `-H` these are threads, as the kernel counts them.
fn put_threads(words: &[&str], when: When, document: &mut Document) {
    let count = |label: &str| {
        let at = words.iter().position(|word| word.trim_end_matches(',') == label)?;
        words.get(at.checked_sub(1)?)?.parse::<f64>().ok()
    };
    put_counts([count("total"), count("running")], when, document);
}

/// How many threads there are, and how many of them run or want to.
fn put_counts([threads, runnable]: [Option<f64>; 2], when: When, document: &mut Document) {
    let cells = [("tasks", Put::Number(threads)), ("runnable", Put::Number(runnable))];
    put_row(document, SystemRow::DEF, when, Key::Host, &cells);
}

/// Whether a line is of memory or swap.
fn put_memory(text: &str, when: When, document: &mut Document) -> bool {
    let Some(columns) = top_summary::memory(text) else { return false };
    if text.contains('+') {
        document.note("top: truncated memory numbers (+) are not read");
    }
    let cells: Vec<(&str, Put<'_>)> =
        columns.iter().map(|(column, bytes)| (*column, Put::Number(Some(*bytes)))).collect();
    put_row(document, MemoryRow::DEF, when, Key::Host, &cells);
    true
}

/// `78 processes: 76 sleeping, 1 running, 1 zombie, 0 stopped`, below a line of `uptime`: how top began before
/// procps 3.2.
fn is_old_count(words: &[&str]) -> bool {
    matches!(words, [count, "processes:", _, "sleeping,", ..] if count.parse::<u64>().is_ok())
}

/// `Tasks: 181 total,   2 running, …` or `%Cpu(s):  0.1 us, …`, which nobody else prints.
fn is_within_summary(line: &Line<'_>) -> bool {
    let is_count =
        matches!(line.words, ["Tasks:" | "Threads:", count, "total,", ..] if count.parse::<u64>().is_ok());
    let is_states = matches!(line.words.first(), Some(&("%Cpu(s):" | "Cpu(s):")));
    is_count || is_busybox_states(line.words) || (is_states && !top_summary::cpus(line.text).is_empty())
}

/// `Mem: 247192K used, 7840K free, 1000K shrd, 2848K buff, 96968K cached`.
fn is_busybox_memory(words: &[&str]) -> bool {
    matches!(words, ["Mem:", _, "used,", _, "free,", _, "shrd,", ..])
}

/// `CPU:   3% usr   1% sys   0% nic  95% idle …`.
fn is_busybox_states(words: &[&str]) -> bool {
    matches!(words, ["CPU:", _, "usr", _, "sys", _, "nic", ..])
}

/// The headings of the tasks, in whatever language.
fn heading(line: &Line<'_>) -> Option<Headings> {
    let is_row = line.words.first().is_some_and(|first| first.starts_with(|c: char| c.is_ascii_digit()));
    let restored = if is_row { None } else { translated::top_headings(line.text) };
    let text = restored.as_deref().unwrap_or(line.text);
    let words = restored.as_deref().map(|text| text.split_whitespace().collect::<Vec<_>>());
    let words = words.as_deref().unwrap_or(line.words);
    let is_one = words.contains(&"PID")
        && words.contains(&"COMMAND")
        && words.iter().any(|word| OWN_HEADINGS.contains(word) || *word == "%CPU");
    is_one.then(|| {
        Headings::of(words, text, |name| match name {
            name if NUMBERS.contains(&name) => Kind::Number,
            name if TEXTS.contains(&name) => Kind::Text,
            _ => Kind::Word,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_of_tasks_are_told_from_prose() {
        let check = |text: &str, expect: bool| {
            let words: Vec<&str> = text.split_whitespace().collect();
            let line = Line { number: 1, words: &words, text, is_cut: false };
            assert_eq!(heading(&line).is_some(), expect, "{text}");
        };
        check("  PID USER      PR  NI  VIRT  RES  SHR S %CPU %MEM    TIME+  COMMAND", true);
        check("  PID  PPID USER     STAT   VSZ %VSZ CPU %CPU COMMAND", true);
        check("the PID of a COMMAND", false);
    }
}
